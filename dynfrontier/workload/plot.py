"""A picture of a workload's report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..outputs import save_picture
from .report import RATES, Measured, WorkloadReport


def plot_report(report: WorkloadReport, path: str | Path) -> None:
    """Draw rates, each batch's latency, times of analytics and memory into a file, with a row for each batch size.

    Raises ImportError without matplotlib, ValueError for an unknown format, or OSError if the file cannot be written.
    """
    from matplotlib.figure import Figure

    sizes = report.batch_sizes
    figure = Figure(figsize=(16, 3.8 * len(sizes) + 0.6), layout="constrained")
    figure.suptitle(f"{report.title}; {report.place}", fontsize="medium")
    colors = {name: f"C{i % 10}" for i, name in enumerate(report.structures)}
    for size, panels in zip(sizes, figure.subplots(len(sizes), 4, squeeze=False), strict=True):
        rows = [row for row in report.rows if row.batch_size == size]
        _draw_rates(panels[0], rows, colors)
        _draw_latency(panels[1], rows, colors)
        _draw_analytics(panels[2], rows, colors, report.workload["analytics"])
        _draw_memory(panels[3], rows, colors)
        panels[0].set_title(f"batches of {size:,}", fontsize="small", loc="left")
    save_picture(figure, Path(path), dpi=110)


def _draw_rates(panel: Any, rows: list[Measured], colors: dict[str, str]) -> None:
    operations = [name for name in RATES if any(row.rate(name) is not None for row in rows)]
    _bars(panel, rows, colors, operations, lambda row, name: (row.rate(name) or 0.0) / 1e6)
    panel.set(ylabel="M operations/s")
    panel.legend(fontsize="x-small")


def _draw_latency(panel: Any, rows: list[Measured], colors: dict[str, str]) -> None:
    for row in rows:
        label = f"{row.structure}, P99 {1e3 * row.percentile(99):.3g}"
        panel.plot(range(1, row.batches + 1), 1e3 * row.per_batch, marker=".", color=colors[row.structure], label=label)
    panel.set(xlabel="batch", ylabel="ms a batch, analytics included", yscale="log")
    panel.legend(fontsize="x-small")


def _draw_analytics(panel: Any, rows: list[Measured], colors: dict[str, str], analytics: list[str]) -> None:
    if not analytics:
        panel.axis("off")
        return
    _bars(panel, rows, colors, analytics, lambda row, name: 1e3 * row.percentile(50, name))
    panel.set(ylabel="ms an analytic (P50)")


def _draw_memory(panel: Any, rows: list[Measured], colors: dict[str, str]) -> None:
    names = [row.structure for row in rows]
    panel.bar(names, [row.reserved / max(row.edges, 1) for row in rows], color="lightgray", label="reserved")
    panel.bar(names, [row.bytes_per_edge for row in rows], 0.6, color=[colors[name] for name in names], label="in use")
    panel.set(ylabel="bytes an edge")
    panel.tick_params(axis="x", rotation=30)
    panel.legend(fontsize="x-small")


def _bars(panel: Any, rows: list[Measured], colors: dict[str, str], groups: list[str], value: Any) -> None:
    width = 0.8 / max(len(rows), 1)
    for i, row in enumerate(rows):
        at = [j + (i - (len(rows) - 1) / 2) * width for j in range(len(groups))]
        panel.bar(at, [value(row, name) for name in groups], width, color=colors[row.structure], label=row.structure)
    panel.set_xticks(range(len(groups)), groups)
