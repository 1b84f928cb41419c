"""Temporal cycles: events that follow each other through distinct vertices and return to the first, in a span of time.

A search starts at each event, as the first of its cycles. It has a path forward from the first event, and one backward
from the last vertex, which is the first of all. At each step, either path grows: the one with fewer events that may
follow, between the events at the two ends. Each cycle is found once, when one event is left between the ends. One
look-up finds all events that fit between them.

Events are numbered in the order of time, so the times between two events are a range of numbers.

    of, leaving     offsets of the events that leave each vertex, and their numbers,
                    ascending
    into, entering  likewise, the events that enter each vertex
    begins, heads   offsets of the arcs of each vertex, and their destinations, ascending
    bounds, among   offsets of the events of each arc, and their numbers, ascending
    first, behind   for each event, the first event of its time, and the first event of a
                    greater time
    stack           for each search, its steps: the ends of both paths, the range of
                    numbers, and the events to try

Calls of the functor share the events: each fetches the next one when its search is done. If cycles are listed, they are
counted by first event before, so each search knows its rows.

Kumar and Calders, "2SCENT: An Efficient Algorithm to Enumerate All Simple Temporal Cycles", VLDB 2018 (there, paths
grow forward only, along vertices known to reach the first one in time).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import places
from ._events import by_vertex, events_by_time, first_beyond, first_from, prefix_sums, runs
from .result import Result

SEARCHES = 1 << 14
"""Searches that run at once, at most."""
STACK = 1 << 24
"""Entries of the stacks of all searches, at most, unless one search needs more."""
HEAD, TAIL, LOW, HIGH, AT, STOP, BACKWARD, EVENT, VERTEX, WIDTH = range(10)
"""Entries of the stack for each step: the ends of the paths, the range of numbers between them, the events to try and
whether they lead backward, and the event and the vertex that were added."""


@dataclass(frozen=True, repr=False)
class TemporalCycleCountResult(Result):
    """Result of `temporal_cycle_count`.

    Attributes
    ----------
    total : int
        Cycles of the graph.
    per_vertex : array of int64, shape (num_vertices,)
        Cycles through each vertex, on the graph's device.
    by_length : dict of int to int
        Cycles of each number of events, from 2 to `length_bound` or the number of vertices, if that is less.

    See Also
    --------
    temporal_cycle_count : Computes it.
    """

    total: int
    per_vertex: Any
    by_length: dict[int, int]


@dataclass(frozen=True, repr=False)
class TemporalCyclesResult(Result):
    """Result of `temporal_cycles`: the events of all cycles. Arrays have a row for each, and are on the graph's device.

    The events of a cycle are adjacent and in the order of time. Cycles are in the order of their first events.

    Attributes
    ----------
    total : int
        Cycles.
    src, dst : arrays of the graph's vertex dtype, shape (number of events,)
        The ends of the events.
    time : array of int64
        Their times.
    event : array of int64
        Their ids: of records with ``multi_edges="all"``, and of edges otherwise.
    cycle : array of int64
        The number of the cycle, from 0 on.

    See Also
    --------
    temporal_cycles : Computes it.
    """

    total: int
    src: Any
    dst: Any
    time: Any
    event: Any
    cycle: Any


@fr.advanced.reads
def temporal_cycle_count(graph: fr.Graph, delta: Any, length_bound: int = 4) -> TemporalCycleCountResult:
    """Numbers of temporal cycles within `delta`: in total, per vertex and by length.

    A temporal cycle is a closed walk of two or more events over distinct vertices, with increasing times, the last at
    most `delta` after the first. Events of equal times do not follow each other.

    Parameters
    ----------
    graph : Graph
        With times. In an undirected graph each event may be followed in both directions. In a graph that stores its
        records (``multi_edges="all"``), each record is an event. In other graphs an edge has one time, which
        ``keep_time`` selects.
    delta : int, timedelta or str
        A length of time: in units of the graph's times, or such as ``"1h"``.
    length_bound : int
        The most events of a cycle, 2 or more.

    Raises
    ------
    TypeError, ValueError
        The graph has no times, `delta` is no length of time, or `length_bound` is not an integer from 2 on.
    NotImplementedError
        The graph is distributed.

    Warns
    -----
    ReplacedTimesWarning
        Once for a graph that does not store records, and has replaced times.

    See Also
    --------
    temporal_cycles : The cycles themselves.

    Notes
    -----
    O(R log R) work for R events, and O(log) for each of at most D^(length_bound - 2) steps of a search from an event. D
    is the smaller number of events within `delta` at either end of the two paths. O(R) memory.

    Examples
    --------
    >>> from algorithms import temporal_cycle_count
    >>> from structures import SlabGraph
    >>> options = dict(directed=True, multi_edges="all", time_unit="s", device="cpu")
    >>> graph = SlabGraph.from_edges(
    ...     [0, 1, 2, 1], [1, 2, 0, 0], time=[10, 20, 30, 40], **options
    ... )
    >>> found = temporal_cycle_count(graph, delta="1min")
    >>> found.total, found.per_vertex, found.by_length
    (2, array([2, 2, 1]), {2: 1, 3: 1})
    """
    search = _Search(graph, delta, length_bound, "temporal_cycle_count")
    tally = search.graph.device.to_host(search.count()).tolist()
    return TemporalCycleCountResult(sum(tally), search.per_vertex, dict(enumerate(tally[2:], 2)))


@fr.advanced.reads
def temporal_cycles(graph: fr.Graph, delta: Any, length_bound: int = 4) -> TemporalCyclesResult:
    """The events of all temporal cycles within `delta`, cycle by cycle.

    Parameters
    ----------
    graph, delta, length_bound
        As in `temporal_cycle_count`.

    Raises
    ------
    TypeError, ValueError, NotImplementedError
        As `temporal_cycle_count`.

    Warns
    -----
    ReplacedTimesWarning
        As `temporal_cycle_count`.

    See Also
    --------
    temporal_cycle_count : The number of cycles.

    Notes
    -----
    Twice the work of `temporal_cycle_count`, and memory for the events of all cycles, 64 bytes each. Count the cycles
    first if they may be many.

    Examples
    --------
    >>> from algorithms import temporal_cycles
    >>> from structures import SlabGraph
    >>> options = dict(directed=True, multi_edges="all", time_unit="s", device="cpu")
    >>> graph = SlabGraph.from_edges(
    ...     [0, 1, 2, 1], [1, 2, 0, 0], time=[10, 20, 30, 40], **options
    ... )
    >>> found = temporal_cycles(graph, delta="1min")
    >>> found.src, found.time, found.cycle
    (array([0, 1, 0, 1, 2], dtype=int32), array([10, 40, 10, 20, 30]), array([0, 0, 1, 1, 1]))
    """
    search = _Search(graph, delta, length_bound, "temporal_cycles")
    search.count()
    total, events, cycles = search.list_events()
    return TemporalCyclesResult(
        total, search.src[events], search.dst[events], search.times[events], search.ids[events], cycles
    )


class _Search:
    """The searches from all events of a graph."""

    def __init__(self, graph: fr.Graph, delta: Any, bound: int, name: str):
        fr.advanced.arguments.edge_times(graph)
        fr.advanced.arguments.check_one_device(graph, name)
        self.delta = fr.advanced.arguments.span(graph, delta, "delta")
        bound = fr.advanced.arguments.integer(bound, "length_bound", 2)
        self.bound = min(bound, max(graph.num_vertices, 2))
        self.graph = graph = fr.event_graph(graph)
        self.src, self.dst, self.times, self.ids = events_by_time(graph)
        xp, count = graph.xp, int(self.src.size)
        keys = fr.advanced.keys.pack(graph, self.src, self.dst)
        keys, among = fr.advanced.keys.sort(graph, keys, xp.arange(count))
        bounds = runs(keys, xp)
        tails, heads = fr.advanced.keys.unpack(graph, keys[bounds[:-1]])
        begins = prefix_sums(xp.bincount(tails, minlength=graph.num_vertices), xp)
        first, behind = (xp.searchsorted(self.times, self.times, side=side) for side in ("left", "right"))
        of, into = (by_vertex(graph, ends) for ends in (self.src, self.dst))
        self.lists = self.src, self.dst, self.times, first, behind, *of, *into, begins, heads, bounds, among
        self.per_vertex = xp.zeros(graph.num_vertices, np.int64)
        self.cycles, self.rows = xp.zeros((2, count), np.int64)

    def count(self) -> Any:
        """Count the cycles of each vertex, and by first event. Return the counts by length."""
        return self._run(*self.graph.xp.empty((2, 0), np.int64)).sum(axis=0)

    def list_events(self) -> tuple[int, Any, Any]:
        """The number of cycles, the numbers of their events, and the cycle of each, once all were counted."""
        xp = self.graph.xp
        self.cycles, self.rows = (prefix_sums(counts, xp) for counts in (self.cycles, self.rows))
        total, rows = self.graph.device.to_host(xp.stack([self.cycles[-1], self.rows[-1]])).tolist()
        listed = xp.empty((2, rows), np.int64)
        if rows:
            self._run(*listed)
        return total, *listed

    def _run(self, events: Any, numbers: Any) -> Any:
        """Search for all cycles, and list or count them."""
        xp, count, steps = self.graph.xp, int(self.src.size), self.bound - 1
        searches = min(count, SEARCHES, max(STACK // (steps * WIDTH), 1))
        tally = xp.zeros((searches, self.bound + 1), np.int64)
        stack = xp.empty((searches, steps * WIDTH), np.int64)
        state = State(
            xp.zeros(1, np.int64), count, *self.lists, self.delta, self.bound, stack, tally, self.per_vertex,
            self.cycles, self.rows, events, numbers, events.size > 0,
        )  # fmt: skip
        fr.compute(places(self.graph, searches), _search, *state)
        return tally


class State(NamedTuple):
    """The events, and the searches: see the top of the file. `started` counts these, `tally` the cycles by length."""

    started: Any
    count: Any
    src: Any
    dst: Any
    times: Any
    first: Any
    behind: Any
    of: Any
    leaving: Any
    into: Any
    entering: Any
    begins: Any
    heads: Any
    bounds: Any
    among: Any
    delta: Any
    bound: Any
    stack: Any
    tally: Any
    per_vertex: Any
    cycles: Any
    rows: Any
    events: Any
    numbers: Any
    listing: Any


def _search(search, *args):
    state = State(*args)
    stack = state.stack
    src = state.src
    dst = state.dst
    of = state.of
    into = state.into
    begins = state.begins
    count = state.count
    start = fr.atomic_add(state.started, 0, 1)
    while start < count:
        stack[search, HEAD], stack[search, TAIL] = dst[start], src[start]
        stack[search, LOW] = state.behind[start]
        stack[search, HIGH] = first_beyond(state.times, state.behind[start], count, state.times[start], state.delta)
        stack[search, EVENT], stack[search, VERTEX] = start, dst[start]
        step, is_new = 0, True
        while step >= 0:
            base = step * WIDTH
            if is_new:
                is_new = False
                head, tail = stack[search, base + HEAD], stack[search, base + TAIL]
                low, high = stack[search, base + LOW], stack[search, base + HIGH]
                at, stop, closes, backward = 0, 0, True, 0
                if step + 3 <= state.bound:  # two events may follow
                    at = first_from(state.leaving, of[head], of[head + 1], low, False)
                    stop = first_from(state.leaving, at, of[head + 1], high, False)
                    last_at = first_from(state.entering, into[tail], into[tail + 1], low, False)
                    last_stop = first_from(state.entering, last_at, into[tail + 1], high, False)
                    if at == stop or last_at == last_stop:
                        at, stop, closes = 0, 0, False
                    elif last_stop - last_at < stop - at:
                        at, stop, backward = last_at, last_stop, 1
                stack[search, base + AT], stack[search, base + STOP] = at, stop
                stack[search, base + BACKWARD] = backward
                arc = begins[head + 1]
                if closes:
                    arc = first_from(state.heads, begins[head], begins[head + 1], tail, False)
                if arc < begins[head + 1] and state.heads[arc] == tail:
                    at = first_from(state.among, state.bounds[arc], state.bounds[arc + 1], low, False)
                    stop = first_from(state.among, at, state.bounds[arc + 1], high, False)
                    if state.listing:
                        _list(state, search, start, step, at, stop)
                    elif at < stop:
                        _count(state, search, start, step, stop - at)
            at, backward = stack[search, base + AT], stack[search, base + BACKWARD]
            if at == stack[search, base + STOP]:
                step -= 1
                continue
            stack[search, base + AT] = at + 1
            event = state.entering[at] if backward == 1 else state.leaving[at]
            vertex = src[event] if backward == 1 else dst[event]
            seen = vertex == src[start]
            for earlier in range(step + 1):
                seen = seen or stack[search, earlier * WIDTH + VERTEX] == vertex
            if seen:
                continue
            above = base + WIDTH
            stack[search, above + EVENT], stack[search, above + VERTEX] = event, vertex
            if backward == 1:
                stack[search, above + HEAD], stack[search, above + TAIL] = stack[search, base + HEAD], vertex
                stack[search, above + LOW], stack[search, above + HIGH] = stack[search, base + LOW], state.first[event]
            else:
                stack[search, above + HEAD], stack[search, above + TAIL] = vertex, stack[search, base + TAIL]
                stack[search, above + LOW] = state.behind[event]
                stack[search, above + HIGH] = stack[search, base + HIGH]
            step, is_new = step + 1, True
        start = fr.atomic_add(state.started, 0, 1)


def _count(state, search, start, step, found):
    """Count cycles of the events of all steps, and one more."""
    state.tally[search, step + 2] += found
    state.cycles[start] += found
    state.rows[start] += found * (step + 2)
    fr.atomic_add(state.per_vertex, state.src[start], found)
    for earlier in range(step + 1):
        fr.atomic_add(state.per_vertex, state.stack[search, earlier * WIDTH + VERTEX], found)


def _list(state, search, start, step, at, stop):
    """List the cycles of the events of all steps, and one between the ends."""
    rows = state.rows
    stack = state.stack
    events = state.events
    for closing in range(at, stop):
        row, back = rows[start], rows[start] + step + 1
        for i in range(row, back + 1):
            state.numbers[i] = state.cycles[start]
        state.cycles[start] += 1
        rows[start] = back + 1
        for earlier in range(step + 1):
            event = stack[search, earlier * WIDTH + EVENT]
            if earlier > 0 and stack[search, (earlier - 1) * WIDTH + BACKWARD] == 1:
                events[back] = event
                back -= 1
            else:
                events[row] = event
                row += 1
        events[row] = state.among[closing]
