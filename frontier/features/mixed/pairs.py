"""The forms of a mixed batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass
class MixedBatch:
    """The operations of a mixed batch as arrays of the graph's types. `ops` is uint8, an unused `dst` is `src`.

    `columns` are edge data without weights. `tally` has counts on the device (`operations`), including errors. `check`
    raises for errors, or is None for a valid batch.
    """

    ops: Any
    src: Any
    dst: Any
    weights: Any
    columns: dict[str, Any]
    tally: Any = None
    check: Callable[[list[int]], None] | None = None


class SortedPairs(NamedTuple):
    """The operations of a batch by pair of vertices, then in their order.

    `keys` (int64, ascending) are of the pairs, `no_pair` for operations on none. `records` are the operations. `src`
    and `dst` are the ends of each pair, at least at its first key. `src` is negative if unknown.
    """

    keys: Any
    records: Any
    src: Any
    dst: Any
