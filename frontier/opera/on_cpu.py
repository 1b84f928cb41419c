"""What a mixed batch is taken apart into, on a CPU. `on_gpu` has the same functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..sort import id_bits
from .operations import ASKED, DEGREE, INSERT, LISTED, NEIGHBORS, UNKNOWN, WEIGHED, WEIGHT, no_pair


def taken(graph: Any, ops: Any, src: Any, dst: Any, weights: Any, tally: Any) -> tuple[Any, Any, Any]:
    """A user's operations as uint8, the second ends of those on pairs, and the weights of insertions.

    Ends that have no meaning are the first ones, and weights 1. `tally` counts numbers that are no operations.
    """
    tally[UNKNOWN] = np.count_nonzero((ops < 0) | (ops > NEIGHBORS))
    ends = np.where(ops >= DEGREE, src, dst)
    if weights is not None:
        weights = np.where(ops == INSERT, weights, weights.dtype.type(1))
    return ops.astype(np.uint8), ends, weights


def pair_keys(graph: Any, ops: Any, src: Any, dst: Any, tally: Any) -> Any:
    """The key of the pair of each operation, `no_pair` if it is on none. `tally` counts what is asked."""
    tally[ASKED] = np.count_nonzero(ops >= DEGREE)
    tally[LISTED] = np.count_nonzero(ops == NEIGHBORS)
    tally[WEIGHED] = np.count_nonzero(ops == WEIGHT)
    bits = id_bits(graph.num_vertices)
    low, high = (src, dst) if graph.directed else (np.minimum(src, dst), np.maximum(src, dst))
    keys = low.astype(np.int64) << bits | high.astype(np.int64)
    keys[(ops >= DEGREE) | (src == dst)] = no_pair(graph)
    return keys


def pair_ends(graph: Any, keys: Any) -> tuple[Any, Any]:
    """The ends of the pairs with these keys; -1 for `no_pair`."""
    bits, dtype = id_bits(graph.num_vertices), graph.vertex_dtype
    src, dst = (keys >> bits).astype(dtype), (keys & ((1 << bits) - 1)).astype(dtype)
    none = keys == no_pair(graph)
    src[none] = dst[none] = -1
    return src, dst
