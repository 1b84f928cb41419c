"""Insertions that add up, with ``on_existing="add"`` or in a graph with ``multi_edges="sum"``.

The part that owns an edge's source finds its sum before anything changes. So the batch becomes an insertion of sums,
and a deletion of the edges whose weights become 0 or negative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.core.batch import Arcs
from frontier.core.results import UpdateResult
from frontier.features.edge_data import with_weights

from .agreement import attempt, raise_first
from .routing import OwnedArcs
from .updates import Deletion, Insertion, run

if TYPE_CHECKING:
    from ..base import BasePart


def add_up(graph: BasePart, batch: OwnedArcs) -> UpdateResult:
    """Add a batch to what is in the graph.

    As on one device, deletions come last: if they fail, the insertions have been made.
    """
    found, error = attempt(lambda: _resolve(graph, batch))
    table = graph.comm.gather_counts([error is not None, 0 if found is None else int(found[1].src.size)])
    if table[:, 0].any():
        raise_first(graph, error)
    staying, going = found
    done = run(graph, Insertion(staying, resolved=True))
    deleted = run(graph, Deletion(going)).deleted if table[:, 1].any() else 0
    return UpdateResult(done.inserted, done.replaced, deleted)


def _resolve(graph: BasePart, batch: OwnedArcs) -> tuple[OwnedArcs, OwnedArcs]:
    """The arcs that will be in the graph, each once with what it is to have; and those that leave it."""
    arcs = Arcs(batch.src, batch.dst, batch.weights)
    staying, data, gone = graph.local.payload.summed(graph.local, arcs, batch.data)
    columns = with_weights(staying, data)
    return OwnedArcs(staying.src, staying.dst, columns, batch.safe), OwnedArcs(gone.src, gone.dst, {}, batch.safe)
