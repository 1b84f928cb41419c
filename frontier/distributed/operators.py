"""The operators over the parts of a graph: each part runs the operator of one device on what it owns, and then the
copies of vertices are brought together.

They are called by the same names, as ``frontier.advance(graph, ...)``: the functions there hand over to these.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import operators as one_device
from ..arguments import integer
from ..frontier import Frontier, check_frontier, graph_of
from ..operators import Step
from .accesses import ANYWHERE, accesses_of, arrays_of
from .frontiers import PartFrontier
from .triangles import PartOrientation, count_triangles

if TYPE_CHECKING:
    from .part import GraphPart


def advance(
    graph: GraphPart, frontier: PartFrontier, op: Callable, *args: Any, condition: Callable | None = None,
    prepare: Callable | None = None, direction: str = "auto", edges: str = "out", output: str | None = "vertices",
    unique: bool = True, balance: str = "auto",
) -> PartFrontier:  # fmt: skip
    """`frontier.advance`, which always pushes here, and puts each vertex out once.

    `op` returns True for each entry of a vertex array that it writes, and writes to that of `dst`; arrays whose rule is
    a function may be written anywhere.
    """
    if output != "vertices":
        raise NotImplementedError(f"output={output!r} is not available for a graph of several parts yet")
    frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
    _check_ways(graph, edges)
    if direction == "pull":
        raise ValueError("direction='pull' is not available for a graph of several parts: use 'auto' or 'push'")
    _check_at_edges(graph, op, args)
    for function, first in ((condition, 0), (prepare, 1)):
        if function is not None:
            _check_at_vertices(graph, function, args, writable=first)
    arrays = graph.arrays.among(args)
    graph.arrays.before_edges(arrays)
    reached = one_device.advance(
        graph.local, frontier.local, op, *args, condition=condition, prepare=prepare, direction=direction,
        balance=balance,
    )  # fmt: skip
    if prepare is not None:
        graph.arrays.written(arrays)
    members = graph.arrays.to_owners(reached._members(), arrays)
    _unite(graph, arrays)
    return PartFrontier.of_part(graph, Frontier._of(graph.local, members.astype(graph.vertex_dtype, copy=False)))


def traverse(
    graph: GraphPart, frontier: PartFrontier, op: Callable, *args: Any, condition: Callable | None = None,
    prepare: Callable | None = None, max_steps: int | None = None, max_arcs: int | None = None, edges: str = "out",
    balance: str = "auto",
) -> int:  # fmt: skip
    """`frontier.traverse`: an exchange after each advance."""
    values = list(args)
    steps = [i for i, value in enumerate(args) if isinstance(value, Step)]
    if len(steps) > 1:
        raise ValueError(f"traverse takes one Step among its arguments, not {len(steps)}")
    for i in steps:
        values[i] = np.int32(args[i].start)
    for limit, name in ((max_steps, "max_steps"), (max_arcs, "max_arcs")):
        if limit is not None:
            integer(limit, name, 0)
    done = 0
    while frontier and (max_steps is None or done < max_steps):
        if max_arcs is not None and frontier.num_arcs > max_arcs:
            break
        frontier = advance(
            graph, frontier, op, *values, condition=condition, prepare=prepare, edges=edges, balance=balance
        )
        done += 1
        for i in steps:
            values[i] = np.int32(values[i] + 1)
    return done


def compute(frontier: PartFrontier, op: Callable, *args: Any) -> None:
    """`frontier.compute`."""
    graph: Any = graph_of(frontier)
    _check_at_vertices(graph, op, args)
    one_device.compute(frontier.local, op, *args)
    graph.arrays.written(_written(graph, op, args))


def filter(frontier: PartFrontier, op: Callable, *args: Any) -> PartFrontier:
    """`frontier.filter`."""
    graph: Any = graph_of(frontier)
    _check_at_vertices(graph, op, args)
    kept = one_device.filter(frontier.local, op, *args)
    graph.arrays.written(_written(graph, op, args))
    return PartFrontier.of_part(graph, kept)


def reduce(
    frontier: PartFrontier, op: Callable, *args: Any, reduce: str = "sum", dtype: Any = np.float64, out: Any = None,
    columns: int | None = None,
) -> Any:  # fmt: skip
    """`frontier.reduce`; the result is the same on all parts."""
    if columns is not None:
        raise NotImplementedError("columns is not available for a graph of several parts yet")
    graph: Any = graph_of(frontier)
    _check_at_vertices(graph, op, args)
    found = one_device.reduce(frontier.local, op, *args, reduce=reduce, dtype=dtype, out=out)
    graph.arrays.written(_written(graph, op, args))
    total = graph.comm.allreduce(found, reduce)
    if out is None:
        return total
    out[...] = total
    return out


def neighbor_reduce(
    graph: GraphPart, frontier: PartFrontier | None, op: Callable, *args: Any, reduce: str | Callable = "sum",
    identity: Any = None, dtype: Any = None, out: Any = None, columns: int | None = None, values: bool = False,
    balance: str = "auto",
) -> Any:  # fmt: skip
    """`frontier.neighbor_reduce`. With `out`, the copies of vertices that other parts own are brought up to date when
    they are needed."""
    if columns is not None or values:
        raise NotImplementedError("columns and values are not available for a graph of several parts yet")
    _check_at_edges(graph, op, args, gathers=True)
    members = PartFrontier.all(graph) if frontier is None else check_frontier(graph, frontier)
    graph.arrays.complete(graph.arrays.among(args))
    found = one_device.neighbor_reduce(
        graph.local, members.local, op, *args, reduce=reduce, identity=identity, dtype=dtype, out=out,  # type: ignore
        balance=balance,
    )  # fmt: skip
    graph.arrays.written([found])
    if out is None:
        graph.arrays.complete([found])
    return found


def sample_neighbors(graph: GraphPart, frontier: PartFrontier, op: Callable, *args: Any, **options: Any) -> None:
    """`frontier.sample_neighbors`."""
    frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
    _check_at_edges(graph, op, args, gathers=True)
    arrays = graph.arrays.among(args)
    graph.arrays.before_edges(arrays)
    one_device.sample_neighbors(graph.local, frontier.local, op, *args, **options)
    _unite(graph, arrays)


def intersect_arcs(graph: PartOrientation, pairs: None = None, tally: Any = None) -> int:
    """`frontier.intersect_arcs`, of an `Orientation`."""
    if not isinstance(graph, PartOrientation) or pairs is not None:
        raise NotImplementedError("intersect_arcs over several parts takes an Orientation")
    return count_triangles(graph, tally)


def _check_at_edges(graph: GraphPart, op: Callable, args: tuple, *, gathers: bool = False) -> None:
    """Raise if `op` writes to what no rule combines.

    Parameters
    ----------
    gathers : bool
        Whether copies are not sent to their owners afterwards.
    """
    for name, array, use, (src, dst, *_) in arrays_of(op, 4, args, graph.xp.ndarray):
        rule = graph.arrays.rule_of(array)
        if callable(rule) or use.writes <= {src}:
            continue
        if rule is None or gathers or not use.writes <= {src, dst}:
            advice = "a function as its rule" if rule is not None or gathers or ANYWHERE in use.writes else "a rule"
            raise ValueError(
                f"{op.__name__}() writes to {name} at edges, where copies of a graph's parts would differ: make it "
                f"with graph.vertex_array(..., combine=...), with {advice}"
            )


def _check_at_vertices(graph: GraphPart, op: Callable, args: tuple, *, writable: int = 1) -> None:
    """Raise if `op` writes to entries of other vertices than that of its call; bring up to date what it reads of them.

    Parameters
    ----------
    writable : int
        How many of the first parameters are vertices whose entries may be written.
    """
    for name, array, use, vertex in arrays_of(op, 1, args, graph.xp.ndarray):
        if not use.writes <= set(vertex[:writable]):
            raise ValueError(
                f"{op.__name__}() writes to entries of {name} that are not those of {vertex[0]}: in a graph of several "
                "parts each of them has a copy"
            )
        if not use.reads <= set(vertex) and graph.arrays.among([array]) and not graph.arrays.is_united(array):
            graph.arrays.complete([array])


def _written(graph: GraphPart, op: Callable, args: tuple) -> list[Any]:
    """The arrays by vertex that a functor over vertices may have written to."""
    arrays = graph.arrays.among(args)
    known = accesses_of(op) if isinstance(op, FunctionType) else None
    if known is None:
        return arrays
    names = list(known)[1:]
    used = {id(value) for name, value in zip(names, args, strict=False) if known[name].writes}
    return [array for array in arrays if id(array) in used]


def _check_ways(graph: GraphPart, edges: str) -> None:
    if edges != "out" and graph.directed:
        raise ValueError(f"edges={edges!r} needs the edges that enter a vertex, which a directed graph of several "
                         "parts does not keep yet")  # fmt: skip


def _unite(graph: GraphPart, arrays: list[Any]) -> None:
    if any(graph.arrays.is_united(array) for array in arrays):
        graph.arrays.unite(Frontier.all(graph.local), arrays)


FORMS = {
    inspect.unwrap(getattr(one_device, form.__name__)): form
    for form in (
        advance, compute, filter, intersect_arcs, neighbor_reduce, reduce, sample_neighbors, traverse
    )
}
"""What runs in place of each operator; those that are missing are not available over parts."""


def run(graph: GraphPart, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call what reads a graph, with the graph of a part: an operator's form, or an algorithm as it is."""
    bare = inspect.unwrap(function)
    form = FORMS.get(bare)
    if form is not None:
        return form(*args, **kwargs)
    if bare.__module__.startswith("frontier."):
        raise NotImplementedError(f"{bare.__name__} is not available for a graph of several parts yet")
    result = getattr(function, "reader", function)(*args, **kwargs)
    graph.arrays.complete(graph.arrays.among(vars(result).values() if hasattr(result, "__dict__") else [result]))
    return result
