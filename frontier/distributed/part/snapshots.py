"""Snapshots of distributed graphs: each part shows a snapshot of its local graph, all between the same two updates.

Parts take a snapshot at the same place among the calls that they all make, so that none is an update ahead. Local
graphs are copied when the snapshot is first read (`frontier.features.snapshots`), by all parts at the same time: if one
has no memory for that, all raise its error.
"""

from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from frontier.core.observers import Observers
from frontier.features.snapshots import REFUSAL, REFUSAL_OF_OBSERVERS, read_now

from ..exchange.agreement import all_or_none
from ..exchange.columns import column_of
from ..exchange.vertex_arrays import VertexArrays

if TYPE_CHECKING:
    from frontier.core.results import UpdateObserver

    from ..base import BasePart


class SnapshotOfPart:
    """What makes a part of a graph one of a snapshot; see `GraphPart.snapshot`. It comes before `GraphPart`."""

    read_only = True
    refusal = REFUSAL
    locals: Callable[[], list[Any]]
    _is_read = False

    def synchronize(self) -> None:
        """Have all parts copy what the snapshot shows, unless they have; every worker calls this."""
        if not self._is_read:
            all_or_none(self, lambda: [read_now(local) for local in self.locals()])
            self._is_read = True

    def snapshot(self) -> SnapshotOfPart:
        """Itself."""
        return self

    def attach(self, observer: UpdateObserver, *, instead_of: UpdateObserver | None = None) -> NoReturn:
        """Raise TypeError: the graph that is shown notifies observers."""
        raise TypeError(REFUSAL_OF_OBSERVERS)

    detach = attach


@functools.cache
def _snapshot_class(kind: type) -> type:
    return type("SnapshotPart", (SnapshotOfPart, kind), {"__doc__": "A part of a snapshot (`GraphPart.snapshot`)."})


def take_snapshot(part: BasePart, kind: type) -> Any:
    """`GraphPart.snapshot`: the same object as long as no part has changed. `kind` is `GraphPart`."""
    part.check_parts()
    local, *others = [each.snapshot() for each in part.locals()]
    inward = others[0] if others else None
    known = part._latest_snapshot()
    same = known is not None and known.local is local and known.inward is inward
    if known is not None and part.comm.reduce_numbers([same], "min")[0]:
        return known
    made = _shown(_snapshot_class(kind), part, local, inward)
    part._latest_snapshot = weakref.ref(made)
    return made


def copy_of(part: BasePart, kind: type) -> Any:
    """`GraphPart.copy`."""
    part.check_parts()
    local, *others = all_or_none(part, lambda: [each.copy() for each in part.locals()])
    return _shown(kind, part, local, others[0] if others else None)


def _shown(kind: type, part: BasePart, local: Any, inward: Any) -> Any:
    """A part like another one, with other local graphs.

    It is referred to by none of its own attributes, so that the local graphs are freed with the last reference to it.
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
