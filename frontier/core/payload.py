"""`Payload`: the data of each edge in addition to its ends, and its handling in updates and look-ups.

Structures store a number of `Payload.stored_dtype` with each arc, whatever it means. In most graphs it is the weight of
the edge. In graphs with edge data (`frontier.features.edge_payload`), it is the row of a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from frontier.runtime.values import one_of

from .added_weights import add_weights
from .batch import Arcs
from .change import DELETE, INSERT, Change
from .component import Component, is_followed
from .results import UpdateResult
from .small_updates import small_arrays
from .updates import notifications_of, run

ON_EXISTING = ("replace", "keep", "add")
"""The treatments of existing edges by an insertion."""


def check_on_existing(graph: Any, on_existing: str) -> None:
    """Raise unless an insertion into the graph may treat existing edges so."""
    one_of(on_existing, "on_existing", ON_EXISTING)
    if on_existing == "add" and graph.weight_dtype is None:
        raise ValueError("on_existing='add' adds weights, but this graph has none")
    if graph.multi_edges != "last" and on_existing != "replace":
        raise ValueError(
            f"on_existing={on_existing!r} has no meaning with multi_edges={graph.multi_edges!r}: all records add up"
        )


class Payload(Component):
    """A weight of each edge or nothing, stored by slot. Methods get the graph, or its transpose, which shares it."""

    table: Any = None
    """The columns of edge data, None here."""

    # ---- reading ----------------------------------------------------------------------------------------------------

    def stored_dtype(self, weight_dtype: np.dtype | None) -> np.dtype | None:
        """Type of the numbers that structures store with arcs, or None."""
        return weight_dtype

    def edges_at(self, graph: Any, slots: Any, out: Any = None) -> Any:
        """The `edge` (int64) of the arcs in these slots, -1 for negative slots. `out` may be `slots`."""
        return slots

    def edge_capacity(self, graph: Any) -> int:
        """An exclusive upper bound on `edge`."""
        return graph.slot_capacity

    def weights_of(self, stored: Any) -> Any:
        """Weights, given the numbers that structures store. None in graphs without weights."""
        return stored

    def weights_by_edge(self, graph: Any) -> Any:
        """The weights, indexed by `edge`. None in graphs without weights."""
        return None if graph.weight_dtype is None else graph.store.weights

    def weights_at(self, graph: Any, slots: Any) -> Any:
        """The weights of the arcs in these slots, in a weighted graph."""
        return self.weights_of(graph.store.weights[slots])

    # ---- updates ----------------------------------------------------------------------------------------------------

    def build(self, graph: Any, src: Any, dst: Any, weights: Any, data: Mapping[str, Any]) -> None:
        """Fill an empty graph with a user's edges."""
        if src.size:
            arcs = graph.store.make_arcs(src, dst, weights, directed=graph.directed, weighted=True)
            self.build_arcs(graph, arcs, data)

    def build_arcs(self, graph: Any, arcs: Arcs, data: Mapping[str, Any]) -> None:
        """Fill an empty graph with arcs, and their values in the columns of edge data."""
        graph.store.load(arcs)

    def insert(
        self, graph: Any, src: Any, dst: Any, weights: Any, on_existing: str, data: Mapping[str, Any]
    ) -> UpdateResult:  # fmt: skip
        """See `DynamicGraph.insert_edges`."""
        if data:
            raise TypeError(
                f"insert_edges() got {next(iter(data))}=..., but this graph has no edge data; make it with edge_data="
            )
        arcs = partial(graph.store.make_arcs, src, dst, weights, directed=graph.directed, weighted=True)
        if on_existing == "replace":
            return _result(graph, run(graph, Change(INSERT, arcs, small=small_arrays(graph, src, dst, weights))))
        return self._insert_unless_replacing(graph, arcs(passing=True), on_existing)

    def insert_arcs(
        self, graph: Any, arcs: Arcs, on_existing: str, data: Mapping[str, Any], *, resolved: bool = False
    ) -> UpdateResult:  # fmt: skip
        """See `CoreDynamicGraph.insert_arcs`."""
        if on_existing != "replace":
            return self._insert_unless_replacing(graph, arcs, on_existing)
        small = small_arrays(graph, arcs.src, arcs.dst, arcs.weights)
        return _result(graph, run(graph, Change(INSERT, arcs, small=small)))

    def _insert_unless_replacing(self, graph: Any, arcs: Arcs, on_existing: str) -> UpdateResult:
        """Insert arcs. Existing ones retain their weights, or the new ones are added."""
        if not len(arcs):
            return UpdateResult()
        if on_existing == "add":
            return UpdateResult.of_arcs(graph.directed, *_append(graph, arcs))
        distinct, slots = graph.store.distinct(arcs)
        absent = graph.xp.flatnonzero(slots < 0)
        given = None if distinct.weights is None else distinct.weights[absent]
        new = Arcs(distinct.src[absent], distinct.dst[absent], given)
        return _result(graph, run(graph, Change(INSERT, new, replaces=False)))

    def summed(self, graph: Any, arcs: Arcs, data: Mapping[str, Any]) -> tuple[Arcs, Mapping[str, Any], Arcs]:
        """Resolve a batch whose weights are added: arcs with sums and columns, and the arcs with sums of at most 0."""
        distinct, slots = graph.store.distinct(arcs)
        weights = distinct.weights
        present = graph.xp.flatnonzero(slots >= 0)
        copies = 1 if graph.directed else 2
        weights[present] = add_weights(graph, weights[present], graph.store.weights[slots[present]], copies=copies)
        stay = weights > 0
        gone = graph.xp.flatnonzero(~stay & (slots >= 0))
        stay = graph.xp.flatnonzero(stay)
        staying = Arcs(distinct.src[stay], distinct.dst[stay], weights[stay])
        return staying, data, Arcs(distinct.src[gone], distinct.dst[gone], None)

    def delete(self, graph: Any, src: Any, dst: Any) -> UpdateResult:
        """See `DynamicGraph.delete_edges`."""
        arcs = partial(graph.store.make_arcs, src, dst, directed=graph.directed)
        return _result(graph, run(graph, Change(DELETE, arcs, small=small_arrays(graph, src, dst, None))))

    def delete_arcs(self, graph: Any, arcs: Arcs) -> UpdateResult:
        """See `CoreDynamicGraph.delete_arcs`."""
        small = small_arrays(graph, arcs.src, arcs.dst, None) if graph.directed else None
        return _result(graph, run(graph, Change(DELETE, arcs, small=small)))


WEIGHTS = Payload()
"""The payload of graphs without edge data. It has no state: one object serves all."""


def _append(graph: Any, arcs: Arcs) -> tuple[int, int, int]:
    """Add the weights of arcs to the graph's. Return the numbers of new, updated and deleted distinct arcs."""
    if not graph._observers.live() and not is_followed(graph):
        with graph._access.changing():
            done = graph.store.append(arcs)
        if done is not None:
            return done
    staying, _, going = graph.payload.summed(graph, arcs, {})
    leaving = notifications_of(graph, going, present=True) if going.size else []
    added = run(graph, Change(INSERT, staying))  # first, as it may need much more memory
    removed = run(graph, Change(DELETE, going, notifications=(leaving, [])))
    return added.changed, added.found, removed.changed


def _result(graph: Any, change: Change) -> UpdateResult:
    copies = 1 if graph.directed else 2
    changed = change.changed // copies
    if change.kind is DELETE:
        return UpdateResult(deleted=changed)
    return UpdateResult(changed, change.found // copies if change.replaces else 0)
