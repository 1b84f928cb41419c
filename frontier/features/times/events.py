"""Events: an edge at one of its times.

With ``multi_edges="all"`` each record is an event. In other graphs each edge is one. Algorithms that read times walk
the events of vertices (`collect_events`), or a graph whose arcs are events (`event_graph`), for both kinds of graphs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.locking import reads
from frontier.core.registry import csr_structure
from frontier.core.sort import row_ids
from frontier.features.times.arguments import warn_of_replaced_times
from frontier.operators.extract import collect_arcs
from frontier.runtime import Device
from frontier.runtime.memory import elementwise

from ..edge_data import WEIGHT_COLUMN
from .column import TIME


class Events(NamedTuple):
    """The events of some vertices: int64 offsets, neighbors in any order, and the ids of the events.

    Event i has the id ``held[places[i]]`` of a record or an edge. Events of one edge are adjacent, in descending order
    of time, of equal times the latest insertion first.
    """

    offsets: Any
    ids: Any
    held: Any
    places: Any

    def numbers(self, device: Device) -> Any:
        """The ids of the events."""
        return elementwise.take(device, self.held, self.places)


def _data(graph: BaseGraph) -> Any:
    """The edge data of a graph with times."""
    return graph.payload.table


def event_columns(graph: BaseGraph) -> dict[str, Any]:
    """The columns with the values of events, by their ids, which are ids of records, or of edges."""
    data = _data(graph)
    if data.records is None:
        return data.columns
    return {name: data.records.columns[name] for name in data.records.given}


def collect_events(graph: BaseGraph, vertices: Any = None) -> Events:
    """The events of edges that leave some vertices (None for all) of a graph with times."""
    data = _data(graph)
    offsets, ids, slots = collect_arcs(graph, vertices)
    found = Events(offsets, ids, graph.store.weights, slots)
    if data.records is None or not found.ids.size:
        return found
    device = graph.device
    bounds, events = data.newest_records(found.numbers(device))
    arcs = row_ids(device, bounds, np.dtype(np.int64))
    places = elementwise.arange(device, int(events.size), np.int64)
    return Events(bounds[found.offsets], elementwise.take(device, found.ids, arcs), events, places)


def event_graph(graph: BaseGraph) -> BaseGraph:
    """Return a graph with an arc for each event, for operators over edges with several times.

    Parameters
    ----------
    graph : Graph
        With times.

    Returns
    -------
    Graph
        With ``multi_edges="all"``, a static copy with a parallel edge for each record: `edge` and `weight` of operators
        are the id and the weight of the record, and ``edge_data`` are the columns of `Graph.record_data`. Neighbors are
        in no order: use `graph` for look-ups, and to count or intersect neighbors. Other graphs are returned unchanged.

    Raises
    ------
    TypeError, ValueError
        `graph` is no graph, or has no times.

    Warns
    -----
    ReplacedTimesWarning
        Once for a graph that does not store records, and has replaced times.

    See Also
    --------
    advance : Visit each event.
    Graph.record_data : The columns of records.

    Notes
    -----
    O(V + R) work and memory for R records.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 0], [1, 1], time=[10, 20], time_unit="s", multi_edges="all", device="cpu"
    ... )
    >>> events = fr.event_graph(graph)
    >>> graph.num_edges, events.num_edges
    (1, 2)
    """
    warn_of_replaced_times(graph)
    return _graph_of_records(graph) if graph.multi_edges == "all" else graph


@reads
def _graph_of_records(graph: BaseGraph) -> BaseGraph:
    data = _data(graph)
    found, records = collect_events(graph), data.records
    given = {name: records.dtypes[name] for name in records.given if name not in (WEIGHT_COLUMN, TIME)}
    made: Any = csr_structure()(
        graph.num_vertices, directed=graph.directed, device=graph.device, weight_dtype=graph.weight_dtype,
        vertex_dtype=graph.vertex_dtype, edge_data=given, time_unit=graph.time_unit,
    )  # fmt: skip
    store = made.store
    store.build(found.offsets, found.ids, found.numbers(graph.device))
    store.commit(int(found.ids.size))
    store.absent, store.has_sorted_lists = graph.store.absent, False
    made.payload.table.adopt(records)
    return made
