"""The count that the main job maintains: the headline of an analytic, or edges."""

from __future__ import annotations

from functools import partial

import numpy as np

import frontier as fr
from algorithms import Analytic
from algorithms.comparators import Exact, Found, Verdict, edges_of

from .check import CheckTime
from .peers import NEED_GPU, is_installed, load_peer
from .timing import TimedObserver, timed_call

CHECKERS = {"cugraph": "cuGraph", "scipy": "SciPy", "igraph": "igraph", "networkx": "NetworkX"}
"""Libraries that can check a result, and their names. The first library that has the analytic checks it, within the
time limit."""
SPEED = {"cugraph": 2**24, "scipy": 2**20, "igraph": 2**18, "networkx": 2**12}
"""The fewest edges a second that they process, including the construction of their graphs."""
SCIPY_TRIANGLES = 2**20
"""Triangles of a graph with more edges than that are counted by `triangle_check`: SciPy's products grow faster."""


class Counting:
    """A count that follows a graph: the number of edges, which the graph counts itself.

    `noun` names the counted things, or is None to count only edges. `observes` is True if updates include the count.
    `seconds` is the time of counting since it was last set to 0.
    """

    noun: str | None = None
    observes = False
    seconds = 0.0

    def __init__(self, graph: fr.DynamicGraph):
        self.graph = graph

    @property
    def value(self) -> int:
        return self.graph.num_edges

    def on(self, graph: fr.DynamicGraph) -> Counting:
        """The same count of another graph."""
        return Counting(graph)

    def restart(self) -> None:
        """Count the graph from scratch, as on construction and after large batches, and drop the result."""

    def recount(self) -> tuple[Verdict, float]:
        """Compare the result with one from scratch on the current graph. Also return the seconds."""
        seconds, degrees = timed_call(self.graph.degrees, self.graph.device.synchronize)
        ends = int(degrees.sum())
        return Verdict(ends == 2 * self.value, f"{ends:,} ends of {self.value:,} edges"), seconds

    def check(self, low: np.ndarray, high: np.ndarray, time: CheckTime) -> tuple[Verdict, str]:
        """Compare the result with an independent one for the graph of these edges, and describe the outcome.

        The words are empty if no library has the analytic within the time.
        """
        return Verdict(low.size == self.value, f"{low.size:,} edges, not {self.value:,}"), "the stream leaves as many"


class AnalyticCount(Counting):
    """The headline of an analytic that has an incremental form."""

    observes = True

    def __init__(self, graph: fr.DynamicGraph, analytic: Analytic):
        super().__init__(graph)
        assert analytic.headline is not None
        self.analytic = analytic
        self._headline, self.noun = analytic.headline
        self._settings = analytic.settings()
        # Always on a copy, for any graph: other kernels would be compiled when it is timed.
        copied = {"layout": "csr"} if "layout" in analytic.accepted else {}
        self._from_scratch = self._settings | copied
        self._counter = analytic.maintain(graph, **self._settings)
        self._timed = TimedObserver(graph, self._counter)

    @property
    def seconds(self) -> float:  # type: ignore[override]
        return self._timed.seconds

    @seconds.setter
    def seconds(self, value: float) -> None:
        self._timed.seconds = value

    @property
    def value(self) -> int:
        return int(getattr(self._counter, self._headline))

    def on(self, graph: fr.DynamicGraph) -> AnalyticCount:
        return AnalyticCount(graph, self.analytic)

    def restart(self) -> None:
        self.analytic.maintain(self.graph, **self._settings).close()

    def recount(self) -> tuple[Verdict, float]:
        work = partial(self.analytic.compute, self.graph, **self._from_scratch)
        seconds, found = timed_call(work, self.graph.device.synchronize)
        return self._compare(self.analytic.fetch(self.graph.device, found)), seconds

    def check(self, low: np.ndarray, high: np.ndarray, time: CheckTime) -> tuple[Verdict, str]:
        if not self.graph.num_vertices:
            return Verdict(self.value == 0, f"{self.value:,} of an empty graph"), "there is nothing to count"
        for name in CHECKERS:
            if name in NEED_GPU and not self.graph.device.is_gpu:
                continue
            if self.analytic.name == "triangle_count" and name == "scipy" and low.size > SCIPY_TRIANGLES:
                return self._check_triangles(low, high, time)
            if is_installed(name) and low.size <= SPEED[name] * time.left:
                time.show(f"checking: {CHECKERS[name]}", None)
                verdict = self._check_by(name, low, high)
                if verdict is not None:
                    place = "" if name in NEED_GPU else ", on the CPU"
                    many_answers = self.analytic.comparator_for(**self._settings).needs_edges
                    outcome = "agrees" if many_answers else "counts the same"
                    return verdict, f"{CHECKERS[name]} {outcome}{place}"
        return Verdict(True, "not compared"), ""

    def _check_by(self, name: str, low: np.ndarray, high: np.ndarray) -> Verdict | None:
        """Compare with a library. Return None if it lacks the analytic, or its GPU the memory."""
        peer = load_peer(name)
        try:
            built = peer.build(peer.prepare(self.graph.num_vertices, low, high))
            task = peer.task(self.analytic.name, built, self._settings)
            found = None if task is None else task.read(task.run())
        except (MemoryError, RuntimeError):
            if name in NEED_GPU:  # where the graph of the stream is, too
                return None
            raise
        if found is None:
            return None
        return self._compare(found if isinstance(found, tuple) else (found,), peer.rank_rounding)

    def _check_triangles(self, low: np.ndarray, high: np.ndarray, time: CheckTime) -> tuple[Verdict, str]:
        from .triangle_check import count_by_vertex

        n = self.graph.num_vertices
        counted, theirs = count_by_vertex(low, high, n, time)
        if counted.size == n:
            return self._compare((theirs,)), "an independent count finds the same, on the CPU"
        _, ours = self.analytic.fetch(self.graph.device, self._counter)
        said = f"an independent count finds the same at {counted.size:,} of {n:,} vertices, drawn at random, on the CPU"
        return Exact().compare((ours[counted],), (theirs,)), said

    def _compare(self, theirs: Found, rounding: float = 0.0) -> Verdict:
        comparator = self.analytic.comparator_for(**self._settings)
        ours = self.analytic.fetch(self.graph.device, self._counter)
        edges = edges_of(self.graph) if comparator.needs_edges else None
        return comparator.compare(ours, theirs, edges=edges, rounding=rounding)
