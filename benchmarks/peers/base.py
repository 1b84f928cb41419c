"""What a peer offers to the worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class BasePeer:
    """A library and the graph that it has built.

    A peer overrides `build` and those of the tasks that it can do. A task returns a function to be timed; that one
    returns the library's own result, which `distances`, `per_vertex` or `vector` turn into a NumPy array afterwards.

    Attributes
    ----------
    version : str
    """

    version = ""

    def prepare(self, num_vertices: int, src: np.ndarray, dst: np.ndarray) -> Any:
        """The edge list (each edge once) in the form that `build` takes; not timed."""
        return num_vertices, src, dst

    def build(self, prepared: Any) -> Any:
        """The library's graph."""
        raise AttributeError("build")

    def synchronize(self) -> None:
        """Wait for the device."""

    def bfs(self, graph: Any, source: int) -> Callable[[], Any] | None:
        """Breadth-first search."""

    def bfs_direction_optimizing(self, graph: Any, source: int) -> Callable[[], Any] | None:
        """Breadth-first search, direction-optimizing, where that is a choice."""

    def triangles(self, graph: Any) -> Callable[[], Any] | None:
        """Triangle counting: of each vertex, or in all."""

    def spmv(self, graph: Any, vector: np.ndarray) -> Callable[[], Any] | None:
        """The sum of a vector over the neighbors of each vertex."""

    def distances(self, result: Any) -> np.ndarray:
        """What `bfs` found, as int32, -1 where there is no path."""
        return np.asarray(result, np.int32)

    def per_vertex(self, result: Any) -> np.ndarray | int:
        """What `triangles` found: an array, or the total where the library gives no more."""
        return np.asarray(result, np.int64)

    def vector(self, result: Any) -> np.ndarray:
        """What `spmv` found."""
        return np.asarray(result)


def both_directions(src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each edge in both directions."""
    return np.concatenate([src, dst]), np.concatenate([dst, src])
