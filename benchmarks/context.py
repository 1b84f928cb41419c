"""The shared state of the benchmarks of a run: device, axes, structures, graphs, and the time that is left."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import frontier as fr

from .defaults import BASELINE, Axes
from .graphs import BenchmarkGraph, GraphSource
from .results import Results

GROWTH = 0.8  # of the time of a measurement, with the size of its graph


class Budget:
    """A time budget, which estimates from smaller work of its kind whether a piece of work still fits.

    Parameters
    ----------
    seconds : float
        Infinite for no limit.
    """

    def __init__(self, seconds: float = float("inf")):
        self.begin = time.perf_counter()
        self.end = self.begin + seconds
        self._cost: dict[str, tuple[float, float]] = {}

    def left(self) -> float:
        """Seconds left."""
        return self.end - time.perf_counter()

    def part(self, share: float) -> Budget:
        """A budget of a share of the time that is left."""
        return Budget(self.left() * share)

    def fits(self, kind: str, size: float) -> bool:
        """Whether to start work of a kind and size. Work of an unknown kind starts if any time is left."""
        known, seconds = self._cost.get(kind, (1.0, 0.0))
        return self.left() > seconds * (size / known) ** GROWTH

    def took(self, kind: str, size: float, seconds: float) -> None:
        """Learn what work of a kind costs, from its size and time."""
        self._cost[kind] = (max(size, 1.0), seconds)


@dataclass
class Context:
    """One run.

    Attributes
    ----------
    structures : dict of str to type
        The structures to measure, the rebuild baseline first.
    peers : tuple of str
    algorithms : tuple of str
        The algorithms that the gallery's and the incremental benchmark measure, or all if it is empty.
    out : Path or None
        Folder of results files.
    failures : int
        Pieces of work that have failed.
    """

    device: fr.advanced.Device
    mode: str
    axes: Axes
    structures: dict[str, type[fr.DynamicGraph]]
    graphs: GraphSource
    peers: tuple[str, ...] = ()
    algorithms: tuple[str, ...] = ()
    quiet: bool = False
    out: Path | None = None
    failures: int = 0
    budget: Budget = field(default_factory=Budget)
    begin: float = field(default_factory=time.perf_counter)

    def say(self, text: str) -> None:
        """Show progress."""
        if not self.quiet:
            print(f"[{time.perf_counter() - self.begin:6.1f} s] {text}", flush=True)

    def skip(self, results: Results, text: str) -> None:
        """Show and store an omission, and its reason."""
        results.notes.append(text)
        self.say(text)

    def attempt(self, results: Results, what: str, work: Callable[[], Any]) -> Any:
        """Do a piece of work. If it fails, the failure is noted and the run continues. All results so far are saved."""
        try:
            return work()
        except Exception as error:
            self.failures += 1
            self.skip(results, f"FAILED: {what}: {type(error).__name__}: {error}")
            if not self.quiet:
                traceback.print_exc()
            return None
        finally:
            if self.out is not None:
                results.save(self.out)

    def graph(self, name: str) -> BenchmarkGraph:
        """A graph, with a message if it has to be generated."""
        if not self.graphs.has(name):
            self.say(f"generate {name}")
        return self.graphs.get(name)

    def fitting(
        self, results: Results, benchmark: str, graphs: Iterable[BenchmarkGraph]
    ) -> Iterator[BenchmarkGraph]:  # fmt: skip
        """The graphs for which time is left, judged by smaller ones. The work on one before the next is requested is
        its measurement."""
        for graph in graphs:
            if not self.budget.fits(benchmark, graph.num_edges):
                self.skip(results, f"{benchmark}: {graph.name} left out: it would not fit the time budget")
                continue
            begin = time.perf_counter()
            yield graph
            self.budget.took(benchmark, graph.num_edges, time.perf_counter() - begin)

    def rmat_graphs(self) -> Iterator[BenchmarkGraph]:
        """The graphs of all scales."""
        return (self.graph(f"rmat{scale}") for scale in self.axes.scales)

    def structures_or(self, few: Collection[str]) -> dict[str, type[fr.DynamicGraph]]:
        """The structures of the run if some of all were named, and otherwise just a few."""
        if self.structures.keys() < choose_structures(None).keys():
            return self.structures
        return {name: kind for name, kind in self.structures.items() if name in few}


def choose_structures(names: list[str] | None) -> dict[str, type[fr.DynamicGraph]]:
    """Structures by name, by default all that can be changed. The baseline is always included, and first.

    Raises
    ------
    ValueError
        A name is no structure.
    """
    known = {name: kind for name, kind in fr.structures().items() if issubclass(kind, fr.DynamicGraph)}
    for name in names or ():
        if name not in known:
            raise ValueError(f"there is no structure {name!r}; there are {', '.join(known)}")
    chosen = [name for name in names or known if name != BASELINE]
    return {name: known[name] for name in (BASELINE, *chosen)}
