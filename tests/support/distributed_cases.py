"""Shared parts of the tests of distributed graphs."""

from __future__ import annotations

import importlib.util
from contextlib import contextmanager

import emulator
import numpy as np
from graphs import GRAPHS

from frontier.distributed import DistributedGraph, ProcessEngine, ThreadEngine
from frontier.runtime import gpu_available
from structures import SlabGraph

PARTS = (2, 3)


def host(value):
    """An array in the memory of the host."""
    return value.get() if hasattr(value, "get") else np.asarray(value)


def pair_of(engine, n, structure=SlabGraph, **options):
    """A distributed graph, and one on one device."""
    device = engine.hosts[0].comm.device
    return DistributedGraph(structure, n, engine=engine, **options), structure(n, device=device, **options)


def filled_pair(engine, name, *weights, **options):
    """`pair_of` one of `GRAPHS`."""
    src, dst, n = GRAPHS[name]
    graphs = pair_of(engine, n, **options)
    for graph in graphs:
        graph.insert_edges(src, dst, *weights)
    return graphs


def of_shape(engine, name, directed=False, **options):
    """One of `GRAPHS` distributed, and on one device."""
    src, dst, n = GRAPHS[name]
    graph = DistributedGraph(SlabGraph, n, directed=directed, engine=engine, **options)
    graph.insert_edges(src, dst)
    one = SlabGraph.from_edges(src, dst, num_vertices=n, directed=directed, device=engine.hosts[0].comm.device)
    return graph, one


def memory_is_tight(monkeypatch):
    """Parts look up the changes of a batch, to undo them."""
    monkeypatch.setattr("frontier.distributed.exchange.memory_budget.spare_arcs", lambda _: 0)
    monkeypatch.setattr("frontier.distributed.exchange.memory_budget.MemoryBudget.of", lambda *_: 0)


def fails(monkeypatch, part, method):
    """The store of a part runs out of memory in `method`, in which small batches of a GPU end, too."""
    original = getattr(SlabGraph.store_type, method)

    def fail(self, *args):
        if self is part.store:
            raise MemoryError("no memory left, for the test")
        return original(self, *args)

    monkeypatch.setattr(SlabGraph.store_type, method, fail)
    if method in ("insert", "erase"):
        monkeypatch.setattr(SlabGraph.store_type, f"{method}_small", lambda *_: None)


def missing(*modules: str) -> str:
    """Why a kind of workers cannot be tested, or ""."""
    absent = [name for name in modules if importlib.util.find_spec(name) is None]
    return f"{', '.join(absent)} not installed: pip install 'dynfrontier[distributed]'" if absent else ""


def gpus() -> int:
    """The number of GPUs that this process sees."""
    if not gpu_available():
        return 0
    import cupy

    return cupy.cuda.runtime.getDeviceCount()


@contextmanager
def workers(size):
    with ThreadEngine(size, "gpu") if emulator.wanted() else ProcessEngine(size, "nccl") as engine:
        yield engine


def check_tree(one, source, found, expected):
    """Distances equal the distances on one device, and each predecessor is one edge nearer."""
    distance, predecessor = host(found.distance), host(found.predecessor)
    np.testing.assert_array_equal(distance, host(expected.distance))
    assert found.levels == expected.levels
    reached = np.flatnonzero(predecessor >= 0)
    assert set(reached) == set(np.flatnonzero(distance < 2**31 - 1)) - {source}
    assert host(one.has_edges(predecessor[reached], reached)).all()
    np.testing.assert_array_equal(distance[predecessor[reached]] + 1, distance[reached])
