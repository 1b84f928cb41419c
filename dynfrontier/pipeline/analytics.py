"""Analytics of a pipeline: functions of the graph, or attributes of incremental analytics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from frontier.core.results import UpdateObserver
from frontier.runtime.values import kind_of

Analytic = Callable[[Any], Any]


def check_analytics(analytics: Any) -> dict[str, Any]:
    """A dictionary of analytics by name; TypeError, which names the entry, if one is invalid."""
    if analytics is None:
        return {}
    if not isinstance(analytics, Mapping):
        raise TypeError(f"analytics must be a dictionary of names to functions, not {kind_of(analytics)}")
    for name, analytic in analytics.items():
        _check(name, analytic)
    return dict(analytics)


def _check(name: str, analytic: Any) -> None:
    if _is_observer(analytic):
        raise TypeError(f"analytics[{name!r}] must say what is read: ({analytic.__name__}, 'attribute')")
    if isinstance(analytic, tuple):
        if len(analytic) != 2 or not _is_observer(analytic[0]) or not isinstance(analytic[1], str):
            raise TypeError(f"analytics[{name!r}] must be a pair of an incremental analytic and an attribute's name")
    elif not callable(analytic):
        raise TypeError(f"analytics[{name!r}] must be a function of the graph, not {kind_of(analytic)}")


def _is_observer(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, UpdateObserver)


class Analytics:
    """The analytics of one pipeline.

    They are functions of the graph, or pairs of an incremental analytic's class and an attribute. All pairs with the
    same class share one object, which is made and maintained here.
    """

    def __init__(self, graph: Any, chosen: dict[str, Any]):
        self._graph = graph
        self._made: dict[type, Any] = {}
        self.functions: dict[str, Analytic] = {}
        for name, analytic in chosen.items():
            self.functions[name] = self._reader(*analytic) if isinstance(analytic, tuple) else analytic

    def _reader(self, kind: type, attribute: str) -> Analytic:
        if kind not in self._made:
            self._made[kind] = kind(self._graph)
        made = self._made[kind]
        return lambda graph: getattr(made, attribute)

    def close(self) -> None:
        """Detach the incremental analytics."""
        for made in self._made.values():
            self._graph.detach(made)
