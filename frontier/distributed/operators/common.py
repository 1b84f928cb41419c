"""Common neighbors of vertices that different partitions own.

The shorter list of neighbors of a pair travels to the owner of the other vertex, once to each partition that needs it.
Its members are looked up there. Values that functors read by edge travel with it.

    u, v        the pairs, at the owner of u. Lists are compared there (v's travels) or at the owner of v (u's does)
    keys        a list in flight: the other partition, and the vertex. Both derive the same keys in the same order

It makes up to four exchanges: of counts, pairs, degrees and lists. The exchanges of counts and pairs are saved if an
operator has made them already, for edges that observers are notified of (`RoutedEdges`).

On a CPU, and on GPUs with more partitions than kernels sort by, the steps are operations of NumPy and CuPy, here. On
other GPUs they are kernels (`common_on_gpu`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier import operators as one_device
from frontier.core.arguments import flag
from frontier.operators.extract import extract
from frontier.operators.intersect import OF_PAIR
from frontier.operators.visit_common import visit_common

from ..exchange.accesses import arrays_of
from ..exchange.routed_edges import Pairs, RoutedEdges
from ..exchange.vertex_arrays import FLAGS, SUMS
from .common_on_gpu import behind, find_on_gpu, replaced, takes_pairs

if TYPE_CHECKING:
    from ..base import BasePart


def intersect(
    graph: BasePart, us: Any, vs: Any, op: Callable | None = None, *args: Any, per_pair: Callable | None = None,
    numbered: bool = False, checked: bool = True,
) -> Any:  # fmt: skip
    """`frontier.intersect`, of the pairs that all partitions list.

    `op` may add to entries of any vertices in arrays with the rule "add", set flags, and write to any entries if the
    rule is a function. It may read the entries of its two edges in arrays by edge. With `numbered`, it may use the
    number of its pair only to read arrays by pair, which travel with the pairs.
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
    args = replaced(args, by_pair, of_pairs)
    routed = graph.routed_of_notified(u, v) or RoutedEdges(graph, u, v)
    arrays = [array for i, array in enumerate(args) if i not in (*by_edge, *by_pair) and graph.arrays.among([array])]
    graph.arrays.sync([array for array in arrays if graph.arrays.rule_of(array) is None])
    graph.arrays.hold_sums(arrays)
    find = find_on_gpu if takes_pairs(graph, routed) else _find
    counts = find(graph, routed, op, args, by_edge, by_pair, {"per_pair": per_pair, "numbered": numbered})
    graph.arrays.written([array for array in arrays if graph.arrays.rule_of(array) is not None])
    graph.arrays.set_apart(arrays)
    return None if op is not None else pairs.release(counts)


def _check(graph: BasePart, op: Callable, args: tuple, numbered: bool) -> tuple[list[int], list[int]]:
    """Return the positions of arrays by edge and by pair. Raise if `op` writes to others, which no rule combines."""
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
                        f"{op.__name__}() reads {name} by {kind} and otherwise, which partitions cannot distinguish"
                    )
                places.append(i)
    return by_edge, by_pair


def _check_writes(graph: BasePart, op: Callable, found: Iterable[tuple]) -> None:
    """Raise if a functor writes to entries that cannot be combined. `found` is the result of `arrays_of`."""
    for name, array, use, _ in found:
        rule = graph.arrays.rule_of(array)
        if use.writes and rule not in ("add", FLAGS, SUMS) and not callable(rule):
            raise ValueError(
                f"{op.__name__}() writes to {name} at common neighbors, where the partitions' copies would differ: "
                "make it with graph.vertex_array(..., combine='add'), or with a function as its rule"
            )


@dataclass
class Lists:
    """Lists of neighbors that a partition receives and sends."""

    rows: Any  # the received list of each key (int64), -1 for keys that were not requested
    offsets: Any  # of the received lists, which are contiguous (int64)
    sent: list[int]  # neighbors to each partition
    received: list[int]  # neighbors from each partition
    neighbors: Any  # to send
    edges: Any  # to send


def _find(
    graph: BasePart, routed: RoutedEdges, op: Callable | None, args: tuple, by_edge: Sequence[int],
    by_pair: Sequence[int], functors: dict[str, Any],
) -> Any:  # fmt: skip
    """Intersect pairs at the owners of the first ends, and return the counts of common neighbors without an `op`."""
    xp, comm, local, here = graph.xp, graph.comm, graph.local, routed.here
    without_own = graph.partition.without_own
    of_pairs = [routed.sort(args[i]) for i in by_pair]
    values = replaced(args, by_pair, [array[here] for array in of_pairs])
    found = one_device.intersect(local, routed.src[here], routed.dst[here], op, *values, checked=False, **functors)
    v_in, u_in, *of_in = (without_own(each, routed.received) for each in routed.send(*of_pairs))
    u_out, v_out, *of_out = (without_own(each, routed.sent) for each in (routed.src, routed.dst, *of_pairs))
    counts, received = list(routed.sent), list(routed.received)
    counts[comm.rank] = received[comm.rank] = 0
    of_v_in, of_u = _degrees(local, v_in), _degrees(local, u_out)
    of_u_in, of_v = comm.alltoallv_both_ways(of_u, of_v_in, counts, received)

    # First the pairs of other partitions, then own ones. This partition compares the pairs whose end on the other
    # partition has the shorter list: u of other partitions' pairs, and v of own ones.
    known, listed = xp.concatenate([v_in, u_out]), xp.concatenate([u_in, v_out])
    lengths = xp.concatenate([of_u_in, of_v])
    compared = xp.concatenate([of_u_in <= of_v_in, of_v < of_u])
    n, none = np.int64(max(graph.num_vertices, 1)), np.int64(-1)
    peers = _peers(graph, [*received, *counts]) * n
    asked = xp.where(compared, peers + listed, none)
    lists = _list(graph, asked, lengths, xp.where(compared, none, peers + known), n)

    swapped = xp.arange(known.size) >= u_in.size
    both = [xp.concatenate([theirs, ours]) for theirs, ours in zip(of_in, of_out, strict=True)]
    capacity = local.edge_capacity
    columns = [lists.neighbors, *(args[i][lists.edges] for i in by_edge)]
    neighbors = xp.empty(sum(lists.received), graph.vertex_dtype)
    with behind(graph.device, [args[i] for i in by_edge], capacity, neighbors.size) as (more, pieces):
        comm.alltoallv_columns(columns, lists.sent, lists.received, [neighbors, *pieces])
        values = replaced(replaced(args, by_edge, more), by_pair, both)
        there = visit_common(
            local, known, listed, swapped, lists.rows, lists.offsets, neighbors, capacity, op, *values, **functors
        )  # fmt: skip
    if op is not None:
        return None
    back, _ = comm.alltoallv(there[: u_in.size], received, counts)
    others = back + there[u_in.size :]
    return routed.restore(xp.concatenate([others[: here.start], found, others[here.start :]]))


def _peers(graph: BasePart, counts: Sequence[int]) -> Any:
    """Return the partition of each pair (int64): `counts[i]` pairs with partition i. Further counts start with
    partition 0 again."""
    xp = graph.xp
    return xp.repeat(xp.arange(len(counts), dtype=np.int64) % graph.comm.size, list(counts))


def _degrees(local: Any, vertices: Any) -> Any:
    return local.store.degrees_of(vertices).astype(np.int64) if vertices.size else local.xp.zeros(0, np.int64)


def _list(graph: BasePart, asked: Any, lengths: Any, wanted: Any, n: Any) -> Lists:
    """Return the lists that other partitions request, and the positions of requested lists of the given lengths.

    `asked` and `wanted` are keys, with duplicates, of lists to receive and to send. Negative ones are none.
    """
    xp, comm, local = graph.xp, graph.comm, graph.local
    keys, first, rows = _distinct(xp, asked)
    going, _, _ = _distinct(xp, wanted)
    dst_offsets, ids, edges = extract(local, (going % n).astype(graph.vertex_dtype))
    offsets = xp.zeros(keys.size + 1, np.int64)
    xp.cumsum(lengths[first], out=offsets[1:])
    bounds = xp.arange(comm.size + 1, dtype=np.int64) * n
    sent, received = (
        xp.diff(ends[xp.searchsorted(listed, bounds)]).tolist()
        for ends, listed in ((dst_offsets, going), (offsets, keys))
    )
    return Lists(rows, offsets, sent, received, ids, local.payload.edges_at(local, edges))


def _distinct(xp: Any, keys: Any) -> tuple[Any, Any, Any]:
    """Return the distinct nonnegative keys, ascending, their first positions, and each key's rank among them, or -1."""
    some = xp.flatnonzero(keys >= 0)
    rows = xp.full(keys.size, -1, np.int64)
    if not some.size:
        return keys[some], some, rows
    found, at, places = xp.unique(keys[some], return_index=True, return_inverse=True)
    rows[some] = places.reshape(-1)
    return found, some[at], rows
