"""`BaseFaimStore`: what the modules of faimGraph know of a store, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from frontier.core.store import Store


class BaseFaimStore(Store):
    """The base of `FaimStore`, which describes the attributes."""

    if TYPE_CHECKING:
        links = _page_sizes = queue = _queued = records = _used = page_bits = page_size = cast("Any", None)
