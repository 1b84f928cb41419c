"""The updates of a `GraphPart`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from frontier.core.batch import check_ids
from frontier.core.payload import check_on_existing
from frontier.core.results import UpdateResult
from frontier.features.mixed import MixedResult
from frontier.features.times import as_time
from frontier.operators.extract import incident_arcs

from ..base import BasePart
from ..exchange.agreement import all_or_none
from ..exchange.appends import add_up
from ..exchange.expiry import expire_edges, latest_time
from ..exchange.mixed import apply_operations
from ..exchange.routing import OwnedArcs, route
from ..exchange.updates import Deletion, Insertion, VertexChange, run

U = TypeVar("U", bound=Callable[..., Any])


def update(function: U) -> U:
    """Decorate a method that updates the graph, which all parts call at the same time (`exchange.updates`)."""

    @wraps(function)
    def call(part: Any, /, *args: Any, **options: Any) -> Any:
        part.check_parts()
        if part.read_only:
            raise TypeError(part.refusal)
        return part._observers.run(function, part, *args, **options)

    return cast(U, call)


class PartUpdates(BasePart):
    """The updates of `GraphPart`: every worker calls them at the same time, with its share of the batch."""

    @update
    def insert_edges(
        self, src: Any, dst: Any, weights: Any = None, *, on_existing: str = "replace", **edge_data: Any
    ) -> UpdateResult:  # fmt: skip
        """`DynamicGraph.insert_edges`, of the edges that all parts have."""
        if on_existing != "replace":
            check_on_existing(self, on_existing)
        arcs = route(self, src, dst, weights, edge_data)
        if on_existing == "add" or self.multi_edges == "sum":
            return add_up(self, arcs)
        return run(self, Insertion(arcs, on_existing))

    @update
    def delete_edges(self, src: Any, dst: Any) -> UpdateResult:
        """`DynamicGraph.delete_edges`, of the edges that all parts have."""
        return run(self, Deletion(route(self, src, dst)))

    @update
    def apply(self, ops: Any, src: Any, dst: Any, weights: Any = None, **edge_data: Any) -> MixedResult:
        """`DynamicGraph.apply`, of the operations that all parts have; the answers are those to this part's."""
        return apply_operations(self, ops, src, dst, weights, edge_data)

    @update
    def expire(self, before: Any) -> UpdateResult:
        """`DynamicGraph.expire`; all parts give the same argument."""
        if self.time_unit is None:
            raise ValueError("this graph has no times; make it with time_unit=")
        return expire_edges(self, as_time(before, "before", self.time_unit))

    def latest_time(self) -> int | None:
        """The greatest time of all edges; None if there are none."""
        return latest_time(self)

    @update
    def insert_vertices(self, count_or_ids: Any) -> Any:
        """`DynamicGraph.insert_vertices`; all parts give the same argument."""
        change = VertexChange("insert_vertices", count_or_ids)
        run(self, change)
        return change.done

    @update
    def delete_vertices(self, ids: Any) -> UpdateResult:
        """`DynamicGraph.delete_vertices`; all parts give the same argument.

        Each part takes a pass over its arcs for those that enter the vertices.
        """
        before = self._delete_incident(ids) if self._observers.live() else 0
        deleted = run(self, VertexChange("delete_vertices", ids)).deleted
        return UpdateResult(deleted=before + deleted)

    def _delete_incident(self, ids: Any) -> int:
        """Delete the edges of vertices while observers can still name these; returns how many."""
        found = all_or_none(
            self, lambda: check_ids(self.device, ids, "ids", self.num_vertices, self.store.absent)
        )  # fmt: skip
        marked = self.xp.zeros(self.num_vertices, np.bool_)
        marked[found] = True
        return run(self, Deletion(OwnedArcs(*incident_arcs(self.local, marked), {}, safe=False))).deleted
