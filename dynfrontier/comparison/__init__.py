"""Comparison of our algorithms with other libraries, such as cuGraph, on a snapshot of one graph: results and run
times."""

from .compare import chosen_algorithms, compare, load_graph
from .result import Comparison, Row

__all__ = ["Comparison", "Row", "chosen_algorithms", "compare", "load_graph"]
