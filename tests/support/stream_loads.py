"""The kernels that a job loads in the middle of its streams, because its warm-up has not run them.

A separate program, since kernels that other tests have loaded would not be seen:
``python tests/support/stream_loads.py STRUCTURE DEVICE ANALYTIC`` writes a list of names.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import emulator

if __name__ == "__main__" and emulator.wanted():
    emulator.install()

import numpy as np

import frontier as fr
from algorithms import Analytic, find_analytic
from algorithms.comparators import Verdict
from benchmarks.compilations import recorded
from dynfrontier.apply import Window
from dynfrontier.counting import Counting
from dynfrontier.job import StreamJob
from dynfrontier.times import Span
from frontier.runtime.compile import cpu, cuda

SIZES = {"cpu": (14, 20_000), "emulated": (9, 300), "gpu": (18, 150_000)}
"""Scale and largest batch, so large that structures insert them in another way than small ones."""
FACTOR = 8
GROWTH = 4


class Results(Counting):
    """The results of an analytic, which need not have a number that the command line could show."""

    noun = "result"
    observes = True
    seconds = 0.0

    def __init__(self, graph: fr.DynamicGraph, analytic: Analytic):
        super().__init__(graph)
        self._analytic = analytic
        self._settings = analytic.settings(graph)
        self._results = analytic.maintain(graph, **self._settings)

    @property
    def value(self) -> int:
        return len(self._analytic.read(self._results))

    def on(self, graph: fr.DynamicGraph) -> Results:
        return Results(graph, self._analytic)

    def restart(self) -> None:
        self._analytic.maintain(self.graph, **self._settings).close()

    def recount(self) -> tuple[Verdict, float]:
        self._analytic.compute(self.graph, **self._settings)
        return Verdict(True, ""), 0.0

    def check(self, low: np.ndarray, high: np.ndarray) -> tuple[Verdict, str]:
        return Verdict(True, ""), ""


def streams(scale: int, most: int) -> Iterator[tuple[fr.io.EdgeStream, Window]]:
    """Streams and their windows. The batches of one grow from a single edge, and the deletion of most of it follows
    each. The windows of two slide over all, by batches and by time."""
    edges = fr.io.rmat(scale, FACTOR, seed=1)
    positions, inserts = [], []
    begin, size = 0, 1
    while begin < len(edges):
        arriving = np.arange(begin, min(begin + size, len(edges)))
        leaving = arriving[arriving % GROWTH > 0] if begin % 2 else arriving[:1]
        positions += [arriving, leaving]
        inserts += [np.ones(arriving.size, bool), np.zeros(leaving.size, bool)]
        begin += arriving.size
        size = min(GROWTH * size, most) if size < most else 1
    yield fr.io.EdgeStream(edges[np.concatenate(positions)], most, np.concatenate(inserts)), 0
    yield fr.io.stream_edges(edges, most // 3), 4
    times = np.random.default_rng(1).integers(0, 1000, len(edges))
    yield fr.io.stream_edges(replace(edges, times=times), most // 3), Span(200, "s", "200s")


@contextlib.contextmanager
def loads() -> Iterator[list[str]]:
    """The kernels that are loaded within the block."""
    found: list[str] = []
    load, make = cpu._KeyedCache.load_overload, cuda._cubin

    def on_cpu(cache: Any, signature: Any, context: Any) -> Any:
        found.append(f"{cache._py_func.__module__}.{cache._py_func.__qualname__}{signature}")
        return load(cache, signature, context)

    def on_gpu(header: str, defines: Any, functors: Any) -> Any:
        found.append(f"{header} {dict(defines)}")
        return make(header, defines, functors)

    cpu._KeyedCache.load_overload, cuda._cubin = on_cpu, on_gpu  # type: ignore[method-assign]
    try:
        with recorded() as log:
            yield found
        found += [entry.name for entry in log if entry.compiler == "cupy"]
    finally:
        cpu._KeyedCache.load_overload, cuda._cubin = load, make  # type: ignore[method-assign]


def lines() -> contextlib.AbstractContextManager[set[str]]:
    """On an emulated GPU, the lines that would make CuPy compile within the block, each time they are run."""
    if not emulator.wanted():
        return contextlib.nullcontext(set())
    from emulator.compilations import compilations

    return compilations()


def loaded(structure: str, device: str, name: str) -> list[str]:
    """The kernels loaded in the middle of streams."""
    found: set[str] = set()
    analytic = None if name == "none" else find_analytic(name)
    for stream, window in streams(*SIZES["emulated" if emulator.wanted() else device]):
        kind = fr.structures()[structure]
        counted = analytic if analytic is not None and analytic.headline else None
        if analytic is not None and analytic.times and not (window and kind.can_store_weights):
            continue
        job = StreamJob(kind, fr.advanced.resolve_device(device), stream, window, counted)
        if analytic is not None and counted is None:
            job.counting = Results(job.graph, analytic)
        with lines() as before:
            job.warm_up()
        with loads() as own, lines() as after:
            for _ in job.steps():
                pass
        found |= set(own) | (after - before)
    return sorted(found)


if __name__ == "__main__":
    json.dump(loaded(*sys.argv[1:4]), sys.stdout)
