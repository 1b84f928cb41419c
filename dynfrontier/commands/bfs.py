"""``dynfrontier bfs``: distances from a vertex."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from ..console import err, fail, memory_errors, out, user_errors
from ..options import Columns, DeviceName, File, Member, StructureName, pick_device, pick_structure, read

MOST_ROWS = 20


def bfs(
    file: File,
    source: Annotated[
        int | None,
        typer.Option(help="Where to start: an id of the file.", show_default="the vertex with most neighbors"),
    ] = None,
    directed: Annotated[
        bool | None, typer.Option("--directed/--undirected", help="Follow edges forward only, or both ways.",
                                  show_default="what the file says, else both ways")
    ] = None,
    structure: StructureName = None,
    device: DeviceName = "auto",
    member: Member = None,
    columns: Columns = None,
    output: Annotated[Path | None, typer.Option(help="Write vertex, distance, predecessor to this CSV file.")] = None,
) -> None:  # fmt: skip
    """Find distances from a vertex, in edges.

    Example:

    - `dynfrontier bfs wiki-Vote.txt.gz --source 30 --output distances.csv`
    """
    place, kind = pick_device(device), pick_structure(structure)
    with memory_errors():
        edges = read(file, member, columns)
        if not edges.num_vertices:
            fail(f"{file} holds no vertices")
        import numpy as np

        from algorithms import bfs as search

        from ..compiling import compile_messages

        ids = np.arange(edges.num_vertices) if edges.ids is None else edges.ids
        directed = bool(edges.directed) if directed is None else directed
        with compile_messages():
            graph = kind.from_edges(
                edges.src, edges.dst, num_vertices=edges.num_vertices, directed=directed, device=place
            )
            if source is None:
                start = int(graph.degrees().argmax())
            else:
                found = np.flatnonzero(ids == source)
                if not found.size:
                    fail(f"vertex {source} is not in {file}; ids go from {ids.min()} to {ids.max()}")
                start = int(found[0])
            search(graph, start)
        begin = time.perf_counter()
        result = search(graph, start)
        place.synchronize()
        seconds = time.perf_counter() - begin
        distance = place.to_host(result.distance)
        reached = distance < np.iinfo(distance.dtype).max
        _report(graph, ids[start], np.bincount(distance[reached]), seconds)
        if output is not None:
            predecessor = place.to_host(result.predecessor)[reached]
            before = np.where(predecessor < 0, -1, ids[predecessor])
            rows = np.column_stack([ids[reached], distance[reached], before])
            with user_errors(OSError):
                np.savetxt(output, rows, fmt="%d", delimiter=",", header="vertex,distance,predecessor", comments="")
            err.print(f"{output}: {int(reached.sum()):,} reached vertices", markup=False, soft_wrap=True)


def _report(graph, start, per_level, seconds) -> None:
    """Print how many vertices there are at each distance."""
    from rich.table import Table

    from ..text import duration

    kind = "directed" if graph.directed else "undirected"
    out.print(
        f"From vertex {start}: {int(per_level.sum()):,} of {graph.num_vertices:,} vertices reached, over "
        f"{graph.num_edges:,} {kind} edges, in {duration(seconds)} ({graph.name} on the {graph.device.kind.upper()})",
        soft_wrap=True,
    )
    table = Table(box=None)
    table.add_column("distance", justify="right")
    table.add_column("vertices", justify="right")
    for level, count in enumerate(per_level[:MOST_ROWS]):
        table.add_row(str(level), f"{count:,}")
    if len(per_level) > MOST_ROWS:
        table.add_row(f"to {len(per_level) - 1:,}", f"{int(per_level[MOST_ROWS:].sum()):,}")
    out.print(table)
