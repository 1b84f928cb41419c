"""Apply updates to a graph over partitions. All partitions run the same stages at the same time.

    route     arcs go to the owners of their sources (`routing`)
    reserve   find the edges to notify observers of and, where memory is tight, how to undo the change
    notify    of edges that are about to change or leave
    exchange  in graphs with in-edges, arcs also go to the owners of their destinations
    apply     each local graph applies its arcs as a graph on one device (`CoreDynamicGraph.insert_arcs`)
    vote      exchange counts and failures. If a partition has failed, all of them undo the change
    commit    update the counts of the graph
    notify    of edges that were inserted, changed or deleted, or of vertices

`run` runs the stages from `reserve` on. A `PartChange` implements them for one kind of update. Updates whose arcs are
on their partitions already, such as an expiry, start there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from frontier.core.batch import Arcs
from frontier.core.change import DELETE, INSERT, Change
from frontier.core.component import component_of
from frontier.core.observers import Notification
from frontier.core.results import UpdateResult
from frontier.core.sort import split_keys, unique_arcs
from frontier.core.updates import run as run_local
from frontier.features.edge_data import with_weights
from frontier.features.snapshots import History

from .agreement import EXPECTED, all_or_none, attempt, raise_first
from .routing import OwnedArcs, route_by_target

if TYPE_CHECKING:
    from ..base import BasePart

Calls = list[tuple[str, list[Notification]]]  # methods of observers, each with its notifications
VERSION = attrgetter("version")
Targets = list[tuple[str, Any]]  # the local graphs of a partition by name, each with its arcs


class PartChange:
    """A change of a distributed graph. `arcs` is None for changes of vertices."""

    subject = "a batch"
    arcs: OwnedArcs | None = None

    def notifications(self, part: BasePart) -> tuple[Calls, Calls]:
        """Return the notifications of observers before and after the change."""
        raise NotImplementedError

    def apply(self, part: BasePart, name: str, arcs: Any) -> Any:
        """Change the local graph `name`, and return the result of its method."""
        raise NotImplementedError

    def commit(self, part: BasePart, done: Any) -> None:
        """Follow a change of all partitions. `done` is the result of the first local graph."""


class Insertion(PartChange):
    """An insertion of arcs, as in `CoreDynamicGraph.insert_arcs`."""

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
        try:  # as in `from_edges`: faster than an insertion, and without gaps
            local.payload.build_arcs(local, Arcs(arcs.src, arcs.dst, arcs.weights), data or {})
        except EXPECTED:
            setattr(part, name, part.new_local())  # a partly filled structure is undefined
            raise
        return UpdateResult(inserted=local.num_arcs)


class Deletion(PartChange):
    def __init__(self, arcs: OwnedArcs):
        self.arcs: OwnedArcs = arcs

    def notifications(self, part: BasePart) -> tuple[Calls, Calls]:
        gone = part.notifications(self.arcs.src, self.arcs.dst, present=True)
        return [("edges_deleting", gone)], [("edges_deleted", gone)]

    def apply(self, part: BasePart, name: str, arcs: OwnedArcs) -> UpdateResult:
        return getattr(part, name).delete_arcs(arcs.src, arcs.dst)


class VertexChange(PartChange):
    """An insertion or a deletion of vertices, which all local graphs know. `done` is the first one's result."""

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
    """Change the local graphs of all partitions, or of none, and notify observers.

    Returns the changes of all partitions, in edges of the whole graph.
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
        targets.append(("inward", None if change.arcs is None else route_by_target(part, change.arcs)))
    result = _apply(part, change, targets)
    for method, notifications in after:
        part._observers.notify(method, notifications)
    return result


def _apply(part: BasePart, change: PartChange, targets: Targets) -> UpdateResult:
    """Change local graphs, vote, and commit.

    The old state of the batch's arcs is looked up first, to restore it if another partition fails. This look-up costs
    about as much as the batch. It is skipped if all partitions have several times the memory that they may need. If a
    partition fails nevertheless, the graph is unusable.
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
    """Return the functions that undo a change which may fail on one local graph only, or None if it is safe."""
    alone = part.comm.size == 1 and len(targets) == 1
    if change.arcs is None or alone or (targets[0][1].safe and targets[-1][1].safe):
        return None
    return all_or_none(part, lambda: [undo_of(part, name, arcs) for name, arcs in targets])


def _fail(
    part: BasePart, change: PartChange, undo: list[Callable[[], None]] | None, versions: list[int],
    error: Exception | None,
) -> None:  # fmt: skip
    """Undo a change that a partition could not make, and raise its error on all of them."""
    if part.comm.size > 1 or len(versions) > 1:
        undone = list(map(VERSION, part.locals())) == versions
        if not undone and undo is not None:
            undone = attempt(lambda: [step() for step in undo])[1] is None
        if not part.comm.reduce_numbers([undone], "min")[0]:
            part.broken = f"{change.subject} failed on some parts and not on others: load the graph from a file"
    raise_first(part, error)


def _is_followed(local: Any) -> bool:
    """Return whether a snapshot, or a log of times, must observe the first batch of an empty graph."""
    data = local.payload.table
    logs = data is not None and data.times is not None and data.times.arrivals is not None
    return logs or component_of(local, History) is not None


def add_up(graph: BasePart, batch: OwnedArcs) -> UpdateResult:
    """Add a batch to the graph: insertions that add up, with ``on_existing="add"`` or ``multi_edges="sum"``.

    The partition that owns an edge's source computes its sum before anything changes. So the batch becomes an insertion
    of sums, and a deletion of the edges whose weights become 0 or negative. As on one device, deletions come last: if
    they fail, the insertions have been made.
    """
    found, error = attempt(lambda: _resolve(graph, batch))
    table = graph.comm.gather_counts([error is not None, 0 if found is None else int(found[1].src.size)])
    if table[:, 0].any():
        raise_first(graph, error)
    staying, going = found
    done = run(graph, Insertion(staying, resolved=True))
    deleted = run(graph, Deletion(going)).deleted if table[:, 1].any() else 0
    return UpdateResult(done.inserted, done.replaced, deleted)


def _resolve(graph: BasePart, batch: OwnedArcs) -> tuple[OwnedArcs, OwnedArcs]:
    """Return the arcs that stay, each once with its data, and the arcs that leave the graph."""
    arcs = Arcs(batch.src, batch.dst, batch.weights)
    staying, data, gone = graph.local.payload.summed(graph.local, arcs, batch.data)
    columns = with_weights(staying, data)
    return OwnedArcs(staying.src, staying.dst, columns, batch.safe), OwnedArcs(gone.src, gone.dst, {}, batch.safe)


def undo_of(graph: BasePart, name: str, batch: OwnedArcs) -> Callable[[], None]:
    """Return the function that restores the local graph `name` to its current state, if the batch changes it."""
    local = getattr(graph, name)
    if not batch.src.size:
        return lambda: None
    if not local.version and not local.num_arcs and component_of(local, History) is None:
        return lambda: setattr(graph, name, graph.new_local())  # new: no look-up and no memory
    keys, _ = unique_arcs(local.device, Arcs(batch.src, batch.dst, None), local.num_vertices)
    src, dst = split_keys(local.device, keys, local.num_vertices, local.vertex_dtype)
    edges = local.find_edges(src, dst, checked=False)
    present, absent = graph.xp.flatnonzero(edges >= 0), graph.xp.flatnonzero(edges < 0)
    gone, kept = Arcs(src[absent], dst[absent], None), Arcs(src[present], dst[present], None)
    undo = (_undo_arcs if local.edge_data is None else _undo_rows)(graph, name, gone, kept, edges[present])
    version = local.version
    return lambda: undo() if getattr(graph, name).version != version else None


def _undo_arcs(graph: BasePart, name: str, absent: Arcs, present: Arcs, edges: Any) -> Callable[[], None]:
    """`undo_of` without edge data. `edges` are the positions of the `present` arcs."""
    local = getattr(graph, name)
    weights = local.slot_weights[edges] if local.is_weighted else None

    def undo() -> None:
        local = getattr(graph, name)  # a failed build has replaced it
        local.delete_arcs(absent.src, absent.dst)
        local.insert_arcs(present.src, present.dst, weights)

    return undo


def _undo_rows(graph: BasePart, name: str, absent: Arcs, present: Arcs, edges: Any) -> Callable[[], None]:
    """`undo_of` with edge data: edges get their ids and values back, and the same ids are free."""
    data = getattr(graph, name).payload.table
    present.weights = edges.astype(data.id_dtype)
    columns = {key: column[edges] for key, column in data.columns.items()}
    top, free_count = data.top, data.free_count
    first = max(free_count - len(absent) - len(present), 0)  # a batch uses at most these free ids
    free = data.free_ids[first:free_count].copy()

    def undo() -> None:
        local = getattr(graph, name)
        run_local(local, Change(DELETE, absent))
        run_local(local, Change(INSERT, present))
        data = local.payload.table
        data.top, data.free_count = top, free_count
        data.free_ids[first:free_count] = free
        data.write(present.weights, columns)
        if data.times is not None:
            data.times.stop()  # the log is rebuilt from the column

    return undo
