"""Inputs of the reproduced experiments: batches and streams cut from generated graphs, before any clock runs."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..batches import draw
from ..defaults import BATCH_SEED, GRAPH_SEED
from ..graphs import BenchmarkGraph

Arcs = tuple[Any, Any]
KEPT = 8  # graphs whose ordered arcs are cached from one experiment to the next
MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # odd numbers: so keys that are mixed stay distinct
MIX_WEIGHTS = 2_654_435_761


def random_arcs(graph: BenchmarkGraph, size: int) -> Arcs:
    """Uniform random arcs: loops, duplicates and arcs of the graph among them."""
    return draw(graph, "uniform", size, BATCH_SEED)


def arcs_of(graph: BenchmarkGraph, size: int) -> Arcs:
    """Arcs of the graph in random order. Some repeat if it has too few."""
    src, dst = shuffled(graph)
    if size > int(src.size):
        chosen = graph.device.xp.asarray(np.random.default_rng(BATCH_SEED).integers(0, int(src.size), size))
        return src[chosen], dst[chosen]
    return src[:size], dst[:size]


@lru_cache(KEPT)
def shuffled(graph: BenchmarkGraph) -> Arcs:
    """Both directions of every edge, all in random order: a stream with random times, as the papers make theirs."""
    src, dst = graph.arcs()
    order = random_order(graph.device.xp, int(src.size))
    return src[order], dst[order]


@lru_cache(KEPT)
def shuffled_edges(graph: BenchmarkGraph) -> Arcs:
    """Each edge once, in random order."""
    order = random_order(graph.device.xp, graph.num_edges)
    return graph.src[order], graph.dst[order]


def random_order(xp: Any, count: int) -> Any:
    """The numbers from 0 to `count` in random order, made where they are used: the same on every device."""
    keys = xp.arange(1, count + 1, dtype=np.uint64) * np.uint64(MIX[0]) + np.uint64(GRAPH_SEED)
    for factor in MIX[1:]:
        keys = (keys ^ (keys >> np.uint64(31))) * np.uint64(factor)
    return xp.argsort(keys ^ (keys >> np.uint64(31)))


def random_weights(xp: Any, count: int) -> Any:
    """Whole numbers from 1 to 256, as float32."""
    return (xp.arange(count, dtype=np.int64) * MIX_WEIGHTS % 256 + 1).astype(np.float32)


@lru_cache(KEPT)
def in_csr_order(graph: BenchmarkGraph) -> Arcs:
    """Both directions of every edge, by source and then destination."""
    src, dst = graph.arcs()
    keys = graph.device.xp.sort(src.astype(np.int64) * graph.num_vertices + dst)
    return (keys // graph.num_vertices).astype(np.int32), (keys % graph.num_vertices).astype(np.int32)


def random_vertices(graph: BenchmarkGraph, count: int) -> Any:
    """Distinct vertices, int64, or all of them if the graph has no more than `count`."""
    chosen = np.random.default_rng(BATCH_SEED).permutation(graph.num_vertices)[:count]
    return graph.device.xp.asarray(chosen.astype(np.int64))
