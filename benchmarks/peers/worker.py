"""The process in which a peer runs: ``python -m benchmarks.peers.worker MODULE FOLDER``."""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.defaults import VECTOR_SEED
from benchmarks.digests import digest_distances, digest_triangles, digest_vector


class Worker:
    """Does the tasks of a request."""

    def __init__(self, module: str, folder: Path):
        self.folder = folder
        self.request = json.loads((folder / "request.json").read_text())
        self.peer = importlib.import_module(f"benchmarks.peers.{module}").Peer()
        self.graph: Any = None

    def run(self) -> None:
        """Do all tasks and write down each answer as soon as it is there."""
        with open(self.folder / "answers.jsonl", "w") as answers:
            for task in self.request["tasks"]:
                try:
                    answer = self._do(task)
                except Exception as error:  # a peer's failure is a finding
                    answer = {"error": f"{type(error).__name__}: {error}"[:300]}
                answers.write(json.dumps({"task": task, **answer, "version": self.peer.version}) + "\n")
                answers.flush()

    def _do(self, task: str) -> dict[str, Any]:
        peer, request = self.peer, self.request
        if task == "recount":
            return self._recount()
        if task == "build":
            prepared = self._edges()
            self._clock(lambda: peer.build(prepared)) if request["repeat"] > 1 else None  # warms up
            seconds, self.graph = self._clock(lambda: peer.build(prepared))
            return _times([seconds])
        if self.graph is None:
            self.graph = peer.build(self._edges())
        if task.startswith("bfs"):
            method = peer.bfs if task == "bfs" else peer.bfs_direction_optimizing
            return self._repeat(method(self.graph, request["source"]), lambda r: digest_distances(peer.distances(r)))
        if task == "triangles":
            return self._repeat(peer.triangles(self.graph), self._digest_triangles)
        if task != "spmv":
            raise ValueError(f"there is no task {task!r}")
        vector = np.random.default_rng(VECTOR_SEED).random(request["num_vertices"])
        return self._repeat(peer.spmv(self.graph, vector), lambda r: digest_vector(peer.vector(r)))

    def _digest_triangles(self, result: Any) -> dict[str, Any]:
        found = self.peer.per_vertex(result)
        return {"total": int(found)} if np.ndim(found) == 0 else digest_triangles(found)

    def _edges(self, batches: int = 0) -> Any:
        """The edge list, together with the first batches, in the peer's form."""
        names = ["", *map(str, range(batches))]
        src, dst = (np.concatenate([np.load(self.folder / f"{end}{n}.npy") for n in names]) for end in ("src", "dst"))
        return self.peer.prepare(self.request["num_vertices"], src, dst)

    def _clock(self, work: Callable[[], Any]) -> tuple[float, Any]:
        self.peer.synchronize()
        begin = time.perf_counter()
        result = work()
        self.peer.synchronize()
        return time.perf_counter() - begin, result

    def _repeat(self, work: Callable[[], Any] | None, digest: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """Timed calls; the first one warms up, and counts only if it took so long that there is no other."""
        if work is None:
            return {"absent": True}
        first, result = self._clock(work)
        seconds: list[float] = []
        while len(seconds) < self.request["repeat"] and first + sum(seconds) + first < self.request["task_limit"]:
            took, result = self._clock(work)
            seconds.append(took)
        return {"digest": digest(result), **_times(seconds or [first])}

    def _recount(self) -> dict[str, Any]:
        """Build the graph and count its triangles after every batch; the start, before any batch, warms up."""
        seconds, totals = [], []
        for batches in range(self.request["batches"] + 1):
            prepared = self._edges(batches)
            took, result = self._clock(lambda prepared=prepared: self.peer.triangles(self.peer.build(prepared))())
            if batches:
                seconds.append(took)
                totals.append(self._digest_triangles(result)["total"])
        times = np.array(seconds)
        return {
            "totals": totals, "mean_ms": 1e3 * times.mean(), "p50_ms": 1e3 * np.percentile(times, 50),
            "p99_ms": 1e3 * np.percentile(times, 99), **_times(seconds),
        }  # fmt: skip


def _times(seconds: list[float]) -> dict[str, Any]:
    return {
        "median_ms": 1e3 * float(np.median(seconds)), "best_ms": 1e3 * min(seconds),
        "wall_ms": [round(1e3 * s, 5) for s in seconds],
    }  # fmt: skip


if __name__ == "__main__":
    Worker(sys.argv[1], Path(sys.argv[2])).run()
