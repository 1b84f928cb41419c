"""The way of every update through a graph over parts. All parts go it at the same time.

    route     arcs go to the owners of their sources (`routing`)
    reserve   the edges to notify observers of, and, where memory is tight, what undoes the change
    notify    of edges that are about to change or to leave
    exchange  in graphs with in-edges, arcs go to the owners of their destinations, too
    apply     each local graph takes its arcs as a graph on one device does (`CoreDynamicGraph.insert_arcs`)
    vote      counts and failures are exchanged at once: if a part has failed, all of them undo the change
    commit    the numbers of the graph follow
    notify    of edges that came, changed or left, or of vertices

`run` is the way from `reserve` on; a `PartChange` says what its stages are for one kind of update. An update whose
arcs are on their parts already, such as an expiry, begins there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from frontier.core.batch import Arcs
from frontier.core.component import component_of
from frontier.core.observers import Notification
from frontier.core.results import UpdateResult
from frontier.features.snapshots import History

from .agreement import EXPECTED, all_or_none, attempt, raise_first
from .routing import OwnedArcs, route_by_target
from .undo import undo_of

if TYPE_CHECKING:
    from ..base import BasePart

Calls = list[tuple[str, list[Notification]]]
"""Methods of observers, each with its notifications."""
VERSION = attrgetter("version")
Targets = list[tuple[str, Any]]
"""The local graphs of a part by name, each with the arcs that it gets."""


class PartChange:
    """A change of a graph over parts.

    Attributes
    ----------
    arcs : OwnedArcs or None
        None for changes of vertices.
    """

    subject = "a batch"
    arcs: OwnedArcs | None = None

    def notifications(self, part: BasePart) -> tuple[Calls, Calls]:
        """The notifications of observers before and after the change."""
        raise NotImplementedError

    def apply(self, part: BasePart, name: str, arcs: Any) -> Any:
        """Change the local graph of a name, and return what its method does."""
        raise NotImplementedError

    def commit(self, part: BasePart, done: Any) -> None:
        """Follow the change that all parts have made; `done` is what the first local graph has returned."""


class Insertion(PartChange):
    """An insertion of arcs, as `CoreDynamicGraph.insert_arcs` takes them."""

    def __init__(self, arcs: OwnedArcs, on_existing: str = "replace", *, resolved: bool = False):
        self.arcs: OwnedArcs = arcs
        self._on_existing = on_existing
        self._resolved = resolved

    def notifications(self, part: BasePart) -> tuple[Calls, Calls]:
        src, dst = self.arcs.src, self.arcs.dst
        new = part.notifications(src, dst, present=False)
        changed = [] if self._on_existing == "keep" else part.notifications_of_changes(src, dst)
        return [("edges_changing", changed)], [("edges_inserted", new), ("edges_changed", changed)]

    def apply(self, part: BasePart, name: str, arcs: OwnedArcs) -> UpdateResult:
        part.ghosts[name].mark(arcs.dst)
        local, data = getattr(part, name), arcs.data or None if arcs.columns else None
        if local.version or local.num_arcs or _is_followed(local):
            return local.insert_arcs(
                arcs.src, arcs.dst, arcs.weights, on_existing=self._on_existing, data=data, resolved=self._resolved
            )  # fmt: skip
        try:  # as `from_edges` does: faster than an insertion, and without gaps
            local.payload.build_arcs(local, Arcs(arcs.src, arcs.dst, arcs.weights), data or {})
        except EXPECTED:
            setattr(part, name, part.new_local())  # a structure that is being filled promises nothing
            raise
        return UpdateResult(inserted=local.num_arcs)


class Deletion(PartChange):
    """A deletion of arcs."""

    def __init__(self, arcs: OwnedArcs):
        self.arcs: OwnedArcs = arcs

    def notifications(self, part: BasePart) -> tuple[Calls, Calls]:
        gone = part.notifications(self.arcs.src, self.arcs.dst, present=True)
        return [("edges_deleting", gone)], [("edges_deleted", gone)]

    def apply(self, part: BasePart, name: str, arcs: OwnedArcs) -> UpdateResult:
        return getattr(part, name).delete_arcs(arcs.src, arcs.dst)


class VertexChange(PartChange):
    """An insertion or a deletion of vertices: all local graphs know all vertices.

    Attributes
    ----------
    done : any
        The result of the method of the first local graph.
    """

    subject = "an update of the vertices"

    def __init__(self, method: str, argument: Any):
        self._method = method
        self._argument = argument
        self.done: Any = None

    def notifications(self, part: BasePart) -> tuple[Calls, Calls]:
        return [], [("vertices_changed", [(observer, ()) for observer in part._observers.live()])]

    def apply(self, part: BasePart, name: str, arcs: Any) -> Any:
        return getattr(getattr(part, name), self._method)(self._argument)

    def commit(self, part: BasePart, done: Any) -> None:
        self.done = done
        part.partition.extend(part.num_vertices)


def run(part: BasePart, change: PartChange) -> UpdateResult:
    """Change the local graphs of all parts, or of none, and notify observers.

    Returns what all parts have changed, in edges of the whole graph.
    """
    before: Calls = []
    after: Calls = []
    if part._observers.live():
        is_safe = change.arcs is None or change.arcs.safe
        find = partial(change.notifications, part)
        before, after = find() if is_safe else all_or_none(part, find)
    for method, notifications in before:
        part._observers.notify(method, notifications)
    targets: Targets = [("local", change.arcs)]
    if part.inward is not None:
        routed = None if change.arcs is None else route_by_target(part, change.arcs)
        targets.append(("inward", routed))
    result = _apply(part, change, targets)
    for method, notifications in after:
        part._observers.notify(method, notifications)
    return result


def _apply(part: BasePart, change: PartChange, targets: Targets) -> UpdateResult:
    """Change local graphs, vote, and commit.

    Arcs that a batch changes are looked up before, and can be restored where another part fails. That takes about as
    long as the batch itself, and is left out where all parts have several times the memory that they may need. Should
    one fail nevertheless, the graph cannot be used again.
    """
    undo = _undo_steps(part, change, targets)
    versions = list(map(VERSION, part.locals()))
    done, error, gained = None, None, 0
    numbers: tuple[int, int, int] = 0, 0, 0
    try:
        try:
            done = change.apply(part, *targets[0])
            for target in targets[1:]:
                change.apply(part, *target)
            if isinstance(done, UpdateResult):
                numbers = done.inserted, done.replaced, done.deleted
        except EXPECTED as raised:
            error = raised
        inserted, replaced, deleted, failed = part.comm.reduce_numbers([*numbers, error is not None])
        if failed:
            _fail(part, change, undo, versions, error)
        gained = inserted - deleted
    finally:
        part.commit(gained)
    change.commit(part, done)
    return UpdateResult.of_arcs(part.directed, inserted, replaced, deleted)


def _undo_steps(part: BasePart, change: PartChange, targets: Targets) -> list[Callable[[], None]] | None:
    """The functions that undo a change of local graphs that may fail one without the other; None without them."""
    if change.arcs is None or (part.comm.size == 1 and len(targets) == 1):
        return None
    if targets[0][1].safe and targets[-1][1].safe:
        return None
    return all_or_none(part, lambda: [undo_of(part, name, arcs) for name, arcs in targets])


def _fail(
    part: BasePart, change: PartChange, undo: list[Callable[[], None]] | None, versions: list[int],
    error: Exception | None,
) -> None:  # fmt: skip
    """Undo a change that a part could not make, and raise its error on all of them."""
    if part.comm.size > 1 or len(versions) > 1:
        undone = list(map(VERSION, part.locals())) == versions
        if not undone and undo is not None:
            undone = attempt(lambda: [step() for step in undo])[1] is None
        if not part.comm.reduce_numbers([undone], "min")[0]:
            part.broken = f"{change.subject} failed on some parts and not on others: load the graph from a file"
    raise_first(part, error)


def _is_followed(local: Any) -> bool:
    """Whether a snapshot, or a log of times, has to learn of the first batch of an empty graph."""
    data = local.payload.table
    logs = data is not None and data.times is not None and data.times.arrivals is not None
    return logs or component_of(local, History) is not None
