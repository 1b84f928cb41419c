"""advance from the other end: each partition looks back from its own vertices, along the edges that enter them.

All partitions know the members of the frontier by a bit for each vertex, and functors write entries of owned vertices.
So a dense step exchanges these bits instead of values of all vertices, and nothing afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from frontier.functor import uses_parameter
from frontier.operators.advance import PULL_ABOVE as ARCS_ABOVE
from frontier.operators.advance import PULL_FROM, Functors
from frontier.operators.advance import pull as pull_here
from frontier.operators.dispatch.kernels import EDGE_POSITION, functor_args
from frontier.operators.frontiers.frontier import Frontier

from ..exchange.accesses import accesses_of, arrays_of
from ..exchange.vertex_arrays import OF_NO_VERTEX
from .checks import read_in_pull
from .frontiers import PartFrontier

if TYPE_CHECKING:
    from ..base import BasePart

PULL_ABOVE = 1 / 16
"""On CPUs a step is a pull if the last one has reached more than this fraction of the vertices. (Counting their edges
would need an exchange.)"""


def check_pull(graph: BasePart, op: Callable, args: tuple, *, edges: str, prepare: Any, output: str | None) -> None:
    """Raise ValueError if a pull does not support these options."""
    if not graph.has_in_edges:
        raise ValueError("direction='pull' needs the edges that enter a vertex: make the graph with in_edges=True")
    if edges == "both" and graph.directed:
        raise ValueError("direction='pull' follows edges one way: it cannot be combined with edges='both'")
    if prepare is not None:
        raise ValueError("direction='pull' does not go through the frontier's members, so it cannot prepare them")
    if output != "vertices":
        raise ValueError(f"direction='pull' searches for vertices: it cannot be combined with output={output!r}")
    for name, array, use, (_, dst, edge, *_) in arrays_of(op, 4, args, graph.xp.ndarray):
        rule = graph.arrays.rule_of(array)
        if callable(rule) or not (use.writes <= {dst} or use.writes <= {edge} or rule in OF_NO_VERTEX):
            raise ValueError(
                f"{op.__name__}() writes to {name} at vertices other than dst, which direction='pull' cannot send"
            )


def pull_pays(graph: BasePart, found: int, functors: Functors, args: tuple) -> bool:
    """Return whether a pull is equivalent and less work than a push, after a step that reached `found` vertices."""
    return found > PULL_ABOVE * graph.num_vertices and can_pull(graph, functors, args)


def has_many_arcs(graph: BasePart, count: int, arcs: int) -> bool:
    """Return whether a pull is less work than a push from `count` vertices with `arcs` arcs: as on one device."""
    return count * PULL_FROM >= graph.num_vertices and arcs > graph.num_arcs * ARCS_ABOVE


def can_pull(graph: BasePart, functors: Functors, args: tuple) -> bool:
    """Return whether a pull is equivalent to a push, and can stop early."""
    op, condition, prepare = functors
    if condition is None or prepare is not None:
        return False
    if not graph.has_in_edges or not isinstance(op, FunctionType) or accesses_of(op) is None:
        return False
    if graph.edge_data is None and uses_parameter(op, EDGE_POSITION):
        return False
    for _, array, use, (_, dst, edge, *_) in arrays_of(op, 4, args, graph.xp.ndarray):
        rule = graph.arrays.rule_of(array)
        if graph.inward is not None and rule is None and edge in use.reads | use.writes and not graph.is_column(array):
            return False  # in-edges have other ids
        if callable(rule) or not (use.writes <= {dst} or rule in OF_NO_VERTEX):
            return False
        if graph.arrays.among([array]) and not use.reads <= {dst, edge}:
            return False  # copies would have to be brought up to date
    return True


def pull(
    graph: BasePart, frontier: PartFrontier, functors: Functors, args: tuple, arrays: list[Any]
) -> tuple[PartFrontier, int, int]:
    """Run one pull, and return the next frontier, its total size over all partitions, and the total size of `frontier`.

    `arrays` are the arrays by vertex among `args`.
    """
    graph.arrays.sync(read_in_pull(graph, arrays, functors.op, args))
    local = graph.local
    members = Frontier._of(local, bits=graph.comm.allreduce(frontier.local._bitmap()), size=1, arcs=1)
    entering: Any = SimpleNamespace(reverse=graph.reverse.local)
    reached = pull_here(local, members, functors, functor_args(local, functors.op, args), traversed=entering)
    found, entered = graph.comm.reduce_numbers([len(reached), len(frontier.local)])
    made = PartFrontier.of_part(graph, reached)
    made._count = found
    return made, found, entered
