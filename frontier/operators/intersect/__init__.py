"""intersect: the common neighbors of pairs of vertices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...access import reads
from ...arguments import check_graph
from ...arrays import same_length
from ...batch import check_ids
from ..engine import (
    bare_view,
    check_op,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    run_cpu,
)
from ..launch import Pieces, launch_expansion, tile_size
from .cpu import make_intersect

if TYPE_CHECKING:
    from ...graph import Graph

HEADER = "frontier/operators/intersect/intersect.cuh"
PARAMETERS = ("u", "v", "w", "edge_uw", "edge_vw")
_KINDS = ("vertex", "vertex", "vertex", "edge", "edge")


@reads
def intersect(graph: Graph, us: Any, vs: Any, op: Callable | None = None, *args: Any, checked: bool = True) -> Any:
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
        kernels = cuda_kernels_for(graph, HEADER, functor, values, options)
        pieces = Pieces(graph)
        launch_expansion(
            kernels.intersect, kernels.intersect_pieces, count, pieces, graph.view(), us, vs, counts, *pieces.args,
            *values, most_items=64,
        )  # fmt: skip
    elif count:
        kernel = cpu_kernel_for(graph.package, make_intersect, (op,))
        run_cpu(kernel, (op,), count, bare_view(graph), us, vs, counts, values)
    return counts


SNAPSHOT_STEPS = 8  # slots that can be looked at in the time in which a snapshot takes in an arc
