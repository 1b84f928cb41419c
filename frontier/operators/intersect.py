"""intersect: the common neighbors of pairs of vertices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..access import reads
from ..arguments import check_graph, check_output
from ..arrays import same_length
from ..batch import check_ids
from ..registry import snapshot_structure
from .advance import PIECE_BLOCKS, items_per_block
from .cpu import make_intersect, make_intersect_arcs
from .engine import (
    Pieces,
    bare_view,
    check_op,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    run_cpu,
    state_of,
    tile_size,
    workers_for,
)

if TYPE_CHECKING:
    from ..graph import Graph

TALLY_DTYPES = (np.dtype(np.int64),)
PARAMETERS = ("u", "v", "w", "edge_uw", "edge_vw")
_KINDS = ("vertex", "vertex", "vertex", "edge", "edge")


@reads
def intersect(
    graph: Graph, us: Any, vs: Any, op: Callable | None = None, *args: Any, checked: bool = True
) -> Any:
    """The common neighbors of pairs of vertices: counted, or passed to `op` one by one.

    Parameters
    ----------
    graph : Graph
    us, vs : array-like of int, shape (m,)
    op : function ``op(u, v, w, edge_uw, edge_vw, *args)``, optional
        Called for every common neighbor `w` of every pair, with the slots of the arcs u -> w and v -> w.
    *args : arrays and numbers
        As in `advance`.
    checked : bool
        False where `us` and `vs` are arrays of the graph's vertex dtype, on its device, that are known to hold ids of
        its vertices. Then the host does not wait for the device, neither to check them nor to find out whether a
        snapshot would be faster to search (`snapshot_if_faster`). What arrays that are not so lead to is undefined.

    Returns
    -------
    array of int64, shape (m,), on the graph's device; None if `op` is given
        Number of common neighbors of each pair.

    Raises
    ------
    TypeError, ValueError
        `us` and `vs` are not ids of vertices, or of different lengths.
    FunctorError
        `op` cannot be compiled; the message shows the line.

    Notes
    -----
    Scans the shorter list of each pair and looks up its members in the longer, by the structure's `find`: O(sum of the
    smaller degrees) look-ups.
    """
    check_graph(graph)
    if checked:
        us = check_ids(graph.device, us, "us", graph.num_vertices, graph._absent).astype(graph.vertex_dtype)
        vs = check_ids(graph.device, vs, "vs", graph.num_vertices, graph._absent).astype(graph.vertex_dtype)
        same_length(us=us, vs=vs)
    if op is not None:
        check_op(op, "op", PARAMETERS, args)
    elif args:
        raise TypeError("arguments were given, but no op to hand them to")
    return _intersect(snapshot_if_faster(graph, us, vs) if checked and op is None else graph, us, vs, op, args)


@reads
def snapshot_if_faster(graph: Graph, us: Any, vs: Any) -> Graph:
    """`graph`, or a snapshot of it if making one is cheaper than look-ups in `graph` for these pairs.

    `intersect` without `op` does so itself. With `op` it does not, since slots of a snapshot are its own: ask for the
    graph first, then for slots in it.

    Parameters
    ----------
    graph : Graph
    us, vs : arrays of the graph's vertex dtype, shape (m,), on its device
        Ids of its vertices; they are not checked.

    Returns
    -------
    Graph
        Always `graph` itself where it looks arcs up fast (`Graph.finds_fast`).
    """
    check_graph(graph)
    if graph.finds_fast:
        return graph
    degrees = graph._degrees().astype(np.int64)
    steps = int((degrees[us] * degrees[vs]).sum())  # each member of the shorter list is looked for all along the longer
    return graph.to_csr() if steps > SNAPSHOT_STEPS * graph.num_arcs else graph


def _intersect(graph: Graph, us: Any, vs: Any, op: Callable | None, args: tuple) -> Any:
    """`intersect` of arrays that were checked, or need not be."""
    counts = graph.xp.zeros(us.size, np.int64) if op is None else None
    values = functor_args(graph, op, args) if op is not None else ()
    count = int(us.size)
    if count and graph.device.is_gpu:
        functor = (("op", op, _KINDS, None),)
        options = (("TILE_SIZE", tile_size(graph)), *((("HAS_OP", "1"),) if op is not None else ()))
        kernels = cuda_kernels_for(graph, "frontier/operators/intersect.cuh", functor, values, options)
        pieces = Pieces(graph)
        items = min(items_per_block(count), 64)
        common = (us, vs, counts, *pieces.args, *values)
        kernels.intersect(count, np.int32(items), graph.view(), *common, blocks=-(-count // items))
        kernels.intersect_pieces(1, graph.view(), *common, blocks=PIECE_BLOCKS)
    elif count:
        kernel = cpu_kernel_for(graph.package, make_intersect, (op,))
        run_cpu(kernel, (op,), count, bare_view(graph), us, vs, counts, values)
    return counts


@reads
def intersect_arcs(graph: Graph, pairs: Graph | None = None, tally: Any = None) -> int:
    """Over all arcs x -> y of one graph, the number of common neighbors of x and y in another.

    Parameters
    ----------
    graph : Graph
        Where neighbors are looked up. If it is an acyclic orientation of an undirected graph, every common neighbor is
        a triangle, found once.
    pairs : Graph, optional
        Its arcs are the pairs; by default `graph` itself.
    tally : array of int64, shape (num_vertices,), optional
        For each common neighbor w of x and y, one is added to the entries of x, y and w.

    Returns
    -------
    int

    Raises
    ------
    TypeError, ValueError
        An argument is not a graph, the graphs differ in size, or `tally` is not such an array.

    Notes
    -----
    O(sum over arcs x -> y of the degree of y) work: each x's neighbors are put into a set once (marks on the CPU, a
    hash table in shared memory on the GPU), in which those of its partners are looked up. Works on snapshots, which it
    makes of graphs of other structures.
    """
    check_graph(graph)
    pairs = graph if pairs is None else pairs
    check_graph(pairs, "pairs")
    if pairs.num_vertices != graph.num_vertices or pairs.device != graph.device:
        raise ValueError("graph and pairs must have the same number of vertices, on the same device")
    if tally is not None:
        check_output(graph, tally, "tally", graph.num_vertices, TALLY_DTYPES)
    graph, pairs = (g if isinstance(g, snapshot_structure()) else g.to_csr() for g in (graph, pairs))
    if not graph.num_arcs or not pairs.num_arcs:
        return 0
    counters = state_of(graph).counters
    counters.reset()
    if graph.device.is_gpu:
        options = (("HAS_TALLY", "1"),) if tally is not None else ()
        kernels = cuda_kernels_for(graph, "frontier/operators/intersect_arcs.cuh", (), (), options)
        order = graph.xp.argsort(-pairs._degrees()).astype(graph.vertex_dtype)
        kernels.intersect_arcs(
            graph.num_vertices, graph.view(), pairs.view(), order, tally, counters.array,
            blocks=min(graph.num_vertices, TABLE_BLOCKS),
        )  # fmt: skip
    else:
        kernel = cpu_kernel_for(graph.package, make_intersect_arcs, ())
        views = bare_view(graph), bare_view(pairs)
        tickets = np.zeros(1, np.int64)
        run_cpu(kernel, (), workers_for(graph.num_vertices), graph.num_vertices, *views, tally, tickets, counters.array)
    return counters.read()[0]


SNAPSHOT_STEPS = 8  # slots that can be looked at in the time in which a snapshot takes in an arc
TABLE_BLOCKS = 132 * 8  # as many blocks with a table as a large GPU runs at once
