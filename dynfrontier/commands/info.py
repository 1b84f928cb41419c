"""``dynfrontier info``: the contents of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import out
from ..options import File, reads_a_file

if TYPE_CHECKING:
    import frontier as fr


@reads_a_file
def info(
    given: File,
    components: Annotated[bool, typer.Option("--components", help="Also find the connected components.")] = False,
) -> None:
    """Describe a graph file: vertices, edges, degrees.

    Example:

    - `dynfrontier info email-Enron.txt.gz --components`
    """
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, value in _facts(given.stream(), components):
        table.add_row(name, value)
    out.print(table)


def _facts(stream: fr.io.EdgeStream, components: bool) -> list[tuple[str, str]]:
    import numpy as np

    from ..check import final_edges
    from ..times import describe

    edges, vertices = stream.edges, stream.num_vertices
    low, high = final_edges(stream.undirected(), vertices)
    degrees = np.sort(np.bincount(low, minlength=vertices) + np.bincount(high, minlength=vertices))
    kind = {True: "directed", False: "undirected", None: "not said"}[edges.directed]
    deletions = sum(len(batch) for batch in stream if batch.operation == "delete")
    facts = [("vertices", f"{vertices:,}"), ("records", f"{len(edges):,}")]
    if deletions:
        facts.append(("deletions", f"{deletions:,}"))
    facts += [
        ("self-loops", f"{int((edges.src == edges.dst).sum()):,}"),
        ("edges, undirected and simple", f"{low.size:,}"),
        ("direction", kind),
        ("weights", "no" if edges.weights is None else _range(edges.weights)),
        ("times", describe(edges)),
    ]
    if vertices:
        picked = degrees[[0, vertices // 2, int(0.99 * (vertices - 1)), -1]]
        least, median, high99, most = (f"{int(d):,}" for d in picked)
        facts.append(("degree, mean", f"{degrees.mean():.2f}"))
        facts.append(("degree, least / median / P99 / largest", f"{least} / {median} / {high99} / {most}"))
    if components and vertices:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        matrix = coo_array((np.ones(low.size, np.int8), (low, high)), shape=(vertices, vertices))
        number, labels = connected_components(matrix, directed=False)
        facts.append(("components", f"{number:,}"))
        facts.append(("vertices of the largest", f"{int(np.bincount(labels).max()):,}"))
    return facts


def _range(values: Any) -> str:
    if not len(values):
        return "of no record"
    return f"{values.min():g} to {values.max():g}" if values.dtype.kind == "f" else f"{values.min()} to {values.max()}"
