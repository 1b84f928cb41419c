"""The pages under docs: their Python blocks run, one after another, and print what they say; their links are good."""

from __future__ import annotations

import re
import runpy

import pytest

from algorithms.analytic import analytics
from frontier.runtime.cache import PROJECT_ROOT

PAGES = sorted((PROJECT_ROOT / "docs").glob("*.md"))
PRINTED = re.compile(r"^\s*print\(.*\)  # (.*)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_python_blocks(page, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("algorithms.analytic._catalogue", analytics())  # what a page registers is forgotten
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    runpy.run_path(str(script))
    expected = [line for printed in PRINTED.findall("\n".join(blocks)) for line in printed.split(", then ")]
    assert capsys.readouterr().out.splitlines() == expected


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_links(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists()
