"""A user's script: frontiers of edges, captured steps, custom loops. `test_typing.py` checks its types."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np

import dynfrontier
import frontier as fr
from algorithms import bfs, pagerank
from structures import CSR, Hornet


def reach(src: int, dst: int, edge: int, weight: float, level: Any) -> bool:
    return bool(fr.atomic_min(level, dst, level[src] + 1) > level[src] + 1)


def even(v: int) -> bool:
    return v % 2 == 0


def value(src: int, dst: int, edge: int, weight: float, rank: Any) -> float:
    return float(rank[dst] * weight)


def step() -> None:
    fr.compute(everyone, even)


graph = Hornet(100, directed=True, in_edges=True, block_array_size=4096, device="cpu")
everyone = fr.Frontier.all(graph)
level = graph.xp.zeros(len(graph), np.int32)

found = fr.EdgeFrontier(graph, [0, 1], [1, 2])
assert_type(found | found, fr.EdgeFrontier)
assert_type(found.destinations, fr.Frontier)
assert_type((0, 1) in found, bool)
assert_type([u + v for u, v in found], list[int])
assert_type(fr.EdgeFrontier.all(graph).reversed(), fr.EdgeFrontier)
fr.visit_edges(graph, [0], [1], reach, level)

recorded = fr.capture(graph, step)
assert_type(recorded, fr.advanced.CapturedStep)
recorded()
assert_type(recorded.is_captured, bool)

assert_type(fr.advanced.copy_to_host_async(level), fr.advanced.HostCopy)
assert_type(fr.advanced.copy_to_host_async(level).ready, bool)
assert_type(fr.filter(everyone, even), fr.Frontier)
fr.traverse(graph, everyone, reach, level, edges="both", max_steps=2)
fr.sample_neighbors(graph, everyone, reach, level, count=3, method="uniform", seed=1)
fr.sample_neighbors(graph, everyone, reach, level, count={0: 3, 1: -1}, edge_type="kind")
ranks = fr.neighbor_reduce(graph, None, value, level, reduce="max")
total = fr.reduce(everyone, even)
counts, offsets = fr.common_neighbors(graph, [0], [1])[:2]
product = fr.SpMV(graph)
assert_type(fr.extract_subgraph(graph, reach, level), fr.Graph)
assert_type(fr.random(1, 2), float)
assert_type(fr.gpu_available(), bool)
with fr.checking():
    assert_type(fr.advance(graph, everyone, reach, level, direction="pull"), fr.Frontier)
fr.clear_caches()

axes = dynfrontier.drawing.graph(graph)
dynfrontier.drawing.levels(bfs(graph, 0).distance, ax=axes)
static = CSR.from_edges([0], [1], device="cpu")
assert_type(static.to_csr(), fr.Graph)
frame = pagerank(static).to_dataframe(library="polars")
