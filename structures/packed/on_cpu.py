"""Updates of packed memory arrays: what the CPU does its own way. `on_gpu` has the same functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.locking import workspace_of

from .layout import DELETE, LEAVES, TOUCHED
from .plan import Batch, Capacity, Rebalance

if TYPE_CHECKING:
    from .base import BasePackedGraph


def no_arrivals(graph: BasePackedGraph) -> Any:
    """Zeros for each leaf; kernels put the zeros back."""
    return workspace_of(graph).scratch.get("arriving", graph.leaves, np.uint32, fill=0)


def drop_arrivals(arriving: Any) -> None:
    """Leave the arrivals of a batch as `no_arrivals` must find them, in place of a kernel that plans."""
    arriving.fill(0)


def sums_of(graph: BasePackedGraph, counts: Any) -> Any:
    """Of each count and those before it."""
    return np.cumsum(counts, dtype=np.int64)


def room_to_plan(graph: BasePackedGraph, size: int) -> Rebalance:
    """Scratch memory for a plan in which at most `size` leaves change."""
    return Rebalance(workspace_of(graph).scratch.get("windows", size, np.int64))


def room_to_move(graph: BasePackedGraph, numbers: list[int], batch: Batch) -> Capacity:
    """What a plan needs to be carried out: nothing here."""
    return Capacity()


def room_to_erase(graph: BasePackedGraph, size: int) -> Any:
    """Places of the leaves that a deletion changes, and the keys of its arcs."""
    return workspace_of(graph).scratch.get("erased", 2 * size, np.int64)


def no_batch(graph: BasePackedGraph) -> Batch:
    """No arcs to insert; arrays all the same, so that Numba need not compile a kernel again for absent ones."""
    none = np.empty(0, np.int64)
    weights = None if graph._weights is None else graph._weights[:0]
    return Batch(none, 0, none, weights, None if weights is None else none)


def plan_tidying(graph: BasePackedGraph, size: int, places: Any, arriving: Any) -> Rebalance | None:
    """The plan of a deletion whose arcs have been cleared; None if no leaf has become too empty."""
    touched = graph._counters.read()[TOUCHED]
    if not touched:
        return None
    places = places[:touched]
    places.sort()
    return graph._plan(DELETE, touched, places, arriving)


def move(graph: BasePackedGraph, plan: Rebalance, numbers: list[int], batch: Batch, room: Capacity) -> None:
    """Rebalance the windows of a plan, and merge the batch into them."""
    if numbers[LEAVES]:
        graph._kernels.move(numbers[LEAVES], graph._held_view(), plan.leaves, *batch)
