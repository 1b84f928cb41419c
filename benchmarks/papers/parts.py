"""GPMA over several GPUs: the benchmark `distributed` measures it, and this makes the rows of the paper's figure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from frontier.distributed import ProcessEngine, ThreadEngine

from ..distributed import cases_of, count_gpus, measure, powers_of_two, together
from ..results import Results
from .cell import Cell

FIGURE = "figure 12"
ANALYTICS = ("BFS", "components", "PageRank")


def over_parts(cell: Cell) -> None:
    """Updates and analytics of graphs of one, two and three times the edges, on one part and more: M edges/s.

    A part is a GPU of the machine. Without GPUs, the parts are two processes of the CPU, or, in the smallest mode, two
    threads.
    """
    smallest, on_gpu = cell.context.mode == "smoke", cell.device.is_gpu
    gpus = count_gpus() if on_gpu else 0
    if on_gpu and gpus < 2:
        cell.note("left out: it takes two GPUs, and there is one")
        return
    settings = {
        "scale": cell.context.axes.scales[0] + 2, "edge_factor": 16, "batch": 0, "structure": "gpma", "repeat": 1,
        "triangles": False,
    }  # fmt: skip
    for parts in cell.each(powers_of_two(gpus or 2)):
        engine: Any = (
            ThreadEngine(parts, cell.device) if smallest else ProcessEngine(parts, "nccl" if on_gpu else "ucxx")
        )
        with engine:
            for kind, options in cases_of(1, settings, weak=False, figure=True):
                if kind == FIGURE:
                    found = together(engine.run_alike(measure, options))
                    cell.agree(f"arcs with factor {options['edge_factor']}", found["checks"]["edges"])
                    for row in rows_of({"parts": parts, "options": options, **found}):
                        cell.add(**row)


def rows_of(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of the figure from the results of the benchmark `distributed` for one graph on some parts."""
    options, times = found["options"], found["rows"]
    graph = f"R-MAT {options['scale']}/{options['edge_factor']}"
    slide = sum(times[f"{name} (again)"]["seconds"] for name in ("insert", "delete"))
    rates = {"update": 2 * options["batch"] / slide} | {name: times[name]["per_second"] for name in ANALYTICS}
    for quantity, rate in rates.items():
        yield {"graph": graph, "quantity": quantity, "x": found["parts"], "value": rate / 1e6, "unit": "M edges/s"}


def from_distributed(results: Results, experiment: str) -> Results:
    """The same rows from a results file of the benchmark `distributed`, for the page."""
    rows = [
        {"experiment": experiment, "system": "gpma", **row}
        for found in results.rows if found["kind"] == FIGURE for row in rows_of(found)
    ]  # fmt: skip
    scale = next((found["options"]["scale"] for found in results.rows if found["kind"] == FIGURE), 0)
    return replace(results, rows=rows, header={"scale": scale, **results.header})
