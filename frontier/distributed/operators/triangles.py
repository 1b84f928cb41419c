"""Triangles of a distributed graph: each partition looks up its own edges, and lists of neighbors rotate between
partitions.

As on one device, every edge leads from its end of lower degree to its end of higher degree. The partition that owns the
upper end of an edge counts the common upper neighbors of both. It has the list of the upper end. The lists of lower
ends come from the partitions that own them, one partition at a time, so a partition stores at most two partitions'
lists. The first ones are looked up together with its own.

    position  a vertex's number here: the first partition's come first (`Partition.order`), so the
              contiguous lists of two partitions form a static copy
    lengths   of all vertices' lists of upper neighbors, by position
    upper     the lists of this partition's vertices, by position, without gaps
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.arguments import integer
from frontier.core.locking import reads
from frontier.core.registry import csr_structure
from frontier.core.sort import accumulate
from frontier.operators import Orientation
from frontier.operators import intersect_arcs as intersect_local
from frontier.operators.dispatch.kernels import functor_args
from frontier.operators.extract import collect_arcs, count_arcs

if TYPE_CHECKING:
    from ..base import BasePart

UP, DOWN = np.bool_(True), np.bool_(False)
"""The arguments of `_leads`, passed instead of compiled in, so both directions share one kernel."""
_count, _collect = reads(count_arcs), reads(collect_arcs)


class PartOrientation(Orientation):
    """`frontier.advanced.Orientation` of a distributed graph, with ties of degrees ordered by id."""

    def __init__(self, graph: BasePart, degrees: Any = None, least: int = 0):
        if graph.directed:
            raise ValueError("graph must be undirected: the edges of a directed graph have a direction")
        if degrees is not None or integer(least, "least", 0):
            raise NotImplementedError("an Orientation of a distributed graph accepts neither degrees nor least")
        self.graph = graph  # type: ignore[assignment]
        self._version = graph.version
        xp, partition = graph.xp, graph.partition
        self._degrees = graph.degrees()
        self._place = xp.empty(graph.num_vertices, graph.vertex_dtype)
        self._place[partition.order] = xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
        self._own = partition.owned.astype(graph.vertex_dtype)
        counts = _count(graph.local, self._own, _leads, self._arguments(UP))
        self.lengths, _ = graph.comm.allgather(counts[1:], partition.counts)
        self.upper = self._arcs(UP, counts)[1]

    @property
    def steps(self) -> tuple[int, int, int]:
        """The look-ups of an intersection: lists are always copies, of upper neighbors."""
        steps = int((self.lengths**2).sum())
        return steps, 0, steps

    def copy(self) -> Any:
        """Raise NotImplementedError: the lists of a partition are copies already."""
        raise NotImplementedError(
            "an Orientation of a distributed graph cannot be copied: use it as it is (layout='auto' or 'native')"
        )

    def lower(self) -> tuple[Any, Any]:
        """Return this partition's vertices' lower neighbors, all but the upper ones: offsets, and positions."""
        counts = self.graph.xp.zeros(self._own.size + 1, np.int64)
        first, end = self.range_of(self.graph.comm.rank)  # type: ignore[attr-defined]
        counts[1:] = self._degrees[self._own] - self.lengths[first:end]
        return self._arcs(DOWN, counts)

    def range_of(self, part: int) -> tuple[int, int]:
        """Return the first and the end position of a partition's vertices."""
        counts = self.graph.partition.counts  # type: ignore[attr-defined]
        first = sum(counts[:part])
        return first, first + counts[part]

    def _arcs(self, way: Any, counts: Any) -> tuple[Any, Any]:
        """Return the arcs of this partition that lead one way, given their number at each vertex."""
        found = _collect(
            self.graph.local, self._own, _leads, self._arguments(way), slots=False, relabel=self._place,  # type: ignore
            counts=counts,
        )  # fmt: skip
        return found[:2]

    def _arguments(self, way: Any) -> tuple:
        return functor_args(self.graph.local, _leads, (self._degrees, way))  # type: ignore[attr-defined]


def count_triangles(orientation: PartOrientation, tally: Any) -> int:
    """Return the number of triangles. With a `tally`, add one to the entries of the vertices of each."""
    orientation.check_version()
    graph: Any = orientation.graph
    comm, xp = graph.comm, graph.xp
    own = comm.rank
    found = 0
    by_place = None if tally is None else xp.zeros(graph.num_vertices, np.int64)
    offsets, lower = orientation.lower()
    for shift in range(1, max(comm.size, 2)):
        source = (own + shift) % comm.size
        parts = sorted({own, source})
        lists = _lists(orientation, parts, _fetch(orientation, shift))
        wanted = parts if shift == 1 else [source]
        found += intersect_local(lists, _leading_to(orientation, offsets, lower, wanted), by_place)
    if tally is not None:
        tally[graph.partition.order] += comm.allreduce(by_place)
    return comm.reduce_numbers([found])[0]


def _fetch(orientation: PartOrientation, shift: int) -> Any:
    """Receive the lists of the partition `shift` ranks on, and send this one's as far back."""
    comm: Any = orientation.graph.comm  # type: ignore[attr-defined]
    if comm.size == 1:
        return orientation.upper
    target, source = (comm.rank - shift) % comm.size, (comm.rank + shift) % comm.size
    first, end = orientation.range_of(source)
    counts, received = [0] * comm.size, [0] * comm.size
    counts[target] = int(orientation.upper.size)
    received[source] = int(orientation.lengths[first:end].sum())
    return comm.alltoallv(orientation.upper, counts, received)[0]


def _lists(orientation: PartOrientation, parts: list[int], fetched: Any) -> Any:
    """Return a static copy of the lists of this partition and of the other one, which were fetched."""
    graph: Any = orientation.graph
    xp = graph.xp
    offsets = xp.zeros(graph.num_vertices + 1, np.int64)
    for first, end in map(orientation.range_of, parts):
        offsets[first + 1 : end + 1] = orientation.lengths[first:end]
    lists = [orientation.upper if part == graph.comm.rank else fetched for part in parts]
    return _copy(graph, accumulate(graph.device, offsets), xp.concatenate(lists) if len(lists) > 1 else lists[0])


def _leading_to(orientation: PartOrientation, offsets: Any, lower: Any, parts: list[int]) -> Any:
    """Return a static copy of this partition's arcs to lower neighbors on some partitions."""
    graph: Any = orientation.graph
    xp = graph.xp
    if len(parts) < graph.comm.size:
        mask = xp.zeros(lower.size, np.bool_)
        for first, end in map(orientation.range_of, parts):
            mask |= (lower >= first) & (lower < end)
        before = xp.zeros(mask.size + 1, np.int64)  # chosen arcs before each
        xp.cumsum(mask, out=before[1:])
        offsets, lower = before[offsets], lower[mask]
    first, end = orientation.range_of(graph.comm.rank)
    every = xp.zeros(graph.num_vertices + 1, np.int64)
    every[first : end + 1] = offsets
    every[end + 1 :] = offsets[-1]
    return _copy(graph, every, lower)


def _copy(graph: Any, offsets: Any, neighbors: Any) -> Any:
    made: Any = csr_structure().from_csr(offsets, neighbors, directed=True, device=graph.device)  # type: ignore
    made.store.has_sorted_lists = False
    return made


def _leads(src, dst, edge, weight, degrees, up):  # type: ignore[no-untyped-def]
    """Whether an arc leads to the end of higher degree, or to the end of lower degree unless `up`."""
    a = degrees[src]
    b = degrees[dst]
    return (a < b or (a == b and src < dst)) == up
