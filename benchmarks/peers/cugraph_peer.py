"""cuGraph, through its engine pylibcugraph, with renumbering."""

from __future__ import annotations

from typing import Any

import cupy as cp
import numpy as np
import pylibcugraph as plc

from .base import BasePeer


class Peer(BasePeer):
    """See `BasePeer`. Arrays are on the GPU before the clock runs."""

    version = plc.__version__

    def __init__(self) -> None:
        self.handle = plc.ResourceHandle()
        self.num_vertices = 0

    def prepare(self, num_vertices: int, src: np.ndarray, dst: np.ndarray) -> Any:
        self.num_vertices = num_vertices
        src, dst = cp.asarray(src), cp.asarray(dst)
        return cp.concatenate([src, dst]), cp.concatenate([dst, src])

    def build(self, prepared: Any) -> Any:
        src, dst = prepared
        properties = plc.GraphProperties(is_symmetric=True, is_multigraph=False)
        return plc.SGGraph(
            self.handle, properties, src, dst, weight_array=None, store_transposed=False, renumber=True,
            do_expensive_check=False, input_array_format="COO",
        )  # fmt: skip

    def synchronize(self) -> None:
        cp.cuda.Device().synchronize()

    def _search(self, graph: Any, source: int, direction_optimizing: bool) -> Any:
        sources = cp.array([source], cp.int32)
        return lambda: plc.bfs(self.handle, graph, sources, direction_optimizing, -1, True, False)

    def bfs(self, graph: Any, source: int) -> Any:
        return self._search(graph, source, False)

    def bfs_direction_optimizing(self, graph: Any, source: int) -> Any:
        return self._search(graph, source, True)

    def distances(self, result: Any) -> np.ndarray:
        distances, _, vertices = result
        found = cp.full(self.num_vertices, -1, cp.int32)  # isolated vertices are not in the result
        found[vertices] = cp.where(distances == np.iinfo(np.int32).max, -1, distances)
        return found.get()

    def triangles(self, graph: Any) -> Any:
        return lambda: plc.triangle_count(self.handle, graph, None, False)

    def per_vertex(self, result: Any) -> np.ndarray:
        vertices, counts = result
        found = cp.zeros(self.num_vertices, cp.int64)
        found[vertices] = counts
        return found.get()
