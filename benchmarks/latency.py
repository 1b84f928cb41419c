"""The latency of one small update: ``python -m benchmarks latency``.

Batches of random edges are inserted into an RMAT graph and deleted again, without an analytic and with an incremental
one attached that is queried after each. Times are wall clock from the call to the end of the device's work, so they
include the host's work: Python, launches, and synchronization.

With ``--vertices``, graphs have ever more vertices, and the same edges and batches each time: all other vertices are
isolated. An update, and an incremental analytic that is queried after it, should be as fast as among few. Ranks, which
are read as a new array by vertex, cannot.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import frontier as fr
from dynfrontier.machine import describe_run
from dynfrontier.timing import timed_call

from .cold_start import ANALYTICS, ask, attached
from .context import choose_structures
from .results import Results, command_line
from .timing import Samples

SIZES = (1, 64, 1024, 4096, 65536)
SEED = 1
WARM_UP = 5  # batches


def main(arguments: Sequence[str]) -> int:
    """Measure each structure. Returns 0."""
    line = command_line("latency", __doc__)
    line.add_argument("--structures", help="names, separated by commas (default: all that are dynamic)")
    line.add_argument("--analytics", default="", help=f"attached one by one, of {', '.join(ANALYTICS)}, or all")
    line.add_argument("--scale", type=int, default=20, help="of the RMAT graph")
    line.add_argument("--vertices", help="base-2 logarithms of the numbers of vertices, separated by commas")
    line.add_argument("--directed", action="store_true", help="directed graphs, which keep in-edges")
    line.add_argument("--sizes", default=",".join(map(str, SIZES)), help="edges of a batch, separated by commas")
    line.add_argument("--batches", type=int, default=200, help="of each size")
    options = line.parse_args(arguments)
    analytics = list(ANALYTICS) if options.analytics == "all" else [n for n in options.analytics.split(",") if n]
    device = fr.advanced.resolve_device(options.device)
    asked = {"scale": options.scale, "batches": options.batches, "directed": options.directed, "seed": SEED}
    results = Results("latency", device.kind, "full", header=describe_run(device, **asked))
    edges = fr.io.rmat(scale=options.scale, edge_factor=16, seed=SEED)
    names = options.structures.split(",") if options.structures else None
    chosen = choose_structures(names)
    scales = [int(scale) for scale in options.vertices.split(",")] if options.vertices else [options.scale]
    for name in names or chosen:
        for scale in scales:
            graph = chosen[name].from_edges(
                edges.src, edges.dst, num_vertices=1 << scale, device=device.kind, directed=options.directed,
                in_edges=options.directed,
            )  # fmt: skip
            for analytic in [None, *analytics]:
                labels = {"structure": name, "analytic": analytic, "scale": scale}
                _measure_analytic(device, results, graph, labels, options)
                results.save(options.out)
    print(f"written to {results.save(options.out)}")
    return 0


def _measure_analytic(
    device: fr.advanced.Device, results: Results, graph: Any, labels: dict[str, Any], options: argparse.Namespace
) -> None:
    """All sizes of batches, without or with an analytic."""
    analytic = labels["analytic"]
    observers = [] if analytic is None else [attached(graph, analytic)]
    for size in map(int, options.sizes.split(",")):
        found = measure(device, graph, 1 << options.scale, size, options.batches, lambda: ask(observers))
        for operation, samples in found.items():
            numbers = {f"p{share}_us": 1e6 * samples.percentile(share) for share in (50, 99)}
            results.add(**labels, operation=operation, size=size, **numbers, **samples.numbers())
            print(f"{labels['structure']:10} 2^{labels['scale']} {analytic or '-':10} {operation} {size:6}: "
                  f"P50 {numbers['p50_us']:8.1f} us, P99 {numbers['p99_us']:8.1f}", flush=True)  # fmt: skip
    for observer in observers:
        observer.close()


def measure(
    device: fr.advanced.Device, graph: Any, vertices: int, size: int, count: int, ask_all: Callable[[], None]
) -> dict[str, Samples]:
    """Insert batches of edges among the first vertices, and delete each again."""
    rng = np.random.default_rng(SEED + size)
    found = {"insert": Samples(), "delete": Samples()}
    ends = rng.integers(0, vertices, (count + WARM_UP, 2, size)).astype(graph.vertex_dtype)
    batches = [[device.xp.asarray(part) for part in batch] for batch in ends]
    for turn, batch in enumerate(batches):
        for operation, update in (("insert", graph.insert_edges), ("delete", graph.delete_edges)):

            def work(update: Any = update, batch: Any = batch) -> None:
                update(*batch)
                ask_all()

            wall, _ = timed_call(work, device.synchronize)  # without events, which cost a tenth of a call
            if turn >= WARM_UP:
                found[operation].wall.append(wall)
    return found
