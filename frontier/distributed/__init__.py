"""Distributed dynamic graphs, with a partition on each worker: several GPUs, or several processes on CPUs.

Programs use `DistributedGraph`, with the workers of a Dask cluster or another `Engine`. Each worker has a `GraphPart`,
which operators and algorithms accept like any other graph.
"""

from .engines import DaskEngine, Engine, ProcessEngine, ThreadEngine
from .graph import DistributedGraph
from .part.part import GraphPart
from .transport.communicator import Communicator, PartLostError

__all__ = [
    "Communicator", "DaskEngine", "DistributedGraph", "Engine", "GraphPart", "PartLostError",
    "ProcessEngine", "ThreadEngine",
]  # fmt: skip
