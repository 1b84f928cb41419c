"""What the main job counts after every batch: something that an analytic maintains, or edges."""

from __future__ import annotations

from functools import partial

import numpy as np

import frontier as fr
from algorithms import Analytic
from algorithms.comparators import Found, Verdict, edges_of

from .peers import SLOW, is_installed, load_peer
from .timing import TimedObserver, timed_call

CHECKERS = {"scipy": "SciPy", "igraph": "igraph", "networkx": "NetworkX"}
"""Libraries that can check a result on the CPU, and their names; the first that has the analytic does."""


class Counting:
    """A count that follows a graph: by itself that of the edges, which the graph counts.

    Attributes
    ----------
    graph : DynamicGraph
    noun : str or None
        What is counted; None if that is the edges alone.
    observes : bool
        Whether the graph's updates wait for the count.
    seconds : float
        The time that counting has taken since this was last set to 0.
    """

    noun: str | None = None
    observes = False
    seconds = 0.0

    def __init__(self, graph: fr.DynamicGraph):
        self.graph = graph

    @property
    def value(self) -> int:
        """The count now."""
        return self.graph.num_edges

    def on(self, graph: fr.DynamicGraph) -> Counting:
        """The same count of another graph."""
        return Counting(graph)

    def restart(self) -> None:
        """Count the graph from scratch, as on construction and after large batches, and drop the result."""

    def recount(self) -> tuple[Verdict, float]:
        """The result compared with that computed from scratch on the graph as it stands, and the seconds that takes."""
        seconds, degrees = timed_call(self.graph.degrees, self.graph.device.synchronize)
        ends = int(degrees.sum())
        return Verdict(ends == 2 * self.value, f"{ends:,} ends of {self.value:,} edges"), seconds

    def check(self, low: np.ndarray, high: np.ndarray) -> tuple[Verdict, str]:
        """The result compared with another library's for the graph of these edges, and words for that.

        There are no words if no installed library has the analytic, or only one that would take too long.
        """
        return Verdict(low.size == self.value, f"{low.size:,} edges, not {self.value:,}"), "the stream leaves as many"


class AnalyticCount(Counting):
    """The headline of an analytic.

    Parameters
    ----------
    analytic : Analytic
        One that has an incremental form and a headline.
    """

    observes = True

    def __init__(self, graph: fr.DynamicGraph, analytic: Analytic):
        super().__init__(graph)
        assert analytic.headline is not None
        self.analytic = analytic
        self._headline, self.noun = analytic.headline
        self._settings = analytic.settings()
        # Always on a copy, whatever the graph: other kernels would be compiled when it is timed.
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

    def check(self, low: np.ndarray, high: np.ndarray) -> tuple[Verdict, str]:
        n = self.graph.num_vertices
        if not n:
            return Verdict(self.value == 0, f"{self.value:,} of an empty graph"), "there is nothing to count"
        for name in CHECKERS:
            if not is_installed(name) or low.size > SLOW.get(name, low.size):
                continue
            peer = load_peer(name)
            task = peer.task(self.analytic.name, peer.build(peer.prepare(n, low, high)), self._settings)
            if task is not None:
                found = task.read(task.run())
                verdict = self._compare(found if isinstance(found, tuple) else (found,), peer.rank_rounding)
                return verdict, f"{CHECKERS[name]} counts the same, on the CPU"
        return Verdict(True, "not compared"), ""

    def _compare(self, theirs: Found, rounding: float = 0.0) -> Verdict:
        comparator = self.analytic.comparator_for(**self._settings)
        ours = self.analytic.fetch(self.graph.device, self._counter)
        edges = edges_of(self.graph) if comparator.needs_edges else None
        return comparator.compare(ours, theirs, edges=edges, rounding=rounding)
