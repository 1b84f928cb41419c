"""What the tests of graphs in parts share."""

from __future__ import annotations

import numpy as np
from graphs import GRAPHS

from frontier.distributed import DistributedGraph
from structures import SlabGraph

PARTS = (2, 3)


def host(value):
    """An array in the memory of the host."""
    return value.get() if hasattr(value, "get") else np.asarray(value)


def of_shape(engine, name, directed=False, **options):
    """One of `GRAPHS` in parts, and on one device."""
    src, dst, n = GRAPHS[name]
    graph = DistributedGraph(SlabGraph, n, directed=directed, engine=engine, **options)
    graph.insert_edges(src, dst)
    one = SlabGraph.from_edges(src, dst, num_vertices=n, directed=directed, device=engine.hosts[0].comm.device)
    return graph, one


def memory_is_tight(monkeypatch):
    """Parts look up what a batch changes, so that it can be undone."""
    monkeypatch.setattr("frontier.distributed.exchange.batches.spare_arcs", lambda _: 0)
    monkeypatch.setattr("frontier.distributed.exchange.batches.MemoryBudget.of", lambda *_: 0)
