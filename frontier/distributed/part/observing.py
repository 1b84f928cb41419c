"""What the observers of a graph in parts are notified of."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from frontier.core.batch import Arcs
from frontier.core.effective import effective_edges, masked_lower
from frontier.core.observers import Notification
from frontier.core.results import UpdateObserver

from ..exchange.routed_edges import RoutedEdges


class PartObservers:
    """The observers of `GraphPart`: each part has its own, which are all notified at the same time."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # what a part has

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
        observers = self._observers.live()
        self._notified_sources = []
        self._notified_pairs = []
        if not observers:
            return []
        exact = (src, dst)
        if any(observer.exact for observer in observers):
            exact = self._effective(src, dst, present)
        self._remember_notified(src, exact[0])
        self._remember_pairs(*exact)
        return [(observer, exact if observer.exact else (src, dst)) for observer in observers]

    def notifications_of_changes(self, src: Any, dst: Any) -> list[Notification]:
        """The same for those that are to be notified of edges which get other values; after `notifications`."""
        observers = [observer for observer in self._observers.live() if observer.exact and observer.sees_changes]
        if not observers or not (self.is_weighted or self.edge_data is not None):
            return []
        changing = self._effective(src, dst, present=True)
        self._remember_notified(changing[0])
        self._remember_pairs(*changing)
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

    def _remember_notified(self, *sources: Any) -> None:
        # All parts hand the same arrays on to operators, which need not look for the owners of their vertices again.
        self._notified_sources += [weakref.ref(array) for array in sources]

    def is_notified(self, src: Any) -> bool:
        """Whether an array holds the sources of edges that observers are notified of, which this part owns."""
        return any(ref() is src for ref in self._notified_sources)

    def _remember_pairs(self, src: Any, dst: Any) -> None:
        # By weak references, so that nothing is held for longer than observers, or the update, hold the arrays.
        pairs, notified = self._notified_pairs, NotifiedPairs(weakref.ref(dst))
        notified.src = weakref.ref(src, lambda _: pairs.remove(notified))
        pairs.append(notified)

    def routed_of_notified(self, src: Any, dst: Any) -> RoutedEdges | None:
        """The edges that observers are notified of at the owners of their destinations, if the arrays are those of the
        edges: sorted, counted and sent once, whichever operators need them there."""
        for notified in self._notified_pairs:
            if notified.src() is src and notified.dst() is dst:
                if notified.routed is None:
                    notified.routed = RoutedEdges(self, src, dst)  # type: ignore[arg-type]
                return notified.routed
        return None


class NotifiedPairs:
    """The edges that observers are notified of, and what is known of them at the owners of their destinations.

    Attributes
    ----------
    src, dst : weak references
    routed : RoutedEdges or None
    """

    def __init__(self, dst: weakref.ref):
        self.src: Any = None
        self.dst = dst
        self.routed: RoutedEdges | None = None
