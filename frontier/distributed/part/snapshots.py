"""Views and copies of a partition: the reverse of a directed graph, and snapshots.

The reverse shares everything with its graph. Its edges are the in-edges of the same partitions.

Partitions make a snapshot at the same position among their common calls, so it lies between the same two updates on
all. Local graphs are copied when the snapshot is first read (`frontier.features.snapshots`), by all partitions at the
same time: if one has no memory, all raise its error.
"""

from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from frontier.core.forwarding import forwards
from frontier.core.observers import Observers
from frontier.features.snapshots import REFUSAL, REFUSAL_OF_OBSERVERS, read_now

from ..exchange.agreement import all_or_none
from ..exchange.columns import column_of
from ..exchange.vertex_arrays import VertexArrays

if TYPE_CHECKING:
    from frontier.core.results import UpdateObserver

    from ..base import BasePart
    from ..exchange.ghosts import Ghosts


class SnapshotPart:
    """A partition of a snapshot (`GraphPart.snapshot`): the first base of its class."""

    read_only = True
    refusal = REFUSAL
    locals: Callable[[], list[Any]]
    _is_read = False

    def synchronize(self) -> None:
        """Let all partitions copy the state that the snapshot shows, once. Every worker calls this."""
        if not self._is_read:
            all_or_none(self, lambda: [read_now(local) for local in self.locals()])
            self._is_read = True

    def snapshot(self) -> SnapshotPart:
        """Return itself."""
        return self

    def attach(self, observer: UpdateObserver, *, instead_of: UpdateObserver | None = None) -> NoReturn:
        """Raise TypeError: only the original graph notifies observers."""
        raise TypeError(REFUSAL_OF_OBSERVERS)

    detach = attach


@functools.cache
def _class_of(view: type, kind: type) -> type:
    return type(view.__name__, (view, kind), {"__doc__": view.__doc__})


def take_snapshot(part: BasePart, kind: type) -> Any:
    """`GraphPart.snapshot`: the same object as long as no partition has changed. `kind` is `GraphPart`."""
    part.check_parts()
    local, *others = [each.snapshot() for each in part.locals()]
    inward = others[0] if others else None
    known = part._latest_snapshot()
    same = known is not None and known.local is local and known.inward is inward
    if known is not None and part.comm.reduce_numbers([same], "min")[0]:
        return known
    made = _shown(_class_of(SnapshotPart, kind), part, local, inward)
    part._latest_snapshot = weakref.ref(made)
    return made


def copy_of(part: BasePart, kind: type) -> Any:
    """`GraphPart.copy`."""
    part.check_parts()
    local, *others = all_or_none(part, lambda: [each.copy() for each in part.locals()])
    return _shown(kind, part, local, others[0] if others else None)


def _shown(kind: type, part: BasePart, local: Any, inward: Any) -> Any:
    """Return a copy of a partition object, with other local graphs.

    None of its attributes references it, so the local graphs are freed with the last reference to it.
    """
    made: Any = object.__new__(kind)
    locals_ = [local] if inward is None else [local, inward]
    made.comm, made.directed, made.new_local = part.comm, part.directed, part.new_local
    made.local, made.inward = local, inward
    made.partition = copy.copy(part.partition)
    made.arrays = VertexArrays(
        part.comm, made.partition, lambda: local,
        lambda array: any(column_of(each, array) is not None for each in locals_),
    )  # fmt: skip
    made._start(num_arcs=part.num_arcs)
    made._observers = Observers(made)
    return made


@forwards("_reverse", "partition", "spare", "version", "broken", "num_arcs", "num_edges")
class ReversePart:
    """A `GraphPart` that is the reverse of another: they share everything, and swap the local graphs."""

    read_only = True
    refusal = "this graph is the reverse of another, which is read-only: update that one"

    def __init__(self, forward: BasePart):
        self._reverse: Any = forward
        self.comm = forward.comm
        self.directed = True
        self.arrays = forward.arrays
        self._observers = Observers(self)
        self._notified: list[Any] = []

    @property
    def local(self) -> Any:
        return self._reverse.inward

    @property
    def inward(self) -> Any:
        return self._reverse.local

    @property
    def ghosts(self) -> dict[str, Ghosts]:
        forward = self._reverse.ghosts
        return {"local": forward["inward"], "inward": forward["local"]}

    def mark_failed(self, text: str) -> NoReturn:
        self._reverse.mark_failed(text)

    def synchronize(self) -> None:
        self._reverse.synchronize()

    def snapshot(self) -> BasePart:
        """Return the reverse of a snapshot of the graph."""
        return self._reverse.snapshot().reverse


def reverse_of(part: BasePart, kind: type) -> Any:
    """Return the reverse of a partition, of a class derived from `kind`, which is `GraphPart`."""
    return _class_of(ReversePart, kind)(part)
