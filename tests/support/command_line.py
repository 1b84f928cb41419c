"""The command line, called in this process, and files for its commands.

A test module that imports all names from here has the fixtures.
"""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from dynfrontier.cli import app

__all__ = ["dates_file", "graph_file"]

SMALL = ("stream", "--scale", "7", "--batch-size", "128", "--device", "cpu")
TRIANGLE_AND_TAIL = "10 20\n20 30\n30 10\n30 40\n40 40\n20 10\n"


def run(*args, code=0, stdin=None):
    result = CliRunner().invoke(app, [str(arg) for arg in args], catch_exceptions=False, input=stdin)
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.fixture
def graph_file(tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text(TRIANGLE_AND_TAIL)
    return path


def interrupt_at(monkeypatch, target, name, number):
    """Let a function raise KeyboardInterrupt when it is called for the nth time."""
    original, calls = getattr(target, name), []

    def call(*args, **kwargs):
        calls.append(None)
        if len(calls) == number:
            raise KeyboardInterrupt
        return original(*args, **kwargs)

    monkeypatch.setattr(target, name, call)


@pytest.fixture
def dates_file(tmp_path):
    path = tmp_path / "dates.csv"
    path.write_text("when,from,to\n2020-01-01T10:00:00,1,2\n2020-01-01T10:05:00,2,3\n2020-01-01T10:08:00,1,3\n"
                    "2020-01-01T10:30:00,3,4\n")  # fmt: skip
    return path
