"""Pictures for the documentation, from results files. ``python -m benchmarks figures --write`` draws them (matplotlib).

The chart of the README has a light and a dark form. It is written as SVG text, since its few bars need no library.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from .figures import BATCH, TASKS, largest_compared, number
from .results import FOLDER
from .sources import GPU, results_of, rows_of

PICTURES = FOLDER.parents[1] / "docs" / "pictures"
COLORS = {
    "csr": "tab:gray", "csr recount": "black", "hornet": "tab:orange", "slab": "tab:blue", "gpma": "tab:green",
    "lpma": "tab:olive", "graphvine": "tab:red", "faimgraph": "tab:purple", "cugraph": "tab:pink",
    "scipy": "tab:brown", "igraph": "plum", "networkit": "tab:cyan", "networkx": "silver",
}  # fmt: skip

# ---- the chart of the README ----------------------------------------------------------------------------------------

THEMES = {
    "light": {"text": "#1f2328", "faint": "#59636e", "here": "#1f6feb", "other": "#afb8c1"},
    "dark": {"text": "#f0f6fc", "faint": "#9198a1", "here": "#4493f8", "other": "#656c76"},
}
"""Colors on the backgrounds of GitHub."""
WIDTH, LEFT, RIGHT = 520, 135, 110
BAR, GAP, BETWEEN, TOP, BOTTOM = 20, 6, 38, 44, 30
"""Pixels. A phone shows the chart at two thirds of its size."""
FONT = "font-family=\"-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif\""
SHOWN = ("bfs", "k-truss 4", "sssp")
"""Static algorithms of the chart."""
ARCS = {"rmat22": "128 million arcs", "rmat20": "31 million arcs", "rmat16": "1.8 million arcs"}


class Group(NamedTuple):
    """Bars that share a linear scale, of which the first is this project's."""

    title: str
    detail: str
    bars: list[tuple[str, float]]


def groups() -> list[Group]:
    """The rows of the chart: an update with exact triangle counts, and static algorithms."""
    mean = {row["system"]: row["mean_ms"] for row in rows_of("triangles", GPU, **BATCH, operation="insert")}
    names = {"slab": "dynfrontier", "csr recount": "CSR, rebuilt", "cugraph": "cuGraph, rebuilt"}
    bars = [(label, mean[name]) for name, label in names.items() if name in mean]
    found = [Group("65,536 new edges, then exact triangle counts", ARCS["rmat22"], bars)]
    for label in SHOWN:
        graph, systems = largest_compared(label)
        if {"slab", "cugraph"} <= systems.keys():
            bars = [("dynfrontier", systems["slab"]), ("cuGraph", systems["cugraph"])]
            found.append(Group(TASKS[label], ARCS[graph], bars))
    return found


def chart(theme: str) -> str:
    """The chart as SVG."""
    colors, shown = THEMES[theme], groups()
    machine = results_of("triangles", GPU)[0].header["machine"].get("gpu", "")
    lines, y = [_text(0, 18, f"Milliseconds on one {machine}, shorter is better", colors["text"], 16, weight=600)], TOP
    for group in shown:
        longest = max(milliseconds for _, milliseconds in group.bars)
        detail = group.detail, colors["faint"]
        lines.append(_text(0, y + 13, group.title, colors["text"], 14, weight=600, detail=detail))
        y += 22
        for index, (name, milliseconds) in enumerate(group.bars):
            color = colors["other" if index else "here"]
            length = max((WIDTH - LEFT - RIGHT) * milliseconds / longest, 1.5)
            lines.append(_text(LEFT - 10, y + 15, name, colors["text" if not index else "faint"], 14, anchor="end"))
            lines.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2" fill="{color}"/>')
            times = "" if not index else f" ({number(milliseconds / group.bars[0][1])}x)"
            lines.append(_text(LEFT + length + 6, y + 15, f"{number(milliseconds)}{times}", colors["text"], 14))
            y += BAR + GAP
        y += BETWEEN - 22
    y += BOTTOM - BETWEEN
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}" role="img"'
    return "\n".join([f"{head} {FONT}>", f"<title>{_spoken(shown)}</title>", *lines, "</svg>", ""])


def _text(
    x: float, y: float, text: str, color: str, size: int, *, anchor: str = "start", weight: int = 400,
    detail: tuple[str, str] | None = None,
) -> str:  # fmt: skip
    more = f'<tspan dx="8" font-weight="400" fill="{detail[1]}">{escape(detail[0])}</tspan>' if detail else ""
    return (
        f'<text x="{x:.1f}" y="{y}" fill="{color}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}">'
        f"{escape(text)}{more}</text>"
    )


def _spoken(shown: list[Group]) -> str:
    """The chart in words."""
    return escape("; ".join(f"{group.title}: " + ", ".join(f"{name} {number(ms)} ms" for name, ms in group.bars)
                            for group in shown))  # fmt: skip


# ---- with matplotlib ------------------------------------------------------------------------------------------------


def draw_insertions() -> Any:
    """Insertion rates by batch size."""
    chosen = {"graph": "rmat20", "distribution": "uniform", "operation": "insert", "variant": "unweighted"}
    rows = rows_of("updates", GPU, **chosen)
    figure, panel = _figure(f"Insertions of new arcs, 2^20 vertices, {_place('updates')}")
    for structure in dict.fromkeys(row["structure"] for row in rows):
        rates: dict[int, float] = {}
        for row in rows:
            if row["structure"] == structure:
                rates.setdefault(row["batch"], row["m_edges_per_s"])
        line = sorted(rates.items())
        panel.plot(*zip(*line, strict=True), marker=".", color=COLORS[structure], label=structure)
    panel.set(xlabel="batch size", ylabel="M arcs/s (median)", xscale="log", yscale="log")
    panel.legend(fontsize="small")
    return figure


def draw_incremental() -> Any:
    """Incremental results and recomputation, after a batch."""
    rows = [row for row in rows_of("incremental", GPU, structure="slab") if row["graph"].startswith("rmat")]
    figure, panel = _figure(f"After a batch of changes to 128 M arcs, slab, {_place('incremental')}")
    labels = [f"{row['analytic'].replace('_', chr(10))}\nbatch {row['batch']:,}" for row in rows]
    for i, (key, label) in enumerate((("incremental_ms", "incremental"), ("anew_ms", "from scratch"))):
        panel.bar([x + 0.4 * i for x in range(len(rows))], [row[key] for row in rows], 0.4, label=label)
    panel.set_xticks([x + 0.2 for x in range(len(rows))], labels, fontsize="small")
    panel.set(ylabel="ms", yscale="log")
    panel.legend(fontsize="small")
    return figure


def _figure(title: str) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, fontsize="medium")
    return figure, figure.subplots()


def _place(question: str) -> str:
    header = results_of(question, GPU)[0].header
    return f"{header['machine']['gpu']}, {header['date'][:10]}"


DRAWN = {"insertions": draw_insertions, "incremental": draw_incremental}


def charts() -> dict[Path, str]:
    """The README's chart, by file."""
    return {PICTURES / f"chart-{theme}.svg": chart(theme) for theme in THEMES}


def draw_all(folder: Path = PICTURES) -> None:
    """Draw the pictures that need matplotlib."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "dynfrontier", "svg.fonttype": "none"}):
        for name, draw in DRAWN.items():
            draw().savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
