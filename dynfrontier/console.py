"""Where output goes: results to standard output, progress and errors to standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer
from rich.console import Console

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def fail(message: object, code: int = 2) -> NoReturn:
    """Say what is wrong and leave."""
    err.print("[bold red]error:[/bold red]", end=" ")
    err.print(str(message), markup=False, soft_wrap=True)
    raise typer.Exit(code)


@contextmanager
def user_errors(*kinds: type[Exception]) -> Iterator[None]:
    """Turn exceptions that the user's input causes into one line of error; others keep their traceback."""
    try:
        yield
    except kinds as error:
        if isinstance(error, OSError) and error.strerror:
            fail(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
        fail(error)


@contextmanager
def memory_errors() -> Iterator[None]:
    """Turn exhausted memory into one line of error."""
    try:
        yield
    except MemoryError as error:
        fail(f"out of memory: {error}" if str(error) else "out of memory", code=1)
    except Exception as error:
        if type(error).__name__ == "OutOfMemoryError":  # CuPy's, which is there only where CuPy is
            fail(f"out of GPU memory: {error}", code=1)
        raise
