"""Streams of known kinds, generated from a seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from frontier import io

HUBS = 16  # vertices that half of the rows of `hubs` touch


def hubs(scale: int, edge_factor: float, seed: int) -> io.EdgeList:
    """A graph of stars: every other row has one of a few hubs as an end, and further ends are uniformly random."""
    edges = io.uniform(2**scale, round(edge_factor * 2**scale), seed)
    src = edges.src.copy()
    src[::2] = np.random.default_rng(seed).integers(0, min(HUBS, 2**scale), src[::2].size)
    return io.EdgeList(src, edges.dst, num_vertices=edges.num_vertices, directed=True)


def _shuffled(edges: io.EdgeList, seed: int) -> io.EdgeList:
    """Shuffle the edges: a lattice does not grow row by row."""
    return edges[np.random.default_rng(seed).permutation(len(edges))]


GENERATORS: dict[str, Callable[[int, float, int], io.EdgeList]] = {
    "rmat": lambda scale, factor, seed: io.rmat(scale, factor, seed=seed),
    "uniform": lambda scale, factor, seed: io.uniform(2**scale, round(factor * 2**scale), seed),
    "hubs": hubs,
    "growth": lambda scale, factor, seed: io.preferential_attachment(2**scale, max(round(factor), 1), seed),
    "grid": lambda scale, factor, seed: _shuffled(io.grid(2 ** (scale // 2), 2 ** (scale - scale // 2)), seed),
    "road": lambda scale, factor, seed: _shuffled(io.road_like(2**scale, seed), seed),
}
"""By name, with a scale (2**scale vertices), rows for each vertex where the kind leaves it open, and a seed."""


def generate(kind: str, scale: int = 16, edge_factor: float = 16, seed: int = 1) -> io.EdgeList:
    """A stream of insertions of a kind of `GENERATORS`. ValueError if it does not exist or a number is out of range."""
    if kind not in GENERATORS:
        raise ValueError(f"there is no generator {kind!r}; choose from {', '.join(GENERATORS)}")
    if scale < 0 or edge_factor < 0:
        raise ValueError(f"scale and edge_factor must not be negative, got {scale} and {edge_factor}")
    return GENERATORS[kind](scale, edge_factor, seed)
