"""A user's script: streams, names, times, pipelines. `test_typing.py` checks its types, and nothing runs it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, assert_type

import numpy as np

import algorithms
import frontier as fr
from algorithms import DynamicTemporalTriangleCount, DynamicTriangleCount, earliest_arrival, temporal_pagerank
from dynfrontier import Pipeline, PipelineBatch, PipelineError, SocketSource
from structures import GraphVine, SlabGraph

names = fr.VertexNames()
src, dst = names.ids_of_edges(["ann", "bob"], np.array(["bob", "eve"]))
assert_type(len(names), int)
assert_type(names.id_of("ann"), int)
assert_type("ann" in names, bool)
assert_type(fr.VertexNames.load("names"), fr.VertexNames)
names.forget([0])

graph = SlabGraph(time_unit="us", edge_data={"amount": "float32"}, device="cpu", keep_time="first")
names.grow(graph)
graph.insert_edges(src, dst, time=[datetime(2026, 1, 1)] * 2, amount=[1.0, 2.0])
if graph.edge_data is not None:
    print(graph.edge_data["amount"][graph.edge_ids(src, dst)], graph.time_unit)
payments = SlabGraph.from_edges([0], [1], [2.5], time=[3], time_unit="s", edge_data={"fee": [1]}, multi_edges="sum")
assert_type(payments.expire(before=datetime(2026, 1, 1)), fr.advanced.UpdateResult)
assert_type(GraphVine.from_edges([0], [1], block_size=32, num_vertices=7), GraphVine)

offsets, ids, times, edges = fr.sample_temporal_neighbors(graph, [0, 1], 8, method="decay", half_life="1h", seed=1)
offsets, ids, times = fr.latest_neighbors(graph, [0], 3)
reached = earliest_arrival(graph, 0, start=datetime(2026, 1, 1), strict=True)
assert_type(reached, algorithms.EarliestArrivalResult)
assert_type(temporal_pagerank(graph, half_life=timedelta(days=1)), algorithms.PageRankResult)
with DynamicTemporalTriangleCount(graph, "10min") as triangles:
    assert_type(triangles.total, int)


def batches(begin: int) -> Iterator[tuple[Any, Any]]:
    yield [begin], [begin + 1]


analytics: dict[str, Any] = {"triangles": (DynamicTriangleCount, "total"), "edges": lambda graph: graph.num_edges}
with Pipeline(batches, graph, analytics, names=names, window={"count": 10**6}, objective="p99<5ms") as pipeline:
    for batch in pipeline:
        assert_type(batch, PipelineBatch)
        assert_type(batch.num_edges, int)
        assert_type(batch.results, dict[str, Any])
    assert_type(pipeline.totals.records, int)
totals = Pipeline.resume("folder", batches, analytics, device="cpu", batch_size=400).run(print)
assert_type(totals.batches, int)
try:
    Pipeline(SocketSource(Any), graph, checkpoint="folder", every="30s").run()  # type: ignore[arg-type]
except PipelineError as error:
    print(error.stage, error.batch, error.record)

window = fr.SlidingWindow(graph, span=timedelta(minutes=10), lateness="1min")
assert_type(window.push(src, dst, time=[1, 2], amount=[1, 2]), fr.advanced.WindowResult)
assert_type(window.clock, int | None)
