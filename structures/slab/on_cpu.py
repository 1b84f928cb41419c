"""Planning of tables on the CPU, by NumPy. `on_gpu` has the same functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.batch import Arcs

from .cpu_slabs import BASE, BUCKETS, DEGREE, PENDING, TOMBSTONES
from .layout import Crowding, Layout

if TYPE_CHECKING:
    from .graph import SlabGraph


def deferred_arcs(graph: SlabGraph, arcs: Arcs, slots: Any, count: int) -> Any:
    """The positions of the arcs that an insertion deferred, `count` of them."""
    return np.flatnonzero(slots == PENDING)


def crowding(graph: SlabGraph, arcs: Arcs, positions: Any, moved: Any) -> Crowding:
    """The tables that become crowded by the arcs at these positions; their vertices are marked in `moved`."""
    ids, coming = np.unique(arcs.src[positions], return_counts=True)
    records = graph._records[ids].astype(np.int64)
    buckets, live, dead = records[:, BUCKETS], records[:, DEGREE], records[:, TOMBSTONES]
    fill = graph.slab_words - 1
    crowded = live + dead + coming > 2 * graph.load_factor * fill * buckets
    moved[ids[crowded]] = True
    bound = np.where(crowded, (live + coming) // fill, np.minimum(coming, buckets + coming // fill))
    return Crowding(ids[crowded], coming[crowded], int(bound.sum()))


def lay_out(graph: SlabGraph, ids: Any) -> Layout:
    """The tables of these vertices (None: of all) as rows, and their chains as a list."""
    records = graph._records[: graph.num_vertices] if ids is None else graph._records[ids]
    offsets, chain_offsets = np.zeros((2, records.shape[0] + 1), np.int64)
    np.cumsum(records[:, DEGREE], dtype=np.int64, out=offsets[1:])
    np.cumsum(np.where(records[:, BASE] >= 0, records[:, BUCKETS], 0), dtype=np.int64, out=chain_offsets[1:])
    tombstones = int(records[:, TOMBSTONES].sum(dtype=np.int64))
    return Layout(records, offsets, int(offsets[-1]), chain_offsets, int(chain_offsets[-1]), tombstones)


def plan_records(
    graph: SlabGraph, offsets: Any, coming: Any, keys_each: float, first: int
) -> tuple[Any, int, int]:  # fmt: skip
    """Records of tables for these rows and for `coming` keys more, with base slabs from `first` on; the number of base
    slabs, and of rows without."""
    degrees = np.diff(offsets)
    buckets = np.ceil((degrees if coming is None else degrees + coming) / keys_each).astype(np.int64)
    ends = np.cumsum(buckets)
    rows, total = int(ends.size), int(ends[-1]) if ends.size else 0
    records = np.zeros((rows, 4), np.int32)
    with np.errstate(over="ignore"):  # too many slabs are refused by the caller
        records[:, BASE] = np.where(buckets > 0, first + ends - buckets, -1)
    records[:, BUCKETS] = np.maximum(buckets, 1)
    records[:, DEGREE] = degrees
    return records, total, rows - int(np.count_nonzero(buckets))


def count_overflow(graph: SlabGraph, fill: Any) -> int:
    """Overflow slabs of buckets with so many keys each."""
    return int((np.maximum(fill - 1, 0) // (graph.slab_words - 1)).sum(dtype=np.int64))


def store_records(graph: SlabGraph, ids: Any, records: Any) -> None:
    """Set the records of these vertices; None are those of vertices without slabs."""
    graph._records[ids] = graph._empty_records(int(ids.size)) if records is None else records


def with_tombstones(graph: SlabGraph) -> Any:
    """The vertices whose tables have tombstones."""
    return np.flatnonzero(graph._records[: graph.num_vertices, TOMBSTONES] > 0)
