"""extract: arcs read out of a graph, all of them or the arcs that a functor chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.arguments import check_graph, flag
from frontier.core.base import BaseGraph
from frontier.core.batch import check_ids
from frontier.core.locking import reads
from frontier.core.sort import accumulate, arc_keys, row_ids, row_offsets, sort_keys, sort_pairs, split_keys
from frontier.runtime.compile.kernels import Header
from frontier.runtime.memory import elementwise

from ..degrees import HEADER as DEGREES
from ..degrees import degrees_of
from ..dispatch.gpu_balance import Pieces, launch_expansion, tile_size
from ..dispatch.kernels import (
    A_TRUTH,
    check_op,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    plain_kernels,
    read_view,
    run_cpu,
)
from ..dispatch.signatures import ARC, OP_PARAMETERS, TRUTH
from .cpu import make_extract

HEADER = "frontier/operators/extract/extract.cuh"


def sorted_kernels(graph: BaseGraph) -> list[Header]:
    """The CUDA kernels of `extract_sorted`."""
    return [*plain_kernels(graph, HEADER), *plain_kernels(graph, DEGREES, by_lanes=False)]


@reads
def extract_neighbors(
    graph: BaseGraph, vertices: Any = None, op: Callable[..., Any] | None = None, *args: Any, edges: bool = True
) -> tuple[Any, Any, Any]:
    """The neighbor lists of some vertices, as they lie in memory: not sorted, and with what functors see as `edge`.

    `Graph.successors` sorts them, and gives weights.

    Parameters
    ----------
    graph : Graph
    vertices : array-like of int, shape (m,), optional
        In any order. Repeated vertices give repeated results. By default all, in order of their ids.
    op : function ``op(src, dst, edge, weight, *args) -> bool``, optional
        Whether a neighbor is included, by default always. Called more than once per arc, so it must have no side
        effects.
    *args : arrays and numbers
        As in `advance`.
    edges : bool
        Also return the edges.

    Returns
    -------
    offsets : array of int64, shape (m + 1,), on the graph's device
        The answer for ``vertices[i]`` is ``ids[offsets[i]:offsets[i + 1]]``.
    ids : array of the graph's vertex dtype, shape (offsets[-1],)
        In no particular order for each vertex.
    edges : array of int64, shape (offsets[-1],), or None
        The values that functors see as `edge`: the slots of the arcs, or the ids of their edges.

    Raises
    ------
    TypeError, ValueError
        `vertices` are not ids of vertices.
    FunctorError
        `op` cannot be compiled. The message shows the line.

    See Also
    --------
    extract_subgraph : The arcs that a functor selects.

    Notes
    -----
    O(k) work for k neighbors, including the neighbors that `op` rejects.
    """
    check_graph(graph)
    flag(edges, "edges")
    values: tuple = ()
    if op is not None:
        check_op(op, "op", OP_PARAMETERS, args, A_TRUTH)
        values = functor_args(graph, op, args)
    elif args:
        raise TypeError("arguments were given, but no op to hand them to")
    if vertices is not None:
        vertices = check_ids(graph.device, vertices, "vertices", graph.num_vertices, graph.store.absent)
        vertices = vertices.astype(graph.vertex_dtype, copy=False)
    offsets, dst, slots = collect_arcs(graph, vertices, op, values, slots=edges)
    return offsets, dst, graph.payload.edges_at(graph, slots) if edges else None


def extract(graph: BaseGraph, vertices: Any) -> tuple[Any, Any, Any]:
    """The arcs that leave some vertices: offsets by position in `vertices` (int64), destinations and slots (int64)."""
    return collect_arcs(graph, vertices)


def extract_successors(graph: BaseGraph, vertices: Any, *, weighted: bool = True) -> tuple[Any, Any, Any]:
    """For each of some vertices, those it points to: offsets (int64), ids in ascending order, weights or None."""
    weighted = weighted and graph.is_weighted
    if graph.is_sorted:
        offsets, dst, stored = _collect_in_order(graph, vertices, weighted)
        return offsets, dst, graph.payload.weights_of(stored)
    offsets, dst, slots = collect_arcs(graph, vertices, slots=weighted)
    rows = row_ids(graph.device, offsets, np.dtype(np.int64))
    dst, slots = sort_rows(graph, rows, int(vertices.size), dst, slots)
    return offsets, dst, None if slots is None else graph.payload.weights_at(graph, slots)


def extract_predecessors(graph: BaseGraph, vertices: Any) -> tuple[Any, Any, Any]:
    """The vertices that point to each of some vertices: offsets (int64), ascending ids, weights or None.

    One pass over all arcs of a directed graph without in-edges.
    """
    if graph.has_in_edges:
        return extract_successors(graph.reverse, vertices)
    xp, device = graph.xp, graph.device
    wanted = xp.zeros(graph.num_vertices, np.uint8)
    wanted[vertices] = 1
    args = functor_args(graph, _enters, (wanted,))
    out_offsets, dst, slots = collect_arcs(graph, None, _enters, args, slots=graph.is_weighted)
    src = row_ids(device, out_offsets, graph.vertex_dtype)
    src, slots = sort_rows(graph, dst, graph.num_vertices, src, slots)
    dst = xp.sort(dst)
    # A vertex may be asked for more than once, and in any order: copy each one's run to where it was asked for.
    first = xp.searchsorted(dst, vertices)
    offsets = xp.zeros(vertices.size + 1, np.int64)
    xp.cumsum(xp.searchsorted(dst, vertices, side="right") - first, out=offsets[1:])
    rows = row_ids(device, offsets, np.dtype(np.int64))
    chosen = xp.arange(rows.size) + (first - offsets[:-1])[rows]
    return offsets, src[chosen], None if slots is None else graph.payload.weights_at(graph, slots[chosen])


def count_predecessors(graph: BaseGraph) -> Any:
    """The number of arcs that enter each vertex (int64): a pass over all arcs."""
    return graph.xp.bincount(collect_arcs(graph, slots=False)[1], minlength=graph.num_vertices).astype(np.int64)


def sort_rows(graph: BaseGraph, rows: Any, num_rows: int, ids: Any, values: Any) -> tuple[Any, Any]:
    """Vertex ids, and values along with them (or None), in order of their rows and ascending in each."""
    size = max(graph.num_vertices, num_rows)
    keys = arc_keys(graph.device, rows, ids, size)
    if values is None:
        sort_keys(graph.device, keys)
    else:
        keys, values = sort_pairs(graph.device, keys, values)
    return split_keys(graph.device, keys, size, graph.vertex_dtype)[1], values


def transposed_rows(graph: BaseGraph, offsets: Any, dst: Any) -> tuple[Any, Any]:
    """The reverse of arcs, both as CSR arrays with as many rows: offsets (int64), and destinations, which ascend."""
    device, rows = graph.device, int(offsets.size) - 1
    keys = sort_keys(device, arc_keys(device, dst, row_ids(device, offsets, dst.dtype), rows))
    return row_offsets(device, keys, rows), split_keys(device, keys, rows, dst.dtype)[1]


def _enters(src, dst, edge, weight, wanted):
    return wanted[dst] != 0


def sorted_arcs(graph: BaseGraph) -> tuple[Any, Any, Any]:
    """All arcs as CSR with sorted rows, in new arrays: offsets (int64), destinations, stored weights or ids or None."""
    known = graph.store.sorted_arcs()
    if known is not None:
        return known
    is_stored = graph.store.stored_dtype is not None
    if graph.is_sorted:
        return _collect_in_order(graph, None, is_stored)
    offsets, dst, slots = collect_arcs(graph, slots=is_stored)
    weights = None if slots is None else graph.store.weights[slots]
    rows = row_ids(graph.device, offsets, graph.vertex_dtype)
    dst, weights = sort_rows(graph, rows, graph.num_vertices, dst, weights)
    return offsets, graph.xp.ascontiguousarray(dst), weights


def sorted_edges(graph: BaseGraph) -> tuple[Any, Any, Any]:
    """All edges, sorted, undirected ones once, with their stored numbers: sources, destinations, numbers or None."""
    offsets, dst, stored = sorted_arcs(graph)
    src = row_ids(graph.device, offsets, graph.vertex_dtype)
    if not graph.directed:
        keep = graph.xp.flatnonzero(src < dst)
        src, dst = src[keep], dst[keep]
        stored = None if stored is None else stored[keep]
    return src, dst, stored


def _collect_in_order(graph: BaseGraph, vertices: Any, stored: bool) -> tuple[Any, Any, Any]:
    """The arcs of some vertices (None for all) in the order in which they are stored: offsets (int64), destinations,
    and the numbers stored with them, or None unless `stored`."""
    xp = graph.xp
    if not graph.device.is_gpu:
        offsets, dst, slots = collect_arcs(graph, vertices, slots=stored)
        return offsets, dst, None if slots is None else graph.store.weights[slots]
    count = graph.num_vertices if vertices is None else int(vertices.size)
    offsets = xp.zeros(count + 1, np.int64)
    lengths = degrees_of(graph, vertices, out=offsets[1:])
    long = xp.flatnonzero(lengths > LONG_LIST)
    accumulate(graph.device, offsets)
    total = int(offsets[-1])
    dst = xp.empty(total, graph.vertex_dtype)
    weights = xp.empty(total, graph.store.stored_dtype) if stored else None
    lanes = tile_size(graph)
    kernels = cuda_kernels_for(graph, HEADER, (), (), (("TILE_SIZE", lanes),))
    if total:
        args = graph.view(), vertices, offsets, dst, weights
        kernels.extract_in_order(count, *args, np.int64(LONG_LIST), tile=int(lanes))
        kernels.extract_long_in_order(int(long.size), *args, long, blocks=max(int(long.size), 1))
    return offsets, dst, weights


LONG_LIST = 512  # longer ones are copied by a thread block each


def incident_arcs(graph: BaseGraph, marked: Any) -> tuple[Any, Any]:
    """The ends of all arcs that leave or enter vertices `marked` by a bool each. Some arcs may be listed twice."""
    xp = graph.xp
    if not graph.has_in_edges:
        args = functor_args(graph, _touches, (marked.view(np.uint8),))
        offsets, dst, _ = collect_arcs(graph, None, _touches, args, slots=False)
        return row_ids(graph.device, offsets, graph.vertex_dtype), dst
    ids = xp.flatnonzero(marked).astype(graph.vertex_dtype)
    src, dst = _arcs_of(graph, ids)
    # In undirected graphs, the reverse arcs of the same edges. In directed ones, the arcs that enter.
    there, back = (src, dst) if not graph.directed else _arcs_of(graph.reverse, ids)
    return xp.concatenate([src, back]), xp.concatenate([dst, there])


def _arcs_of(graph: BaseGraph, ids: Any) -> tuple[Any, Any]:
    """The arcs that leave some vertices."""
    offsets, dst, _ = extract(graph, ids)
    return ids[row_ids(graph.device, offsets, graph.vertex_dtype)] if ids.size else ids, dst


def _touches(src, dst, edge, weight, marked):
    return marked[src] != 0 or marked[dst] != 0


def collect_arcs(
    graph: BaseGraph, vertices: Any = None, op: Callable[..., Any] | None = None, args: tuple = (), *,
    slots: bool = True, relabel: Any = None, counts: Any = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Arcs of vertices (None for all), chosen by `op` if given: offsets (int64), destinations, slots (int64) or None.

    `relabel` has a new id for each vertex, which destinations get. `counts` is the result of `count_arcs`, if known,
    and becomes the offsets.
    """
    xp = graph.xp
    if vertices is None and op is None and not slots and relabel is None and counts is None:
        known = graph.store.sorted_arcs()
        if known is not None:
            return *known[:2], None
    if vertices is None:
        vertices = elementwise.arange(graph.device, graph.num_vertices, graph.vertex_dtype)
    count = int(vertices.size)
    if counts is not None:
        offsets = counts
    elif op is not None:
        offsets = count_arcs(graph, vertices, op, args)
    else:
        offsets = xp.zeros(count + 1, np.int64)
    if not count:
        return offsets, xp.empty(0, graph.vertex_dtype), xp.empty(0, np.int64) if slots else None
    if op is None and counts is None:
        degrees_of(graph, vertices, out=offsets[1:])
    accumulate(graph.device, offsets)
    total = int(offsets[-1])
    dst = xp.empty(total, graph.vertex_dtype)
    found = xp.empty(total, np.int64) if slots else None
    _run(graph, vertices, offsets, dst, found, relabel, op, args)
    return offsets, dst, found


def count_arcs(graph: BaseGraph, vertices: Any, op: Callable[..., Any], args: tuple) -> Any:
    """The number of arcs of each of some vertices that `op` chooses (int64), after a 0."""
    counts = graph.xp.zeros(int(vertices.size) + 1, np.int64)
    if vertices.size:
        _run(graph, vertices, counts, None, None, None, op, args)
    return counts


def _run(
    graph: BaseGraph, vertices: Any, offsets: Any, dst: Any, slots: Any, relabel: Any, op: Any, args: tuple
) -> None:
    """Count chosen arcs into ``offsets[1:]``, or write them."""
    if not graph.device.is_gpu:
        kernel = cpu_kernel_for(graph.package, make_extract, (op,))
        # An absent array is passed as an array of the same type, so one compiled kernel serves all cases.
        no_ids, no_slots = np.empty(0, graph.vertex_dtype), np.empty(0, np.int64)
        outputs = (no_ids if dst is None else dst, no_slots if slots is None else slots)
        names = no_ids if relabel is None else relabel
        view = read_view(graph, op)
        run_cpu(kernel, (op,), int(vertices.size), dst is None, *view, vertices, offsets, *outputs, names, args)
        return
    cursors = offsets[1:] if dst is None else elementwise.converted(graph.device, offsets[:-1], np.int64)
    _launch(graph, vertices, cursors, dst, slots, relabel, op, args)


def extract_into(graph: BaseGraph, vertices: Any, cursors: Any, dst: Any, slots: Any) -> None:
    """Write the arcs that leave vertices to `dst`, and their slots to `slots` unless it is None. On a GPU only.

    Arcs of ``vertices[i]``, if not negative, go to the cursor ``cursors[i]`` (int64), which moves past them.
    """
    _launch(graph, vertices, cursors, dst, slots, None, None, ())


def _launch(
    graph: BaseGraph, vertices: Any, cursors: Any, dst: Any, slots: Any, relabel: Any, op: Any, args: tuple
) -> None:
    """Launch the CUDA kernels."""
    functor = (("op", op, ARC, TRUTH),)
    options = (("TILE_SIZE", tile_size(graph)), *((("HAS_OP", "1"),) if op is not None else ()))
    kernels = cuda_kernels_for(graph, HEADER, functor, args, options)
    pieces = Pieces(graph)
    launch_expansion(
        kernels.extract, kernels.extract_pieces, int(vertices.size), pieces, graph.view(), vertices, cursors, dst,
        slots, relabel, *pieces.args, *args,
    )  # fmt: skip
