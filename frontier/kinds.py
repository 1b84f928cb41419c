"""What tells graphs from other things, for modules that `Graph` itself is made with."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, TypeVar

T = TypeVar("T", bound=type)


class AnyGraph:
    """The base of `Graph`."""

    read_only: ClassVar[bool]
    refusal: ClassVar[str] = "the reverse of a graph is read-only"
    """What is said to those who update a read-only graph."""
    in_parts: ClassVar[bool] = False
    """Whether it consists of parts on several workers (`frontier.distributed`), or is one of these."""
    is_part: ClassVar[bool] = False
    """Whether it is one of these."""
    forms: ClassVar[dict[type, type]] = {}
    """Classes that stand in for others where a graph is not on one device (`form_for`)."""
    num_vertices: int

    def make_over_parts(self, cls: type, args: tuple, kwargs: dict) -> object:
        """What stands for an object of a class that is made on every worker, of the worker's part; None on a worker."""

    def __len__(self) -> int:
        return self.num_vertices

    def __bool__(self) -> bool:
        return True  # also without vertices


def form_for(cls: type, graph: object) -> type:
    """The class to make an object of, where `cls` was asked for: graphs in several parts have forms of their own."""
    return graph.forms.get(cls, cls) if isinstance(graph, AnyGraph) else cls


def takes_form(cls: T) -> T:
    """Class decorator: an object is made in the form of the graph that it is given first (`form_for`)."""

    def __new__(made: type, graph: Any = None, *args: Any, **options: Any) -> Any:
        return object.__new__(form_for(made, graph))

    __new__.__signature__ = inspect.signature(cls.__init__)  # type: ignore[attr-defined,misc]  # what users are shown
    cls.__new__ = __new__  # type: ignore[assignment]
    return cls


class AnyDynamicGraph(AnyGraph):
    """The base of `DynamicGraph`."""

    _binds_updates = False
    """Whether batches may be applied by kernels that tell each other what the host would wait for
    (`DynamicGraph._bind_updates`)."""
