"""Graph algorithms, each a short loop of operators in a file of its own; they run on every structure and device."""

from .bfs import UNREACHED, BFSResult, bfs
from .dynamic_triangle_count import DynamicTriangleCount
from .triangle_count import TriangleCount, triangle_count

__all__ = ["UNREACHED", "BFSResult", "DynamicTriangleCount", "TriangleCount", "bfs", "triangle_count"]
