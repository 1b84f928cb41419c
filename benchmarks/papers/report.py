"""Tables and verdicts of reproduced experiments, in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..results import Results, table
from .check import Verdict, judge, short
from .experiment import Experiment, Paper


def report(paper: Paper, results: Results) -> str:
    """All that was measured for a paper, with the paper's claims."""
    head = f"## {paper.citation}\n\n{place_of(results)}. The paper's GPU: {paper.place}.\n"
    parts = [head]
    for experiment in paper.experiments:
        rows = experiment.derive(results.where(experiment=paper.key(experiment)))
        if not rows:
            continue
        parts.append(f"### {title_of(experiment)}\n")
        parts.append(f"Paper: {experiment.claim}\n")
        parts += tables(experiment, rows)
        parts.append(verdict_lines(experiment, rows))
    notes = "\n".join(f"* {note}" for note in results.notes)
    return "\n".join([*parts, notes]) if notes else "\n".join(parts)


def title_of(experiment: Experiment) -> str:
    """Its number and what it is about."""
    return f"{experiment.number.capitalize()}: {experiment.title}"


def place_of(results: Results) -> str:
    """Where, when and how large."""
    machine = results.header["machine"]
    place = machine.get("gpu") or f"{machine['cpu']}, {machine['cores']} cores"
    commit = results.header["commit"][:10] + (" with changes" if results.header["dirty"] else "")
    return f"{place}, {results.header['date'][:10]}, commit {commit}, scale {results.header['scale']}"


def verdicts(experiment: Experiment, rows: Sequence[dict[str, Any]]) -> list[Verdict]:
    """The verdicts on its claims."""
    return [judge(check, rows) for check in experiment.checks]


def verdict_lines(experiment: Experiment, rows: Sequence[dict[str, Any]]) -> str:
    """The claims as a list, each with its verdict and both ratios."""
    lines = []
    for verdict in verdicts(experiment, rows):
        paper = f"; paper {verdict.check.paper}" if verdict.check.paper else ""
        lines.append(f"* **{verdict.text}**: {verdict.check.text}. Here {verdict.measured}{paper}.")
    return "\n".join(lines) + "\n"


def tables(experiment: Experiment, rows: Sequence[dict[str, Any]]) -> list[str]:
    """A table for each quantity; where several rows fall together, as over graphs, their mean."""
    found = []
    for quantity, unit in dict.fromkeys((row["quantity"], row["unit"]) for row in rows):
        mine = [row for row in rows if (row["quantity"], row["unit"]) == (quantity, unit)]
        columns = list(dict.fromkeys(row[experiment.columns] for row in mine))
        cells: dict[tuple, dict[str, list[float]]] = {}
        for row in mine:
            key = tuple(row[label] for label in experiment.rows)
            cells.setdefault(key, {}).setdefault(row[experiment.columns], []).append(row["value"])
        names = [experiment.axis if label == "x" else label for label in experiment.rows]
        body = [
            [*map(_plain, key), *(_mean(values[column]) if column in values else None for column in columns)]
            for key, values in cells.items()
        ]
        title = f"{quantity}, {unit}" if quantity else unit
        text = table(title, [*names, *columns], body)
        found.append(text.replace("### ", "", 1))
    return found


def _mean(values: Sequence[float]) -> str:
    return short(float(np.mean(values)))


def _plain(value: Any) -> Any:
    return f"{value:g}" if isinstance(value, float) else value
