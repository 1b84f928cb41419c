"""The reverse of a directed graph over parts: the same parts, whose in-edges are its edges."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NoReturn

from frontier.core.forwarding import forwards
from frontier.core.observers import Observers

if TYPE_CHECKING:
    from ..base import BasePart
    from ..exchange.ghosts import Ghosts


@forwards("_reverse", "partition", "spare", "version", "broken", "num_arcs", "num_edges")
class ReverseOfPart:
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
        """The reverse of a snapshot of the graph."""
        return self._reverse.snapshot().reverse


@functools.cache
def _reverse_class(kind: type) -> type:
    return type("ReversePart", (ReverseOfPart, kind), {"__doc__": "`GraphPart.reverse` of a part."})


def reverse_of(part: BasePart, kind: type) -> Any:
    """The reverse of a part, of a class that is made of `kind`, which is `GraphPart`."""
    return _reverse_class(kind)(part)
