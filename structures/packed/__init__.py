"""Packed memory arrays, the core of GPMA and LPMA (`structures.packed.array` describes it)."""

from .store import PackedStore

__all__ = ["PackedStore"]
