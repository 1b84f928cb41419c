"""The first batches on a machine that never ran the project: ``python -m benchmarks cold``.

Each structure grows from an empty graph in a separate process, whose caches of compiled code are empty: the project's,
CuPy's and the driver's. The cost of a batch is then the cost that the user of a new machine sees. Kernels that are
compiled in the middle of the stream are named with the batch that they delayed.

With ``--shipped both`` each runs twice on a GPU: with the machine code that came with the package, or that
``python -m dynfrontier.prebuilt`` put there, and without. With ``--again`` another process follows each, which finds
its caches.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import algorithms
import frontier as fr
from dynfrontier.machine import describe_run

from .compilations import recorded
from .context import choose_structures
from .results import ROOT, Results, command_line

ANALYTICS = ("connected_components", "triangle_count", "bfs", "sssp", "pagerank")
SEED = 1
SHIPPED_CODE = "DYNFRONTIER_SHIPPED_CODE"
SHIPPED = {"with": (True,), "without": (False,), "both": (True, False)}


def main(arguments: Sequence[str]) -> int:
    """Measure each structure, with and without analytics. Returns 1 if a process failed, else 0."""
    line = command_line("cold", __doc__)
    line.add_argument("--structures", help="names, separated by commas (default: all that are dynamic)")
    line.add_argument("--analytics", default="", help=f"attached to the graph, of {', '.join(ANALYTICS)}, or all")
    line.add_argument("--scale", type=int, default=20, help="of the RMAT graph that is streamed")
    line.add_argument("--batch", type=int, default=1 << 18, help="rows of a batch")
    line.add_argument("--delete", type=float, default=0.25, help="rows deleted after a batch, for each inserted")
    line.add_argument("--batches", type=int, help="at most so many (default: all of the graph)")
    line.add_argument("--shipped", default="with", choices=SHIPPED, help="machine code that came with the package")
    line.add_argument("--again", action="store_true", help="also a second process, which finds the caches of the first")
    line.add_argument("--timeout", type=float, default=300, help="seconds for each process")
    line.add_argument("--child", help=argparse.SUPPRESS)
    line.add_argument("--begun", type=float, default=time.time(), help=argparse.SUPPRESS)  # since the epoch
    options = line.parse_args(arguments)
    analytics = list(ANALYTICS) if options.analytics == "all" else [n for n in options.analytics.split(",") if n]
    if unknown := set(analytics) - set(ANALYTICS):
        line.error(f"there is no analytic {', '.join(sorted(unknown))} here; there are {', '.join(ANALYTICS)}")
    if options.child:
        print(json.dumps(stream(options.child, analytics, options)))
        return 0
    resolved = fr.advanced.resolve_device(options.device)
    device, asked = resolved.kind, {name: getattr(options, name) for name in ("scale", "batch", "delete")}
    place = Path(os.environ.get(SHIPPED_CODE) or ROOT / "frontier" / "runtime" / "shipped_code")
    archives = {path.name: path.stat().st_size for path in sorted(place.glob("*.zip"))}
    print(f"machine code in {place}: {archives or 'none'}")
    results = Results("cold", device, "full", header=describe_run(resolved, archives=archives, **asked))
    failed = 0
    for structure in choose_structures(options.structures.split(",") if options.structures else None):
        for with_code in SHIPPED[options.shipped]:
            rows = run_cold(structure, arguments, device, options.timeout, with_code, options.again)
            for caches, row in zip(("empty", "full"), rows, strict=False):
                failed += "error" in row
                results.add(structure=structure, analytics=analytics, shipped=with_code, caches=caches, **row)
                print(describe(results.rows[-1]), flush=True)
            results.save(options.out)
    print(f"written to {results.save(options.out)}")
    return int(failed > 0)


def run_cold(
    structure: str, arguments: Sequence[str], device: str, timeout: float, with_code: bool, again: bool
) -> list[dict[str, Any]]:  # fmt: skip
    """`stream` in a process with empty caches, and `again` in one that finds them full, with the package's machine code
    or without."""
    with tempfile.TemporaryDirectory(prefix="dynfrontier-cold-") as folder:
        caches = caches_in(folder)
        command = [sys.executable, "-m", "benchmarks", "cold", *arguments, "--device", device, "--child", structure]
        if not with_code:
            caches[SHIPPED_CODE] = folder  # where there is none
        rows = [_run(command, os.environ | caches, timeout)]
        if again and "error" not in rows[0]:  # a failed one leaves caches incomplete
            rows.append(_run(command, os.environ | caches, timeout))
        return rows


def _run(command: list[str], environment: dict[str, str], timeout: float) -> dict[str, Any]:
    """The result of a process, or its error."""
    begin = time.perf_counter()
    try:
        begun = ["--begun", str(time.time())]
        done = subprocess.run(
            [*command, *begun], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=timeout
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {timeout:.0f} s"}
    seconds = time.perf_counter() - begin
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    return json.loads(done.stdout.splitlines()[-1]) | {"process_s": round(seconds, 3)}


def caches_in(folder: str) -> dict[str, str]:
    """The environment of a process whose caches of compiled code, of all three who compile, are in a folder."""
    return {name: f"{folder}/{name}" for name in ("DYNFRONTIER_CACHE_DIR", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH")}


def stream(name: str, analytics: Sequence[str], options: argparse.Namespace) -> dict[str, Any]:
    """Grow a graph by batches from an empty one, and delete a part of each. Times are in milliseconds."""
    started = 1e3 * (time.time() - options.begun)
    device = fr.advanced.resolve_device(options.device)
    edges = fr.io.rmat(scale=options.scale, edge_factor=16, seed=SEED)
    order = np.random.default_rng(SEED).permutation(edges.num_records)
    src, dst = device.xp.asarray(edges.src[order]), device.xp.asarray(edges.dst[order])
    device.synchronize()
    structure = fr.structures()[name]
    times: dict[str, list[float]] = {"insert": [], "delete": []}
    compiled: list[dict[str, Any]] = []
    with recorded() as log:

        def timed(phase: str, batch: int, work: Any) -> tuple[float, Any]:
            begin = time.perf_counter()
            found = work()
            device.synchronize()
            spent = 1e3 * (time.perf_counter() - begin)
            compiled.extend({"phase": phase, "batch": batch, **asdict(entry)} for entry in log)
            log.clear()
            return spent, found

        construction, graph = timed(
            "construct", 0, lambda: structure(edges.num_vertices, device=device.kind, directed=False)
        )
        attach, observers = timed("attach", 0, lambda: [attached(graph, analytic) for analytic in analytics])
        for batch, begin in enumerate(range(0, src.size, options.batch)[: options.batches]):
            part = slice(begin, begin + options.batch)
            few = slice(begin, begin + int(options.delete * options.batch))

            def insert(part: slice = part) -> None:
                graph.insert_edges(src[part], dst[part])
                ask(observers)

            def delete(few: slice = few) -> None:
                graph.delete_edges(src[few], dst[few])
                ask(observers)

            times["insert"].append(timed("insert", batch, insert)[0])
            if few.stop > few.start:
                times["delete"].append(timed("delete", batch, delete)[0])
    answer = started + construction + attach + times["insert"][0]
    return {
        "started_ms": started, "construct_ms": construction, "attach_ms": attach, "first_answer_ms": answer,
        "batches_ms": times, "compiled": compiled,
    }  # fmt: skip


def attached(graph: Any, analytic: str) -> Any:
    """An incremental analytic of `graph`."""
    match analytic:
        case "connected_components":
            return algorithms.DynamicConnectedComponents(graph)
        case "triangle_count":
            return algorithms.DynamicTriangleCount(graph)
        case "bfs":
            return algorithms.DynamicBFS(graph, 0)
        case "sssp":
            return algorithms.DynamicSSSP(graph, 0)
        case _:
            return algorithms.DynamicPageRank(graph)


def ask(observers: Sequence[Any]) -> None:
    """Read what users would after a batch."""
    for observer in observers:
        for result in ("count", "total", "pagerank", "distance"):
            if hasattr(type(observer), result):
                getattr(observer, result)
                break


def describe(row: dict[str, Any]) -> str:
    """Some lines about a process."""
    head = f"{row['structure']:10} {'+'.join(row['analytics']) or 'no analytics'}"
    head += f", {row['caches']} caches, {'with' if row['shipped'] else 'without'} shipped code: "
    if "error" in row:
        return head + row["error"]
    parts = [
        f"first answer {row['first_answer_ms']:.0f} ms after the start of the process (imports "
        f"{row['started_ms']:.0f}, construct {row['construct_ms']:.0f}, attach {row['attach_ms']:.0f})"
    ]
    for kind, times in row["batches_ms"].items():
        if times:
            worst = int(np.argmax(times))
            parts.append(
                f"{kind} first {times[0]:.1f}, median {np.median(times):.2f}, worst {times[worst]:.1f} (batch {worst})"
            )
    compiled = row["compiled"]
    late = [entry for entry in compiled if entry["phase"] in ("insert", "delete")]
    for compiler in ("functor", "own", "cupy"):
        took = [entry["milliseconds"] for entry in compiled if entry["compiler"] == compiler]
        if took:
            parts.append(f"{compiler} {len(took)} compiled in {sum(took):.0f} ms")
    parts.append(f"{len(late)} of {len(compiled)} compilations within batches, process {row['process_s']:.1f} s")
    lines = [head + "; ".join(parts)]
    if row["shipped"]:  # what should have been among it
        own = [entry for entry in compiled if entry["compiler"] in ("functor", "own") and entry["milliseconds"]]
        lines += [f"    compiled: {entry['compiler']} {entry['name']} ({entry['phase']})" for entry in own]
    return "\n".join(lines)
