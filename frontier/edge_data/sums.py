"""Parallel edges that are added up: each record of an edge adds to its count and its weight (``multi="sum"``).

The graph stays simple. An edge has the number of its records in the column ``"count"``, and the sum of their weights as
its weight; its other data are those of the last record, or of the one that its time says. So degrees and triangles are
over distinct neighbors, and functors see the sums. The records of a batch are added up by edge, then to what the edge
has, and the result is inserted like any batch without duplicates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..batch import Arcs
from ..sort import arc_keys, id_bits, sort_pairs
from ..temporal import TIME
from .columns import COUNT, WEIGHT_COLUMN
from .updates import Rows, insert_rows

if TYPE_CHECKING:
    from ..dynamic import DynamicGraph
    from ..graph import Graph


def add_rows(graph: DynamicGraph, rows: Rows) -> tuple[int, int]:
    """Insert records, which add to the edges that are there; returns how many arcs were new, and how many were not."""
    data: Any = graph._edge_data
    xp = graph.xp
    rows = summed_rows(graph, rows)
    if not len(rows.arcs):
        return 0, 0
    slots = graph._find(rows.arcs.src, rows.arcs.dst)
    present = xp.flatnonzero(slots >= 0)
    held = graph._weights[slots[present]]
    columns = rows.columns
    for name in (COUNT, WEIGHT_COLUMN):
        if name in columns:
            columns[name][present] = _sum(columns[name][present], data.columns[name][held], name)
    if data.times is not None:  # edges whose time counts more keep it, and all but what is added up
        late = xp.flatnonzero(data.times.outdated(data.columns[TIME][held], columns[TIME][present]))
        for name in data.names:
            if name != COUNT:
                columns[name][present[late]] = data.columns[name][held[late]]
    return insert_rows(graph, rows, timed=False)


def summed_rows(graph: Graph, rows: Rows) -> Rows:
    """One record for each edge of a batch: the one that counts, with the sums of all. Its arrays are its own."""
    xp, data = graph.xp, graph._edge_data
    arcs = rows.arcs.check()
    kept = xp.flatnonzero(arcs.src >= 0)
    times = rows.columns.get(TIME) if data.times is not None else None  # type: ignore[union-attr]
    if times is not None:  # those that count come last: the sort by edges keeps their order
        ranks = times[kept]
        if data.times.earliest:  # type: ignore[union-attr]
            kept, ranks = kept[::-1], ~ranks[::-1]  # ~ reverses the order of all times
        kept = kept[xp.argsort(ranks, kind="stable")]
    src, dst = arcs.src[kept], arcs.dst[kept]
    if not graph.directed:
        src, dst = xp.minimum(src, dst), xp.maximum(src, dst)
    keys = arc_keys(graph.device, src, dst, graph.num_vertices)
    keys, order = sort_pairs(graph.device, keys, key_bits=2 * id_bits(graph.num_vertices))
    order = kept[order]
    ends = xp.flatnonzero(xp.concatenate([keys[1:] != keys[:-1], xp.ones(min(keys.size, 1), bool)]))
    last = order[ends]
    columns = {name: values[last] for name, values in rows.columns.items()}
    for name in (COUNT, WEIGHT_COLUMN):
        if name in columns:
            columns[name] = _sums_of_runs(xp, rows.columns[name][order], ends, name)
    return Rows(Arcs(arcs.src[last], arcs.dst[last], None), columns)


def _sums_of_runs(xp: Any, values: Any, ends: Any, name: str) -> Any:
    """The sums of consecutive values; each run goes up to one of `ends`."""
    begins = xp.concatenate([xp.zeros(min(ends.size, 1), np.int64), ends[:-1] + 1])
    numbers = xp.zeros(values.size + 1, np.int64)
    numbers[begins[1:]] = 1
    rough = xp.bincount(xp.cumsum(numbers)[:-1], weights=values.astype(np.float64), minlength=ends.size)
    if values.dtype.kind == "f":
        return rough.astype(values.dtype)
    exact = xp.zeros(values.size + 1, np.int64)  # but for multiples of 2**64
    xp.cumsum(values, out=exact[1:])
    sums = exact[ends + 1] - exact[begins]
    fitting = sums.astype(values.dtype)
    if bool(((xp.abs(sums - rough) > 2.0**62) | (fitting != sums)).any()):
        _fail(name, values.dtype)
    return fitting


def _sum(added: Any, held: Any, name: str) -> Any:
    """Sums of two arrays."""
    sums = added + held
    if sums.dtype.kind == "i" and bool(((added ^ sums) & (held ^ sums) < 0).any()):  # its sign differs from both
        _fail(name, sums.dtype)
    return sums


def _fail(name: str, dtype: np.dtype) -> None:
    argument = "weights" if name == WEIGHT_COLUMN else name
    raise ValueError(f"{argument}: multi='sum' makes a sum that does not fit in {dtype}")
