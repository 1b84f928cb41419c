"""Build a graph at once, or grow it by batches of insertions and deletions."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from .inputs import GraphInput

STATES = ("built", "grown")
SEED = 10
BATCHES = 4
STRANGERS = 1 / 8  # edges that are inserted and deleted again, over the edges of the graph


class Step(NamedTuple):
    """A batch of insertions, or of deletions."""

    deletes: bool
    src: Any
    dst: Any
    weights: Any


def build(given: GraphInput, kind: Any, state: str, device: fr.advanced.Device, weighted: bool) -> fr.DynamicGraph:
    """Make a graph of a structure class, as it is after a bulk build or after updates."""
    first, *steps = _steps(given) if state == "grown" else [Step(False, given.src, given.dst, given.weights)]
    graph = kind.from_edges(
        first.src, first.dst, first.weights if weighted else None, given.num_vertices, directed=given.directed,
        device=device,
    )  # fmt: skip
    for step in steps:
        if step.deletes:
            graph.delete_edges(step.src, step.dst)
        else:
            graph.insert_edges(step.src, step.dst, step.weights if weighted else None)
    return graph


@lru_cache(maxsize=1)  # all structures process the same steps
def _steps(given: GraphInput) -> list[Step]:
    """Insert half of the edges first and the rest in batches, with strange edges that the next batch deletes.

    Each batch also deletes some of the first edges, which the last batch restores. Some of the first edges get a wrong
    weight, which the last batch corrects.
    """
    generator = np.random.default_rng(SEED)
    order = generator.permutation(given.num_edges)
    half = given.num_edges // 2
    first, later = order[:half], np.array_split(order[half:], BATCHES)
    doomed = np.array_split(first[: half // 4], BATCHES)
    strange = [np.array_split(ends, BATCHES) for ends in _strangers(given, generator)]

    def insert(ids: Any) -> Step:
        return Step(False, given.src[ids], given.dst[ids], None if given.weights is None else given.weights[ids])

    wrong = insert(first[half // 4 : half // 2])
    found = [insert(first), wrong._replace(weights=None if wrong.weights is None else wrong.weights + 1)]
    for batch, (new, gone) in enumerate(zip(later, doomed, strict=True)):
        src, dst = strange[0][batch], strange[1][batch]
        known = insert(new)
        weights = None
        if known.weights is not None:
            weights = np.append(known.weights, np.ones(src.size, known.weights.dtype))
        found.append(Step(False, np.append(known.src, src), np.append(known.dst, dst), weights))
        if batch:
            found.append(Step(True, strange[0][batch - 1], strange[1][batch - 1], None))
        found.append(Step(True, given.src[gone], given.dst[gone], None))
    found.append(Step(True, strange[0][-1], strange[1][-1], None))
    return [*found, insert(first[: half // 2])]


def _strangers(given: GraphInput, generator: np.random.Generator) -> tuple[Any, Any]:
    """Draw distinct edges that the graph does not have."""
    n, count = given.num_vertices, int(STRANGERS * given.num_edges)
    if n < 2:
        return given.src[:0], given.dst[:0]
    src, dst = generator.integers(0, n, count), generator.integers(0, n, count)
    if not given.directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    keys = np.unique((src * n + dst)[src != dst])
    keys = np.setdiff1d(keys, given.src.astype(np.int64) * n + given.dst, assume_unique=True)
    return (keys // n).astype(given.src.dtype), (keys % n).astype(given.dst.dtype)
