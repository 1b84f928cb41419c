"""``on_existing="add"`` where observers follow: which edges stay, and which the sums delete, is found before.

On one device structures find that out as they go. Over parts all observers are notified at the same time, so that the
batch is cut in two: an insertion, and a deletion of the edges whose weights become 0 or negative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.core.added_weights import add_weights
from frontier.core.batch import Arcs
from frontier.core.results import UpdateResult
from frontier.core.sort import split_keys, unique_arcs
from frontier.features.times import TIME

from .batch import Batch, attempt, raise_first

if TYPE_CHECKING:
    from ..base import BasePart


def append(graph: BasePart, batch: Batch) -> UpdateResult:
    """Add the weights of arcs to those in the graph, and notify observers.

    As on one device, deletions come last: if they fail, the insertions have been made.
    """
    found, error = attempt(lambda: _cut(graph, batch))
    table = graph.comm.gather_counts([error is not None, 0 if found is None else int(found[1].src.size)])
    if table[:, 0].any():
        raise_first(graph, error)
    staying, going = found
    done = graph._insert_batch(staying, "add")
    deleted = graph._delete(going).deleted if table[:, 1].any() else 0
    return UpdateResult(done.inserted, done.replaced, deleted)


def _cut(graph: BasePart, batch: Batch) -> tuple[Batch, Batch]:
    """The arcs that will be in the graph, each once with the record that counts; and those that leave it."""
    local, xp = graph.local, graph.xp
    records = xp.arange(batch.src.size, dtype=np.int64)
    if graph.time_unit is not None:  # those that count come last
        times = batch.columns[TIME]
        if graph.keep_time == "first":
            records, times = records[::-1], ~times[::-1]  # ~ reverses the order of all times
        records = records[xp.argsort(times, kind="stable")]
    keys, records = unique_arcs(
        local.device, Arcs(batch.src[records], batch.dst[records], records), local.num_vertices
    )  # fmt: skip
    src, dst = split_keys(local.device, keys, local.num_vertices, local.vertex_dtype)
    edges = local.find_edges(src, dst, checked=False)
    present = edges >= 0
    sums = batch.weights[records]  # a copy
    sums[present] = add_weights(local, sums[present], local.slot_weights[edges[present]], copies=1)
    stay, leave = xp.flatnonzero(sums > 0), xp.flatnonzero(~(sums > 0) & present)
    columns = {name: values[records[stay]] for name, values in batch.columns.items()}
    staying = Batch(src[stay], dst[stay], columns, batch.safe)
    return staying, Batch(src[leave], dst[leave], {}, batch.safe)
