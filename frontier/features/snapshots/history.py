"""`History`: copies of a graph, and the updates that bring them to later states."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from operator import attrgetter
from typing import Any

from frontier.core.base import BaseDynamicGraph
from frontier.core.component import Call, Component, component_of
from frontier.core.results import MemoryUsage

from .log import LoggedUpdate, UpdateLog, make_step

_position_of = attrgetter("position")

LOST = (
    "the state that this snapshot showed is lost: memory ran out before the graph was updated, or the process was "
    "forked while another thread read the snapshot for the first time"
)


class Copy:
    """A copy of the graph."""

    __slots__ = ("graph", "in_use", "moving", "position", "readers", "shown")

    def __init__(self, graph: BaseDynamicGraph, position: int):
        self.graph = graph
        self.position = position  # of the state that it shows, as `History` counts
        self.in_use = False  # whether a snapshot shows it, so it must not change
        self.moving = False  # whether a thread applies logged updates to it
        self.shown = False  # whether a snapshot has shown it: users may have written to its columns
        self.readers = 0  # threads that copy it

    @property
    def is_spare(self) -> bool:
        """Whether it may be reused: updates applied to it."""
        return not (self.in_use or self.readers or self.moving)


class Pending:
    """An unread snapshot: its graph, which may have the only arrays, and its position in the history.

    One of several reading threads acquires the lock.
    """

    def __init__(self, graph: BaseDynamicGraph, history: History):
        self.graph = graph
        self.history = history
        self.position = history.position
        self.lock: Any = threading.RLock()

    def forked(self) -> None:
        """Replace the lock in a child process, in which the thread that owns it does not run."""
        self.lock = threading.RLock()


class History(Component):
    """The states of one graph that snapshots may ask for, numbered by *positions*: each update leads to the next one.

    The order of locks is: the graph's, if needed, a snapshot's, the history's. With `repeats`, updates are replayed on
    copies. Graphs with edge data are copied instead: functors write to columns without an update, and ids would differ.
    """

    def __init__(self, graph: BaseDynamicGraph):
        self.repeats = graph.payload.table is None
        self._latest: tuple[int, Any] = -1, None  # the latest snapshot: its position, a weak reference
        self._log = UpdateLog()
        self._copies: list[Copy] = []
        self._unread: list[weakref.ref[Pending]] = []  # no WeakSet, which is slower to scan
        # No RLock: the garbage collector may call `release` while this thread owns it.
        self._changed = threading.Condition(threading.Lock())
        self._updating = self._logging = False
        _all.add(self)

    @property
    def position(self) -> int:
        return self._log.end

    # ---- requests of snapshots --------------------------------------------------------------------------------------

    def take(self, make: Callable[[], Any]) -> Any:
        """A snapshot of the current state, made if none exists. Called while the graph is read."""
        with self._changed:
            position, latest = self._latest
            known = latest() if latest is not None and position == self.position and self.repeats else None
            if known is None:
                known = make()
                self._unread = [*map(weakref.ref, self._pending()), weakref.ref(known._unread)]
                self._latest = self.position, weakref.ref(known)
            return known

    def copy_at(self, graph: BaseDynamicGraph, position: int) -> Copy:
        """A copy in use with the state at a snapshot's position. MemoryError if memory is, or was in an update, low."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._source(position) or not any(copy.moving for copy in self._copies))
                source = self._source(position)
                if source is not None:
                    copy, steps = self._claim(source, position)
                    break
            with graph.reading():  # no update now: either the graph shows the position, or never will
                if position == self.position and not self._updating:
                    copy = Copy(graph.copy(), position)
                    copy.in_use = copy.shown = True
                    with self._changed:
                        self._copies.append(copy)
                    return copy
            with self._changed:
                if self._source(position) is None:
                    raise MemoryError(LOST)
        return self._bring(copy, steps)

    def needs_graph(self, position: int) -> bool:
        """Whether a state can be copied from the graph only, which must be locked before the snapshot."""
        with self._changed:
            return not any(self._can_lead(copy, position) for copy in self._copies)

    def release(self, copy: Copy) -> None:
        """Note that no snapshot shows a copy any more. Called by the garbage collector, in any thread."""
        copy.in_use = False
        if self._changed.acquire(blocking=False):
            try:
                self._trim()
            finally:
                self._changed.release()

    def memory_usage(self, graph: BaseDynamicGraph) -> MemoryUsage:
        """The memory of the copies, and of the log."""
        with self._changed:
            logged, copies = self._log.nbytes(), list(self._copies)
        reserved = logged + sum(copy.graph.memory_usage().reserved for copy in copies)
        return MemoryUsage(used=0, reserved=reserved, csr=0, arcs=0)

    # ---- updates ----------------------------------------------------------------------------------------------------

    def begin(self, graph: BaseDynamicGraph) -> None:
        """Preserve the current state for its snapshots."""
        self._logging = self._prepare(graph)
        self._updating = True

    def end(self, graph: BaseDynamicGraph, call: Call | None, *, changed: bool) -> None:
        """Log the update for later replay."""
        step: LoggedUpdate | None = None
        try:
            if changed and self._logging and call is not None:
                step = make_step(graph, call)
        finally:
            self._updating = False
            if changed:
                with self._changed:
                    self._log.append(step)
                    self._trim_after_update()

    def _prepare(self, graph: BaseDynamicGraph) -> bool:
        """Preserve the current state for its snapshots, and return whether the update must be logged."""
        with self._changed:
            if self._secure(graph):
                self._trim()
            return self.repeats and any(copy.moving or self._is_near(copy) for copy in self._copies)

    def _secure(self, graph: BaseDynamicGraph) -> bool:
        """Make copies near the states of unread snapshots, and return whether some were missing."""
        made = False
        for pending in sorted(self._pending(), key=_position_of):
            source = self._source(pending.position)
            if source is not None and not self._is_far(source, pending.position):
                continue
            made = True
            if pending.position == self.position:
                with suppress(MemoryError):  # then the snapshot is lost, and not the update
                    self._copies.append(Copy(graph.copy(), self.position))
                    continue
            if source is not None:
                with suppress(Exception):  # which whoever reads the snapshot will get
                    self._settle(source, pending.position)
        return made

    def _settle(self, source: Copy, position: int) -> None:
        """Build the state of an unread snapshot, so the log before it can be dropped."""
        copy, steps = self._claim(source, position)
        self._changed.release()
        try:
            copy = self._bring(copy, steps)
        finally:
            self._changed.acquire()
        copy.in_use = False

    # ---- the caller has acquired the lock ---------------------------------------------------------------------------

    def _pending(self) -> list[Pending]:
        """The states of snapshots that were not read."""
        return [pending for ref in self._unread if (pending := ref()) is not None]

    def _source(self, position: int) -> Copy | None:
        """The copy from which the state at a position can be made soonest."""
        known = [copy for copy in self._copies if not copy.moving and self._can_lead(copy, position)]
        if len(known) < 2:
            return known[0] if known else None
        return max(known, key=lambda copy: (copy.position, copy.is_spare))

    def _can_lead(self, copy: Copy, position: int) -> bool:
        """Whether the state at a position can be made from a copy, once that is not moving."""
        return self._log.leads(copy.position, position) and (self.repeats or not copy.shown)

    def _is_far(self, copy: Copy, position: int) -> bool:
        """Whether bringing a copy to a position, which the log leads to, costs more than copying a graph."""
        return self._log.cost(copy.position, position) > copy.graph.num_arcs

    def _is_near(self, copy: Copy) -> bool:
        """Whether bringing a copy to the current state costs less than copying the graph."""
        if copy.moving or not self._log.leads(copy.position, self.position):
            return False
        return not self._is_far(copy, self.position)

    def _claim(self, source: Copy, position: int) -> tuple[Copy, list[LoggedUpdate]]:
        """The copy to bring to a position, which is the source unless that must stay, and the steps for `_bring`."""
        steps = self._log.steps(source.position, position)
        needed = any(source.position <= pending.position < position for pending in self._pending())
        if source.is_spare and not needed:
            source.in_use = source.moving = True
        else:
            source.readers += 1
        return source, steps

    def _trim_after_update(self) -> None:
        """`_trim`, in less time for the usual history: one copy that all snapshots come from."""
        only = self._copies[0] if len(self._copies) == 1 else None
        if only is not None and self.repeats and self._is_near(only):
            self._log.forget_before(only.position)
        else:
            self._trim()

    def _trim(self) -> None:
        """Drop copies and steps that are of no use."""
        needed, begins = [], []
        for pending in self._pending():
            source = self._source(pending.position)
            if source is not None:
                needed.append(source)
                if source.position < pending.position:
                    begins.append(source.position)
        near = [copy for copy in self._copies if copy.moving or self._is_near(copy)]
        spares = [copy for copy in near if copy.is_spare] if self.repeats else []
        latest = max(spares, key=lambda copy: copy.position) if spares else None
        self._copies = [
            copy for copy in self._copies if not copy.is_spare or copy is latest or copy in needed
        ]  # fmt: skip
        begins += [copy.position for copy in near if copy in self._copies]
        self._log.forget_before(min(begins, default=self.position))

    # ---- without it -------------------------------------------------------------------------------------------------

    def _bring(self, copy: Copy, steps: list[LoggedUpdate]) -> Copy:
        """Replay steps on the copy from `_claim`, or on a copy of it, and return it, in use."""
        if not copy.moving:
            source = copy
            try:
                copy = Copy(source.graph.copy(), source.position)
            finally:
                with self._changed:
                    source.readers -= 1
            copy.in_use = copy.moving = True
            with self._changed:
                self._copies.append(copy)
        whole = True
        try:
            for step in steps:
                whole = step.is_atomic
                step.repeat(copy.graph)
                copy.position += 1
                whole = True
        except BaseException as error:
            copy.in_use = False
            if not (whole and isinstance(error, MemoryError)):  # otherwise it can be brought further later
                with self._changed:
                    self._copies.remove(copy)
            raise
        finally:
            if steps:  # other streams may reuse the memory of their arrays once these are freed
                copy.graph.device.synchronize()
            with self._changed:
                copy.moving = False
                self._changed.notify_all()
        return copy

    def forked(self) -> None:
        """Reset the state in a child process, where other threads do not finish their work."""
        self._changed = threading.Condition(threading.Lock())
        self._updating = False
        self._copies = [copy for copy in self._copies if not copy.moving]
        for copy in self._copies:
            copy.readers = 0
        for pending in self._pending():
            pending.forked()


def history_of(graph: BaseDynamicGraph) -> History:
    """The history of a graph which is being read, made if it has none."""
    history = component_of(graph, History)
    if history is None:
        with _making:  # another thread may ask for the same
            history = component_of(graph, History)
            if history is None:
                history = History(graph)
                graph._components.append(history)
    return history


_making = threading.Lock()
_all: weakref.WeakSet[History] = weakref.WeakSet()


def _after_fork() -> None:
    global _making
    _making = threading.Lock()  # a thread that no longer exists may have owned it
    for history in list(_all):
        history.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
