"""Check how functors access arrays by vertex before an operator over partitions runs.

It is refused if copies would differ afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from frontier.operators.neighbor_mode import SCORE_PARAMETERS

from ..exchange.accesses import ANYWHERE, accesses_of, arrays_of
from ..exchange.vertex_arrays import OF_NO_VERTEX

if TYPE_CHECKING:
    from frontier.operators.advance import Functors

    from ..base import BasePart


def check_at_edges(graph: BasePart, op: Callable, args: tuple, *, gathers: bool = False, sends: bool = True) -> tuple:
    """Raise if `op` writes to entries that no rule combines. Return its arguments, with columns of the direction that
    is followed.

    An operator that `gathers` does not send copies to their owners afterwards. One that `sends` does so for its output.
    """
    args = graph.with_own_columns(args)
    for name, array, use, (src, dst, edge, *_) in arrays_of(op, 4, args, graph.xp.ndarray):
        rule = graph.arrays.rule_of(array)
        if graph.read_only and rule is None and edge in use.reads | use.writes and not graph.is_column(array):
            raise ValueError(
                f"{op.__name__}() uses {name} by edge: along in-edges, which partitions number differently, only "
                "columns of edge data can be"
            )
        if callable(rule) or rule in OF_NO_VERTEX or use.writes <= {src}:
            continue
        if use.writes <= {edge} and rule is None:  # an array by edge, of this partition only
            if graph.inward is not None and graph.is_column(array):
                raise ValueError(
                    f"{op.__name__}() writes to {name}, a column of a graph with in_edges=True, of which other "
                    "partitions have a copy: insert the edges with their new values"
                )
            continue
        if not sends and rule != "add":
            raise ValueError(
                f"{op.__name__}() writes to {name} at edges, where the partitions' copies would differ: let "
                "advance return vertices, whose entries then go to their owners"
            )
        if rule is None or gathers or not use.writes <= {src, dst}:
            advice = "a function as its rule" if rule is not None or gathers or ANYWHERE in use.writes else "a rule"
            raise ValueError(
                f"{op.__name__}() writes to {name} at edges, where the partitions' copies would differ: make it "
                f"with graph.vertex_array(..., combine=...), with {advice}"
            )
    return args


def by_vertex_among(graph: BasePart, op: Callable, args: tuple) -> list[Any]:
    """Return the arrays by vertex among the arguments of a functor at edges.

    An array that it uses only by edge is none, even if its length is the number of vertices.
    """
    by_edge = [
        array for _, array, use, (_, _, edge, *_) in arrays_of(op, 4, args, graph.xp.ndarray)
        if use.reads | use.writes == {edge} and graph.arrays.rule_of(array) is None
    ]  # fmt: skip
    return [array for array in graph.arrays.among(args) if not any(array is each for each in by_edge)]


def check_at_vertices(
    graph: BasePart, op: Callable, args: tuple, *, writable: int = 1, adds: bool = False
) -> tuple[list[Any], list[Any]]:
    """Raise if `op` writes to entries of other vertices than its own, and update the arrays that it reads.

    Returns the arrays by vertex, and the arrays read at other vertices. The entries of the first `writable` parameters
    may be written. With `adds`, `op` may add to any entries of arrays with the rule "add".
    """
    arrays = graph.arrays.among(args)
    graph.arrays.settle(arrays)
    behind, added = [], []
    for name, array, use, vertex in arrays_of(op, 1, args, graph.xp.ndarray):
        rule = graph.arrays.rule_of(array)
        own = set(vertex[:writable])
        if adds and rule == "add" and use.reads <= own and not use.writes <= own:
            added.append(array)
        elif not (use.writes <= own or rule in OF_NO_VERTEX or (callable(rule) and writable)):
            raise ValueError(
                f"{op.__name__}() writes to entries of {name} at other vertices than {vertex[0]}: in a distributed "
                "graph each partition has a copy of them"
            )
        if not use.reads <= set(vertex) and graph.arrays.among([array]) and not callable(rule):
            behind.append(array)
    graph.arrays.sync(behind)
    graph.arrays.hold_sums(added)
    return arrays, behind


def written_by(arrays: list[Any], op: Callable, args: tuple, first: int = 1) -> list[Any]:
    """Return the arrays that a functor may write to. The first `first` parameters precede the user's."""
    known = accesses_of(op) if isinstance(op, FunctionType) else None
    if known is None:
        return arrays
    used = {id(value) for name, value in zip(list(known)[first:], args, strict=False) if known[name].writes}
    return [array for array in arrays if id(array) in used]


def check_condition_and_prepare(graph: BasePart, functors: Functors, args: tuple) -> list[Any]:
    """Check both functors at vertices, and return the arrays that they read elsewhere than at the vertex."""
    behind: list[Any] = []
    for function, writable in ((functors.condition, 0), (functors.prepare, 1)):
        if function is not None:
            behind += check_at_vertices(graph, function, args, writable=writable)[1]
    return behind


def read_afar(graph: BasePart, arrays: list[Any], functors: Functors, args: tuple) -> list[Any]:
    """Return the arrays of which a push reads other entries than the source's."""
    op, condition, _ = functors
    if not isinstance(op, FunctionType) or accesses_of(op) is None:
        return arrays
    kind = graph.xp.ndarray
    read = [array for _, array, use, (src, *_) in arrays_of(op, 4, args, kind) if use.reads - {src}]
    if condition is not None:
        read += [array for _, array, use, _ in arrays_of(condition, 1, args, kind) if use.reads]
    return found_among(arrays, read)


def read_by_score(graph: BasePart, arrays: list[Any], score: Callable | None, args: tuple) -> list[Any]:
    """Return the arrays of which the score of a value at a vertex reads entries other than the vertex's."""
    if score is None:
        return []
    if not isinstance(score, FunctionType) or accesses_of(score) is None:
        return arrays
    uses = arrays_of(score, len(SCORE_PARAMETERS), args, graph.xp.ndarray)
    for name, _, use, _ in uses:
        if use.writes:
            raise ValueError(f"{score.__name__}() writes to {name}: a score only reads arrays")
    return found_among(arrays, [array for _, array, use, (src, *_) in uses if use.reads - {src}])


def read_in_pull(graph: BasePart, arrays: list[Any], op: Callable, args: tuple) -> list[Any]:
    """Return the arrays of which a pull reads other entries than the destination's."""
    uses = arrays_of(op, 4, args, graph.xp.ndarray)
    return found_among(arrays, [array for _, array, use, (_, dst, *_) in uses if use.reads - {dst}])


def written_at_edges(arrays: list[Any], functors: Functors, args: tuple) -> list[Any]:
    """Return the arrays that an operator at edges may write to."""
    written = written_by(arrays, functors.op, args, first=4)
    return written if functors.prepare is None else [*written, *written_by(arrays, functors.prepare, args)]


def found_among(arrays: list[Any], among: list[Any]) -> list[Any]:
    return [array for array in arrays if any(array is each for each in among)]
