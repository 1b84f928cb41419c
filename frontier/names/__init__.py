"""Names of vertices in a stream, and their ids in the graph."""

from .names import VertexNames

__all__ = ["VertexNames"]
