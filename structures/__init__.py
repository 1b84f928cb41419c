"""Graph structures: each a folder with its layout, its updates and its neighbor iterator, on CPU and GPU."""

from frontier.registry import register_structure

from .csr import CSR

register_structure(CSR, snapshot=True)

__all__ = ["CSR"]
