"""`BaseSlabStore`: what the modules of the slab graph know of a store, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from frontier.core.store import Store


class BaseSlabStore(Store):
    """The base of `SlabStore`, which describes the attributes."""

    if TYPE_CHECKING:
        _account = _batch_launches = _bound = _capacity = _chain_limit = _counters = _empty_records = cast("Any", None)
        _flush_after = _free_count = _free_head = _insert_deferred = _pool = records = _reserve = cast("Any", None)
        ring = separate_weights = _slabs_for = _tally = _tombstones = _undo = _used = load_factor = cast("Any", None)
        slab_stride = slab_words = cast("Any", None)
