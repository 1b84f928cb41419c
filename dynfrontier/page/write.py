"""Write the page, which loads no files and has no scripts."""

from __future__ import annotations

import string
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from .. import __version__
from ..outputs import write_text
from ..report import TIMES, TIMES_TITLE, TOTALS_TITLE, Report, times_rows, totals_rows
from ..text import counted, duration, plural, scaled, window_of
from .figures import Figure, draw_figures

TEMPLATE = Path(__file__).with_name("page.html")
SLOWEST = 5
SLOWEST_COLUMNS = ("batch", "updates", "update", "count", "both")


def write_page(report: Report, place: dict[str, Any], outcome: str, path: Path) -> None:
    """Write the report of a run on a machine (`machine.describe_run`), and its check's `outcome`, as HTML."""
    write_text(path, render_page(report, place, outcome))


def render_page(report: Report, place: dict[str, Any], outcome: str) -> str:
    setting, steps = report.setting, report.steps
    figures = draw_figures(steps, setting["counted"], setting["window"]) if steps else []
    return string.Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        title=_text(f"{plural(setting['counted'] or 'edge')} of {setting['stream']}"),
        stream=_text(setting["stream"]),
        summary=_text(_summary(setting)),
        state="bad" if report.verified is False else "good" if report.verified else "open",
        outcome=_text(outcome),
        tiles="\n".join(
            f"<li><span>{_text(name)}</span> <b>{_text(value)}</b> <small>{_text(more)}</small></li>"
            for name, value, more in _tiles(report)
        ),
        figures="\n".join(map(_figure, figures)) or "<p>No batch was done.</p>",
        totals=_table(TOTALS_TITLE, totals_rows(report)),
        times=_table(TIMES_TITLE, times_rows(report), ("", *TIMES)),
        slowest=_table("Slowest batches", _slowest(report), SLOWEST_COLUMNS) if steps else "",
        setting=_table("Setting", _setting(setting, place)),
        version=_text(__version__),
    )


def _text(text: object) -> str:
    """Escape text for HTML. Bytes that are no Unicode, as in file names, appear as on standard error."""
    return escape(str(text).encode("utf-8", "backslashreplace").decode())


def _summary(setting: dict[str, Any]) -> str:
    window = f", window of {window_of(setting['window'])}" if setting["window"] else ""
    return (
        f"{plural(setting['counted'] or 'edge')} after every batch; structure {setting['structure']} on the "
        f"{setting['device'].upper()}, batches of up to {counted(setting['batch_size'], 'record')}{window}"
    )


def _tiles(report: Report) -> list[tuple[str, str, str]]:
    """The main figures: name, value, more."""
    found, spread = report.totals, report.seconds
    noun = report.setting["counted"]
    return [
        *([] if noun is None else [(plural(noun), f"{found['count']:,}", "in the end")]),
        ("edges", f"{found['edges']:,}", f"in the end, of {found['vertices_with_edges']:,} vertices"),
        ("updates a second", scaled(found["updates_per_second"]), f"{duration(spread['update']['total'])} in total"),
        ("median batch", duration(spread["both"]["p50"]),
         f"P99 {duration(spread['both']['p99'])}" + ("" if noun is None else ", with the count")),
        ("memory per edge", f"{found['bytes_per_edge']:.1f} B", f"CSR has {found['csr_bytes_per_edge']:.1f} B"),
    ]  # fmt: skip


def _slowest(report: Report) -> list[tuple[str, ...]]:
    both = [(step.update_seconds + step.count_seconds, number, step) for number, step in enumerate(report.steps, 1)]
    both.sort(key=lambda row: (-row[0], row[1]))
    return [
        (f"{number:,}", f"{step.records + step.deletions:,}", duration(step.update_seconds),
         duration(step.count_seconds), duration(seconds))
        for seconds, number, step in both[:SLOWEST]
    ]  # fmt: skip


def _setting(setting: dict[str, Any], place: dict[str, Any]) -> list[tuple[str, str]]:
    machine, versions = place["machine"], place["versions"]
    said = ", ".join(f"{name} {versions[name]}" for name in ("python", "numpy", "numba") if name in versions)
    return [
        ("stream", setting["stream"]),
        ("structure", setting["structure"]),
        ("device", setting["device"].upper()),
        ("analytic", setting["analytic"]),
        ("batches", f"up to {counted(setting['batch_size'], 'record')}"),
        ("window", window_of(setting["window"]) if setting["window"] else "none, edges stay"),
        ("processor", f"{machine['cpu']}, {counted(machine['cores'], 'core')}"),
        *([("GPU", f"{machine['gpu']}, driver {machine['driver']}")] if "gpu" in machine else []),
        ("versions", said),
        ("written", place["date"].replace("T", " ")),
    ]


def _figure(figure: Figure) -> str:
    return (
        f"<figure><figcaption><b>{_text(figure.title)}</b> <small>{_text(figure.note)}</small></figcaption>\n"
        f"{figure.svg}\n</figure>"
    )


def _table(title: str, rows: Iterable[tuple[str, ...]], header: tuple[str, ...] = ()) -> str:
    """A table whose first column names the rows."""
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in header)
    body = "\n".join(
        f'<tr><th scope="row">{_text(name)}</th>{"".join(f"<td>{_text(value)}</td>" for value in values)}</tr>'
        for name, *values in rows
    )
    head = f"<thead><tr>{head}</tr></thead>\n" if header else ""
    return f"<section><h2>{_text(title)}</h2>\n<table>\n{head}<tbody>\n{body}\n</tbody></table></section>"
