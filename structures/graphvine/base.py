"""`BaseGraphVineStore`: what the modules of GraphVine know of a store, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from frontier.core.store import Store


class BaseGraphVineStore(Store):
    """The base of `GraphVineStore`, which describes the attributes."""

    if TYPE_CHECKING:
        _bits = _bits_range = children = _free = _front = queue = records = cast("Any", None)
