"""The operators: what analytics are written with.

Each operator is a folder: ``__init__.py`` is the host side, ``cpu.py`` has its kernels for CPUs (Numba), and the
``.cuh`` file of the folder's name those for GPUs. What several operators share:

* ``frontiers/`` has the sets of vertices and edges that they take and return;
* ``dispatch/`` finds and specialises kernels (``kernels.py``) and distributes their work: on GPUs to blocks and threads
  (``gpu_balance.py``), on CPUs to threads (``cpu_balance.py``), for pairs of lists by groups (``pair_groups.py``). It
  has the common parts of kernels on CPUs, too; those on GPUs are in ``frontier/cuda``;
* ``capture.py`` and ``captured_batches.py`` record steps and repeat them;
* ``copies.py`` makes static copies of graphs, whole or of the arcs that a functor picks; ``layout.py`` chooses between
  a graph and its copy; ``pair_order.py`` sorts pairs of lists on GPUs.
"""

from .advance import advance
from .compute import compute
from .copies import copy_for_passes, extract_oriented, extract_subgraph
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
    "Orientation",
    "PriorityFrontier",
    "SpMV",
    "StepCounter",
    "advance",
    "common_neighbors",
    "compute",
    "copy_for_passes",
    "copy_if_faster",
    "defer",
    "edge_support",
    "extract_neighbors",
    "extract_oriented",
    "extract_subgraph",
    "filter",
    "intersect",
    "intersect_arcs",
    "neighbor_reduce",
    "reduce",
    "sample_neighbors",
    "traverse",
    "visit_edges",
]
