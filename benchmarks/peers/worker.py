"""The process in which a peer runs: ``python -m benchmarks.peers.worker PEER FOLDER``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr
from algorithms.comparators import Counts
from benchmarks.calls import PEERS_OWN, SPMV, calls, comparator_of
from benchmarks.defaults import VECTOR_SEED
from dynfrontier.peers import load_peer, with_sources
from dynfrontier.timing import timed_call, timed_calls


class Worker:
    """Does the tasks of a request."""

    def __init__(self, peer: str, folder: Path):
        self.folder = folder
        self.request = json.loads((folder / "request.json").read_text())
        self.peer = load_peer(peer)
        self.graphs: dict[bool, Any] = {}  # without weights, and with

    def run(self) -> None:
        """Do all tasks and write each answer as soon as it exists."""
        with open(self.folder / "answers.jsonl", "w") as answers:
            for task in self.request["tasks"]:
                try:
                    answer = self._do(task)
                except Exception as error:  # a peer's failure is a finding
                    answer = {"error": f"{type(error).__name__}: {error}"[:300]}
                answers.write(json.dumps({"task": task, **answer, "version": self.peer.version}) + "\n")
                answers.flush()

    def _do(self, name: str) -> dict[str, Any]:
        peer, request = self.peer, self.request
        if name == "recount":
            return self._recount()
        if name == "build":
            build = partial(peer.build, self._edges())
            seconds, self.graphs[False] = timed_calls(build, peer.synchronize, int(request["repeat"] > 1), float("inf"))
            return _times(seconds)
        call = calls().get("bfs" if name.startswith("bfs") else name)
        if call is None and name != SPMV:
            raise ValueError(f"there is no task {name!r}")
        weighted = call is not None and call.weighted
        if weighted not in self.graphs:
            self.graphs[weighted] = peer.build(self._edges(weighted=weighted))
        settings = {"source": request["source"], **(call.settings if call else {})}
        settings["steps"] = settings.get("max_iter")
        settings = with_sources(settings, np.arange(request["num_vertices"]))
        if name == SPMV:
            settings["vector"] = np.random.default_rng(VECTOR_SEED).random(request["num_vertices"])
        method = PEERS_OWN.get(name) or call.analytic.name  # type: ignore[union-attr]
        task = peer.task(method, self.graphs[weighted], settings)
        if task is None:
            return {"absent": True}
        seconds, result = timed_calls(task.run, peer.synchronize, request["repeat"], request["task_limit"])
        found = task.read(result)
        comparator = comparator_of(name)
        edges = self._edge_list(weighted) if comparator.needs_edges else None
        digest = comparator.digest(found if isinstance(found, tuple) else (found,), edges=edges)
        return {"digest": digest, **_times(seconds)}

    def _edge_list(self, weighted: bool) -> fr.io.EdgeList:
        """The edges, for comparators that need them."""
        src, dst = (np.load(self.folder / f"{end}.npy") for end in ("src", "dst"))
        weights = np.load(self.folder / "weights.npy") if weighted else None
        return fr.io.EdgeList(src, dst, weights, num_vertices=self.request["num_vertices"])

    def _edges(self, batches: int = 0, weighted: bool = False) -> Any:
        """The edge list, together with the first batches, in the peer's form."""
        names = ["", *map(str, range(batches))]
        src, dst = (np.concatenate([np.load(self.folder / f"{end}{n}.npy") for n in names]) for end in ("src", "dst"))
        weights = np.load(self.folder / "weights.npy") if weighted else None
        return self.peer.prepare(self.request["num_vertices"], src, dst, weights)

    def _recount(self) -> dict[str, Any]:
        """Build the graph and count its triangles after every batch. The start, before any batch, warms up."""
        seconds, totals = [], []
        for batches in range(self.request["batches"] + 1):
            took, (read, result) = timed_call(partial(self._count, self._edges(batches)), self.peer.synchronize)
            if batches:
                seconds.append(took)
                totals.append(Counts(3).digest((read(result),))["total"])
        times = np.array(seconds)
        return {
            "totals": totals, "mean_ms": 1e3 * times.mean(), "p50_ms": 1e3 * np.percentile(times, 50),
            "p99_ms": 1e3 * np.percentile(times, 99), **_times(seconds),
        }  # fmt: skip

    def _count(self, prepared: Any) -> tuple[Callable[[Any], Any], Any]:
        """Build a graph and count its triangles. Returns the function that reads the result, and the result."""
        task = self.peer.triangle_count(self.peer.build(prepared))
        assert task is not None
        return task.read, task.run()


def _times(seconds: list[float]) -> dict[str, Any]:
    return {
        "median_ms": 1e3 * float(np.median(seconds)), "best_ms": 1e3 * min(seconds),
        "wall_ms": [round(1e3 * s, 5) for s in seconds],
    }  # fmt: skip


if __name__ == "__main__":
    Worker(sys.argv[1], Path(sys.argv[2])).run()
