"""The live view of the main job: count, graph, latencies and rate so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.style import Style

from .console import err
from .job import Applied
from .text import counted, duration, plural, scaled, size, sparkline

REFRESHES = 8  # a second, at most
SHARE = 0.01  # fraction of the time available for drawing: a slow refresh delays the next one
COLUMNS = 48
BESIDE = 62  # columns of a terminal for names and figures next to the sparklines


class LiveView:
    """The progress of a run, printable by rich.

    The width of a sparkline, at most `columns`, stands for the whole stream of `batches`, so it fills from left to
    right. `noun` names the counted things, or is None for edges. `window` is a number of batches, 0 for none, or a
    length of time. `memory` returns the bytes of the graph.
    """

    def __init__(
        self, batches: int, noun: str | None, window: int | str = 0, memory: Callable[[], int] | None = None,
        columns: int = COLUMNS,
    ):  # fmt: skip
        self._batches, self._noun, self._window, self._memory = batches, noun, window, memory
        self._done, self._change, self._message = 0, 0, ""
        self._latest: Applied | None = None
        self._columns = max(min(columns, batches), 1)
        self._count, self._edges, self._update, self._analytic = np.full((4, self._columns), np.nan)
        self._changed, self._seconds = np.zeros((2, self._columns))
        self._all = np.empty((2, batches))  # seconds of updates and counts, for percentiles
        self._value_width, self._width = 0, 0  # they only grow, which avoids jumps
        self._begin = time.perf_counter()
        self.live: Live | None = None  # the terminal, which is redrawn between batches: a thread would disturb times
        self._next = 0.0

    def step(self, step: Applied) -> None:
        column = self._done * self._columns // self._batches
        self._count[column], self._edges[column] = step.count, step.edges
        self._update[column] = np.fmax(self._update[column], step.update_seconds)
        self._analytic[column] = np.fmax(self._analytic[column], step.count_seconds)
        self._changed[column] += step.records + step.deletions
        self._seconds[column] += step.update_seconds
        self._all[:, self._done] = step.update_seconds, step.count_seconds
        self._done += 1
        self._change = step.count - (self._latest.count if self._latest else 0)
        self._latest, self._message = step, ""
        if time.perf_counter() >= self._next:
            self._refresh()

    def message(self, text: str) -> None:
        """Show a text until the next batch."""
        self._message = text
        self._refresh()

    def _refresh(self) -> None:
        if self.live is not None:
            begin = time.perf_counter()
            self.live.refresh()
            end = time.perf_counter()
            self._next = end + max(1 / REFRESHES, (end - begin) / SHARE)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        # Lines are assembled here: drawing tables and panels of rich lasts ten times as long.
        rows = list(self._rows())
        names = max(cell_len(row[0]) for row in rows) + 2
        self._value_width = max(self._value_width, *(len(row[3]) for row in rows))
        parts = [
            [(set_cell_size(name, names), ""), (line.ljust(self._columns + 2), color),
             (now.rjust(self._value_width), "bold"), ("  " + more, "dim")]
            for name, line, color, now, more in rows
        ]  # fmt: skip
        parts.append(self._progress())
        self._width = max(self._width, *(sum(cell_len(text) for text, _ in line) for line in parts))
        inner = min(self._width, max(options.max_width - 4, 1))
        dim, edge = Style.parse("dim"), "─" * (inner + 2)
        yield Segment(f"╭{edge}╮\n", dim)
        for line in parts:
            yield Segment("│ ", dim)
            left = inner
            for text, style in line:
                fitting = text if cell_len(text) <= left else set_cell_size(text, left)
                left -= cell_len(fitting)
                yield Segment(fitting, Style.parse(style))
            yield Segment(" " * left + " │\n", dim)
        yield Segment(f"╰{edge}╯", dim)

    def _rows(self) -> Iterator[tuple[str, str, str, str, str]]:
        """Name, sparkline, its color, the value now, more."""
        step = self._latest or Applied(0, 0, 0, 0, 0, 0, 0, 0.0, 0.0)
        rates = np.divide(self._changed, self._seconds, np.full(self._columns, np.nan), where=self._seconds > 0)
        overall = self._changed.sum() / max(float(self._seconds.sum()), 1e-9)
        if self._noun is not None:
            yield plural(self._noun), sparkline(self._count), "green", f"{step.count:,}", f"{self._change:+,}"
        changed = f"+{step.inserted:,} -{step.deleted:,}"
        if isinstance(self._window, str):
            changed += f", window {self._window}"
        elif self._window:
            changed += f", window {min(self._done, self._window):,}/{self._window:,} batches"
        yield "edges", sparkline(self._edges, 0), "magenta", f"{step.edges:,}", changed
        yield "update time", sparkline(self._update, 0), "blue", duration(step.update_seconds), self._spread(0)
        if self._noun is not None:
            yield "count time", sparkline(self._analytic, 0), "yellow", duration(step.count_seconds), self._spread(1)
        now = (step.records + step.deletions) / max(step.update_seconds, 1e-9)
        yield "edges/s", sparkline(rates, 0), "cyan", scaled(now), f"{scaled(overall)} overall"
        if self._memory is not None:
            used = self._memory()
            yield "memory", "", "", size(used), f"{used / step.edges:.1f} B an edge" if step.edges else ""

    def _spread(self, which: int) -> str:
        if not self._done:
            return ""
        p50, p99 = np.percentile(self._all[which, : self._done], [50, 99])
        return f"P50 {duration(p50)}, P99 {duration(p99)}"

    def _progress(self) -> list[tuple[str, str]]:
        done = self._columns * self._done // max(self._batches, 1)
        after = (self._message, "") if self._message else (self._times(), "dim")
        return [("━" * done, "green"), ("─" * (self._columns - done), "dim"), ("  ", ""), after]

    def _times(self) -> str:
        passed, left = time.perf_counter() - self._begin, self._batches - self._done
        remaining = f", {duration(passed / self._done * left)} left" if self._done and left else ""
        return f"{self._done:,}/{counted(self._batches, 'batch')} in {duration(passed)}{remaining}"


def can_show_live(console: Console = err) -> bool:
    """Whether this is a terminal that can redraw lines and show blocks."""
    return console.is_terminal and not console.is_dumb_terminal and not console.options.ascii_only


@contextmanager
def live_view(
    batches: int, noun: str | None, window: int | str, memory: Callable[[], int], console: Console = err
) -> Iterator[LiveView]:
    """Show a stream while the ``with`` block runs. The final state stays on the terminal."""
    view = LiveView(batches, noun, window, memory, columns=max(min(COLUMNS, console.width - BESIDE), 8))
    with Live(view, console=console, auto_refresh=False) as view.live:
        yield view
