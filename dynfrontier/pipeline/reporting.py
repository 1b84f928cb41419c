"""Reports of a pipeline: a log of batches, metrics for Prometheus, and a line on the terminal."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from typing import Any

import numpy as np

from frontier.runtime.atomic_file import write_atomically

from .batch import PipelineBatch, Totals

RECENT = 1024  # batches, of whose latency quantiles are reported
QUANTILES = (0.5, 0.9, 0.99)
SECONDS = 1.0  # between two writes of the metrics
PREFIX = "dynfrontier"


class BatchLog:
    """A file with a line of JSON for each batch, after the first `size` bytes of an existing file, by default all."""

    def __init__(self, path: str | os.PathLike[str], size: int | None = None):
        self._file = open(path, "ab")  # noqa: SIM115  (closed by the pipeline)
        if size is not None and self._file.tell() > size:
            self._file.truncate(size)

    def write(self, batch: PipelineBatch) -> None:
        self._file.write(json.dumps(batch.to_dict()).encode() + b"\n")

    def flush(self) -> int:
        """Write it to the disk, and return its size in bytes."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return os.fstat(self._file.fileno()).st_size

    def close(self) -> None:
        self._file.close()


class Metrics:
    """The numbers of a pipeline as Prometheus reads them. A file, if given, is replaced about once a second."""

    def __init__(self, path: str | os.PathLike[str] | None = None):
        self._path = path
        self._written = float("-inf")
        self._seconds: deque[float] = deque(maxlen=RECENT)
        self._last: PipelineBatch | None = None

    @property
    def has_file(self) -> bool:
        return self._path is not None

    def observe(self, batch: PipelineBatch) -> None:
        self._seconds.append(batch.update_seconds + batch.analytics_seconds)
        self._last = batch

    def text(self, totals: Totals, **gauges: float) -> str:
        lines: list[str] = []

        def add(name: str, kind: str, meaning: str, *samples: tuple[str, float]) -> None:
            lines.extend([f"# HELP {PREFIX}_{name} {meaning}", f"# TYPE {PREFIX}_{name} {kind}"])
            lines.extend(f"{PREFIX}_{name}{label} {value:.10g}" for label, value in samples)

        add("records_total", "counter", "Records that were applied.", ("", totals.records))
        add("batches_total", "counter", "Batches that were applied.", ("", totals.batches))
        for name, meaning in (("inserted", "Edges that were inserted."), ("deleted", "Edges that were deleted."),
                              ("late", "Records that came too late for the window.")):  # fmt: skip
            add(f"{name}_total", "counter", meaning, ("", getattr(totals, name)))
        found = np.quantile(self._seconds, QUANTILES).tolist() if self._seconds else [float("nan")] * len(QUANTILES)
        add("batch_seconds", "summary", f"Update and analytics; quantiles of the last {RECENT} batches.",
            *((f'{{quantile="{q}"}}', value) for q, value in zip(QUANTILES, found, strict=True)),
            ("_sum", totals.update_seconds + totals.analytics_seconds), ("_count", totals.batches))  # fmt: skip
        for name, value in gauges.items():
            add(name, "gauge", f"{name.replace('_', ' ').capitalize()} now.", ("", value))
        if self._last is not None:
            add("lag_seconds", "gauge", "From the source to the results, of the last batch.",
                ("", self._last.lag_seconds))  # fmt: skip
            numbers = self._last.to_dict()["results"]
            numbers = {name: value for name, value in numbers.items() if isinstance(value, int | float)}
            if numbers:
                add("result", "gauge", "Results of the last batch.",
                    *((f'{{analytic="{_escaped(name)}"}}', value) for name, value in numbers.items()))  # fmt: skip
        return "\n".join(lines) + "\n"

    def is_due(self) -> bool:
        return self._path is not None and time.monotonic() - self._written >= SECONDS

    def write(self, totals: Totals, **gauges: float) -> None:
        if self._path is not None:
            self._written = time.monotonic()
            write_atomically(self._path, self.text(totals, **gauges).encode())


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


class ProgressLine:
    """A line on the terminal with rows, rate and lag, if the error stream is a terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        console = Console(stderr=True)
        columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
        self._progress = Progress(*columns, console=console, disable=not console.is_terminal)
        self._task = self._progress.add_task("waiting for the source")
        self._recent: deque[tuple[float, int]] = deque(maxlen=64)
        self._progress.start()

    def step(self, batch: PipelineBatch, totals: Totals, gauges: dict[str, Any]) -> None:
        self._recent.append((time.perf_counter(), totals.records))
        (begin, first), (end, last) = self._recent[0], self._recent[-1]
        rate = (last - first) / max(end - begin, 1e-9)
        self._progress.update(
            self._task,
            description=f"{totals.records:,} records, {rate:,.0f} a second, {batch.num_edges:,} edges, "
            f"lag {1e3 * batch.lag_seconds:,.1f} ms, {gauges['parts_ahead']:.0f} parts ahead",
        )

    def close(self) -> None:
        self._progress.stop()
