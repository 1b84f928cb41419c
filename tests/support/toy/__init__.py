"""The smallest structure that there can be, as ``docs/structures.md`` describes it: `Rows`, on the CPU only."""

from .graph import Rows

__all__ = ["Rows"]
