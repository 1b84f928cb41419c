"""``dynfrontier graphalytics``: the algorithms of LDBC Graphalytics, checked against LDBC's results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import fail, out, say, user_errors
from ..options import DeviceName, StructureName, pick_device, pick_structure
from ..outputs import check_outputs, write_json

if TYPE_CHECKING:
    import frontier as fr

    from ..graphalytics import Case


def graphalytics(
    path: Annotated[
        Path, typer.Argument(help="A folder of data sets or validation graphs, or a tar archive of one.", exists=True)
    ],
    algorithm: Annotated[
        list[str] | None, typer.Option("--algorithm", "-a", show_default="all", help="Run only this (repeatable).")
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Timed calls of each, of which the fastest is reported.")] = 3,
    structure: StructureName = None,
    device: DeviceName = "auto",
    json: Annotated[Path | None, typer.Option("--json", help="Write all results to this file.")] = None,
) -> None:
    """Run the algorithms of LDBC Graphalytics, and check their results against LDBC's.

    These are BFS, PageRank, WCC, CDLP, LCC and SSSP. Data sets are properties files with their graphs and results. If
    a result differs, the exit code is 1.

    Examples:

    - `dynfrontier graphalytics ldbc-graphalytics-validation-graphs.tar.xz`
    - `dynfrontier graphalytics datagen-7_5-fb --algorithm cdlp --device gpu`
    """
    from ..compiling import compile_messages
    from ..graphalytics import ALGORITHMS, find_cases, folder_of
    from ..text import Table, duration, scaled

    place, kind = pick_device(device), pick_structure(structure)
    check_outputs(path, json=json)
    if unknown := set(algorithm or ()) - ALGORITHMS.keys():
        fail(f"--algorithm {min(unknown)} is not of Graphalytics; choose among {', '.join(ALGORITHMS)}")
    rows = []
    with user_errors(OSError, ValueError), folder_of(path) as folder:
        cases = [case for case in find_cases(folder) if algorithm is None or case.algorithm in algorithm]
        if not cases:
            fail(f"{path} has no graphs of Graphalytics for {', '.join(algorithm or ALGORITHMS)}")
        with compile_messages():
            rows = [_run(case, kind, place, repeat) for case in cases]
    cells = tuple(
        (row["graph"], row["algorithm"].upper(), f"{row['vertices']:,}", f"{row['edges']:,}", row["verdict"],
         duration(row["seconds"]), scaled((row["vertices"] + row["edges"]) / row["seconds"]))
        for row in rows
    )  # fmt: skip
    titles = ("graph", "algorithm", "vertices", "edges", "result", "time", "edges and vertices / s")
    out.print(Table(titles, cells).rich())
    write_json(json, {"structure": kind.name, "device": place.kind, "results": rows})
    if wrong := [row for row in rows if row["fault"]]:
        fail("\n".join(f"{row['algorithm']} of {row['graph']}: {row['fault']}" for row in wrong), code=1)
    checked = sum(row["verdict"] == "valid" for row in rows)
    say(f"{checked} of {len(rows)} results are valid by LDBC's rules, {len(rows) - checked} have no reference")


def _run(case: Case, kind: type[fr.DynamicGraph], place: fr.advanced.Device, repeat: int) -> dict[str, Any]:
    """Build the graph, time the algorithm, and check its result."""
    from ..timing import timed_calls

    edges = case.edges()
    graph = kind.from_edges(
        edges.src, edges.dst, edges.weights, edges.num_vertices, directed=case.directed, device=place
    )  # fmt: skip
    seconds, found = timed_calls(lambda: case.run(graph, edges.original_ids), place.synchronize, repeat, float("inf"))
    fault = "" if case.expected is None else case.fault(place.to_host(found), edges.original_ids)
    verdict = "no reference" if case.expected is None else "wrong" if fault else "valid"
    return {
        "graph": case.name, "algorithm": case.algorithm, "vertices": graph.num_vertices, "edges": graph.num_edges,
        "verdict": verdict, "fault": fault, "seconds": min(seconds),
    }  # fmt: skip
