"""Incremental temporal motifs: `temporal_motifs` of the events near a change, with it and without it.

The three events of a motif are at most delta apart. So an event that comes or goes changes only motifs of events within
delta of it, which are neighbors in a list of all events by time. When results are read, the motifs of that range are
counted twice, and the difference is added. A window in time changes at both of its ends: events that came and events
that went have a range each.

    log     the sources, destinations and times of all events, by time
    came    the events since the last result, as they were noted
    went    the events that have been deleted since

An edge with a new time is an event that went and one that came.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from ._events import events_by_time, sort_by_time
from .incremental import IncrementalAlgorithm, maintained
from .temporal_motifs import motif_counts

RECOUNT_ABOVE = 0.4
"""All motifs are counted if the range of a change has more than this fraction of the events."""
FEW_EVENTS = {"cpu": 0, "gpu": 2**21}
"""All motifs are counted in a graph of fewer events. On an H200 the operators of a result last 25 ms, and a count of
300,000 events 10 to 17 ms."""
EARLIEST, LATEST = -(2**63), 2**63 - 1


class DynamicTemporalMotifs(IncrementalAlgorithm):
    """Counts of the 36 temporal motifs of a graph with times, maintained incrementally.

    Parameters
    ----------
    graph : DynamicGraph
        With times. Its records or edges are events as for `temporal_motifs`.
    delta : int, timedelta or str
        The longest time from the first to the last event of a motif.

    Attributes
    ----------
    total : int
        Instances of all motifs.
    counts : array of int64, shape (6, 6)
        Instances of each motif: a new array on the graph's device. `temporal_motifs` has the table of motifs.

    Raises
    ------
    TypeError, ValueError
        The graph has no times, or `delta` is no length of time.
    NotImplementedError
        The graph is distributed.

    Warns
    -----
    ReplacedTimesWarning
        Once for a graph that does not store records, and has replaced times.

    See Also
    --------
    temporal_motifs : Computes the result for the current graph.

    Notes
    -----
    Reading a result costs O(V + R) work to insert and remove events in a list of R events. It also costs twice the work
    of `temporal_motifs` for the events that may be in a motif with a changed one. These are at most `delta` before the
    first or after the last event that was inserted, or removed, since the last result. If they are more than 40 % of
    all events, all motifs are counted, and on a GPU in graphs of fewer than two million events. O(R) memory.

    Examples
    --------
    >>> from algorithms import DynamicTemporalMotifs
    >>> from structures import SlabGraph
    >>> graph = SlabGraph(4, directed=True, multi_edges="all", time_unit="s", device="cpu")
    >>> motifs = DynamicTemporalMotifs(graph, delta="20s")
    >>> _ = graph.insert_edges([0, 1, 2, 0], [1, 2, 0, 1], time=[10, 20, 30, 40])
    >>> motifs.total
    2
    >>> _ = graph.expire(before=15)
    >>> motifs.total
    1
    """

    sees_changes = True
    sees_records = True

    def __init__(self, graph: fr.DynamicGraph, delta: Any):
        super().__init__(graph)
        fr.advanced.arguments.edge_times(graph)
        self.delta = fr.advanced.arguments.span(graph, delta, "delta")
        self._leaving: dict[str, Any] = {}  # events of an unfinished update, by its kind
        self._count_all()
        self._attach()

    @maintained
    def total(self) -> int:
        """Instances of all motifs."""
        return int(self._counts.sum())

    @maintained
    def counts(self) -> Any:
        """Instances of each motif: a new int64 array of shape (6, 6) on the graph's device."""
        return self.graph.xp.array(self._counts)

    # ---- updates ----------------------------------------------------------------------------------------------------

    def recomputes(self, update: str, edges: int) -> bool:
        """Whether all motifs will be counted anyway."""
        return self._outdated or self._recounts()

    def outdated(self, edges: int) -> None:
        """Have all motifs counted when a result is read."""
        self._outdated = True

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Note the events that came."""
        self._note(self._came, self._events_of(src, dst))

    def edges_changing(self, src: Any, dst: Any) -> None:
        """Read the times that will be replaced."""
        self._leaving["change"] = self._events_of(src, dst)

    def edges_changed(self, src: Any, dst: Any) -> None:
        """Log the events with the old times as deleted, and the events with the new times as inserted."""
        self._note(self._went, self._leaving.pop("change"))
        self._note(self._came, self._events_of(src, dst))

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Read the times of edges that will be deleted."""
        self._leaving["delete"] = self._events_of(src, dst)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Note the events that went."""
        self._note(self._went, self._leaving.pop("delete"))

    def records_inserted(self, src: Any, dst: Any, records: Any) -> None:
        """Note the events that came."""
        self._note(self._came, self._events_of(src, dst, records))

    def records_deleting(self, src: Any, dst: Any, records: Any) -> None:
        """Read the times of records that will be deleted."""
        self._leaving["delete"] = self._events_of(src, dst, records)

    def records_deleted(self, src: Any, dst: Any, records: Any) -> None:
        """Note the events that went."""
        self._note(self._went, self._leaving.pop("delete"))

    def _events_of(self, src: Any, dst: Any, records: Any = None) -> tuple[Any, Any, Any]:
        """The events of edges, or of their records: sources, destinations and times, each undirected one both ways."""
        graph, xp = self.graph, self.graph.xp
        if records is None:
            times = fr.advanced.arguments.edge_times(graph)[graph.find_edges(src, dst, checked=False)]
        else:
            times = graph.record_data["time"][records]
        if graph.directed:
            return xp.array(src), xp.array(dst), times
        return xp.concatenate([src, dst]), xp.concatenate([dst, src]), xp.concatenate([times, times])

    def _recounts(self, near: int = 0) -> bool:
        """Whether counting all motifs is faster than counting the motifs of `near` events."""
        few = max(FEW_EVENTS[self.graph.device.kind], near / RECOUNT_ABOVE)
        return self._log[0].size < few and not fr.advanced.is_warming_up()

    def _note(self, noted: list[Any], events: tuple[Any, Any, Any]) -> None:
        if events[0].size:
            noted.append(events)
            self._noted += int(events[0].size)
            self._outdated |= self._recounts(self._noted)

    # ---- results ----------------------------------------------------------------------------------------------------

    def _bring_up(self) -> None:
        """Bring counts and log up to date with the graph."""
        if not self._outdated and self._noted:
            fr.advanced.arguments.warn_of_replaced_times(self.graph)
            self._outdated = True  # until all of this has worked
            came, went = self._came, self._went
            self._outdated = bool((came and not self._apply(came)) or (went and not self._apply(went, leave=True)))
            self._forget()
        if self._outdated:
            self._count_all()

    def _count_all(self) -> None:
        self._outdated = True
        self._log = events_by_time(fr.event_graph(self.graph))[:3]
        self._counts = motif_counts(self.graph, *self._log, self.delta)
        self._forget()
        self._outdated = False

    def _forget(self) -> None:
        self._came: list[Any] = []
        self._went: list[Any] = []
        self._noted = 0  # events in both

    def _apply(self, noted: list[Any], *, leave: bool = False) -> bool:
        """Insert events into the log, or remove them, and adjust the counts. False if all must be counted instead."""
        graph, xp = self.graph, self.graph.xp
        events = tuple(map(xp.concatenate, zip(*noted, strict=True)))
        times, host = self._log[2], graph.device.to_host
        first, last = host(xp.stack([events[2].min(), events[2].max()])).tolist()
        near = xp.array([max(first - self.delta, EARLIEST), min(last + self.delta, LATEST)])
        bounds = xp.stack([xp.searchsorted(times, near), xp.searchsorted(times, near, side="right")])
        (low, _), (_, high) = host(bounds).tolist()
        if self._recounts(high - low):
            return False
        before = tuple(part[low:high] for part in self._log)
        after = _without(graph, before, events) if leave else _merged(graph, before, events)
        self._counts = self._counts - motif_counts(graph, *before, self.delta)
        self._counts += motif_counts(graph, *after, self.delta)
        self._log = tuple(
            xp.concatenate([part[:low], new, part[high:]]) for part, new in zip(self._log, after, strict=True)
        )
        return True


def _merged(graph: fr.Graph, events: tuple[Any, ...], more: tuple[Any, ...]) -> tuple[Any, ...]:
    """The events of two lists, in the order of `_order`."""
    both = tuple(graph.xp.concatenate(pair) for pair in zip(events, more, strict=True))
    order = _order(graph, both)
    return tuple(part[order] for part in both)


def _without(graph: fr.Graph, events: tuple[Any, ...], fewer: tuple[Any, ...]) -> tuple[Any, ...]:
    """The events of a list without the events of a second list, all of which the first contains."""
    xp = graph.xp
    both = tuple(xp.concatenate(pair) for pair in zip(fewer, events, strict=True))
    order = _order(graph, both)
    src, dst, times = (part[order] for part in both)
    begins = xp.ones(order.size, bool)
    begins[1:] = (src[1:] != src[:-1]) | (dst[1:] != dst[:-1]) | (times[1:] != times[:-1])
    starts, run = xp.flatnonzero(begins), xp.cumsum(begins.astype(np.int64)) - 1
    leaving = xp.bincount(run[order < fewer[0].size], minlength=starts.size)
    kept = xp.flatnonzero(xp.arange(order.size) - starts[run] >= 2 * leaving[run])  # each removes an equal event
    return src[kept], dst[kept], times[kept]


def _order(graph: fr.Graph, events: tuple[Any, ...]) -> Any:
    """The positions of events by time, source and destination, equal ones as they are listed."""
    src, dst, times = events
    _, order = fr.advanced.keys.sort(graph, fr.advanced.keys.pack(graph, src, dst), graph.xp.arange(src.size))
    return sort_by_time(graph, times[order], order)
