"""The plots of the page, as SVG in the colors of the page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..job import Applied
from ..text import counted, duration, plural, scaled, window_of

COLORS = {
    name: f"#f1d20{digit}" for digit, name in enumerate(["text", "faint", "count", "edges", "update", "analytic"])
}
"""Stand-ins for the variables of the page's style while matplotlib draws."""
STYLE = {
    "svg.fonttype": "none", "font.size": 9.0, "text.color": COLORS["text"], "axes.labelcolor": COLORS["text"],
    "axes.edgecolor": COLORS["faint"], "axes.facecolor": "none", "axes.grid": True, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "figure.facecolor": "none", "grid.color": COLORS["faint"],
    "grid.linewidth": 0.6, "legend.frameon": False, "lines.linewidth": 1.5, "xtick.color": COLORS["faint"],
    "ytick.color": COLORS["faint"], "xtick.labelcolor": COLORS["text"], "ytick.labelcolor": COLORS["text"],
    "savefig.facecolor": "none",
}  # fmt: skip
SIZE = (5.2, 2.6)  # inches: on a phone, letters shrink by a tenth
MARKED = 60  # points of lines with fewer batches are marked
GROUPS = 400  # longer streams are drawn in this number of groups of batches, which bounds the size of the page
BINS = 48
LOGARITHMIC = 20  # latencies are on a logarithmic axis if the longest is this multiple of the median


@dataclass(frozen=True)
class Figure:
    """A plot, an SVG element, with its title and a note of figures."""

    title: str
    note: str
    svg: str


class Grouped:
    """Values of batches, drawn one by one, or in groups of neighbors if they are many."""

    def __init__(self, batches: int):
        self.starts = np.unique(np.linspace(0, batches, min(batches, GROUPS), endpoint=False).astype(np.int64))
        self._lasts = np.append(self.starts[1:], batches) - 1
        self.x = self._lasts + 1
        self.batches = batches

    def last(self, values: np.ndarray) -> np.ndarray:
        return values[self._lasts]

    def sum(self, values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values, self.starts)

    def median(self, values: np.ndarray) -> np.ndarray:
        return np.array([np.median(part) for part in np.split(values, self.starts[1:])])

    def extremes(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.minimum.reduceat(values, self.starts), np.maximum.reduceat(values, self.starts)


def draw_figures(steps: list[Applied], noun: str | None, window: int | str) -> list[Figure]:
    """Draw all plots of a run of at least one batch, with a count unless the noun is None.

    The window is a number of batches, 0 for none, or a length of time.
    """
    groups = Grouped(len(steps))
    update, count = (_of(steps, f"{name}_seconds") for name in ("update", "count"))
    counts, edges = _of(steps, "count"), _of(steps, "edges")
    records = _of(steps, "records") + _of(steps, "deletions")
    rates = {
        name: groups.sum(records) / np.maximum(groups.sum(seconds), 1e-9)
        for name, seconds in (("update", update), ("update and count", update + count))
    }
    times = {"update": ("update", update), "count": ("analytic", count)}
    in_window = f" of the last {window_of(window)}" if window else ""
    window = window if isinstance(window, int) else 0
    rate = f"{scaled(records.sum() / max(update.sum(), 1e-9))} in updates"
    if noun is None:
        del rates["update and count"], times["count"]
    else:
        rate += f", {scaled(records.sum() / max((update + count).sum(), 1e-9))} with the count"
    figures = [
        _figure(
            f"Edges{in_window}", f"{int(edges[-1]):,} in the end, {int(edges.max()):,} at most",
            lambda axes: _draw_level(axes, groups, edges, "edges", window),
        ),
        _figure(
            "Time of an update", f"{duration(update.max())} at most",
            lambda axes: _draw_latency(axes, groups, update, "update"),
        ),
        _figure("Batches by time", counted(len(steps), "batch"), lambda axes: _draw_histogram(axes, times)),
        _figure("Updates a second", rate, lambda axes: _draw_rates(axes, groups, rates)),
    ]  # fmt: skip
    if noun is None:
        return figures
    level = _figure(
        f"{plural(noun).capitalize()}", f"{int(counts[-1]):,} in the end, {int(counts.max()):,} at most",
        lambda axes: _draw_level(axes, groups, counts, "count", window),
    )  # fmt: skip
    latency = _figure(
        f"Time to count {plural(noun)}",
        f"{duration(count.max())} at most",
        lambda axes: _draw_latency(axes, groups, count, "analytic"),
    )
    return [level, *figures[:2], latency, *figures[2:]]


def _of(steps: list[Applied], name: str) -> np.ndarray:
    return np.array([getattr(step, name) for step in steps])


def _figure(title: str, note: str, draw: Callable[[Any], None]) -> Figure:
    """Draw a plot in the style of this module, regardless of the user's style."""
    import matplotlib.style
    from matplotlib.figure import Figure as Canvas

    file = io.StringIO()
    # The names of markers and clips are made of the salt, since all plots of a page share one namespace.
    with matplotlib.style.context(["default", STYLE | {"svg.hashsalt": title}]):
        figure = Canvas(figsize=SIZE, layout="constrained")
        draw(figure.subplots())
        figure.savefig(file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return Figure(title, note, _embedded(file.getvalue()))


def _embedded(document: str) -> str:
    """The element of an SVG document, without unused names, in the colors of the page."""
    svg = document[document.index("<svg") :].strip()
    svg = re.sub(r"<!--.*?-->\s*|<defs>\s*<style.*?</style>\s*</defs>\s*", "", svg, flags=re.DOTALL)
    for name, color in COLORS.items():
        svg = svg.replace(color, f"var(--{name})")
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    return re.sub(r"<svg [^>]*?(viewBox=\"[^\"]*\")[^>]*>", r'<svg \1 aria-hidden="true">', svg, count=1)


def _draw_level(axes: Any, groups: Grouped, values: np.ndarray, color: str, window: int) -> None:
    from matplotlib.ticker import EngFormatter, MaxNLocator

    level = groups.last(values)
    axes.plot(groups.x, level, color=COLORS[color], marker=_marker(groups))
    axes.fill_between(groups.x, level, color=COLORS[color], alpha=0.15, linewidth=0)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.yaxis.set_major_formatter(EngFormatter())
    if 0 < window < groups.batches:
        axes.axvline(window, color=COLORS["text"], linewidth=0.8, linestyle=":", label="window is full")
        _legend(axes)
    _batches(axes, groups)


def _draw_latency(axes: Any, groups: Grouped, seconds: np.ndarray, color: str) -> None:
    """Times of batches, their median and 99th percentile. For groups, the median and the extremes."""
    axes.plot(groups.x, groups.median(seconds), color=COLORS[color], marker=_marker(groups))
    if groups.batches > GROUPS:
        axes.fill_between(groups.x, *groups.extremes(seconds), color=COLORS[color], alpha=0.3, linewidth=0.8)
    p50, p99 = np.percentile(seconds, [50, 99])
    for value, dashes, name in ((p50, "--", "P50"), (p99, ":", "P99")):
        axes.axhline(value, color=COLORS["text"], linewidth=0.9, linestyle=dashes, label=f"{name} {duration(value)}")
    if p50 > 0 and seconds.max() > LOGARITHMIC * p50:
        axes.set_yscale("log")
        _in_seconds(axes.yaxis, logarithmic=True)
    else:
        axes.set_ylim(bottom=0)
        _in_seconds(axes.yaxis)
    _legend(axes)
    _batches(axes, groups)


def _draw_histogram(axes: Any, parts: dict[str, tuple[str, np.ndarray]]) -> None:
    """Times of batches by frequency. `parts` has colors and seconds by name."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    joined = np.maximum(np.concatenate([seconds for _, seconds in parts.values()]), 1e-9)
    bins = np.geomspace(joined.min() / 1.05, joined.max() * 1.05, BINS + 1)
    for name, (color, seconds) in parts.items():
        axes.hist(
            np.maximum(seconds, 1e-9), bins, histtype="stepfilled", label=name, alpha=0.5, color=COLORS[color],
            edgecolor=COLORS[color],
        )  # fmt: skip
    axes.set_xscale("log")
    _in_seconds(axes.xaxis, logarithmic=True)
    axes.set(xlabel="time of a batch", ylabel="batches")
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    _legend(axes)


def _draw_rates(axes: Any, groups: Grouped, rates: dict[str, np.ndarray]) -> None:
    from matplotlib.ticker import EngFormatter

    for (name, values), color in zip(rates.items(), ("update", "analytic"), strict=False):
        axes.plot(groups.x, values, color=COLORS[color], label=name, marker=_marker(groups))
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(EngFormatter())
    _legend(axes)
    _batches(axes, groups)


def _marker(groups: Grouped) -> str:
    return "." if groups.batches <= MARKED else ""


def _legend(axes: Any) -> None:
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=4, borderaxespad=0.2, handlelength=1.6)


def _in_seconds(axis: Any, logarithmic: bool = False) -> None:
    from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator, NullFormatter

    if logarithmic:
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=(1,) if high > 100 * low else (1, 2, 5), numticks=8))
    else:
        axis.set_major_locator(MaxNLocator(5))
    axis.set_major_formatter(EngFormatter(unit="s"))
    axis.set_minor_formatter(NullFormatter())


def _batches(axes: Any, groups: Grouped) -> None:
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    axes.set_xlabel("batch")
    axes.set_xlim(*((1, groups.batches) if groups.batches > 1 else (0.5, 1.5)))
    axes.xaxis.set_major_locator(MaxNLocator(7, integer=True, min_n_ticks=1))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
