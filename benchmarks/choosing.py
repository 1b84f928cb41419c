"""Which structure suits which workload: the measurements behind the documentation's recommendations.

    python -m benchmarks choosing [--device auto|cpu|gpu] [--mode full|smoke] [--structures a,b] [--out DIR]

Workloads that differ in degree distribution, batch size, mix of operations and analytic are run on every structure by
`dynfrontier.workload`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import frontier as fr
from dynfrontier.machine import describe_run
from dynfrontier.text import Table, duration
from dynfrontier.workload import Measured, Workload, WorkloadReport, recommend
from dynfrontier.workload.generated import generate
from dynfrontier.workload.operations import RecordedStream, open_records
from dynfrontier.workload.runner import choose, run_records

from .results import Results, command_line

NAME = "choosing"
SCALES = {("gpu", "full"): 20, ("cpu", "full"): 16, ("gpu", "smoke"): 8, ("cpu", "smoke"): 8}
SMALL = {("gpu", "full"): 2**12, ("cpu", "full"): 2**8, ("gpu", "smoke"): 16, ("cpu", "smoke"): 16}
LARGE = {("gpu", "full"): 2**18, ("cpu", "full"): 2**14, ("gpu", "smoke"): 64, ("cpu", "smoke"): 64}
BATCHES = {"full": 200, "smoke": 2}
"""Upper bound, before which the stream may end. With fewer than 100, the 99th percentile is the maximum."""


@dataclass(frozen=True)
class Case:
    """A workload of the table.

    Attributes
    ----------
    title : str
    kind : str
        Parameters of the generated stream.
    large : bool
        Batches are large ones.
    options : dict
        Parameters of `Workload`.
    """

    title: str
    kind: str
    large: bool
    options: dict[str, Any] = field(default_factory=dict)


CASES = (
    Case("scale-free, small batches, insertions only", "rmat", False),
    Case("scale-free, large batches, insertions only", "rmat", True),
    Case("scale-free, small batches, insertions only, from an empty graph", "rmat", False, {"preload": 0.0}),
    Case("scale-free, small batches, incremental triangle counts", "rmat", False,
         {"deletes": 0.3, "analytics": "dynamic_triangle_count"}),
    Case("scale-free, large batches, half deletions, components from scratch", "rmat", True,
         {"deletes": 0.5, "analytics": "connected_components"}),
    Case("scale-free, sliding window, PageRank from scratch", "rmat", True,
         {"deletes": 0.5, "delete_order": "oldest", "analytics": "pagerank"}),
    Case("scale-free, mostly queries", "rmat", True, {"deletes": 0.1, "queries": 0.8}),
    Case("a few hubs, large batches", "hubs", True, {"deletes": 0.2}),
    Case("uniform, large batches", "uniform", True, {"deletes": 0.2}),
    Case("roads, small batches, incremental BFS", "road", False, {"deletes": 0.3, "analytics": "dynamic_bfs"}),
)  # fmt: skip


def run(device: fr.advanced.Device, mode: str, structures: list[str] | None, folder: Path) -> Results:
    """Run every case, and save what there is after each."""
    key = device.kind, mode
    kinds = choose(structures)
    results = Results(NAME, device.kind, mode, header=describe_run(device))
    opened: dict[str, RecordedStream] = {}
    for case in CASES:
        stream = opened[case.kind].edges if case.kind in opened else generate(case.kind, SCALES[key])
        workload = Workload(
            stream, (LARGE if case.large else SMALL)[key], batches=BATCHES[mode],
            name=f"{case.kind}, scale {SCALES[key]}", **case.options,
        )  # fmt: skip
        records = opened.setdefault(case.kind, open_records(workload))
        report = run_records(workload, records, kinds, device, None, False)
        results.add(case=case.title, **asdict(replace(report, header={})))
        results.save(folder)
        print(f"{case.title}\n{recommend(report)}\n", flush=True)
    return results


def reports_of(results: Results) -> dict[str, WorkloadReport]:
    """The report of every case, by its title."""
    found = {}
    for row in results.rows:
        parts = {name: row[name] for name in ("workload", "device")}
        rows = tuple(Measured(**measured) for measured in row["rows"])
        found[row["case"]] = WorkloadReport(**parts, rows=rows, notes=tuple(row["notes"]), header=results.header)
    return found


def advice(path: Path) -> str:
    """The documentation's summary of a results file: the best structures for each workload."""
    results = Results.load(path)
    reports = reports_of(results)
    machine = results.header["machine"]
    place = machine.get("gpu") or f"{machine['cores']} cores of {machine['cpu']}"
    lines = []
    for title, report in reports.items():
        rows = {row.structure: row for row in report.rows}
        found = {objective: recommend(report, objective) for objective in ("time", "latency", "memory")}
        best = {objective: rows[one.structure] for objective, one in found.items()}
        rest = sorted((row.mean, name) for name, row in rows.items() if name != best["time"].structure)
        equals = [f"`{name}`, {duration(rows[name].mean)}" for name in found["time"].equals]
        p99, worst = best["latency"].percentile(99), best["latency"].per_batch.max()
        lines.append((
            f"{title} ({report.batch_sizes[0]:,})", f"`{best['time'].structure}`, {duration(best['time'].mean)}",
            f"tied: {'; '.join(equals)}" if equals else f"`{rest[0][1]}`, {duration(rest[0][0])}" if rest else "",
            f"`{rest[-1][1]}`, {duration(rest[-1][0])}" if len(rest) > 1 else "",
            f"`{best['latency'].structure}`, {duration(p99)}" + (f"; max {duration(worst)}" if worst > p99 else ""),
            f"{best['time'].bytes_per_edge:.1f} B; `{best['memory'].structure}` {best['memory'].bytes_per_edge:.1f} B",
        ))  # fmt: skip
    header = ("workload (operations per batch)", "fastest", "next", "slowest", "lowest P99", "bytes per edge; smallest")
    rows = ", ".join(dict.fromkeys(f"{report.workload['stream']}: {report.workload['records']:,} rows"
                                   for report in reports.values()))  # fmt: skip
    counts = [row.batches for report in reports.values() for row in report.rows]
    said = (
        f"{place}, {results.header['date'][:10]} (`{path.name}`). Half of the stream is loaded first, unless stated "
        f"otherwise. {min(counts)} to {max(counts)} batches follow. With fewer than 100, P99 is the maximum. Streams: "
        f"{rows}."
    )
    return f"{said}\n\n{Table(header, tuple(lines)).markdown()}"


def main(arguments: Sequence[str]) -> int:
    """Run all cases. Returns 0."""
    line = command_line("choosing", __doc__)
    line.add_argument("--mode", default="full", choices=list(BATCHES))
    line.add_argument("--structures", help="names, with commas (default: all)")
    options = line.parse_args(arguments)
    names = options.structures.split(",") if options.structures else None
    run(fr.advanced.resolve_device(options.device), options.mode, names, options.out)
    return 0
