"""The process of one checkout for `turns.py`: reads cells from standard input, and answers each with its times.

It uses only the public API that both checkouts have. It does not import `benchmarks`, whose version differs between the
checkouts. Graphs have no weights, so shortest paths are of unit length.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import algorithms
import frontier as fr

SEED = 1
WARM_UP = 5  # batches
STATIC_CALLS = 3
DYNAMIC = {
    "connected_components": ("DynamicConnectedComponents", "DynamicComponents"),
    "triangle_count": ("DynamicTriangleCount",),
    "bfs": ("DynamicBFS",),
    "sssp": ("DynamicSSSP",),
    "pagerank": ("DynamicPageRank",),
    "core_number": ("DynamicCoreNumber", "DynamicCore"),
    "k_truss": ("DynamicKTruss",),
}
"""Class names of the checkouts, of which the first that exists counts."""
STATIC: dict[str, dict[str, Any]] = {
    "bfs": {"source": 0}, "sssp": {"source": 0}, "k_truss": {"k": 4}, "louvain": {"seed": 0},
    "pagerank": {"tol": 0, "max_iter": 20, "fail_on_nonconvergence": False},
}  # fmt: skip
"""Arguments of algorithms that have any."""


class Measured:
    """One structure with its graph and the analytic that is attached at present."""

    def __init__(self, structure: str, device: str, scale: int, batches: int):
        edges = fr.io.rmat(scale=scale, edge_factor=16, seed=SEED)
        kind: Any = fr.structures()[structure]
        self.graph = kind.from_edges(edges.src, edges.dst, num_vertices=1 << scale, device=device)
        self.batches = batches
        self.analytic: Any = None
        self.attached = ""
        self.drawn: dict[int, list[list[Any]]] = {}
        self.warm: set[str] = set()  # static algorithms that have run

    def times(self, cell: dict[str, Any]) -> dict[str, list[float]] | str:
        """The seconds of a cell by operation, or the text of an error."""
        try:
            if cell["kind"] == "static":
                return self.static(cell["name"])
            return self.updates(cell["name"], cell["size"])
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def static(self, name: str) -> dict[str, list[float]]:
        """The seconds of some calls."""
        self.attach("")
        call = partial(getattr(algorithms, name), self.graph, **STATIC.get(name, {}))
        if name not in self.warm:
            call()
            self.warm.add(name)
        return {"call": [self.timed(call) for _ in range(STATIC_CALLS)]}

    def updates(self, name: str, size: int) -> dict[str, list[float]]:
        """The seconds of insertions and deletions of the same batches, each with the query after it."""
        self.attach(name)
        found: dict[str, list[float]] = {"insert": [], "delete": []}
        for turn, batch in enumerate(self.batches_of(size)):
            for operation, update in (("insert", self.graph.insert_edges), ("delete", self.graph.delete_edges)):
                seconds = self.timed(lambda update=update, batch=batch: (update(*batch), self.ask()))
                if turn >= WARM_UP:
                    found[operation].append(seconds)
        return found

    def batches_of(self, size: int) -> list[list[Any]]:
        """Random batches of a size, the same in every turn."""
        if size not in self.drawn:
            rng = np.random.default_rng(SEED + size)
            ends = rng.integers(0, self.graph.num_vertices, (self.batches + WARM_UP, 2, size))
            ends = ends.astype(self.graph.vertex_dtype)
            self.drawn[size] = [[self.graph.device.xp.asarray(part) for part in batch] for batch in ends]
        return self.drawn[size]

    def attach(self, name: str) -> None:
        """Replace the analytic, if it is another one."""
        if name != self.attached:
            if self.analytic is not None:
                self.analytic.close()
            self.analytic, self.attached = None, ""
            if name:
                kind = next(getattr(algorithms, each) for each in DYNAMIC[name] if hasattr(algorithms, each))
                self.analytic = kind(self.graph, 0) if name in ("bfs", "sssp") else kind(self.graph)
            self.attached = name

    def ask(self) -> None:
        """Read what users would after a batch."""
        for result in ("count", "total", "pagerank", "distance"):
            if hasattr(type(self.analytic), result):
                getattr(self.analytic, result)
                break

    def timed(self, work: Callable[[], Any]) -> float:
        """Seconds until the device is idle again."""
        synchronize = self.graph.device.synchronize
        synchronize()
        begin = time.perf_counter()
        work()
        synchronize()
        return time.perf_counter() - begin


def main() -> None:
    """Answer every line of standard input with a line on standard output."""
    answers, sys.stdout = sys.stdout, sys.stderr  # for what the checkout may print
    measured = Measured(**json.loads(sys.argv[1]))
    print(json.dumps("ready"), file=answers, flush=True)
    for line in sys.stdin:
        cell = json.loads(line)
        gc.collect()
        print(json.dumps(measured.times(cell)), file=answers, flush=True)


if __name__ == "__main__":
    main()
