"""Graph structures: each a folder with its layout, its updates and its neighbor iterator, on CPU and GPU."""

from frontier.registry import register_structure

from .csr import CSR
from .hornet import Hornet

register_structure(CSR, snapshot=True)
register_structure(Hornet)

__all__ = ["CSR", "Hornet"]
