"""advance from the other end: each part looks back from its own vertices, along the edges that enter them.

Members of the frontier are known to all parts by a bit for each vertex, and what functors write are entries of own
vertices. So a dense step exchanges these bits in place of values of all vertices, and nothing afterwards.
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
from .frontiers import PartFrontier

if TYPE_CHECKING:
    from ..base import BasePart

PULL_ABOVE = 1 / 16
"""On CPUs a step is a pull if more than this fraction of the vertices were reached in the one before. (How many edges
they have is not known without an exchange.)"""


def check_pull(graph: BasePart, op: Callable, args: tuple, *, edges: str, prepare: Any, output: str | None) -> None:
    """Raise ValueError if a pull cannot do what is asked for."""
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
                f"{op.__name__}() writes to {name} at other ends than that of dst, which direction='pull' cannot send"
            )


def pull_pays(graph: BasePart, found: int, op: Callable, args: tuple, condition: Any, prepare: Any) -> bool:
    """Whether a pull is less work than a push, after a step that has reached so many vertices, and gives the same."""
    return found > PULL_ABOVE * graph.num_vertices and can_pull(graph, op, args, condition, prepare)


def has_many_arcs(graph: BasePart, count: int, arcs: int) -> bool:
    """Whether a pull is less work than a push from so many vertices with so many arcs: as on one device."""
    return count * PULL_FROM >= graph.num_vertices and arcs > graph.num_arcs * ARCS_ABOVE


def can_pull(graph: BasePart, op: Callable, args: tuple, condition: Any, prepare: Any) -> bool:
    """Whether a pull gives what a push does, and can stop early."""
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
    graph: BasePart, frontier: PartFrontier, op: Callable, args: tuple, condition: Callable | None, arrays: list[Any]
) -> tuple[PartFrontier, int, int]:  # fmt: skip
    """One pull. Returns how many vertices all parts have reached, too, and how many were in their frontiers.

    `arrays` are those by vertex among `args`.
    """
    read = [array for _, array, use, (_, dst, *_) in arrays_of(op, 4, args, graph.xp.ndarray) if use.reads - {dst}]
    graph.arrays.sync([array for array in arrays if any(array is each for each in read)])
    local = graph.local
    members = Frontier._of(local, bits=graph.comm.allreduce(frontier.local._bitmap()), size=1, arcs=1)
    entering = SimpleNamespace(reverse=graph.reverse.local)
    reached = pull_here(
        local,
        members,
        Functors(op, condition),
        functor_args(local, op, args),
        traversed=entering,  # type: ignore[arg-type]
    )
    found, entered = graph.comm.reduce_numbers([len(reached), len(frontier.local)])
    made = PartFrontier.of_part(graph, reached)
    made._count = found
    return made, found, entered
