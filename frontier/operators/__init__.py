"""The operators: what analytics are written with."""

from .advance import advance
from .compute import compute
from .extract import extract_subgraph
from .filter import filter
from .intersect import intersect, intersect_arcs
from .neighbor_reduce import neighbor_reduce
from .reduce import reduce
from .traverse import Step, traverse
from .visit import visit_edges

__all__ = [
    "Step",
    "advance",
    "compute",
    "extract_subgraph",
    "filter",
    "intersect",
    "intersect_arcs",
    "neighbor_reduce",
    "reduce",
    "traverse",
    "visit_edges",
]
