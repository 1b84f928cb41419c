"""``dynfrontier run``: any analytic of the catalogue, on the graph of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import err, fail, out, say, user_errors
from ..options import (
    DeviceName,
    Directed,
    OptionalFile,
    Source,
    StructureName,
    pick_device,
    pick_structure,
    reads_a_file,
    vertex_of,
)
from ..outputs import check_outputs, write_rows

if TYPE_CHECKING:
    import numpy as np

    from algorithms import Analytic

LISTS_OF_VERTICES = ("sources", "starts", "src", "dst")  # parameters of analytics that may be lists of vertices


@reads_a_file
def run(
    name: Annotated[
        str | None,
        typer.Argument(help="An analytic, such as pagerank, or MODULE:NAME for one that a module of yours registers. "
                            "Without one, all are listed."),
    ] = None,
    given: OptionalFile = None,
    source: Source = None,
    sources: Annotated[
        str | None,
        typer.Option(help="Several vertices to start from: ids of the file, or names, separated by commas."),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", "-p", help="A parameter of the analytic, such as k=5. May be repeated.",
                     show_default="those of the catalogue"),
    ] = None,
    directed: Directed = None,
    structure: StructureName = None,
    device: DeviceName = "auto",
    top: Annotated[int, typer.Option(min=0, help="Show this many rows: those with the largest last value.")] = 5,
    output: Annotated[
        Path | None, typer.Option(help="Write a row for each vertex, or each edge, to this CSV file.")
    ] = None,
) -> None:  # fmt: skip
    """Run an analytic on a graph.

    Examples:

    - `dynfrontier run`
    - `dynfrontier run pagerank wiki-Vote.txt.gz --directed --output ranks.csv`
    - `dynfrontier run bfs wiki-Vote.txt.gz --sources 3,30,55 --output distances.csv`
    - `dynfrontier run k_truss email-Enron.txt.gz -p k=10`
    - `dynfrontier run mine:degrees roads.mtx`, which imports `mine.py`
    """
    if name is None:
        _list()
        return
    from algorithms import find_analytic

    with user_errors(ValueError):
        analytic = find_analytic(name)
        settings = _settings(analytic, parameter or [])
    if analytic.static is None:
        fail(f"{analytic.name} has an incremental form only; see dynfrontier workload")
    if source is not None and not analytic.takes_source:
        fail(f"--source: {analytic.name} does not start from a vertex")
    if sources is not None and "sources" not in analytic.accepted:
        fail(f"--sources: {analytic.name} does not start from several vertices")
    if sources is not None and source is not None:
        fail("--source and --sources cannot both be given")
    if given is None:
        fail("give the file of a graph, too; - is standard input")
    place, kind = pick_device(device), pick_structure(structure)
    check_outputs(given.path, output=output)
    edges = given.edges()
    if not edges.num_vertices:
        fail(f"{given.name} contains no vertices")
    for key in _lists_of_vertices(settings):
        settings[key] = _vertices(settings[key], edges, given.name, f"--parameter {key}")
    if source is not None:
        settings["source"] = vertex_of(edges, source, given.name)
    if sources is not None:
        settings["sources"] = _vertices(sources.split(","), edges, given.name, "--sources")
    from dataclasses import replace
    from functools import partial

    from ..columns import columns_of
    from ..comparison import load_graph
    from ..compiling import compile_messages
    from ..times import as_in_file
    from ..timing import timed_call

    kept = edges if analytic.weights != "ignored" else replace(edges, weights=None)
    if analytic.times and edges.times is None:
        fail(f"{analytic.name} needs times, and {given.name} has none; name their column, such as --columns "
             "src,dst,time")  # fmt: skip
    with user_errors(ValueError):
        graph = load_graph(kept, kind, place, directed, times=analytic.times)
    if why := analytic.obstacle(graph):
        fail(f"{analytic.name} cannot run: {why}")
    settings = analytic.settings(graph, **settings)
    work = partial(analytic.compute, graph, **settings)
    with compile_messages(), user_errors(ValueError, TypeError, RuntimeError):
        work()
    seconds, result = timed_call(work, place.synchronize)
    ids = edges.original_ids
    times_as = partial(as_in_file, edges, unit=graph.time_unit)
    table, numbers = columns_of(analytic, result, place, ids, settings.get("starts"), times_as)
    if "source" in settings:
        settings["source"] = ids[settings["source"]]
    for key in _lists_of_vertices(settings):
        settings[key] = ids[settings[key]].tolist()
    _report(analytic, settings, graph, seconds, numbers)
    _show(table, top)
    if output is not None:
        if not table:
            fail(f"--output: {analytic.name} has no value for each vertex or edge")
        write_rows(output, tuple(table), zip(*(column.tolist() for column in table.values()), strict=True))
        what = "rows" if "source" in table else {"vertex": "vertices", "edge": "edges", "graph": "rows"}[analytic.per]
        say(f"{output}: {len(next(iter(table.values()))):,} {what}", err)


def _lists_of_vertices(settings: dict[str, Any]) -> list[str]:
    return [key for key in LISTS_OF_VERTICES if isinstance(settings.get(key), list | tuple)]


def _vertices(called: Any, edges: Any, name: str, option: str) -> list[int]:
    return [vertex_of(edges, str(one).strip(), name, option) for one in called]


def _settings(analytic: Analytic, words: list[str]) -> dict[str, Any]:
    """Parse parameters such as ``k=5``."""
    import ast

    from ..times import as_date

    found: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise ValueError(f"--parameter must be such as k=5, not {word!r}")
        if name not in analytic.accepted or name == "source":
            known = ", ".join(known for known in analytic.accepted if known != "source") or "none"
            raise ValueError(f"--parameter {name}: {analytic.name} has no such parameter; its parameters: {known}")
        try:
            found[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            found[name] = as_date(text) or text
    return found


def _list() -> None:
    from algorithms import analytics

    from ..supported import summary
    from ..text import Table

    rows = []
    for name, analytic in (analytics() | analytics(times=True)).items():
        settings = ", ".join(f"{key}={value}" for key, value in analytic.parameters.items())
        forms = " and ".join(
            form for form, there in (("static", analytic.static), ("incremental", analytic.incremental)) if there
        )
        rows.append((name, summary(analytic.static or analytic.incremental), forms, settings))
    out.print(Table(("name", "what it does", "forms", "parameters"), tuple(rows)).rich())


def _report(analytic: Analytic, settings: dict[str, Any], graph: Any, seconds: float, numbers: dict[str, Any]) -> None:
    """Print the analytic, the graph, and the numbers of the result."""
    from ..text import duration
    from ..times import UNITS

    said = ", ".join(f"{name}={value}" for name, value in settings.items())
    if graph.time_unit is not None:
        said += f"; times in {UNITS[graph.time_unit]}"
    kind = "directed" if graph.directed else "undirected"
    say(
        f"{analytic.name}({said}) of {graph.num_vertices:,} vertices and {graph.num_edges:,} {kind} edges, in "
        f"{duration(seconds)} ({graph.name} on the {graph.device.kind.upper()})"
    )
    for name, value in numbers.items():
        text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else f"{value}"
        say(f"  {name}: {text}")


def _show(table: dict[str, np.ndarray], top: int) -> None:
    """Print the rows with the largest values in the last column of numbers."""
    import numpy as np

    from ..text import Table

    if not table or not top:
        return
    numeric = [values for values in list(table.values())[1:] if values.dtype.kind in "biuf"]
    order = np.arange(len(next(iter(table.values()))))
    if numeric:
        order = np.argsort(-numeric[-1].astype(np.float64), kind="stable")
    cells = tuple(tuple(str(values[row]) for values in table.values()) for row in order[:top])
    out.print(Table(tuple(table), cells).rich())
