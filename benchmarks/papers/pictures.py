"""Pictures of results files of papers: one for each table or figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..plot import COLORS, make_figure, place, save
from ..results import Results
from . import PAPERS
from .experiment import Experiment
from .report import title_of

Row = dict[str, Any]


def plot_paper(results: Results, folder: Path) -> list[Path]:
    """A picture for each experiment that was measured; a panel for each quantity and, where there is an axis, graph."""
    paper = PAPERS[results.header["paper"]]
    paths = []
    for experiment in paper.experiments:
        rows = experiment.derive(results.where(experiment=paper.key(experiment)))
        draw = _curves if experiment.curve else _lines if "x" in experiment.rows else _bars
        panels: dict[str, list[Row]] = {}
        for row in rows:
            if not experiment.curve or "wall_ms" in row:
                panels.setdefault(_panel_of(experiment, row), []).append(row)
        if not panels:
            continue
        title = f"{paper.citation}\n{title_of(experiment)}, {place(results)}"
        figure, axes = make_figure(1, len(panels), title)
        for axis, (name, mine) in zip(axes, panels.items(), strict=True):
            draw(axis, experiment, mine)
            axis.set_title(name)
        axes[0].legend(fontsize="x-small")
        name = f"papers-{results.device}-{paper.name}-{experiment.number.replace(' ', '-')}"
        paths.append(save(figure, folder, name))
    return paths


def _panel_of(experiment: Experiment, row: Row) -> str:
    """The title of the panel that a row belongs to."""
    parts = [f"{row['quantity']}, {row['unit']}" if row["quantity"] else row["unit"]]
    if {"graph", "x"} <= set(experiment.rows):
        parts.append(row["graph"])
    if experiment.curve:
        parts.append(f"{experiment.axis} {row['x']:,}")
    return "\n".join(parts)


def _lines(panel: Any, experiment: Experiment, rows: Sequence[Row]) -> None:
    """Values against the axis, a line for each column of the table; their mean where several fall together."""
    for column in dict.fromkeys(row[experiment.columns] for row in rows):
        points: dict[Any, list[float]] = {}
        for row in rows:
            if row[experiment.columns] == column:
                points.setdefault(row["x"], []).append(row["value"])
        means = [float(np.mean(values)) for values in points.values()]
        panel.plot(list(points), means, marker=".", label=column, **_style(column))
    panel.set(xlabel=experiment.axis, xscale="log", yscale="log" if all(row["value"] > 0 for row in rows) else "linear")


def _bars(panel: Any, experiment: Experiment, rows: Sequence[Row]) -> None:
    """A group of bars for each graph."""
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    systems = list(dict.fromkeys(row["system"] for row in rows))
    width = 0.8 / len(systems)
    for i, system in enumerate(systems):
        bars = [(graphs.index(row["graph"]) + i * width, row["value"]) for row in rows if row["system"] == system]
        panel.bar(*zip(*bars, strict=True), width, label=system, **_style(system))
    panel.set_xticks([i + 0.4 - width / 2 for i in range(len(graphs))], graphs)
    if all(row["value"] > 0 for row in rows):
        panel.set_yscale("log")


def _curves(panel: Any, experiment: Experiment, rows: Sequence[Row]) -> None:
    """The time of every batch."""
    for row in rows:
        panel.plot(row["wall_ms"], marker=".", label=row["system"], **_style(row["system"]))
    panel.set(xlabel="number of the batch", yscale="log")


def _style(label: str) -> Row:
    """The color of a structure; variants are dashed, in colors as they come."""
    return {"color": COLORS.get(label), "linestyle": "--" if "," in label else "-"}
