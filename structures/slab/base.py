"""`BaseSlabGraph`: what the modules of the slab graph know of a graph, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.graphs import DynamicGraph


class BaseSlabGraph(DynamicGraph):
    """The base of `SlabGraph`, which describes the attributes."""

    if TYPE_CHECKING:
        _account: Any
        _batch_launches: Any
        _bound: Any
        _capacity: Any
        _chain_limit: Any
        _counters: Any
        _empty_records: Any
        _flush_after: Any
        _free_count: Any
        _free_head: Any
        _insert_deferred: Any
        _pool: Any
        _records: Any
        _reserve: Any
        _ring: Any
        _separate_weights: Any
        _slabs_for: Any
        _tally: Any
        _tombstones: Any
        _undo: Any
        _used: Any
        load_factor: Any
        slab_stride: Any
        slab_words: Any
