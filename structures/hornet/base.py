"""`BaseHornet`: what the modules of Hornet know of a graph, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from frontier.graphs import DynamicGraph


class BaseHornet(DynamicGraph):
    """The base of `Hornet`, which describes the attributes."""

    if TYPE_CHECKING:
        _all_free = _array_classes = _block_edges = _counters = _directory = _free_bits = cast("Any", None)
        _free_counts = _records = _unit_bits_range = unit_bits = words_per_unit = cast("Any", None)
