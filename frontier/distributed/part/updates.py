"""The updates of a `GraphPart`, and the notifications of its observers."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from frontier.core.batch import Arcs, check_ids
from frontier.core.effective import effective_edges, masked_lower
from frontier.core.observers import Notification
from frontier.core.payload import check_on_existing
from frontier.core.results import UpdateObserver, UpdateResult
from frontier.features.mixed import MixedResult
from frontier.features.times import as_time
from frontier.operators.extract import incident_arcs

from ..base import BasePart
from ..exchange.agreement import all_or_none
from ..exchange.expiry import expire_edges, latest_time
from ..exchange.mixed import apply_operations
from ..exchange.routed_edges import RoutedEdges
from ..exchange.routing import OwnedArcs, route
from ..exchange.updates import Deletion, Insertion, VertexChange, add_up, run


class NotifiedEdges:
    """Edges that observers are notified of.

    All partitions pass the same arrays on to operators, which need not find the owners of their vertices again. An
    object is in a list until nothing else references its sources, so it keeps no memory alive. `routed` are the edges
    at the owners of their destinations, once they are known.
    """

    def __init__(self, notified: list[NotifiedEdges], src: Any, dst: Any):
        self.src = weakref.ref(src, lambda _: notified.remove(self) if self in notified else None)
        self.dst = weakref.ref(dst)
        self.routed: RoutedEdges | None = None
        notified.append(self)


U = TypeVar("U", bound=Callable[..., Any])


def update(function: U) -> U:
    """Decorate a method that updates the graph, which all partitions call at the same time (`exchange.updates`)."""

    @wraps(function)
    def call(part: Any, /, *args: Any, **options: Any) -> Any:
        part.check_parts()
        if part.read_only:
            raise TypeError(part.refusal)
        return part._observers.run(function, part, *args, **options)

    return cast(U, call)


class PartUpdates(BasePart):
    """The updates and observers of `GraphPart`.

    Every worker calls updates at the same time, with its share of the batch. Each partition has its own observers,
    which are all notified at the same time.
    """

    _notified: list[NotifiedEdges]

    @update
    def insert_edges(
        self, src: Any, dst: Any, weights: Any = None, *, on_existing: str = "replace", **edge_data: Any
    ) -> UpdateResult:  # fmt: skip
        """`DynamicGraph.insert_edges`, of the edges that all partitions have."""
        if on_existing != "replace":
            check_on_existing(self, on_existing)
        arcs = route(self, src, dst, weights, edge_data)
        if on_existing == "add" or self.multi_edges == "sum":
            return add_up(self, arcs)
        return run(self, Insertion(arcs, on_existing))

    @update
    def delete_edges(self, src: Any, dst: Any) -> UpdateResult:
        """`DynamicGraph.delete_edges`, of the edges that all partitions have."""
        return run(self, Deletion(route(self, src, dst)))

    @update
    def apply(self, ops: Any, src: Any, dst: Any, weights: Any = None, **edge_data: Any) -> MixedResult:
        """`DynamicGraph.apply`, of all partitions' operations. The answers are for this partition's."""
        return apply_operations(self, ops, src, dst, weights, edge_data)

    @update
    def expire(self, before: Any) -> UpdateResult:
        """`DynamicGraph.expire`. All partitions pass the same argument."""
        if self.time_unit is None:
            raise ValueError("this graph has no times; make it with time_unit=")
        return expire_edges(self, as_time(before, "before", self.time_unit))

    def latest_time(self) -> int | None:
        """Return the latest time of all edges, or None if there are none."""
        return latest_time(self)

    @update
    def insert_vertices(self, count_or_ids: Any) -> Any:
        """`DynamicGraph.insert_vertices`. All partitions pass the same argument."""
        change = VertexChange("insert_vertices", count_or_ids)
        run(self, change)
        return change.done

    @update
    def delete_vertices(self, ids: Any) -> UpdateResult:
        """`DynamicGraph.delete_vertices`. All partitions pass the same argument.

        Each partition scans its arcs for the ones that enter the vertices.
        """
        before = self._delete_incident(ids) if self._observers.live() else 0
        return UpdateResult(deleted=before + run(self, VertexChange("delete_vertices", ids)).deleted)

    def _delete_incident(self, ids: Any) -> int:
        """Delete the edges of vertices while observers can still name these, and return their number."""
        found = all_or_none(self, lambda: check_ids(self.device, ids, "ids", self.num_vertices, self.store.absent))
        marked = self.xp.zeros(self.num_vertices, np.bool_)
        marked[found] = True
        return run(self, Deletion(OwnedArcs(*incident_arcs(self.local, marked), {}, safe=False))).deleted

    def attach(self, observer: UpdateObserver, *, instead_of: UpdateObserver | None = None) -> None:
        """`DynamicGraph.attach`, on every worker.

        Each partition's observer is notified of the edges that leave the partition's vertices: exact ones of each
        undirected edge once, on the partition that owns its smaller end. All are notified at the same time, even
        without edges, so they can call operators.
        """
        self._observers.attach(observer, instead_of)

    def detach(self, observer: UpdateObserver) -> None:
        """`DynamicGraph.detach`, on every worker."""
        self._observers.detach(observer)

    def notifications(self, src: Any, dst: Any, present: bool) -> list[Notification]:
        """Return each observer with the edges of a batch to notify it of."""
        self._notified.clear()
        observers = self._observers.live()
        exact = self._effective(src, dst, present) if any(observer.exact for observer in observers) else (src, dst)
        for edges in ((src, dst), exact) if observers else ():
            NotifiedEdges(self._notified, *edges)
        return [(observer, exact if observer.exact else (src, dst)) for observer in observers]

    def notifications_of_changes(self, src: Any, dst: Any) -> list[Notification]:
        """Return each observer with the edges whose values change. Called after `notifications`."""
        observers = [observer for observer in self._observers.live() if observer.exact and observer.sees_changes]
        if not observers or not (self.is_weighted or self.edge_data is not None):
            return []
        changing = self._effective(src, dst, present=True)
        NotifiedEdges(self._notified, *changing)
        return [(observer, changing) for observer in observers]

    def _effective(self, src: Any, dst: Any, present: bool) -> tuple[Any, Any]:
        """Return the arcs of a batch that are, or are not, in the graph, once, undirected edges at the lower end."""
        if not self.directed:
            if self.device.is_gpu:  # the host would synchronize for the number of remaining arcs
                src = masked_lower(self.local, src, dst)
            else:
                keep = self.xp.flatnonzero(src < dst)
                src, dst = src[keep], dst[keep]
        return effective_edges(self.local, Arcs(src, dst, None), present) if src.size else (src, dst)

    def is_notified(self, src: Any) -> bool:
        """Return whether an array has the sources, owned here, of edges that observers are notified of."""
        return any(edges.src() is src for edges in self._notified)

    def routed_of_notified(self, src: Any, dst: Any) -> RoutedEdges | None:
        """Return the edges of notifications at the owners of their destinations, or None for other arrays.

        They are sorted, counted and sent once, for all operators.
        """
        for edges in self._notified:
            if edges.src() is src and edges.dst() is dst:
                if edges.routed is None:
                    edges.routed = RoutedEdges(self, src, dst)
                return edges.routed
        return None
