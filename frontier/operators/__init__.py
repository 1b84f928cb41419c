"""The operators with which analytics are written.

Each operator is a folder: ``__init__.py`` is the host side, ``cpu.py`` has its kernels for CPUs (Numba), and the
``.cuh`` file of the folder's name its kernels for GPUs. Operators share:

* ``frontiers/``: the sets of vertices and edges that they accept and return.
* ``dispatch/``: kernels, found and specialised (``kernels.py``), and the distribution of their work on GPUs
  (``gpu_balance.py``), on CPUs (``cpu_balance.py``), and for pairs of lists (``pair_groups.py``). The common parts of
  kernels are here for CPUs, and in ``frontier/cuda`` for GPUs.
* ``capture.py`` and ``captured_batches.py``: steps that are captured and replayed.
* ``copies.py``: static copies of graphs. ``layout.py``: the choice between a graph and its copy. ``pair_order.py``:
  pairs of lists, sorted on GPUs.
"""

from .advance import advance
from .compute import compute
from .copies import copy_for_passes, extract_subgraph
from .edge_support import edge_support
from .extract import extract_neighbors
from .filter import filter
from .intersect import common_neighbors, copy_if_faster, intersect
from .intersect_arcs import intersect_arcs
from .neighbor_reduce import neighbor_reduce
from .orientation import Orientation
from .priority_frontier import PriorityFrontier, defer
from .reduce import reduce
from .sample_neighbors import sample_neighbors
from .spmv import SpMV
from .traverse import StepCounter, traverse
from .visit_edges import visit_edges

__all__ = [
    "Orientation", "PriorityFrontier", "SpMV", "StepCounter", "advance", "common_neighbors", "compute",
    "copy_for_passes", "copy_if_faster", "defer", "edge_support", "extract_neighbors", "extract_subgraph",
    "filter", "intersect", "intersect_arcs", "neighbor_reduce", "reduce", "sample_neighbors",
    "traverse", "visit_edges",
]  # fmt: skip
