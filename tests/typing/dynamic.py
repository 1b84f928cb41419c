"""A user's script: updates, streams and incremental analytics. `test_typing.py` checks its types, and nothing runs
it."""

from __future__ import annotations

from typing import Any, assert_type

import networkx as nx

import dynfrontier
import frontier as fr
from algorithms import (
    Analytic,
    DynamicConnectedComponents,
    DynamicKTruss,
    DynamicPageRank,
    DynamicTriangleCount,
    register,
)
from structures import Hornet, SlabGraph


class Volume(fr.UpdateObserver):
    """Counts the edges that were inserted."""

    def __init__(self) -> None:
        self.inserted = 0

    def edges_inserted(self, src: Any, dst: Any) -> None:
        self.inserted += len(src)


def total(graph: fr.DynamicGraph) -> int:
    with DynamicTriangleCount(graph) as triangles:
        graph.insert_edges([0, 1], [1, 2], on_existing="keep")
        return triangles.total


graph = fr.structures()["slab"](100)
assert_type(graph, fr.DynamicGraph)
assert_type(graph.insert_edges([0], [1]), fr.advanced.UpdateResult)
assert_type(graph.delete_edges([0], [1]).deleted, int)
assert_type(graph.apply([fr.Operation.INSERT], [0], [1]), fr.advanced.MixedResult)
assert_type(DynamicConnectedComponents(graph).count, int)
assert_type(DynamicKTruss(graph, k=4).num_edges, int)
graph.attach(Volume())

with DynamicPageRank(graph, tol=1e-6) as ranks:
    for arriving, leaving in fr.io.sliding_window(fr.io.stream_edges(fr.io.rmat(scale=8)), 64, by="count"):
        graph.insert_edges(arriving.src, arriving.dst)
        graph.delete_edges(leaving.src, leaving.dst)
    print(ranks.pagerank.max())

window = fr.SlidingWindow(SlabGraph(4, time_unit="s"), span="10min")
assert_type(window.push([0], [1], time=[3]).late, int)

converted, names = fr.interchange.from_networkx(nx.path_graph(3), structure=Hornet, weight_dtype="int64")
assert_type(converted, Hornet)
assert_type(fr.interchange.from_edge_index([[0], [1]]), fr.DynamicGraph)

comparison = dynfrontier.compare(graph, ["pagerank"], against="networkx", tol=1e-6)
assert_type(comparison.agrees, bool)
found = dynfrontier.recommend(fr.io.rmat(scale=8), "latency", batch_size=256, deletes=0.3, analytics=["bfs"])
assert_type(found.structure, str)
register(Analytic("total", total))
