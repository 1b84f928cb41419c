"""The main job: a stream goes into a graph, and its triangles are counted after every batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import frontier as fr
from algorithms import DynamicTriangleCount, triangle_count

from .timing import TimedObserver, timed_call

WARM_UP_SCALE = 10


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
    edges, triangles : int
        Of the graph afterwards.
    update_seconds, count_seconds : float
        The time that the structure took, transfer to the device included, and the time that the count took.
    """

    records: int
    loops: int
    inserted: int
    deleted: int
    deletions: int
    edges: int
    triangles: int
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


def _apply(graph: fr.DynamicGraph, lists: tuple[fr.io.EdgeList, ...]) -> tuple[int, int]:
    """Make some insertions and deletions; how many edges came and went."""
    inserted = deleted = 0
    for batch in lists:
        if batch.operation == "insert":
            inserted += graph.insert_edges(batch.src, batch.dst).inserted
        else:
            deleted += graph.delete_edges(batch.src, batch.dst).deleted
    return inserted, deleted


class StreamJob:
    """A graph, the count of its triangles, and the time that each takes.

    Parameters
    ----------
    structure : type of DynamicGraph
    device : Device
    stream : EdgeStream
    window : int
        See `changes`.
    """

    def __init__(self, structure: type[fr.DynamicGraph], device: fr.Device, stream: fr.io.EdgeStream, window: int = 0):
        self.stream = stream
        self.window = window
        self.graph = structure(stream.num_vertices, device=device)
        self._changes = changes(stream, window)
        self._counter = DynamicTriangleCount(self.graph)
        self._timed = TimedObserver(self.graph, self._counter)

    def warm_up(self) -> None:
        """Run every kernel once, on a small graph that grows and shrinks, so that the job waits for no compilation."""
        edges = fr.io.rmat(WARM_UP_SCALE, 16)
        graph = type(self.graph)(edges.num_vertices, device=self.graph.device, vertex_dtype=self.graph.vertex_dtype)
        counter = DynamicTriangleCount(graph)
        for lists in changes(fr.io.stream_edges(edges, len(edges) // 8), window=3):
            _apply(graph, lists)
        counter.close()
        triangle_count(graph)

    def steps(self) -> Iterator[Applied]:
        """Apply the stream, batch by batch."""
        graph = self.graph
        for lists in self._changes:
            records = loops = deletions = 0
            self._timed.seconds = 0.0
            elapsed, (inserted, deleted) = timed_call(partial(_apply, graph, lists), graph.device.synchronize)
            for batch in lists:
                if batch.operation == "insert":
                    records += len(batch)
                    loops += int((batch.src == batch.dst).sum())
                else:
                    deletions += len(batch)
            yield Applied(
                records, loops, inserted, deleted, deletions, graph.num_edges, self._counter.total,
                elapsed - self._timed.seconds, self._timed.seconds,
            )  # fmt: skip

    def recount(self) -> tuple[int, float]:
        """The triangles of the graph as it stands, counted from scratch, and the seconds that takes."""
        seconds, count = timed_call(partial(triangle_count, self.graph), self.graph.device.synchronize)
        return count.total, seconds

    def expected(self) -> tuple[int, int]:
        """Edges and triangles that the graph must have now, found independently from the stream."""
        from .check import count_triangles, final_edges

        flat = (batch for lists in changes(self.stream, self.window) for batch in lists)
        low, high = final_edges(flat, self.stream.num_vertices)
        return low.size, count_triangles(low, high, self.stream.num_vertices)
