"""The operations of a workload, generated once for all structures, and their expected results.

The host maintains a model of the graph, so the results of every batch are known without any structure.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from .workload import Workload

DENSE = 4  # edges are drawn by trial if one in 4 of the stream's is present and at most one in 4 is wanted


@dataclass(frozen=True, eq=False)
class RecordedStream:
    """A stream as columns: edges in order, a mask of insertions (None: all), and the rows of the whole stream."""

    edges: fr.io.EdgeList
    inserts: np.ndarray | None
    directed: bool
    total: int

    def __len__(self) -> int:
        return len(self.edges)

    def first(self, count: int) -> RecordedStream:
        """The first rows, over the vertices that occur in them."""
        if count >= len(self):
            return self
        inserts = None if self.inserts is None else self.inserts[:count]
        return RecordedStream(self.edges[:count].compact(), inserts, self.directed, self.total)

    def keys(self, src: np.ndarray, dst: np.ndarray) -> np.ndarray:
        """One number for each edge, equal for both directions of an undirected one."""
        low, high = (src, dst) if self.directed else (np.minimum(src, dst), np.maximum(src, dst))
        return low.astype(np.int64) * self.edges.num_vertices + high

    @cached_property
    def numbered(self) -> tuple[np.ndarray, np.ndarray]:
        """The distinct edges, as ascending `keys`, and the index of each row's edge, -1 for self-loops."""
        proper = np.flatnonzero(self.edges.src != self.edges.dst)
        keys, which = np.unique(self.keys(self.edges.src[proper], self.edges.dst[proper]), return_inverse=True)
        number = np.full(len(self), -1, np.int64)
        number[proper] = which.ravel()
        return keys, number


def open_records(workload: Workload) -> RecordedStream:
    """Open the stream of a workload. ValueError if it has no rows, or if both it and the workload delete."""
    source: Any = workload.source
    if isinstance(source, str | os.PathLike):
        source = fr.io.read_stream(source)
    elif isinstance(source, fr.io.EdgeList):
        source = fr.io.stream_edges(source)
    if not workload.directed:
        source = source.undirected()
    inserts = source.inserts
    if not len(source.edges):
        raise ValueError("source contains no records")
    if inserts is not None and workload.deletes:
        raise ValueError("deletes: this stream contains deletions; leave it out")
    edges = source.edges
    if workload.weighted and edges.weights is None:
        raise ValueError("weighted=True, but source has no weights")
    if workload.weighted is False and edges.weights is not None:
        edges = replace(edges, weights=None)
    return RecordedStream(edges, inserts, workload.directed, len(edges))


class MixedBatch(NamedTuple):
    """One batch on the host, and its expected results.

    `inserts` are sources, destinations and weights (or None). `deletes` and `queries` are sources and destinations.
    Insertions come first, then deletions, then queries. `inserted` and `deleted` edges must come and go, and leave
    `edges`. Queries must return `there`.
    """

    inserts: tuple[np.ndarray, np.ndarray, np.ndarray | None] | None
    deletes: tuple[np.ndarray, np.ndarray] | None
    queries: tuple[np.ndarray, np.ndarray] | None
    inserted: int
    deleted: int
    edges: int
    there: np.ndarray | None


def apportion(size: int, shares: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """Yield the number of operations of each kind for batch after batch.

    The largest remainders are rounded up, and later batches compensate: each kind has its share to within one
    operation.
    """
    owed = np.zeros(len(shares))
    while True:
        due = size * np.asarray(shares) / sum(shares) + owed
        counts = np.maximum(np.floor(due), 0).astype(np.int64)
        short = size - int(counts.sum())
        assert short >= 0
        counts[np.argsort(counts - due, kind="stable")[:short]] += 1
        owed = due - counts
        yield tuple(counts.tolist())


class Operations:
    """The operations of a workload at one batch size.

    `preloaded` edges are loaded first, and searches `start` from the vertex with most rows among them. `size` is
    less than requested if the stream is too short for one batch. `short` counts the batches that lack edges to delete.
    """

    def __init__(self, records: RecordedStream, workload: Workload, size: int):
        self._records = records
        self._keys, self._number = records.numbered
        self._rng = np.random.default_rng(workload.seed)
        self._present = np.zeros(self._keys.size, bool)
        self._count = 0
        self._oldest = workload.delete_order == "oldest"
        self._queue: list[np.ndarray] = []  # edges in the order in which they came, if that is the order of deletion
        begin = round(workload.preload * len(records))
        kept, _ = self._settle(slice(0, begin))
        self.preloaded = records.edges[kept]
        self._insert(self._number[kept])
        ends = np.concatenate([self.preloaded.src, self.preloaded.dst])
        self.start = int(np.bincount(ends).argmax()) if ends.size else 0
        # The remaining share may be a rounding error.
        shares = (max(round(1 - workload.deletes - workload.queries, 9), 0.0), workload.deletes, workload.queries)
        self.size = size
        for share, there in ((shares[0], len(records) - begin), (shares[1] if not shares[0] else 0, self._count)):
            if share:
                self.size = min(self.size, max(int(there / share), 1))
        self.short = 0
        self.batches = tuple(self._make(shares, workload.batches, begin))

    @property
    def edges(self) -> np.ndarray:
        """The `RecordedStream.keys` of the edges that are left after the last batch, ascending."""
        return self._keys[self._present]

    def _make(self, shares: tuple[float, float, float], count: int, begin: int) -> Iterator[MixedBatch]:
        """Yield batches while edges remain to insert, or to delete if nothing is inserted."""
        inserting, deleting, _ = shares
        for _, (arriving, leaving, asked) in zip(range(count), apportion(self.size, shares), strict=False):
            left = len(self._records) - begin
            if (not left or arriving > left) if inserting else (deleting and not self._count):
                return
            yield self._batch(slice(begin, begin + arriving), leaving, asked)
            begin += arriving

    def _batch(self, records: slice, leaving: int, asked: int) -> MixedBatch:
        kept, gone = self._settle(records)
        drawn = self._choose(leaving)
        self.short += drawn.size < leaving
        edges = self._records.edges
        inserts = (edges.src[kept], edges.dst[kept], None if edges.weights is None else edges.weights[kept])
        deletes = self._ends(drawn) if self._records.inserts is None else (edges.src[gone], edges.dst[gone])
        # Drawn edges precede the batch, and are deleted even if the batch inserts them again.
        inserted = self._insert(self._number[kept])
        deleted = self._delete(drawn if self._records.inserts is None else self._number[gone])
        queries, there = self._ask(asked)
        return MixedBatch(
            inserts if inserts[0].size else None, deletes if deletes[0].size else None, queries,
            inserted, deleted, self._count, there,
        )  # fmt: skip

    def _settle(self, records: slice) -> tuple[Any, np.ndarray]:
        """The rows that insert, and the rows that delete. In a stream of both, the last row of an edge
        decides."""
        inserts = self._records.inserts
        if inserts is None:
            return records, np.empty(0, np.int64)
        span = np.arange(*records.indices(len(self._records)))
        _, last = np.unique(self._number[span][::-1], return_index=True)
        last = np.sort(span[::-1][last])
        return last[inserts[last]], last[~inserts[last]]

    def _insert(self, edges: np.ndarray) -> int:
        """Insert edges into the model in this order, and return the number of new ones."""
        edges = edges[edges >= 0]
        if self._oldest:
            edges = edges[~self._present[edges]]
            _, first = np.unique(edges, return_index=True)
            self._queue.append(edges[np.sort(first)])
        self._present[edges] = True
        before, self._count = self._count, int(np.count_nonzero(self._present))
        return self._count - before

    def _delete(self, edges: np.ndarray) -> int:
        """Delete distinct edges from the model, and return the number of present ones."""
        edges = edges[edges >= 0]
        edges = edges[self._present[edges]]
        self._present[edges] = False
        self._count -= edges.size
        return int(edges.size)

    def _choose(self, count: int) -> np.ndarray:
        if not self._oldest:
            return self._draw(count)
        found: list[np.ndarray] = []
        while count and self._queue:
            head, rest = self._queue[0][:count], self._queue[0][count:]
            self._queue[:1] = [rest] if rest.size else []
            found.append(head)
            count -= head.size
        return np.concatenate(found) if found else np.empty(0, np.int64)

    def _draw(self, count: int) -> np.ndarray:
        """Draw distinct edges of the model at random, or all if they are too few."""
        count = min(count, self._count)
        if DENSE * self._count < self._present.size or DENSE * count > self._count:
            return self._rng.choice(np.flatnonzero(self._present), count, replace=False)
        found = np.empty(0, np.int64)
        enough = int(1.3 * count * self._present.size / max(self._count, 1)) + 16
        while found.size < count:
            tried = self._rng.integers(0, self._present.size, enough)
            found = np.union1d(found, tried[self._present[tried]])
        return self._rng.permutation(found)[:count]

    def _ask(self, count: int) -> tuple[tuple[np.ndarray, np.ndarray] | None, np.ndarray | None]:
        """Queries, half of edges of the model and half of any two vertices, and their expected results."""
        if not count:
            return None, None
        present = self._ends(self._draw(count // 2))
        any_two = self._rng.integers(0, self._records.edges.num_vertices, (2, count - present[0].size))
        order = self._rng.permutation(count)
        src, dst = (
            np.concatenate([known, other])[order].astype(known.dtype)
            for known, other in zip(present, any_two, strict=True)
        )
        keys = self._records.keys(src, dst)
        at = np.minimum(np.searchsorted(self._keys, keys), max(self._keys.size - 1, 0))
        there = (self._keys[at] == keys) & self._present[at] if self._keys.size else np.zeros(count, bool)
        return (src, dst), there

    def _ends(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        size, dtype = self._records.edges.num_vertices, self._records.edges.src.dtype
        keys = self._keys[edges]
        return (keys // size).astype(dtype), (keys % size).astype(dtype)
