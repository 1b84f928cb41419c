"""How a table of integer names on a GPU works; `on_cpu` has the same functions.

Ids are those that the host would give, so new names are numbered in the order in which they occur: each is entered into
a table of its batch, which keeps the first of its equals, and the first ones are counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.sort import running_sums, tile_count, tile_launch
from frontier.runtime.memory.elementwise import fill_with

from .cpu import FREE, SIZE, TAKEN

if TYPE_CHECKING:
    from .base import BaseIntegerNames


def assign(table: BaseIntegerNames, names: Any) -> Any:
    """The id of each name, a new one for each that is not there; there is room for all."""
    count, empty, kernels, state = int(names.size), table.device.xp.empty, table.kernels, table.state
    entries = 1 << (2 * count - 1).bit_length()
    ids, places, sums = (empty(size, np.int64) for size in (count, count, tile_count(count)))
    claims = fill_with(empty(entries, np.int64), -1)
    launch = tile_launch(count)
    kernels.claim(count, names, *table.slots, claims, entries, ids, places)
    kernels.count_first(count, places, claims, sums, **launch)
    table.counters.reset()
    kernels.enter(
        count, names, places, claims, *running_sums(table.device, kernels, sums), table.free_ids, int(state[FREE]),
        int(state[SIZE]), *table.slots, table.by_id, table.named, table.counters.array, ids, **launch,
    )  # fmt: skip
    kernels.share(count, places, claims, ids)
    new, taken = table.counters.read()
    again = min(new, int(state[FREE]))
    state[FREE] -= again
    state[SIZE] += new - again
    state[TAKEN] += taken
    return ids


def paired(table: BaseIntegerNames, src: Any, dst: Any) -> Any:
    """The names of the ends of edges, one edge after the other."""
    both = table.device.xp.empty(2 * src.size, np.int64)
    table.kernels.pair(int(src.size), src, dst, both)
    return both


def parted(table: BaseIntegerNames, ids: Any) -> tuple[Any, Any]:
    """The ids of all first ends, and of all second ones."""
    count = int(ids.size) // 2
    src, dst = (table.device.xp.empty(count, np.int64) for _ in range(2))
    table.kernels.part(count, ids, src, dst)
    return src, dst
