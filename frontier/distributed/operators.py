"""The operators over the parts of a graph: each part runs the operator of one device on what it owns, and then the
copies of vertices are brought together.

They are called by the same names, as ``frontier.advance(graph, ...)``: the functions there hand over to these.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import operators as one_device
from ..arguments import integer, one_of
from ..edge_frontier import check_edge_frontier
from ..frontier import Frontier, check_frontier, graph_of
from ..operators import Step
from ..operators.advance import DIRECTIONS, Functors
from ..operators.launch import gpu_balance
from ..operators.traverse import traverse_along
from . import batches, persistent
from .accesses import ANYWHERE, accesses_of, arrays_of
from .common import intersect
from .edge_frontiers import PartEdgeFrontier
from .frontiers import PartFrontier
from .levels import Mail, follow_updates
from .pulls import can_pull, check_pull, has_many_arcs, pull, pull_pays
from .traversals import Levels, search
from .triangles import PartOrientation, count_triangles
from .vertex_arrays import OF_NO_VERTEX, RESULTS

if TYPE_CHECKING:
    from .part import GraphPart


def advance(
    graph: GraphPart, frontier: PartFrontier, op: Callable, *args: Any, condition: Callable | None = None,
    prepare: Callable | None = None, direction: str = "auto", edges: str = "out", output: str | None = "vertices",
    unique: bool = True, balance: str = "auto",
) -> PartFrontier | PartEdgeFrontier | None:  # fmt: skip
    """`frontier.advance`, which pushes here unless it is told to pull, and puts each vertex out once.

    `op` returns True for each entry of a vertex array that it writes, and writes to that of `dst`; arrays whose rule is
    a function may be written anywhere, and what is added to those with the rule "add" arrives in any case. With
    ``output=None`` nothing is exchanged: then it writes to the entry of `src`, or adds.
    """
    if output not in ("vertices", "edges", None):
        raise NotImplementedError(f"output={output!r} is not available for a graph of several parts yet")
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
    if direction == "pull":
        made = _pull(along, frontier, op, args, condition)[0]
        return made if made.graph is graph else made._on(graph)
    if output is None:
        _push(along, frontier, op, args, condition, prepare, balance, output)
        return None
    if output == "edges":
        found, arrays = _push(along, frontier, op, args, condition, prepare, balance, output)
        along.arrays.to_owners(found.destinations._members(), arrays)
        along.arrays.unite(arrays)
        return PartEdgeFrontier.of_part(along, found)
    made = _advance(along, frontier, op, args, condition, prepare, balance)[0]
    return made if made.graph is graph else made._on(graph)


def _advance(
    graph: GraphPart, frontier: PartFrontier, op: Callable, args: tuple, condition: Callable | None,
    prepare: Callable | None, balance: str,
) -> tuple[PartFrontier, int, int]:  # fmt: skip
    """One push. Returns how many vertices all parts have reached, too, and how many were in their frontiers."""
    steps = _steps_on_gpu(graph, op, args, condition, prepare, balance)
    if steps is not None:
        frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
        found = steps.together(frontier, max_steps=1)
        if found is not None:
            return found[0], len(found[0]), found[1]
        return steps.one(steps.levels.push, frontier)
    size = len(check_frontier(graph, frontier).local)
    reached, arrays = _push(graph, frontier, op, args, condition, prepare, balance)
    members, (found, entered) = graph.arrays.to_owners(reached._members(), arrays, [size])
    graph.arrays.unite(arrays)
    made = PartFrontier.of_part(graph, Frontier._of(graph.local, members.astype(graph.vertex_dtype, copy=False)))
    if not found or graph.comm.size == 1:
        made._count = found
    return made, found, entered


def _pull(
    graph: GraphPart, frontier: PartFrontier, op: Callable, args: tuple, condition: Callable | None
) -> tuple[PartFrontier, int, int]:  # fmt: skip
    """One pull; the same of it."""
    steps = _steps_on_gpu(graph, op, args, condition, None, "auto", pulls=True)
    if steps is not None:
        return steps.one(steps.levels.pull, check_frontier(graph, frontier))
    frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
    args = _check_at_edges(graph.reverse, op, args)
    if condition is not None:
        _check_at_vertices(graph, condition, args, writable=0)
    arrays = _by_vertex(graph, op, args)
    made = pull(graph, frontier, op, args, condition, arrays)
    graph.arrays.written(_written(arrays, op, args, first=4))
    return made


@dataclass
class Steps:
    """Steps of one operator on a GPU, and what the arrays by vertex need around each of them.

    Attributes
    ----------
    levels : Levels
    args : tuple
        The arguments of the functors.
    before, after : function
    are_independent : bool
        Whether nothing has to be brought up to date between two steps, so that kernels can make them one after another.
    """

    levels: Levels
    args: tuple
    before: Callable[[], None]
    after: Callable[[], None]
    are_independent: bool

    def one(self, step: Callable, frontier: Frontier) -> tuple[PartFrontier, int, int]:
        """A single step, a push or a pull of `levels`; what `_advance` and `_pull` return."""
        self.before()
        made, _, entered = step(frontier, self.args)
        self.after()
        return made, len(made), entered

    def together(self, frontier: PartFrontier, **options: Any) -> tuple[PartFrontier, int] | None:
        """Many steps in one launch on each part, where that is possible: the frontier that is left, and how many steps."""
        graph = self.levels.graph
        window = persistent.window_of(graph) if self.are_independent else None
        if window is None:
            return None
        self.before()
        self.levels.prepare(frontier)
        left, done, shared = persistent.search(self.levels, window, frontier, self.args, **options)
        self.after()
        if shared:
            graph.arrays.shared(self.levels.columns.arrays)
        return left, done


def _steps_on_gpu(
    graph: GraphPart, op: Callable, args: tuple, condition: Callable | None, prepare: Callable | None, balance: str,
    pulls: bool = False,
) -> Steps | None:  # fmt: skip
    """The steps of an operator, if kernels can send what it reaches. All checks are made here, once.

    Parameters
    ----------
    pulls : bool
        Whether there is one step, a pull, along the edges of the reverse.
    """
    if not Mail.can_carry(graph.comm):
        return None
    arrays = graph.arrays
    args = _check_at_edges(graph.reverse if pulls else graph, op, args)
    by_vertex = _by_vertex(graph, op, args)
    columns = arrays.columns_to_send([] if pulls else by_vertex)
    if columns is None:
        return None
    settled: list[Any] = []
    behind: list[Any] = []
    for function, writable in ((condition, 0), (prepare, 1)):
        if function is not None:
            behind += _check_at_vertices(graph, function, args, writable=writable)[1]
            settled = [array for array in arrays.among(args) if arrays.needs_settling(array)]
    read = _read_afar(graph, op, args)
    if condition is not None:
        read += [array for _, array, use, _ in arrays_of(condition, 1, args, graph.xp.ndarray) if use.reads]
    pulled = [array for _, array, use, (_, dst, *_) in arrays_of(op, 4, args, graph.xp.ndarray) if use.reads - {dst}]
    written = [*_written(by_vertex, op, args, first=4), *columns.arrays]
    if prepare is not None:
        written += _written(by_vertex, prepare, args)
    united = [array for array in by_vertex if arrays.is_united(array)]

    def before() -> None:
        if settled:
            arrays.settle(settled)
        if behind:
            arrays.complete(behind)

    def after() -> None:
        arrays.written(written)
        if united:
            arrays.unite(united)

    levels = Levels(
        graph, Functors(op, condition, prepare), args, columns, by_vertex, _some(by_vertex, read),
        _some(by_vertex, pulled), balance,
    )  # fmt: skip
    outdated = [array for array in _some(read, written) if arrays.rule_of(array) is None]
    work = settled or behind or united or columns.adds or outdated  # between steps
    return Steps(levels, args, before, after, are_independent=not work and gpu_balance(balance) == "tile")


def _some(arrays: list[Any], among: list[Any]) -> list[Any]:
    """Those of some arrays that are among others."""
    return [array for array in arrays if any(array is each for each in among)]


def _push(
    graph: GraphPart, frontier: PartFrontier, op: Callable, args: tuple, condition: Callable | None,
    prepare: Callable | None, balance: str, output: str | None = "vertices",
) -> tuple[Any, list[Any]]:  # fmt: skip
    """Run the operator on the part. Returns what it has reached, and the arrays by vertex."""
    frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
    args = _check_at_edges(graph, op, args, sends=output is not None)
    for function, first in ((condition, 0), (prepare, 1)):
        if function is not None:
            _check_at_vertices(graph, function, args, writable=first)
    arrays = _by_vertex(graph, op, args)
    read = _read_afar(graph, op, args)
    if condition is not None:
        read += [array for _, array, use, _ in arrays_of(condition, 1, args, graph.xp.ndarray) if use.reads]
    graph.arrays.before_edges(
        arrays, [array for array in arrays if any(array is each for each in read)], writes_few=not frontier.is_everyone
    )  # fmt: skip
    reached = one_device.advance(
        graph.local, frontier.local, op, *args, condition=condition, prepare=prepare, direction="push",
        balance=balance, output=output,
    )  # fmt: skip
    if prepare is not None:
        graph.arrays.written(_written(arrays, prepare, args))
    graph.arrays.written(_written(arrays, op, args, first=4))
    if output is None:
        graph.arrays.unite(arrays)
    return reached, arrays


def traverse(
    graph: GraphPart, frontier: PartFrontier, op: Callable, *args: Any, condition: Callable | None = None,
    prepare: Callable | None = None, max_steps: int | None = None, max_arcs: int | None = None, edges: str = "out",
    balance: str = "auto",
) -> int:  # fmt: skip
    """`frontier.traverse`: an exchange after each advance, which also tells whether another one is needed."""
    values = list(args)
    steps = [i for i, value in enumerate(args) if isinstance(value, Step)]
    if len(steps) > 1:
        raise ValueError(f"traverse takes one Step among its arguments, not {len(steps)}")
    for i in steps:
        values[i] = np.int32(args[i].start)
    for limit, name in ((max_steps, "max_steps"), (max_arcs, "max_arcs")):
        if limit is not None:
            integer(limit, name, 0)
    frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
    both = edges == "both" and graph.directed
    if not both:
        along = _along(graph, edges)
        limits = {"max_steps": max_steps, "max_arcs": max_arcs}
        if graph.comm.size == 1:
            return _traverse_alone(
                along, frontier, op, args, tuple(values), condition=condition, prepare=prepare, balance=balance,
                **limits,
            )  # fmt: skip
        on_gpu = _steps_on_gpu(along, op, tuple(values), condition, prepare, balance)
        if on_gpu is not None:
            at = steps[0] if steps else None
            can = can_pull(along, op, on_gpu.args, condition, prepare)
            back = _check_at_edges(along.reverse, op, tuple(values)) if can else ()

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
            if pull_pays(along, found, op, given, condition, prepare):
                frontier, found, entered = _pull(along, frontier, op, given, condition)
            else:
                frontier, found, entered = _advance(along, frontier, op, given, condition, prepare, balance)
        done += entered > 0  # what others had reached may have been no news to the owners
        for i in steps:
            values[i] = np.int32(values[i] + 1)
    return done


def _traverse_alone(
    graph: GraphPart, frontier: PartFrontier, op: Callable, args: tuple, values: tuple, *, condition: Callable | None,
    prepare: Callable | None, max_steps: int | None, max_arcs: int | None, balance: str,
) -> int:  # fmt: skip
    """`traverse` of a graph in a single part: nothing is exchanged, so that it is that of one device.

    Parameters
    ----------
    graph : GraphPart
        Along whose out-edges to go.
    args, values : tuple
        The arguments, and the same with a number in place of a `Step`.
    """
    local, arrays = graph.local, graph.arrays
    frontier = check_frontier(graph, frontier)  # type: ignore[assignment]
    values = _check_at_edges(graph, op, values)
    for function, writable in ((condition, 0), (prepare, 1)):
        if function is not None:
            _check_at_vertices(graph, function, values, writable=writable)
    by_vertex = _by_vertex(graph, op, values)
    # The local graph of an undirected one has each edge both ways, though it is a directed graph.
    entering = graph.reverse.local if can_pull(graph, op, values, condition, prepare) else None
    given = tuple(old if isinstance(old, Step) else new for old, new in zip(args, values, strict=True))
    for each in graph.locals():
        follow_updates(each)
    done = traverse_along(
        local, frontier.local, op, given, condition=condition, prepare=prepare, max_steps=max_steps, max_arcs=max_arcs,
        balance=balance, entering=entering,
    )  # fmt: skip
    arrays.written(_written(by_vertex, op, values, first=4))
    if prepare is not None:
        arrays.written(_written(by_vertex, prepare, values))
    return done


def compute(frontier: PartFrontier, op: Callable, *args: Any) -> None:
    """`frontier.compute`. At edges, `op` writes to the entry of `src`, or adds."""
    if isinstance(frontier, PartEdgeFrontier):
        with _at_edges(frontier, op, args) as args:
            one_device.compute(frontier.local, op, *args)
        return
    graph: Any = graph_of(frontier)
    arrays, _ = _check_at_vertices(graph, op, args)
    one_device.compute(frontier.local, op, *args)
    graph.arrays.written(_written(arrays, op, args))


def filter(frontier: PartFrontier, op: Callable, *args: Any) -> PartFrontier:
    """`frontier.filter`; at edges as `compute`."""
    if isinstance(frontier, PartEdgeFrontier):
        with _at_edges(frontier, op, args) as args:
            edges = one_device.filter(frontier.local, op, *args)
        return PartEdgeFrontier.of_part(frontier.graph, edges)
    graph: Any = graph_of(frontier)
    arrays, _ = _check_at_vertices(graph, op, args)
    kept = one_device.filter(frontier.local, op, *args)
    graph.arrays.written(_written(arrays, op, args))
    return type(frontier).of_part(graph, kept)


def reduce(
    frontier: PartFrontier, op: Callable, *args: Any, reduce: str = "sum", dtype: Any = np.float64, out: Any = None,
    columns: int | None = None,
) -> Any:  # fmt: skip
    """`frontier.reduce`; the result is the same on all parts, in an array made by `results` once it is needed."""
    if columns is not None:
        raise NotImplementedError("columns is not available for a graph of several parts yet")
    of_edges = isinstance(frontier, PartEdgeFrontier)
    graph: Any = frontier.graph if of_edges else graph_of(frontier)
    deferred = out is not None and graph.arrays.rule_of(out) == RESULTS
    if deferred:
        graph.comm.overwrite(out)
    if of_edges:
        with _at_edges(frontier, op, args) as args:  # type: ignore[arg-type]
            found = one_device.reduce(frontier.local, op, *args, reduce=reduce, dtype=dtype, out=out)
    else:
        arrays, _ = _check_at_vertices(graph, op, args)
        found = one_device.reduce(frontier.local, op, *args, reduce=reduce, dtype=dtype, out=out)
        graph.arrays.written(_written(arrays, op, args))
    if deferred:
        graph.comm.defer_reduction(out, reduce)
        return out
    total = graph.comm.allreduce(found, reduce)
    if out is None:
        return total
    out[...] = total
    return out


def neighbor_reduce(
    graph: GraphPart, frontier: PartFrontier | None, op: Callable, *args: Any, reduce: str | Callable = "sum",
    identity: Any = None, dtype: Any = None, out: Any = None, columns: int | None = None, values: bool = False,
    score: Callable | None = None, balance: str = "auto",
) -> Any:  # fmt: skip
    """`frontier.neighbor_reduce`. With `out`, the copies of vertices that other parts own are brought up to date when
    they are needed."""
    if columns is not None or values or score is not None:
        raise NotImplementedError("columns, values and score are not available for a graph of several parts yet")
    args = _check_at_edges(graph, op, args, gathers=True)
    members = PartFrontier.all(graph) if frontier is None else check_frontier(graph, frontier)
    read = _read_afar(graph, op, args)
    graph.arrays.complete([array for array in _by_vertex(graph, op, args) if any(array is each for each in read)])
    if out is not None:
        graph.arrays.settle([out])
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
    args = _check_at_edges(graph, op, args, gathers=True)
    arrays = _by_vertex(graph, op, args)
    graph.arrays.before_edges(arrays, arrays, writes_few=not frontier.is_everyone)
    one_device.sample_neighbors(graph.local, frontier.local, op, *args, **options)
    graph.arrays.unite(arrays)


def intersect_arcs(graph: PartOrientation, pairs: None = None, tally: Any = None) -> int:
    """`frontier.intersect_arcs`, of an `Orientation`."""
    if not isinstance(graph, PartOrientation) or pairs is not None:
        raise NotImplementedError("intersect_arcs over several parts takes an Orientation")
    return count_triangles(graph, tally)


def visit_edges(
    graph: GraphPart, src: Any, dst: Any, op: Callable, *args: Any, output: bool = True
) -> PartFrontier | None:  # fmt: skip
    """`frontier.visit_edges`, of the edges that all parts list: each is visited by the owner of its source.

    Copies of arrays whose rule is a function are left apart until they are needed, so that a stream of batches that is
    rarely looked at exchanges nothing for them.
    """
    args = _check_at_edges(graph, op, args)
    src, dst = batches.to_sources(graph, src, dst)
    arrays = _by_vertex(graph, op, args)
    read = _read_afar(graph, op, args)
    graph.arrays.before_edges(
        arrays, [array for array in arrays if any(array is each for each in read)], writes_few=False
    )  # fmt: skip
    reached = one_device.visit_edges(graph.local, src, dst, op, *args, output=output)
    graph.arrays.written(_written(arrays, op, args, first=4))
    graph.arrays.set_apart(arrays)
    if not output:
        return None
    members, (found,) = graph.arrays.to_owners(reached._members(), arrays)
    made = PartFrontier.of_part(graph, Frontier._of(graph.local, members.astype(graph.vertex_dtype, copy=False)))
    if not found:
        made._count = 0
    return made


def snapshot_if_faster(graph: GraphPart, us: Any, vs: Any) -> GraphPart:
    """The graph itself: parts are looked up as they are stored."""
    return graph


def snapshot_for_passes(graph: GraphPart, passes: float) -> GraphPart:
    """The graph itself, likewise."""
    return graph


def _check_at_edges(
    graph: GraphPart, op: Callable, args: tuple, *, gathers: bool = False, sends: bool = True
) -> tuple:  # fmt: skip
    """Raise if `op` writes to what no rule combines.

    Parameters
    ----------
    gathers : bool
        Whether copies are not sent to their owners afterwards.
    sends : bool
        Whether those of the vertices that are put out are.

    Returns
    -------
    tuple
        The arguments to call `op` with: columns are those of the direction that is followed.
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


@contextmanager
def _at_edges(frontier: PartEdgeFrontier, op: Callable, args: tuple) -> Iterator[tuple]:
    """What surrounds an operator over the members of a frontier of edges; gives the arguments of `op`."""
    frontier.check()
    graph: Any = frontier.graph
    args = _check_at_edges(graph, op, args, sends=False)
    arrays = _by_vertex(graph, op, args)
    read = _read_afar(graph, op, args)
    graph.arrays.before_edges(arrays, [array for array in arrays if any(array is each for each in read)])
    yield args
    graph.arrays.written(_written(arrays, op, args, first=4))
    graph.arrays.unite(arrays)


def _by_vertex(graph: GraphPart, op: Callable, args: tuple) -> list[Any]:
    """The arrays by vertex among the arguments of a functor at edges.

    Those that it uses by edge alone are none, also if they have as many entries as there are vertices.
    """
    by_edge = [
        array for _, array, use, (_, _, edge, *_) in arrays_of(op, 4, args, graph.xp.ndarray)
        if use.reads | use.writes == {edge} and graph.arrays.rule_of(array) is None
    ]  # fmt: skip
    return [array for array in graph.arrays.among(args) if not any(array is each for each in by_edge)]


def _check_at_vertices(
    graph: GraphPart, op: Callable, args: tuple, *, writable: int = 1
) -> tuple[list[Any], list[Any]]:  # fmt: skip
    """Raise if `op` writes to entries of other vertices than that of its call; bring up to date what it reads.

    Returns the arrays by vertex, and those that it reads elsewhere than at the vertex.

    Parameters
    ----------
    writable : int
        How many of the first parameters are vertices whose entries may be written.
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
    graph.arrays.complete(behind)
    return arrays, behind


def _written(arrays: list[Any], op: Callable, args: tuple, first: int = 1) -> list[Any]:
    """Those of some arrays by vertex that a functor may have written to.

    Parameters
    ----------
    first : int
        Parameters before those of the user.
    """
    known = accesses_of(op) if isinstance(op, FunctionType) else None
    if known is None:
        return arrays
    names = list(known)[first:]
    used = {id(value) for name, value in zip(names, args, strict=False) if known[name].writes}
    return [array for array in arrays if id(array) in used]


def _read_afar(graph: GraphPart, op: Callable, args: tuple) -> list[Any]:
    """The arrays of which a functor at edges reads other entries than that of the source."""
    known = accesses_of(op) if isinstance(op, FunctionType) else None
    if known is None:
        return list(args)
    return [array for _, array, use, names in arrays_of(op, 4, args, graph.xp.ndarray) if use.reads - {names[0]}]


def _along(graph: GraphPart, edges: str) -> GraphPart:
    """The graph whose out-edges are the edges meant."""
    one_of(edges, "edges", ("out", "in", "both"))
    return graph.reverse if edges == "in" else graph


FORMS = {
    inspect.unwrap(getattr(one_device, form.__name__)): form
    for form in (
        advance, compute, filter, intersect, intersect_arcs, neighbor_reduce, reduce, sample_neighbors,
        snapshot_for_passes, snapshot_if_faster, traverse, visit_edges,
    )
}
"""What runs in place of each operator; those that are missing are not available over parts."""


def run(graph: GraphPart, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call what reads a graph, with the graph of a part: an operator's form, or an algorithm as it is."""
    bare = inspect.unwrap(function)
    form = FORMS.get(bare)
    if form is not None:
        graph.arrays.finish_results(args)
        return form(*args, **kwargs)
    if bare.__module__.startswith("frontier."):
        raise NotImplementedError(f"{bare.__name__} is not available for a graph of several parts yet")
    result = getattr(function, "reader", function)(*args, **kwargs)
    graph.arrays.complete(graph.arrays.among(vars(result).values() if hasattr(result, "__dict__") else [result]))
    return result
