"""Bases of distributed graphs: the facts that modules below `GraphPart` and `DistributedGraph` know of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from frontier.core.base import BaseDynamicGraph

if TYPE_CHECKING:
    from .exchange.ghosts import Ghosts
    from .exchange.vertex_arrays import VertexArrays
    from .partition.partition import Partition
    from .transport.communicator import Communicator


FACTS = (
    "num_vertices", "num_edges", "num_arcs", "directed", "vertex_dtype", "weight_dtype", "edge_dtypes", "time_unit",
    "keep_time", "multi_edges",
)  # fmt: skip
"""Properties of a graph that its program knows without asking: workers send them with each answer."""


class BasePart(BaseDynamicGraph):
    """The base of `GraphPart`, which documents these attributes."""

    comm: Communicator
    partition: Partition
    arrays: VertexArrays
    local: Any
    inward: Any
    new_local: Callable[[], Any]
    ghosts: dict[str, Ghosts]
    broken: str | None
    spare: Any

    if TYPE_CHECKING:

        @property
        def locals(self) -> list[Any]: ...
        @property
        def edge_dtypes(self) -> dict[str, np.dtype]: ...
        def is_column(self, array: Any) -> bool: ...
        def with_own_columns(self, args: tuple) -> tuple: ...
        def check_parts(self) -> None: ...
        def mark_failed(self, text: str) -> NoReturn: ...
        def changed(self, arcs: int) -> None: ...
        def fill_inward(self) -> None: ...
        def is_notified(self, src: Any) -> bool: ...
        def routed_of_notified(self, src: Any, dst: Any) -> Any: ...

        # Private to this package: its modules call these of each other.
        _insert_batch: Any
        _delete: Any
        _latest_snapshot: Any


class BaseDistributedGraph(BaseDynamicGraph):
    """The base of `DistributedGraph`."""

    if TYPE_CHECKING:

        @property
        def edge_dtypes(self) -> dict[str, np.dtype]: ...
        def _on_all(self, method: str, *args: Any) -> Any: ...
