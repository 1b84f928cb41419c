"""Analytics that run after every batch of a workload: from the catalogue, recomputed or incremental, or a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import algorithms
import frontier as fr
from algorithms.comparators import Digest, edges_of, on_host

from ..timing import TimedObserver

INCREMENTAL = "dynamic_"  # the prefix of an analytic's name where it is maintained incrementally


@dataclass(frozen=True)
class Chosen:
    """An analytic in one of its forms."""

    analytic: algorithms.Analytic
    incremental: bool = False

    @property
    def name(self) -> str:
        return f"{INCREMENTAL if self.incremental else ''}{self.analytic.name}"


class Running:
    """An analytic on a graph, maintained from now on if it is incremental. `watch` times this within updates."""

    def __init__(self, chosen: Chosen, graph: fr.DynamicGraph, source: int):
        self.chosen = chosen
        analytic = chosen.analytic
        if why := analytic.obstacle(graph):
            raise ValueError(f"analytics: {chosen.name} cannot run: {why}")
        self._graph = graph
        self._settings = analytic.settings(source=source)
        self._comparator = analytic.comparator_for(**self._settings)
        self._observer = analytic.maintain(graph, **self._settings) if chosen.incremental else None
        self.watch = TimedObserver(graph, self._observer) if self._observer is not None else None

    def run(self) -> tuple[Any, ...]:
        """Compute the result, or read the incremental one, and return the compared values, on the device."""
        analytic = self.chosen.analytic
        found = analytic.compute(self._graph, **self._settings) if self._observer is None else self._observer
        return analytic.read(found)

    def digest(self, answer: tuple[Any, ...]) -> Digest:
        edges = edges_of(self._graph) if self._comparator.needs_edges else None
        return self._comparator.digest(on_host(self._graph.device, answer), edges=edges)

    def same(self, one: Digest, other: Digest) -> bool:
        return self._comparator.same_digests(one, other)


def choose_analytic(name: str | Callable) -> Chosen:
    """The analytic of a name, or of a function. ValueError if it does not exist in this form."""
    if callable(name):
        own = getattr(name, "__name__", "function")
        return Chosen(algorithms.Analytic(own if own.isidentifier() else "function", name))
    incremental = name.startswith(INCREMENTAL)
    try:
        analytic = algorithms.find_analytic(name.removeprefix(INCREMENTAL))
    except ValueError as error:
        raise ValueError(f"analytics: {error}, or give a function") from None
    if (analytic.incremental if incremental else analytic.static) is None:
        raise ValueError(f"analytics: {analytic.name} has no {'incremental' if incremental else 'static'} form")
    if analytic.times:
        raise ValueError(
            f"analytics: {analytic.name} needs times, which the graphs of a workload do not have; `dynfrontier run` "
            "gives it the times of a file"
        )
    return Chosen(analytic, incremental)
