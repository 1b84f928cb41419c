"""`BaseHornet`: what the modules of Hornet know of a graph, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.graphs import DynamicGraph


class BaseHornet(DynamicGraph):
    """The base of `Hornet`, which describes the attributes."""

    if TYPE_CHECKING:
        _all_free: Any
        _array_classes: Any
        _block_edges: Any
        _counters: Any
        _directory: Any
        _free_bits: Any
        _free_counts: Any
        _records: Any
        _unit_bits_range: Any
        unit_bits: Any
        words_per_unit: Any
