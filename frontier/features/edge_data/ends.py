"""The two ends of edges, by their ids."""

from __future__ import annotations

from typing import Any

from frontier.core.base import BaseGraph
from frontier.core.sort import row_ids
from frontier.operators.extract import collect_arcs
from frontier.runtime.memory import growable


def ends_by_id(graph: BaseGraph, size: int) -> tuple[Any, Any]:
    """The ends of each edge, in arrays of `size`, ``src < dst`` if undirected, -1 for free ids. One pass."""
    xp = graph.xp
    offsets, dst, slots = collect_arcs(graph)
    src = row_ids(graph.device, offsets, graph.vertex_dtype)
    if not graph.directed:
        keep = xp.flatnonzero(src < dst)
        src, dst, slots = src[keep], dst[keep], slots[keep]
    ends = tuple(growable.empty(graph.device, size, graph.vertex_dtype) for _ in range(2))
    ends[0].fill(-1)
    held = graph.store.weights[slots]
    ends[0][held], ends[1][held] = src, dst
    return ends[0], ends[1]


def kept_ends(graph: BaseGraph) -> tuple[Any, Any]:
    """`ends_by_id` of a graph that stores records, cached except after a copy or a load. Undefined for free ids."""
    data: Any = graph.payload.table
    reverse = graph.is_transpose  # the ends are stored for the graph, of which this is the reverse
    if data.records.ends is None:
        ends = ends_by_id(graph, data.capacity)
        if graph.device.is_gpu:  # threads that read in other streams do not wait for this one
            graph.device.synchronize()
        data.records.ends = ends[::-1] if reverse else ends
    return data.records.ends[::-1] if reverse else data.records.ends
