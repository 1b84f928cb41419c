"""Bases of graphs and stores: the facts that modules below know of one, which annotations there name."""

from __future__ import annotations

import inspect
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np

from frontier.functor.graphs import FunctorGraph
from frontier.runtime import Device, Kernels

if TYPE_CHECKING:
    from .component import Component

T = TypeVar("T", bound=type)


class BaseStore:
    """The base of `Store`, which documents its members."""

    name: ClassVar[str]
    package: ClassVar[str]
    arrays: ClassVar[dict[str, Any]]
    scalars: ClassVar[tuple[str, ...]]
    options: ClassVar[tuple[str, ...]]
    can_store_weights: ClassVar[bool]
    finds_fast: ClassVar[bool]
    supports_insert_and_find: ClassVar[bool]
    walk_cost: ClassVar[dict[str, float]]

    device: Device
    directed: bool
    vertex_dtype: np.dtype
    weight_dtype: np.dtype | None
    stored_dtype: np.dtype | None
    num_vertices: int
    num_arcs: int
    version: int
    vertex_version: int
    max_small_batch: int
    makes_update_plans: bool
    has_sorted_lists: bool
    short_lists: bool | None
    absent: Any
    neighbors: Any
    weights: Any
    kernels: Kernels
    payload: Any
    _access: Any

    if TYPE_CHECKING:  # what `Store` defines

        @property
        def xp(self) -> Any: ...
        @property
        def is_sorted(self) -> bool: ...
        @property
        def store(self) -> BaseStore: ...
        @property
        def defines(self) -> dict[str, Any]: ...
        @property
        def slot_capacity(self) -> int: ...

        build = check = commit = degrees = degrees_of = distinct = extend = find = keep_view = load = cast("Any", None)
        make_arcs = make_update_plan = make_view = release = reserve_for = sorted_arcs = cast("Any", None)
        array_types = attach_runtime = bare_view = copy = empty_like = view = view_changed = cast("Any", None)


class BaseGraph(FunctorGraph):
    """The base of `Graph`."""

    read_only: ClassVar[bool]
    refusal: ClassVar[str] = "the reverse of a graph is read-only"
    """The error message for updates of a read-only graph."""
    is_part: ClassVar[bool] = False
    """Whether it is one of the parts of a graph on several workers."""
    forms: ClassVar[dict[type, type]] = {}
    """Classes that replace a class for graphs that are not on one device (`specialization_of`)."""

    component_types: ClassVar[tuple[type[Component], ...]] = ()
    """Classes of the components that files can contain."""

    name: ClassVar[str]
    package: ClassVar[str]
    can_store_weights: ClassVar[bool]
    finds_fast: ClassVar[bool]
    walk_cost: ClassVar[dict[str, float]]
    store_type: ClassVar[type[BaseStore]]
    store: BaseStore

    directed: bool
    vertex_dtype: np.dtype
    weight_dtype: np.dtype | None
    is_transpose: bool = False
    """Whether this is the reverse graph of a directed graph. It shares the payload of that graph."""
    _components: list[Component]
    """Features that follow its updates (`frontier.core.component`)."""

    if TYPE_CHECKING:  # properties and methods, which `Graph` and `GraphPart` define and document

        def __init__(self, num_vertices: int = 0, **options: Any): ...

        @property
        def num_vertices(self) -> int: ...
        @property
        def num_edges(self) -> int: ...
        @property
        def num_arcs(self) -> int: ...
        @property
        def version(self) -> int: ...
        @property
        def vertex_version(self) -> int: ...
        @property
        def payload(self) -> Any:
            """The `Payload` of its edges."""

        @property
        def xp(self) -> Any: ...
        @property
        def reverse(self) -> Any: ...
        @property
        def has_in_edges(self) -> bool: ...
        @property
        def is_weighted(self) -> bool: ...
        @property
        def is_sorted(self) -> bool: ...
        @property
        def slot_capacity(self) -> int: ...
        @property
        def edge_capacity(self) -> int: ...
        @property
        def edge_data(self) -> Any: ...
        @property
        def multi_edges(self) -> str: ...
        @property
        def time_unit(self) -> str | None: ...
        @property
        def keep_time(self) -> str | None: ...
        def view(self) -> Any: ...
        def degrees(self) -> Any: ...
        def copy(self) -> Any: ...
        def to_coo(self) -> tuple[Any, Any, Any]: ...
        def to_csr(self, *, in_edges: bool = False) -> Any: ...
        def memory_usage(self) -> Any: ...
        def reading(self) -> AbstractContextManager[Any]: ...

    def make_over_parts(self, cls: type, args: tuple, kwargs: dict) -> object:
        """The distributed object of a class that is made on every worker, of the worker's part. None on a worker."""

    def __len__(self) -> int:
        return self.num_vertices

    def __bool__(self) -> bool:
        return True  # also without vertices


def specialization_of(cls: type, graph: object) -> type:
    """The class to instantiate for `cls`: distributed graphs have specializations."""
    return graph.forms.get(cls, cls) if isinstance(graph, BaseGraph) else cls


def specialize(cls: T) -> T:
    """Class decorator: an object is made in the form of the graph that it is given first (`specialization_of`)."""

    def __new__(made: type, graph: Any = None, *args: Any, **options: Any) -> Any:
        return object.__new__(specialization_of(made, graph))

    __new__.__signature__ = inspect.signature(cls.__init__)  # type: ignore[attr-defined,misc]  # what users are shown
    cls.__new__ = __new__  # type: ignore[assignment]
    return cls


class BaseDynamicGraph(BaseGraph):
    """The base of `DynamicGraph`."""

    if TYPE_CHECKING:

        def insert_edges(self, src: Any, dst: Any, weights: Any = None, **options: Any) -> Any: ...
        def delete_edges(self, src: Any, dst: Any) -> Any: ...
        def expire(self, before: Any) -> Any: ...

        _observers: Any
