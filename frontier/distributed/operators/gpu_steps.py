"""Steps of an operator over parts on GPUs, and what the arrays by vertex need around each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

from frontier.operators.advance import Functors
from frontier.operators.dispatch.gpu_balance import gpu_balance
from frontier.operators.frontiers.frontier import Frontier

from ..exchange.accesses import arrays_of
from ..exchange.levels import Columns, Mail
from . import persistent
from .checks import by_vertex_among, check_at_edges, check_at_vertices, found_among, read_afar, written_by
from .frontiers import PartFrontier
from .pulls import can_pull
from .traversals import Levels

if TYPE_CHECKING:
    from ..base import BasePart

MAX_PLANS = 256
"""Kept with a graph: programs that define a functor anew for each call would make ever more."""


@dataclass(frozen=True)
class ArgumentRoles:
    """What steps need of an operator's arguments, which are named by their places: it is the same for all arguments of
    the same kinds (`VertexArrays.kinds_of`), and takes longer to find out than a small search.

    Attributes
    ----------
    columns : Columns
        The types and rules of those that travel.
    column_places : tuple of int
    by_vertex : tuple of int
        The arrays by vertex.
    settled, behind : tuple of int
        What owners must hold before a step, and what all parts must.
    read, pulled : tuple of int
        What is read of other entries than that of the source, in a push, and than that of the destination, in a pull.
    written, united : tuple of int
        What a step writes, and of this what is combined as a whole.
    are_independent : bool
        Whether nothing has to be brought up to date between two steps.
    can_pull : bool
        Whether a pull gives the same.
    """

    columns: Columns
    column_places: tuple[int, ...]
    by_vertex: tuple[int, ...]
    settled: tuple[int, ...]
    behind: tuple[int, ...]
    read: tuple[int, ...]
    pulled: tuple[int, ...]
    written: tuple[int, ...]
    united: tuple[int, ...]
    are_independent: bool
    can_pull: bool


class Steps:
    """Steps of one operator.

    Attributes
    ----------
    levels : Levels
    args : tuple
        The arguments of the functors.
    can_pull : bool
        Whether a pull gives what a push does.
    """

    def __init__(self, graph: BasePart, plan: ArgumentRoles, functors: Functors, args: tuple, balance: str):
        def at(places: tuple[int, ...]) -> list[Any]:
            return [args[place] for place in places]

        columns = plan.columns.of_others(at(plan.column_places))
        self.levels = Levels(
            graph, functors, args, columns, at(plan.by_vertex), at(plan.read), at(plan.pulled), balance
        )
        self.args = args
        self.can_pull = plan.can_pull
        self._arrays = graph.arrays
        self._settled, self._behind = at(plan.settled), at(plan.behind)
        self._written, self._united = at(plan.written), at(plan.united)
        self._are_independent = plan.are_independent and gpu_balance(balance) == "tile"

    def before(self) -> None:
        """Before each step."""
        if self._settled:
            self._arrays.settle(self._settled)
        if self._behind:
            self._arrays.sync(self._behind)

    def after(self) -> None:
        """After each step."""
        self._arrays.written(self._written)
        if self._united:
            self._arrays.unite(self._united)

    def one(self, step: Callable, frontier: Frontier) -> tuple[PartFrontier, int, int]:
        """A single step, a push or a pull of `levels`: the next frontier, its size, and that of the one before."""
        self.before()
        made, _, entered = step(frontier, self.args)
        self.after()
        return made, len(made), entered

    def together(self, frontier: PartFrontier, **options: Any) -> tuple[PartFrontier, int] | None:
        """Many steps in one launch on each part, where that is possible: the frontier that is left, and how many
        steps."""
        graph = self.levels.graph
        window = persistent.window_of(graph) if self._are_independent else None
        if window is None:
            return None
        self.before()
        self.levels.prepare(frontier)
        left, done, shared = persistent.search(self.levels, window, frontier, self.args, **options)
        self.after()
        if shared:
            self._arrays.shared(self.levels.columns.arrays)
        return left, done


def steps_on_gpu(
    graph: BasePart, op: Callable, args: tuple, condition: Callable | None, prepare: Callable | None, balance: str,
    pulls: bool = False,
) -> Steps | None:  # fmt: skip
    """The steps of an operator, if kernels can send what it reaches. All checks are made here, once for arguments of
    the same kinds. With `pulls` there is one step, a pull, along the edges of the reverse."""
    if not Mail.can_carry(graph.comm):
        return None
    functors = Functors(op, condition, prepare)
    args = (graph.reverse if pulls else graph).with_own_columns(args)
    if not all(function is None or isinstance(function, FunctionType) for function in functors):
        plan = _plan(graph, functors, args, pulls)  # whatever they are, they may not be hashable, and are refused later
        return None if plan is None else Steps(graph, plan, functors, args, balance)
    plans, key = graph.arrays.plans, (*functors, pulls, graph.read_only, graph.arrays.kinds_of(args))
    if key not in plans:
        plan = _plan(graph, functors, args, pulls)  # raises if what functors do is refused
        if len(plans) >= MAX_PLANS:
            plans.clear()
        plans[key] = plan
    plan = plans[key]
    return None if plan is None else Steps(graph, plan, functors, args, balance)


def _plan(graph: BasePart, functors: Functors, args: tuple, pulls: bool) -> ArgumentRoles | None:
    """What the steps need of these arguments, and of others like them; None if kernels cannot send what they reach."""
    op, condition, prepare = functors
    arrays, kind = graph.arrays, graph.xp.ndarray
    check_at_edges(graph.reverse if pulls else graph, op, args)
    by_vertex = by_vertex_among(graph, op, args)
    columns = arrays.columns_to_send([] if pulls else by_vertex)
    if columns is None:
        return None
    settled: list[Any] = []
    behind: list[Any] = []
    for function, writable in ((condition, 0), (prepare, 1)):
        if function is not None:
            behind += check_at_vertices(graph, function, args, writable=writable)[1]
            settled = [array for array in arrays.among(args) if arrays.needs_settling(array)]
    read = read_afar(graph, op, args)
    if condition is not None:
        read += [array for _, array, use, _ in arrays_of(condition, 1, args, kind) if use.reads]
    read = found_among(by_vertex, read)
    pulled = [array for _, array, use, (_, dst, *_) in arrays_of(op, 4, args, kind) if use.reads - {dst}]
    written = [*written_by(by_vertex, op, args, first=4), *columns.arrays]
    if prepare is not None:
        written += written_by(by_vertex, prepare, args)
    united = [array for array in by_vertex if arrays.is_united(array)]
    outdated = [array for array in found_among(read, written) if arrays.rule_of(array) is None]
    places = {id(value): place for place, value in enumerate(args)}

    def of(some: list[Any]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(places[id(array)] for array in some))

    return ArgumentRoles(
        columns.of_others([]), of(columns.arrays), of(by_vertex), of(settled), of(behind), of(read),
        of(found_among(by_vertex, pulled)), of(written), of(united),
        are_independent=not (settled or behind or united or columns.adds or outdated),
        can_pull=not pulls and can_pull(graph, op, args, condition, prepare),
    )  # fmt: skip
