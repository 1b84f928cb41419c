"""`BaseHornetStore`: what the modules of Hornet know of a store, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from frontier.core.store import Store


class BaseHornetStore(Store):
    """The base of `HornetStore`, which describes the attributes."""

    if TYPE_CHECKING:
        _all_free = array_classes = _block_edges = _counters = _directory = free_bits = cast("Any", None)
        free_counts = records = _unit_bits_range = unit_bits = words_per_unit = cast("Any", None)
