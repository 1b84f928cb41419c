"""The page ``algorithms.md``: times of every algorithm by structure, device and form.

``python -m benchmarks figures --write`` writes it from the results files whose names start as in `SOURCES`. If several
files have a time, the latest counts. Times that no file has are marked as missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import frontier as fr
from dynfrontier.comparison.cells import PEER, STATES

from .calls import SPMV, calls, is_left_out
from .results import FOLDER, Results
from .sources import origin

PAGE = Path(__file__).parent / "algorithms.md"
GRAPHS = {"gpu": ("rmat20",), "cpu": ("rmat16",)}
"""The graphs of the page, by device."""
NATIVE, SNAPSHOT, AUTO = "native", "snapshot", "auto"
MISSING, LEFT_OUT = "·", "long"
PEERS = ("cugraph", "igraph", "networkit", "scipy", "networkx")
SOURCES = ("cells", "algorithms", "structures", "catalogue", "gallery")
"""Beginnings of the names of files whose times are on the page."""
HEAD = """\
# Algorithms by structure, device and form

Milliseconds (median of a call) on RMAT graphs with 16 edges generated for each vertex, which were built at once. An
algorithm runs on the structure itself (`native`). Those that can also run on a CSR copy of it have the time with the
copy, its making included (`snapshot`), and that of what they choose by themselves (`auto`). SpMV is timed without its
preparation. `{missing}` is not measured, and neither is `{left_out}`, which takes minutes. On the right are other
libraries, those for CPUs on the CPU of the machine.

`python -m benchmarks figures --write` makes this page from the files that are named below each table. It takes the
latest time of each cell. Times of different files are not of one run. `python -m benchmarks
cells` measures all cells of a graph in one run, or with `--missing` those that no file has.
"""


class Time(NamedTuple):
    """One cell of a table, and the file that it comes from."""

    milliseconds: float
    source: str


Key = tuple[str, str, str, str, str]
"""Device, graph, algorithm, form and structure or library."""


def load(folder: Path = FOLDER) -> dict[str, Results]:
    """The results files whose times are on the page, by name."""
    paths = [path for path in sorted(folder.glob("*.json")) if path.name.startswith(SOURCES)]
    return {path.name: Results.load(path) for path in paths}


def page(files: dict[str, Results]) -> tuple[str, int, int]:
    """The page, the number of its times of structures, and the possible number."""
    times = collect(files)
    parts, filled, count = [HEAD.format(missing=MISSING, left_out=LEFT_OUT)], 0, 0
    for device, graphs in GRAPHS.items():
        for graph in graphs:
            mine = {key: time for key, time in times.items() if key[:2] == (device, graph)}
            text, here, wanted = _table(device, graph, mine)
            sources = sorted({time.source for time in mine.values()})
            notes = [f"* `{name}`: {origin(files[name])}" for name in sources]
            parts.append("\n".join([f"## {graph}, {device.upper()}\n", text, *notes, ""]))
            filled, count = filled + here, count + wanted
    return "\n".join(parts), filled, count


def collect(files: dict[str, Results]) -> dict[Key, Time]:
    """All times, the latest of each."""
    found: dict[Key, Time] = {}
    for name, results in sorted(files.items(), key=lambda item: item[1].header.get("date", "")):
        for key, milliseconds in times_of(results):
            found[key] = Time(milliseconds, name)
    return found


def times_of(results: Results) -> Iterator[tuple[Key, float]]:
    """The times of a file that belong on the page."""
    for row in results.rows:
        graph, algorithm = row.get("graph", ""), row.get("algorithm", "")
        if results.benchmark.startswith("cells"):
            cell = algorithm, row["form"], row["structure"], row.get("median_ms")
        elif results.benchmark == "algorithms" and row["state"] in (STATES[0], PEER):
            cell = "bfs" if algorithm.startswith("bfs") else algorithm, "", row["system"], row.get("median_ms")
        elif results.benchmark == "gallery":
            cell = algorithm, "", row["system"], row.get("median_ms")
        else:
            continue
        label, form, system, milliseconds = cell
        if milliseconds is not None:
            yield (results.device, graph, label, form or _form_said(label), system), milliseconds


def _form_said(label: str) -> str:
    """The form of times whose file does not specify it."""
    return AUTO if AUTO in forms(label) else NATIVE


@cache
def forms(label: str) -> tuple[str, ...]:
    """The forms that an algorithm has."""
    if label == SPMV:
        return NATIVE, SNAPSHOT
    call = calls().get(label)
    return (NATIVE, SNAPSHOT, AUTO) if call is not None and "layout" in call.analytic.accepted else (NATIVE,)


def _table(device: str, graph: str, times: dict[Key, Time]) -> tuple[str, int, int]:
    """A table in Markdown, the number of its times, and the possible number."""
    structures = list(fr.structures())
    peers = [name for name in PEERS if any(key[4] == name for key in times)]
    lines = [["algorithm", "form", *(f"`{name}`" for name in structures), *peers]]
    filled = count = 0
    for label in [*calls(), SPMV]:
        for form in forms(label):
            cells, left_out = [], is_left_out(label, graph)
            for structure in structures:
                known = times.get((device, graph, label, form, structure))
                cells.append(LEFT_OUT if known is None and left_out else _text(known))
                filled, count = filled + (known is not None), count + (known is not None or not left_out)
            first = form == forms(label)[0]
            theirs = [_text(_of_peer(times, label, peer)) if first else "" for peer in peers]
            lines.append([label if first else "", form, *cells, *theirs])
    rule = ["---", "---", *["---:"] * (len(lines[0]) - 2)]
    return "\n".join("| " + " | ".join(line) + " |" for line in [lines[0], rule, *lines[1:]]) + "\n", filled, count


def _of_peer(times: dict[Key, Time], label: str, peer: str) -> Time | None:
    return next((time for key, time in times.items() if (key[2], key[4]) == (label, peer)), None)


def _text(time: Time | None) -> str:
    if time is None:
        return MISSING
    size = time.milliseconds
    return f"{size:,.0f}" if size >= 100 else f"{size:.3g}"
