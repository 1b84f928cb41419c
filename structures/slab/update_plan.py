"""The update plan of a slab graph on a GPU: kernels bound to permanent arrays (`Store.make_update_plan`).

The graph may replace its own arrays: kernels read them from the struct of the pool.
"""

from __future__ import annotations

from typing import Any

from frontier.core.batch import Arcs
from frontier.runtime import Counters
from frontier.runtime.launch.arguments import Field, Struct

from .cpu_slabs import CHANGED, COUNTERS, DEFERRED

LANES = 4  # threads to an arc


class UpdatePlan:
    """An insertion of arcs, for which the host synchronizes, and a deletion of further, existing arcs."""

    def __init__(self, store: Any, arcs: Arcs, slots: Any, gone: Arcs, error_counts: Any):
        self._arcs, self._slots = arcs, slots
        self._erased = Counters(store.device, COUNTERS)  # the graph's counters contain the report of the insertion
        self._counts: list[int] = []
        kernels, bound = store.kernels, store._bound
        self._pool_to_erase = Struct(bound.names)
        weights, chain_limit = Field(bound, "weights"), Field(bound, "chain_limit")
        self._insert = kernels.insert.bind(
            bound, weights, error_counts, None, arcs.src, arcs.dst, arcs.weights, chain_limit, slots, None, 0,
            None, False,
        )  # fmt: skip
        self._erase = kernels.erase.bind(self._pool_to_erase, None, gone.src, gone.dst, None, None)

    def insert(self, store: Any, count: int) -> None:
        store._counters.reset()
        store._counters.arm()
        store._pool().put("chain_limit", store._chain_limit(count))
        self._insert(count, tile=LANES)

    def erase(self, store: Any, count: int) -> None:
        pool = self._pool_to_erase
        pool.fields[:] = store._pool().fields
        pool.put("counters", self._erased.address)
        pool.put("published", self._erased.published)
        self._erased.reset()
        self._erase(count, tile=LANES)
        self._erased.mark_published()

    def inserted(self, store: Any) -> tuple[int, int]:
        """The numbers of new and of deferred arcs, once the host has synchronized with a later kernel."""
        self._counts = counts = store._counters.poll()
        store._account(counts)
        return counts[CHANGED], counts[DEFERRED]

    def resume(self, store: Any, count: int) -> int:
        """Insert the deferred arcs among the first `count`, and return the number of all new ones.

        After a MemoryError the graph has no arc that it did not have before.
        """
        arcs, slots = self._arcs, self._slots[:count]
        arcs = Arcs(arcs.src[:count], arcs.dst[:count], arcs.weights[:count])
        try:
            return store._insert_deferred(arcs, slots, self._counts)[0]
        except MemoryError:
            store._undo(arcs, slots)
            raise

    def erased(self, store: Any, deleted: int) -> None:
        """Account for so many deleted arcs."""
        store._flush_after(deleted)
