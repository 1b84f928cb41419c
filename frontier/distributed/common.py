"""Common neighbors of vertices that different parts own.

Of the two lists of neighbors of a pair, the shorter one travels to the owner of the other vertex, once to each part
that needs it, and its members are looked up there. What functors read by edge travels with it.

    u, v        the pairs, at the owner of u; lists are compared there (v's comes) or at the owner of v (u's does)
    keys        a list on its way: the other part, and the vertex; both parts derive the same ones in the same order
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import operators as one_device
from ..arguments import flag
from ..operators.extract import extract
from ..operators.intersect import OF_PAIR
from ..operators.visit_common import visit_common
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
    for name, array, use, parameters in found:
        edges, pair = set(parameters[-2:]), set(parameters[:1]) if numbered else set()
        for kind, indices, places in (("edge", edges, by_edge), ("pair", pair, by_pair)):
            if use.reads & indices:
                if not use.reads <= indices:
                    raise ValueError(
                        f"{op.__name__}() reads {name} by {kind} and otherwise, which parts cannot tell apart"
                    )
                places.append(next(i for i, value in enumerate(args) if value is array))
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
        The list of each vertex that was asked for.
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
    mine = graph.partition.is_mine(v)
    here, away = xp.flatnonzero(mine), xp.flatnonzero(~mine)
    values = _replaced(args, by_pair, [array[here] for array in of_pairs])
    found = one_device.intersect(local, u[here], v[here], op, *values, checked=False, **functors)
    order, counts = graph.partition.by_owner(v[away])
    away = away[order]
    u_out, v_out = u[away], v[away]
    received = comm.exchange_counts(counts)
    of_u = _degrees(local, u_out)
    of_out = [array[away] for array in of_pairs]
    (u_in, v_in, of_u_in, *of_in), _ = comm.alltoallv_columns([u_out, v_out, of_u, *of_out], counts, received)
    of_v_in = _degrees(local, v_in)
    of_v, _ = comm.alltoallv(of_v_in, received, counts)
    peers = xp.arange(comm.size, dtype=np.int64)
    to, origin = xp.repeat(peers, counts), xp.repeat(peers, received)

    # Compared here: pairs of other parts whose u has the shorter list, and own ones whose v has.
    from_u, from_v = xp.flatnonzero(of_u_in <= of_v_in), xp.flatnonzero(of_v < of_u)
    to_u, to_v = xp.flatnonzero(of_v_in < of_u_in), xp.flatnonzero(of_u <= of_v)
    n = np.int64(max(graph.num_vertices, 1))
    asked = xp.concatenate([origin[from_u] * n + u_in[from_u], to[from_v] * n + v_out[from_v]])
    lengths = xp.concatenate([of_u_in[from_u], of_v[from_v]])
    wanted = xp.concatenate([origin[to_u] * n + v_in[to_u], to[to_v] * n + u_out[to_v]])
    lists = _exchange_lists(graph, asked, lengths, wanted, n, [args[i] for i in by_edge])

    known = xp.concatenate([v_in[from_u], u_out[from_v]])
    listed = xp.concatenate([u_in[from_u], v_out[from_v]])
    swapped = xp.arange(known.size) >= from_u.size
    capacity = local.edge_capacity
    more = [xp.concatenate([args[i][:capacity], values]) for i, values in zip(by_edge, lists.values, strict=True)]
    values = _replaced(args, by_edge, more)
    both = [xp.concatenate([ours[from_u], theirs[from_v]]) for ours, theirs in zip(of_in, of_out, strict=True)]
    values = _replaced(values, by_pair, both)
    there = visit_common(
        local, known, listed, swapped, lists.rows, lists.offsets, lists.neighbors, capacity, op, *values, **functors
    )  # fmt: skip
    if op is not None:
        return None
    total, answers = xp.zeros(u.size, np.int64), xp.zeros(u_in.size, np.int64)
    total[here] = found
    answers[from_u] = there[: from_u.size]
    back, _ = comm.alltoallv(answers, received, counts)
    total[away] = back
    total[away[from_v]] = there[from_u.size :]
    return total


def _degrees(local: Any, vertices: Any) -> Any:
    return local._degrees_of(vertices).astype(np.int64) if vertices.size else local.xp.zeros(0, np.int64)


def _exchange_lists(graph: GraphPart, asked: Any, lengths: Any, wanted: Any, n: Any, by_edge: list[Any]) -> Lists:
    """Send the lists that other parts want, and receive those asked for.

    Parameters
    ----------
    asked, wanted : arrays of int64
        Keys, with duplicates, of lists that come and of lists that go.
    lengths : array of int64
        Of the lists asked for.
    by_edge : list of array
        Local arrays by edge, whose values go along.
    """
    xp, comm, local = graph.xp, graph.comm, graph.local
    none = xp.empty(0, np.int64)
    keys = first = rows = going = none
    if asked.size:
        keys, first, rows = xp.unique(asked, return_index=True, return_inverse=True)
    if wanted.size:
        going = xp.unique(wanted)
    dst_offsets, ids, edges = extract(local, (going % n).astype(graph.vertex_dtype))
    edges = local._edges_at(edges)
    offsets = xp.zeros(keys.size + 1, np.int64)
    xp.cumsum(lengths[first], out=offsets[1:])
    bounds = xp.arange(comm.size + 1, dtype=np.int64) * n
    ends = graph.device.to_host(xp.concatenate([
        dst_offsets[xp.searchsorted(going, bounds)], offsets[xp.searchsorted(keys, bounds)]
    ]))  # fmt: skip
    sent, received = np.diff(ends[: comm.size + 1]).tolist(), np.diff(ends[comm.size + 1 :]).tolist()
    columns = [ids, *(array[edges] for array in by_edge)]
    (neighbors, *values), _ = comm.alltoallv_columns(columns, sent, received)
    return Lists(rows.astype(np.int64, copy=False).reshape(-1), offsets, neighbors, values)
