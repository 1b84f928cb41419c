"""GPMA and GPMA+: a packed memory array of all arcs."""

from .graph import GPMA

__all__ = ["GPMA"]
