"""What functors do with arrays by vertex, looked at before an operator over parts runs: it is refused if copies would
differ afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..exchange.accesses import ANYWHERE, accesses_of, arrays_of
from ..exchange.vertex_arrays import OF_NO_VERTEX

if TYPE_CHECKING:
    from ..base import BasePart


def check_at_edges(
    graph: BasePart, op: Callable, args: tuple, *, gathers: bool = False, sends: bool = True
) -> tuple:  # fmt: skip
    """Raise if `op` writes to what no rule combines; returns its arguments with the columns of the direction followed.

    An operator that `gathers` does not send copies to their owners afterwards; one that `sends` does so for the
    vertices of its output.
    """
    args = graph.with_own_columns(args)
    for name, array, use, (src, dst, edge, *_) in arrays_of(op, 4, args, graph.xp.ndarray):
        rule = graph.arrays.rule_of(array)
        if graph.read_only and rule is None and edge in use.reads | use.writes and not graph.is_column(array):
            raise ValueError(
                f"{op.__name__}() uses {name} by edge: along in-edges, which have other ids on a graph's parts, only "
                "columns of edge data can be"
            )
        if callable(rule) or rule in OF_NO_VERTEX or use.writes <= {src}:
            continue
        if use.writes <= {edge} and rule is None:  # an array by edge, which is a part's own
            if graph.inward is not None and graph.is_column(array):
                raise ValueError(
                    f"{op.__name__}() writes to {name}, a column of a graph with in_edges=True, of which other parts "
                    "have a copy: insert the edges with their new values"
                )
            continue
        if not sends and rule != "add":
            raise ValueError(
                f"{op.__name__}() writes to {name} at edges, where copies of a graph's parts would differ: have "
                "advance put vertices out, so that their entries go to the parts that own them"
            )
        if rule is None or gathers or not use.writes <= {src, dst}:
            advice = "a function as its rule" if rule is not None or gathers or ANYWHERE in use.writes else "a rule"
            raise ValueError(
                f"{op.__name__}() writes to {name} at edges, where copies of a graph's parts would differ: make it "
                f"with graph.vertex_array(..., combine=...), with {advice}"
            )
    return args


def by_vertex_among(graph: BasePart, op: Callable, args: tuple) -> list[Any]:
    """The arrays by vertex among the arguments of a functor at edges.

    Those that it uses by edge alone are none, also if they have as many entries as there are vertices.
    """
    by_edge = [
        array for _, array, use, (_, _, edge, *_) in arrays_of(op, 4, args, graph.xp.ndarray)
        if use.reads | use.writes == {edge} and graph.arrays.rule_of(array) is None
    ]  # fmt: skip
    return [array for array in graph.arrays.among(args) if not any(array is each for each in by_edge)]


def check_at_vertices(
    graph: BasePart, op: Callable, args: tuple, *, writable: int = 1
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """Raise if `op` writes to entries of other vertices than that of its call; bring up to date what it reads.

    Returns the arrays by vertex, and those that it reads elsewhere than at the vertex. The first `writable` parameters
    are vertices whose entries may be written.
    """
    arrays = graph.arrays.among(args)
    graph.arrays.settle(arrays)
    behind = []
    for name, array, use, vertex in arrays_of(op, 1, args, graph.xp.ndarray):
        rule = graph.arrays.rule_of(array)
        if not (use.writes <= set(vertex[:writable]) or rule in OF_NO_VERTEX or (callable(rule) and writable)):
            raise ValueError(
                f"{op.__name__}() writes to entries of {name} that are not those of {vertex[0]}: in a graph of several "
                "parts each of them has a copy"
            )
        if not use.reads <= set(vertex) and graph.arrays.among([array]) and not callable(rule):
            behind.append(array)
    graph.arrays.sync(behind)
    return arrays, behind


def written_by(arrays: list[Any], op: Callable, args: tuple, first: int = 1) -> list[Any]:
    """Those of some arrays by vertex that a functor may have written to, which has `first` parameters before the
    user's."""
    known = accesses_of(op) if isinstance(op, FunctionType) else None
    if known is None:
        return arrays
    names = list(known)[first:]
    used = {id(value) for name, value in zip(names, args, strict=False) if known[name].writes}
    return [array for array in arrays if id(array) in used]


def read_afar(graph: BasePart, op: Callable, args: tuple) -> list[Any]:
    """The arrays of which a functor at edges reads other entries than that of the source."""
    known = accesses_of(op) if isinstance(op, FunctionType) else None
    if known is None:
        return list(args)
    return [array for _, array, use, names in arrays_of(op, 4, args, graph.xp.ndarray) if use.reads - {names[0]}]


def found_among(arrays: list[Any], among: list[Any]) -> list[Any]:
    """Those of some arrays that are among others."""
    return [array for array in arrays if any(array is each for each in among)]
