"""An independent count of the triangles at each vertex, on the CPU, without the project's operators.

The neighbors of a vertex are marked. A triangle is an arc between two marked vertices. Arcs go from the lower degree to
the higher, so few are visited. Vertices are counted in random order on all cores. When the time is over, the exact
counts of a random sample are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numba
import numpy as np

from .check import CheckTime
from .machine import cores

CHUNKS, LEAST = 4096, 64  # most chunks of the vertices, each of which is counted whole, and fewest vertices of one
MOST_MARKS = 1 << 28  # marks of all threads together: bounds their memory to 1 GiB
LOOK_SECONDS = 0.1  # how often the progress is shown


class Neighbors(NamedTuple):
    """Lists of neighbors: of vertex v from ``begin[v]`` to ``begin[v + 1]``, higher degrees before ``middle[v]``."""

    begin: np.ndarray
    middle: np.ndarray
    ids: np.ndarray


def count_by_vertex(
    low: np.ndarray, high: np.ndarray, num_vertices: int, time: CheckTime
) -> tuple[np.ndarray, np.ndarray]:
    """Count the triangles of vertices of a simple undirected graph until the time is over.

    Returns the counted vertices, all and in order if the time sufficed, and their counts (int64).
    """
    time.show("checking: lists of neighbors", None)
    neighbors = list_neighbors(low, high, num_vertices)
    order = np.random.default_rng(1).permutation(num_vertices).astype(neighbors.ids.dtype)
    counts = np.full(num_vertices, -1, np.int64)
    _count_at(order[:0], *neighbors, order[:0], counts)  # which compiles it
    waiting = iter(np.array_split(order, max(min(CHUNKS, num_vertices // LEAST), 1)))
    threads = max(min(cores(), MOST_MARKS // max(num_vertices, 1)), 1)
    with ThreadPoolExecutor(threads) as pool:
        running = {pool.submit(_count_chunks, waiting, neighbors, counts, time) for _ in range(threads)}
        try:
            while running:
                _, running = wait(running, LOOK_SECONDS)
                time.show("checking: triangles", float((counts >= 0).mean()))
        except BaseException:
            list(waiting)  # none is left for the threads
            raise
    counted = np.flatnonzero(counts >= 0)
    return counted, counts[counted]


def list_neighbors(low: np.ndarray, high: np.ndarray, num_vertices: int) -> Neighbors:
    degrees = np.bincount(low, minlength=num_vertices) + np.bincount(high, minlength=num_vertices)
    begin = np.concatenate([[0], np.cumsum(degrees)])
    ids = np.empty(2 * low.size, np.int32 if num_vertices <= np.iinfo(np.int32).max else np.int64)
    middle = begin[:-1].copy()
    _place(low, high, degrees, middle, begin[1:].copy(), ids)
    return Neighbors(begin, middle, ids)


def _count_chunks(chunks: Iterator[np.ndarray], neighbors: Neighbors, counts: np.ndarray, time: CheckTime) -> None:
    """Count at least one chunk, and more until the time or the chunks run out."""
    marks = np.full(counts.size, -1, neighbors.ids.dtype)
    for chunk in chunks:  # the threads share a list's iterator
        _count_at(chunk, *neighbors, marks, counts)
        if not time.left:
            break


@numba.njit(nogil=True, cache=True)  # its cache is enough: it calls no other function
def _place(low: Any, high: Any, degrees: Any, front: Any, back: Any, ids: Any) -> None:
    for edge in range(low.size):
        u, v = low[edge], high[edge]
        if degrees[u] > degrees[v] or (degrees[u] == degrees[v] and u > v):
            u, v = v, u
        ids[front[u]] = v
        front[u] += 1
        back[v] -= 1
        ids[back[v]] = u


@numba.njit(nogil=True, cache=True)  # its cache is enough: it calls no other function
def _count_at(vertices: Any, begin: Any, middle: Any, ids: Any, marks: Any, counts: Any) -> None:
    for v in vertices:
        for place in range(begin[v], begin[v + 1]):
            marks[ids[place]] = v
        total = 0
        for place in range(begin[v], begin[v + 1]):
            u = ids[place]
            for other in range(begin[u], middle[u]):
                total += marks[ids[other]] == v
        counts[v] = total
