"""Packed memory arrays: the core that GPMA and LPMA share (`structures.packed.store` describes it)."""

from .store import PackedStore

__all__ = ["PackedStore"]
