"""LPMA: a packed memory array in levels of a perfect binary tree, which grows by a level (Zou et al.)."""

from .graph import LPMA

__all__ = ["LPMA"]
