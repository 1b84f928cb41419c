"""The progress bar of the main job."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .console import err
from .job import Applied
from .text import counted, duration, scaled


class StreamProgress:
    """Shows batches, the latest rate and latency, and the count; edges, if there is no noun for what is counted."""

    def __init__(self, progress: Progress, batches: int, noun: str | None):
        self._progress = progress
        self._noun = noun
        self._task = progress.add_task("streaming", total=batches, figures="")

    def step(self, step: Applied) -> None:
        """Move on by one batch."""
        if self._progress.disable:
            return
        rate = scaled((step.records + step.deletions) / max(step.update_seconds, 1e-9))
        counting = f"count {duration(step.count_seconds)}, " if self._noun is not None else ""
        figures = f"{rate} edges/s, {counting}{counted(step.count, self._noun or 'edge')}"
        self._progress.update(self._task, advance=1, description="", figures=figures)

    def message(self, text: str) -> None:
        """Show what the stream waits for."""
        self._progress.update(self._task, description=text, figures="")


@contextmanager
def stream_progress(batches: int, noun: str | None, quiet: bool) -> Iterator[StreamProgress]:
    """A bar over this many batches, while the ``with`` block runs; only on a terminal."""
    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=12), MofNCompleteColumn(),
        TextColumn("{task.fields[figures]}"), TimeRemainingColumn(compact=True),
    )  # fmt: skip
    with Progress(*columns, console=err, disable=quiet or not err.is_terminal) as progress:
        yield StreamProgress(progress, batches, noun)
