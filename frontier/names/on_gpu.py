"""`GpuIntegerNames`: a table of integer names on a GPU.

Ids are those that the host would give, so new names are numbered in the order in which they occur: each is entered into
a table of its batch, which keeps the first of its equals, and the first ones are counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.sort import running_sums, tile_count, tile_launch
from frontier.runtime.memory.elementwise import fill_with

from .cpu import FREE, SIZE, TAKEN
from .integers import IntegerNames


class GpuIntegerNames(IntegerNames):
    """See `IntegerNames`."""

    def _assign(self, names: Any) -> Any:
        count, empty, kernels, state = int(names.size), self.device.xp.empty, self.kernels, self.state
        entries = 1 << (2 * count - 1).bit_length()
        ids, places, sums = (empty(size, np.int64) for size in (count, count, tile_count(count)))
        claims = fill_with(empty(entries, np.int64), -1)
        launch = tile_launch(count)
        kernels.claim(count, names, *self.slots, claims, entries, ids, places)
        kernels.count_first(count, places, claims, sums, **launch)
        self.counters.reset()
        kernels.enter(
            count, names, places, claims, *running_sums(self.device, kernels, sums), self.free_ids, int(state[FREE]),
            int(state[SIZE]), *self.slots, self.by_id, self.named, self.counters.array, ids, **launch,
        )  # fmt: skip
        kernels.share(count, places, claims, ids)
        new, taken = self.counters.read()
        again = min(new, int(state[FREE]))
        state[FREE] -= again
        state[SIZE] += new - again
        state[TAKEN] += taken
        return ids

    def _paired(self, src: Any, dst: Any) -> Any:
        both = self.device.xp.empty(2 * src.size, np.int64)
        self.kernels.pair(int(src.size), src, dst, both)
        return both

    def _parted(self, ids: Any) -> tuple[Any, Any]:
        count = int(ids.size) // 2
        src, dst = (self.device.xp.empty(count, np.int64) for _ in range(2))
        self.kernels.part(count, ids, src, dst)
        return src, dst
