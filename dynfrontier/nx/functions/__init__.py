"""The functions of NetworkX that the backend has: `TABLE`, by name.

Each has the signature of NetworkX's function, and a graph of the backend where that has a NetworkX graph. What is
defined here takes, by name, the arguments that it supports; the defaults are NetworkX's.
"""

from . import centrality, clustering, communities, components, cores, pairs, paths, ranks, sets, traversal, trees
from .table import TABLE, Function

__all__ = ["TABLE", "Function"]

_MODULES = (centrality, clustering, communities, components, cores, pairs, paths, ranks, sets, traversal, trees)
