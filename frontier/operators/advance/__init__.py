"""advance: from a frontier along its edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...access import reads
from ...arguments import one_of
from ...frontier import Frontier, bitmap_words, check_frontier
from ..engine import (
    A_TRUTH,
    check_op,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    read_view,
    run_cpu,
    state_of,
)  # fmt: skip
from ..functors import ARC, OP_PARAMETERS, TRUTH, VERTEX
from ..launch import Pieces, launch_expansion, resident_blocks, tile_size
from .cpu import make_pull, make_push

if TYPE_CHECKING:
    from ...graph import Graph

HEADER = "frontier/operators/advance/advance.cuh"
DIRECTIONS = ("auto", "push", "pull")
PULL_ABOVE = 1 / 16
"""Pull is used if more than this fraction of all arcs leaves the frontier (Beamer, Asanovic and Patterson, SC 2012)."""


@reads
def advance(
    graph: Graph,
    frontier: Frontier,
    op: Callable,
    *args: Any,
    condition: Callable | None = None,
    prepare: Callable | None = None,
    direction: str = "auto",
) -> Frontier:
    """Visit every edge that leaves the frontier; the destinations for which `op` returns True form the next frontier.

    Parameters
    ----------
    graph : Graph
    frontier : Frontier
    op : function ``op(src, dst, edge, weight, *args) -> bool``
        Whether `dst` joins the output. `edge` is the edge's slot, below ``graph.slot_capacity``; `weight` is 1 in
        unweighted graphs. Calls run in parallel, in any order: use atomics for array entries that several edges may
        update.
    *args : arrays and numbers
        Passed to `op` and `condition`. Arrays are one-dimensional, contiguous and on the graph's device.
    condition : function ``condition(dst, *args) -> bool``, optional
        Whether `dst` is still to be visited. Edges to other vertices are skipped, and a pull leaves a vertex as soon as
        the condition fails; the result must not depend on which of its edges were visited before.
    prepare : function ``prepare(src, *args)``, optional
        Called once for each member of the frontier, before its edges are visited. There is no order relative to the
        edges of other members. Rules out a pull.
    direction : {"auto", "push", "pull"}
        Push visits the neighbors of the frontier; pull searches the neighbors of every vertex for members of the
        frontier, which is less work if the frontier is large and `condition` fails early. In a pull, `edge` is the slot
        of the reverse arc. ``"auto"`` decides by the size of the frontier. Directed graphs always push.

    Returns
    -------
    Frontier
        The destinations for which `op` returned True, without duplicates.

    Raises
    ------
    FunctorError
        `op` or `condition` cannot be compiled with these arguments; the message shows the line.
    ValueError
        `direction` is unknown, or ``"pull"`` on a directed graph, or the frontier is of another graph.

    Notes
    -----
    Push takes O(vertices + edges of the frontier) work, pull O(V + E) at most. After Gunrock's advance (Wang et al.,
    PPoPP 2016) and Ligra's edgeMap (Shun and Blelloch, PPoPP 2013).
    """
    check_frontier(graph, frontier)
    one_of(direction, "direction", DIRECTIONS)
    if direction == "pull" and graph.directed:
        raise ValueError("direction='pull' needs the edges that enter a vertex, which a directed graph does not keep")
    check_op(op, "op", OP_PARAMETERS, args, A_TRUTH)
    if direction == "pull" and prepare is not None:
        raise ValueError("direction='pull' does not go through the frontier's members, so it cannot prepare them")
    check_functors(condition, prepare, args)
    values = functor_args(graph, op, args)
    if not frontier:
        return Frontier._of(graph, graph.xp.empty(0, graph.vertex_dtype), arcs=0)
    functors = Functors(op, condition, prepare)
    if direction == "pull" or (direction == "auto" and prepare is None and pull_pays(graph, frontier, condition)):
        return pull(graph, frontier, functors, values)
    return push(graph, frontier, functors, values)


class Functors(NamedTuple):
    """The functions that a push calls."""

    op: Callable
    condition: Callable | None = None
    prepare: Callable | None = None


def check_functors(condition: Callable | None, prepare: Callable | None, args: tuple) -> None:
    """Check the form of the functors that may be absent."""
    if condition is not None:
        check_op(condition, "condition", ("dst",), args, A_TRUTH)
    if prepare is not None:
        check_op(prepare, "prepare", ("src",), args)


def pull_pays(graph: Graph, frontier: Frontier, condition: Callable | None) -> bool:
    """Whether a pull is less work than a push; never without a condition to stop at."""
    if graph.directed or condition is None or len(frontier) * 64 < graph.num_vertices:
        return False
    return frontier.num_arcs > graph.num_arcs * PULL_ABOVE


def push(graph: Graph, frontier: Frontier, functors: Functors, args: tuple, kernels: Any = None) -> Frontier:
    """advance from the frontier to its neighbors; `kernels` are those of `advance_kernels`, if they are at hand."""
    vertices = frontier._members()
    state = state_of(graph)
    stamps, epoch = state.next_stamps(graph)
    out = graph.xp.empty(graph.num_vertices, graph.vertex_dtype)
    counters = state.counters
    counters.reset()
    count = len(frontier)
    if graph.device.is_gpu:
        view = graph.view()
        kernels = kernels or advance_kernels(graph, functors, args)
        pieces = Pieces(graph, frontier._known_arcs())
        launch_expansion(
            kernels.push, kernels.push_pieces, count, pieces, view, vertices, stamps, epoch, out, counters.array,
            *pieces.args, *args,
        )  # fmt: skip
    else:
        kernel = cpu_kernel_for(graph.package, make_push, functors)
        run_cpu(
            kernel, functors, count, *read_view(graph, functors[0]), vertices, stamps, epoch, out,
            counters.array, args,
        )  # fmt: skip
    size, arcs = counters.read()[:2]
    return Frontier._of(graph, out[:size], arcs=arcs)


def pull(graph: Graph, frontier: Frontier, functors: Functors, args: tuple, kernels: Any = None) -> Frontier:
    """advance to each vertex from its neighbors in the frontier; `kernels` as for `push`."""
    op, condition, _ = functors
    bits = frontier._bitmap()
    words = bitmap_words(graph.num_vertices)
    out = graph.xp.empty(words, np.uint32)
    counters = state_of(graph).counters
    counters.reset()
    if graph.device.is_gpu:
        view = graph.view()
        kernels = kernels or advance_kernels(graph, functors, args)
        rest = graph._scratch.get("rest", graph.num_vertices, graph.vertex_dtype)
        num_rest = graph._scratch.get("num_rest", 1, np.uint32)
        num_rest.fill(0)
        kernels.pull(words * 32, np.int64(graph.num_vertices), view, bits, out, counters.array, rest, num_rest, *args)
        kernels.pull_rest(1, view, bits, out, counters.array, rest, num_rest, *args, blocks=resident_blocks())
    else:
        kernel = cpu_kernel_for(graph.package, make_pull, (op, condition))
        run_cpu(
            kernel, (op, condition), words, graph.num_vertices, *read_view(graph, op), bits, out, counters.array,
            args,
        )  # fmt: skip
    size, arcs = counters.read()[:2]
    return Frontier._of(graph, bits=out, size=size, arcs=arcs)


def advance_kernels(graph: Graph, functors: Functors, args: tuple) -> Any:
    """The CUDA kernels of advance."""
    options = advance_options(graph, functors)
    return cuda_kernels_for(graph, HEADER, advance_functors(functors), args, options)


def advance_functors(functors: Functors) -> tuple:
    """The functors of advance, as `cuda_kernels_for` takes them."""
    op, condition, prepare = functors
    return ("op", op, ARC, TRUTH), ("condition", condition, VERTEX, TRUTH), ("prepare", prepare, VERTEX, None)


def advance_options(graph: Graph, functors: Functors) -> tuple:
    """The macros of advance."""
    options = [("TILE_SIZE", tile_size(graph))]
    if functors.condition is not None:
        options.append(("HAS_CONDITION", "1"))
    if functors.prepare is not None:
        options.append(("HAS_PREPARE", "1"))
    return tuple(options)
