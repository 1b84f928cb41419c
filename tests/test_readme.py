"""The README: its Python blocks run and print what they say, its tables are the registry's, its links are good."""

from __future__ import annotations

import re

import pytest

from dynfrontier.supported import replace_between, tables
from frontier.runtime.cache import PROJECT_ROOT

README = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
TEXT = re.sub(r"^```.*?^```", "", README, flags=re.DOTALL | re.MULTILINE)
PRINTED = re.compile(r"^\s*print\(.*\)  # (.*)$", re.MULTILINE)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_python_block(block, capsys):
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    assert capsys.readouterr().out.splitlines() == PRINTED.findall(block)


def test_there_are_blocks():
    assert len(BLOCKS) >= 3


def test_tables_are_the_registrys():
    current = "\n\n".join(table.markdown() for table in tables())
    assert replace_between(README, "structures", current) == README, "run: dynfrontier structures --write README.md"


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#:]+)\)", TEXT))))
def test_links(target):
    assert (PROJECT_ROOT / target).exists()


@pytest.mark.parametrize("marker", ["structures", "figures"])
def test_markers(marker):
    assert README.count(f"<!-- {marker} -->") == README.count(f"<!-- /{marker} -->") == 1


def test_first_lines_are_there():
    commands = re.findall(r"^(\./\w+)", README, re.MULTILINE)
    assert commands[:2] == ["./demo", "./test"]
    for command in commands:
        assert (PROJECT_ROOT / command).exists()


def test_commands_are_those_of_the_command_line():
    from dynfrontier.cli import app

    known = {command.callback.__name__ for command in app.registered_commands} | {"generate"}
    assert set(re.findall(r"^dynfrontier (\w+)", README, re.MULTILINE)) <= known
