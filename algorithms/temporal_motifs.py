"""Temporal motifs: three events among two or three vertices, one after another, within a span of time.

Three events of a pair of vertices, and *stars* (two events of a pair, and one of a *center* with a third vertex), need
no sliding counters. The bounds of a window in time are positions in sorted lists, and its contents are differences of
prefix sums. So each event costs O(log) steps for any delta, and all events are handled in parallel. Directions are
signs, 1 for an event that leaves the center and -1 for one that enters it. A *moment* of a motif is a sum of products
of some of its three signs. The eight moments give the counts of its eight directions by a Hadamard transform.

    pairs       the events by pair of vertices, then time
    incident    the events by vertex, then time: each event at both ends
    offsets, stamps, turns
                such lists: their offsets, the times, and the sums of the signs before each
                position
    others      events at a center before a position that are not of the pair: their number,
                or the sum of their signs
    sums        prefix sums, over the events of pairs, of `others`, plain and times the sign
                of the event

*Triangles* are listed as by `triangle_count`. The events of two pairs enter and leave a window that slides along the
events of the third pair, which are the last ones of a motif. Its counters are moments as well. Most triangles have no
events within delta, which the first and last events of their pairs show.

    spans[arc]    the times of the first and the last event of the pair of an arc
    numbers[arc]  the number of the pair

Paranjape, Benson and Leskovec, "Motifs in Temporal Networks", WSDM 2017 (there, counters slide along all events of a
vertex).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import places
from ._events import by_vertex, events_by_time, first_beyond, first_from, first_within, prefix_sums, runs, within
from .result import Result

SECOND = (3, 2), (2, 3), (3, 1), (1, 3), (2, 1), (1, 2)
THIRD = (1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)
"""The second edge of the motifs of each row, and the third edge of each column. The first is 1 -> 2."""
FAMILIES = ("cn", "cl", "cn"), ("cn", "cn", "cl"), ("cl", "cn", "cn"), ("cn", "cn", "cn"), ("pq", "pr", "qr")
"""The three edges of a motif: of a center, its neighbor and a lone vertex, or of a triangle. Three bits give their
directions: 0 for an event from the first end to the second."""
CHUNKS = 1 << 14
"""This number of calls of a functor share the events, each with its own sums."""
SPREAD = 64
"""Rows of the sums of triangles, a power of two. On a GPU, additions to one entry are serialized."""


@dataclass(frozen=True, repr=False)
class TemporalMotifsResult(Result):
    """Result of `temporal_motifs`.

    Attributes
    ----------
    total : int
        Instances of all motifs.
    counts : array of int64, shape (6, 6)
        Instances of each motif, on the graph's device: ``counts[i - 1, j - 1]`` is the paper's M i,j.

    See Also
    --------
    temporal_motifs : Computes it.
    """

    total: int
    counts: Any


class Events(NamedTuple):
    """Lists of events in the order of time."""

    offsets: Any
    stamps: Any
    turns: Any


@fr.advanced.reads
def temporal_motifs(graph: fr.Graph, delta: Any) -> TemporalMotifsResult:
    """Counts of the 36 temporal motifs of three edges and two or three vertices, within `delta`.

    An instance of a motif is three events with increasing times, the last at most `delta` after the first, that connect
    two or three vertices. Events of equal times do not follow each other. With the first edge 1 -> 2, the second edge
    gives the row of a motif in the table, and the third its column:

    ======  =======  =======  =======  =======  =======  =======
    number  1        2        3        4        5        6
    ======  =======  =======  =======  =======  =======  =======
    row     3 -> 2   2 -> 3   3 -> 1   1 -> 3   2 -> 1   1 -> 2
    column  1 -> 2   2 -> 1   1 -> 3   3 -> 1   2 -> 3   3 -> 2
    ======  =======  =======  =======  =======  =======  =======

    Parameters
    ----------
    graph : Graph
        With times. In an undirected graph each event counts in both directions. In a graph that stores its records
        (``multi_edges="all"``), each record is an event. In other graphs an edge has one time, which ``keep_time``
        selects.
    delta : int, timedelta or str
        A length of time: in units of the graph's times, or such as ``"1h"``.

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
    DynamicTemporalMotifs : Maintains the result while the graph changes.

    Notes
    -----
    O(R log R) work for R events, and O(E^1.5) look-ups plus the events of the three pairs of each static triangle that
    has events within `delta`. O(R) memory, about 200 bytes an event. Counts of 2^60 and more are not exact.

    SNAP's ``temporalmotifs`` orders events of equal times by their position in its lists, so its counts are higher if
    times repeat.

    Examples
    --------
    >>> from algorithms import temporal_motifs
    >>> from structures import SlabGraph
    >>> options = dict(directed=True, multi_edges="all", time_unit="s", device="cpu")
    >>> graph = SlabGraph.from_edges(
    ...     [0, 1, 2, 0], [1, 2, 0, 1], time=[10, 20, 30, 40], **options
    ... )
    >>> found = temporal_motifs(graph, delta="20s")
    >>> found.total
    2
    >>> int(found.counts[2 - 1, 4 - 1])  # 1 -> 2 -> 3 -> 1
    2
    """
    fr.advanced.arguments.edge_times(graph)
    fr.advanced.arguments.check_one_device(graph, "temporal_motifs")
    delta = fr.advanced.arguments.span(graph, delta, "delta")
    events = fr.event_graph(graph)
    counts = motif_counts(events, *events_by_time(events)[:3], delta)
    return TemporalMotifsResult(int(counts.sum()), graph.xp.asarray(counts))


def motif_counts(graph: fr.Graph, src: Any, dst: Any, times: Any, delta: int) -> np.ndarray:
    """The counts of all motifs of events in the order of time, between vertices of `graph`."""
    xp = graph.xp
    low, high, number, pairs = _by_pair(graph, src, dst, times)
    offsets, order = by_vertex(graph, xp.stack([src, dst], 1).reshape(-1))
    incident = Events(offsets, times[order >> 1], prefix_sums(1 - 2 * (order & 1), xp))
    moments = np.zeros((len(FAMILIES), 8), np.int64)
    for centers, sign in ((low, 1), (high, -1)):
        moments[:3] += _moments_around(graph, number, pairs, centers, incident, sign, 1, delta)
    moments[3] = _moments_around(graph, number, pairs, xp.arange(low.size), pairs, 1, 0, delta)[0]
    moments[4] = _moments_of_triangles(graph, low, high, pairs, delta)
    return table_of(moments)


def table_of(moments: np.ndarray) -> np.ndarray:
    """The counts of all motifs by the moments of each family."""
    step = np.array([[1, 1], [1, -1]])
    table = np.zeros((6, 6), np.int64)
    for family, counts in zip(FAMILIES, moments @ np.kron(np.kron(step, step), step) // 8, strict=True):
        for directions, count in enumerate(counts):
            first, second, third = (
                edge[::-1] if directions >> place & 1 else edge for edge, place in zip(family, (2, 1, 0), strict=True)
            )
            role = {first[0]: 1, first[1]: 2}
            ends = [(role.get(edge[0], 3), role.get(edge[1], 3)) for edge in (second, third)]
            table[SECOND.index(ends[0]), THIRD.index(ends[1])] += count
    return table


def _by_pair(graph: fr.Graph, src: Any, dst: Any, times: Any) -> tuple[Any, Any, Any, Events]:
    """The ends of each pair, the lesser first, the number of the pair of each event, and the events of pairs."""
    xp = graph.xp
    keys = fr.advanced.keys.pack(graph, xp.minimum(src, dst), xp.maximum(src, dst))
    keys, order = fr.advanced.keys.sort(graph, keys, xp.arange(src.size))
    offsets = runs(keys, xp)
    low, high = fr.advanced.keys.unpack(graph, keys[offsets[:-1]])
    number = xp.searchsorted(offsets, xp.arange(keys.size), side="right") - 1
    return low, high, number, Events(offsets, times[order], prefix_sums(xp.where(src < dst, 1, -1)[order], xp))


# ---- pairs and stars ------------------------------------------------------------------------------------------------


class Around(NamedTuple):
    """The events of pairs, the lists of events of their centers, and `sums`."""

    number: Any
    offsets: Any
    stamps: Any
    turns: Any
    centers: Any
    begins: Any
    times: Any
    signs: Any
    sign: Any
    less: Any
    sums: Any


def _moments_around(
    graph: fr.Graph, number: Any, pairs: Events, centers: Any, around: Events, sign: int, less: int, delta: Any
) -> np.ndarray:  # fmt: skip
    """The moments of two events of a pair, and one of the list of its center: between, after and before the two.

    `sign` is 1 if events with the sign 1 leave the center, and -1 if they enter it. With `less`, events of the pair are
    left out of the list of the center.
    """
    xp, events = graph.xp, int(number.size)
    lists = Around(number, *pairs, centers, *around, sign, less, xp.zeros((8, events + 1), np.int64))
    fr.compute(places(graph, events), _others_of, *lists)
    for row in lists.sums:
        row[:] = xp.cumsum(row)
    chunks = min(events, CHUNKS)
    tally = xp.zeros((chunks, 24), np.int64)
    share = -(-events // max(chunks, 1))
    stride = (share, 1) if graph.device.kind == "cpu" else (1, chunks)
    fr.compute(places(graph, chunks), _count_around, delta, *stride, share, events, tally, *lists)
    return graph.device.to_host(tally.sum(axis=0)).reshape(3, 8)


def _others_of(event, *args):
    lists = Around(*args)
    stamps = lists.stamps
    times = lists.times
    signs = lists.signs
    sums = lists.sums
    pair, time, less = lists.number[event], stamps[event], lists.less
    begin, end = lists.begins[lists.centers[pair]], lists.begins[lists.centers[pair] + 1]
    before = first_from(stamps, lists.offsets[pair], event, time, False)
    after = first_from(stamps, event + 1, lists.offsets[pair + 1], time, True)
    since = first_from(times, begin, end, time, False)
    until = first_from(times, since, end, time, True)
    own = _turn(lists, event, event + 1)
    count, turn = until - less * after, signs[until] - less * lists.sign * lists.turns[after]
    sums[0, event + 1] = count
    sums[1, event + 1] = turn
    sums[2, event + 1] = own * count
    sums[3, event + 1] = own * turn
    count, turn = since - less * before, signs[since] - less * lists.sign * lists.turns[before]
    sums[4, event + 1] = count
    sums[5, event + 1] = turn
    sums[6, event + 1] = own * count
    sums[7, event + 1] = own * turn


def _turn(lists, low, high):
    """The sum of the signs of the events of a pair between two positions, seen from its center."""
    return lists.sign * (lists.turns[high] - lists.turns[low])


def _count_around(chunk, delta, outer, inner, share, events, tally, *args):
    lists = Around(*args)
    stamps = lists.stamps
    times = lists.times
    sums = lists.sums
    for i in range(share):
        event = chunk * outer + i * inner
        if event >= events:
            break
        pair, time = lists.number[event], stamps[event]
        first, beyond = lists.offsets[pair], lists.offsets[pair + 1]
        before = first_from(stamps, first, event, time, False)
        after = first_from(stamps, event + 1, beyond, time, True)
        low = first_within(stamps, first, before, time, delta)
        high = first_beyond(stamps, after, beyond, time, delta)
        if low == before and after == high:
            continue
        begin, end = lists.begins[lists.centers[pair]], lists.begins[lists.centers[pair] + 1]
        now = first_from(times, begin, end, time, False)
        past = first_within(times, begin, now, time, delta)
        coming = first_beyond(times, first_from(times, now, end, time, True), end, time, delta)
        own = _turn(lists, event, event + 1)
        for lone in range(2):  # whether the sign of the event of the center with another vertex is a factor
            at_now = _others(lists, lone, now, before)
            at_past = _others(lists, lone, past, low)
            at_coming = _others(lists, lone, coming, high)
            for other in range(2):  # whether the sign of the other event of the pair is a factor
                row = 2 * other + lone
                earlier, later = before - low, high - after
                if other == 1:
                    earlier, later = _turn(lists, low, before), _turn(lists, after, high)
                found = at_now * earlier - (sums[row, before] - sums[row, low])
                tally[chunk, 4 * other + 2 * lone] += found
                tally[chunk, 4 * other + 2 * lone + 1] += own * found
                found = at_coming * later - (sums[row, high] - sums[row, after])
                tally[chunk, 8 + 2 * other + lone] += found
                tally[chunk, 12 + 2 * other + lone] += own * found
                found = sums[4 + row, before] - sums[4 + row, low] - at_past * earlier
                tally[chunk, 16 + 4 * lone + 2 * other] += found
                tally[chunk, 17 + 4 * lone + 2 * other] += own * found


def _others(lists, signed, place, own_place):
    """The events at a center before a position that are not of the pair, or the sum of their signs."""
    if signed == 1:
        return lists.signs[place] - lists.less * lists.sign * lists.turns[own_place]
    return place - lists.less * own_place


# ---- triangles ------------------------------------------------------------------------------------------------------


class Triangles(NamedTuple):
    """The events of pairs, and the moments of the triangles of three pairs."""

    numbers: Any
    spans: Any
    offsets: Any
    stamps: Any
    turns: Any
    delta: Any
    tally: Any


def _moments_of_triangles(graph: fr.Graph, low: Any, high: Any, pairs: Events, delta: Any) -> np.ndarray:
    """The moments of motifs p - q, p - r, q - r, by whether their events leave the first of these."""
    xp, count = graph.xp, graph.num_vertices
    degrees = xp.bincount(low, minlength=count) + xp.bincount(high, minlength=count)
    upward = degrees[low] <= degrees[high]  # from the lower degree, of equal degrees from the lower id
    us, vs = xp.where(upward, low, high), xp.where(upward, high, low)
    up: Any = fr.advanced.csr_structure().from_edges(
        us, vs, num_vertices=count, directed=True, device=graph.device, vertex_dtype=graph.vertex_dtype
    )
    arcs = up.find_edges(us, vs, checked=False)
    numbers, spans = xp.zeros(up.edge_capacity, np.int64), xp.zeros((up.edge_capacity, 2), np.int64)
    numbers[arcs] = xp.arange(us.size)
    spans[arcs, 0], spans[arcs, 1] = pairs.stamps[pairs.offsets[:-1]], pairs.stamps[pairs.offsets[1:] - 1]
    tally = xp.zeros((SPREAD, 8), np.int64)
    args = Triangles(numbers, spans, *pairs, delta, tally)
    fr.intersect(up, us, vs, _count_triangles, *args, numbered=True, checked=False)
    return graph.device.to_host(tally.sum(axis=0))


def _count_triangles(i, u, v, w, edge_uw, edge_vw, *args):
    lists = Triangles(*args)
    offsets = lists.offsets
    stamps = lists.stamps
    spans = lists.spans
    delta = lists.delta
    latest = max(stamps[offsets[i]], spans[edge_uw, 0])  # of the first events of each pair
    earliest = min(stamps[offsets[i + 1] - 1], spans[edge_uw, 1])  # of the last events
    if earliest < latest and not within(earliest, latest, delta):
        return
    latest, earliest = max(latest, spans[edge_vw, 0]), min(earliest, spans[edge_vw, 1])
    if earliest < latest and not within(earliest, latest, delta):
        return
    b, c = lists.numbers[edge_uw], lists.numbers[edge_vw]
    x, y, z = offsets[i], offsets[b], offsets[c]
    x_end, y_end, z_end = offsets[i + 1], offsets[b + 1], offsets[c + 1]
    near = False
    while not near:  # skip events too far before the first event of another pair
        latest = max(stamps[x], stamps[y], stamps[z])
        if not within(stamps[x], latest, delta):
            x += 1
        elif not within(stamps[y], latest, delta):
            y += 1
        elif not within(stamps[z], latest, delta):
            z += 1
        else:
            near = True
        if x == x_end or y == y_end or z == z_end:
            return
    near = False
    while not near:  # skip events too far after the last event of another pair
        earliest = min(stamps[x_end - 1], stamps[y_end - 1], stamps[z_end - 1])
        if not within(earliest, stamps[x_end - 1], delta):
            x_end -= 1
        elif not within(earliest, stamps[y_end - 1], delta):
            y_end -= 1
        elif not within(earliest, stamps[z_end - 1], delta):
            z_end -= 1
        else:
            near = True
    uv, uw, vw = 1 if u < v else -1, 1 if u < w else -1, 1 if v < w else -1
    row = i & (SPREAD - 1)
    of_i, of_b, of_c = (x, x_end), (y, y_end), (z, z_end)
    _count_ending_in(lists, row, of_i, of_b, of_c, (uv, uw, vw))
    _count_ending_in(lists, row, of_i, of_c, of_b, (-uv, vw, uw))
    _count_ending_in(lists, row, of_b, of_c, of_i, (-uw, -vw, uv))


def _count_ending_in(lists, row, x_range, y_range, z_range, signs):
    """Add motifs of an event of each of three pairs, with the event of `z` last.

    `signs` are 1 for events from the common vertex of x and y, and from the other end of x. After y and x, they are
    opposite in `z`. In the window are events of x from x_low to x_high, and of y likewise. The pairs of two of them,
    one after the other, have moments by the signs of both: `p` if x is first, `q` if y is.
    """
    stamps = lists.stamps
    turns = lists.turns
    tally = lists.tally
    delta = lists.delta
    x_low, x_end = x_range
    y_low, y_end = y_range
    z, z_end = z_range
    of_x, of_y, of_z = signs
    x_high, y_high = x_low, y_low
    p = p_first = p_second = p_both = q = q_first = q_second = q_both = 0
    plain = first = second = both = third = first_third = second_third = all_three = 0
    for at in range(z, z_end):
        time = stamps[at]
        while True:  # the events that leave, all of one time together
            then = _earlier(stamps, x_low, x_high, _earlier(stamps, y_low, y_high, time))
            if within(then, time, delta):
                break
            x_next, y_next = _past(stamps, x_low, x_high, then), _past(stamps, y_low, y_high, then)
            xs, ys = x_next - x_low, y_next - y_low
            x_signs, y_signs = of_x * (turns[x_next] - turns[x_low]), of_y * (turns[y_next] - turns[y_low])
            x_low, y_low = x_next, y_next
            xs_left, x_left = x_high - x_low, of_x * (turns[x_high] - turns[x_low])
            ys_left, y_left = y_high - y_low, of_y * (turns[y_high] - turns[y_low])
            p -= xs * ys_left
            p_first -= x_signs * ys_left
            p_second -= xs * y_left
            p_both -= x_signs * y_left
            q -= ys * xs_left
            q_first -= y_signs * xs_left
            q_second -= ys * x_left
            q_both -= y_signs * x_left
        while True:  # events that enter the window
            then = _earlier(stamps, x_high, x_end, _earlier(stamps, y_high, y_end, time))
            if then == time:
                break
            x_next, y_next = _past(stamps, x_high, x_end, then), _past(stamps, y_high, y_end, then)
            xs, ys = x_next - x_high, y_next - y_high
            x_signs, y_signs = of_x * (turns[x_next] - turns[x_high]), of_y * (turns[y_next] - turns[y_high])
            xs_there, x_there = x_high - x_low, of_x * (turns[x_high] - turns[x_low])
            ys_there, y_there = y_high - y_low, of_y * (turns[y_high] - turns[y_low])
            x_high, y_high = x_next, y_next
            if not within(then, time, delta):  # and neither are the earlier events of the window, which have left
                x_low, y_low = x_high, y_high
                continue
            p += xs_there * ys
            p_first += x_there * ys
            p_second += xs_there * y_signs
            p_both += x_there * y_signs
            q += ys_there * xs
            q_first += y_there * xs
            q_second += ys_there * x_signs
            q_both += y_there * x_signs
        own = of_z * (turns[at + 1] - turns[at])
        plain += p + q
        first += p_first + q_first
        second += p_second + q_second
        both += p_both + q_both
        third += own * (p - q)
        first_third += own * (p_first - q_first)
        second_third += own * (p_second - q_second)
        all_three += own * (p_both - q_both)
    if plain != 0:
        fr.atomic_add(tally, (row, 0), plain)
        fr.atomic_add(tally, (row, 1), third)
        fr.atomic_add(tally, (row, 2), second)
        fr.atomic_add(tally, (row, 3), second_third)
        fr.atomic_add(tally, (row, 4), first)
        fr.atomic_add(tally, (row, 5), first_third)
        fr.atomic_add(tally, (row, 6), both)
        fr.atomic_add(tally, (row, 7), all_three)


def _earlier(stamps, low, high, time):
    """The time of the first event of a list, if it is before `time`, else `time`."""
    return min(stamps[low], time) if low < high else time


def _past(stamps, low, high, time):
    """The first position of a list behind events of a time, which only its first events may have."""
    while low < high and stamps[low] == time:
        low += 1
    return low
