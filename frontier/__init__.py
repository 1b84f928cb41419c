"""Graph analytics on graphs that change: the frontier engine."""

from .dynamic import DynamicGraph
from .graph import Graph

__all__ = ["DynamicGraph", "Graph"]
