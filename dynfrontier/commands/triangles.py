"""``dynfrontier triangles``: the triangles of a file's graph."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from ..console import fail, out, say
from ..options import DeviceName, File, StructureName, pick_device, pick_structure, reads_a_file


@reads_a_file
def triangles(
    given: File,
    structure: StructureName = None,
    device: DeviceName = "auto",
    top: Annotated[int, typer.Option(min=0, help="Show this many vertices with the most triangles.")] = 5,
    check: Annotated[bool, typer.Option("--check/--no-check", help="Check the count against SciPy's.")] = True,
) -> None:
    """Count the triangles of a graph, ignoring directions of edges.

    Example:

    - `dynfrontier triangles email-Enron.txt.gz --top 10`
    """
    place, kind = pick_device(device), pick_structure(structure)
    edges = given.edges()
    import numpy as np

    from algorithms import triangle_count

    from ..check import count_triangles, final_edges
    from ..compiling import compile_messages
    from ..text import counted, duration
    from ..timing import timed_call

    with compile_messages():
        graph = kind.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device=place)
        triangle_count(graph)
    seconds, result = timed_call(partial(triangle_count, graph), place.synchronize)
    degrees = place.to_host(graph.degrees()).astype(np.int64)
    per_vertex = place.to_host(result.per_vertex)
    pairs = int((degrees * (degrees - 1) // 2).sum())
    said = ""
    if check:
        expected = count_triangles(*final_edges([edges], edges.num_vertices), edges.num_vertices)
        if expected != result.total:
            fail(f"not verified: counted {result.total:,} triangles, SciPy {expected:,}", code=1)
        said = ", [green]verified[/green]: SciPy counts the same"
    out.print(f"{counted(result.total, 'triangle')}{said}", soft_wrap=True)
    out.print(f"{graph.num_edges:,} edges, {graph.num_vertices:,} vertices, transitivity "
              f"{3 * result.total / max(pairs, 1):.4f}", soft_wrap=True)  # fmt: skip
    out.print(f"{duration(seconds)} with {graph.name} on the {place.kind.upper()}")
    ids = edges.original_ids
    for v in np.argsort(-per_vertex, kind="stable")[:top]:
        if per_vertex[v]:
            said = f"{counted(per_vertex[v], 'triangle')}, {counted(degrees[v], 'neighbor')}"
            say(f"  vertex {ids[v]}: {said}")
