"""Strong and weak scaling of distributed graphs: the same program on one worker and on several.

    python -m benchmarks distributed                                             # on all GPUs, or two CPU processes
    python -m benchmarks distributed --parts 1,2 --transport ucxx --scale 16     # processes on CPUs
    python -m benchmarks distributed --parts 2 --large 27/20                     # one that outgrows a GPU

Each worker makes its share of an R-MAT graph, and every step is timed from when all workers are ready until all are
done. One worker has a graph of one device, as a program without partitions would. Strong scaling is the same graph on
more workers, weak scaling twice the graph on twice the workers. The first number of workers has twice the graph, too,
since an R-MAT graph of twice the vertices is more than twice the work. Results of several workers are compared with the
results of the first number, and the program fails if they differ.

Figure 12 of the paper on GPMA (Sha et al., PVLDB 2017, section 6.4) is reproduced with graphs of one, two and three
times the edges. It shows the throughput of updates, BFS, components and PageRank, for GPMA+ and batches of 1 % of the
edges.

A large graph is built by a stream of insertions, counted, updated and counted again.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr
from algorithms import DynamicTriangleCount, bfs, connected_components, pagerank, triangle_count
from dynfrontier.machine import describe_run
from frontier.distributed import Communicator, GraphPart, ProcessEngine

from .results import FOLDER, Results

CHUNKS = 32
"""Pieces in which the graph is made, each from its own seed: so it is the same on any number of workers."""
SMALLER, ROUNDS = (1 << 10, 1 << 16, 1 << 20), 5
"""Smaller batches, which are timed more often."""
AGAIN = 8
"""Batches in which existing edges are inserted again: an insertion of duplicates needs 64 bytes for each."""


class Clock:
    """Times steps that all workers make together.

    Parameters
    ----------
    comm : Communicator
    repeat : int
        The number of times to time repeatable steps. The median counts.
    """

    def __init__(self, comm: Communicator, repeat: int):
        self.comm = comm
        self.repeat = repeat
        self.rows: dict[str, dict[str, float]] = {}

    def once(self, name: str, step: Callable[[], Any], work: float = 0.0) -> Any:
        """Time a step. `work` is the amount that all workers process."""
        comm = self.comm
        comm.barrier()
        comm.device.synchronize()
        before, start = (comm.sent_bytes, comm.exchanges, comm.waits), time.perf_counter()
        result = step()
        comm.device.synchronize()
        row = {
            "seconds": time.perf_counter() - start, "sent_bytes": comm.sent_bytes - before[0],
            "exchanges": comm.exchanges - before[1], "waits": comm.waits - before[2],
        }  # fmt: skip
        if work:
            row["per_second"] = work / row["seconds"]
        self.rows[name] = row
        return result

    def in_turn(self, steps: dict[str, Callable[[], Any]], work: float, rounds: int = 1) -> list[Any]:
        """Time steps that undo each other, in turn, after a first round of them, and return their results.

        Parameters
        ----------
        rounds : int
            The factor by which they are repeated more often than other steps.
        """
        results = [step() for step in steps.values()]
        times: dict[str, list[float]] = {name: [] for name in steps}
        for _ in range(self.repeat * rounds):
            for name, step in steps.items():
                self.once(name, step, work)
                times[name].append(self.rows[name]["seconds"])
        for name, step in steps.items():
            seconds = float(np.median(times[name]))
            self.rows[name] |= {"seconds": seconds, "per_second": work / seconds}
            self.share(name, step)
        return results

    def often(self, name: str, step: Callable[[], Any], work: float = 0.0) -> Any:
        """Time a step after a first call of it, and then the share of exchange, with a synchronization for each."""
        result = step()
        times = []
        for _ in range(self.repeat):
            self.once(name, step)
            times.append(self.rows[name]["seconds"])
        self.rows[name]["seconds"] = float(np.median(times))
        if work:
            self.rows[name]["per_second"] = work / self.rows[name]["seconds"]
        self.share(name, step)
        return result

    def share(self, name: str, step: Callable[[], Any]) -> Any:
        """Note the share of exchange in the time of a step, with a synchronization for each exchange."""
        comm = self.comm
        comm.synchronizes, before = True, comm.seconds
        start = time.perf_counter()
        result = step()
        self.rows[name]["share_of_exchange"] = (comm.seconds - before) / (time.perf_counter() - start)
        comm.synchronizes = False
        return result


def chunk_of(chunk: int, options: dict[str, Any]) -> tuple[Any, Any, Any, Any]:
    """A piece of the graph, and of the batch: edges from the sources of its edges to any vertices."""
    scale = options["scale"]
    edges = fr.io.rmat(scale, options["edge_factor"] / CHUNKS, seed=1 + chunk)
    rng = np.random.default_rng(1 + chunk)
    some = rng.integers(0, edges.src.size, options["batch"] // CHUNKS)
    return edges.src, edges.dst, edges.src[some], rng.integers(0, 1 << scale, some.size)


def pieces_of(comm: Communicator, options: dict[str, Any]) -> list[tuple[Any, Any, Any, Any]]:
    """The pieces that a worker makes, as `chunk_of` does."""
    with ThreadPoolExecutor(max((os.cpu_count() or 1) // comm.size, 1)) as pool:
        return list(pool.map(lambda chunk: chunk_of(chunk, options), range(comm.rank, CHUNKS, comm.size)))


def share_of(comm: Communicator, options: dict[str, Any]) -> list[Any]:
    """A worker's share, on its device: sources and destinations of the graph, and of the batch."""
    pieces = zip(*pieces_of(comm, options), strict=True)
    return [comm.device.xp.asarray(np.concatenate(each).astype(np.int32)) for each in pieces]


def graph_of(comm: Communicator, options: dict[str, Any]) -> Any:
    """An empty graph: a part of one, or of one device if there is one worker."""
    n = 1 << options["scale"]
    if comm.size > 1:
        return GraphPart(comm, options["structure"], n)
    return fr.advanced.structure_class(options["structure"])(n, device=comm.device)


def build(comm: Communicator, options: dict[str, Any], src: Any, dst: Any) -> Any:
    """A graph of the initial edges."""
    if comm.size > 1:
        graph = graph_of(comm, options)
        graph.insert_edges(src, dst)
        return graph
    kind: Any = fr.advanced.structure_class(options["structure"])
    return kind.from_edges(src, dst, num_vertices=1 << options["scale"], device=comm.device)


def measure(worker: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The measurements of one worker."""
    comm = worker.comm
    src, dst, extra_src, extra_dst = share_of(comm, options)
    batch = options["batch"]
    clock = Clock(comm, options["repeat"])
    small = build(comm, options, src[:1000], dst[:1000])  # compiles
    small.insert_edges(src[:2000], dst[:2000])
    small.delete_edges(src[:10], dst[:10])
    del small
    build(comm, options, src, dst)  # allocates
    part = clock.once("build", lambda: build(comm, options, src, dst), work=int(src.size) * comm.size)
    edges = part.num_edges

    def insert(count: int | None = None) -> Any:
        return part.insert_edges(extra_src[:count], extra_dst[:count])

    def delete(count: int | None = None) -> Any:
        return part.delete_edges(extra_src[:count], extra_dst[:count])

    clock.once("insert (first)", insert, work=batch)
    clock.once("delete (first)", delete, work=batch)
    inserted, deleted = clock.in_turn({"insert (again)": insert, "delete (again)": delete}, work=batch)
    for size in (each for each in SMALLER if each < batch):
        some = size // comm.size
        steps = {f"insert {size:,}": partial(insert, some), f"delete {size:,}": partial(delete, some)}
        clock.in_turn(steps, size, ROUNDS)
    for piece in range(AGAIN):  # edges of the graph that were in the batch
        part.insert_edges(src[piece::AGAIN], dst[piece::AGAIN])
    checks: dict[str, Any] = {"edges": edges, "edges_again": part.num_edges}
    source, arcs = int(part.degrees().argmax()), part.num_arcs
    found: Any = clock.often("BFS", lambda: bfs(part, source), work=arcs)
    checks["distances"] = int(found.distance.astype(np.int64).sum())
    clock.rows["BFS"]["levels"] = found.levels
    found = clock.often("components", lambda: connected_components(part), work=arcs)
    checks["labels"], checks["components"] = int(found.labels.astype(np.int64).sum()), found.count
    found = clock.often("PageRank", lambda: pagerank(part), work=arcs)
    clock.rows["PageRank"]["iterations"] = found.iterations
    checks["ranks"] = [round(float(rank), 9) for rank in found.pagerank[:64].tolist()]
    if options["triangles"]:
        found = clock.often("triangles", lambda: triangle_count(part))
        checks["triangles"], checks["per_vertex"] = found.total, int((found.per_vertex % 1_000_003).sum())
        with DynamicTriangleCount(part) as triangles:

            def follow(update: Callable[[], Any]) -> Callable[[], Any]:
                return lambda: (update(), triangles.total)

            steps = {"insert + triangles": follow(insert), "delete + triangles": follow(delete)}
            checks["triangles_inserted"] = clock.in_turn(steps, work=batch)[0][1]
            checks["triangles_deleted"] = triangles.total
            checks["triangles_recounted"] = triangle_count(part, per_vertex=False).total
    usage = (part.local if comm.size > 1 else part).memory_usage()
    return {
        "rows": clock.rows, "checks": checks, "used_bytes": usage.used, "reserved_bytes": usage.reserved,
        "inserted": inserted.inserted, "deleted": deleted.deleted,
    }  # fmt: skip


def measure_large(worker: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The measurements of one worker with a graph that comes as a stream, one batch for each of its pieces."""
    comm, clock = worker.comm, Clock(worker.comm, 1)
    xp = comm.device.xp
    part = graph_of(comm, options)
    seconds, batch, extra = 0.0, options["batch"], []
    for pieces in pieces_of(comm, options):
        src, dst, *more = (xp.asarray(each.astype(np.int32)) for each in pieces)
        extra.append(more)
        clock.once("stream", lambda src=src, dst=dst: part.insert_edges(src, dst))
        seconds += clock.rows["stream"]["seconds"]
        del src, dst
    clock.rows["stream"]["seconds"] = seconds
    src, dst = (xp.concatenate(each) for each in zip(*extra, strict=True))
    part.delete_edges(src, dst)  # edges of the graph that are in the batch
    checks = {"edges": part.num_edges}
    checks["triangles"] = clock.once("triangles", lambda: triangle_count(part, per_vertex=False)).total
    inserted = clock.once("insert", lambda: part.insert_edges(src, dst), batch)
    clock.once("BFS", lambda: bfs(part, 0), part.num_arcs)
    clock.once("components", lambda: connected_components(part), part.num_arcs)
    deleted = clock.once("delete", lambda: part.delete_edges(src, dst), batch)
    checks["triangles_recounted"] = triangle_count(part, per_vertex=False).total
    checks["edges_again"] = part.num_edges
    usage = (part.local if comm.size > 1 else part).memory_usage()
    return {
        "rows": clock.rows, "checks": checks, "used_bytes": usage.used, "reserved_bytes": usage.reserved,
        "inserted": inserted.inserted, "deleted": deleted.deleted,
    }  # fmt: skip


def together(answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The combined measurements of all workers: the time of the last, the memory of the largest."""
    found = answers[0]
    for name, row in found["rows"].items():
        slowest = max(answer["rows"][name]["seconds"] for answer in answers)
        if "per_second" in row:
            row["per_second"] *= row["seconds"] / slowest
        row["seconds"] = slowest
    most = {name: max(answer[name] for answer in answers) for name in ("used_bytes", "reserved_bytes")}
    return found | most


def differences(found: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """The names of results that differ, ranks by more than their tolerance."""
    wrong = [name for name in expected if name != "ranks" and found[name] != expected[name]]
    if "ranks" in found and not np.allclose(found["ranks"], expected["ranks"], rtol=1e-3, atol=1e-8):
        wrong.append("ranks")
    if found.get("triangles_recounted") != found.get("triangles_deleted", found.get("triangles")):
        wrong.append("triangles_recounted")
    return wrong


def main(arguments: Sequence[str]) -> int:
    """Measure each number of workers. Returns 1 if their results differ, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks distributed", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--parts", help="numbers of workers (default: 1, 2, ... up to the number of GPUs, or 1,2)")
    parser.add_argument("--transport", choices=("ucxx", "nccl"), help="by default nccl with several GPUs")
    parser.add_argument("--scale", type=int, help="of the R-MAT graph on the first number of workers: 24, on CPUs 14")
    parser.add_argument("--edge-factor", type=int, default=16)
    parser.add_argument("--batch", type=int, help="edges of a batch, of all workers together (default: n / 4)")
    parser.add_argument("--structure", default="slab")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--large", metavar="SCALE/FACTOR", help="of a graph to measure instead of the others")
    parser.add_argument("--no-weak", action="store_true", help="without weak scaling")
    parser.add_argument("--no-triangles", action="store_true")
    parser.add_argument("--no-figure-12", action="store_true", help="without the figure, whose scale is two less")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results file")
    given = parser.parse_args(arguments)
    gpus = count_gpus()
    transport = given.transport or ("nccl" if gpus > 1 else "ucxx")
    most = gpus if transport == "nccl" else 2
    parts = [int(each) for each in given.parts.split(",")] if given.parts else powers_of_two(most)
    scale = given.scale or (24 if transport == "nccl" else 14)
    settings = {
        "scale": scale, "edge_factor": given.edge_factor, "batch": given.batch or 2**scale // 4,
        "structure": given.structure, "repeat": given.repeat, "triangles": not given.no_triangles,
    }  # fmt: skip
    results: list[dict[str, Any]] = []
    wrong = []
    for size in parts:
        if given.large:
            scale, factor = map(int, given.large.split("/"))
            cases = [("large", settings | {"scale": scale, "edge_factor": factor})]
        else:
            growth = max(size, *parts[:2]) // parts[0]
            cases = cases_of(growth, settings, weak=not given.no_weak, figure=not given.no_figure_12)
        with ProcessEngine(size, transport) as engine:
            for kind, options in cases:
                started = time.perf_counter()
                found = together(engine.run_alike(measure_large if kind == "large" else measure, options))
                found = {"parts": size, "kind": kind, "options": options, **found}
                results.append(found)
                same = same_on_first(results, found)
                show(found, same, results[0] if kind == "weak" else None, time.perf_counter() - started)
                wrong += [f"{name} on {size} parts" for name in differences(found["checks"], same["checks"])]
    device = fr.advanced.resolve_device("gpu" if transport == "nccl" else "cpu")
    path = Results(
        "distributed", device.kind, "full", rows=results, header=describe_run(device, transport=transport)
    ).save(given.out)
    print(f"written to {path}")
    if wrong:
        print(f"results differ: {', '.join(wrong)}")
        return 1
    print("\nall results equal the results of the first number of workers")
    return 0


def count_gpus() -> int:
    """The number of GPUs that this process sees."""
    if not fr.gpu_available():
        return 0
    import cupy

    return int(cupy.cuda.runtime.getDeviceCount())


def powers_of_two(most: int) -> list[int]:
    """1, 2, 4, ..."""
    return [1 << i for i in range(max(most, 1).bit_length())]


def cases_of(growth: int, settings: dict[str, Any], *, weak: bool, figure: bool) -> list[tuple[str, dict[str, Any]]]:
    """The cases to measure on a number of workers: kinds, and settings.

    Parameters
    ----------
    growth : int
        Settings of the graph of weak scaling.
    """
    cases = [("strong", settings)]
    more = growth.bit_length() - 1
    if weak and more:
        cases.append(("weak", settings | {"scale": settings["scale"] + more, "batch": settings["batch"] << more}))
    if figure:
        scale = settings["scale"] - 2
        for times in (1, 2, 3):
            factor = times * settings["edge_factor"]
            cases.append(("figure 12", settings | {
                "scale": scale, "edge_factor": factor, "batch": (factor << scale) // 100, "structure": "gpma",
                "triangles": False, "repeat": 1,
            }))  # fmt: skip
    return cases


def same_on_first(results: list[dict[str, Any]], found: dict[str, Any]) -> dict[str, Any]:
    """The same on the first number of workers that has measured it."""
    return next(row for row in results if row["kind"] == found["kind"] and row["options"] == found["options"])


def show(found: dict[str, Any], same: dict[str, Any], smaller: dict[str, Any] | None, seconds: float) -> None:
    """Print a table.

    Parameters
    ----------
    same : dict
        The measurements of the first number of workers on the same graph.
    smaller : dict, optional
        Its measurements on the first graph of weak scaling.
    """
    options = found["options"]
    print(
        f"\n{found['kind']}, {found['parts']} part(s): {options['structure']}, R-MAT {options['scale']}/"
        f"{options['edge_factor']}, {found['checks']['edges']:,} edges, {found['used_bytes'] / 1e6:,.0f} MB on the "
        f"largest part ({found['used_bytes'] / same['used_bytes']:.2f}x), {seconds:.0f} s in total"
    )
    for name, row in found["rows"].items():
        ratio = same["rows"][name]["seconds"] / row["seconds"]
        begun = None if smaller is None else smaller["rows"].get(name)  # that graph may have too small a batch
        weak = "" if begun is None else f", weak {begun['seconds'] / row['seconds']:5.2f}x"
        rate = f"{row['per_second'] / 1e6:9.1f} M/s" if "per_second" in row else " " * 13
        share = f", {row['share_of_exchange']:4.0%} in exchange" if "share_of_exchange" in row else ""
        print(
            f"  {name:18} {row['seconds'] * 1e3:10.2f} ms {ratio:5.2f}x{weak} {rate}  {row['exchanges']:3} exchanges, "
            f"{row['waits']:3} waits, {row['sent_bytes'] / 1e6:9.2f} MB{share}", flush=True
        )  # fmt: skip
