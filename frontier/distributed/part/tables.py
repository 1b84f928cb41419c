"""The edges of a distributed graph as a data frame: every part has rows of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.interchange import data_frame
from frontier.interchange.common import edge_columns

if TYPE_CHECKING:
    from ..base import BasePart


def edge_columns_of(part: BasePart) -> dict[str, np.ndarray]:
    """The edges that leave a part's vertices, as columns on the host, sorted; undirected ones at the smaller end."""
    columns = edge_columns(part.local)
    if not part.directed:
        once = part.xp.flatnonzero(columns["src"] < columns["dst"])
        columns = {name: column[once] for name, column in columns.items()}
    return {name: part.device.to_host(column) for name, column in columns.items()}


def edge_frame(parts: Sequence[dict[str, np.ndarray]], library: Any) -> Any:
    """A frame of the columns of all parts, sorted as that of one device."""
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.argsort(columns["src"], kind="stable")  # a vertex is one part's, whose edges are in order
    return data_frame({name: column[order] for name, column in columns.items()}, library)
