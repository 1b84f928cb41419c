"""``dynfrontier bfs``: distances from a vertex."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..console import err, fail, out, say
from ..options import (
    DeviceName,
    Directed,
    File,
    Source,
    StructureName,
    pick_device,
    pick_structure,
    reads_a_file,
    vertex_of,
)
from ..outputs import check_outputs, write_rows

MAX_ROWS = 20


@reads_a_file
def bfs(
    given: File,
    source: Source = None,
    directed: Directed = None,
    structure: StructureName = None,
    device: DeviceName = "auto",
    output: Annotated[Path | None, typer.Option(help="Write vertex, distance, predecessor to this CSV file.")] = None,
) -> None:  # fmt: skip
    """Find distances from a vertex, in edges.

    Example:

    - `dynfrontier bfs wiki-Vote.txt.gz --source 30 --output distances.csv`
    """
    place, kind = pick_device(device), pick_structure(structure)
    check_outputs(given.path, output=output)
    edges = given.edges()
    if not edges.num_vertices:
        fail(f"{given.name} contains no vertices")
    start = None if source is None else vertex_of(edges, source, given.name)
    import numpy as np

    from algorithms import bfs as search

    from ..compiling import compile_messages
    from ..timing import timed_call

    ids = edges.original_ids
    directed = bool(edges.directed) if directed is None else directed
    with compile_messages():
        graph = kind.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, directed=directed, device=place)
        if start is None:
            start = int(graph.degrees().argmax())
        search(graph, start)
    seconds, result = timed_call(partial(search, graph, start), place.synchronize)
    distance = place.to_host(result.distance)
    reached = distance < np.iinfo(distance.dtype).max
    _report(graph, ids[start], np.bincount(distance[reached]), seconds)
    if output is not None:
        nothing = "" if ids.dtype.kind == "O" else -1
        before = [nothing if k < 0 else ids[k] for k in place.to_host(result.predecessor)[reached].tolist()]
        # The start vertex has the predecessor -1, or no name.
        rows = zip(ids[reached].tolist(), distance[reached].tolist(), before, strict=True)
        write_rows(output, ("vertex", "distance", "predecessor"), rows)
        say(f"{output}: {int(reached.sum()):,} reached vertices", err)


def _report(graph, start, per_level, seconds) -> None:
    """Print the number of vertices at each distance."""
    from rich.table import Table

    from ..text import duration

    kind = "directed" if graph.directed else "undirected"
    say(
        f"From vertex {start}: {int(per_level.sum()):,} of {graph.num_vertices:,} vertices reached, over "
        f"{graph.num_edges:,} {kind} edges, in {duration(seconds)} ({graph.name} on the {graph.device.kind.upper()})"
    )
    table = Table(box=None)
    table.add_column("distance", justify="right")
    table.add_column("vertices", justify="right")
    for level, count in enumerate(per_level[:MAX_ROWS]):
        table.add_row(str(level), f"{count:,}")
    if len(per_level) > MAX_ROWS:
        table.add_row(f"to {len(per_level) - 1:,}", f"{int(per_level[MAX_ROWS:].sum()):,}")
    out.print(table)
