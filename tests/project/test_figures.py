"""Every figure of README and the documentation comes from a results file, and every file is used."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import figures, pages, sources, summary
from benchmarks.papers.command import page_files as papers_files
from benchmarks.results import FOLDER, ROOT, Results

FILES = sorted(path.name for path in FOLDER.glob("*.json"))
TEXTS = [
    ROOT / "README.md",
    *(path for folder in ("docs", "tests") for path in sorted((ROOT / folder).rglob("*.md"))),
    *sorted((ROOT / "docs" / "tutorials").glob("*.ipynb")),
]
"""Pages whose prose may quote a file by its name."""


def test_pages_are_those_of_the_files() -> None:
    stale = [path.name for path, text in pages.pages().items() if path.read_text(encoding="utf-8") != text]
    assert not stale, "run: python -m benchmarks figures --write"


@pytest.mark.parametrize("figure", [figures.directed, figures.edge_data, figures.names, figures.updates])
def test_figures_without_measurements_have_no_numbers(figure: Callable[[str], str]) -> None:
    text = figure("nosuch")
    assert all(set(cell) <= set(" -/") for line in text.splitlines()[2:] if "|" in line for cell in line.split("|")[2:])


@pytest.mark.parametrize("name", pages.PAGES)
def test_places_have_figures(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    places = pages.PLACE.findall(text)
    assert places and {place[0] for place in places} <= figures.FIGURES.keys()
    assert text.count("<!-- figure ") == text.count("<!-- /figure -->") == len(places)
    for line in text.splitlines():  # within a sentence a comment at the start of a line ends the paragraph
        assert not re.match(r"\s*<!-- figure [a-z0-9-]+ -->.", line), line


def test_every_figure_has_a_place() -> None:
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in pages.PAGES)
    assert {place[0] for place in pages.PLACE.findall(text)} == figures.FIGURES.keys()


def test_every_file_is_used() -> None:
    prose = "".join(path.read_text(encoding="utf-8") for path in [*TEXTS, summary.PAGE])
    named = {name for name in FILES if name in prose}
    unused = set(FILES) - sources.all_files() - named - {path.name for path in papers_files()}
    assert not unused, f"delete, or name in a page or in benchmarks.sources: {', '.join(sorted(unused))}"


def test_every_file_that_a_page_names_is_there() -> None:
    for path in TEXTS:
        for name in re.findall(r"`([a-z0-9-]+\.json)`", path.read_text(encoding="utf-8")):
            if re.search(r"-(cpu|gpu|h\d+)[-.]", name):
                assert name in FILES, f"{path}: {name}"


def test_stand_ins_are_there_and_go_with_the_release() -> None:
    for key, names in sources.STAND_INS.items():
        assert set(names) <= set(FILES), key
        assert f"{key}.json" not in FILES, f"delete the row {key!r} and its files"


def test_files_of_a_card_are_of_one_commit() -> None:
    commits: dict[str, dict[str, str]] = {}
    for name in FILES:
        header = Results.load(FOLDER / name).header
        if "card" in header:
            assert header["complete"] and not header["dirty"] and not header["quick"], name
            if name.endswith(f"-{header['card']}.json"):  # not one that stands in for a file of the card
                commits.setdefault(header["card"], {})[name] = header["commit"]
    for found in commits.values():
        assert len(set(found.values())) == 1, found


def test_a_place_without_a_figure_is_named(tmp_path: Path) -> None:
    text = "a <!-- figure bytes-csr -->{}<!-- /figure --> b"
    assert pages.filled(text.format("?")) == text.format(figures.bytes_per_arc("csr"))
    with pytest.raises(ValueError, match="no figure 'nosuch'"):
        pages.filled("<!-- figure nosuch -->\n<!-- /figure -->")
