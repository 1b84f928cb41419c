"""Whether arrays are those of a CSR graph."""

from __future__ import annotations

from typing import Any

from frontier.core.invariants import enumerate_rows, in_order, require, require_size


def check_arrays(store: Any) -> tuple[Any, Any, Any]:
    """See `Store.check`; the class lists the invariants."""
    xp, offsets, indices = store.xp, store.offsets, store.neighbors
    require_size(offsets, store.num_vertices + 1, "offsets")
    require_size(store.weights, indices.size, "weights")
    require(int(offsets[0]) == 0 and int(offsets[-1]) == indices.size, "offsets do not begin at 0 and end at the arcs")
    degrees = xp.diff(offsets)
    require((offsets[1:] >= offsets[:-1]).all(), "offsets descend")
    _, src, _ = enumerate_rows(store.device, degrees)
    require(in_order(src, indices), "the neighbors of a vertex do not ascend")
    return src, indices, xp.arange(indices.size)
