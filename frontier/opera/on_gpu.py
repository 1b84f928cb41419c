"""What a mixed batch is taken apart into, on a GPU, by kernels of our own. `on_cpu` has the same functions.

CuPy would compile the kernels of the same array expressions one by one, the first time that a mixed batch comes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import Kernels, elementwise, load_kernels
from ..sort import id_bits


def taken(graph: Any, ops: Any, src: Any, dst: Any, weights: Any, tally: Any) -> tuple[Any, Any, Any]:
    """A user's operations as uint8, the second ends of those on pairs, and the weights of insertions.

    Ends that have no meaning are the first ones, and weights 1. `tally` counts numbers that are no operations.
    """
    empty, size = graph.xp.empty, int(ops.size)
    ops = elementwise.converted(graph.device, ops, np.dtype(np.int64))
    kinds, ends = empty(size, np.uint8), empty(size, dst.dtype)
    values = None if weights is None else empty(size, weights.dtype)
    opera_kernels(graph, src.dtype).take_operations(size, ops, src, dst, weights, kinds, ends, values, tally)
    return kinds, ends, values


def pair_keys(graph: Any, ops: Any, src: Any, dst: Any, tally: Any) -> Any:
    """The key of the pair of each operation, `no_pair` if it is on none. `tally` counts what is asked."""
    keys = graph.xp.empty(ops.size, np.int64)
    bits = id_bits(graph.num_vertices)
    opera_kernels(graph, src.dtype).pair_keys(int(ops.size), ops, src, dst, graph.directed, bits, keys, tally)
    return keys


def pair_ends(graph: Any, keys: Any) -> tuple[Any, Any]:
    """The ends of the pairs with these keys; -1 for `no_pair`."""
    src, dst = (graph.xp.empty(keys.size, graph.vertex_dtype) for _ in range(2))
    opera_kernels(graph, src.dtype).pair_ends(int(keys.size), keys, id_bits(graph.num_vertices), src, dst)
    return src, dst


def opera_kernels(graph: Any, id_dtype: np.dtype) -> Kernels:
    """The kernels of this folder for users' ids of a type; those of a CPU, too."""
    value = graph.weight_dtype or np.dtype(np.float32)
    return load_kernels("frontier.opera", graph.device, {"ID": id_dtype, "VID": graph.vertex_dtype, "VALUE": value})
