"""How long one small update takes: ``python -m benchmarks latency``.

Batches of random edges are inserted into an RMAT graph and deleted again, alone and with an incremental analytic
attached that is asked after each. Times are wall clock from the call to the end of the device's work, so they hold what
the host does: Python, launches, and waiting.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr
from dynfrontier.timing import timed_call

from .cold_start import ANALYTICS, ask, attached
from .context import choose_structures
from .results import FOLDER, Results, describe_run
from .timing import Samples

SIZES = (1, 64, 1024, 4096, 65536)
SEED = 1
WARM_UP = 5  # batches


def main(arguments: Sequence[str]) -> int:
    """Measure each structure; always 0."""
    line = argparse.ArgumentParser(prog="python -m benchmarks latency", description=__doc__.splitlines()[0])
    line.add_argument("--device", default="auto", choices=["auto", "cpu", "gpu"])
    line.add_argument("--structures", help="names, separated by commas; by default all that are dynamic")
    line.add_argument("--analytics", default="", help=f"attached one by one; of {', '.join(ANALYTICS)}, or all")
    line.add_argument("--scale", type=int, default=20, help="of the RMAT graph")
    line.add_argument("--directed", action="store_true", help="directed graphs, which keep in-edges")
    line.add_argument("--sizes", default=",".join(map(str, SIZES)), help="edges of a batch, separated by commas")
    line.add_argument("--batches", type=int, default=200, help="of each size")
    line.add_argument("--out", type=Path, default=FOLDER, help="folder of the results file")
    options = line.parse_args(arguments)
    analytics = list(ANALYTICS) if options.analytics == "all" else [n for n in options.analytics.split(",") if n]
    device = fr.advanced.resolve_device(options.device)
    asked = {"scale": options.scale, "batches": options.batches, "directed": options.directed, "seed": SEED}
    results = Results("latency", device.kind, "full", header=describe_run(device, **asked))
    edges = fr.io.rmat(scale=options.scale, edge_factor=16, seed=SEED)
    names = options.structures.split(",") if options.structures else None
    chosen = choose_structures(names)
    for name in names or chosen:
        graph = chosen[name].from_edges(
            edges.src, edges.dst, num_vertices=edges.num_vertices, device=device.kind, directed=options.directed,
            in_edges=options.directed,
        )  # fmt: skip
        for analytic in [None, *analytics]:
            observers = [] if analytic is None else [attached(graph, analytic)]
            for size in map(int, options.sizes.split(",")):
                for operation, samples in measure(device, graph, size, options.batches, lambda: ask(observers)):  # noqa: B023
                    row = {"structure": name, "analytic": analytic, "operation": operation, "size": size}
                    numbers = {f"p{share}_us": 1e6 * samples.percentile(share) for share in (50, 99)}
                    results.add(**row, **numbers, **samples.numbers())
                    print(f"{name:10} {analytic or '-':10} {operation} {size:6}: "
                          f"P50 {numbers['p50_us']:8.1f} us, P99 {numbers['p99_us']:8.1f}", flush=True)  # fmt: skip
            for observer in observers:
                observer.close()
            results.save(options.out)
    print(f"written to {results.save(options.out)}")
    return 0


def measure(
    device: fr.advanced.Device, graph: Any, size: int, count: int, ask_all: Callable[[], None]
) -> list[tuple[str, Samples]]:
    """Insert batches of new edges, and delete each after the next has come."""
    rng = np.random.default_rng(SEED + size)
    found = {"insert": Samples(), "delete": Samples()}
    ends = rng.integers(0, graph.num_vertices, (count + WARM_UP, 2, size)).astype(graph.vertex_dtype)
    batches = [[device.xp.asarray(part) for part in batch] for batch in ends]
    for turn, batch in enumerate(batches):
        for operation, update in (("insert", graph.insert_edges), ("delete", graph.delete_edges)):

            def work(update: Any = update, batch: Any = batch) -> None:
                update(*batch)
                ask_all()

            wall, _ = timed_call(work, device.synchronize)  # without events, which take as long as a tenth of a call
            if turn >= WARM_UP:
                found[operation].wall.append(wall)
    return list(found.items())
