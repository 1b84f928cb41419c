"""`BaseSlabGraph`: what the modules of the slab graph know of a graph, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from frontier.graphs import DynamicGraph


class BaseSlabGraph(DynamicGraph):
    """The base of `SlabGraph`, which describes the attributes."""

    if TYPE_CHECKING:
        _account = _batch_launches = _bound = _capacity = _chain_limit = _counters = _empty_records = cast("Any", None)
        _flush_after = _free_count = _free_head = _insert_deferred = _pool = _records = _reserve = cast("Any", None)
        _ring = _separate_weights = _slabs_for = _tally = _tombstones = _undo = _used = load_factor = cast("Any", None)
        slab_stride = slab_words = cast("Any", None)
