"""advance: from a frontier along its edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypedDict, Unpack, overload

import numpy as np

from frontier.core.arguments import flag, one_of
from frontier.core.base import BaseGraph
from frontier.core.locking import reads, workspace_of
from frontier.functor import uses_parameter
from frontier.functor.checking import is_plain
from frontier.runtime import fill_with
from frontier.runtime.compile import warm_up
from frontier.runtime.launch.recorder import recorder

from ..compute.cpu import make_compute
from ..dispatch.cpu_balance import cpu_balance, run_shares
from ..dispatch.gpu_balance import BALANCES, balance_options, gpu_balance, launch_balanced, resident_blocks
from ..dispatch.kernels import (  # fmt: skip
    A_TRUTH,
    EDGE_POSITION,
    check_op,
    cpu_kernel_for,
    cuda_kernels_for,
    functor_args,
    read_view,
    run_cpu,
)
from ..dispatch.output import EDGES as ARCS
from ..dispatch.output import LIST, NOTHING, SET
from ..dispatch.plans import MAX_ARCS, MAX_VERTICES, find_plan, prepare_push_on_cpu, prepare_push_on_gpu
from ..dispatch.signatures import ARC, OP_PARAMETERS, TRUTH, VERTEX
from ..frontiers.edge_frontier import EdgeFrontier, check_edge_frontier
from ..frontiers.frontier import Frontier, bitmap_words, check_frontier
from .cpu import make_pull, make_push

HEADER = "frontier/operators/advance/advance.cuh"
AUTO, OUT, VERTICES, TILE = "auto", "out", "vertices", "tile"
DIRECTIONS = (AUTO, "push", "pull")
EDGES = (OUT, "in", "both")
OUTPUTS = (VERTICES, "edges")
PULL_ABOVE = 1 / 32
"""Pull is used if more than this fraction of all arcs leaves the frontier (Beamer, Asanovic and Patterson, SC 2012)."""
PULL_FROM = 1024
"""And at least one of so many vertices is in it: neighbors of a few hubs are found in their lists."""


class AdvanceOptions(TypedDict, total=False):
    """The options of `advance`, which describes them, without `output`, which decides about its result."""

    condition: Callable[..., Any] | None
    prepare: Callable[..., Any] | None
    direction: str
    edges: str
    unique: bool
    balance: str


@overload
def advance(
    graph: BaseGraph, frontier: Frontier | EdgeFrontier, op: Callable[..., Any], *args: Any,
    output: Literal["vertices"] = "vertices", **options: Unpack[AdvanceOptions],
) -> Frontier: ...  # fmt: skip
@overload
def advance(
    graph: BaseGraph, frontier: Frontier | EdgeFrontier, op: Callable[..., Any], *args: Any, output: Literal["edges"],
    **options: Unpack[AdvanceOptions],
) -> EdgeFrontier: ...  # fmt: skip
@overload
def advance(
    graph: BaseGraph, frontier: Frontier | EdgeFrontier, op: Callable[..., Any], *args: Any, output: None,
    **options: Unpack[AdvanceOptions],
) -> None: ...  # fmt: skip
@reads
def advance(
    graph: BaseGraph,
    frontier: Frontier | EdgeFrontier,
    op: Callable[..., Any],
    *args: Any,
    condition: Callable[..., Any] | None = None,
    prepare: Callable[..., Any] | None = None,
    direction: str = "auto",
    edges: str = "out",
    output: str | None = "vertices",
    unique: bool = True,
    balance: str = "auto",
) -> Frontier | EdgeFrontier | None:
    """Visit every edge that leaves the frontier. The destinations for which `op` returns True form the next frontier.

    Parameters
    ----------
    graph : Graph
    frontier : Frontier or EdgeFrontier
        A frontier of edges stands for the vertices that they lead to, each once.
    op : function ``op(src, dst, edge, weight, *args) -> bool``
        Whether `dst` joins the output. `edge` is the edge's slot, or its id in graphs with edge data, below
        ``graph.edge_capacity``. `weight` is 1 in unweighted graphs. Calls run in parallel, in any order: use atomics
        for array entries that several edges may update.
    *args : arrays and numbers
        Passed to `op` and `condition`. Arrays are one-dimensional, contiguous and on the graph's device.
    condition : function ``condition(dst, *args) -> bool``, optional
        Whether `dst` must still be visited. Other edges are skipped, and a pull leaves a vertex once the condition
        fails: the result must not depend on which of its edges were visited before.
    prepare : function ``prepare(src, *args)``, optional
        Called once for each member, before its edges are visited, in any order of members. Rules out a pull.
    direction : {"auto", "push", "pull"}
        Push visits the neighbors of the frontier. Pull searches the neighbors of every vertex for members, which is
        less work if the frontier is large and `condition` fails early. A pull has the slots of reverse arcs, in
        directed graphs of ``graph.reverse``. ``"auto"`` decides by the size of the frontier. Directed graphs without
        in-edges always push, as do other graphs with ``"auto"`` if `op` uses slots.
    edges : {"out", "in", "both"}
        The edges of members to visit in a directed graph. `src` is always the member and `dst` the other end. In-edges
        have the slots of ``graph.reverse``. With ``"both"``, `op` must not use `edge`.
    output : {"vertices", "edges"} or None
        Whether the next frontier contains destinations or edges. Edges come from a push, in directed graphs not with
        ``edges="both"``, since arcs of the two directions belong to different graphs. With ``edges="in"`` they are a
        frontier of ``graph.reverse``. With None `op` is called for its effects only, and the host does not synchronize.
    unique : bool
        Whether a destination is in the output only once. False saves the marks, for an `op` that hardly ever returns
        True twice for a destination, or repeated calls that do no harm. Further calls of `advance` visit the edges of a
        repeated vertex as often. Everywhere else the output becomes a set (see `Frontier`).
    balance : {"auto", "thread", "tile", "block", "merge"}
        The distribution of neighbor lists in a push. On a GPU, ``"thread"`` is a thread for each vertex, and
        ``"block"`` a thread block for each vertex. ``"tile"`` is a few lanes for each piece of a list, and whole blocks
        for long lists. ``"merge"`` (merge path) is an equal share of all pieces for each block, with two more launches.
        On a CPU, threads share vertices (``"thread"``), vertices and each long list (``"tile"``, ``"block"``), or edges
        (``"merge"``). ``"auto"`` is ``"tile"``, and on a CPU ``"merge"`` for few vertices of many edges.

    Returns
    -------
    Frontier, EdgeFrontier with ``output="edges"``, or None without `output`
        The destinations for which `op` returned True, without duplicates unless `unique` is False, or the edges.

    Raises
    ------
    FunctorError
        `op` or `condition` cannot be compiled with these arguments. The message shows the line.
    ValueError
        An option is unknown, cannot be combined with another, or needs in-edges that a directed graph does not store.
        Or the frontier is of another graph, or an edge frontier that was made before the latest update.

    See Also
    --------
    traverse : Advance until the frontier is empty.
    visit_edges : Visit listed edges only.
    neighbor_reduce : Reduce values over the edges of each vertex.
    compute : Call a functor for each member, without its edges.

    Notes
    -----
    O(vertices + edges of the frontier) work for a push, O(V + E) at most for a pull. After Gunrock's advance (Wang et
    al., PPoPP 2016) and Ligra's edgeMap (Shun and Blelloch, PPoPP 2013). In a loop that advances again and again from
    few vertices with few edges, each advance is a single launch on a GPU.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1, 2, 3, 3], [1, 2, 3, 3, 4, 5], device="cpu")
    >>> def unseen(src, dst, edge, weight, distance, step):
    ...     return distance[dst] < 0 and fr.atomic_cas(distance, dst, -1, step) == -1
    >>> distance = np.full(graph.num_vertices, -1)
    >>> distance[0] = 0
    >>> frontier, step = fr.Frontier(graph, [0]), 1
    >>> while frontier := fr.advance(graph, frontier, unseen, distance, step):
    ...     print(list(frontier))
    ...     step += 1
    [1, 2]
    [3]
    [4, 5]
    """
    # Equal literals are one object. All other strings are checked below, as are values that cannot even be compared.
    is_usual = (
        direction is AUTO and edges is OUT and output is VERTICES and (balance is AUTO or balance is TILE)
        and (unique is True or unique is False)
    )  # fmt: skip
    if is_usual:
        found = _advance_few(graph, frontier, (op, condition, prepare), args, unique)
        if found is not None:
            return found
    if isinstance(frontier, EdgeFrontier):
        frontier = check_edge_frontier(graph, frontier).destinations
    frontier = check_frontier(graph, frontier)
    one_of(direction, "direction", DIRECTIONS)
    if output is not None:
        one_of(output, "output", OUTPUTS)
    one_of(balance, "balance", BALANCES)
    kind = NOTHING if output is None else ARCS if output == "edges" else SET if flag(unique, "unique") else LIST
    check_op(op, "op", OP_PARAMETERS, args, A_TRUTH)
    traversed = graphs_to_walk(graph, edges, op)
    if direction == "pull":
        _check_pull(graph, traversed, prepare, kind)
    if kind == ARCS and len(traversed) > 1:
        raise ValueError("output='edges' cannot be combined with edges='both': slots of both directions overlap")
    check_functors(condition, prepare, args)
    values = functor_args(graph, op, args)
    if not frontier:
        return None if output is None else _nothing(traversed[0], kind)
    functors = Functors(op, condition, prepare)
    may_pull = direction == "auto" and len(traversed) == 1 and kind == SET
    if direction == "pull" or (may_pull and pull_pays(traversed[0], frontier, functors)):
        return pull(graph, frontier, functors, values, traversed=traversed[0])
    found = push(graph, frontier, functors, values, traversed=traversed, balance=balance, output=kind)
    if is_usual and is_plain():
        arcs = frontier._known_arcs()
        if arcs is not None and _are_few(frontier._walk_length(), arcs):
            _prepare_next(graph, functors, args, values, kind)
    return found


def _advance_few(graph: BaseGraph, frontier: Any, functors: tuple, args: tuple, unique: Any) -> Frontier | None:
    """`advance` from few vertices by an earlier call's plan. None without a suitable plan, or for invalid arguments."""
    if type(frontier) is not Frontier or frontier.graph is not graph:
        return None
    count, arcs = frontier._walk_costs()
    if arcs is None or not _are_few(count, arcs) or frontier._vertex_version != graph.vertex_version:
        return None
    if recorder.launches is not None or warm_up.is_warming_up():
        return None
    prepared = find_plan(graph, functors, unique)
    if prepared is None or (prepared.may_pull and _is_much(graph, count, arcs)):
        return None
    values = prepared.convert(args)
    if values is None:
        return None
    if not arcs and functors[2] is None:
        return Frontier._of(graph, graph.xp.empty(0, graph.vertex_dtype), arcs=0)
    return prepared.push(graph, workspace_of(graph), functors, frontier, count, arcs, values)


def _prepare_next(graph: BaseGraph, functors: Functors, args: tuple, values: tuple, output: str) -> None:
    """Prepare the plan with which `_advance_few` runs the next call with these arguments. `values` are the arguments as
    functors receive them."""
    unique = output == SET
    may_pull = unique and can_pull(graph, functors)
    if graph.device.is_gpu:
        kernels = advance_kernels(graph, functors, values, output=output)
        prepare_push_on_gpu(graph, functors, args, kernels, unique=unique, may_pull=may_pull)
    else:
        kernel = cpu_kernel_for(graph.package, make_push, functors, output)
        prepare_push_on_cpu(graph, functors, args, kernel, unique=unique, may_pull=may_pull)


def _are_few(count: int, arcs: int) -> bool:
    """Whether a push from so many vertices, which so many arcs leave, is one that is prepared."""
    return 0 < count <= MAX_VERTICES and arcs <= MAX_ARCS


def _check_pull(
    graph: BaseGraph, traversed: tuple[BaseGraph, ...], prepare: Callable[..., Any] | None, kind: str
) -> None:
    """Raise ValueError if a pull does not support these options."""
    if not graph.has_in_edges:
        raise ValueError("direction='pull' needs the edges that enter a vertex: make the graph with in_edges=True")
    if len(traversed) > 1:
        raise ValueError("direction='pull' follows edges one way: it cannot be combined with edges='both'")
    if prepare is not None:
        raise ValueError("direction='pull' does not go through the frontier's members, so it cannot prepare them")
    if kind == NOTHING:
        raise ValueError("direction='pull' searches for members of the output: it cannot be combined with output=None")
    if kind == ARCS:
        raise ValueError("direction='pull' walks arcs the other way: it cannot be combined with output='edges'")


def _nothing(graph: BaseGraph, kind: str) -> Frontier | EdgeFrontier:
    """An empty output."""
    vertices = graph.xp.empty(0, graph.vertex_dtype)
    if kind == ARCS:
        return EdgeFrontier._of(graph, vertices, graph.xp.empty(0, np.int64))
    return Frontier._of(graph, vertices, arcs=0)


class Functors(NamedTuple):
    """The functions that a push calls."""

    op: Callable
    condition: Callable[..., Any] | None = None
    prepare: Callable[..., Any] | None = None


def check_functors(condition: Callable[..., Any] | None, prepare: Callable[..., Any] | None, args: tuple) -> None:
    """Check the form of the functors that may be absent."""
    if condition is not None:
        check_op(condition, "condition", ("dst",), args, A_TRUTH)
    if prepare is not None:
        check_op(prepare, "prepare", ("src",), args)


def graphs_to_walk(graph: BaseGraph, edges: str, op: Callable[..., Any]) -> tuple[BaseGraph, ...]:
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
        raise ValueError("op must not use edge with edges='both': slots of both directions are not distinguished")
    return graph, graph.reverse


def can_pull(graph: BaseGraph, functors: Functors, entering: BaseGraph | None = None) -> bool:
    """Whether a pull, with `entering` of `pull`, does the same as a push, and has a condition to stop at."""
    op, condition, prepare = functors
    if condition is None or prepare is not None or not (graph.has_in_edges or entering is not None):
        return False
    # One of the reverse may be out of an array's bounds.
    slots = graph.directed and entering is not graph and graph.edge_data is None
    return not (slots and uses_parameter(op, EDGE_POSITION))


def pull_bounds(graph: BaseGraph) -> tuple[int, int]:
    """A pull is less work from so many members on, if more than so many arcs leave them."""
    return -(-graph.num_vertices // PULL_FROM), int(graph.num_arcs * PULL_ABOVE)


def _is_much(graph: BaseGraph, count: int, arcs: int) -> bool:
    """Whether a push from so many members, which so many arcs leave, is more work than a pull."""
    if arcs <= graph.num_arcs * PULL_ABOVE:  # as few mostly are: then the other bound need not be known
        return False
    members, most = pull_bounds(graph)
    return count >= members and arcs > most


def pull_pays(graph: BaseGraph, frontier: Frontier, functors: Functors, entering: BaseGraph | None = None) -> bool:
    """Whether a pull along the edges of `graph` is possible (`can_pull`) and less work than a push."""
    members, arcs = pull_bounds(graph)
    if frontier._walk_length() < members or not can_pull(graph, functors, entering):
        return False
    own = frontier if frontier.graph is graph else frontier._on(graph)
    return own._walk_arcs() > arcs


def push(
    graph: BaseGraph, frontier: Frontier, functors: Functors, args: tuple, kernels: Any = None,
    traversed: tuple[BaseGraph, ...] | None = None, balance: str = "auto", output: str = SET,
) -> Any:  # fmt: skip
    """advance from the frontier to its neighbors, along edges of any graph in `traversed`, with `kernels` if given."""
    traversed = (graph,) if traversed is None else traversed
    vertices, count = frontier._walk(), frontier._walk_length()
    room = _room_for(output, traversed, frontier)
    if not room and output in (LIST, ARCS) and functors.prepare is None:
        return _nothing(traversed[0], output)
    state = workspace_of(graph)
    stamps, epoch = state.next_stamps(graph) if output == SET else (None, np.int32(0))
    out = graph.xp.empty(room, graph.vertex_dtype)
    slots = graph.xp.empty(room, np.int64) if output == ARCS else None
    counters = state.counters
    counters.reset()
    for each in traversed:
        own = own_frontier(each, frontier)
        if graph.device.is_gpu:
            schedule = gpu_balance(balance)
            kernels = kernels or advance_kernels(graph, functors, args, schedule, output)
            marks = (out, slots) if output == ARCS else (stamps, epoch, out)
            outcome = None
            if each is traversed[-1] and output != NOTHING:
                counters.arm()
                outcome = counters.published
            launch_balanced(
                kernels, "push", schedule, each, count, vertices, (*marks, counters.array, None), args,
                own._known_arcs(), (*marks, counters.array, outcome),
            )  # fmt: skip
        else:
            schedule = cpu_balance(balance, own)
            if schedule == "merge" and functors.prepare is not None:
                run_cpu(cpu_kernel_for(None, make_compute, (functors.prepare,)), functors, count, vertices, args)
            kernel = cpu_kernel_for(graph.package, make_push, functors, output)
            run_shares(
                each, kernel, functors, schedule, vertices, read_view(each, functors[0]), stamps, epoch,
                (out, slots) if output == ARCS else out, counters.array, args,
            )  # fmt: skip
        if functors.prepare is not None:  # which is called once for each member
            functors, kernels = functors._replace(prepare=None), None
    if output == NOTHING:
        return None
    size, arcs = (counters.poll() if graph.device.is_gpu else counters.read())[:2]
    if output == ARCS:
        return EdgeFrontier._of(traversed[0], _fitting(out, size), _fitting(slots, size))
    known = arcs if traversed == (graph,) else None  # kernels count arcs of the graph that they walk
    if output == LIST:
        return Frontier._listed(graph, _fitting(out, size), known)
    return Frontier._of(graph, out[:size], arcs=known)


def _room_for(output: str, traversed: tuple[BaseGraph, ...], frontier: Frontier) -> int:
    """The maximum number of vertices, or arcs, that a push returns."""
    if output == NOTHING:
        return 0
    if output != SET:
        return sum(own_frontier(each, frontier)._walk_arcs() for each in traversed)
    arcs = own_frontier(traversed[0], frontier)._known_arcs() if len(traversed) == 1 else None
    return traversed[0].num_vertices if arcs is None else min(traversed[0].num_vertices, arcs)


def own_frontier(graph: BaseGraph, frontier: Frontier) -> Frontier:
    """The frontier as one of a graph that is walked."""
    return frontier if frontier.graph is graph else frontier._on(graph)


def _fitting(array: Any, size: int) -> Any:
    """The first entries of an array, copied if it is much longer, which frees it."""
    return array[:size] if 2 * size > array.size else array[:size].copy()


def pull(
    graph: BaseGraph, frontier: Frontier, functors: Functors, args: tuple, kernels: Any = None,
    traversed: BaseGraph | None = None, entering: BaseGraph | None = None,
) -> Frontier:  # fmt: skip
    """advance to each vertex from its neighbors in the frontier, along edges of `entering`, by default the reverse."""
    entering = (traversed or graph).reverse if entering is None else entering
    counters = workspace_of(graph).counters
    counters.reset()
    out = queue_pull(graph, entering, frontier._bitmap(), functors, args, counters.array, kernels)
    size, arcs = counters.read()[:2]
    return Frontier._of(graph, bits=out, size=size, arcs=arcs)


def queue_pull(
    graph: BaseGraph, entering: BaseGraph, bits: Any, functors: Functors, args: tuple, counters: Any,
    kernels: Any = None,
) -> Any:  # fmt: skip
    """`pull` from bitmap to bitmap, without a synchronization. Adds its members and their arcs to two `counters`."""
    op, condition, _ = functors
    words = bitmap_words(graph.num_vertices)
    out = graph.xp.empty(words, np.uint32)
    if graph.device.is_gpu:
        views = entering.view(), graph.view()
        kernels = kernels or advance_kernels(graph, functors, args)
        rest = workspace_of(graph).scratch.get("rest", graph.num_vertices, graph.vertex_dtype)
        num_rest = workspace_of(graph).scratch.get("num_rest", 1, np.uint32)
        fill_with(num_rest, 0)
        kernels.pull(graph.num_vertices, *views, bits, out, counters, rest, num_rest, *args)
        kernels.pull_rest(1, *views, bits, out, counters, rest, num_rest, *args, blocks=resident_blocks())
    else:
        kernel = cpu_kernel_for(graph.package, make_pull, (op, condition))
        run_cpu(
            kernel, (op, condition), words, graph.num_vertices, *read_view(entering, op), read_view(graph, op)[0],
            bits, out, counters, args,
        )  # fmt: skip
    return out


def advance_kernels(
    graph: BaseGraph, functors: Functors, args: tuple, balance: str = "tile", output: str = SET
) -> Any:  # fmt: skip
    """The CUDA kernels of advance."""
    options = advance_options(graph, functors, balance, output)
    return cuda_kernels_for(graph, HEADER, advance_functors(functors), args, options)


def advance_functors(functors: Functors) -> tuple:
    """The functors of advance, as `cuda_kernels_for` expects them."""
    op, condition, prepare = functors
    return ("op", op, ARC, TRUTH), ("condition", condition, VERTEX, TRUTH), ("prepare", prepare, VERTEX, None)


OUTPUT_MACROS = {
    SET: (), LIST: (("REPEATS", "1"),), ARCS: (("EDGE_OUTPUT", "1"),), NOTHING: (("NO_OUTPUT", "1"),),
}  # fmt: skip


def advance_options(graph: BaseGraph, functors: Functors, balance: str = "tile", output: str = SET) -> tuple:
    """The macros of advance."""
    options = [*balance_options(graph, balance), *OUTPUT_MACROS[output]]
    if functors.condition is not None:
        options.append(("HAS_CONDITION", "1"))
    if functors.prepare is not None:
        options.append(("HAS_PREPARE", "1"))
    return tuple(options)
