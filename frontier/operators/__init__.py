"""The operators: what analytics are written with."""

from .advance import advance
from .compute import compute
from .extract import extract_neighbors, extract_subgraph
from .filter import filter
from .intersect import intersect, intersect_arcs, snapshot_if_faster
from .neighbor_reduce import neighbor_reduce
from .reduce import reduce
from .sample import sample_neighbors
from .spmv import SpMV
from .support import edge_support
from .traverse import Step, traverse
from .visit import visit_edges

__all__ = [
    "SpMV",
    "Step",
    "advance",
    "compute",
    "edge_support",
    "extract_neighbors",
    "extract_subgraph",
    "filter",
    "intersect",
    "intersect_arcs",
    "neighbor_reduce",
    "reduce",
    "sample_neighbors",
    "snapshot_if_faster",
    "traverse",
    "visit_edges",
]
