"""Common neighbors of vertices that different parts own.

Of the two lists of neighbors of a pair, the shorter one travels to the owner of the other vertex, once to each part
that needs it, and its members are looked up there. What functors read by edge travels with it.

    u, v        the pairs, at the owner of u; lists are compared there (v's comes) or at the owner of v (u's does)
    keys        a list on its way: the other part, and the vertex; both parts derive the same ones in the same order
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import operators as one_device
from ..arguments import flag
from ..operators.extract import extract
from ..operators.intersect import OF_PAIR
from ..operators.visit_common import visit_common
from ..runtime.elementwise import take
from ..sort import accumulate, distinct_with_places
from .accesses import arrays_of
from .batches import Pairs
from .vertex_arrays import FLAGS, SUMS

if TYPE_CHECKING:
    from .part import GraphPart


def intersect(
    graph: GraphPart, us: Any, vs: Any, op: Callable | None = None, *args: Any, per_pair: Callable | None = None,
    numbered: bool = False, checked: bool = True,
) -> Any:  # fmt: skip
    """`frontier.intersect`, of the pairs that all parts list.

    `op` may add to entries of any vertices in arrays with the rule "add", set flags, and write to any entries where the
    rule is a function. Of arrays by edge it may read the entries of its two edges. With `numbered`, it may read the
    entry of its pair in arrays by pair, which travel with the pairs, and use the number for nothing else.
    """
    args = graph.with_own_columns(args)
    by_edge, by_pair = ([], []) if op is None else _check(graph, op, args, flag(numbered, "numbered"))
    if per_pair is not None:
        _check_writes(graph, per_pair, arrays_of(per_pair, len(OF_PAIR), args, graph.xp.ndarray))
    if graph.comm.size == 1:
        return one_device.intersect(
            graph.local, us, vs, op, *args, per_pair=per_pair, numbered=numbered, checked=checked
        )
    pairs = Pairs(graph, us, vs)
    u, v, *of_pairs = pairs.send(*(args[i] for i in by_pair))
    args = _replaced(args, by_pair, of_pairs)
    arrays = [array for i, array in enumerate(args) if i not in (*by_edge, *by_pair) and graph.arrays.among([array])]
    graph.arrays.complete([array for array in arrays if graph.arrays.rule_of(array) is None])
    graph.arrays.hold_sums(arrays)
    functors = {"per_pair": per_pair, "numbered": numbered}
    counts = _find(graph, u, v, op, args, by_edge, by_pair, functors)
    graph.arrays.written([array for array in arrays if graph.arrays.rule_of(array) is not None])
    graph.arrays.set_apart(arrays)
    return None if op is not None else pairs.give_back(counts)


def _check(graph: GraphPart, op: Callable, args: tuple, numbered: bool) -> tuple[list[int], list[int]]:
    """The places of the arrays by edge, and of those by pair; raises if `op` writes to what cannot be combined."""
    by_edge: list[int] = []
    by_pair: list[int] = []
    found = list(arrays_of(op, 6 if numbered else 5, args, graph.xp.ndarray))
    _check_writes(graph, op, found)
    where = [i for i, value in enumerate(args) if isinstance(value, graph.xp.ndarray)]  # an array may be there twice
    for i, (name, _, use, parameters) in zip(where, found, strict=False):
        edges, pair = set(parameters[-2:]), set(parameters[:1]) if numbered else set()
        for kind, indices, places in (("edge", edges, by_edge), ("pair", pair, by_pair)):
            if use.reads & indices:
                if not use.reads <= indices:
                    raise ValueError(
                        f"{op.__name__}() reads {name} by {kind} and otherwise, which parts cannot tell apart"
                    )
                places.append(i)
    return by_edge, by_pair


def _check_writes(graph: GraphPart, op: Callable, found: Iterable[tuple]) -> None:
    """Raise if a functor writes to what cannot be combined; `found` is what `arrays_of` tells of it."""
    for name, array, use, _ in found:
        rule = graph.arrays.rule_of(array)
        if use.writes and rule not in ("add", FLAGS, SUMS) and not callable(rule):
            raise ValueError(
                f"{op.__name__}() writes to {name} at common neighbors, where copies of a graph's parts would differ: "
                "make it with graph.vertex_array(..., combine='add'), or with a function as its rule"
            )


def _replaced(args: tuple, places: Sequence[int], values: Sequence[Any]) -> tuple:
    """Arguments with other values at some places."""
    made = list(args)
    for place, value in zip(places, values, strict=True):
        made[place] = value
    return tuple(made)


@dataclass
class Lists:
    """Lists of neighbors that come from other parts, one after another.

    Attributes
    ----------
    rows : array of int64
        The list of each key that was asked for; -1 for those that were not.
    offsets : array of int64
    neighbors : array of vertex ids
    values : list of array
        What goes with each neighbor.
    """

    rows: Any
    offsets: Any
    neighbors: Any
    values: list[Any]


def _find(
    graph: GraphPart, u: Any, v: Any, op: Callable | None, args: tuple, by_edge: Sequence[int], by_pair: Sequence[int],
    functors: dict[str, Any],
) -> Any:  # fmt: skip
    """`intersect` of pairs at the owners of `u`; returns the numbers of common neighbors unless there is an `op`."""
    xp, comm, local = graph.xp, graph.comm, graph.local
    of_pairs = [args[i] for i in by_pair]
    order, counts = graph.partition.by_owner(v)
    first, last = sum(counts[: comm.rank]), sum(counts[: comm.rank + 1])
    here, away = order[first:last], _without(xp, order, first, last)
    counts[comm.rank] = 0
    values = _replaced(args, by_pair, [_at(graph, array, here) for array in of_pairs])
    found = one_device.intersect(
        local, _at(graph, u, here), _at(graph, v, here), op, *values, checked=False, **functors
    )  # fmt: skip
    received = comm.exchange_counts(counts)
    u_out, v_out = _at(graph, u, away), _at(graph, v, away)
    of_u = _degrees(local, u_out)
    of_out = [_at(graph, array, away) for array in of_pairs]
    (u_in, v_in, of_u_in, *of_in), _ = comm.alltoallv_columns([u_out, v_out, of_u, *of_out], counts, received)
    of_v_in = _degrees(local, v_in)
    of_v, _ = comm.alltoallv(of_v_in, received, counts)

    # First the pairs of other parts, then own ones. Compared here are those whose end on the other part has the shorter
    # list: of the first u, and of the others v.
    known, listed = xp.concatenate([v_in, u_out]), xp.concatenate([u_in, v_out])
    lengths = xp.concatenate([of_u_in, of_v])
    compared = xp.concatenate([of_u_in <= of_v_in, of_v < of_u])
    n, none = np.int64(max(graph.num_vertices, 1)), np.int64(-1)
    peers = _peers(graph, [*received, *counts]) * n
    asked = xp.where(compared, peers + listed, none)
    wanted = xp.where(compared, none, peers + known)
    lists = _exchange_lists(graph, asked, lengths, wanted, n, [args[i] for i in by_edge])

    swapped = xp.arange(known.size) >= u_in.size
    both = [xp.concatenate([theirs, ours]) for theirs, ours in zip(of_in, of_out, strict=True)]
    capacity = local.edge_capacity
    with _behind(xp, [args[i] for i in by_edge], lists.values, capacity) as more:
        values = _replaced(_replaced(args, by_edge, more), by_pair, both)
        there = visit_common(
            local, known, listed, swapped, lists.rows, lists.offsets, lists.neighbors, capacity, op, *values, **functors
        )  # fmt: skip
    if op is not None:
        return None
    total = xp.zeros(u.size, np.int64)
    total[here] = found
    back, _ = comm.alltoallv(there[: u_in.size], received, counts)
    total[away] = back + there[u_in.size :]
    return total


def _at(graph: GraphPart, values: Any, positions: Any) -> Any:
    """``values[positions]``."""
    return take(graph.device, values, positions)


def _without(xp: Any, order: Any, first: int, last: int) -> Any:
    """The entries before `first` and from `last` on."""
    if not first or last == order.size:  # of the first part and the last: no memory of their own
        return order[last:] if not first else order[:first]
    return xp.concatenate([order[:first], order[last:]])


def _peers(graph: GraphPart, counts: Sequence[int]) -> Any:
    """The part that each pair is exchanged with (int64), of so many with each, in order, and once more."""
    xp, size = graph.xp, graph.comm.size
    out, begin = xp.empty(sum(counts), np.int64), 0
    for i, count in enumerate(counts):
        out[begin : begin + count] = i % size
        begin += count
    return out


@contextmanager
def _behind(xp: Any, arrays: Sequence[Any], values: Sequence[Any], capacity: int) -> Iterator[list[Any]]:
    """Arrays by edge, with values of more edges behind their first `capacity` entries.

    Those that have room are written there and restored afterwards; the others are copied, which takes a pass over them.
    """
    made, before = [], []
    for array, more in zip(arrays, values, strict=True):
        end = capacity + int(more.size)
        if array.size < end:
            made.append(xp.concatenate([array[:capacity], more]))
            continue
        before.append((array[capacity:end], array[capacity:end].copy()))
        array[capacity:end] = more
        made.append(array)
    try:
        yield made
    finally:
        for piece, held in reversed(before):  # an array may be there twice
            piece[...] = held


def _degrees(local: Any, vertices: Any) -> Any:
    return local._degrees_of(vertices).astype(np.int64) if vertices.size else local.xp.zeros(0, np.int64)


def _exchange_lists(graph: GraphPart, asked: Any, lengths: Any, wanted: Any, n: Any, by_edge: list[Any]) -> Lists:
    """Send the lists that other parts want, and receive those asked for.

    Parameters
    ----------
    asked, wanted : arrays of int64
        Keys, with duplicates, of lists that come and of lists that go; negative ones are none.
    lengths : array of int64
        Of the lists asked for.
    by_edge : list of array
        Local arrays by edge, whose values go along.
    """
    xp, comm, local = graph.xp, graph.comm, graph.local
    keys, first, rows = _distinct(graph, asked)
    going, _, _ = _distinct(graph, wanted)
    dst_offsets, ids, edges = extract(local, (going % n).astype(graph.vertex_dtype))
    edges = local._edges_at(edges)
    offsets = xp.zeros(keys.size + 1, np.int64)
    offsets[1:] = _at(graph, lengths, first)
    accumulate(graph.device, offsets)
    bounds = xp.arange(comm.size + 1, dtype=np.int64) * n
    ends = graph.device.to_host(xp.concatenate([
        dst_offsets[xp.searchsorted(going, bounds)], offsets[xp.searchsorted(keys, bounds)]
    ]))  # fmt: skip
    sent, received = np.diff(ends[: comm.size + 1]).tolist(), np.diff(ends[comm.size + 1 :]).tolist()
    columns = [ids, *(_at(graph, array, edges) for array in by_edge)]
    (neighbors, *values), _ = comm.alltoallv_columns(columns, sent, received)
    return Lists(rows, offsets, neighbors, values)


def _distinct(graph: GraphPart, keys: Any) -> tuple[Any, Any, Any]:
    """The distinct keys that are not negative, ascending; where each stands; and for each key its place among them, or
    -1."""
    xp, size = graph.xp, int(keys.size)
    none = xp.empty(0, np.int64)
    if not size:
        return none, none, none
    if graph.device.is_gpu:
        return distinct_with_places(graph.device, keys, graph.num_vertices * graph.comm.size)
    some = np.flatnonzero(keys >= 0)
    found, at, places = np.unique(keys[some], return_index=True, return_inverse=True)
    rows = np.full(size, -1, np.int64)
    rows[some] = places.reshape(-1)
    return found, some[at], rows
