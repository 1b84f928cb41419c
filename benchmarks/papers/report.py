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
        parts.append(verdict_lines(experiment, rows, results))
    notes = "\n".join(f"* {note}" for note in results.notes)
    return "\n".join([*parts, notes]) if notes else "\n".join(parts)


def title_of(experiment: Experiment) -> str:
    """Its number and its subject."""
    return f"{experiment.number.capitalize()}: {experiment.title}"


def place_of(results: Results, smaller: int = 0, hosted: bool = False) -> str:
    """The machine, the date and the size, with the CPU as well as the GPU if some columns are `hosted` on it."""
    machine = results.header["machine"]
    host = f"{machine['cpu']}, {machine['cores']} cores"
    place = machine.get("gpu") or host
    if hosted and place != host:
        place += f" and {host}"
    commit = results.header["commit"][:10] + (" with changes" if results.header["dirty"] else "")
    return f"{place}, {results.header['date'][:10]}, commit {commit}, scale {results.header['scale'] - smaller}"


def verdicts(experiment: Experiment, rows: Sequence[dict[str, Any]]) -> list[Verdict]:
    """The verdicts on its claims."""
    return [judge(check, rows) for check in experiment.checks]


def is_earlier(source: Results, experiment: Experiment) -> bool:
    """Whether results are from before the experiment was changed."""
    return experiment.earlier is not None and source.header["date"] < experiment.earlier.until


def may_be_shown(source: Results, experiment: Experiment) -> bool:
    """Whether results are of the experiment as it is, or can be shown nevertheless."""
    return not is_earlier(source, experiment) or bool(experiment.earlier and experiment.earlier.how)


def word_of(verdict: Verdict, source: Results, experiment: Experiment) -> str:
    """The verdict, unless it would rest on results of a CPU, or on older ones that cannot be compared."""
    earlier = experiment.earlier
    if not verdict.ratios:
        return verdict.text
    if source.device != "gpu":
        return "not measured on a GPU"
    if earlier is None or not is_earlier(source, experiment) or not earlier.concerns(verdict.check):
        return verdict.text
    return f"{verdict.text} ({earlier.how})" if earlier.comparable else f"not comparable: {earlier.how}"


def verdict_lines(experiment: Experiment, rows: Sequence[dict[str, Any]], source: Results) -> str:
    """The claims as a list, each with its verdict and both ratios."""
    lines = []
    for verdict in verdicts(experiment, rows):
        paper = f"; paper {verdict.check.paper}" if verdict.check.paper else ""
        word = word_of(verdict, source, experiment)
        lines.append(f"* **{word}**: {verdict.check.text}. Here {verdict.measured}{paper}.")
    return "\n".join(lines) + "\n"


def tables(experiment: Experiment, rows: Sequence[dict[str, Any]]) -> list[str]:
    """A table for each quantity. If several rows coincide, as over graphs, it has their mean."""
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
