"""The operators: what analytics are written with.

Each operator is a folder: ``__init__.py`` is the host side, ``cpu.py`` has its kernels for CPUs (Numba), and the
``.cuh`` file of the folder's name those for GPUs. What several operators share stands in this folder itself:

* ``engine.py`` finds and specialises kernels, and calls them;
* ``launch.py`` decides how work is distributed to thread blocks and threads;
* ``shares.py`` does so for the neighbor lists of a frontier on CPUs; ``pair_groups.py`` and, on GPUs, ``pair_order.py``
  do for pairs of lists;
* ``copies.py`` makes static copies of graphs, whole or of the arcs that a functor picks;
* ``walked.py`` makes graphs arguments of functors, which walk them;
* ``functors.py``, ``weights.py``, ``members.py``, ``output.py`` and ``reductions.py`` are the common parts of kernels
  on CPUs. Those on GPUs are in ``frontier/cuda``.
"""

from .advance import advance
from .compute import compute
from .copies import extract_oriented, extract_subgraph, snapshot_for_passes
from .edge_support import edge_support
from .extract import extract_neighbors
from .filter import filter
from .intersect import common_neighbors, intersect, snapshot_if_faster
from .intersect_arcs import intersect_arcs
from .neighbor_reduce import neighbor_reduce
from .orientation import Orientation
from .priority_frontier import PriorityFrontier, defer
from .reduce import reduce
from .sample_neighbors import sample_neighbors
from .sample_temporal_neighbors import sample_temporal_neighbors
from .spmv import SpMV
from .traverse import Step, traverse
from .visit_edges import visit_edges

__all__ = [
    "Orientation",
    "PriorityFrontier",
    "SpMV",
    "Step",
    "advance",
    "common_neighbors",
    "compute",
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
    "sample_temporal_neighbors",
    "snapshot_for_passes",
    "snapshot_if_faster",
    "traverse",
    "visit_edges",
]
