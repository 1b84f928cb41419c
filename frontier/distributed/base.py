"""Bases of distributed graphs: the facts for modules below `GraphPart` and `DistributedGraph`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from frontier.core.base import BaseDynamicGraph
from frontier.core.observers import Notification
from frontier.core.results import UpdateResult

if TYPE_CHECKING:
    from .exchange.ghosts import Ghosts
    from .exchange.vertex_arrays import VertexArrays
    from .partition.partition import Partition
    from .transport.communicator import Communicator

T = TypeVar("T", bound=type)

FACTS = (
    "directed", "vertex_dtype", "weight_dtype", "is_weighted", "edge_dtypes", "time_unit", "keep_time", "multi_edges",
)  # fmt: skip
"""Properties of a graph that no update changes: its program requests them once."""

COUNTS = ("num_vertices", "num_edges", "num_arcs")  # properties that updates change: workers send them with each answer

QUERIES = ("has_vertices", "degrees", "in_degrees", "neighbors", "to_coo", "memory_usage")
"""Methods that a program calls on all partitions with the same arguments. It uses the result of the first partition."""

UPDATES = ("expire", "insert_vertices", "delete_vertices")
"""The same for methods that change the graph: Ctrl-C is delayed until they end."""


def forwards_calls(part: type, names: tuple[str, ...], *, whole: bool = False) -> Callable[[T], T]:
    """Class decorator of `DistributedGraph`: methods of these names call the same methods of all partitions.

    They have the partitions' signatures. `whole` is the parameter of `Engine.run`. Bases declare them.
    """

    def forward(name: str) -> Callable:
        def call(self: BaseDistributedGraph, *args: Any, **kwargs: Any) -> Any:
            return self._on_all(name, *args, whole=whole, **kwargs)

        call.__name__, call.__qualname__ = name, f"DistributedGraph.{name}"
        call.__doc__ = f"`{'DynamicGraph' if whole else 'Graph'}.{name}`."
        call.__signature__ = inspect.signature(getattr(part, name))  # type: ignore[attr-defined]
        return call

    def decorate(cls: T) -> T:
        for name in names:
            setattr(cls, name, forward(name))
        return cls

    return decorate


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
        def edge_dtypes(self) -> dict[str, np.dtype]: ...
        def locals(self) -> list[Any]: ...
        def is_column(self, array: Any) -> bool: ...
        def with_own_columns(self, args: tuple) -> tuple: ...
        def check_parts(self) -> None: ...
        def mark_failed(self, text: str) -> NoReturn: ...
        def commit(self, gained: int) -> None: ...
        def notifications(self, src: Any, dst: Any, present: bool) -> list[Notification]: ...
        def notifications_of_changes(self, src: Any, dst: Any) -> list[Notification]: ...
        def is_notified(self, src: Any) -> bool: ...
        def routed_of_notified(self, src: Any, dst: Any) -> Any: ...

        # Private to this package: its modules call these of each other.
        _latest_snapshot: Any
        _observers: Any


class BaseDistributedGraph(BaseDynamicGraph):
    """The base of `DistributedGraph`."""

    if TYPE_CHECKING:

        @property
        def edge_dtypes(self) -> dict[str, np.dtype]: ...
        def has_vertices(self, ids: Any) -> Any: ...
        def in_degrees(self) -> Any: ...
        def neighbors(self, v: int) -> Any: ...
        def insert_vertices(self, count_or_ids: Any) -> Any: ...
        def delete_vertices(self, ids: Any) -> UpdateResult: ...
        def _on_all(self, method: str, *args: Any, whole: bool = False, **kwargs: Any) -> Any: ...
