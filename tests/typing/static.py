"""A user's script: graphs, operators and static algorithms. `test_typing.py` checks its types, and nothing runs it."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np

import algorithms
import frontier as fr
from algorithms import bfs, connected_components, pagerank, triangle_count
from structures import GPMA, SlabGraph


def lower(src: int, dst: int, edge: int, weight: float, label: Any) -> bool:
    new = label[src]
    return bool(fr.atomic_min(label, dst, new) > new)


def smallest_ids(graph: fr.Graph) -> Any:
    label = graph.xp.arange(graph.num_vertices, dtype=np.int32)
    frontier = fr.Frontier.all(graph)
    while frontier:
        frontier = fr.advance(graph, frontier, lower, label)
    return label


def high(v: int, label: Any) -> bool:
    return bool(label[v] > 3)


graph = SlabGraph.from_edges([0, 1], [1, 2], num_vertices=4, device="cpu", weight_dtype="float32", load_factor=0.5)
assert_type(graph, SlabGraph)
assert_type(graph.copy(), SlabGraph)
assert_type(SlabGraph.load("graph.npz"), SlabGraph)
assert_type(SlabGraph(4, directed=True, in_edges=True, time_unit="s", load_factor=0.5), SlabGraph)
assert_type(GPMA(4, edge_data={"amount": "float32"}, deletion="lazy"), GPMA)
assert_type(graph.num_edges, int)
assert_type(graph.reverse, fr.Graph)
assert_type(graph.memory_usage(), fr.advanced.MemoryUsage)

frontier = fr.Frontier(graph, [0])
assert_type(fr.advance(graph, frontier, lower, smallest_ids(graph)), fr.Frontier)
assert_type(fr.advance(graph, frontier, lower, smallest_ids(graph), output="edges"), fr.EdgeFrontier)
assert_type(fr.filter(frontier, high, smallest_ids(graph)), fr.Frontier)
assert_type(frontier | frontier, fr.Frontier)
with fr.checking(), fr.interpreted():
    fr.compute(frontier, high, smallest_ids(graph))

assert_type(bfs(graph, 0, depth_limit=3), algorithms.BFSResult)
assert_type(triangle_count(graph).total, int)
assert_type(connected_components(graph).count, int)
assert_type(pagerank(graph, alpha=0.9), algorithms.PageRankResult)
