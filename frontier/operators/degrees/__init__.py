"""Degrees as numbers of one type, whatever type structures use."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.base import BaseGraph

from ..dispatch.kernels import cuda_kernels_for

HEADER = "frontier/operators/degrees/degrees.cuh"


def degrees_of(graph: BaseGraph, vertices: Any = None, out: Any = None) -> Any:
    """The degree of each vertex, or of `vertices`, which are valid, in `out` (contiguous int64) or a new array."""
    if graph.device.is_gpu:
        count = graph.num_vertices if vertices is None else int(vertices.size)
        out = graph.xp.empty(count, np.int64) if out is None else out
        if count:
            cuda_kernels_for(graph, HEADER, (), ()).degrees(count, graph.view(), vertices, out)
        return out
    found = graph.store.degrees() if vertices is None else graph.store.degrees_of(vertices)
    if out is None:
        return found.astype(np.int64)
    out[:] = found
    return out


def total_degree(graph: BaseGraph, vertices: Any) -> int:
    """Number of arcs that leave some vertices, each counted as often as it is listed."""
    return int(graph.sum_all(degrees_of(graph, vertices))) if vertices.size else 0
