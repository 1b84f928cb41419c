"""The main job: a stream goes into a graph, and an analytic, such as the count of triangles, follows every batch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import frontier as fr
from algorithms import Analytic, find_analytic
from algorithms.comparators import Found, Verdict, edges_of

from .peers import SLOW, is_installed, load_peer
from .timing import TimedObserver, timed_call

WARM_UP_GRAPHS = (11, 16), (12, 6)
"""Scales and edge factors of RMAT graphs: one that is dense, and one that deletions cut in many places at once."""
CHECKERS = {"scipy": "SciPy", "igraph": "igraph", "networkx": "NetworkX"}
"""Libraries that can check a result on the CPU, and their names; the first that has the analytic does."""


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


def open_pipeline(graph: fr.DynamicGraph, stream: fr.io.EdgeStream, window: int) -> fr.Pipeline:
    """The pipeline that applies a stream to an empty graph.

    A graph with times slides a window over it. Of others, the edges that leave are listed, after each batch, as a batch
    of its own.
    """
    if window and graph.time_unit is None:
        source: Any = itertools.chain.from_iterable(changes(stream, window))
        return fr.Pipeline(source, graph, synchronous=True)
    sliding = fr.SlidingWindow(graph, count=window * stream.batch_size) if window else None
    return fr.Pipeline(stream, graph, window=sliding, synchronous=True)


class StreamJob:
    """A graph, an analytic that follows it, and the time that each takes.

    Parameters
    ----------
    structure : type of DynamicGraph
    device : Device
    stream : EdgeStream
    window : int
        See `changes`.
    analytic : Analytic, optional
        One that has an incremental form and a headline; by default triangles.

    Attributes
    ----------
    noun : str
        What is counted.
    """

    def __init__(
        self, structure: type[fr.DynamicGraph], device: fr.Device, stream: fr.io.EdgeStream, window: int = 0,
        analytic: Analytic | None = None,
    ):  # fmt: skip
        self.analytic = find_analytic("triangles") if analytic is None else analytic
        assert self.analytic.headline is not None
        self._headline, self.noun = self.analytic.headline
        self._settings = self.analytic.settings()
        # Always on a copy, whatever the graph: other kernels would be compiled when it is timed.
        copied = {"snapshot": True} if "snapshot" in self.analytic.accepted else {}
        self._from_scratch = self._settings | copied
        self.stream = stream
        self.window = window
        times = {"time": "ns"} if window and structure.can_store_weights else {}
        self.graph = structure(stream.num_vertices, device=device, **times)
        self._counter = self.analytic.maintain(self.graph, **self._settings)
        self._timed = TimedObserver(self.graph, self._counter)

    def warm_up(self) -> None:
        """Run every kernel once, on small graphs that grow and shrink, so that the job waits for no compilation."""
        for scale, edge_factor in WARM_UP_GRAPHS:
            edges = fr.io.rmat(scale, edge_factor)
            graph = type(self.graph)(
                edges.num_vertices, device=self.graph.device, vertex_dtype=self.graph.vertex_dtype,
                time=self.graph.time_unit,
            )  # fmt: skip
            counter = self.analytic.maintain(graph, **self._settings)
            open_pipeline(graph, fr.io.stream_edges(edges, len(edges) // 8), window=3).run()
            counter.close()
        self.analytic.compute(graph, **self._from_scratch)

    def steps(self) -> Iterator[Applied]:
        """Apply the stream, batch by batch."""
        edges, listed = self.stream.edges, self.window > 0 and self.graph.time_unit is None
        begin = 0
        with open_pipeline(self.graph, self.stream, self.window) as pipeline:
            while True:
                self._timed.seconds = 0.0
                try:
                    batches = list(itertools.islice(pipeline, 2 if listed else 1))
                except fr.PipelineError as error:  # callers know what a graph raises
                    assert error.__cause__ is not None
                    raise error.__cause__ from None
                if not batches:
                    return
                records = sum(batch.records for batch in batches if batch.operation == "insert")
                named = sum(batch.records for batch in batches if batch.operation == "delete")
                deleted = sum(batch.deleted for batch in batches)
                seconds = sum(batch.seconds for batch in batches)
                part = slice(begin, begin + (records if listed else records + named))
                loops = int((edges.src[part] == edges.dst[part]).sum()) if records else 0
                begin = part.stop
                yield Applied(
                    records, loops, sum(batch.inserted for batch in batches), deleted,
                    deleted if self.window and not listed else named, self.graph.num_edges, self.count,
                    seconds - self._timed.seconds, self._timed.seconds,
                )  # fmt: skip

    @property
    def count(self) -> int:
        """The headline of the analytic now."""
        return int(getattr(self._counter, self._headline))

    def recount(self) -> tuple[Verdict, float]:
        """The result compared with that computed from scratch on the graph as it stands, and the seconds that takes."""
        work = partial(self.analytic.compute, self.graph, **self._from_scratch)
        seconds, found = timed_call(work, self.graph.device.synchronize)
        return self._compare(self.analytic.fetch(self.graph.device, found)), seconds

    def check(self) -> tuple[int, Verdict, str]:
        """The edges that the graph must have now, the result compared with another library's, and words for that.

        Both are found from the stream alone. There are no words if no installed library has the analytic, or only one
        that would take too long.
        """
        from .check import final_edges

        flat = (batch for lists in changes(self.stream, self.window) for batch in lists)
        n = self.stream.num_vertices
        low, high = final_edges(flat, n)
        if not n:
            return 0, Verdict(self.count == 0, f"{self.count:,} of an empty graph"), "there is nothing to count"
        for name in CHECKERS:
            if not is_installed(name) or low.size > SLOW.get(name, low.size):
                continue
            peer = load_peer(name)
            task = peer.task(self.analytic.name, peer.build(peer.prepare(n, low, high)), self._settings)
            if task is not None:
                found = task.read(task.run())
                verdict = self._compare(found if isinstance(found, tuple) else (found,), peer.rank_rounding)
                return low.size, verdict, f"{CHECKERS[name]} counts the same, on the CPU"
        return low.size, Verdict(True, "not compared"), ""

    def _compare(self, theirs: Found, rounding: float = 0.0) -> Verdict:
        comparator = self.analytic.comparator_for(**self._settings)
        ours = self.analytic.fetch(self.graph.device, self._counter)
        edges = edges_of(self.graph) if comparator.needs_edges else None
        return comparator.compare(ours, theirs, edges=edges, rounding=rounding)
