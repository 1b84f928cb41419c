"""advance: from a frontier along its edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...access import reads
from ...arguments import one_of
from ...frontier import Frontier, bitmap_words, check_frontier
from ...functor import uses_parameter
from ..engine import (
    A_TRUTH,
    EDGE_POSITION,
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
EDGES = ("out", "in", "both")
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
    edges: str = "out",
) -> Frontier:
    """Visit every edge that leaves the frontier; the destinations for which `op` returns True form the next frontier.

    Parameters
    ----------
    graph : Graph
    frontier : Frontier
    op : function ``op(src, dst, edge, weight, *args) -> bool``
        Whether `dst` joins the output. `edge` is the edge's slot, or its id in graphs with edge data, below
        ``graph.edge_capacity``; `weight` is 1 in
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
        frontier, which is less work if the frontier is large and `condition` fails early. In a pull, a slot is that of
        the reverse arc, in directed graphs one of ``graph.reverse``. ``"auto"`` decides by the size of the frontier.
        Directed graphs without in-edges always push, as they do with ``"auto"`` if `op` uses slots.
    edges : {"out", "in", "both"}
        Which edges of the frontier's members to visit, in a directed graph: those that leave them, those that enter
        them, or both, which makes no difference in an undirected one. `src` is always the member and `dst` the other
        end. In-edges have the slots of ``graph.reverse``; with ``"both"``, `op` must not use `edge`.

    Returns
    -------
    Frontier
        The destinations for which `op` returned True, without duplicates.

    Raises
    ------
    FunctorError
        `op` or `condition` cannot be compiled with these arguments; the message shows the line.
    ValueError
        `direction` or `edges` is unknown, or needs in-edges that a directed graph does not keep, or the frontier is of
        another graph.

    Notes
    -----
    Push takes O(vertices + edges of the frontier) work, pull O(V + E) at most. After Gunrock's advance (Wang et al.,
    PPoPP 2016) and Ligra's edgeMap (Shun and Blelloch, PPoPP 2013).
    """
    frontier = check_frontier(graph, frontier)
    one_of(direction, "direction", DIRECTIONS)
    check_op(op, "op", OP_PARAMETERS, args, A_TRUTH)
    walked = graphs_to_walk(graph, edges, op)
    if direction == "pull" and not graph.has_in_edges:
        raise ValueError("direction='pull' needs the edges that enter a vertex: make the graph with in_edges=True")
    if direction == "pull" and len(walked) > 1:
        raise ValueError("direction='pull' follows edges one way: it cannot be combined with edges='both'")
    if direction == "pull" and prepare is not None:
        raise ValueError("direction='pull' does not go through the frontier's members, so it cannot prepare them")
    check_functors(condition, prepare, args)
    values = functor_args(graph, op, args)
    if not frontier:
        return Frontier._of(graph, graph.xp.empty(0, graph.vertex_dtype), arcs=0)
    functors = Functors(op, condition, prepare)
    if direction == "pull" or (direction == "auto" and len(walked) == 1 and pull_pays(walked[0], frontier, functors)):
        return pull(graph, frontier, functors, values, walked=walked[0])
    return push(graph, frontier, functors, values, walked=walked)


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


def graphs_to_walk(graph: Graph, edges: str, op: Callable) -> tuple[Graph, ...]:
    """The graphs along whose edges an advance goes: the graph, its reverse, or both."""
    if edges == "out":
        return (graph,)
    one_of(edges, "edges", EDGES)
    if not graph.directed:
        return (graph,)
    if not graph.has_in_edges:
        raise ValueError(f"edges={edges!r} needs the edges that enter a vertex: make the graph with in_edges=True")
    if edges == "in":
        return (graph.reverse,)
    if graph.edge_data is None and uses_parameter(op, EDGE_POSITION):
        raise ValueError("op must not use edge with edges='both': slots of both directions are not told apart")
    return graph, graph.reverse


def pull_pays(graph: Graph, frontier: Frontier, functors: Functors) -> bool:
    """Whether a pull along the edges of `graph` is less work than a push; never without a condition to stop at."""
    op, condition, prepare = functors
    if condition is None or prepare is not None or not graph.has_in_edges or len(frontier) * 64 < graph.num_vertices:
        return False
    slots = graph.directed and graph.edge_data is None  # one of the reverse may be out of an array's bounds
    if slots and uses_parameter(op, EDGE_POSITION):
        return False
    own = frontier if frontier.graph is graph else frontier._on(graph)
    return own.num_arcs > graph.num_arcs * PULL_ABOVE


def push(
    graph: Graph, frontier: Frontier, functors: Functors, args: tuple, kernels: Any = None,
    walked: tuple[Graph, ...] | None = None,
) -> Frontier:  # fmt: skip
    """advance from the frontier to its neighbors.

    Parameters
    ----------
    kernels : CudaKernels, optional
        Those of `advance_kernels`, if they are at hand.
    walked : tuple of Graph, optional
        Along whose edges to go, if not along those of the graph: to all neighbors in any of them.
    """
    vertices = frontier._members()
    state = state_of(graph)
    stamps, epoch = state.next_stamps(graph)
    out = graph.xp.empty(graph.num_vertices, graph.vertex_dtype)
    counters = state.counters
    counters.reset()
    count = len(frontier)
    for each in (graph,) if walked is None else walked:
        if graph.device.is_gpu:
            kernels = kernels or advance_kernels(graph, functors, args)
            pieces = Pieces(each, frontier._known_arcs() if each is graph else None)
            launch_expansion(
                kernels.push, kernels.push_pieces, count, pieces, each.view(), vertices, stamps, epoch, out,
                counters.array, *pieces.args, *args,
            )  # fmt: skip
        else:
            kernel = cpu_kernel_for(graph.package, make_push, functors)
            run_cpu(
                kernel, functors, count, *read_view(each, functors[0]), vertices, stamps, epoch, out,
                counters.array, args,
            )  # fmt: skip
        if functors.prepare is not None:  # which is called once for each member
            functors, kernels = functors._replace(prepare=None), None
    size, arcs = counters.read()[:2]
    # Kernels count arcs of the graph that they walk.
    return Frontier._of(graph, out[:size], arcs=arcs if walked is None or walked == (graph,) else None)


def pull(
    graph: Graph, frontier: Frontier, functors: Functors, args: tuple, kernels: Any = None, walked: Graph | None = None
) -> Frontier:
    """advance to each vertex from its neighbors in the frontier; `kernels` and `walked` as for `push`."""
    op, condition, _ = functors
    entering = (walked or graph).reverse  # its edges lead from a vertex back to members of the frontier
    bits = frontier._bitmap()
    words = bitmap_words(graph.num_vertices)
    out = graph.xp.empty(words, np.uint32)
    counters = state_of(graph).counters
    counters.reset()
    if graph.device.is_gpu:
        views = entering.view(), graph.view()
        kernels = kernels or advance_kernels(graph, functors, args)
        rest = graph._scratch.get("rest", graph.num_vertices, graph.vertex_dtype)
        num_rest = graph._scratch.get("num_rest", 1, np.uint32)
        num_rest.fill(0)
        kernels.pull(words * 32, np.int64(graph.num_vertices), *views, bits, out, counters.array, rest, num_rest, *args)
        kernels.pull_rest(1, *views, bits, out, counters.array, rest, num_rest, *args, blocks=resident_blocks())
    else:
        kernel = cpu_kernel_for(graph.package, make_pull, (op, condition))
        run_cpu(
            kernel, (op, condition), words, graph.num_vertices, *read_view(entering, op), read_view(graph, op)[0],
            bits, out, counters.array, args,
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
