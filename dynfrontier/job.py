"""The main job: a stream goes into a graph, and an analytic, such as the count of triangles, follows every batch."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import frontier as fr
from algorithms import Analytic
from algorithms.comparators import Verdict

from .counting import AnalyticCount, Counting, EdgeCount

WARM_UP_GRAPHS = (10, 48), (12, 6), (14, 1 / 32)
"""Scales and edge factors of RMAT graphs: one that is dense, whose batches are so large that analytics start again from
scratch; one that deletions cut in many places at once; and one of which batches touch few vertices."""
WARM_UP_BATCHES = 8
LOWEST_DEGREE = 0.5  # mean; lower ones make no difference
SMALLEST_SCALE = 5


@dataclass(frozen=True)
class Applied:
    """What one batch did.

    Attributes
    ----------
    records : int
        Records that arrived for insertion.
    loops : int
        Self-loops among them.
    inserted, deleted : int
        Edges that came and went.
    deletions : int
        Records that named an edge to delete.
    edges, count : int
        Of the graph afterwards; the count is the headline of the analytic, for example triangles.
    update_seconds, count_seconds : float
        The time that the structure took, and the time that the analytic took. Transfers to the device go on meanwhile.
    """

    records: int
    loops: int
    inserted: int
    deleted: int
    deletions: int
    edges: int
    count: int
    update_seconds: float
    count_seconds: float


def changes(stream: fr.io.EdgeStream, window: int) -> Iterator[tuple[fr.io.EdgeList, ...]]:
    """What each batch of a stream does, in order: one list of insertions or deletions, or one of each with a window.

    Parameters
    ----------
    window : int
        Batches that an edge stays; 0 for ever.
    """
    if window:
        return fr.io.sliding_window(stream, window * stream.batch_size, by="count", directed=False)
    return ((batch,) for batch in stream)


def num_arcs(edges: fr.io.EdgeList) -> int:
    """The arcs of an undirected graph with these edges."""
    low, high = np.minimum(edges.src, edges.dst), np.maximum(edges.src, edges.dst)
    keys = low.astype(np.int64) * edges.num_vertices + high
    return 2 * int(np.unique(keys[low != high]).size)


def open_pipeline(
    graph: fr.DynamicGraph, stream: fr.io.EdgeStream, window: int, *, synchronous: bool
) -> fr.Pipeline:
    """The pipeline that applies a stream to an empty graph.

    A graph with times slides a window over it. Of others, the edges that leave are listed, after each batch, as a batch
    of its own.
    """
    if window and graph.time_unit is None:
        source: Any = itertools.chain.from_iterable(changes(stream, window))
        return fr.Pipeline(source, graph, synchronous=synchronous)
    sliding = fr.SlidingWindow(graph, count=window * stream.batch_size) if window else None
    return fr.Pipeline(stream, graph, window=sliding, synchronous=synchronous)


class StreamJob:
    """A graph, a count that follows it, and the time that each takes.

    Parameters
    ----------
    structure : type of DynamicGraph
    device : Device
    stream : EdgeStream
    window : int
        See `changes`.
    analytic : Analytic or None
        See `AnalyticCount`. Without one only edges are counted: the graph is updated as fast as it can be, without a
        wait for the device in between.

    Attributes
    ----------
    counting : Counting
    """

    counting: Counting

    def __init__(
        self, structure: type[fr.DynamicGraph], device: fr.Device, stream: fr.io.EdgeStream, window: int,
        analytic: Analytic | None,
    ):  # fmt: skip
        self.stream = stream
        self.window = window
        times = {"time": "ns"} if window and structure.can_store_weights else {}
        self.graph = structure(stream.num_vertices, device=device, **times)
        self.counting = EdgeCount(self.graph) if analytic is None else AnalyticCount(self.graph, analytic)
        self._loops = np.flatnonzero(stream.edges.src == stream.edges.dst).tolist()

    def warm_up(self) -> None:
        """Run every kernel once, on small graphs that grow and shrink, so that the job waits for no compilation."""
        for scale, edge_factor in WARM_UP_GRAPHS:
            most = WARM_UP_BATCHES * self.stream.batch_size  # larger batches would need other kernels
            stream, vertices = self._warm_up_stream(scale, min(round(edge_factor * 2**scale), most))
            graph = type(self.graph)(
                vertices, device=self.graph.device, vertex_dtype=self.graph.vertex_dtype, time=self.graph.time_unit
            )
            counting = self.counting.on(graph)
            open_pipeline(graph, stream, window=3, synchronous=counting.observes).run()
            counting.recount()

    def _warm_up_stream(self, scale: int, records: int) -> tuple[fr.io.EdgeStream, int]:
        """So many records, or nearly, and the vertices of a graph for them.

        After the first batch its mean degree is that of the job: kernels differ by how long neighbor lists are. If the
        job's graph is denser, it has fewer vertices than 2**scale.
        """
        mean = self._first_degree
        while True:
            edges = fr.io.rmat(scale, records / 2**scale)
            stream = fr.io.stream_edges(edges, len(edges) // WARM_UP_BATCHES)
            vertices = math.ceil(num_arcs(edges[: stream.batch_size]) / max(mean, LOWEST_DEGREE))
            if vertices >= edges.num_vertices or mean <= LOWEST_DEGREE or scale <= SMALLEST_SCALE:
                return stream, max(vertices, edges.num_vertices)
            scale -= 1

    @cached_property
    def _first_degree(self) -> float:
        """The mean degree after the first batch."""
        return num_arcs(self.stream.edges[: self.stream.batch_size]) / self.stream.num_vertices

    def steps(self) -> Iterator[Applied]:
        """Apply the stream, batch by batch."""
        listed = self.window > 0 and self.graph.time_unit is None
        begin = loops = 0
        with open_pipeline(self.graph, self.stream, self.window, synchronous=self.counting.observes) as pipeline:
            while True:
                self.counting.seconds = 0.0
                try:
                    batches = list(itertools.islice(pipeline, 2 if listed else 1))
                except fr.PipelineError as error:  # callers know what a graph raises
                    assert error.__cause__ is not None
                    raise error.__cause__ from None
                if not batches:
                    return
                records = named = inserted = deleted = 0
                seconds = 0.0
                for batch in batches:
                    if batch.operation == "insert":
                        records += batch.records
                    else:
                        named += batch.records
                    inserted += batch.inserted
                    deleted += batch.deleted
                    seconds += batch.seconds
                end = begin + (records if listed else records + named)
                before, loops = loops, bisect_left(self._loops, end, loops)
                begin = end
                yield Applied(
                    records, loops - before if records else 0, inserted, deleted,
                    deleted if self.window and not listed else named, self.graph.num_edges, self.counting.value,
                    seconds - self.counting.seconds, self.counting.seconds,
                )  # fmt: skip

    def check(self) -> tuple[int, Verdict, str]:
        """The edges that the graph must have now, and what `Counting.check` says; both from the stream alone."""
        from .check import final_edges

        flat = (batch for lists in changes(self.stream, self.window) for batch in lists)
        low, high = final_edges(flat, self.stream.num_vertices)
        return low.size, *self.counting.check(low, high)
