"""The page of all claims, README.md: made only from the papers' experiments and from results files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..results import Results
from .experiment import Experiment, Paper, Variant
from .report import is_earlier, may_be_shown, place_of, tables, title_of, verdicts, word_of

PAGE = Path(__file__).parent / "README.md"
HEAD = """\
# The papers' comparisons, reproduced

Tables and figures of five papers on dynamic graphs on GPUs, on generated graphs of the papers' shapes, with our
structures as the columns. The section of a paper begins with what differs from the paper and what is left out. The
papers compare programs by different authors; here all structures share one engine, one way to sort batches and one
set of analytics. A claim that does not hold may therefore concern the authors' code rather than the data structure. The
text below a table says what in the structures or the engine explains the verdicts.

    python -m benchmarks papers --list
    python -m benchmarks papers awad --table 2 --scale 16 --structures slab,hornet
    python -m benchmarks papers --device gpu --budget 220      # everything, in less than four minutes
    python -m benchmarks papers --quick                        # small graphs
    python -m benchmarks figures --write                       # rewrite this page from the latest results files

This page is made by the last command, from the experiments (`awad.py`, `hornet.py`, ...) and from the results files in
[results](../results), which have machine, date, commit, and every time that was measured.

Graphs (`shapes.py`): `scale-free` (R-MAT), `dense` (R-MAT, 64 edges per vertex), `uniform`, `road`, `mesh` (triangles,
like Delaunay meshes), `solid` (18 neighbors in space). `--scale` sets their size; below scale 20, batches shrink with
the graphs. A time is the median of three calls (two of `csr`), from an idle device until it is idle again; graphs and
batches are prepared beforehand. All structures must report the same changes and results, or the measurement fails.
`csr` is rebuilt by every update. The hash graph is `slab`. Graphs have no weights, unless an experiment says so.

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
| not measured on a GPU | the ratios are those of a CPU, which decide nothing about a claim on GPUs |

What is in brackets after a verdict says that the results are older than the experiment as it is now, and what was
different. Where the paper says "up to", the largest ratio is compared instead of the median.
"""


def page(results: Iterable[Results], papers: Iterable[Paper]) -> str:
    """The page of these papers.

    Parameters
    ----------
    results : iterable of Results
        For each table or figure, the latest measurement on a GPU counts, else the latest. Results from before the
        experiment was changed count if no others of a GPU exist (`Earlier`).
    """
    ordered = sorted(results, key=lambda one: (one.device == "gpu", one.header["date"]), reverse=True)
    parts = [HEAD]
    for paper in papers:
        parts.append(f"## {paper.citation}\n\n{paper.differences} The paper's GPU: {paper.place}.\n")
        parts.append(f"Not reproduced: {paper.left_out}\n")
        for experiment in paper.experiments:
            key = paper.key(experiment)
            found = [one for one in ordered if one.where(experiment=key) and may_be_shown(one, experiment)]
            source = min(found, key=lambda one: (one.device != "gpu", is_earlier(one, experiment)), default=None)
            parts.append(_section(key, experiment, source))
    return "\n".join(parts).rstrip() + "\n"


def _section(key: str, experiment: Experiment, source: Results | None) -> str:
    parts = [f"### {title_of(experiment)}\n", f"**Paper.** {experiment.claim}\n", f"**Here.** {experiment.how}\n"]
    if source is None:
        parts.append("Not measured yet.\n")
    else:
        rows = experiment.derive(source.where(experiment=key))
        judged = verdicts(experiment, rows)
        if judged:
            lines = ["| claim | paper | here | verdict |", "|---|---|---|---|"]
            lines += [
                f"| {one.check.text} | {one.check.paper or '-'} | {one.measured} | {word_of(one, source, experiment)} |"
                for one in judged
            ]
            parts.append("\n".join(lines) + "\n")
        labels = {one.label for one in experiment.systems if isinstance(one, Variant) and one.on_host}
        hosted = any(row["system"] in labels for row in rows)
        earlier = experiment.earlier if is_earlier(source, experiment) else None
        place = place_of(source, 0 if earlier else experiment.smaller, hosted) + (f", {earlier.how}" if earlier else "")
        parts.append(f"<details><summary>Measured on {place}</summary>\n")
        parts += tables(experiment, rows)
        notes = [note for note in source.notes if note.removeprefix("FAILED: ").startswith(f"{key}: ")]
        parts += ["".join(f"* {note}\n" for note in notes)] if notes else []
        parts.append("</details>\n")
        parts += [f"{earlier.note}\n"] if earlier and earlier.note else []
    parts += [f"{experiment.why}\n"] if experiment.why else []
    return "\n".join(parts)
