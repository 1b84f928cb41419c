"""Temporal random walks: along edges in the order of their times.

A walk is one call of a functor. The edges of each vertex are sorted by time, so the edges after some time are the rest
of a list. A binary search finds its start, and one of its edges is drawn. Walks back in time follow reversed edges,
with times whose order is reversed.

    paths[i, j]    vertex of walk i after j steps, -1 once the walk has ended
    times[i, j]    time of the edge of step j

Uniform draws choose a position in the rest. With decay, an edge weighs exp(-decay * delay), where the delay is the time
from the walk to it. All delays in one rest differ by differences of times, so sums over rests need no reference time
that could overflow:

    rest[e]    sum of exp(-decay * (time[f] - time[e])) over the edges f of the same vertex
               from e on

A draw from e on goes beyond the edge before f with the probability exp(-decay * (time[f] - time[e])) * rest[f] /
rest[e]. This falls with f, so a binary search finds the edge. `rest` is computed in blocks, which divides long lists.

Nguyen, Lee, Rossi, Ahmed, Koh and Kim, "Continuous-Time Dynamic Network Embeddings", WWW Companion 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import as_int64, places, walk_starts
from ._events import first_from, prefix_sums, sort_by_time
from ._functors import faded
from .result import Result

BLOCK = 256
"""Edges whose sums one call of a functor computes."""


@dataclass(frozen=True, repr=False)
class TemporalRandomWalksResult(Result):
    """Result of `temporal_random_walks`. Arrays are on the graph's device.

    Attributes
    ----------
    paths, steps, ends : arrays
        As in `RandomWalksResult`.
    times : array of int64, shape (number of walks, length)
        The times of the edges of each walk, 0 after it has ended.

    See Also
    --------
    temporal_random_walks : Computes it.
    """

    paths: Any
    times: Any
    steps: Any
    ends: Any


@fr.advanced.reads
def temporal_random_walks(
    graph: fr.Graph,
    starts: Any = None,
    length: int = 10,
    *,
    start_times: Any = None,
    backward: bool = False,
    strict: bool = True,
    decay: float | None = None,
    half_life: Any = None,
    seed: int = 0,
) -> TemporalRandomWalksResult:
    """Random walks whose edges follow each other in time.

    Parameters
    ----------
    graph : Graph
        With times. In a directed graph edges are followed forward, or backward with `backward`. Weights are ignored. In
        a graph that stores records (``multi_edges="all"``), each record is an edge to follow. In other graphs an
        edge has one time, which ``keep_time`` selects.
    starts, length, seed
        As in `random_walks`.
    start_times : int or timestamp, or array-like of them, shape (number of walks,), optional
        The first edge of a walk has this time or a greater one, or with `backward`, a lesser time. By default it may
        have any.
    backward : bool
        Whether walks go back in time, to find where something came from.
    strict : bool
        Whether the times of a walk increase (decrease, with `backward`), rather than never decrease.
    decay : float, optional
        Edges are drawn in proportion to exp(-decay * delay), with a rate per unit of the graph's times. The delay of an
        edge is the time since the previous one, or since the start time. By default, and without either, all edges that
        may follow are equally likely.
    half_life : int, timedelta or str, instead of `decay`
        The delay that makes an edge half as likely: in units of the graph's times, or such as ``"1h"``.

    Raises
    ------
    TypeError, ValueError
        The graph has no times, `starts` contains other things than its vertices, or another argument is invalid.

    See Also
    --------
    random_walks : Ignores times.

    Notes
    -----
    O(length * log(degree)) work per walk, and a sort of all arcs: three passes of a radix sort, O(E) memory. In a graph
    that stores records, E is their number.

    Examples
    --------
    >>> from algorithms import temporal_random_walks
    >>> from structures import CSR
    >>> graph = CSR.from_edges(
    ...     [0, 1, 1], [1, 2, 3], time=[20, 10, 30], time_unit="s", directed=True,
    ...     device="cpu",
    ... )
    >>> found = temporal_random_walks(graph, [0], length=3)
    >>> found.paths, found.times
    (array([[ 0,  1,  3, -1]], dtype=int32), array([[20, 30,  0]]))
    """
    fr.advanced.arguments.edge_times(graph)
    fr.advanced.arguments.check_one_device(graph, "temporal_random_walks")
    graph = fr.event_graph(graph)
    column = fr.advanced.arguments.edge_times(graph)
    length, seed = fr.advanced.arguments.integer(length, "length", 0), as_int64(seed)
    backward = fr.advanced.arguments.flag(backward, "backward")
    strict = fr.advanced.arguments.flag(strict, "strict")
    fades = not (decay is None and half_life is None)
    rate = fr.advanced.arguments.decay_rate(graph, decay, half_life) if fades else 0.0
    xp, ends = graph.xp, walk_starts(graph, starts)
    now = _start_times(graph, start_times, int(ends.size), backward)
    offsets, src, ids, times = _arcs_by_time(graph, column, backward)
    rest = _sums_of_rests(graph, offsets, src, times, rate) if fades else xp.empty(0)
    paths, steps = xp.full((ends.size, length + 1), -1, ends.dtype), xp.zeros(ends.size, np.int32)
    stamps = xp.zeros((ends.size, length), np.int64)
    timed = start_times is not None
    walks = Walks(
        offsets, ids, times, rest, rate, paths.reshape(-1), stamps.reshape(-1), steps, ends, now, fades, timed,
        backward and timed, length, strict, seed,
    )  # fmt: skip
    fr.compute(places(graph, int(ends.size)), _walk, *walks)
    if backward:
        stamps = xp.where(paths[:, 1:] >= 0, ~stamps, 0)
    return TemporalRandomWalksResult(paths, stamps, steps, ends)


def _start_times(graph: fr.Graph, given: Any, count: int, backward: bool) -> Any:
    """The time of each walk at its start, in the order in which it sees times."""
    xp = graph.xp
    if given is None:
        return xp.full(count, np.iinfo(np.int64).min, np.int64)
    if getattr(given, "ndim", None) == 0 or not hasattr(given, "__len__") or isinstance(given, str):
        found = xp.full(count, fr.advanced.arguments.time(graph, given, "start_times"), np.int64)
    else:
        found = fr.advanced.arguments.times(graph, given, "start_times").copy()
        if found.size != count:
            raise ValueError(f"start_times must have an entry for each of {count} walks, not {found.size}")
    return ~found if backward else found


def _arcs_by_time(graph: fr.Graph, column: Any, backward: bool) -> tuple[Any, Any, Any, Any]:
    """Offsets, sources, destinations and times of all arcs by source, time and destination, reversed for `backward`."""
    xp, arcs = graph.xp, fr.EdgeFrontier.all(graph)
    src, ids = (arcs.dst, arcs.src) if backward else (arcs.src, arcs.dst)
    times = ~column[arcs.edges] if backward else column[arcs.edges]
    offsets = prefix_sums(xp.bincount(src, minlength=graph.num_vertices), xp)
    ends, order = fr.advanced.keys.pack(graph, src, ids), xp.arange(src.size)
    if bool((ends[1:] < ends[:-1]).any()):  # not in a structure that stores them sorted, going forward
        _, order = fr.advanced.keys.sort(graph, ends, order)
    order = sort_by_time(graph, times[order], order)
    src, order = fr.advanced.keys.sort(graph, src[order].astype(np.int64), order)
    return offsets, src, ids[order], times[order]


# ---- sums over rests ------------------------------------------------------------------------------------------------


def _sums_of_rests(graph: fr.Graph, offsets: Any, src: Any, times: Any, rate: float) -> Any:
    """`rest`: within blocks of arcs first, then over the blocks of each vertex, then both together."""
    rest = graph.xp.empty(src.size)
    blocks = places(graph, -(-int(src.size) // BLOCK))
    fr.compute(blocks, _sum_in_block, src, times, rate, rest, int(src.size))
    fr.compute(places(graph, graph.num_vertices), _sum_over_blocks, offsets, times, rate, rest)
    fr.compute(blocks, _sum_beyond_block, src, offsets, times, rate, rest, int(src.size))
    return rest


def _sum_in_block(block, src, times, rate, rest, count):
    begin = block * BLOCK
    end = min(begin + BLOCK, count)
    total = 0.0
    for back in range(end - begin):
        at = end - 1 - back
        follows = back > 0 and src[at] == src[at + 1]
        total = 1.0 + faded(times[at + 1], times[at], rate) * total if follows else 1.0
        rest[at] = total


def _sum_over_blocks(v, offsets, times, rate, rest):
    end = offsets[v + 1]
    at = (end - 1) // BLOCK * BLOCK - BLOCK
    while at >= offsets[v]:
        rest[at] += faded(times[at + BLOCK], times[at], rate) * rest[at + BLOCK]
        at -= BLOCK


def _sum_beyond_block(block, src, offsets, times, rate, rest, count):
    begin = block * BLOCK
    after = begin + BLOCK
    for at in range(begin + 1, min(after, count)):
        if after < offsets[src[at] + 1]:
            rest[at] += faded(times[after], times[at], rate) * rest[after]


# ---- walks ----------------------------------------------------------------------------------------------------------


def _draw_fading(times, rest, rate, low, high, chance):
    """The last position such that the draw falls on it or later with a probability of at least `chance`."""
    first = low
    while low < high - 1:
        middle = (low + high) >> 1
        if faded(times[middle], times[first], rate) * rest[middle] >= chance * rest[first]:
            low = middle
        else:
            high = middle
    return low


class Walks(NamedTuple):
    """The arcs by time, and the walks along them: their times at the start, and the options of all."""

    offsets: Any
    ids: Any
    times: Any
    rest: Any
    rate: Any
    paths: Any
    stamps: Any
    steps: Any
    ends: Any
    now: Any
    fades: Any
    timed: Any
    after: Any
    length: Any
    strict: Any
    seed: Any


def _walk(walk, *args):
    walks = Walks(*args)
    length, seed = walks.length, walks.seed
    at, time, step = walks.ends[walk], walks.now[walk], 0
    walks.paths[walk * (length + 1)] = at
    while at >= 0 and step < length:
        high = walks.offsets[at + 1]
        low = first_from(walks.times, walks.offsets[at], high, time, walks.strict if step > 0 else walks.after)
        if low == high:
            break
        if walks.fades and (step > 0 or walks.timed):
            chance = 1.0 - fr.random(seed, walk, step)
            place = _draw_fading(walks.times, walks.rest, walks.rate, low, high, chance)
        else:
            place = low + (fr.advanced.random_bits(seed, walk, step) * (high - low) >> 32)
        at, time = walks.ids[place], walks.times[place]
        walks.stamps[walk * length + step] = time
        step += 1
        walks.paths[walk * (length + 1) + step] = at
    walks.steps[walk], walks.ends[walk] = step, at
