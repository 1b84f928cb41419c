"""The progress bar of a workload."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..console import err


class WorkloadProgress:
    """Shows which structure is at work, and how many of the batches are done."""

    def __init__(self, progress: Progress):
        self._progress = progress
        self._task = progress.add_task("preparing", total=None)
        self._name = ""

    def begin(self, name: str, batches: int) -> None:
        """The next structure starts."""
        self._name = name
        self._progress.reset(self._task, total=batches, description=name)

    def step(self) -> None:
        """A batch is done."""
        self._progress.update(self._task, advance=1, description=self._name)

    def message(self, text: str) -> None:
        """Show what the workload waits for."""
        self._progress.update(self._task, description=f"{self._name}: {text}")


@contextmanager
def workload_progress(quiet: bool) -> Iterator[WorkloadProgress]:
    """A bar while the ``with`` block runs; only on a terminal."""
    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=12), MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
    )  # fmt: skip
    with Progress(*columns, console=err, disable=quiet or not err.is_terminal, transient=True) as progress:
        yield WorkloadProgress(progress)
