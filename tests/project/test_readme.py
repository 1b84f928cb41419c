"""The README: its Python block prints the documented output, and its links are good."""

from __future__ import annotations

import re

import pytest

from frontier.runtime.compile.disk_cache import PROJECT_ROOT

README = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
TEXT = re.sub(r"^```.*?^```", "", README, flags=re.DOTALL | re.MULTILINE)
PRINTED = re.compile(r"^\s*print\(.*\)  # (.*)$", re.MULTILINE)
LONGEST = 120
"""Lines of a page for visitors. Longer text belongs to the documentation."""


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_python_block(block, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the block writes a file
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    expected = [line for printed in PRINTED.findall(block) for line in printed.split(", then ")]
    assert capsys.readouterr().out.splitlines() == expected


def test_it_is_for_visitors():
    assert len(BLOCKS) == 1 and len(README.splitlines()) <= LONGEST


@pytest.mark.parametrize("target", sorted(set(re.findall(r'(?:\]\(|src="|srcset=")([^)#:"]+)[)"]', TEXT))))
def test_links(target):
    assert (PROJECT_ROOT / target).exists()


def test_first_lines_are_there():
    commands = re.findall(r"^(\./\w+)", README, re.MULTILINE)
    assert commands[:2] == ["./demo", "./test"]
    for command in commands:
        assert (PROJECT_ROOT / command).exists()
