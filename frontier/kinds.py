"""What tells graphs from other things, for modules that `Graph` itself is made with."""

from __future__ import annotations

from typing import ClassVar


class AnyGraph:
    """The base of `Graph`."""

    read_only: ClassVar[bool]
    in_parts: ClassVar[bool] = False
    """Whether it consists of parts on several workers (`frontier.distributed`)."""
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


class AnyDynamicGraph(AnyGraph):
    """The base of `DynamicGraph`."""
