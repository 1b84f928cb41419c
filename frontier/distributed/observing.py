"""What the observers of a graph in parts are notified of."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from ..batch import Arcs
from ..effective import effective_edges
from ..observers import Told
from ..updates import UpdateObserver


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

    def _told(self, src: Any, dst: Any, present: bool) -> list[Told]:
        """Each observer with the edges of a batch that it is to be notified of."""
        observers = self._observers.live()
        exact = (src, dst)
        if any(observer.exact for observer in observers):
            exact = self._effective(src, dst, present)
        self._told_sources = []
        self._remember_told(src, exact[0])
        return [(observer, exact if observer.exact else (src, dst)) for observer in observers]

    def _told_of_changes(self, src: Any, dst: Any) -> list[Told]:
        """The same for those that are to be notified of edges which get other values; after `_told`."""
        observers = [observer for observer in self._observers.live() if observer.exact and observer.sees_changes]
        if not observers or not (self.is_weighted or self.edge_data is not None):
            return []
        changing = self._effective(src, dst, present=True)
        self._remember_told(changing[0])
        return [(observer, changing) for observer in observers]

    def _effective(self, src: Any, dst: Any, present: bool) -> tuple[Any, Any]:
        """The arcs of a batch that are, or are not, in the graph, each once; undirected edges at the smaller end."""
        if not self.directed:
            if self.device.is_gpu:  # where the host would wait for the number of those that stay
                src = self.xp.where(src < dst, src, src.dtype.type(-1))
            else:
                keep = self.xp.flatnonzero(src < dst)
                src, dst = src[keep], dst[keep]
        return effective_edges(self.local, Arcs(src, dst, None), present) if src.size else (src, dst)

    def _remember_told(self, *sources: Any) -> None:
        # All parts hand the same arrays on to operators, which need not look for the owners of their vertices again.
        self._told_sources += [weakref.ref(array) for array in sources]

    def is_told(self, src: Any) -> bool:
        """Whether an array holds the sources of edges that observers are notified of, which this part owns."""
        return any(ref() is src for ref in self._told_sources)
