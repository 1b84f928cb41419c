"""What a mixed batch is made into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass
class MixedBatch:
    """The operations of a mixed batch as arrays of the graph's types; `ops` is uint8.

    `src` and `dst` are equal where `dst` has no meaning. The `columns` are of edge data, other than the weights.
    `tally` has numbers that are counted on the device (`operations`), those of what is wrong with the batch among them.
    `check` is to be called with these numbers once they are known, and raises if anything is wrong; None if it is known
    that nothing is.
    """

    ops: Any
    src: Any
    dst: Any
    weights: Any
    columns: dict[str, Any]
    tally: Any = None
    check: Callable[[list[int]], None] | None = None


class SortedPairs(NamedTuple):
    """The operations of a batch by the pair of vertices that they are on, those of a pair in their order.

    `keys` are of the pairs, int64 and ascending, `no_pair` for operations that are on none; `records` are the
    operations. `src` and `dst` are the ends of each pair, at least at its first key; `src` is negative where they are
    not known.
    """

    keys: Any
    records: Any
    src: Any
    dst: Any
