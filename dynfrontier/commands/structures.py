"""``dynfrontier structures``: the structures, their devices and weights."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import err, fail, out, user_errors
from ..outputs import write_text


def structures(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the tables as Markdown.")] = False,
    write: Annotated[
        Path | None, typer.Option(help="Put the Markdown between the markers <!-- structures --> of this file.")
    ] = None,
) -> None:
    """Show the structures, and which algorithms run on them on which devices.

    Example:

    - `dynfrontier structures --write page.md`
    """
    from ..supported import replace_between, tables

    if write is not None:
        with user_errors(OSError, ValueError):
            text = write.read_text(encoding="utf-8")
            new = replace_between(text, "structures", "\n\n".join(table.markdown() for table in tables()))
            if new != text:
                write_text(write, new)
        err.print(f"{write}: {'unchanged' if new == text else 'brought up to date'}", markup=False)
        return
    shown = tables()
    if not shown[0].rows:
        fail("no structure is registered")
    if markdown:
        typer.echo("\n\n".join(table.markdown() for table in shown))
        return
    for table in shown:
        out.print(table.rich())
        out.print()
