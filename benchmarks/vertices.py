"""What a batch costs in graphs of ever more vertices: ``python -m benchmarks vertices``.

The edges are the same each time, and so are the batches; all other vertices are isolated. An update, and an incremental
analytic that is asked after it, should take as long among many vertices as among few. Ranks, which are read as a new
array by vertex, cannot.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import frontier as fr

from .cold_start import ANALYTICS, ask, attached
from .context import choose_structures
from .results import FOLDER, Results, describe_run
from .timing import Samples, timed

SCALES = {"cpu": (14, 16, 18, 20, 22), "gpu": (20, 22, 24, 26)}
EDGE_FACTOR = 16
SEED = 1
WARM_UP = 5  # batches


def main(arguments: Sequence[str]) -> int:
    """Measure some structures, without analytics and with each; always 0."""
    line = argparse.ArgumentParser(prog="python -m benchmarks vertices", description=__doc__.splitlines()[0])
    line.add_argument("--device", default="auto", choices=["auto", "cpu", "gpu"])
    line.add_argument("--structures", default="slab", help="names, separated by commas")
    line.add_argument("--analytics", default=",".join(ANALYTICS), help="attached one by one")
    line.add_argument("--scales", help="logarithms of the numbers of vertices, separated by commas; the first one is "
                      "that of the RMAT graph whose edges all graphs have")  # fmt: skip
    line.add_argument("--size", type=int, default=64, help="edges of a batch")
    line.add_argument("--batches", type=int, default=50)
    line.add_argument("--out", type=Path, default=FOLDER, help="folder of the results file")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    scales = [int(scale) for scale in options.scales.split(",")] if options.scales else SCALES[device.kind]
    asked = {"scale": scales[0], "size": options.size, "batches": options.batches}
    results = Results("vertices", device.kind, "full", header=describe_run(device, **asked))
    edges = fr.io.rmat(scale=scales[0], edge_factor=EDGE_FACTOR, seed=SEED)
    structures = choose_structures(options.structures.split(","))
    for name in options.structures.split(","):
        for analytic in [None, *(each for each in options.analytics.split(",") if each)]:
            for scale in scales:
                graph = structures[name].from_edges(
                    edges.src, edges.dst, num_vertices=1 << scale, device=device.kind, directed=False
                )
                observers = [] if analytic is None else [attached(graph, analytic)]
                for operation, samples in measure(device, graph, observers, scales[0], options).items():
                    row = {"structure": name, "analytic": analytic, "scale": scale, "operation": operation}
                    results.add(**row, p50_us=1e6 * samples.median, **samples.numbers())
                    print(f"{name:10} {analytic or '-':10} 2^{scale} vertices, {operation} {options.size}: "
                          f"P50 {1e6 * samples.median:10.1f} us", flush=True)  # fmt: skip
    print(f"written to {results.save(options.out)}")
    return 0


def measure(
    device: fr.advanced.Device, graph: fr.DynamicGraph, observers: list, scale: int, options: argparse.Namespace
) -> dict[str, Samples]:
    """Insert batches of random edges among the first vertices, and delete each before the next one comes."""
    rng = np.random.default_rng(SEED)
    found = {"insert": Samples(), "delete": Samples()}
    ends = rng.integers(0, 1 << scale, (options.batches + WARM_UP, 2, options.size)).astype(graph.vertex_dtype)
    for turn, batch in enumerate(ends):
        src, dst = (device.xp.asarray(ids) for ids in batch)
        for operation, update in (("insert", graph.insert_edges), ("delete", graph.delete_edges)):

            def work(update=update, src=src, dst=dst):
                update(src, dst)
                ask(observers)

            device.synchronize()
            timed(device, work, found[operation] if turn >= WARM_UP else None)
    return found
