"""Changes to lists in no order on the CPU. `on_gpu` has the same functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.batch import Arcs
from frontier.core.sort import arc_keys, sorted_keys
from frontier.operators.match import match_keys
from frontier.runtime import threads_for

if TYPE_CHECKING:
    from frontier.core.store import Store
    from structures.changes import Changes

CHUNKS_PER_THREAD = 4  # pieces into which lists are distributed, for each thread
SMALL_CHANGES = 1024  # fewer than these are made by one thread


def append_changes(store: Store, changes: Changes, groups: int, count: int) -> None:
    """Write `count` changes of so many groups to the end of their lists, which have their new degrees already.

    Allocates no memory.
    """
    view, chunks = store.make_view(), chunks_for(count)
    store.kernels.append_lists(
        chunks, chunks, groups, view, view.weights, changes.vertex, changes.start, changes.dst, changes.weights
    )  # fmt: skip


def remove_changes(store: Store, changes: Changes, groups: int, count: int) -> None:
    """Take `count` changes of so many groups out of their lists, which still have their old degrees.

    Of a list of n neighbors that loses d, those that stay are at positions 0 .. n - d - 1 afterwards: the ones behind
    fill the holes before. Memory runs out, if it does, before anything has changed.
    """
    view, chunks = store.make_view(), chunks_for(count)
    store.kernels.remove_lists(chunks, chunks, groups, view, view.weights, changes.vertex, changes.start, changes.slots)


def find_long(store: Store, src: Any, dst: Any, slots: Any, pending: int) -> None:
    """Find the slots of the arcs whose slot is -2; on a GPU, `pending` is how many there are."""
    left = np.flatnonzero(slots == -2)
    arcs = Arcs(src[left], dst[left], None)
    keys = sorted_keys(store, arcs).keys
    found = np.empty(keys.size, np.int64)
    match_keys(store, keys, found)
    asked = arc_keys(store.device, arcs.src, arcs.dst, store.num_vertices)
    slots[left] = found[np.searchsorted(keys, asked)]  # keys are distinct


def chunks_for(changes: int) -> int:
    """Pieces into which lists are distributed, for so many changes to them."""
    threads = threads_for(changes, SMALL_CHANGES)
    return 1 if threads == 1 else CHUNKS_PER_THREAD * threads
