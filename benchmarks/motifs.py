"""Counts of temporal motifs, compared with SNAP: ``python -m benchmarks motifs --snap PROGRAM``.

`PROGRAM` is SNAP's ``examples/temporalmotifs/temporalmotifsmain``, built apart. SNAP publishes its counts as images, so
the program counts the same files here. `DYNFRONTIER_DATA` names the folder of the events, and missing ones are left
out. Each file is counted as it is published, and with the positions in time as times. In the first form, SNAP also
counts motifs of events at equal times, by their order in the file. In the second one no times are equal, and all 36
counts must be the same.

The machine may be shared, so times are CPU times of one thread, the least of several runs. SNAP's include reading the
file. Ours are of reading, of the construction of the graph, and of counting.
"""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr
from algorithms import temporal_motifs
from dynfrontier.machine import describe_run

from .graphs import published, published_events
from .results import Results, command_line, commit_of, table
from .timing import Samples, timed

DATA = {
    "CollegeMsg": "CollegeMsg.txt.gz", "email-Eu-core": "email-Eu-core-temporal.txt.gz",
    "sx-mathoverflow": "sx-mathoverflow.txt.gz",
}  # fmt: skip
AS_PUBLISHED, BY_POSITION = "as published", "by position"
DELTAS = {AS_PUBLISHED: 3600, BY_POSITION: 1000}
"""The longest time from the first to the last event of a motif: an hour, or this many events."""
KIND: dict[str, Any] = {"directed": True, "multi_edges": "all", "time_unit": "s", "device": "cpu"}


def main(arguments: Sequence[str]) -> int:
    """Measure, write a results file, and print a table."""
    line = command_line("motifs", __doc__, ("cpu",))
    line.add_argument("--snap", type=Path, metavar="PROGRAM", help="SNAP's temporalmotifsmain")
    line.add_argument("--structure", default="slab", help="a name")
    line.add_argument("--repeat", type=int, default=5, help="runs of each")
    options = line.parse_args(arguments)
    kind = fr.structures()[options.structure]
    header = describe_run(
        fr.advanced.resolve_device("cpu"), threads=1, structure=kind.name,
        snap_commit=options.snap and commit_of(options.snap.resolve().parent),
    )  # fmt: skip
    results = Results("motifs", "cpu", "full", header=header)
    for name, file in DATA.items():
        path = published(file)
        if path is None:
            results.notes.append(f"{name} is left out: DYNFRONTIER_DATA has no {file}")
            continue
        src, dst, times, num_vertices = published_events(path)
        for form, delta in DELTAS.items():
            stamps = times if form == AS_PUBLISHED else np.arange(times.size)
            row = {"data": name, "form": form, "events": times.size, "vertices": num_vertices, "delta": delta}
            with tempfile.TemporaryDirectory(prefix="dynfrontier-motifs-") as folder:
                text = Path(folder) / "events.txt"
                np.savetxt(text, np.stack([src, dst, stamps], axis=1), "%d")
                row |= _ours(kind, text, delta, options.repeat)
                if options.snap:
                    row |= _snap(options.snap, text, delta, options.repeat)
            if options.snap and form == BY_POSITION:
                assert row["counts"] == row["snap_counts"], f"{name}: other counts than SNAP's"
            results.add(**row)
            print(f"{name}, {form}: done", flush=True)
    path = results.save(options.out)
    print(f"written to {path}\n\n" + tables(results))
    return 0


def tables(results: Results) -> str:
    """A Markdown table."""
    keys = "data", "form", "events", "total", "snap_total", "count_ms", "all_ms", "snap_ms"
    head = ["data", "times", "events", "motifs", "SNAP's", "count, ms", "all, ms", "SNAP, ms"]
    return table("CPU time of one thread", head, results.cells(*keys))


def _ours(kind: type[fr.DynamicGraph], text: Path, delta: int, repeat: int) -> dict[str, Any]:
    """Counts of a file, and the least CPU times of each step."""
    device, steps = fr.advanced.resolve_device("cpu"), [Samples() for _ in range(3)]
    for turn in range(repeat + 1):  # the first one compiles
        read, build, count = steps if turn else [None] * 3
        _, edges = timed(device, partial(fr.io.read_edges, text, columns=("src", "dst", "time")), read)
        make = partial(kind.from_edges, edges.src, edges.dst, time=edges.times, **KIND)
        _, graph = timed(device, make, build)
        _, found = timed(device, partial(temporal_motifs, graph, delta), count)
    times = 1e3 * np.array([step.cpu for step in steps]).T
    reading, building, counting = times.min(axis=0).tolist()
    return {
        "counts": found.counts.tolist(), "total": found.total, "read_ms": reading, "build_ms": building,
        "count_ms": counting, "all_ms": reading + building + counting, "ms": times.round(3).tolist(),
    }  # fmt: skip


def _snap(program: Path, text: Path, delta: int, repeat: int) -> dict[str, Any]:
    """SNAP's counts of a file, and the least CPU time of its program."""
    output = text.with_name("counts.txt")
    command = [str(program), f"-i:{text}", f"-delta:{delta}", f"-o:{output}", "-nt:1"]
    times = []
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"OMP_NUM_THREADS": "1"})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    counts = np.loadtxt(output, np.int64)
    return {
        "snap_counts": counts.tolist(), "snap_total": int(counts.sum()), "snap_ms": min(times),
        "snap_all_ms": np.round(times, 3).tolist(),
    }  # fmt: skip
