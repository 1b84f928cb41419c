"""Progress bars of the main job and of workloads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)  # fmt: skip

from .console import err
from .text import counted, duration, scaled

if TYPE_CHECKING:
    from .job import Applied


class StreamProgress:
    """Shows batches, the latest rate and latency, and the count, or the number of edges if `noun` is None."""

    def __init__(self, progress: Progress, batches: int, noun: str | None):
        self._progress = progress
        self._noun = noun
        self._task = progress.add_task("streaming", total=batches, figures="")

    def step(self, step: Applied) -> None:
        if self._progress.disable:
            return
        rate = scaled((step.records + step.deletions) / max(step.update_seconds, 1e-9))
        counting = f"count {duration(step.count_seconds)}, " if self._noun is not None else ""
        figures = f"{rate} edges/s, {counting}{counted(step.count, self._noun or 'edge')}"
        self._progress.update(self._task, advance=1, description="", figures=figures)

    def message(self, text: str) -> None:
        self._progress.update(self._task, description=text, figures="")


@contextmanager
def stream_progress(batches: int, noun: str | None, quiet: bool) -> Iterator[StreamProgress]:
    """Show a bar over the batches while the ``with`` block runs, only on a terminal."""
    with _bar(TextColumn("{task.fields[figures]}"), quiet=quiet) as progress:
        yield StreamProgress(progress, batches, noun)


class WorkloadProgress:
    """Shows the current structure and its finished batches."""

    def __init__(self, progress: Progress):
        self._progress = progress
        self._task = progress.add_task("preparing", total=None)
        self._name = ""

    def begin(self, name: str, batches: int) -> None:
        self._name = name
        self._progress.reset(self._task, total=batches, description=name)

    def step(self) -> None:
        self._progress.update(self._task, advance=1, description=self._name)

    def message(self, text: str) -> None:
        self._progress.update(self._task, description=f"{self._name}: {text}")


@contextmanager
def workload_progress(quiet: bool) -> Iterator[WorkloadProgress]:
    """Show a bar while the ``with`` block runs, only on a terminal."""
    with _bar(quiet=quiet, transient=True) as progress:
        yield WorkloadProgress(progress)


@contextmanager
def check_progress(quiet: bool) -> Iterator[Callable[[str, float | None], None]]:
    """Show a bar for checks on a terminal. Yields a function of the work and its finished share, 0 to 1, or None."""
    with _bar(done=TaskProgressColumn(), quiet=quiet, transient=True) as progress:
        task = progress.add_task("checking", total=None)

        def show(text: str, part: float | None) -> None:
            progress.update(task, description=text, total=None if part is None else 1.0, completed=part or 0.0)

        yield show


def _bar(*columns: TextColumn, quiet: bool, done: ProgressColumn | None = None, transient: bool = False) -> Progress:
    """A description, a bar over batches or `done`, these columns, and the time left."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(bar_width=12), done or MofNCompleteColumn(), *columns,
        TimeRemainingColumn(compact=True), console=err, disable=quiet or not err.is_terminal, transient=transient,
    )  # fmt: skip
