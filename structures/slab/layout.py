"""Limits of tables and results of their planning, for both devices."""

from __future__ import annotations

from typing import Any, NamedTuple

CHAIN_LIMIT = 2  # slabs, more with a high load factor. Insertions into a longer chain are deferred to a rehash
LONG_CHAIN = 32  # the limit in most batches: rehashing a few tables after each is slower than all the rest of it
RELAXED_BATCHES = 32  # batches from one with the lower limit to the next
RELAXED_SHARE = 4  # or until 1 / RELAXED_SHARE of the graph's arcs have come since
SLAB_SHARE = 8  # arcs for each slab that a batch may allocate, unless the last used more. Further arcs are deferred
SMALL_TO_RESOLVE = 1 << 13  # up to as many, one thread block resolves duplicates sooner than another kernel starts
DUPLICATE_ENTRIES = 1 << 13  # entries of the table that resolves duplicates of existing arcs
WORK = ("weights", "slots", "table", "table_size", "firsts", "filter", "sums", "chain_limit")
"""The fields of ``struct Work`` of small/kernels.cuh. The first follows from the pool."""


class Crowding(NamedTuple):
    """Tables that must be rehashed before more keys come."""

    ids: Any  # the vertices
    coming: Any  # keys to come, for each
    bound: int  # slabs, at most, for the new keys of all tables, these and others


class Layout(NamedTuple):
    """Tables as rows of keys, and as a list of chains."""

    records: Any
    offsets: Any  # int64, one more than tables: the start of each table's keys
    keys: int
    chain_offsets: Any  # the same for chains
    chains: int
    tombstones: int
