"""Graph structures: each a folder with its layout, its updates and its neighbor iterator, on CPU and GPU."""

from frontier.registry import register_structure

from .csr import CSR
from .hornet import Hornet
from .slab import SlabGraph

register_structure(CSR, snapshot=True)
register_structure(Hornet)
register_structure(SlabGraph)

__all__ = ["CSR", "Hornet", "SlabGraph"]
