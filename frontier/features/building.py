"""Making a graph of a user's edges (`Graph.from_edges`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from frontier.core.component import graph_built
from frontier.runtime import resolve_device
from frontier.runtime.arrays import as_ids, as_weights, same_length

from .edge_data import column_arrays
from .times import TIME

MAX_VERTICES = 2**48


def build_graph(
    cls: Any, src: Any, dst: Any, weights: Any, num_vertices: int | None, edge_data: Any, time: Any,
    options: dict[str, Any],
) -> Any:  # fmt: skip
    """See `Graph.from_edges`. `options` are the options of the constructor."""
    device = options["device"] = resolve_device(options["device"])
    src, dst = as_ids(device, src, "src"), as_ids(device, dst, "dst")
    if weights is not None:
        weights = as_weights(device, weights, "weights")
        if options["weight_dtype"] is None:
            options["weight_dtype"] = weights.dtype
    same_length(src=src, dst=dst, weights=weights)
    if edge_data is not None:
        edge_data = column_arrays(device, edge_data)
        options["edge_data"] = {name: values.dtype for name, values in edge_data.items()}
    if time is None:
        del options["time_unit"]
    else:
        if isinstance(time, str):
            raise TypeError(
                f"time_unit={time!r} is the unit of times: pass the times of the edges to from_edges() as time="
            )
        edge_data = {**(edge_data or {}), TIME: time}
    if num_vertices is None:
        num_vertices = 1 + max(int(src.max()), int(dst.max()), -1) if src.size else 0
        with _memory_for_ids(num_vertices):
            graph = cls(num_vertices, **options)
    else:
        graph = cls(num_vertices, **options)
    graph.payload.build(graph, src, dst, weights, edge_data or {})
    graph_built(graph)
    return graph


@contextmanager
def _memory_for_ids(num_vertices: int) -> Iterator[None]:
    """Make a MemoryError explain that the largest id determines the number of vertices."""
    try:
        if num_vertices > MAX_VERTICES:
            raise MemoryError(f"no device has memory for more than {MAX_VERTICES} vertices")
        yield
    except MemoryError as error:
        raise MemoryError(
            f"src and dst contain ids up to {num_vertices - 1}, and there is no memory for as many vertices ({error}); "
            "where ids have gaps, frontier.io.from_table({'src': src, 'dst': dst}, compact=True) renumbers them, as "
            "does read_edges(path, compact=True)"
        ) from None
