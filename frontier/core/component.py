"""`Component`: a feature of a graph, which participates in its updates, its copies and its files.

The core names no feature. A graph has a list of components, made from its options, and calls each at the points below.
An empty list costs nothing. ``docs/components.md`` is the guide to writing one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from .results import MemoryUsage

if TYPE_CHECKING:
    from frontier.runtime.compile.kernels import Header

    from .change import Change

C = TypeVar("C", bound="Component")


class Call(NamedTuple):
    """An update as a user has asked for it."""

    method: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]


class Component:
    """Data and behavior of one graph in addition to its arcs. All methods do nothing by default.

    Methods get the graph. A component stores no reference to it, so both are freed with the user's last reference. From
    `begin` to `compacted`, no other thread reads or updates the graph meanwhile.

    See Also
    --------
    add_component : Add one to a graph.
    component_of : Find the component of a class.
    """

    header_fields: ClassVar[frozenset[str]] = frozenset()
    """The fields of files' headers that are the component's."""

    # ---- updates ----------------------------------------------------------------------------------------------------

    def update_kernels(self, graph: Any) -> list[Header]:
        """The CUDA kernels that it needs for batches: the graph's constructor compiles and loads them."""
        return []

    def begin(self, graph: Any) -> None:
        """Called when a method that updates the graph starts, before any change."""

    def end(self, graph: Any, call: Call | None, *, changed: bool) -> None:
        """It has returned.

        Parameters
        ----------
        call : Call or None
            None if it has raised, but for errors of observers.
        changed : bool
            Whether `graph.version` has.
        """

    def reserve(self, graph: Any, change: Change) -> None:
        """Arcs are about to be inserted or deleted. May raise the errors of updates: then nothing has changed."""

    def apply(self, graph: Any, change: Change) -> None:
        """They were. This must not fail, since the graph has changed."""

    def vertices_changed(self, graph: Any) -> None:
        """Vertices were inserted or deleted."""

    def vertices_deleted(self, graph: Any, ids: Any) -> None:
        """Vertices are being deleted, and their edges are already deleted. `vertices_changed` follows."""

    def compacted(self, graph: Any) -> None:
        """`DynamicGraph.compact` has rearranged the graph."""

    def columns_moved(self) -> None:
        """Arrays of the graph's payload may have been replaced."""

    # ---- copies, files, memory --------------------------------------------------------------------------------------

    def copied_to(self, twin: Any) -> Component | None:
        """Return the component of a copy, whose arrays exist already, or None if copies have none."""

    def memory_usage(self, graph: Any) -> MemoryUsage | None:
        """Bytes to add to the memory usage of the graph."""

    def array_bytes(self) -> dict[str, int]:
        """Bytes of its arrays by name, for `Graph.statistics`."""
        return {}

    def header(self, graph: Any) -> dict[str, Any]:
        """Its fields of a file's header, as JSON values."""
        return {}

    def arrays(self) -> dict[str, Any]:
        """Its arrays by their names in files."""
        return {}

    def array_types(self) -> dict[str, tuple[Any, tuple[int | None, ...]]]:
        """The dtype and shape (None for any size) of each of `arrays`."""
        return {}

    @classmethod
    def check_header(cls, header: Mapping[str, Any]) -> None:
        """Raise ValueError unless its fields of a header, if present, are values that `header` returns."""

    @classmethod
    def options(cls, header: Mapping[str, Any]) -> dict[str, Any]:
        """The options of the constructor with which a graph has the component of a header."""
        return {}

    def fill(self, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Set the contents from a header and arrays, which are not checked yet."""

    def check(self, graph: Any, stored: Any) -> None:
        """Raise ValueError unless it satisfies the invariants of kernels. Call no kernel.

        Parameters
        ----------
        stored : array or None
            The numbers that the structure stores with arcs (`Payload.stored_dtype`).
        """

    def filled(self, graph: Any) -> None:
        """The graph was read from a file, and checked."""

    def built(self, graph: Any) -> None:
        """The graph was made of a user's edges."""


def add_component(graph: Any, component: Component) -> None:
    """Have a component follow all later updates of a graph.

    See Also
    --------
    Component : The base class.
    component_of : Find the component of a class.
    """
    with graph.reading():  # no update now
        graph._components.append(component)


def component_of(graph: Any, kind: type[C]) -> C | None:
    """The component of a class that a graph has.

    See Also
    --------
    add_component : Add one to a graph.
    """
    for component in graph._components:
        if isinstance(component, kind):
            return component
    return None


def graph_built(graph: Any) -> None:
    """Note that the graph was made of a user's edges."""
    for component in graph._components:
        component.built(graph)


def columns_moved(graph: Any) -> None:
    """Note that arrays of the graph's payload, which views refer to, may have been replaced."""
    graph.store.view_changed()
    for component in graph._components:
        component.columns_moved()


def is_followed(graph: Any) -> bool:
    """Whether a component of the graph receives changes (`Component.apply`)."""
    return any(type(component).apply is not Component.apply for component in graph._components)
