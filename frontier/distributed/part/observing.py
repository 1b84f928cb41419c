"""The notifications of a `GraphPart`'s observers."""

from __future__ import annotations

import weakref
from typing import Any

from frontier.core.batch import Arcs
from frontier.core.effective import effective_edges, masked_lower
from frontier.core.observers import Notification
from frontier.core.results import UpdateObserver

from ..base import BasePart
from ..exchange.routed_edges import RoutedEdges


class PartObservers(BasePart):
    """The observers of `GraphPart`: each part has its own, which are all notified at the same time."""

    _notified: list[NotifiedEdges]

    def attach(self, observer: UpdateObserver, *, instead_of: UpdateObserver | None = None) -> None:
        """`DynamicGraph.attach`, on every worker.

        Each part's observer is notified of the edges that leave the part's vertices: exact ones of each undirected edge
        once, on the part that owns its smaller end. All are notified at the same time, also where there are no edges,
        so that they can call operators.
        """
        self._observers.attach(observer, instead_of)

    def detach(self, observer: UpdateObserver) -> None:
        """`DynamicGraph.detach`, on every worker."""
        self._observers.detach(observer)

    def notifications(self, src: Any, dst: Any, present: bool) -> list[Notification]:
        """Each observer with the edges of a batch that it is to be notified of."""
        self._notified.clear()
        observers = self._observers.live()
        exact = (src, dst)
        if any(observer.exact for observer in observers):
            exact = self._effective(src, dst, present)
        for edges in ((src, dst), exact) if observers else ():
            NotifiedEdges(self._notified, *edges)
        return [(observer, exact if observer.exact else (src, dst)) for observer in observers]

    def notifications_of_changes(self, src: Any, dst: Any) -> list[Notification]:
        """The same for those that are to be notified of edges which get other values; after `notifications`."""
        observers = [observer for observer in self._observers.live() if observer.exact and observer.sees_changes]
        if not observers or not (self.is_weighted or self.edge_data is not None):
            return []
        changing = self._effective(src, dst, present=True)
        NotifiedEdges(self._notified, *changing)
        return [(observer, changing) for observer in observers]

    def _effective(self, src: Any, dst: Any, present: bool) -> tuple[Any, Any]:
        """The arcs of a batch that are, or are not, in the graph, each once; undirected edges at the smaller end."""
        if not self.directed:
            if self.device.is_gpu:  # where the host would wait for the number of those that stay
                src = masked_lower(self.local, src, dst)
            else:
                keep = self.xp.flatnonzero(src < dst)
                src, dst = src[keep], dst[keep]
        return effective_edges(self.local, Arcs(src, dst, None), present) if src.size else (src, dst)

    def is_notified(self, src: Any) -> bool:
        """Whether an array holds the sources of edges that observers are notified of, which this part owns."""
        return any(edges.src() is src for edges in self._notified)

    def routed_of_notified(self, src: Any, dst: Any) -> RoutedEdges | None:
        """The edges that observers are notified of at the owners of their destinations, if the arrays are those of the
        edges: sorted, counted and sent once, whichever operators need them there."""
        for edges in self._notified:
            if edges.src() is src and edges.dst() is dst:
                if edges.routed is None:
                    edges.routed = RoutedEdges(self, src, dst)
                return edges.routed
        return None


class NotifiedEdges:
    """Edges that observers are notified of. All parts hand the same arrays on to operators, which need not look for the
    owners of their vertices again.

    It is in a list until nothing else refers to the sources: no more is held than observers, or the update, hold.

    Attributes
    ----------
    src, dst : weak references
    routed : RoutedEdges or None
        The edges at the owners of their destinations.
    """

    def __init__(self, notified: list[NotifiedEdges], src: Any, dst: Any):
        self.src = weakref.ref(src, lambda _: notified.remove(self) if self in notified else None)
        self.dst = weakref.ref(dst)
        self.routed: RoutedEdges | None = None
        notified.append(self)
