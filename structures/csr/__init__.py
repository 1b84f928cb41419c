"""Compressed sparse rows: static copies, and the baseline that rebuilds with every batch."""

from .graph import CSR

__all__ = ["CSR"]
