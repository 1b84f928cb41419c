"""Hornet: each neighbor list in a block of a power of two of edges, which moves as the list grows and shrinks."""

from .graph import Hornet

__all__ = ["Hornet"]
