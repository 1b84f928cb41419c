"""`Graph` and `DynamicGraph`: the interface of every structure."""

from .dynamic import DynamicGraph
from .graph import Graph

__all__ = ["DynamicGraph", "Graph"]
