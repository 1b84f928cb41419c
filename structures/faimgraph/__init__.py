"""faimGraph: neighbor lists in linked pages from one pool, whose freed pages are in a queue."""

from .graph import FaimGraph

__all__ = ["FaimGraph"]
