"""Batches in order, and where their arcs are: what structures with unordered lists build on."""

import numpy as np
import pytest

from frontier.operators.match import match_keys
from frontier.sort import distinct_keys, id_bits


def batch_of(graph, src, dst, weights=None):
    return graph._prepare(src, dst, weights, directed=True, weighted=True)


@pytest.mark.parametrize("num_vertices", [3, 1000, 2**31 - 1])
@pytest.mark.parametrize("size", [0, 1, 7, 5000])
def test_distinct_keys(structure, device, num_vertices, size):
    graph = structure(1000, directed=True, device=device)
    rng = np.random.default_rng(size)
    # As wide as ids allow: many arcs between the first and the last ids, which come up more than once.
    ends = np.concatenate([np.arange(20), np.arange(num_vertices - 20, num_vertices)]) % num_vertices
    src, dst = rng.choice(ends, (2, size))
    graph._num_vertices, spread = num_vertices, graph._num_vertices
    try:
        arcs = batch_of(graph, src, dst)
        keys, origin, count = distinct_keys(graph, arcs, origin=True)
    finally:
        graph._num_vertices = spread
    listed = {}
    for i, arc in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
        if arc[0] != arc[1]:
            listed[arc] = i
    expected = sorted(listed)
    n = int(count[0])
    keys, origin = graph.device.to_host(keys), graph.device.to_host(origin)
    shift = id_bits(num_vertices)
    assert [(k >> shift, k & ((1 << shift) - 1)) for k in keys[:n].tolist()] == expected
    assert origin[:n].tolist() == [listed[arc] for arc in expected]
    assert (keys[n:] == 2**63 - 1).all()


def test_match_keys(structure, device):
    rng = np.random.default_rng(1)
    src, dst = rng.integers(0, 300, (2, 3000))
    src[:1500] = 7  # a hub, with more of the batch's keys than fit a segment
    dst[:1500] = rng.integers(0, 3000, 1500)
    graph = structure.from_edges(src, dst, num_vertices=3000, device=device)
    asked = np.concatenate([src, rng.integers(0, 3000, 4000)]), np.concatenate([dst, rng.integers(0, 3000, 4000)])
    keys, _, count = distinct_keys(graph, batch_of(graph, *asked))
    slots = graph.xp.full(keys.size, -5, np.int64)
    match_keys(graph, keys, slots)
    n, shift = int(count[0]), id_bits(3000)
    assert (slots[n:] == -1).all()
    expected = graph.find_edges(keys[:n] >> shift, keys[:n] & ((1 << shift) - 1))
    assert (slots[:n] == expected).all()
    assert (slots[:n] >= 0).any()
    assert (slots[:n] < 0).any()


def test_match_keys_in_an_empty_graph(structure, device):
    graph = structure(5, device=device)
    keys, _, _ = distinct_keys(graph, batch_of(graph, [1, 2, 2], [2, 1, 2]))
    slots = graph.xp.zeros(keys.size, np.int64)
    match_keys(graph, keys, slots)
    assert (slots == -1).all()
