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
# The papers' comparisons, reproduced

Tables and figures of five papers on dynamic graphs on GPUs, on generated graphs of the papers' shapes, with our
structures as the columns. The section of a paper begins with what differs from the paper and what is left out. The
papers compare programs by different authors; here all structures share one engine, one way to sort batches and one
set of analytics. A claim that does not hold may therefore concern the authors' code rather than the data structure. The
text below each table explains the verdicts.

    python -m benchmarks papers --list
    python -m benchmarks papers awad --table 2 --scale 16 --structures slab,hornet
    python -m benchmarks papers --device gpu --budget 240
    python -m benchmarks papers --quick                        # small graphs, about a minute on two cores
    python -m benchmarks papers --write                        # rewrite this page from the latest results files

Graphs (`shapes.py`): `scale-free` (R-MAT), `dense` (R-MAT, 64 edges per vertex), `uniform`, `road`, `mesh` (triangles,
like Delaunay meshes), `solid` (18 neighbors in space). `--scale` sets their size; below scale 20, batches shrink with
the graphs. A time is the median of three calls (two of `csr`), from an idle device until it is idle again; graphs and
batches are prepared beforehand. All structures must report the same changes and results, or the measurement fails.
`csr` is rebuilt by every update. The hash graph is `slab`. Graphs have no weights.

Each claim is turned into ratios, one for each pair of rows (graph and batch size) that it compares: how many times as
good the first is as the second. The table shows the paper's figure, and the range and median measured here.

| verdict | meaning |
|---|---|
| holds | in all pairs, and the median is within the paper's range (10 % either way), if the paper gives one |
| by less, by more | in all pairs, but the median, which is named, is below or above the paper's range |
| in part | in some pairs; how many is named |
| does not hold | in no pair |
| not comparable | something else decides the ratio here, which is named |
| not measured | no results |

Where the paper says "up to", the largest ratio is compared instead of the median.
"""
WHY = "<!-- why: {key} -->"
END = "<!-- end -->"


def write_page(path: Path, results: Iterable[Results], papers: Iterable[Paper]) -> str:
    """Rewrite the page; what is written by hand between its marks stays. Returns a line on what was filled.

    Parameters
    ----------
    results : iterable of Results
        Of a table or figure, the latest that was measured on a GPU counts, else the latest.
    """
    reasons = _reasons(path.read_text()) if path.exists() else {}
    ordered = sorted(results, key=lambda one: (one.device == "gpu", one.header["date"]), reverse=True)
    parts, filled, count = [HEAD], 0, 0
    for paper in papers:
        parts.append(f"## {paper.citation}\n\n{paper.differences} The paper's GPU: {paper.place}.\n")
        parts.append(f"Not reproduced: {paper.left_out}\n")
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
            lines += [f"| {v.check.text} | {v.check.paper or '-'} | {v.measured} | {v.text} |" for v in judged]
            parts.append("\n".join(lines) + "\n")
        parts.append(f"<details><summary>Measured on {place_of(source)}</summary>\n")
        parts += tables(experiment, rows)
        notes = [note for note in source.notes if note.removeprefix("FAILED: ").startswith(f"{key}: ")]
        parts += ["".join(f"* {note}\n" for note in notes)] if notes else []
        parts.append("</details>\n")
    parts.append(f"{WHY.format(key=key)}\n{reason}{chr(10) if reason else ''}{END}\n")
    return "\n".join(parts)
