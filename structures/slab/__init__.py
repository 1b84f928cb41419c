"""SlabGraph: a hash table per vertex, made of slabs from one pool."""

from .graph import SlabGraph

__all__ = ["SlabGraph"]
