"""What makes a part's local graph as it was before a batch, if another part cannot apply it.

In graphs with edge data that includes which id each edge has, and which ids are free.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from frontier.core.batch import Arcs
from frontier.core.change import DELETE, INSERT, Change
from frontier.core.component import component_of
from frontier.core.sort import split_keys, unique_arcs
from frontier.core.updates import run
from frontier.features.snapshots import History

if TYPE_CHECKING:
    from ..base import BasePart
    from .routing import OwnedArcs


def undo_of(graph: BasePart, name: str, batch: OwnedArcs) -> Callable[[], None]:
    """What makes the local graph of this name as it is now, after the batch has changed it, or has not."""
    local = getattr(graph, name)
    if not batch.src.size:
        return lambda: None
    if not local.version and not local.num_arcs and component_of(local, History) is None:
        return lambda: setattr(graph, name, graph.new_local())  # as it was made: nothing to look up, and no memory
    keys, _ = unique_arcs(local.device, Arcs(batch.src, batch.dst, None), local.num_vertices)
    src, dst = split_keys(local.device, keys, local.num_vertices, local.vertex_dtype)
    edges = local.find_edges(src, dst, checked=False)
    present, absent = graph.xp.flatnonzero(edges >= 0), graph.xp.flatnonzero(edges < 0)
    gone, kept = Arcs(src[absent], dst[absent], None), Arcs(src[present], dst[present], None)
    undo = (_undo_arcs if local.edge_data is None else _undo_rows)(graph, name, gone, kept, edges[present])
    version = local.version
    return lambda: undo() if getattr(graph, name).version != version else None


def _undo_arcs(graph: BasePart, name: str, absent: Arcs, present: Arcs, edges: Any) -> Callable[[], None]:
    """`undo_of` without edge data, from the arcs of the batch that are not in the graph, and those that are.

    `edges` is what operators see as `edge` of the latter.
    """
    local = getattr(graph, name)
    weights = local.slot_weights[edges] if local.is_weighted else None

    def undo() -> None:
        local = getattr(graph, name)  # one that could not be filled has been replaced
        local.delete_arcs(absent.src, absent.dst)
        local.insert_arcs(present.src, present.dst, weights)

    return undo


def _undo_rows(graph: BasePart, name: str, absent: Arcs, present: Arcs, edges: Any) -> Callable[[], None]:
    """`undo_of` with edge data: edges have their ids and their values again."""
    data = getattr(graph, name).payload.table
    present.weights = edges.astype(data.id_dtype)
    columns = {key: column[edges] for key, column in data.columns.items()}
    top, free_count = data.top, data.free_count
    first = max(free_count - len(absent) - len(present), 0)  # a batch takes so many free ids at most
    free = data.free_ids[first:free_count].copy()

    def undo() -> None:
        local = getattr(graph, name)
        run(local, Change(DELETE, absent))
        run(local, Change(INSERT, present))
        data = local.payload.table
        data.top, data.free_count = top, free_count
        data.free_ids[first:free_count] = free
        data.write(present.weights, columns)
        if data.times is not None:
            data.times.stop()  # the log is made again from the column

    return undo
