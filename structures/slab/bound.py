"""Updates of a slab graph whose kernels are bound to arrays that stay (`DynamicGraph._bind_updates`), on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.batch import Arcs
from frontier.runtime import Counters
from frontier.runtime.parameters import Field, Struct

from .cpu_slabs import CHANGED, COUNTERS, DEFERRED, FOUND, Pool

if TYPE_CHECKING:
    from .graph import SlabGraph

LANES = 4  # threads to an arc


class BoundUpdates:
    """An insertion of distinct arcs, for which the host waits, and a deletion of others, which are there."""

    def __init__(self, graph: SlabGraph, arcs: Arcs, slots: Any, gone: Arcs):
        self._arcs, self._slots, self._gone = arcs, slots, gone
        self._erased = Counters(graph.device, COUNTERS)  # the graph's own hold what the insertion reports
        self._counts: list[int] = []
        self._pool: Any = None
        self._pool_to_erase = Struct(Pool._fields)
        self._changing = Struct(("chain_limit",))
        self.follow(graph)

    def follow(self, graph: SlabGraph) -> None:
        """Bind kernels to the graph's arrays, if these are others by now."""
        pool = graph._pool()
        if pool is self._pool:
            return
        kernels, arcs, gone = graph._kernels, self._arcs, self._gone
        other = self._pool_to_erase
        other.fields[:] = pool.fields
        other.put("counters", self._erased.array.data.ptr)
        other.put("published", self._erased.published)
        self._insert = kernels.insert.bind(
            pool, graph._weights, None, None, arcs.src, arcs.dst, arcs.weights, Field(self._changing, "chain_limit"),
            self._slots, None, 0, None, False,
        )  # fmt: skip
        self._erase = kernels.erase.bind(other, None, gone.src, gone.dst, None, None)
        self._pool = pool

    def insert(self, graph: SlabGraph, count: int) -> None:
        """Queue the insertion of the first so many arcs."""
        graph._counters.reset()
        self._changing.set(graph._chain_limit(count))
        self._insert(count, tile=LANES)

    def erase(self, count: int) -> None:
        """Queue the deletion of the first so many arcs."""
        self._erased.reset()
        self._erase(count, tile=LANES)
        self._erased.leave()

    def inserted(self, graph: SlabGraph) -> tuple[int, int, int]:
        """How many arcs were new, how many were there, and how many were deferred, once the host has waited."""
        self._counts = counts = graph._counters.collect()
        graph._account(counts)
        return counts[CHANGED], counts[FOUND], counts[DEFERRED]

    def resume(self, graph: SlabGraph, count: int) -> tuple[int, int]:
        """Insert those of the first so many arcs that were deferred; how many of all were new, and were there.

        Raises
        ------
        MemoryError
            None of the arcs is in the graph that was not there before.
        """
        arcs, slots = self._arcs, self._slots[:count]
        arcs = Arcs(arcs.src[:count], arcs.dst[:count], arcs.weights[:count])
        try:
            return graph._insert_deferred(arcs, slots, self._counts)
        except MemoryError:
            graph._undo(arcs, slots)
            raise

    def erased(self, graph: SlabGraph, deleted: int) -> None:
        """Take note that so many arcs were deleted."""
        graph._flush_after(deleted)
