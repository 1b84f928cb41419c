"""Results files: the measurements, with machine, time and commit."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import frontier as fr

FOLDER = Path(__file__).parent / "results"
ROOT = Path(__file__).parents[1]
RENAMED = {
    "components": "connected_components", "triangles": "triangle_count",
    "triangles per vertex": "triangle_count per vertex", "temporal_triangles": "temporal_triangle_count",
}  # fmt: skip
"""Names of analytics in the rows of older files, and their names in the catalogue."""


def command_line(
    name: str, doc: str | None, devices: Sequence[str] = ("auto", "cpu", "gpu")
) -> argparse.ArgumentParser:  # fmt: skip
    """The options that all benchmarks have, described by the first line of `doc`. The first device is the default."""
    found = argparse.ArgumentParser(prog=f"python -m benchmarks {name}", description=(doc or "").split("\n")[0])
    found.add_argument("--device", default=devices[0], choices=devices)
    found.add_argument("--out", type=Path, default=FOLDER, metavar="DIR", help="folder of the results file")
    return found


def command_environment(**more: str) -> dict[str, str]:
    """The environment of a process that runs this project from its folder, wherever it is started."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return os.environ | {"PYTHONPATH": path} | more


def commit_of(folder: Path) -> str:
    """The commit of the checkout that contains a folder, or "unknown"."""
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "unknown"


@dataclass
class Results:
    """Everything that one benchmark measured.

    Attributes
    ----------
    benchmark, device, mode : str
    rows : list of dict
        One for each measurement. Times are milliseconds.
    notes : list of str
        Omissions and failures, with their reasons.
    header : dict
        Machine, date, commit, versions, seeds and options.
    """

    benchmark: str
    device: str
    mode: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    header: dict[str, Any] = field(default_factory=dict)

    def add(self, **row: Any) -> dict[str, Any]:
        """Store a measurement."""
        self.rows.append(row)
        return row

    def where(self, **values: Any) -> list[dict[str, Any]]:
        """The rows that have these values."""
        return [row for row in self.rows if all(row.get(key) == value for key, value in values.items())]

    def cells(self, *keys: str, **values: Any) -> list[list[Any]]:
        """The cells of a table: the values of these rows under some keys, None for missing ones."""
        return [[row.get(key) for key in keys] for row in self.where(**values)]

    def save(self, folder: Path, name: str = "") -> Path:
        """Write the results to ``<benchmark>-<device>-<date>.json``, or to a file of another name, which is
        replaced."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (name or f"{self.benchmark}-{self.device}-{self.header['date'][:10]}.json")
        labels = {"benchmark": self.benchmark, "device": self.device, "mode": self.mode}
        head = {**labels, **self.header, "notes": self.notes}
        lines = ",\n".join("  " + json.dumps(row) for row in self.rows)
        text = json.dumps(head, indent=1)[:-2] + ',\n "rows": [\n' + lines + "\n ]\n}\n"
        with fr.io.replacing(path) as file:  # a run may be ended at any moment
            file.write(text.encode())
        return path

    @classmethod
    def load(cls, path: Path) -> Results:
        """The results that `save` wrote, analytics under the names of the catalogue."""
        found = json.loads(path.read_text())
        parts = {name: found.pop(name) for name in ("benchmark", "device", "mode", "rows", "notes")}
        for row in parts["rows"]:
            row |= {key: RENAMED.get(row[key], row[key]) for key in ("algorithm", "analytic") if key in row}
        return cls(**parts, header=found)


# ---- tables ---------------------------------------------------------------------------------------------------------


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table, aligned for reading in a terminal, or "" without rows."""
    cells = [[_text(value) for value in row] for row in rows]
    if not cells:
        return ""
    widths = [max(len(row[i]) for row in [list(columns), *cells]) for i in range(len(columns))]
    left = [all(not _is_number(row[i]) for row in cells) for i in range(len(columns))]

    def line(row: Sequence[str]) -> str:
        return "| " + " | ".join(row[i].ljust(w) if left[i] else row[i].rjust(w) for i, w in enumerate(widths)) + " |"

    rule = "|".join("-" * (w + 2) if left[i] else "-" * (w + 1) + ":" for i, w in enumerate(widths))
    return "\n".join([f"### {title}", "", line(columns), f"|{rule}|", *map(line, cells), ""])


def pivot(
    rows: Iterable[dict[str, Any]], keys: Sequence[str], across: str, value: Callable[[dict[str, Any]], Any]
) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows of a table: one row for each combination of `keys`, one column for each value of `across`."""
    columns: list[Any] = []
    found: dict[tuple, dict[Any, Any]] = {}
    for row in rows:
        if row[across] not in columns:
            columns.append(row[across])
        found.setdefault(tuple(row[key] for key in keys), {})[row[across]] = value(row)
    return [*keys, *map(str, columns)], [[*key, *(cells.get(c) for c in columns)] for key, cells in found.items()]


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        size = abs(value)
        return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _is_number(text: str) -> bool:
    return text == "-" or text.replace(",", "").replace(".", "").replace("e-", "").isdigit()
