"""`app`: the commands. A command imports what it needs when it runs, so ``--help`` answers at once."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from . import __version__
from .commands.bfs import bfs
from .commands.compare import compare
from .commands.generate import generate
from .commands.graphalytics import graphalytics
from .commands.info import info
from .commands.run import run
from .commands.stream import stream
from .commands.structures import structures
from .commands.triangles import triangles
from .commands.workload import workload
from .console import guarded

app = typer.Typer(
    name="dynfrontier",
    help="Graph analytics on graphs that change, on GPUs and CPUs.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)
for _command in (stream, triangles, bfs, run, compare, graphalytics, workload, info, structures):
    app.command()(guarded(_command))
app.add_typer(generate, name="generate")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dynfrontier {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Graph analytics on graphs that change, on GPUs and CPUs.

    Start with `dynfrontier stream`: it counts triangles after every batch of a generated stream.
    """
    sys.path.append(os.getcwd())  # where modules with analytics of a user's own are looked for last
