"""The same graph built at once, and grown by batches of insertions and deletions."""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from .inputs import GraphInput

STATES = ("built", "grown")
SEED = 10
BATCHES = 4
STRANGERS = 1 / 8
"""Edges that are inserted and deleted again, over the edges of the graph."""


def build(
    given: GraphInput, kind: Any, state: str, device: fr.Device, weighted: bool
) -> fr.DynamicGraph:
    """A graph in a structure, a class, as it is after a bulk build or after updates."""
    weights = given.weights if weighted else None
    if state == "built":
        return _graph(kind, given, device, given.src, given.dst, weights)
    return _grow(given, kind, device, weights)


def _graph(
    kind: type[fr.DynamicGraph], given: GraphInput, device: fr.Device, src: Any, dst: Any, weights: Any
) -> fr.DynamicGraph:
    return kind.from_edges(src, dst, weights, given.num_vertices, directed=given.directed, device=device)


def _grow(given: GraphInput, kind: type[fr.DynamicGraph], device: fr.Device, weights: Any) -> fr.DynamicGraph:
    """Half of the edges come in batches, with others that a later batch deletes.

    Each batch also deletes some of the first edges, which the last batch brings back, and gives some a wrong weight,
    which it corrects.
    """
    generator = np.random.default_rng(SEED)
    order = generator.permutation(given.num_edges)
    half = given.num_edges // 2
    first, later = order[:half], np.array_split(order[half:], BATCHES)
    doomed = np.array_split(first[: half // 4], BATCHES)
    wrong = first[half // 4 : half // 2]
    strange = [np.array_split(ends, BATCHES) for ends in _strangers(given, generator)]

    def pick(ids: Any) -> tuple[Any, Any, Any]:
        return given.src[ids], given.dst[ids], None if weights is None else weights[ids]

    graph = _graph(kind, given, device, *pick(first))
    if weights is not None:
        src, dst, right = pick(wrong)
        graph.insert_edges(src, dst, right + 1)
    for batch, (new, gone) in enumerate(zip(later, doomed, strict=True)):
        src, dst, new_weights = pick(new)
        more = strange[0][batch], strange[1][batch]
        if new_weights is not None:
            new_weights = np.append(new_weights, np.ones(more[0].size, new_weights.dtype))
        graph.insert_edges(np.append(src, more[0]), np.append(dst, more[1]), new_weights)
        if batch:
            graph.delete_edges(strange[0][batch - 1], strange[1][batch - 1])
        graph.delete_edges(given.src[gone], given.dst[gone])
    graph.delete_edges(strange[0][-1], strange[1][-1])
    src, dst, right = pick(first[: half // 2])
    graph.insert_edges(src, dst, right)
    return graph


def _strangers(given: GraphInput, generator: np.random.Generator) -> tuple[Any, Any]:
    """Distinct edges that the graph does not have."""
    n, count = given.num_vertices, int(STRANGERS * given.num_edges)
    if n < 2:
        return given.src[:0], given.dst[:0]
    src, dst = generator.integers(0, n, count), generator.integers(0, n, count)
    if not given.directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    keys = np.unique((src * n + dst)[src != dst])
    keys = np.setdiff1d(keys, given.src.astype(np.int64) * n + given.dst, assume_unique=True)
    return (keys // n).astype(given.src.dtype), (keys % n).astype(given.dst.dtype)
