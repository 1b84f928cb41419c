"""`BasePackedStore`: what the modules of graphs in packed arrays know of a store, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from frontier.core.store import Store


class BasePackedStore(Store):
    """The base of `PackedStore`, which describes the attributes."""

    if TYPE_CHECKING:
        _check_options = _counters = counts = _ends = _held_view = _leaves_fit = _most_vertices = cast("Any", None)
        offsets = _plan = row_degrees = _rows = separators = _tallies = leaves = levels = cast("Any", None)
