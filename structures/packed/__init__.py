"""Packed memory arrays: the core that GPMA and LPMA share (`structures.packed.graph` describes it)."""

from .graph import PackedGraph

__all__ = ["PackedGraph"]
