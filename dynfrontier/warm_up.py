"""Warm up a job on small graphs, so its stream compiles nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

import frontier as fr

from .apply import Window, applied
from .counting import Counting
from .times import Span


class Similar(NamedTuple):
    """A graph to warm up on: scale and rows of its RMAT stream, batches, and the batches that an edge stays."""

    scale: int
    records: int
    batches: int
    window: int


GRAPHS = (
    Similar(10, 3 * 2**14, 8, 3),  # dense, and its batches are so large that analytics start again from scratch
    Similar(9, 3 * 2**12, 96, 72),  # dense, and its batches change little of it
    Similar(12, 3 * 2**13, 8, 3),  # of average density: deletions cut it in many places at once
    Similar(14, 2**9, 8, 3),  # so large that batches touch few of its vertices
)
"""Their batches are cut to the size of the job's, since larger ones would need other kernels, but not below SMALL."""
SMALL = 2**9

FEWEST, MOST = 2**13, {"cpu": 2**16, "gpu": 2**18}
"""One more graph has batches as large as the job's, within these bounds. Larger ones use only the kernels of the upper
bound. Smaller ones make no large frontiers, which the job's graph may have when it has grown."""
LARGE_BATCHES, LARGE_WINDOW = 6, 4
RESTART_EVERY = 3  # batches


def warm_up(graph: fr.DynamicGraph, counting: Counting, stream: fr.io.EdgeStream, *, by_time: bool = False) -> None:
    """Run every kernel of a job once, on other graphs, which grow and shrink. `by_time` for windows by time."""
    # Kernels differ by how long neighbor lists are, in the job's graph and in copies that analytics make.
    with fr.advanced.warming_up():
        for similar in similar_graphs(stream, graph.device):
            _run(similar, graph, counting, by_time)


def similar_graphs(stream: fr.io.EdgeStream, device: fr.advanced.Device) -> list[Similar]:
    most = max(stream.batch_size, SMALL)
    found = [each._replace(records=min(each.records, each.batches * most)) for each in GRAPHS]
    batch = min(max(stream.batch_size, FEWEST), MOST[device.kind])
    records = min(LARGE_BATCHES * batch, stream.num_records)
    return [*found, Similar((batch - 1).bit_length(), records, LARGE_BATCHES, LARGE_WINDOW)]


def _run(similar: Similar, graph: fr.DynamicGraph, counting: Counting, by_time: bool) -> None:
    edges = fr.io.rmat(similar.scale, similar.records / 2**similar.scale)
    window: Window = similar.window
    if by_time:
        edges = replace(edges, times=np.arange(len(edges)))
        window = Span(similar.window * max(len(edges) // similar.batches, 1), graph.time_unit or "s", "")
    stream = fr.io.stream_edges(edges, max(len(edges) // similar.batches, 1))
    other = type(graph)(
        edges.num_vertices, device=graph.device, vertex_dtype=graph.vertex_dtype, time_unit=graph.time_unit
    )  # fmt: skip
    count = counting.on(other)
    with applied(other, stream, window, synchronous=count.observes) as steps:
        for number, _ in enumerate(steps, 1):
            _ = count.value  # which may do the work that updates have deferred
            if number % RESTART_EVERY == 0:
                count.restart()
    count.recount()
