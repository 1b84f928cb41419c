"""intersect: the common neighbors of pairs of vertices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from frontier.core.arguments import check_graph, flag
from frontier.core.base import BaseGraph
from frontier.core.batch import check_ids
from frontier.core.locking import reads
from frontier.core.sort import row_ids
from frontier.runtime.arrays import same_length
from frontier.runtime.compile import warm_up
from frontier.runtime.launch.recorder import recorder

from ..degrees import total_degree
from ..dispatch.capture_memory import refuse_to_convert
from ..dispatch.gpu_balance import Pieces, launch_expansion, tile_size
from ..dispatch.kernels import (
    A_NUMBER,
    check_op,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    readable_weights,
    run_cpu,
)
from ..dispatch.pair_groups import run_cpu_groups, workers_of_groups
from ..extract import sort_rows
from ..pair_order import in_order, ordered_pairs
from .cpu import make_common_neighbors, make_intersect

HEADER = "frontier/operators/intersect/intersect.cuh"
PARAMETERS = ("u", "v", "w", "edge_uw", "edge_vw")
NUMBERED = ("i", *PARAMETERS)
OF_PAIR = ("u", "v", "total")
KINDS = ("vertex", "vertex", "vertex", "edge", "edge")
TOTAL = np.dtype(np.int64)
"""The result types of `op` with a `per_pair`."""


@reads
def intersect(
    graph: BaseGraph, us: Any, vs: Any, op: Callable[..., Any] | None = None, *args: Any,
    per_pair: Callable[..., Any] | None = None, numbered: bool = False, checked: bool = True,
) -> Any:  # fmt: skip
    """The common neighbors of pairs of vertices: counted, or passed to `op` one by one.

    Parameters
    ----------
    graph : Graph
    us, vs : array-like of int, shape (m,)
    op : function ``op(u, v, w, edge_uw, edge_vw, *args)``, optional
        Called for every common neighbor `w` of every pair, with the `edge` (see `advance`) of u -> w and of v -> w.
    *args : arrays and numbers
        As in `advance`.
    per_pair : function ``per_pair(u, v, total, *args)``, optional
        Called for pairs with the sum of the integers that `op` returned for them, unless it is 0: a value common to all
        neighbors of a pair is written once. On a GPU and over several parts a pair may get its sum in pieces to add.
    numbered : bool
        Whether `op` also receives the number of the pair, first: ``op(i, u, v, w, edge_uw, edge_vw, *args)``.
    checked : bool
        False if `us` and `vs` are arrays of the graph's vertex dtype, on its device, of valid ids, or with negative
        numbers in `us` for skipped pairs. Results for other arrays are undefined. Then the host does not synchronize
        with the device, neither to check them nor to choose a snapshot (`copy_if_faster`).

    Returns
    -------
    array of int64, shape (m,), on the graph's device, or None if `op` is given
        Number of common neighbors of each pair.

    Raises
    ------
    TypeError, ValueError
        `us` and `vs` are not ids of vertices, or of different lengths.
    FunctorError
        `op` cannot be compiled. The message shows the line.

    See Also
    --------
    common_neighbors : List the common neighbors.
    advanced.intersect_arcs : Count over all arcs of a graph.

    Notes
    -----
    Scans the shorter list of each pair and looks up its members in the longer, by the structure's `find`: O(sum of the
    smaller degrees) look-ups. In structures that scan a list to find an arc (not `Graph.finds_fast`), a GPU walks both
    lists of each pair instead, in O(sum of the degrees). Pairs that share the longer list are intersected one after
    another. A GPU then has that list in its cache. A CPU writes it to an array by vertex if many members are looked up.
    The array, of 8 bytes for each vertex and thread, is cached for later calls.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1, 1, 2], [1, 2, 2, 3, 3], device="cpu")
    >>> fr.intersect(graph, [0, 0], [3, 1])
    array([2, 1])
    """
    check_graph(graph)
    if checked:
        us, vs = _checked_pairs(graph, us, vs)
    else:
        refuse_to_convert(graph, us, vs)
        us, vs = graph.xp.ascontiguousarray(us), graph.xp.ascontiguousarray(vs)
    check_functors(op, per_pair, flag(numbered, "numbered"), args)
    source = copy_if_faster(graph, us, vs) if checked and op is None else graph
    return _intersect(source, us, vs, op, args, numbered, per_pair)


def check_functors(
    op: Callable[..., Any] | None, per_pair: Callable[..., Any] | None, numbered: bool, args: tuple
) -> None:  # fmt: skip
    """Check the form of the functors of `intersect`."""
    if op is not None:
        check_op(op, "op", NUMBERED if numbered else PARAMETERS, args, None if per_pair is None else A_NUMBER)
    elif args or per_pair is not None:
        raise TypeError(
            "arguments were given, but no op to hand them to" if args else "per_pair sums the results of op: pass an op"
        )
    if per_pair is not None:
        check_op(per_pair, "per_pair", OF_PAIR, args)


def cuda_functors(
    op: Callable[..., Any] | None, per_pair: Callable[..., Any] | None, numbered: bool
) -> tuple[tuple, tuple[tuple[str, str], ...]]:  # fmt: skip
    """The functors of `intersect` and their macros, as `cuda_kernels_for` expects them."""
    functors = (("op", op, ("edge", *KINDS) if numbered else KINDS, None if per_pair is None else TOTAL),)
    options = () if op is None else (("HAS_OP", "1"),)
    if numbered:
        options += (("NUMBERED", "1"),)
    if per_pair is not None:
        functors += (("per_pair", per_pair, ("vertex", "vertex", "edge"), None),)
        options += (("PER_PAIR", "1"),)
    return functors, options


@reads
def common_neighbors(graph: BaseGraph, us: Any, vs: Any) -> tuple[Any, Any]:
    """The common neighbors of pairs of vertices, listed.

    `intersect` counts them, which is less work, or passes each to a functor.

    Parameters
    ----------
    graph : Graph
    us, vs : array-like of int, shape (m,)

    Returns
    -------
    offsets : array of int64, shape (m + 1,), on the graph's device
        The common neighbors of ``us[i]`` and ``vs[i]`` are ``ids[offsets[i]:offsets[i + 1]]``.
    ids : array of the graph's vertex dtype, shape (offsets[-1],)
        In ascending order for each pair.

    Raises
    ------
    TypeError, ValueError
        `us` and `vs` are not ids of vertices, or of different lengths.

    See Also
    --------
    intersect : Count the common neighbors, or pass each to a functor.

    Notes
    -----
    Counts first, and then writes: twice the look-ups of `intersect`, and a sort of the results, except on a CPU in
    structures that store neighbors in order (`Graph.is_sorted`).

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> offsets, ids = fr.common_neighbors(graph, [0, 1, 0], [1, 3, 4])
    >>> offsets.tolist(), ids.tolist()
    ([0, 1, 2, 2], [2, 2])
    """
    check_graph(graph)
    us, vs = _checked_pairs(graph, us, vs)
    source = copy_if_faster(graph, us, vs)
    xp, count = graph.xp, int(us.size)
    offsets = xp.zeros(count + 1, np.int64)
    xp.cumsum(_intersect(source, us, vs, None, ()), out=offsets[1:])
    members = xp.empty(int(offsets[-1]), graph.vertex_dtype)
    if not members.size:
        return offsets, members
    if graph.device.is_gpu:
        options = (("HAS_MEMBERS", "1"),)
        _expand_pairs(source, count, (("op", None, KINDS, None),), (), options, us, vs, xp.copy(offsets[:-1]), members)
    else:
        kernel = cpu_kernel_for(source.package, make_common_neighbors, ())
        run_cpu(kernel, (), count, source.store.bare_view(), us, vs, offsets, members)
    if source.is_sorted and not graph.device.is_gpu:
        return offsets, members  # which were written in the order of the lists
    return offsets, sort_rows(graph, row_ids(graph.device, offsets, np.dtype(np.int64)), count, members, None)[0]


def _checked_pairs(graph: BaseGraph, us: Any, vs: Any) -> tuple[Any, Any]:
    """Pairs of vertices as arrays of the graph's vertex dtype."""
    us = check_ids(graph.device, us, "us", graph.num_vertices, graph.store.absent).astype(graph.vertex_dtype)
    vs = check_ids(graph.device, vs, "vs", graph.num_vertices, graph.store.absent).astype(graph.vertex_dtype)
    same_length(us=us, vs=vs)
    return us, vs


@reads
def copy_if_faster(graph: BaseGraph, us: Any, vs: Any) -> BaseGraph:
    """`graph`, or a static copy of it if making one is cheaper than look-ups in `graph` for these pairs.

    `intersect` without `op` does so itself. With `op` it does not, since slots of a static copy are its own: ask for
    the graph first, then for slots in it.

    Parameters
    ----------
    graph : Graph
    us, vs : arrays of the graph's vertex dtype, shape (m,), on its device
        Ids of its vertices, which are not checked.

    Returns
    -------
    Graph
        Always `graph` itself where it looks arcs up fast (`Graph.finds_fast`).

    See Also
    --------
    copy_for_passes : A copy for several passes.
    """
    check_graph(graph)
    if graph.finds_fast or recorder.launches is not None:  # of few pairs, without looking at them
        return graph
    # Both lists are walked. For few pairs on a CPU, each member of the shorter one scans the longer instead.
    if graph.device.is_gpu or workers_of_groups(graph, int(us.size)):
        ids = graph.joined(us, vs).astype(graph.vertex_dtype, copy=False)
        steps = total_degree(graph, ids)
    else:
        of_us, of_vs = (graph.store.degrees().astype(np.int64)[ids] for ids in (us, vs))
        steps = int((of_us * of_vs).sum())
    copies = steps > SNAPSHOT_STEPS * graph.num_arcs or warm_up.takes_alternative((copy_if_faster, graph.package))
    return graph.to_csr() if copies else graph


def _intersect(
    graph: BaseGraph, us: Any, vs: Any, op: Callable[..., Any] | None, args: tuple, numbered: bool = False,
    per_pair: Callable[..., Any] | None = None,
) -> Any:  # fmt: skip
    """`intersect` of arrays that were checked, or need not be."""
    counts = graph.xp.zeros(us.size, np.int64) if op is None else None
    values = functor_args(graph, op, args) if op is not None else ()
    count = int(us.size)
    if count and graph.device.is_gpu:
        functors, options = cuda_functors(op, per_pair, numbered)
        _expand_pairs(graph, count, functors, values, options, us, vs, counts)
    elif count:
        functors = op, per_pair
        kernel = cpu_kernel_for(graph.package, make_intersect, functors, not graph.finds_fast, numbered)
        edges = None if op is None or graph.payload.table is None else readable_weights(graph, weighted=False)
        view = graph.store.bare_view(), edges
        run_cpu_groups(graph, partial(run_cpu, kernel, functors), view, us, vs, counts, values)
    return counts


def pair_options(graph: BaseGraph) -> tuple[tuple[str, str], ...]:
    """The macros by which the CUDA kernels suit a graph."""
    return (("TILE_SIZE", tile_size(graph)), *(() if graph.finds_fast else (("SCANS", "1"),)))


def _expand_pairs(
    graph: BaseGraph, count: int, functor: tuple, values: tuple, options: tuple, us: Any, vs: Any, *outputs: Any
) -> None:  # fmt: skip
    """Launch the CUDA kernels over the neighbors of one of each pair."""
    kernels = cuda_kernels_for(graph, HEADER, functor, values, (*options, *pair_options(graph)))
    pieces, order = Pieces(graph), None
    if in_order(graph, count):
        us, vs, order = ordered_pairs(graph, kernels, us, vs, pieces)
    launch_expansion(
        kernels.intersect, kernels.intersect_pieces, count, pieces, graph.view(), us, vs, order, *outputs, *pieces.args,
        *values, most_items=64,
    )  # fmt: skip


SNAPSHOT_STEPS = 8  # slots that can be scanned in the time in which a static copy copies an arc
