"""Draws ``docs/pictures/live.svg``: the view of ``dynfrontier stream --live`` near the end of a generated stream.

    python docs/draw_live.py

Blocks and lines are drawn as shapes, so the picture looks the same with every font.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from html import escape
from pathlib import Path

from rich.console import Console
from rich.segment import Segment

import frontier as fr
from algorithms import find_analytic
from dynfrontier.job import StreamJob
from dynfrontier.live import LiveView
from structures import SlabGraph

PICTURE = Path(__file__).resolve().parent / "pictures" / "live.svg"
SCALE, BATCH, SHOWN = 15, 4096, 121
"""The stream, and the number of the batch after which the view is drawn."""
COLUMNS = 28
WIDE, HIGH, AROUND, SIZE = 8, 22, 14, 13
"""Pixels: of a column, of a line, of the margin, and of a letter."""
BACKGROUND, EDGE, PLAIN, DIM = "#0d1117", "#3d444d", "#f0f6fc", "#9198a1"
COLORS = {"green": "#3fb950", "magenta": "#bc8cff", "blue": "#58a6ff", "yellow": "#d29922", "cyan": "#39c5cf"}
BLOCKS, DONE, LEFT = " ▁▂▃▄▅▆▇█", "━", "─"


def view() -> LiveView:
    """The view after `SHOWN` batches, of a stream on the CPU with exact triangle counts."""
    stream = fr.io.stream_edges(fr.io.rmat(SCALE, 16, seed=1), BATCH)
    device, analytic = fr.advanced.resolve_device("cpu"), find_analytic("triangle_count")
    job = StreamJob(SlabGraph, device, stream, 3 * len(stream) // 4, analytic)
    job.warm_up()
    shown = LiveView(len(stream), "triangle", job.window, lambda: job.graph.memory_usage().used, COLUMNS)
    for _, step in zip(range(SHOWN), job.steps(), strict=False):
        shown.step(step)
    return shown


def draw(shown: LiveView) -> str:
    """The view as SVG, in the colors of a dark terminal."""
    console = Console(file=io.StringIO(), width=160, force_terminal=True, color_system="standard")
    framed = console.render_lines(shown, pad=False)
    lines = [line[1:] for line in framed[1:-1]]  # the frame is drawn below
    columns = sum(segment.cell_length for segment in lines[0]) - 2
    width, height = WIDE * columns + 2 * AROUND, HIGH * len(lines) + 2 * AROUND
    shapes = [shape for number, line in enumerate(lines) for shape in _line(line, columns, AROUND + HIGH * number)]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="{SIZE}" xml:space="preserve">',
        "<title>The live view of a stream: triangles, edges, times, rate and memory</title>",
        f'<rect x="1" y="1" width="{width - 2}" height="{height - 2}" rx="8" fill="{BACKGROUND}" stroke="{EDGE}"/>',
        *shapes, "</svg>", "",
    ])  # fmt: skip


def _line(line: list[Segment], columns: int, y: int) -> Iterator[str]:
    """The shapes of a line of the view."""
    column = 0
    for text, style, _ in line:
        color = PLAIN if style is None or style.color is None else COLORS[style.color.name]
        color = DIM if style is not None and style.dim else color
        x, column = AROUND + WIDE * column, column + len(text)
        if column > columns:
            return
        if set(text) & {DONE, LEFT}:
            strong = 4 if DONE in text else 1
            box = f'x="{x}" y="{y + (HIGH - strong) / 2:g}" width="{WIDE * len(text)}" height="{strong}"'
            yield f'<rect {box} fill="{color}"/>'
        elif set(text) & set(BLOCKS[1:]):
            bars = [(x + WIDE * i, 2 * BLOCKS.index(block)) for i, block in enumerate(text) if block != " "]
            path = "".join(f"M{left} {y + HIGH - 3}v-{up}h{WIDE - 1}v{up}z" for left, up in bars)
            yield f'<path d="{path}" fill="{color}"/>'
        elif text.strip():
            begin = len(text) - len(text.lstrip())
            weight = ' font-weight="bold"' if style is not None and style.bold else ""
            words = text.strip()
            yield (
                f'<text x="{x + WIDE * begin}" y="{y + 16}" textLength="{WIDE * len(words)}" fill="{color}"{weight}>'
                f"{escape(words)}</text>"
            )


if __name__ == "__main__":
    PICTURE.write_text(draw(view()), encoding="utf-8")
