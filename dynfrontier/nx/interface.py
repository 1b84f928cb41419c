"""`backend`, which NetworkX calls: the entry point ``networkx.backends``.

The functions, and with them the compiler, are imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import calls
from .dispatching import dispatched, original
from .graph import DiGraph, Graph
from .holders import Converted, source_of
from .info import CLASSES, NAME, SUPPORTED


def _is_ours(graph: Any) -> bool:
    return getattr(graph, "__networkx_backend__", None) == NAME


class Interface:
    """The interface of a NetworkX backend, with every function that NetworkX dispatches.

    Graphs of this package are NetworkX graphs: functions that `functions` lacks run as NetworkX's own.
    """

    def convert_from_nx(self, graph: Any, **_: Any) -> Any:
        """A graph for the functions, which convert the data that they need."""
        return graph if isinstance(graph, Graph | DiGraph) else Converted(graph)

    def convert_to_nx(self, result: Any, **_: Any) -> Any:
        return source_of(result)

    def can_run(self, name: str, args: Any, kwargs: Any) -> bool | str:
        """True, or why the backend cannot run a function with these arguments."""
        if name in CLASSES:
            return True
        if name not in SUPPORTED:
            found = self._graphs(name, args, kwargs)
            if any(map(_is_ours, found)):
                return True
            return self._refused(name, "not implemented") if found else "not implemented"
        ran = _table()[name].can_run(args, kwargs)
        if isinstance(ran, str) and not any(map(_is_ours, self._graphs(name, args, kwargs))):
            return self._refused(name, ran)
        return True

    @staticmethod
    def _refused(name: str, reason: str) -> str:
        calls.fell_back(name, reason)
        return reason

    def should_run(self, name: str, args: Any, kwargs: Any) -> bool | str:
        """True, or why NetworkX is expected to be faster, the conversion included."""
        from .functions.table import NEVER

        if name not in SUPPORTED:
            return True
        found = self._graphs(name, args, kwargs)
        cache = getattr(found[0], "__networkx_cache__", None) or {}
        if _is_ours(found[0]) or cache.get("backends", {}).get(NAME):
            return True
        least = _table()[name].least_nodes
        if len(found[0]) >= least:
            return True
        if least == NEVER:
            return self._refused(name, "the conversion takes longer than NetworkX's function")
        return self._refused(name, f"NetworkX is fast on graphs with fewer than {least} nodes")

    def on_start_tests(self, items: list[Any]) -> None:
        from .suite import mark

        mark(items)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__") or name not in dispatched():
            raise AttributeError(f"backend {NAME!r} has no function {name!r}")
        found = self.__dict__[name] = _own(name) if name in SUPPORTED else _networkx(name)
        return found

    @staticmethod
    def _graphs(name: str, args: Any, kwargs: Any) -> list[Any]:
        """The graphs among the arguments of a function, also in lists."""
        function = dispatched()[name]
        found: list[Any] = []
        for argument, place in function.graphs.items():
            given = args[place] if place < len(args) else kwargs.get(argument)
            found.extend(given if argument in function.list_graphs and isinstance(given, list | tuple) else [given])
        return [graph for graph in found if graph is not None]

    @staticmethod
    def graph__new__(cls: type, *args: Any, **kwargs: Any) -> Graph:
        return object.__new__(Graph)

    @staticmethod
    def digraph__new__(cls: type, *args: Any, **kwargs: Any) -> DiGraph:
        return object.__new__(DiGraph)


def _table() -> Any:
    from .functions import TABLE

    return TABLE


def _left_to_networkx(name: str, reason: str, args: Any, kwargs: Any) -> Any:
    """Call NetworkX's own function with graphs of this package, and count it."""
    calls.fell_back(name, reason)
    return original(name)(*map(_as_networkx, args), **{key: _as_networkx(value) for key, value in kwargs.items()})


def _networkx(name: str) -> Callable[..., Any]:
    """NetworkX's own function, for graphs of this package."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return _left_to_networkx(name, "not implemented", args, kwargs)

    return run


def _as_networkx(value: Any) -> Any:
    if isinstance(value, list):
        return [source_of(item) for item in value]
    return source_of(value)


def _own(name: str) -> Callable[..., Any]:
    """A function of the backend. Graphs of this package use NetworkX's own for unsupported arguments."""
    function = _table()[name]

    def run(G: Any, *args: Any, **kwargs: Any) -> Any:
        ours = not isinstance(G, Converted)
        if ours:
            reason = function.can_run((G, *args), kwargs)
            if isinstance(reason, str):
                return _left_to_networkx(name, reason, (G, *args), kwargs)
        try:
            result = function(G, *args, **kwargs)
        except NotImplementedError as error:
            if ours:
                return _left_to_networkx(name, str(error), (G, *args), kwargs)
            calls.fell_back(name, str(error))
            raise
        calls.ran(name)
        return result

    run.__name__ = name
    return run


backend = Interface()
