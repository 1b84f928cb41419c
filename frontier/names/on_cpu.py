"""How a table of integer names on the host works; `on_gpu` has the same functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .base import BaseIntegerNames


def assign(table: BaseIntegerNames, names: Any) -> Any:
    """The id of each name, a new one for each that is not there; there is room for all."""
    ids = np.empty(names.size, np.int64)
    table.kernels.assign(names.size, names, *table.slots, table.by_id, table.named, table.free_ids, table.state, ids)
    return ids


def paired(table: BaseIntegerNames, src: Any, dst: Any) -> Any:
    """The names of the ends of edges, one edge after the other."""
    return np.stack([src, dst], axis=1).ravel()


def parted(table: BaseIntegerNames, ids: Any) -> tuple[Any, Any]:
    """The ids of all first ends, and of all second ones."""
    ids = ids.reshape(-1, 2)
    return np.ascontiguousarray(ids[:, 0]), np.ascontiguousarray(ids[:, 1])
