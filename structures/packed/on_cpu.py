"""Updates of packed memory arrays on the CPU. `on_gpu` has them, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.locking import workspace_of

from .layout import DELETE, LEAVES, TOUCHED, Batch, Rebalance


def no_arrivals(store: Any) -> Any:
    """Zeros for each leaf; kernels restore the zeros."""
    return workspace_of(store).scratch.get("arriving", store.leaves, np.uint32, fill=0)


def sums_of(store: Any, counts: Any) -> Any:
    return np.cumsum(counts, dtype=np.int64)


def room_to_plan(store: Any, size: int) -> Rebalance:
    """Scratch memory for a plan in which at most `size` leaves change."""
    return Rebalance(workspace_of(store).scratch.get("windows", size, np.int64))


def no_batch(store: Any) -> Batch:
    """An empty batch. It has arrays, as Numba would compile kernels again for absent ones."""
    none = np.empty(0, np.int64)
    weights = None if store.weights is None else store.weights[:0]
    return Batch(none, 0, none, weights, None if weights is None else none)


def plan_tidying(store: Any, size: int, places: Any, arriving: Any) -> Rebalance | None:
    """The plan of a deletion whose arcs have been cleared; None if no leaf has become too empty."""
    touched = store._counters.read()[TOUCHED]
    if not touched:
        return None
    places = places[:touched]
    places.sort()
    return store._plan(DELETE, touched, places, arriving)


def move(store: Any, plan: Rebalance, numbers: list[int], batch: Batch, room: Any) -> None:
    """Rebalance the windows of a plan, and merge the batch into them."""
    if numbers[LEAVES]:
        store.kernels.move(numbers[LEAVES], store._held_view(), plan.leaves, *batch)
