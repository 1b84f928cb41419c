"""Steps of an operator over partitions on GPUs, and the updates of the arrays by vertex around each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

from frontier.operators.advance import Functors
from frontier.operators.dispatch.gpu_balance import gpu_balance
from frontier.operators.frontiers.frontier import Frontier

from ..exchange.levels import Columns, Mail
from . import persistent
from .checks import (
    by_vertex_among,
    check_at_edges,
    check_condition_and_prepare,
    found_among,
    read_afar,
    read_in_pull,
    written_at_edges,
)
from .frontiers import PartFrontier
from .pulls import can_pull
from .traversals import Levels

if TYPE_CHECKING:
    from ..base import BasePart

MAX_PLANS = 256  # plans of a graph: the bound matters to programs that redefine a functor for each call


@dataclass(frozen=True)
class ArgumentRoles:
    """The roles of an operator's arguments, given by their positions.

    They are equal for arguments of equal kinds (`VertexArrays.kinds_of`). Finding them costs more than a small search.
    """

    columns: Columns  # the types and rules of the arrays that travel
    column_places: tuple[int, ...]
    by_vertex: tuple[int, ...]
    settled: tuple[int, ...]  # owners' entries must be up to date before a step
    behind: tuple[int, ...]  # all copies must be
    read: tuple[int, ...]  # in a push, other entries than the source's are read
    pulled: tuple[int, ...]  # in a pull, other entries than the destination's are
    written: tuple[int, ...]
    united: tuple[int, ...]  # written, and combined as a whole
    are_independent: bool  # nothing has to be brought up to date between two steps
    can_pull: bool  # a pull is equivalent


class Steps:
    """Steps of one operator. `can_pull` if a pull is equivalent to a push."""

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
        if self._settled:
            self._arrays.settle(self._settled)
        if self._behind:
            self._arrays.sync(self._behind)

    def after(self) -> None:
        self._arrays.written(self._written)
        if self._united:
            self._arrays.unite(self._united)

    def one(self, step: Callable, frontier: Frontier) -> tuple[PartFrontier, int, int]:
        """Run a single step, a push or a pull of `levels`. Return the next frontier, its size, and the last one's."""
        self.before()
        made, _, entered = step(frontier, self.args)
        self.after()
        return made, len(made), entered

    def together(self, frontier: PartFrontier, **options: Any) -> tuple[PartFrontier, int] | None:
        """Run many steps in one launch on each partition, if possible. Return the last frontier and the step count."""
        window = persistent.window_of(self.levels.graph) if self._are_independent else None
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
    graph: BasePart, functors: Functors, args: tuple, balance: str = "auto", *, pulls: bool = False
) -> Steps | None:
    """Return the steps of an operator, if kernels can send its output.

    All checks are made here, once for arguments of the same kinds. With `pulls` there is one step, a pull, along the
    edges of the reverse.
    """
    if not Mail.can_carry(graph.comm):
        return None
    args = (graph.reverse if pulls else graph).with_own_columns(args)
    if not all(function is None or isinstance(function, FunctionType) for function in functors):
        plan = _plan(graph, functors, args, pulls)  # other objects may not be hashable, and are refused later
        return None if plan is None else Steps(graph, plan, functors, args, balance)
    plans, key = graph.arrays.plans, (*functors, pulls, graph.read_only, graph.arrays.kinds_of(args))
    if key not in plans:
        plan = _plan(graph, functors, args, pulls)  # raises if functors are refused
        if len(plans) >= MAX_PLANS:
            plans.clear()
        plans[key] = plan
    plan = plans[key]
    return None if plan is None else Steps(graph, plan, functors, args, balance)


def _plan(graph: BasePart, functors: Functors, args: tuple, pulls: bool) -> ArgumentRoles | None:
    """Return the roles of these arguments, and of all of these kinds, or None if kernels cannot send the output."""
    arrays, op = graph.arrays, functors.op
    check_at_edges(graph.reverse if pulls else graph, op, args)
    by_vertex = by_vertex_among(graph, op, args)
    columns = arrays.columns_to_send([] if pulls else by_vertex)
    if columns is None:
        return None
    behind = check_condition_and_prepare(graph, functors, args)
    at_vertices = functors.condition is not None or functors.prepare is not None
    settled = [array for array in arrays.among(args) if arrays.needs_settling(array)] if at_vertices else []
    read = read_afar(graph, by_vertex, functors, args)
    written = [*written_at_edges(by_vertex, functors, args), *columns.arrays]
    united = [array for array in by_vertex if arrays.is_united(array)]
    outdated = [array for array in found_among(read, written) if arrays.rule_of(array) is None]
    places = {id(value): place for place, value in enumerate(args)}

    def of(some: list[Any]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(places[id(array)] for array in some))

    return ArgumentRoles(
        columns.of_others([]), of(columns.arrays), of(by_vertex), of(settled), of(behind), of(read),
        of(read_in_pull(graph, by_vertex, op, args)), of(written), of(united),
        are_independent=not (settled or behind or united or columns.adds or outdated),
        can_pull=not pulls and can_pull(graph, functors, args),
    )  # fmt: skip
