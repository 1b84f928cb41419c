"""``dynfrontier compare``: our algorithms compared with those of another library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import fail, memory_errors, out, user_errors
from ..interrupted import EXIT_CODE, Interrupted
from ..options import DeviceName, File, StructureName, pick_device, pick_structure, vertex_of
from ..outputs import check_outputs, write_text
from ..reading import reads_a_file


@reads_a_file
def compare(
    given: File,
    algorithm: Annotated[
        list[str] | None,
        typer.Option("--algorithm", "-a", show_default="all", help="Compare only this; can be given several times."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(help="cugraph, igraph, networkit, scipy or networkx; can be given several times.",
                     show_default="cugraph on a GPU, otherwise what is installed"),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(help="Where searches start: an id of the file, or a name.",
                     show_default="the vertex with most neighbors"),
    ] = None,
    k: Annotated[list[int] | None, typer.Option("--k", help="Of k-truss; can be given several times.",
                                                show_default="4")] = None,
    tol: Annotated[float | None, typer.Option(help="Of PageRank: total change of the ranks at which to stop.",
                                              show_default="1e-6")] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Timed calls of each.")] = 3,
    directed: Annotated[
        bool | None, typer.Option("--directed/--undirected", show_default="what the file says, else undirected",
                                  help="Keep the direction of edges, or take them both ways.")
    ] = None,
    structure: StructureName = None,
    device: DeviceName = "auto",
    json: Annotated[Path | None, typer.Option("--json", help="Write all results to this file.")] = None,
) -> None:  # fmt: skip
    """Compare results and times with cuGraph's, or another library's, on a graph.

    Both sides get the same graph; the time to convert ours into theirs is reported separately. If results differ, the
    exit code is 1.

    Examples:

    - `dynfrontier compare email-Enron.txt.gz`
    - `dynfrontier compare roads.mtx --against igraph --algorithm sssp --structure hornet --device cpu`
    """
    place, kind = pick_device(device), pick_structure(structure)
    check_outputs(given.path, json=json)
    with memory_errors():
        from ..comparison import chosen_algorithms, load_graph
        from ..comparison import compare as run
        from ..compiling import compile_messages

        with user_errors(ValueError):
            algorithms = [analytic.name for analytic in chosen_algorithms(algorithm)]
        edges = given.edges()
        start = None if source is None else vertex_of(edges, source, given.name)
        interrupted = False
        with compile_messages(), user_errors(ValueError, ImportError):
            graph = load_graph(edges, kind, place, directed)
            try:
                comparison = run(graph, algorithms, against, source=start, ks=k or (), tol=tol, repeat=repeat)
            except Interrupted as stopped:
                comparison, interrupted = stopped.found, True
    out.print(comparison.graph, markup=False, soft_wrap=True)
    out.print()
    out.print(comparison.table().rich())
    out.print()
    for remark in comparison.remarks():
        out.print(f"* {remark}", markup=False, soft_wrap=True)
    if json is not None:
        import json as writer

        with user_errors(OSError):
            write_text(json, writer.dumps(comparison.to_dict(), indent=2) + "\n")
    if not comparison.agrees:
        wrong = ", ".join(row.algorithm for row in comparison.rows if row.agrees is False)
        fail(f"results differ: {wrong}", code=EXIT_CODE if interrupted else 1)
    if interrupted:
        fail(f"interrupted after {len(comparison.rows)} of the algorithms", code=EXIT_CODE)
