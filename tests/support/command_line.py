"""The command line, called in this process."""

from __future__ import annotations

from typer.testing import CliRunner

from dynfrontier.cli import app


def run(*args, code=0, stdin=None):
    result = CliRunner().invoke(app, [str(arg) for arg in args], catch_exceptions=False, input=stdin)
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())
