"""Strong and weak scaling of graphs in parts: the same program on one worker and on several.

    python -m benchmarks distributed --parts 1,2 --transport nccl                # a process for each GPU
    python -m benchmarks distributed --parts 1,2 --transport ucxx --scale 16     # processes on CPUs

Each worker makes its share of an R-MAT graph, and every step is timed from when all workers are ready until all are
done. Results of several workers are compared with those of the first number, and the program fails if they differ.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr
from algorithms import bfs, connected_components, pagerank, triangle_count
from frontier.distributed import GraphPart, Processes

from .results import FOLDER, Results, describe_run

CHUNKS = 8
"""Pieces in which the graph is made, each from a seed of its own: so it is the same on any number of workers."""


class Clock:
    """Times steps that all workers make together.

    Parameters
    ----------
    part : GraphPart
    repeat : int
        How often to time what can be repeated; the median counts.
    """

    def __init__(self, part: GraphPart, repeat: int):
        self.part = part
        self.repeat = repeat
        self.rows: dict[str, dict[str, float]] = {}

    def once(self, name: str, step: Callable[[], Any], work: float = 0.0) -> Any:
        """Time a step; `work` is what it gets done, of all workers."""
        comm = self.part.comm
        comm.barrier()
        self.part.device.synchronize()
        sent, start = comm.sent_bytes, time.perf_counter()
        result = step()
        self.part.device.synchronize()
        comm.barrier()
        row = {"seconds": time.perf_counter() - start, "sent_bytes": comm.sent_bytes - sent}
        if work:
            row["per_second"] = work / row["seconds"]
        self.rows[name] = row
        return result

    def often(self, name: str, step: Callable[[], Any]) -> Any:
        """Time a step after a first call of it, and then the share of exchange, with a synchronization for each."""
        result = step()
        times = []
        for _ in range(self.repeat):
            self.once(name, step)
            times.append(self.rows[name]["seconds"])
        self.rows[name]["seconds"] = float(np.median(times))
        comm = self.part.comm
        comm.synchronizes, before = True, comm.seconds
        start = time.perf_counter()
        step()
        self.rows[name]["share_of_exchange"] = (comm.seconds - before) / (time.perf_counter() - start)
        comm.synchronizes = False
        return result


def measure(worker: Any, options: dict[str, Any]) -> dict[str, Any]:
    """What one worker does."""
    comm, scale = worker.comm, options["scale"]
    xp = comm.device.xp
    n = 1 << scale
    mine = [
        fr.io.rmat(scale, options["edge_factor"] / CHUNKS, seed=1 + chunk)
        for chunk in range(comm.rank, CHUNKS, comm.size)
    ]
    src, dst = (
        xp.asarray(np.concatenate([getattr(e, name) for e in mine]).astype(np.int32)) for name in ("src", "dst")
    )
    part = GraphPart(comm, options["structure"], n)
    clock = Clock(part, options["repeat"])
    batch = options["batch"]
    rng = np.random.default_rng(comm.rank)
    first = rng.integers(0, src.size, batch // comm.size)
    extra_src, extra_dst = src[xp.asarray(first)], xp.asarray(rng.integers(0, n, first.size).astype(np.int32))

    GraphPart(comm, options["structure"], n).insert_edges(src[:1000], dst[:1000])  # compiles
    clock.once("build", lambda: part.insert_edges(src, dst), work=int(src.size) * comm.size)
    edges = part.num_edges
    for name in ("first", "again"):
        inserted = clock.once(f"insert ({name})", lambda: part.insert_edges(extra_src, extra_dst), work=batch)
        deleted = clock.once(f"delete ({name})", lambda: part.delete_edges(extra_src, extra_dst), work=batch)
    part.insert_edges(src, dst)  # edges of the graph that were in the batch
    checks: dict[str, Any] = {"edges": edges, "edges_again": part.num_edges}
    source = int(part.degrees().argmax())
    found: Any = clock.often("BFS", lambda: bfs(part, source))
    checks["distances"] = int(found.distance.astype(np.int64).sum())
    found = clock.often("components", lambda: connected_components(part))
    checks["labels"], checks["components"] = int(found.labels.astype(np.int64).sum()), found.count
    found = clock.often("PageRank", lambda: pagerank(part))
    clock.rows["PageRank"]["iterations"] = found.iterations
    checks["ranks"] = [round(float(rank), 9) for rank in found.pagerank[:64].tolist()]
    if options["triangles"]:
        found = clock.often("triangles", lambda: triangle_count(part))
        checks["triangles"], checks["per_vertex"] = found.total, int((found.per_vertex % 1_000_003).sum())
    usage = part.local.memory_usage()
    return {
        "rows": clock.rows, "checks": checks, "used_bytes": usage.used, "inserted": inserted.inserted,
        "deleted": deleted.deleted,
    }  # fmt: skip


def differences(found: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """The names of results that differ, ranks by more than their tolerance."""
    wrong = [name for name in expected if name != "ranks" and found[name] != expected[name]]
    if not np.allclose(found["ranks"], expected["ranks"], rtol=1e-3, atol=1e-8):
        wrong.append("ranks")
    return wrong


def main(arguments: Sequence[str]) -> int:
    """Measure each number of workers; 1 if their results differ, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks distributed", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--parts", default="1,2", help="numbers of workers")
    parser.add_argument("--transport", default="ucxx", choices=("ucxx", "nccl"))
    parser.add_argument("--scale", type=int, default=20, help="of the R-MAT graph on the first number of workers")
    parser.add_argument("--edge-factor", type=int, default=16)
    parser.add_argument("--batch", type=int, default=2**20, help="edges of a batch, of all workers together")
    parser.add_argument("--structure", default="slab")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--weak", action="store_true", help="also twice the graph on twice the workers")
    parser.add_argument("--no-triangles", action="store_true")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results file")
    given = parser.parse_args(arguments)
    settings = {
        "scale": given.scale, "edge_factor": given.edge_factor, "batch": given.batch, "structure": given.structure,
        "repeat": given.repeat, "triangles": not given.no_triangles,
    }  # fmt: skip
    parts = [int(each) for each in given.parts.split(",")]
    cases = [(size, settings, False) for size in parts]
    if given.weak:
        growth = [(size, (size // parts[0]).bit_length() - 1) for size in parts[1:]]
        cases += [(size, settings | {"scale": given.scale + more, "batch": given.batch << more}, True)
                  for size, more in growth]  # fmt: skip
    results, wrong = [], []
    for size, options, weak in cases:
        started = time.perf_counter()
        with Processes(size, given.transport) as engine:
            answers = engine.run_alike(measure, options)
        found = answers[0] | {"used_bytes": max(answer["used_bytes"] for answer in answers)}
        results.append({"parts": size, "weak": weak, "options": options, **found})
        base = results[0]
        print(
            f"\n{size} part(s){', weak scaling' if weak else ''}: R-MAT {options['scale']}/{given.edge_factor}, "
            f"{found['checks']['edges']:,} edges, {found['used_bytes'] / 1e6:,.0f} MB on the largest part "
            f"({found['used_bytes'] / base['used_bytes']:.2f}x), {time.perf_counter() - started:.0f} s in total"
        )
        for name, row in found["rows"].items():
            ratio = base["rows"][name]["seconds"] / row["seconds"]
            share = f", {row['share_of_exchange']:.0%} in exchange" if "share_of_exchange" in row else ""
            sent = f"sent {row['sent_bytes'] / 1e6:9.2f} MB"
            print(f"  {name:16} {row['seconds'] * 1e3:10.2f} ms   {ratio:5.2f}x   {sent}{share}", flush=True)
        if not weak:
            wrong += [f"{name} on {size} parts" for name in differences(found["checks"], base["checks"])]
    device = fr.resolve_device("gpu" if given.transport == "nccl" else "cpu")
    path = Results(
        "distributed", device.kind, "full", rows=results, header=describe_run(device, transport=given.transport)
    ).save(given.out)
    print(f"written to {path}")
    if wrong:
        print(f"results differ: {', '.join(wrong)}")
        return 1
    print("\nall results are those of the first number of workers")
    return 0
