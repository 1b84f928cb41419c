"""The operators over the partitions of a graph.

Each partition runs the operator of one device on its own vertices or edges. Then copies of arrays by vertex are
combined.

The operators of one device, such as ``frontier.advance(graph, ...)``, call these for the graph of a partition.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier import operators as one_device
from frontier.core.arguments import integer, one_of
from frontier.operators import StepCounter
from frontier.operators.advance import DIRECTIONS, Functors
from frontier.operators.frontiers.edge_frontier import check_edge_frontier
from frontier.operators.frontiers.frontier import check_frontier, graph_of
from frontier.operators.traverse import Limits, traverse_along

from ..exchange.levels import follow_updates
from ..exchange.routed_edges import to_sources
from ..exchange.vertex_arrays import RESULTS
from .checks import (
    by_vertex_among,
    check_at_edges,
    check_at_vertices,
    check_condition_and_prepare,
    found_among,
    read_afar,
    read_by_score,
    written_at_edges,
    written_by,
)
from .common import intersect
from .edge_frontiers import PartEdgeFrontier
from .frontiers import PartFrontier
from .gpu_steps import steps_on_gpu
from .pulls import can_pull, check_pull, has_many_arcs, pull, pull_pays
from .traversals import search
from .triangles import PartOrientation, count_triangles

if TYPE_CHECKING:
    from ..base import BasePart


def advance(
    graph: BasePart, frontier: PartFrontier, op: Callable, *args: Any, condition: Callable | None = None,
    prepare: Callable | None = None, direction: str = "auto", edges: str = "out", output: str | None = "vertices",
    unique: bool = True, balance: str = "auto",
) -> PartFrontier | PartEdgeFrontier | None:  # fmt: skip
    """`frontier.advance`, which pushes unless it is asked to pull, and returns each vertex once.

    `op` returns True for each entry of a vertex array that it writes, and writes to the entry of `dst`. Arrays whose
    rule is a function may be written anywhere. Amounts that are added to arrays with the rule "add" arrive in any case.
    With ``output=None`` nothing is exchanged: `op` writes to the entry of `src`, or adds.
    """
    if output not in ("vertices", "edges", None):
        raise NotImplementedError(f"output={output!r} is not available for distributed graphs yet")
    one_of(direction, "direction", DIRECTIONS)
    if isinstance(frontier, PartEdgeFrontier):
        frontier = check_edge_frontier(graph, frontier).destinations  # type: ignore[arg-type,assignment]
    if direction == "pull":
        check_pull(_along(graph, edges), op, args, edges=edges, prepare=prepare, output=output)
    if edges == "both" and graph.directed:
        if output == "edges":
            raise ValueError("output='edges' cannot be combined with edges='both': out- and in-edges are of two graphs")
        options: dict[str, Any] = {"condition": condition, "balance": balance, "output": output}
        outward = advance(graph, frontier, op, *args, prepare=prepare, **options)
        inward = advance(graph, frontier, op, *args, edges="in", **options)
        return None if outward is None or inward is None else outward | inward
    along = _along(graph, edges)
    functors = Functors(op, condition, prepare)
    if direction != "pull" and output != "vertices":
        found, arrays = _push(along, frontier, functors, args, balance, output)
        if output is None:
            return None
        along.arrays.to_owners(found.destinations._members(), arrays)
        along.arrays.unite(arrays)
        return PartEdgeFrontier.of_part(along, found)
    if direction == "pull":
        made = _pull(along, frontier, functors, args)[0]
    else:
        made = _advance(along, frontier, functors, args, balance)[0]
    return made if made.graph is graph else made._on(graph)


def _advance(
    graph: BasePart, frontier: PartFrontier, functors: Functors, args: tuple, balance: str
) -> tuple[PartFrontier, int, int]:
    """Run one push, and return the next frontier, and the total sizes over all partitions of it and of `frontier`."""
    steps = steps_on_gpu(graph, functors, args, balance)
    if steps is not None:
        frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
        found = steps.together(frontier, max_steps=1)
        if found is not None:
            return found[0], len(found[0]), found[1]
        return steps.one(steps.levels.push, frontier)
    size = len(check_frontier(graph, frontier).local)
    reached, arrays = _push(graph, frontier, functors, args, balance)
    members, (found, entered) = graph.arrays.to_owners(reached._members(), arrays, [size])
    graph.arrays.unite(arrays)
    made = PartFrontier.of_members(graph, members)
    if not found or graph.comm.size == 1:
        made._count = found
    return made, found, entered


def _pull(graph: BasePart, frontier: PartFrontier, functors: Functors, args: tuple) -> tuple[PartFrontier, int, int]:
    """Run one pull. The results are as in `_advance`."""
    steps = steps_on_gpu(graph, functors, args, pulls=True)
    if steps is not None:
        return steps.one(steps.levels.pull, check_frontier(graph, frontier))
    frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
    args = check_at_edges(graph.reverse, functors.op, args)
    check_condition_and_prepare(graph, functors, args)
    arrays = by_vertex_among(graph, functors.op, args)
    made = pull(graph, frontier, functors, args, arrays)
    graph.arrays.written(written_at_edges(arrays, functors, args))
    return made


def _push(
    graph: BasePart, frontier: PartFrontier, functors: Functors, args: tuple, balance: str,
    output: str | None = "vertices",
) -> tuple[Any, list[Any]]:  # fmt: skip
    """Run the operator on the partition, and return its output, and the arrays by vertex."""
    op, condition, prepare = functors
    frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
    args = check_at_edges(graph, op, args, sends=output is not None)
    check_condition_and_prepare(graph, functors, args)
    arrays = by_vertex_among(graph, op, args)
    graph.arrays.before_edges(arrays, read_afar(graph, arrays, functors, args), writes_few=not frontier.is_everyone)
    reached = one_device.advance(
        graph.local, frontier.local, op, *args, condition=condition, prepare=prepare, direction="push",
        balance=balance, output=output,
    )  # fmt: skip
    graph.arrays.written(written_at_edges(arrays, functors, args))
    if output is None:
        graph.arrays.unite(arrays)
    return reached, arrays


def traverse(
    graph: BasePart, frontier: PartFrontier, op: Callable, *args: Any, condition: Callable | None = None,
    prepare: Callable | None = None, max_steps: int | None = None, max_arcs: int | None = None, edges: str = "out",
    balance: str = "auto",
) -> int:  # fmt: skip
    """`frontier.traverse`: an exchange after each advance, whose counts decide whether another one is needed."""
    values = list(args)
    steps = [i for i, value in enumerate(args) if isinstance(value, StepCounter)]
    if len(steps) > 1:
        raise ValueError(f"traverse accepts one StepCounter among its arguments, not {len(steps)}")
    for i in steps:
        values[i] = np.int32(args[i].start)
    for limit, name in ((max_steps, "max_steps"), (max_arcs, "max_arcs")):
        if limit is not None:
            integer(limit, name, 0)
    frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
    both = edges == "both" and graph.directed
    functors = Functors(op, condition, prepare)
    if not both:
        along = _along(graph, edges)
        limits = {"max_steps": max_steps, "max_arcs": max_arcs}
        if graph.comm.size == 1:
            return _traverse_alone(along, frontier, functors, args, tuple(values), Limits(max_steps, max_arcs), balance)
        on_gpu = steps_on_gpu(along, functors, tuple(values), balance)
        if on_gpu is not None:
            at = steps[0] if steps else None
            can = on_gpu.can_pull
            back = along.reverse.with_own_columns(tuple(values)) if can else ()

            def args_of(step: int, pulls: bool) -> tuple:
                given = list(back if pulls else on_gpu.args)
                if at is not None:
                    given[at] = np.int32(args[at].start + step)
                return tuple(given)

            frontier = check_frontier(along, frontier)  # type: ignore[assignment]
            alike = not can or all(one is other for one, other in zip(back, on_gpu.args, strict=True))
            if max_arcs is None and alike:
                found = on_gpu.together(frontier, step=at, may_pull=can, max_steps=max_steps)
                if found is not None:
                    return found[1]
            return search(
                on_gpu.levels, frontier, args_of, before=on_gpu.before, after=on_gpu.after, **limits,
                may_pull=lambda count, arcs: can and has_many_arcs(along, count, arcs),
            )  # fmt: skip
    done, found = 0, len(frontier)
    while found and (max_steps is None or done < max_steps):
        if max_arcs is not None and frontier.num_arcs > max_arcs:
            break
        if both:
            frontier = advance(
                graph, frontier, op, *values, condition=condition, prepare=prepare, edges=edges, balance=balance
            )
            found, entered = len(frontier), 1
        else:
            given = tuple(values)
            if pull_pays(along, found, functors, given):
                frontier, found, entered = _pull(along, frontier, functors, given)
            else:
                frontier, found, entered = _advance(along, frontier, functors, given, balance)
        done += entered > 0  # vertices that copies have reached may be no news to their owners
        for i in steps:
            values[i] = np.int32(values[i] + 1)
    return done


def _traverse_alone(
    graph: BasePart, frontier: PartFrontier, functors: Functors, args: tuple, values: tuple, limits: Limits,
    balance: str,
) -> int:  # fmt: skip
    """`traverse` of a graph in a single partition, as on one device: nothing is exchanged.

    `values` are the arguments with a number instead of a `StepCounter`.
    """
    frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
    values = check_at_edges(graph, functors.op, values)
    check_condition_and_prepare(graph, functors, values)
    by_vertex = by_vertex_among(graph, functors.op, values)
    # The local graph of an undirected one has each edge both ways, though it is a directed graph.
    entering = graph.reverse.local if can_pull(graph, functors, values) else None
    given = tuple(old if isinstance(old, StepCounter) else new for old, new in zip(args, values, strict=True))
    for each in graph.locals():
        follow_updates(each)
    done = traverse_along(graph.local, frontier.local, functors, given, limits, balance=balance, entering=entering)
    graph.arrays.written(written_at_edges(by_vertex, functors, values))
    return done


def compute(frontier: PartFrontier, op: Callable, *args: Any) -> None:
    """`frontier.compute`. `op` writes to the entry of its vertex (of `src` at edges), and may add to all entries."""
    if isinstance(frontier, PartEdgeFrontier):
        with _at_edges(frontier, op, args) as args:
            one_device.compute(frontier.local, op, *args)
        return
    graph: Any = graph_of(frontier)
    arrays, _ = check_at_vertices(graph, op, args, adds=True)
    one_device.compute(frontier.local, op, *args)
    graph.arrays.written(written_by(arrays, op, args))


def filter(frontier: PartFrontier, op: Callable, *args: Any) -> PartFrontier:
    """`frontier.filter`. At edges as `compute`."""
    if isinstance(frontier, PartEdgeFrontier):
        with _at_edges(frontier, op, args) as args:
            edges = one_device.filter(frontier.local, op, *args)
        return PartEdgeFrontier.of_part(frontier.graph, edges)
    graph: Any = graph_of(frontier)
    arrays, _ = check_at_vertices(graph, op, args, adds=True)
    kept = one_device.filter(frontier.local, op, *args)
    graph.arrays.written(written_by(arrays, op, args))
    return type(frontier).of_part(graph, kept)


def reduce(
    frontier: PartFrontier, op: Callable, *args: Any, reduce: str = "sum", dtype: Any = np.float64, out: Any = None,
    columns: int | None = None,
) -> Any:  # fmt: skip
    """`frontier.reduce`. The result is the same on all partitions, in an array made by `results` once it is needed."""
    if columns is not None:
        raise NotImplementedError("columns is not available for distributed graphs yet")
    of_edges = isinstance(frontier, PartEdgeFrontier)
    graph: Any = frontier.graph if of_edges else graph_of(frontier)
    deferred = out is not None and graph.arrays.rule_of(out) == RESULTS
    if deferred:
        graph.comm.overwrite(out)
    if of_edges:
        with _at_edges(frontier, op, args) as args:  # type: ignore[arg-type]
            found = one_device.reduce(frontier.local, op, *args, reduce=reduce, dtype=dtype, out=out)
    else:
        arrays, _ = check_at_vertices(graph, op, args, adds=True)
        found = one_device.reduce(frontier.local, op, *args, reduce=reduce, dtype=dtype, out=out)
        graph.arrays.written(written_by(arrays, op, args))
    if deferred:
        graph.comm.defer_reduction(out, reduce)
        return out
    total = graph.comm.allreduce(found, reduce)
    if out is None:
        return total
    out[...] = total
    return out


def neighbor_reduce(
    graph: BasePart, frontier: PartFrontier | None, op: Callable, *args: Any, reduce: str | Callable = "sum",
    identity: Any = None, dtype: Any = None, out: Any = None, columns: int | None = None, values: bool = False,
    score: Callable | None = None, balance: str = "auto",
) -> Any:  # fmt: skip
    """`frontier.neighbor_reduce`. With `out`, copies of other partitions' vertices are updated when they are needed."""
    if columns is not None:
        raise NotImplementedError("columns is not available for distributed graphs yet")
    args = check_at_edges(graph, op, args, gathers=True)
    members = PartFrontier.all(graph) if frontier is None else check_frontier(graph, frontier)
    arrays = by_vertex_among(graph, op, args)
    read = [*read_afar(graph, arrays, Functors(op), args), *read_by_score(graph, arrays, score, args)]
    graph.arrays.sync(found_among(arrays, read))
    if out is not None:
        graph.arrays.settle([out])
    result = one_device.neighbor_reduce(
        graph.local, members.local, op, *args, reduce=reduce, identity=identity, dtype=dtype, out=out,  # type: ignore
        values=values, score=score, balance=balance,
    )  # fmt: skip
    found = result if values else (result,)
    graph.arrays.written(found)
    if out is None:
        graph.arrays.sync(found)
    return result


def sample_neighbors(graph: BasePart, frontier: PartFrontier, op: Callable, *args: Any, **options: Any) -> None:
    """`frontier.sample_neighbors`."""
    frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
    args = check_at_edges(graph, op, args, gathers=True)
    arrays = by_vertex_among(graph, op, args)
    graph.arrays.before_edges(arrays, arrays, writes_few=not frontier.is_everyone)
    one_device.sample_neighbors(graph.local, frontier.local, op, *args, **options)
    graph.arrays.unite(arrays)


def intersect_arcs(graph: PartOrientation, pairs: None = None, tally: Any = None) -> int:
    """`frontier.advanced.intersect_arcs`, of an `Orientation`."""
    if not isinstance(graph, PartOrientation) or pairs is not None:
        raise NotImplementedError("intersect_arcs of a distributed graph requires an Orientation")
    return count_triangles(graph, tally)


def visit_edges(
    graph: BasePart, src: Any, dst: Any, op: Callable, *args: Any, output: bool = True
) -> PartFrontier | None:  # fmt: skip
    """`frontier.visit_edges`, of the edges that all partitions list: the owner of its source visits each.

    Copies of arrays whose rule is a function stay apart until they are needed, so a stream of batches exchanges nothing
    for an array that is rarely read.
    """
    args = check_at_edges(graph, op, args)
    src, dst = to_sources(graph, src, dst)
    arrays = by_vertex_among(graph, op, args)
    graph.arrays.before_edges(arrays, read_afar(graph, arrays, Functors(op), args), writes_few=False)
    reached = one_device.visit_edges(graph.local, src, dst, op, *args, output=output)
    graph.arrays.written(written_by(arrays, op, args, first=4))
    graph.arrays.set_apart(arrays)
    if not output:
        return None
    members, (found,) = graph.arrays.to_owners(reached._members(), arrays)
    made = PartFrontier.of_members(graph, members)
    if not found:
        made._count = 0
    return made


def copy_if_faster(graph: BasePart, us: Any, vs: Any) -> BasePart:
    return graph  # partitions are read as they are stored


def copy_for_passes(graph: BasePart, passes: float, *, look_ups: bool = False) -> BasePart:
    return graph


@contextmanager
def _at_edges(frontier: PartEdgeFrontier, op: Callable, args: tuple) -> Iterator[tuple]:
    """Surround an operator over the members of a frontier of edges. Yields the arguments of `op`."""
    frontier.check()
    graph: Any = frontier.graph
    args = check_at_edges(graph, op, args, sends=False)
    arrays = by_vertex_among(graph, op, args)
    graph.arrays.before_edges(arrays, read_afar(graph, arrays, Functors(op), args))
    yield args
    graph.arrays.written(written_by(arrays, op, args, first=4))
    graph.arrays.unite(arrays)


def _along(graph: BasePart, edges: str) -> BasePart:
    """Return the graph whose out-edges are the requested edges."""
    one_of(edges, "edges", ("out", "in", "both"))
    return graph.reverse if edges == "in" else graph


FORMS = {
    inspect.unwrap(getattr(one_device, form.__name__)): form
    for form in (
        advance, compute, filter, intersect, intersect_arcs, neighbor_reduce, reduce, sample_neighbors, copy_for_passes,
        copy_if_faster, traverse, visit_edges,
    )
}  # fmt: skip
"""The form of each operator over partitions. Operators without one are not available."""


def run(graph: BasePart, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call a function that reads a graph with a partition's graph: an operator's form, or an algorithm as it is."""
    bare = inspect.unwrap(function)
    form = FORMS.get(bare)
    if form is not None:
        graph.arrays.finish_results(args)
        return form(*args, **kwargs)
    if bare.__module__.startswith("frontier."):
        raise NotImplementedError(f"{bare.__name__} is not available for distributed graphs yet")
    result = getattr(function, "reader", function)(*args, **kwargs)
    graph.arrays.sync(graph.arrays.among(vars(result).values() if hasattr(result, "__dict__") else [result]))
    return result
