"""Short digests of results, by which those of different systems, in different processes, are compared."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

RANKS = 64  # values of PageRank in a digest
RTOL = {"sum": 1e-9, "ranks": 1e-3}
"""How far those parts of digests that are floats may differ, relatively."""


def digest_distances(distances: np.ndarray) -> dict[str, Any]:
    """Of distances in edges, -1 where there is no path."""
    distances = distances.astype(np.int32)
    return {"reached": int((distances >= 0).sum()), "levels": int(distances.max()), "crc": _crc(distances)}


def digest_triangles(per_vertex: np.ndarray | int) -> dict[str, Any]:
    """Of the number of triangles of each vertex, or of all."""
    if np.ndim(per_vertex) == 0:
        return {"total": int(per_vertex)}
    per_vertex = np.asarray(per_vertex, np.int64)
    return {"total": int(per_vertex.sum()) // 3, "per_vertex": _crc(per_vertex)}


def digest_vector(vector: np.ndarray) -> dict[str, Any]:
    """Of floats, which may differ in their last digits: a weighted sum."""
    return {"sum": float(vector @ np.linspace(1.0, 2.0, vector.size))}


def digest_components(labels: np.ndarray) -> dict[str, Any]:
    """Of labels that are equal within a component, whatever they are: each becomes its first vertex."""
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    return {"components": int(first.size), "crc": _crc(first[which.ravel()].astype(np.int64))}


def digest_ranks(ranks: np.ndarray) -> dict[str, Any]:
    """Of PageRank: some of its values, which may be float32, and may differ by a tolerance."""
    some = np.linspace(0, ranks.size - 1, min(ranks.size, RANKS)).astype(np.int64)
    return {"ranks": [float(rank) for rank in (*ranks[some], ranks.max(initial=0.0), ranks.sum())]}


def digest_edges(edges: tuple[np.ndarray, np.ndarray]) -> dict[str, Any]:
    """Of undirected edges, in any order, each in one direction or in both."""
    a, b = (np.asarray(ends).astype(np.int64) for ends in edges)
    keys = (np.minimum(a, b) << 32) | np.maximum(a, b)
    keys.sort()  # many times as fast as np.unique, which may hash
    first = np.ones(keys.size, bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    keys = keys[first]
    return {"edges": int(keys.size), "crc": _crc(keys)}


def digest_lengths(lengths: np.ndarray) -> dict[str, Any]:
    """Of lengths of paths that are whole numbers, infinite where there is no path."""
    found = np.where(np.isfinite(lengths), lengths, -1).astype(np.int64)
    return {"reached": int((found >= 0).sum()), "longest": int(found.max()), "crc": _crc(found)}


def same_digests(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two digests are those of equal results; a digest may hold less than the other."""
    return all(
        np.shape(one[key]) == np.shape(other[key]) and np.allclose(one[key], other[key], rtol=RTOL[key], atol=0.0)
        if key in RTOL
        else one[key] == other[key]
        for key in one.keys() & other.keys()
    )


def _crc(array: np.ndarray) -> int:
    return zlib.crc32(array.tobytes())
