"""Graph structures: each a folder with its layout, its updates and its neighbor iterator, on CPU and GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.registry import register_structure

from .csr import CSR
from .faimgraph import FaimGraph
from .gpma import GPMA
from .graphvine import GraphVine
from .hornet import Hornet
from .lpma import LPMA
from .slab import SlabGraph

register_structure(CSR, snapshot=True)
register_structure(Hornet)
register_structure(SlabGraph)
register_structure(GPMA)
register_structure(LPMA)
register_structure(GraphVine)
register_structure(FaimGraph)

__all__ = ["CSR", "GPMA", "LPMA", "FaimGraph", "GraphVine", "Hornet", "SlabGraph"]

if TYPE_CHECKING:
    from dynfrontier.workload import recommend as recommend


def __getattr__(name: str) -> Any:
    # Which structure suits a workload is found by running it, with algorithms: the application does so, which is above
    # this package and is imported only when somebody asks.
    if name == "recommend":
        from dynfrontier.workload import recommend

        return recommend
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
