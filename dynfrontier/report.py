"""The results of the main job: as a table, as JSON and as a picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from .job import Applied
from .outputs import save_picture
from .text import duration, plural, scaled, size

TOTALS_TITLE, TIMES_TITLE = "Stream and graph", "Time"
TIMES = ("total", "P50", "P99", "edges/s")  # columns of the table of times


@dataclass(frozen=True)
class Report:
    """The findings of a run.

    `setting` has structure, device, stream, batch size, window, analytic, and the noun of the count (None to count only
    edges). `seconds` has the total, median and 99th percentile of updates, counts and both. `verified` is None if it
    was not checked.
    """

    setting: dict[str, Any]
    steps: list[Applied]
    totals: dict[str, Any]
    seconds: dict[str, dict[str, float]]
    verified: bool | None = None
    interrupted: bool = False


def make_report(
    setting: dict[str, Any], steps: list[Applied], graph: Any, stream_seconds: float, interrupted: bool = False
) -> Report:
    """Sum up the steps of a job. Nothing is checked yet. `stream_seconds` last from the first batch to the last."""
    memory = graph.memory_usage()
    summed = ("records", "loops", "inserted", "deleted", "deletions", "late")
    sums = {name: sum(getattr(step, name) for step in steps) for name in summed}
    update = np.array([step.update_seconds for step in steps] or [0.0])
    count = np.array([step.count_seconds for step in steps] or [0.0])
    changed = sums["records"] + sums["deletions"]
    counting = float(count.sum())
    arrived = sums["records"] if setting["window"] else changed  # deletions by a window are not rows
    edges = max(graph.num_edges, 1)
    totals = {
        "batches": len(steps),
        **sums,
        "duplicates": sums["records"] - sums["loops"] - sums["inserted"] - sums["late"],
        "vertices": graph.num_vertices,
        "vertices_with_edges": int((graph.degrees() > 0).sum()) if graph.num_vertices else 0,
        "edges": graph.num_edges,
        "count": steps[-1].count if steps else 0,
        "updates_per_second": changed / max(float(update.sum()), 1e-9),
        "counts_per_second": (sums["inserted"] + sums["deleted"]) / counting if counting else None,
        "records_per_second": arrived / max(stream_seconds, 1e-9),
        "stream_seconds": stream_seconds,
        "recount_seconds": None,
        "bytes_per_edge": memory.used / edges,
        "csr_bytes_per_edge": memory.csr / edges,
        "bytes_used": memory.used,
    }
    seconds = {"update": _spread(update), "count": _spread(count), "both": _spread(update + count)}
    return Report(setting, steps, totals, seconds, interrupted=interrupted)


def checked(report: Report, verified: bool | None, recount_seconds: float | None) -> Report:
    """A report with the outcome of a check, or None where it was not made."""
    return replace(report, verified=verified, totals=report.totals | {"recount_seconds": recount_seconds})


def _spread(seconds: np.ndarray) -> dict[str, float]:
    p50, p99 = np.percentile(seconds, [50, 99])
    return {"total": float(seconds.sum()), "p50": float(p50), "p99": float(p99)}


def totals_rows(report: Report) -> list[tuple[str, str]]:
    """Names and values of the stream and the graph."""
    found = report.totals
    ratio = found["bytes_per_edge"] / max(found["csr_bytes_per_edge"], 1e-9)
    noun = report.setting["counted"]
    return [
        ("batches", f"{found['batches']:,}"),
        ("records", f"{found['records']:,}"),
        ("edges inserted", f"{found['inserted']:,}"),
        ("duplicates, self-loops", f"{found['duplicates']:,}, {found['loops']:,}"),
        *([("older than the window", f"{found['late']:,}")] if found["late"] else []),
        ("edges deleted", f"{found['deleted']:,}"),
        ("vertices, with edges", f"{found['vertices']:,}, {found['vertices_with_edges']:,}"),
        ("edges now", f"{found['edges']:,}"),
        *([] if noun is None else [(f"{plural(noun)} now", f"{found['count']:,}")]),
        ("memory", size(found["bytes_used"])),
        ("memory per edge", f"{found['bytes_per_edge']:.1f} B, {ratio:.2f} times CSR's"),
    ]


def times_rows(report: Report) -> list[tuple[str, ...]]:
    """Names, and values for each of `TIMES`."""
    rates = {"update": report.totals["updates_per_second"], "count": report.totals["counts_per_second"]}
    names = {"update": "update the graph"}
    if report.setting["counted"] is not None:
        names |= {"count": f"count {plural(report.setting['counted'])}", "both": "a batch, both"}
    rows = []
    for key, name in names.items():
        spread, rate = report.seconds[key], rates.get(key)
        said = "" if rate is None else scaled(rate)
        rows.append((name, *(duration(spread[part]) for part in ("total", "p50", "p99")), said))
    stream, rate = report.totals["stream_seconds"], report.totals["records_per_second"]
    rows.append(("the stream, in records", duration(stream), "", "", scaled(rate)))
    recount = report.totals["recount_seconds"]
    if report.setting["counted"] is not None and recount is not None:
        rows.append(("count from scratch", duration(recount), "", "", ""))
    return rows


def totals_table(report: Report) -> Table:
    table = _table(TOTALS_TITLE)
    table.add_column("", style="bold")
    table.add_column("", justify="right")
    counted = f"{plural(report.setting['counted'] or 'edge')} now"
    for name, value in totals_rows(report):
        table.add_row(name, value, style="bold green" if name == counted else None)
    return table


def times_table(report: Report) -> Table:
    table = _table(TIMES_TITLE)
    table.add_column("")
    for name in TIMES:
        table.add_column(name, justify="right")
    for row in times_rows(report):
        table.add_row(*row)
    return table


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", show_edge=False, box=None, pad_edge=False,
                 padding=(0, 2, 0, 0))  # fmt: skip


def plot_steps(steps: list[Applied], path: Path, title: str, noun: str | None) -> None:
    """Draw counts (unless the noun is None), edges and latencies by batch into a file, in the format of its name."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    batches = range(1, len(steps) + 1)
    figure.suptitle(title)
    edges = above
    if noun is not None:
        above.plot(batches, [step.count for step in steps], color="tab:green")
        above.set_ylabel(plural(noun), color="tab:green")
        edges = above.twinx()
    edges.plot(batches, [step.edges for step in steps], color="tab:gray")
    edges.set_ylabel("edges", color="tab:gray")
    times = {"update": [1e3 * step.update_seconds for step in steps]}
    if noun is not None:
        times["count"] = [1e3 * step.count_seconds for step in steps]
    below.stackplot(batches, *times.values(), labels=list(times), colors=["tab:blue", "tab:orange"][: len(times)])
    below.set_ylabel("milliseconds a batch")
    below.set_xlabel("batch")
    below.set_ylim(bottom=0)
    below.legend(loc="upper left")
    save_picture(figure, path, dpi=120)
