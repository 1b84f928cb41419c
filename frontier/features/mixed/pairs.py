"""What a mixed batch is made into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass
class MixedBatch:
    """The operations of a mixed batch as arrays of the graph's types.

    Attributes
    ----------
    ops : array of uint8
    src, dst : arrays of `vertex_dtype`
        Equal where `dst` has no meaning.
    weights : array or None
        None in graphs without weights.
    columns : dict of str to array
        Of edge data, other than the weights.
    tally : array of int64, or None
        Numbers that are counted on the device (`operations`), those of what is wrong with the batch among them.
    check : function, or None
        To be called with these numbers once they are known, which raises if anything is wrong. None: it is known that
        nothing is.
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

    Attributes
    ----------
    keys : array of int64
        Of the pairs, ascending; `no_pair` for operations that are on none.
    records : array of int64
        The operations.
    src, dst : arrays of `vertex_dtype`
        The ends of each pair, at least at its first key; `src` is negative where they are not known.
    """

    keys: Any
    records: Any
    src: Any
    dst: Any
