"""GraphVine: each neighbor list in a complete binary tree of edge blocks, which come from one queue of free blocks."""

from .graph import GraphVine

__all__ = ["GraphVine"]
