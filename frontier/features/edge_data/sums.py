"""Parallel edges that are added up: each row adds to its edge's count and weight (``multi_edges="sum"``).

The graph stays simple. An edge has the number of its rows in the column ``"count"``, and the sum of their weights as
its weight. Its other data come from the row that counts. So degrees and triangles are over distinct neighbors,
and functors see the sums. The rows of a batch are added up by edge, then to the edge's values, and the result is
inserted like any batch without duplicates.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from frontier.core.base import BaseDynamicGraph, BaseGraph
from frontier.core.batch import Arcs
from frontier.core.sort import arc_keys, id_bits, last_of_runs, sort_pairs
from frontier.core.updates import notifications_of
from frontier.runtime import Device

from ..times import TIME
from .columns import COUNT, WEIGHT_COLUMN
from .record_updates import edge_arcs
from .updates import Rows, appended_rows, delete_rows, insert_rows


class Runs(NamedTuple):
    """The rows of a batch, edge by edge. Rows of one edge are in order of time, then of position in the batch.

    `order` has positions in the batch, without ignored rows. `begins` and `ends` are the indices in it of each
    edge's first and last row. All are int64.
    """

    order: Any
    begins: Any
    ends: Any


def add_rows(graph: BaseDynamicGraph, rows: Rows) -> tuple[int, int, int]:
    """Insert rows that add to existing edges. Return the arcs that were new, updated, and deleted for a weight of at
    most 0."""
    staying, going = resolved_rows(graph, rows)
    leaving = notifications_of(graph, edge_arcs(graph, going.src, going.dst), present=True) if len(going) else []
    inserted, updated = insert_rows(graph, staying, timed=False)  # first, as it may need much more memory
    return inserted, updated, delete_rows(graph, going, (leaving, [])) if len(going) else 0


def resolved_rows(graph: BaseGraph, rows: Rows) -> tuple[Rows, Arcs]:
    """One row for each edge of a batch, with the sums of its rows and the graph's values. The edges that leave
    the graph, as their weights become 0 or negative, are returned separately."""
    if not len(rows.arcs):
        return rows, rows.arcs
    if graph.multi_edges != "sum":
        return appended_rows(graph, rows)
    rows = summed_rows(graph, rows, edge_runs(graph, rows))
    slots = graph.store.find(rows.arcs.src, rows.arcs.dst)
    present = graph.xp.flatnonzero(slots >= 0)
    add_held(graph, rows.columns, present, graph.store.weights[slots[present]])
    return rows, Arcs(rows.arcs.src[:0], rows.arcs.dst[:0], None)


def edge_runs(graph: BaseGraph, rows: Rows) -> Runs:
    """The order of a batch's rows by edge. Raises if the batch is invalid."""
    xp, data = graph.xp, graph.payload.table
    arcs = rows.arcs.check()
    kept = xp.flatnonzero(arcs.src >= 0)
    if data.times is not None:  # type: ignore[union-attr]
        kept = kept[xp.argsort(rows.columns[TIME][kept], kind="stable")]
    src, dst = arcs.src[kept], arcs.dst[kept]
    if not graph.directed:
        src, dst = xp.minimum(src, dst), xp.maximum(src, dst)
    keys = arc_keys(graph.device, src, dst, graph.num_vertices)
    keys, order = sort_pairs(graph.device, keys, key_bits=2 * id_bits(graph.num_vertices))
    return Runs(kept[order], *run_bounds(graph.device, keys))


def run_bounds(device: Device, values: Any) -> tuple[Any, Any]:
    """The positions of the first and of the last of each run of equal values."""
    ends = last_of_runs(device, values)
    return device.xp.concatenate([device.xp.zeros(min(ends.size, 1), np.int64), ends[:-1] + 1]), ends


def run_of_each(xp: Any, begins: Any, size: int) -> Any:
    """The number of the run that contains each of `size` positions."""
    starts = xp.zeros(size, np.int64)
    starts[begins[1:]] = 1
    return xp.cumsum(starts)


def summed_rows(graph: BaseGraph, rows: Rows, runs: Runs) -> Rows:
    """One row for each edge of a batch: the one that counts, with the sums of all. Its arrays are its own."""
    data: Any = graph.payload.table
    arcs, (order, begins, ends) = rows.arcs, runs
    counting = order[begins if data.times is not None and data.times.earliest else ends]
    columns = {name: values[counting] for name, values in rows.columns.items()}
    for name in (COUNT, WEIGHT_COLUMN):
        if name in columns:
            columns[name] = sums_of_runs(graph.xp, rows.columns[name][order], begins, ends, name, data.multi_edges)
    return Rows(Arcs(arcs.src[counting], arcs.dst[counting], None), columns)


def add_held(graph: BaseGraph, columns: dict[str, Any], present: Any, held: Any) -> None:
    """Add the values of existing edges, at the ids `held`, to the rows of a batch, one for each edge."""
    data: Any = graph.payload.table
    for name in (COUNT, WEIGHT_COLUMN):
        if name in columns:
            columns[name][present] = _sum(
                graph.xp, columns[name][present], data.columns[name][held], name, data.multi_edges
            )
    if data.times is not None:  # edges whose own time counts retain it, and all values except sums
        late = graph.xp.flatnonzero(data.times.outdated(data.columns[TIME][held], columns[TIME][present]))
        for name in data.names:
            if name != COUNT:
                columns[name][present[late]] = data.columns[name][held[late]]


def sums_of_runs(xp: Any, values: Any, begins: Any, ends: Any, name: str, multi_edges: str) -> Any:
    """Sums of consecutive values, in adjacent runs of at least one. ValueError if a sum exceeds its integer type."""
    rough = _rough_sums(xp, values, begins, ends)
    if values.dtype.kind == "f":
        return _number(xp, rough.astype(values.dtype), multi_edges)
    return _fitting(xp, _wrapped_sums(xp, values, begins, ends), rough, values.dtype, name, multi_edges)


def sums_without_runs(xp: Any, held: Any, values: Any, begins: Any, ends: Any, name: str, multi_edges: str) -> Any:
    """Subtract runs of values from sums of integers that contain them, as for `sums_of_runs`."""
    sums = held.astype(np.int64) - _wrapped_sums(xp, values, begins, ends)
    return _fitting(xp, sums, held - _rough_sums(xp, values, begins, ends), held.dtype, name, multi_edges)


def _rough_sums(xp: Any, values: Any, begins: Any, ends: Any) -> Any:
    numbers = run_of_each(xp, begins, int(values.size))
    return xp.bincount(numbers, weights=values.astype(np.float64), minlength=ends.size)


def _wrapped_sums(xp: Any, values: Any, begins: Any, ends: Any) -> Any:
    """Sums of integers, exact but for multiples of 2**64."""
    sums = xp.zeros(values.size + 1, np.int64)
    xp.cumsum(values, out=sums[1:])
    return sums[ends + 1] - sums[begins]


def _fitting(xp: Any, sums: Any, rough: Any, dtype: np.dtype, name: str, multi_edges: str) -> Any:
    """Sums as numbers of a type, if they fit, and no multiple of 2**64 is missing."""
    fitting = sums.astype(dtype)
    if bool(((xp.abs(sums - rough) > 2.0**62) | (fitting != sums)).any()):
        _fail(name, dtype, multi_edges)
    return fitting


def _number(xp: Any, sums: Any, multi_edges: str) -> Any:
    """Sums of floats, if none of them is NaN."""
    if bool(xp.isnan(sums).any()):
        raise ValueError(f"weights: multi_edges={multi_edges!r} makes a sum of infinities of both signs")
    return sums


def _sum(xp: Any, added: Any, held: Any, name: str, multi_edges: str) -> Any:
    """Sums of two arrays."""
    with np.errstate(invalid="ignore", over="ignore"):
        sums = added + held
    if sums.dtype.kind == "f":
        return _number(xp, sums, multi_edges)
    if bool(((added ^ sums) & (held ^ sums) < 0).any()):  # its sign differs from both
        _fail(name, sums.dtype, multi_edges)
    return sums


def _fail(name: str, dtype: np.dtype, multi_edges: str) -> None:
    argument = "weights" if name == WEIGHT_COLUMN else name
    raise ValueError(f"{argument}: multi_edges={multi_edges!r} makes a sum that does not fit in {dtype}")
