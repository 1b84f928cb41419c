"""The measured times of one algorithm, as a picture for its page in the documentation (needs matplotlib).

Static forms are shown as users call them, by structure and with other libraries, on the first graph of each device in
``algorithms.md``. Incremental forms are compared with recomputation from scratch.
"""

from __future__ import annotations

import io
from functools import cache
from typing import Any, NamedTuple

import frontier as fr
from algorithms import Analytic

from .calls import Call, calls
from .pictures import COLORS
from .results import FOLDER, Results
from .sources import CPU, GPU, origin, origins, results_of
from .summary import AUTO, GRAPHS, NATIVE, PEERS, Key, Time, collect, forms, load

WIDE = 20
"""The largest of a panel's times is so many times the smallest, or more: then the axis is logarithmic."""
MAINTAINED, RECOMPUTED = "incremental", "from scratch"
CARDS = {"gpu": GPU, "cpu": CPU}
PALE = 0.4
LINE, SPACE, BELOW, LEFT, RIGHT = 0.24, 0.85, 0.5, 1.9, 0.3
"""Inches: of a bar, of the margin around the bars of a panel, of the margin below them, and on both sides."""


class Bar(NamedTuple):
    """A time in milliseconds, and its label."""

    label: str
    milliseconds: float
    system: str
    form: str = ""


class Panel(NamedTuple):
    """Times that are comparable."""

    title: str
    bars: list[Bar]
    origin: str


def panels(known: Analytic) -> list[Panel]:
    """The measurements of an analytic: on a GPU, on a CPU, and incrementally."""
    found = [panel_of(known, device) for panel_of in (_static, _incremental) for device in GRAPHS]
    return [panel for panel in found if panel]


def svg(known: Analytic) -> str:
    """The picture of all panels, or "" without any."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = panels(known)
    if not shown:
        return ""
    heights = [LINE * len(panel.bars) for panel in shown]
    width, height = 7.0, sum(heights) + SPACE * len(shown)
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    top = height
    for panel, bars in zip(shown, heights, strict=True):
        top -= bars + SPACE  # margins are known, which avoids a layout search, most of the time
        _draw(panel, figure.add_axes((LEFT / width, (top + BELOW) / height, 1 - (LEFT + RIGHT) / width, bars / height)))
    file = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "dynfrontier", "svg.fonttype": "none"}):
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file.getvalue()


def _draw(panel: Panel, place: Any) -> None:
    lengths = [bar.milliseconds for bar in panel.bars]
    bars = place.barh(range(len(lengths)), lengths, color=[COLORS[bar.system] for bar in panel.bars])
    for drawn, bar in zip(bars, panel.bars, strict=True):
        drawn.set_alpha(PALE if bar.form == RECOMPUTED else 1)
    place.bar_label(bars, [f"{time:,.0f}" if time >= 100 else f"{time:.3g}" for time in lengths], padding=3)
    place.set_yticks(range(len(lengths)), [bar.label for bar in panel.bars])
    place.invert_yaxis()
    place.set_title(panel.title, fontsize="medium", loc="left")
    place.set_xlabel("ms")
    place.spines[["top", "right"]].set_visible(False)
    if max(lengths) >= WIDE * min(lengths):
        place.set_xscale("log")
        place.set_xlim(min(lengths) / 2, max(lengths) * 2)
    else:
        place.set_xlim(0, max(lengths) * 1.1)


def _static(known: Analytic, device: str) -> Panel | None:
    """The static form on the first graph of a device."""
    call, graph = _call(known), GRAPHS[device][0]
    if call is None:
        return None
    form = AUTO if AUTO in forms(call.label) else NATIVE
    found = {name: times().get((device, graph, call.label, form, name)) for name in (*fr.structures(), *PEERS)}
    found = {name: time for name, time in found.items() if time is not None}
    if not found.keys() & fr.structures().keys():
        return None
    files = sorted({time.source for time in found.values()})
    bars = [Bar(system, time.milliseconds, system) for system, time in found.items()]
    return Panel(f"{call.label}, {graph}, {device.upper()}", bars, _origins(files))


def _incremental(known: Analytic, device: str) -> Panel | None:
    """The incremental form after a batch, on a scale-free graph."""
    card = CARDS[device]
    found = results_of("incremental", card)
    if not found or known.incremental is None:
        return None
    results = found[0]
    labels = [call.label for call in calls().values() if call.analytic.name == known.name]
    rows = [row for row in results.rows if row["analytic"] in labels and row["graph"].startswith("rmat")]
    bars = [
        Bar(f"{row['structure']}, {form}", row[key], row["structure"], form)
        for row in rows
        for form, key in ((MAINTAINED, "incremental_ms"), (RECOMPUTED, "anew_ms"))
        if row["incremental_ms"] > 0  # it is the difference of two times
    ]
    if not bars:
        return None
    first = rows[0]
    title = f"{first['analytic']}, {first['graph']}, {device.upper()}, after a batch of {first['batch']:,} changes"
    return Panel(title, bars, origins("incremental", card))


def _call(known: Analytic) -> Call | None:
    """The call to show: that with the catalogue's parameters, if there are several."""
    mine = [call for call in calls().values() if call.analytic.name == known.name]
    return next((call for call in mine if call.settings == known.settings()), mine[0] if mine else None)


def _origins(files: list[str]) -> str:
    """Which files, and where and when they were measured."""
    return "; ".join(f"`{file}` ({origin(_load(file))})" for file in files)


@cache
def times() -> dict[Key, Time]:
    """All times of static forms, the latest of each."""
    return collect(load())


@cache
def _load(file: str) -> Results:
    return Results.load(FOLDER / file)
