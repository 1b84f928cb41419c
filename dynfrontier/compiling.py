"""Show which kernels are being compiled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import frontier as fr

from .console import err
from .text import duration


@contextmanager
def compile_messages(show: Callable[[str], None] | None = None, quiet: bool = False) -> Iterator[list[str]]:
    """Report kernels that are compiled within the ``with`` block, and collect their names in its list.

    `show` receives a line of text for every kernel. Without it, a spinner shows them. If `quiet`, neither does.
    """
    names: list[str] = []
    status = None if quiet or show else err.status("")

    def note(name: str) -> None:
        names.append(name)
        if quiet:
            return
        if len(names) == 1:
            err.print("Compiling kernels, once for this machine ...")
        text = f"compiling {name} ({len(names)})"
        if show is not None:
            show(text)
        elif status is not None:
            status.update(text)
            status.start()

    begin = time.perf_counter()
    try:
        with fr.advanced.on_compile(note):
            yield names
    finally:
        if status is not None:
            status.stop()
    if names and not quiet:
        err.print(f"{len(names)} kernels compiled, ready after {duration(time.perf_counter() - begin)}.")
