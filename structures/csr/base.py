"""`BaseCSRStore`: what the modules of CSR know of a store, which annotations there name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.core.store import Store


class BaseCSRStore(Store):
    """The base of `CSRStore`, which describes the attributes."""

    if TYPE_CHECKING:
        offsets: Any
