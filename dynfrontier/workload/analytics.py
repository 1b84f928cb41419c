"""The named analytics of workloads, recomputed or incremental, and how their results are compared."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import frontier as fr
from algorithms import (
    DynamicBFS,
    DynamicComponents,
    DynamicKTruss,
    DynamicPageRank,
    DynamicSSSP,
    DynamicTriangleCount,
    bfs,
    connected_components,
    k_truss,
    pagerank,
    sssp,
    triangle_count,
)

from ..job import TimedObserver
from ..names import LONG_NAMES

ALPHA, TOL, MOST_STEPS = 0.85, 1e-6, 1000
TRUSS = 4
RANKS_TOLERANCE = 2 * TOL * ALPHA / (1 - ALPHA)
"""Sum of absolute differences of two results of PageRank: each is within half of it of what no step changes."""
ROUNDING = 1e-4
"""Relative error of floats that were added up in different orders, float32 among them."""


@dataclass(frozen=True)
class Analytic:
    """Something that runs on a graph after every batch.

    Attributes
    ----------
    name : str
    recompute : callable
        Computes it on a graph; given a vertex to start from, too.
    follow : callable or None
        Attaches it to a graph instead, given the same.
    answer : callable
        What is compared of the result of either: a number or arrays.
    undirected_only : bool
    tolerance : float
        Largest difference between correct results: the sum of absolute differences.
    """

    name: str
    recompute: Callable[[Any, int], Any]
    follow: Callable[[Any, int], Any] | None = None
    answer: Callable[[Any], Any] = lambda result: result
    undirected_only: bool = False
    tolerance: float = 0.0

    def start(self, graph: fr.DynamicGraph, source: int) -> Task:
        """The analytic on a graph, maintained incrementally from now on if it is incremental."""
        return Task(self, graph, source)

    def same(self, one: tuple, other: tuple) -> bool:
        """Whether two digests are those of equal results."""
        if len(one) != len(other):
            return False
        # A digest weighs each entry with 1 to 2.
        return all(
            abs(a - b) <= 2 * self.tolerance + ROUNDING * abs(a) if isinstance(a, float) else a == b
            for a, b in zip(one, other, strict=True)
        )


class Task:
    """An analytic on a graph.

    Attributes
    ----------
    watch : TimedObserver or None
        Measures the time of incremental maintenance within updates.
    """

    def __init__(self, analytic: Analytic, graph: fr.DynamicGraph, source: int):
        self.analytic = analytic
        self._graph, self._source = graph, source
        self._observer = analytic.follow(graph, source) if analytic.follow else None
        self.watch = TimedObserver(graph, self._observer) if self._observer is not None else None

    def run(self) -> Any:
        """Compute the result, or read the incremental one: a number or arrays on the device."""
        found = self.analytic.recompute(self._graph, self._source) if self._observer is None else self._observer
        return self.analytic.answer(found)

    def digest(self, answer: Any) -> tuple:
        """Short numbers that are equal for equal results."""
        return digest(self._graph.device, answer)


def digest(device: fr.Device, answer: Any) -> tuple:
    """Short numbers for a number, an array of one dimension, or a tuple of them; of anything else there are none.

    Integers are to be equal exactly. Of floats there is a weighted sum, which nearly equal arrays have in common, and
    where they are finite.
    """
    if isinstance(answer, tuple):
        return tuple(number for part in answer for number in digest(device, part))
    if isinstance(answer, bool | int | float):
        answer = device.xp.asarray(answer)
    if not hasattr(answer, "dtype") or answer.ndim > 1 or answer.dtype.kind not in "biuf":
        return ()
    array = np.atleast_1d(device.to_host(answer) if hasattr(answer, "get") else answer)
    if array.dtype.kind != "f":
        return array.size, zlib.crc32(array.astype(np.int64).tobytes())
    finite = np.isfinite(array)
    weighed = np.where(finite, array, 0).astype(np.float64) @ np.linspace(1.0, 2.0, array.size)
    return array.size, zlib.crc32(np.packbits(finite).tobytes()), float(weighed)


def find_analytic(name: str | Callable) -> Analytic:
    """The analytic of a name, or the one that a function is."""
    if callable(name):
        function = name
        return Analytic(getattr(name, "__name__", "function"), lambda graph, source: function(graph))
    name = LONG_NAMES.get(name, name)
    if name not in ANALYTICS:
        raise ValueError(f"analytics: there is no {name!r}; choose from {', '.join(ANALYTICS)}, or give a function")
    return ANALYTICS[name]


def _edges(truss: Any) -> Any:
    """The edges of a truss, in order, as numbers."""
    src, dst = truss.src, truss.dst
    keys = src.astype(np.int64) << 32 | dst  # each edge is there once, the smaller end first
    keys.sort()
    return keys


_KNOWN = (
    Analytic("bfs", bfs, DynamicBFS, lambda found: found.distance),
    Analytic(
        "components", lambda graph, source: connected_components(graph),
        lambda graph, source: DynamicComponents(graph), lambda found: found.labels,
    ),
    Analytic(
        "pagerank", lambda graph, source: pagerank(graph, ALPHA, MOST_STEPS, TOL),
        lambda graph, source: DynamicPageRank(graph, ALPHA, TOL), lambda found: found.pagerank,
        tolerance=RANKS_TOLERANCE,
    ),
    Analytic(
        "triangles", lambda graph, source: triangle_count(graph, per_vertex=False),
        lambda graph, source: DynamicTriangleCount(graph), lambda found: found.total, undirected_only=True,
    ),
    Analytic("sssp", sssp, DynamicSSSP, lambda found: found.distance),
    Analytic(
        "k_truss", lambda graph, source: k_truss(graph, TRUSS), lambda graph, source: DynamicKTruss(graph, TRUSS),
        _edges, undirected_only=True,
    ),
)  # fmt: skip


def _named() -> dict[str, Analytic]:
    """Every analytic twice: recomputed, and incremental."""
    recomputed = {known.name: replace(known, follow=None) for known in _KNOWN}
    return recomputed | {f"dynamic_{known.name}": replace(known, name=f"dynamic_{known.name}") for known in _KNOWN}


ANALYTICS = _named()
