"""Batches of arcs for update benchmarks, on the graph's device before any clock runs."""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from .defaults import BATCH_SEED
from .graphs import BenchmarkGraph

DISTRIBUTIONS = ("uniform", "rmat")
SURPLUS = {"uniform": 1.1, "rmat": 2.0}  # arcs drawn for one that is new
DRAWS = 12  # before a distribution counts as having too few new arcs


def distributions_of(graph: BenchmarkGraph) -> tuple[str, ...]:
    """How batches can be drawn: uniformly, and as the graph was itself where it is an RMAT graph."""
    return DISTRIBUTIONS if graph.scale is not None else DISTRIBUTIONS[:1]


def draw(graph: BenchmarkGraph, distribution: str, count: int, seed: int) -> tuple[Any, Any]:
    """Random arcs as they come: loops, duplicates and arcs of the graph among them."""
    if distribution == "rmat":
        assert graph.scale is not None
        size = 2**graph.scale
        edges = fr.io.rmat(graph.scale, -(-count // size) if count > size else count / size, seed=seed)
        src, dst = edges.src[:count], edges.dst[:count]
    else:
        src, dst = np.random.default_rng(seed).integers(0, graph.num_vertices, (2, count), dtype=np.int32)
    return graph.device.xp.asarray(src), graph.device.xp.asarray(dst)


def raw_batches(graph: BenchmarkGraph, distribution: str, size: int, count: int) -> list[tuple[Any, Any]]:
    """Batches as a stream would bring them."""
    src, dst = draw(graph, distribution, size * count, BATCH_SEED)
    return [(src[i * size : (i + 1) * size], dst[i * size : (i + 1) * size]) for i in range(count)]


def new_batches(
    graph: BenchmarkGraph, present: fr.Graph, distribution: str, size: int, count: int
) -> list[tuple[Any, Any]] | None:
    """Batches of distinct arcs, none of which is a loop or in `present`, in random order. No arc is in two of them.

    Returns None if the distribution does not yield so many.
    """
    xp, n = graph.device.xp, graph.num_vertices
    needed = size * count
    keys = xp.empty(0, np.int64)
    for attempt in range(DRAWS):
        drawn = max(int(SURPLUS[distribution] * (needed - int(keys.size))), 1024)
        src, dst = draw(graph, distribution, drawn, BATCH_SEED + attempt)
        fresh = xp.flatnonzero((src != dst) & ~present.has_edges(src, dst))
        keys = xp.unique(xp.concatenate([keys, src[fresh].astype(np.int64) * n + dst[fresh]]))
        if keys.size >= needed:
            break
    else:
        return None
    order = np.random.default_rng(BATCH_SEED).permutation(int(keys.size))[:needed]
    keys = keys[xp.asarray(order)]
    src, dst = (keys // n).astype(np.int32), (keys % n).astype(np.int32)
    return [(src[i * size : (i + 1) * size], dst[i * size : (i + 1) * size]) for i in range(count)]
