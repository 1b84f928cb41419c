"""What snapshots cost: ``python -m benchmarks snapshots``.

For graphs of several sizes: the time of `snapshot()`; of an update alone, of the first update after the first snapshot
(which copies the graph if that was not read), and of updates while each is preceded by a snapshot; and of the first
read of a snapshot after one such update. Then a stream whose updates run while another thread computes PageRank on one
snapshot after another.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr
from algorithms import pagerank

from .context import choose_structures
from .results import FOLDER, Results, describe_run
from .timing import Samples, timed

SEED = 1
ROUNDS = 9
RANKS = 3


def main(arguments: Sequence[str]) -> int:
    """Measure each structure; always 0."""
    line = argparse.ArgumentParser(prog="python -m benchmarks snapshots", description=__doc__.splitlines()[0])
    line.add_argument("--device", default="auto", choices=["auto", "cpu", "gpu"])
    line.add_argument("--structures", help="names, separated by commas; by default all that are dynamic")
    line.add_argument("--scales", default="16,18,20", help="of the RMAT graphs, which have 16 edges to a vertex")
    line.add_argument("--batch", type=int, default=1 << 12, help="edges of a batch")
    line.add_argument("--out", type=Path, default=FOLDER, help="folder of the results file")
    options = line.parse_args(arguments)
    device = fr.advanced.resolve_device(options.device)
    results = Results("snapshots", device.kind, "full", header=describe_run(device, batch=options.batch))
    names = options.structures.split(",") if options.structures else None
    chosen = choose_structures(names)
    for scale in map(int, options.scales.split(",")):
        edges = fr.io.rmat(scale=scale, edge_factor=16, seed=SEED)
        for name in names or chosen:
            results.add(structure=name, scale=scale, **measure(device, name, edges, options.batch))
            print(describe(results.rows[-1]), flush=True)
    print(f"written to {results.save(options.out)}")
    return 0


def measure(device: fr.advanced.Device, name: str, edges: Any, size: int) -> dict[str, Any]:
    """The times of one structure; milliseconds, the least of several, but for what happens once."""
    rng = np.random.default_rng(SEED)
    src, dst = device.xp.asarray(edges.src), device.xp.asarray(edges.dst)
    graph = fr.structures()[name].from_edges(src, dst, num_vertices=edges.num_vertices, device=device.kind)

    def batch() -> Any:
        return device.xp.asarray(rng.integers(0, edges.num_vertices, (2, size)))

    def update(given: Any) -> Any:
        return lambda: graph.insert_edges(*given)

    alone, taken, after, read = (Samples() for _ in range(4))
    for _ in range(ROUNDS):
        timed(device, update(batch()), alone)
    held = graph.snapshot()
    first = Samples()
    timed(device, update(batch()), first)
    held.degrees()
    del held
    for _ in range(ROUNDS):
        shown: list[Any] = []
        timed(device, lambda: shown.append(graph.snapshot()), taken)  # noqa: B023
        timed(device, update(batch()), after)
        timed(device, shown[0].degrees, read)
    copied = Samples()
    timed(device, graph.copy, copied)
    row = {"snapshot": taken, "update": alone, "update_after": after, "first_update_after": first, "read": read,
           "copy": copied}  # fmt: skip
    return {
        "arcs": graph.num_arcs, "bytes": graph.memory_usage().used,
        **{f"{name}_ms": 1e3 * samples.best for name, samples in row.items()},
        **stream(device, graph, batch),
    }  # fmt: skip


def stream(device: fr.advanced.Device, graph: Any, batch: Any) -> dict[str, Any]:
    """Updates alone, and while another thread computes PageRank again and again: their medians."""
    alone, beside, ranked = Samples(), Samples(), Samples()
    for _ in range(RANKS * ROUNDS):
        given = batch()
        timed(device, lambda: graph.insert_edges(*given), alone)  # noqa: B023

    def rank() -> None:
        for _ in range(RANKS):
            timed(device, lambda: pagerank(graph.snapshot(), tol=1e-4), ranked)

    thread = threading.Thread(target=rank)
    thread.start()
    while thread.is_alive():
        given = batch()
        timed(device, lambda: graph.insert_edges(*given), beside)  # noqa: B023
    thread.join()
    return {"stream_ms": 1e3 * alone.median, "stream_beside_ms": 1e3 * beside.median, "beside": len(beside.wall),
            "pagerank_ms": 1e3 * ranked.median}  # fmt: skip


def describe(row: dict[str, Any]) -> str:
    """A line about a structure and a graph."""
    return (
        f"{row['structure']:10} scale {row['scale']}, {row['bytes'] / 2**20:,.0f} MiB: snapshot "
        f"{1e3 * row['snapshot_ms']:.0f} us; update {row['update_ms']:.2f} ms, after a snapshot "
        f"{row['update_after_ms']:.2f}, the first time {row['first_update_after_ms']:.2f}; first read "
        f"{row['read_ms']:.2f}, copy {row['copy_ms']:.2f}; while PageRank runs ({row['pagerank_ms']:.0f} ms) "
        f"{row['stream_beside_ms']:.2f}, alone {row['stream_ms']:.2f}"
    )
