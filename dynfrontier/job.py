"""The main job: apply a stream to a graph and maintain a count, such as triangles, after every batch."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import frontier as fr
from algorithms import Analytic
from algorithms.comparators import Verdict

from .apply import Window, applied, lists_deletions, surviving
from .check import CheckTime, final_edges
from .counting import AnalyticCount, Counting
from .times import Span
from .warm_up import warm_up


@dataclass(frozen=True)
class Applied:
    """The effect of one batch.

    `records` arrived for insertion, `loops` of them self-loops, and `late` of them outside the window. `deletions` are
    rows that named an edge to delete. `edges` and `count` describe the graph afterwards. `update_seconds` and
    `count_seconds` overlap with transfers to the device.
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
    late: int = 0


class StreamJob:
    """A graph, a count that follows it, and the time of each.

    An edge stays for a `window` of batches, 0 for ever, or for a length of time, if the stream has times of its unit.
    Without an analytic only edges are counted, and the graph is updated without synchronization in between.
    """

    counting: Counting

    def __init__(
        self, structure: type[fr.DynamicGraph], device: fr.advanced.Device, stream: fr.io.EdgeStream, window: Window,
        analytic: Analytic | None,
    ):  # fmt: skip
        self.stream = stream
        self.window = window
        unit = window.unit if isinstance(window, Span) else "ns"
        times = {"time_unit": unit} if window and structure.can_store_weights else {}
        self.graph = structure(stream.num_vertices, device=device, **times)
        self.counting = Counting(self.graph) if analytic is None else AnalyticCount(self.graph, analytic)
        self._loops = np.flatnonzero(stream.edges.src == stream.edges.dst).tolist()

    def warm_up(self) -> None:
        """Compile every kernel on other graphs that grow and shrink."""
        warm_up(self.graph, self.counting, self.stream, by_time=isinstance(self.window, Span))

    def steps(self) -> Iterator[Applied]:
        listed = lists_deletions(self.graph, self.window)
        begin = loops = 0
        with applied(self.graph, self.stream, self.window, synchronous=self.counting.observes) as steps:
            while True:
                self.counting.seconds = 0.0
                batches = next(steps, None)
                if batches is None:
                    return
                records = named = inserted = deleted = late = 0
                seconds = 0.0
                for batch in batches:
                    if batch.operation == "insert":
                        records += batch.records
                    else:
                        named += batch.records
                    inserted += batch.inserted
                    deleted += batch.deleted
                    late += batch.late
                    seconds += batch.seconds
                end = begin + (records if listed else records + named)
                before, loops = loops, bisect_left(self._loops, end, loops)
                begin = end
                yield Applied(
                    records, loops - before if records else 0, inserted, deleted,
                    deleted if self.window and not listed else named, self.graph.num_edges, self.counting.value,
                    seconds - self.counting.seconds, self.counting.seconds, late,
                )  # fmt: skip

    def check(self, time: CheckTime) -> tuple[int, Verdict, str]:
        """The expected number of edges, and the result of `Counting.check`. Both are computed from the stream."""
        time.show("checking: the edges that the stream leaves", None)
        low, high = final_edges(surviving(self.stream, self.window), self.stream.num_vertices)
        return low.size, *self.counting.check(low, high, time)
