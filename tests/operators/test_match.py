"""Batches in order, and where their arcs are: what structures with unordered lists build on."""

import numpy as np
import pytest

from frontier.core.sort import END, distinct_keys, id_bits, sorted_keys
from frontier.operators.match import match_keys


def batch_of(graph, src, dst, weights=None):
    return graph.store.make_arcs(src, dst, weights, directed=True, weighted=True)


@pytest.mark.parametrize("num_vertices", [3, 1000, 2**31 - 1])
@pytest.mark.parametrize("size", [0, 1, 7, 5000])
def test_distinct_keys(structure, device, num_vertices, size):
    graph = structure(1000, directed=True, device=device)
    rng = np.random.default_rng(size)
    # As wide as ids allow: many arcs between the first and the last ids, which come up more than once.
    ends = np.concatenate([np.arange(20), np.arange(num_vertices - 20, num_vertices)]) % num_vertices
    src, dst = rng.choice(ends, (2, size))
    graph.store.num_vertices, spread = num_vertices, graph.store.num_vertices
    try:
        arcs = batch_of(graph, src, dst)
        keys, origin, count = distinct_keys(graph, arcs, origin=True)
    finally:
        graph.store.num_vertices = spread
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
    assert (keys[n:] == END).all()


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


@pytest.mark.parametrize("origin", [False, True])
def test_match_keys_of_a_batch_with_duplicates(structure, device, origin):
    """The last one of equal keys gets the slot, whether or not keys contain positions in the batch."""
    rng = np.random.default_rng(2)
    src, dst = rng.integers(0, 300, (2, 3000))
    src[:1500] = 7
    graph = structure.from_edges(src, dst, num_vertices=300, device=device)
    asked = np.tile(np.stack([src, dst]), 2)[:, rng.permutation(6000)[:5000]]
    batch = sorted_keys(graph, batch_of(graph, *asked), origin=origin)
    slots = graph.xp.full(batch.keys.size, -5, np.int64)
    match_keys(graph, batch.keys, slots, batch.bits)
    keys, slots = graph.device.to_host(batch.keys), graph.device.to_host(slots)
    arcs = np.where(keys == END, -1, keys >> batch.bits)
    last = (arcs >= 0) & np.r_[arcs[1:] != arcs[:-1], True]
    assert last.sum() == len({(u, v) for u, v in zip(*asked.tolist(), strict=True) if u != v})
    expected = graph.device.to_host(graph.find_edges(arcs[last] >> batch.shift, arcs[last] & ((1 << batch.shift) - 1)))
    assert (slots[last] == expected).all()
    assert (slots[~last] == -1).all()
    if origin:
        order = graph.device.to_host(batch.order) if batch.order is not None else keys & ((1 << batch.bits) - 1)
        listed = {arc: i for i, arc in enumerate(zip(*asked.tolist(), strict=True))}
        found = zip((arcs[last] >> batch.shift).tolist(), (arcs[last] & ((1 << batch.shift) - 1)).tolist(), strict=True)
        assert order[last].tolist() == [listed[arc] for arc in found]


def test_match_keys_in_an_empty_graph(structure, device):
    graph = structure(5, device=device)
    keys, _, _ = distinct_keys(graph, batch_of(graph, [1, 2, 2], [2, 1, 2]))
    slots = graph.xp.zeros(keys.size, np.int64)
    match_keys(graph, keys, slots)
    assert (slots == -1).all()
