"""Compressed sparse rows: static snapshots, and the baseline that rebuilds with every batch."""

from .graph import CSR

__all__ = ["CSR"]
