"""Functors compiled by numba-cuda."""

from .compiler import Compiler

__all__ = ["Compiler"]
