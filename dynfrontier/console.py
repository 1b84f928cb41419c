"""Output of the command line: results to standard output, progress and errors to standard error."""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer
from rich.console import Console

EXIT_CODE = 130  # the exit code of a command that SIGINT ended, as in shells


class Interrupted(KeyboardInterrupt):
    """An interrupt with the result so far, which is marked as interrupted."""

    def __init__(self, found: Any):
        super().__init__("interrupted")
        self.found = found


out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def say(text: object, console: Console = out) -> None:
    """Print plain text, without markup and without wrapping."""
    console.print(str(text), markup=False, soft_wrap=True)


def fail(message: object, code: int = 2) -> NoReturn:
    """Print an error and leave."""
    err.print("[bold red]error:[/bold red]", end=" ")
    say(message, err)
    raise typer.Exit(code)


@contextmanager
def user_errors(*kinds: type[Exception]) -> Iterator[None]:
    """Turn exceptions that the user's input causes into one line of error."""
    try:
        yield
    except kinds as error:
        if isinstance(error, OSError) and error.strerror:
            fail(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
        fail(as_options(str(error)))


_OPTIONS = (
    ("columns={'src': ..., 'dst': ...}", "--columns src=...,dst=..."),
    ("columns=('src', 'dst', ...)", "--columns src,dst,..."),
    ("named=True reads ids that are words or any numbers; in a stream, fr.VertexNames numbers them",
     "--names reads ids that are words or any numbers"),
    ("named=True", "--names"),
    ("named=False", "--no-names"),
    ("header=True", "--header"),
    ("header=False", "--no-header"),
    ("header= and named=", "--header and --names"),
    ("comments=", "--comments "),
    ("delimiter=", "--delimiter "),
    ("member=", "--member"),
    ("named= is", "--names is"),
    ("header= is", "--header is"),
    ("read such a stream with read_stream", "`dynfrontier stream` applies such a file"),
)  # fmt: skip
"""Arguments in readers' messages, and their options."""


def as_options(text: str) -> str:
    """A reader's message in terms of the command line."""
    for argument, option in _OPTIONS:
        text = text.replace(argument, option)
    return text


@contextmanager
def notes() -> Iterator[None]:
    """Show warnings of readers as one line each."""
    from frontier.io import IgnoredColumnsWarning, ReaderWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ReaderWarning)
        yield
    for warning in caught:
        found = warning.message
        if isinstance(found, IgnoredColumnsWarning):
            such = "" if found.example is None else ", such as --columns {}={}".format(*found.example)
            text = f"{found.summary}; choose with --columns{such}"
        elif isinstance(found, ReaderWarning):
            text = as_options(str(found))
        if isinstance(found, ReaderWarning):
            say(f"note: {text}", err)
        else:
            warnings.warn_explicit(found, warning.category, warning.filename, warning.lineno)


def guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command without a traceback for an interrupt (exit code 130), a closed pipe, or exhausted memory."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except KeyboardInterrupt:
            fail("interrupted", code=EXIT_CODE)
        except BrokenPipeError:
            # The interpreter flushes standard output at exit, which must not fail once more.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except MemoryError as error:
            fail(f"out of memory: {error}" if str(error) else "out of memory", code=1)
        except Exception as error:
            if type(error).__name__ == "OutOfMemoryError":  # CuPy's, without importing CuPy
                fail(f"out of GPU memory: {error}", code=1)
            raise

    return run
