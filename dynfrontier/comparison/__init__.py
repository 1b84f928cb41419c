"""Comparison of our algorithms with other libraries, such as cuGraph, on a graph's snapshot: results and times."""

from .compare import chosen_algorithms, compare, load_graph
from .result import Comparison, Row

__all__ = ["Comparison", "Row", "chosen_algorithms", "compare", "load_graph"]
