"""Which results file answers which question: release files, and other files until there are any.

A question and a card, such as ``"updates-h200"``, name the file that ``python -m benchmarks release`` writes. Once that
file is in the folder, it is the source, and the row of `STAND_INS` and its files can be deleted.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from .questions import QUESTIONS
from .results import FOLDER, Results

GPU, CPU = "h200", "cpu"
"""The cards that pages quote."""
STAND_INS: dict[str, tuple[str, ...]] = {
    "algorithms-h200": ("algorithms-gpu-2026-12-01.json",),
    "gallery-h200": ("gallery-gpu-2026-12-01.json",),
    "incremental-h200": ("incremental-gpu-2026-12-01.json",),
    "triangles-h200": ("triangles-gpu-2026-12-01.json",),
    "motifs-cpu": ("motifs-cpu-2026-11-30.json",),
    "temporal-cpu": ("temporal-cpu-2026-11-30.json",),
}  # fmt: skip
"""Files by question and card. The first one that has a figure counts. No release measures `motifs` and `temporal`."""


def files_of(question: str, card: str) -> list[Path]:
    """The files that answer a question, the one that counts first, or none if it is not measured."""
    path = FOLDER / f"{question}-{card}.json"
    return [path] if path.exists() else [FOLDER / name for name in STAND_INS.get(f"{question}-{card}", ())]


def results_of(question: str, card: str) -> list[Results]:
    """The contents of these files."""
    return [_load(path) for path in files_of(question, card)]


def rows_of(question: str, card: str, **values: Any) -> list[dict[str, Any]]:
    """All rows with these values."""
    return [row for results in results_of(question, card) for row in results.where(**values)]


def row_of(question: str, card: str, **values: Any) -> dict[str, Any] | None:
    """The first row with these values."""
    return next(iter(rows_of(question, card, **values)), None)


def origins(question: str, card: str) -> str:
    """The names of the files, and where, when and from which commit they were measured."""
    found = [f"`{path.name}` ({origin(_load(path))})" for path in files_of(question, card)]
    return "; ".join(found)


def origin(results: Results) -> str:
    """The card, date and commit of a file."""
    machine = results.header["machine"]
    place = machine.get("gpu") or f"{machine['cpu']}, {machine['cores']} cores"
    return f"{place}, {results.header['date'][:10]}, commit {results.header['commit'][:10]}"


def all_files() -> set[str]:
    """The names of all files that answer a question."""
    keys = {*STAND_INS, *(f"{each.name}-{card}" for each in QUESTIONS for card in (GPU, CPU))}
    return {path.name for key in keys for path in files_of(*key.rsplit("-", 1))}


@cache
def _load(path: Path) -> Results:
    return Results.load(path)
