"""Numbers and tables as text for people."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from rich.table import Table as RichTable

BLOCKS = "▁▂▃▄▅▆▇█"


def scaled(value: float, unit: str = "") -> str:
    """Three digits and a prefix: ``12.3 M``."""
    for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}".rstrip()


def counted(number: int, noun: str) -> str:
    """``1 triangle``, ``2 triangles``."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """``triangles``, ``batches``, ``communities``."""
    if noun.endswith("y"):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith("ch") else "s")


def duration(seconds: float) -> str:
    """Seconds, milliseconds or microseconds, with three digits."""
    if seconds >= 60:
        return f"{seconds / 60:.1f} min"
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def milliseconds(value: float | None) -> str:
    """`duration` of milliseconds, ``-`` for None."""
    return "-" if value is None else duration(value / 1e3)


def window_of(window: int | str) -> str:
    """``3 batches``, or the length of time."""
    return counted(window, "batch") if isinstance(window, int) else window


def size(count: float) -> str:
    """Bytes in binary units."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 2**power:
            return f"{count / 2**power:.1f} {unit}"
    return f"{count:.0f} B"


def sparkline(values: Iterable[float], floor: float | None = None) -> str:
    """A bar for each value, from the smallest, or `floor`, to the largest. Blank for values that are not finite.

    Equal values have bars of half the height, or the lowest if they are `floor`.
    """
    listed = list(values)
    finite = [value for value in listed if math.isfinite(value)]
    if not finite:
        return " " * len(listed)
    low, high = min(finite) if floor is None else floor, max(finite)
    top = len(BLOCKS) - 1

    def level(value: float) -> int:
        if high <= low:
            return top // 2 if floor is None else 0
        return round(top * max(value - low, 0) / (high - low))

    return "".join(BLOCKS[level(value)] if math.isfinite(value) else " " for value in listed)


@dataclass(frozen=True)
class Table:
    """Rows of text under a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.header, ("---",) * len(self.header), *self.rows]
        return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)

    def rich(self) -> RichTable:
        """The table for a terminal."""
        table = RichTable(box=None, padding=(0, 2, 0, 0))
        for position, name in enumerate(self.header):
            table.add_column(name.replace("`", ""), overflow="fold", no_wrap=position == 0)
        for row in self.rows:
            table.add_row(*(cell.replace("`", "") for cell in row))
        return table
