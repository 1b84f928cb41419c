"""`RowsByTime`: lists of neighbors in the order of time, which an update does not have to maintain.

Lists of a changing graph are in any order. Requested lists are sorted on demand. All lists can be sorted and cached
until the next update, which pays after enough requests. So lists are sorted on demand until that has cost as much as
sorting all, and then all are: at most about twice the optimal work.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.locking import access_of
from frontier.core.sort import id_bits, last_of_runs, row_ids, sort_pairs
from frontier.operators.degrees import total_degree
from frontier.runtime import Kernels
from frontier.runtime.memory import elementwise

from ..times.column import TIME
from ..times.events import Events, collect_events, event_columns

CALL_COST = {"cpu": 2_000, "gpu": 1_600_000}
"""The fixed cost of a call that sorts only the lists asked for, as the number of arcs that are sorted in that time."""


class RowsByTime(NamedTuple):
    """The events of some vertices, a row each. Offsets and times are int64, ids have the graph's vertex dtype.

    Times descend in each row. Among equal times neighbors (`ids`) ascend, then the latest insertion is first. `edges`
    has ids of edges, or of records in a graph that stores them.
    """

    offsets: Any
    times: Any
    ids: Any
    edges: Any


class Gathered:
    """Rows of one version of a graph: of all vertices, or None, and the work of sorting on demand so far, in arcs."""

    def __init__(self, version: int):
        self.version = version
        self.work = 0
        self.rows: RowsByTime | None = None

    def nbytes(self) -> int:
        return 0 if self.rows is None else sum(int(array.nbytes) for array in self.rows)


def rows_by_time(graph: BaseGraph, vertices: Any) -> tuple[RowsByTime, Any]:
    """The neighbors of vertices (int64, any order, duplicates allowed) by time, and the row of each vertex."""
    access: Any = access_of(graph)
    if access.writer is not None:  # an observer reads: its rows may be invalid after the update
        distinct, places = _distinct(graph, vertices)
        return _sorted_rows(graph, distinct), places
    name = Gathered, graph.is_transpose  # a graph and its reverse share the access
    held = access.kept.get(name, lambda: Gathered(graph.version))
    if held.version != graph.version:
        held = access.kept.put(name, Gathered(graph.version))
    if held.rows is not None:
        return held.rows, vertices
    distinct, places = _distinct(graph, vertices)
    # If several threads add at the same time, one addition may be lost.
    held.work += total_degree(graph, distinct) + CALL_COST[graph.device.kind]
    if held.work >= graph.num_arcs:
        try:
            return _keep_all(graph, held, access.kept.lock), vertices
        except MemoryError:
            held.work = 0  # and again after as much
    return _sorted_rows(graph, distinct), places


def _keep_all(graph: BaseGraph, held: Gathered, lock: Any) -> RowsByTime:
    """The rows of all vertices, made by one of several threads that ask for them."""
    with lock:
        if held.rows is None:
            rows = _sorted_rows(graph)
            if graph.device.is_gpu:  # threads that read in other streams do not wait for this one
                graph.device.synchronize()
            held.rows = rows
        return held.rows


def _distinct(graph: BaseGraph, vertices: Any) -> tuple[Any, Any]:
    """The distinct ones of some vertices, in an array of the graph's vertex dtype, and the position among them of
    each."""
    device, size = graph.device, int(vertices.size)
    ordered, order = sort_pairs(device, vertices, key_bits=id_bits(graph.num_vertices))
    last = last_of_runs(device, ordered)
    distinct = elementwise.converted(device, elementwise.take(device, ordered, last), graph.vertex_dtype)
    places = device.xp.empty(size, np.int64)
    _kernels(graph).number_runs(size, last, int(last.size), order, places)
    return distinct, places


def _kernels(graph: BaseGraph) -> Kernels:
    return graph.payload.table.times.kernels  # type: ignore[union-attr]


def _sorted_rows(graph: BaseGraph, vertices: Any = None) -> RowsByTime:
    """The rows of some vertices, or of all, sorted."""
    found, column = collect_events(graph, vertices), event_columns(graph)[TIME]
    if graph.device.is_gpu:
        return _sorted_on_gpu(graph, found, column)
    offsets, ids = found.offsets, found.ids
    size = int(ids.size)
    times, edges = np.empty(size, np.int64), np.empty(size, graph.vertex_dtype)
    _kernels(graph).order_rows(size, offsets, found.places, found.held, column, times, ids, edges)
    return RowsByTime(offsets, times, ids, edges)


def _sorted_on_gpu(graph: BaseGraph, found: Events, column: Any) -> RowsByTime:
    """Events sorted by three stable sorts of all of them: by neighbors, by time, and by row."""
    device, offsets, ids = graph.device, found.offsets, found.ids
    size, edges = int(ids.size), found.numbers(device)

    def taken(values: Any, at: Any) -> Any:
        return elementwise.take(device, values, at)

    times = taken(column, edges)
    _, order = sort_pairs(device, elementwise.converted(device, ids, np.int64), key_bits=id_bits(graph.num_vertices))
    keys = device.xp.empty(size, np.int64)
    _kernels(graph).reverse_times(size, times, order, keys)
    order = taken(order, device.xp.argsort(keys, kind="stable"))
    rows = row_ids(device, offsets, np.dtype(np.int64))
    order = taken(order, sort_pairs(device, taken(rows, order), key_bits=id_bits(int(offsets.size)))[1])
    return RowsByTime(offsets, *(taken(values, order) for values in (times, ids, edges)))
