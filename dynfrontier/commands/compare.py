"""``dynfrontier compare``: our algorithms beside those of another library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import fail, memory_errors, out, user_errors
from ..options import Columns, DeviceName, File, Member, StructureName, pick_device, pick_structure, read


def compare(
    file: File,
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
        int | None,
        typer.Option(help="Where searches start: an id of the file.", show_default="the vertex with most neighbors"),
    ] = None,
    k: Annotated[list[int] | None, typer.Option("--k", help="Of k-truss; can be given several times.",
                                                show_default="4")] = None,
    tol: Annotated[float, typer.Option(help="Of PageRank: the change of a step, in all, at which to stop.")] = 1e-6,
    repeat: Annotated[int, typer.Option(min=1, help="Timed calls of each.")] = 3,
    directed: Annotated[
        bool | None, typer.Option("--directed/--undirected", show_default="what the file says, else undirected",
                                  help="Keep the direction of edges, or take them both ways.")
    ] = None,
    structure: StructureName = None,
    device: DeviceName = "auto",
    member: Member = None,
    columns: Columns = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write all results to this file.")] = None,
) -> None:  # fmt: skip
    """Compare results and times with cuGraph's, or another library's, on a graph.

    Both sides get the same graph; the time in which ours becomes theirs is told apart. If results differ, the exit code
    is 1.

    Examples:

    - `dynfrontier compare email-Enron.txt.gz`
    - `dynfrontier compare roads.mtx --against igraph --algorithm sssp --structure hornet --device cpu`
    """
    place, kind = pick_device(device), pick_structure(structure)
    with memory_errors():
        edges = read(file, member, columns)
        import numpy as np

        from ..comparison import compare as run
        from ..comparison import load_graph
        from ..compiling import compile_messages

        start = None
        if source is not None:
            ids = np.arange(edges.num_vertices) if edges.ids is None else edges.ids
            found = np.flatnonzero(ids == source)
            if not found.size:
                fail(f"vertex {source} is not in {file}")
            start = int(found[0])
        with compile_messages(), user_errors(ValueError, ImportError):
            graph = load_graph(edges, kind, place, directed)
            comparison = run(graph, algorithm, against, source=start, ks=k or (4,), tol=tol, repeat=repeat)
    out.print(comparison.graph, markup=False, soft_wrap=True)
    out.print()
    out.print(comparison.table().rich())
    out.print()
    for remark in comparison.remarks():
        out.print(f"* {remark}", markup=False, soft_wrap=True)
    if json is not None:
        import json as writer

        with user_errors(OSError):
            json.write_text(writer.dumps(comparison.to_dict(), indent=2) + "\n")
    if not comparison.agrees:
        wrong = ", ".join(row.algorithm for row in comparison.rows if row.agrees is False)
        fail(f"results differ: {wrong}", code=1)
