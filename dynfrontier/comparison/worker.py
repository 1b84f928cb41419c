"""A process that runs algorithms for a comparison: ``python -m dynfrontier.comparison.worker DEVICE``.

It reads requests from its standard input and writes an answer to each, both lines of JSON. Results go to files.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr
from algorithms import find_analytic
from algorithms.comparators import Verdict, on_host

from ..peers import BasePeer, load_peer
from ..timing import timed_call
from .growing import build
from .inputs import GraphInput, both_once, digest_of

LONG = 5  # a first call that lasts this multiple of the limit for all repetitions is the only one


class Worker:
    """Runs requests. Caches the last graphs for further requests about them."""

    def __init__(self, device: str):
        self.device_name = device
        self.inputs: dict[str, GraphInput] = {}
        self.graphs: dict[Any, Any] = {}
        self.owner: tuple | None = None
        self.peers: dict[str, BasePeer] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a request. An error is an answer, too."""
        known: dict[str, Callable[..., dict[str, Any]]] = {
            "make": self.make, "ours": self.ours, "theirs": self.theirs, "judge": self.judge,
        }  # fmt: skip
        work = known[request.pop("do")]
        try:
            return work(**request)
        except Exception as error:  # a failure is a finding
            return {"error": f"{type(error).__name__}: {error}"[:300]}

    def _input(self, folder: str) -> GraphInput:
        if folder not in self.inputs:
            self.inputs.clear()
            self.inputs[folder] = GraphInput.load(Path(folder))
        return self.inputs[folder]

    def _forget_others(self, *owner: Any) -> None:
        """Cache the graphs of one owner only: two of a large graph may not fit into memory."""
        if self.owner != owner:
            self.graphs.clear()
            self.owner = owner

    def make(self, folder: str, structure: str, state: str, weighted: bool) -> dict[str, Any]:
        """Make a graph, and return its checksum and the milliseconds."""
        given, device = self._input(folder), fr.advanced.resolve_device(self.device_name)
        self._forget_others(folder, structure, state)
        begin = time.perf_counter()
        graph = build(given, fr.structures()[structure], state, device, weighted)
        device.synchronize()
        took = 1e3 * (time.perf_counter() - begin)
        self.graphs[weighted] = graph
        src, dst, weights = graph.to_coo()
        return {"digest": digest_of(graph.xp, src, dst, weights, graph.num_vertices, graph.directed), "ms": took}

    def ours(
        self, folder: str, structure: str, state: str, weighted: bool, algorithm: str, settings: dict[str, Any],
        out: str, **timing: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """Run our algorithm. `timing` are `repeat` and `seconds` of `_timed`."""
        if self.owner != (folder, structure, state) or weighted not in self.graphs:
            self.make(folder, structure, state, weighted)  # in a process that replaced another one
        graph, analytic = self.graphs[weighted], find_analytic(algorithm)
        times, result = _timed(partial(analytic.compute, graph, **settings), graph.device.synchronize, **timing)
        _save(out, on_host(graph.device, analytic.read(result)))
        return {"ms": _milliseconds(times)}

    def theirs(
        self, folder: str, peer: str, weighted: bool, directed: bool, algorithm: str, settings: dict[str, Any],
        out: str, **timing: Any,
    ) -> dict[str, Any]:  # fmt: skip
        given = self._input(folder)
        if peer not in self.peers:
            self.peers[peer] = load_peer(peer)
        library = self.peers[peer]
        self._forget_others(folder, peer)
        form = weighted, directed
        if form not in self.graphs:
            src, dst = given.src, given.dst
            if given.directed and not directed:
                src, dst = both_once(np, src, dst, given.num_vertices)
            weights = given.weights if weighted and directed == given.directed else None
            self.graphs[form] = library.build(library.prepare(given.num_vertices, src, dst, weights, directed=directed))
        task = library.task(algorithm, self.graphs[form], settings)
        if task is None:
            return {"absent": True}
        times, result = _timed(task.run, library.synchronize, **timing)
        found = task.read(result)
        _save(out, found if isinstance(found, tuple) else (found,))
        return {
            "ms": _milliseconds(times), "version": library.version, "rounding": library.rank_rounding,
            "note": library.notes.get(algorithm, ""),
        }  # fmt: skip

    def judge(
        self, folder: str, algorithm: str, settings: dict[str, Any], weighted: bool, ours: str, theirs: str,
        rounding: float,
    ) -> dict[str, Any]:  # fmt: skip
        comparator = find_analytic(algorithm).comparator_for(**settings)
        edges = self._input(folder).edges(weighted) if comparator.needs_edges else None
        verdict: Verdict = comparator.compare(_load(ours), _load(theirs), edges=edges, rounding=rounding)
        return {"agrees": bool(verdict.agrees), "text": verdict.text}


def _timed(
    work: Callable[[], Any], synchronize: Callable[[], None], repeat: int, seconds: float
) -> tuple[list[float], Any]:
    """The seconds of repeated calls, and the last result.

    The first call, which may include compilation, counts only if it is too long for a second one.
    """
    first, result = timed_call(work, synchronize)
    times: list[float] = []
    while first < LONG * seconds and len(times) < repeat and sum(times) < seconds:
        took, result = timed_call(work, synchronize)
        times.append(took)
    return times or [first], result


def _milliseconds(seconds: list[float]) -> list[float]:
    return [round(1e3 * each, 5) for each in seconds]


def _save(path: str, values: tuple[Any, ...]) -> None:
    np.savez(path, *(np.asarray(value) for value in values))


def _load(path: str) -> tuple[Any, ...]:
    with np.load(path) as file:
        return tuple(file[name] if file[name].ndim else file[name].item() for name in file.files)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        answers.write(json.dumps(worker.answer(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
