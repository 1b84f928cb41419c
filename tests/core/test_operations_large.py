"""Batches too large for the model, against sorted arrays. Larger ones on the GPU, where threads meet."""

import numpy as np
import pytest
from model import to_host

SHIFT = 32
SIZES = {"cpu": 50_000, "gpu": 3_000_000}
# Vertices for each 1,000 edges of a batch: edges that hardly meet, edges many times over, a few lists of all.
CROWDS = {"sparse": 500, "dense": 4, "crowded": 0.5}


class Arrays:
    """Edges as one sorted key each, with weights. The rules of `model.Model`, in whole batches."""

    def __init__(self, directed):
        self.directed = directed
        self.keys = np.empty(0, np.int64)
        self.weights = np.empty(0, np.float32)

    def arcs(self, src, dst, weights=None):
        """Sorted distinct keys of a batch, with the last weight of each."""
        order = np.arange(src.size)
        if not self.directed:
            src, dst, order = np.r_[src, dst], np.r_[dst, src], np.r_[order, order]
        loops = src == dst
        keys, order = (src << SHIFT | dst)[~loops], order[~loops]
        place = np.lexsort((order, keys))
        keys, order = keys[place], order[place]
        last = np.r_[keys[1:] != keys[:-1], True][: keys.size]
        return keys[last], None if weights is None else weights[order[last]]

    def insert(self, src, dst, weights):
        """Numbers of edges inserted and replaced."""
        keys, weights = self.arcs(src, dst, weights)
        there = np.isin(keys, self.keys)
        stay = ~np.isin(self.keys, keys)
        keys, weights = np.r_[self.keys[stay], keys], np.r_[self.weights[stay], weights]
        order = np.argsort(keys)
        self.keys, self.weights = keys[order], weights[order]
        return self._edges(~there), self._edges(there)

    def delete(self, src, dst):
        """Number of edges deleted."""
        keys, _ = self.arcs(src, dst)
        gone = np.isin(self.keys, keys)
        self.keys, self.weights = self.keys[~gone], self.weights[~gone]
        return self._edges(gone)

    def _edges(self, marked):
        return int(np.count_nonzero(marked)) // (1 if self.directed else 2)


def same(graph, arrays, weighted):
    csr = graph.to_csr()
    offsets, indices = to_host(graph, csr.offsets), to_host(graph, csr.indices)
    src = np.repeat(np.arange(graph.num_vertices), np.diff(offsets))
    np.testing.assert_array_equal(src << SHIFT | indices, arrays.keys)
    np.testing.assert_array_equal(to_host(graph, graph.degrees()), np.diff(offsets))
    src, dst = arrays.keys >> SHIFT, arrays.keys & ((1 << SHIFT) - 1)
    slots = to_host(graph, graph.find_edges(src, dst))
    assert slots.size == 0 or slots.min() >= 0
    assert np.unique(slots).size == slots.size
    if weighted:
        np.testing.assert_array_equal(to_host(graph, csr.weights), arrays.weights)
        np.testing.assert_array_equal(to_host(graph, graph.edge_weights(src, dst)), arrays.weights)


@pytest.mark.parametrize("crowd", CROWDS)
def test_rounds(structure, device, rng, directed, weight_dtype, crowd):
    """Insert, delete a subset with many absent edges, insert over the holes."""
    if weight_dtype and not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no weights")
    size = SIZES[device]
    vertices = max(int(CROWDS[crowd] * size / 1000), 4)
    graph = structure(vertices, device=device, directed=directed, weight_dtype=weight_dtype)
    arrays = Arrays(directed)
    # Distinct integers that float32 represents exactly.
    weights = np.arange(size, dtype=np.float32)
    for _ in range(2):
        src, dst = rng.integers(0, vertices, (2, size))
        result = graph.insert_edges(src, dst, weights if weight_dtype else None)
        assert (result.inserted, result.replaced) == arrays.insert(src, dst, weights)
        same(graph, arrays, weight_dtype)
        again, others = rng.integers(0, vertices, (2, size // 4))
        src, dst = np.r_[src[::3], again], np.r_[dst[::3], others]
        assert graph.delete_edges(src, dst).deleted == arrays.delete(src, dst)
        same(graph, arrays, weight_dtype)


def test_skewed_degrees(structure, device, rng):
    """Few vertices are ends of most edges, as in graphs of people and pages."""
    size = SIZES[device]
    vertices = size // 8
    graph = structure(vertices, device=device)
    arrays = Arrays(False)
    for _ in range(2):
        src, dst = (vertices * rng.random((2, size)) ** 4).astype(np.int64)
        graph.insert_edges(src, dst)
        arrays.insert(src, dst, np.ones(size, np.float32))
        half = rng.permutation(size)[: size // 2]
        graph.delete_edges(src[half], dst[half])
        arrays.delete(src[half], dst[half])
    same(graph, arrays, weighted=False)


def test_arrays_agree_with_the_model(rng, directed):
    """Two independent oracles agree."""
    from model import Model, random_batch

    model, arrays = Model(30, directed=directed, weight_dtype="float32"), Arrays(directed)
    for _ in range(4):
        batch = random_batch(rng, 30, 150, "float32")
        result = model.insert_edges(*batch)
        assert (result.inserted, result.replaced) == arrays.insert(*batch)
        src, dst, _ = random_batch(rng, 30, 100)
        assert model.delete_edges(src, dst).deleted == arrays.delete(src, dst)
        assert [(u << SHIFT | v, w) for u, v, w in model.arcs()] == list(zip(arrays.keys, arrays.weights, strict=True))
