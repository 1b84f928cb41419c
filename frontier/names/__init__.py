"""Names of vertices: what a stream calls them, and the ids that the graph has for them."""

from .names import VertexNames

__all__ = ["VertexNames"]
