"""The page of all claims, README.md: what was measured comes from results files, the reasons are written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ..results import Results
from .experiment import Experiment, Paper
from .report import place_of, tables, title_of, verdicts

PAGE = Path(__file__).parent / "README.md"
HEAD = """\
# The papers' own comparisons, remade

Each table and figure of five papers on dynamic graphs on GPUs, on generated graphs of the papers' shapes, with our
structures as the columns. What a paper claims is judged by the ratios that were measured, wherever numbers can decide.
Papers compare programs by different authors; here all structures share one engine, so a claim that does not hold may be
about code that is no longer there. Why a claim does not hold, or by less, is said below it.

    python -m benchmarks papers --list
    python -m benchmarks papers awad --table 2 --scale 16 --structures slab,hornet
    python -m benchmarks papers --device gpu --budget 240
    python -m benchmarks papers --quick                        # small graphs, about a minute on two cores
    python -m benchmarks papers --write                        # fill this page from the latest results files

Graphs (`shapes.py`): `scale-free` (RMAT), `dense` (RMAT, 64 edges a vertex), `uniform`, `road`, `mesh` (triangles, as
Delaunay meshes), `solid` (18 neighbors in space). `--scale` sets their size; below scale 20 batches shrink as graphs
do. A time is the median of three calls (two of `csr`), from an idle device until it is idle again; graphs and batches
are prepared before. All structures must report the same changes and results, or the measurement fails. `csr` is rebuilt
at every update. Where a reason names figures of the authors' own code, these are not ours and not of this benchmark:
they were measured apart from it, on the same kind of GPU, and have no results file here.

"holds": for all pairs of rows that a claim compares; "by less": so, but by less than in the paper; "in part": for some
pairs. Ratios say how many times as good.
"""
WHY = "<!-- why: {key} -->"
END = "<!-- end -->"


def write_page(path: Path, results: Iterable[Results], papers: Iterable[Paper]) -> str:
    """Write the page anew; what is written by hand between its marks stays. Returns a line on what was filled.

    Parameters
    ----------
    results : iterable of Results
        Of a table or figure, the latest that was measured on a GPU counts, else the latest.
    """
    reasons = _reasons(path.read_text()) if path.exists() else {}
    ordered = sorted(results, key=lambda one: (one.device == "gpu", one.header["date"]), reverse=True)
    parts, filled, count = [HEAD], 0, 0
    for paper in papers:
        parts.append(f"## {paper.citation}\n\nThe paper's numbers are from: {paper.place}.\n")
        for experiment in paper.experiments:
            key = paper.key(experiment)
            source = next((one for one in ordered if one.where(experiment=key)), None)
            parts.append(_section(key, experiment, source, reasons.get(key, "")))
            filled, count = filled + (source is not None), count + 1
    path.write_text("\n".join(parts))
    return f"{path}: {filled} of {count} tables and figures filled"


def _reasons(text: str) -> dict[str, str]:
    """What is written by hand, by experiment."""
    pattern = re.escape(WHY).replace(re.escape("{key}"), "(.+?)") + r"\n(.*?)" + re.escape(END)
    return {key: body.strip() for key, body in re.findall(pattern, text, flags=re.DOTALL)}


def _section(key: str, experiment: Experiment, source: Results | None, reason: str) -> str:
    parts = [f"### {title_of(experiment)}\n", f"**Paper.** {experiment.claim}\n", f"**Here.** {experiment.how}\n"]
    if source is None:
        parts.append("Not measured yet.\n")
    else:
        rows = experiment.derive(source.where(experiment=key))
        judged = verdicts(experiment, rows)
        if judged:
            lines = ["| claim | paper | here | verdict |", "|---|---|---|---|"]
            lines += [f"| {v.check.text} | {v.check.paper or '-'} | {v.measured} | {v.word} |" for v in judged]
            parts.append("\n".join(lines) + "\n")
        parts.append(f"<details><summary>Measured on {place_of(source)}</summary>\n")
        parts += tables(experiment, rows)
        notes = [note for note in source.notes if note.removeprefix("FAILED: ").startswith(f"{key}: ")]
        parts += ["".join(f"* {note}\n" for note in notes)] if notes else []
        parts.append("</details>\n")
    parts.append(f"{WHY.format(key=key)}\n{reason}{chr(10) if reason else ''}{END}\n")
    return "\n".join(parts)
