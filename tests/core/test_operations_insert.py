"""Batches of edges put into graphs."""

import numpy as np
import pytest
from model import random_batch, to_host

HUB_NEIGHBORS = 8000


def test_nothing(new, directed, weight_dtype):
    pair = new([0, 1], [1, 2], num_vertices=4, directed=directed, weight_dtype=weight_dtype)
    result = pair.insert([], [])
    assert (result.inserted, result.replaced, result.deleted) == (0, 0, 0)
    pair.insert(np.empty(0, np.int32), np.empty(0, np.int32))
    pair.check()


def test_nothing_into_no_vertices(new):
    pair = new(num_vertices=0)
    pair.insert([], [])
    pair.delete([], [])
    pair.check()


def test_into_an_empty_graph(new, directed, weight_dtype, rng):
    pair = new(num_vertices=40, directed=directed, weight_dtype=weight_dtype)
    pair.insert(*random_batch(rng, 40, 300, weight_dtype))
    pair.check()


def test_one_edge_at_a_time(new, directed, rng):
    pair = new(num_vertices=12, directed=directed)
    for u, v in rng.integers(0, 12, (60, 2)).tolist():
        pair.insert([u], [v])
    pair.check()


def test_counts(new):
    pair = new([0, 1], [1, 2], num_vertices=5)
    result = pair.insert([0, 3, 1, 3, 2, 4], [1, 4, 0, 4, 2, 3])
    assert (result.inserted, result.replaced, result.deleted) == (1, 1, 0)
    pair.check()


def test_self_loops_only(new, directed):
    pair = new([0], [1], num_vertices=3, directed=directed)
    assert pair.insert([0, 1, 2], [0, 1, 2]).inserted == 0
    pair.check()


@pytest.mark.parametrize("on_existing", ["replace", "keep"])
def test_all_duplicates(new, directed, on_existing):
    pair = new(num_vertices=4, directed=directed)
    assert pair.insert([1] * 5000, [2] * 5000, on_existing=on_existing).inserted == 1
    assert pair.insert([1] * 5000, [2] * 5000, on_existing=on_existing).inserted == 0
    pair.check()


def test_few_distinct_edges_many_times(new, directed, rng):
    """Makes threads that insert one edge at once collide."""
    pair = new(num_vertices=6, directed=directed, weight_dtype="float32")
    for _ in range(3):
        src, dst = rng.integers(0, 6, (2, 20_000))
        pair.insert(src, dst, np.arange(20_000, dtype=np.float32))
        pair.check()


def test_both_directions_with_different_weights(new):
    pair = new(num_vertices=6, weight_dtype="float32")
    src, dst = [0, 1, 2, 3, 5, 4], [1, 0, 3, 2, 4, 5]
    pair.insert(src, dst, np.array([1, 2, 3, 4, 5, 6], np.float32))
    found = to_host(pair.graph, pair.graph.edge_weights(src, dst)).tolist()
    assert found == [2, 2, 4, 4, 6, 6]
    pair.check()


def test_both_directions_many_times(new, rng):
    """In any order of threads, both directions must end with the weight of the last."""
    pair = new(num_vertices=40, weight_dtype="float32")
    for _ in range(4):
        src, dst = rng.integers(0, 40, (2, 8000))
        pair.insert(src, dst, np.arange(8000, dtype=np.float32))
    pair.check()


def test_both_directions_when_directed(new):
    pair = new(num_vertices=3, directed=True, weight_dtype="float32")
    pair.insert([0, 1, 0], [1, 0, 2], np.array([1, 2, 3], np.float32))
    pair.check()


def test_random_batches(new, rng, directed, weight_dtype):
    pair = new(num_vertices=60, directed=directed, weight_dtype=weight_dtype)
    for size in (1, 7, 100, 2000, 3, 500):
        pair.insert(*random_batch(rng, 60, size, weight_dtype))
        pair.check()


def test_big_and_small_batches_in_turn(new, rng, weight_dtype):
    pair = new(num_vertices=2000, weight_dtype=weight_dtype)
    for size in (1, 5000, 1, 2, 8000, 10, 1, 3000, 1):
        pair.insert(*random_batch(rng, 2000, size, weight_dtype))
        pair.delete(*random_batch(rng, 2000, size)[:2])
    pair.check()


def test_hub_in_one_batch(new, rng, directed, weight_dtype):
    pair = new([1], [2], num_vertices=HUB_NEIGHBORS + 1, directed=directed, weight_dtype=weight_dtype)
    leaves = rng.permutation(np.arange(1, HUB_NEIGHBORS + 1))
    pair.insert(np.zeros(leaves.size, np.int64), leaves)
    pair.check()


def test_hub_in_many_batches(new, rng):
    pair = new(num_vertices=HUB_NEIGHBORS + 1, weight_dtype="float32")
    leaves = rng.permutation(np.arange(1, HUB_NEIGHBORS + 1))
    for part in np.array_split(leaves, 25):
        weights = part.astype(np.float32)
        pair.insert(np.full(part.size, 0), part, weights)
    pair.check()
    pair.insert(leaves, np.zeros(leaves.size, int), np.full(leaves.size, 2, np.float32))
    pair.check()


def test_hub_comes_and_goes(new, rng):
    """A vertex that grows large, shrinks and grows again, among vertices that stay."""
    size = 8000
    pair = new(*random_batch(rng, size, 500)[:2], num_vertices=size)
    for _ in range(4):
        leaves = rng.permutation(np.arange(1, size))
        pair.insert(np.zeros(leaves.size, int), leaves)
        pair.delete(leaves[5:], np.zeros(leaves.size - 5, int))
    pair.check()


def test_star_of_stars(new, rng):
    """Degrees from one to thousands in one batch."""
    hubs = np.repeat(np.arange(12), 1 << np.arange(12))
    pair = new(num_vertices=4200)
    pair.insert(hubs, np.concatenate([12 + rng.permutation(4100)[: 1 << k] for k in range(12)]))
    pair.check()


def test_last_ids(new, directed):
    """Ids at the limit of the id space."""
    pair = new(num_vertices=1000, directed=directed)
    pair.insert([999, 0, 998, 999], [0, 998, 999, 999])
    pair.check()


@pytest.mark.parametrize("vertex_dtype", ["int32", "int64"])
def test_complete_graph(new, vertex_dtype):
    src, dst = np.divmod(np.arange(40 * 40), 40)
    pair = new(num_vertices=40, vertex_dtype=vertex_dtype)
    assert pair.insert(src, dst).inserted == 40 * 39 // 2
    assert pair.insert(dst, src).inserted == 0
    pair.check()


def test_keep(new, rng, directed, weight_dtype):
    pair = new(*random_batch(rng, 20, 60, weight_dtype), num_vertices=20, directed=directed)
    for size in (1, 50, 300):
        pair.insert(*random_batch(rng, 20, size, weight_dtype), on_existing="keep")
        pair.check()


def test_keep_of_what_is_there_changes_nothing(new):
    pair = new([0], [1], np.array([3], np.float32))
    version = pair.graph.version
    result = pair.insert([1, 0], [0, 1], np.array([5, 6], np.float32), on_existing="keep")
    assert (result.inserted, result.replaced) == (0, 0)
    assert pair.graph.version == version
    pair.check()


def test_vertices_of_one_neighbor_each(new):
    """A long path: as many vertices with something to change as there can be."""
    path = np.arange(20_000)
    pair = new(num_vertices=20_001)
    pair.insert(path, path + 1)
    pair.insert(path[::2], path[::2] + 1)
    pair.delete(path[::3], path[::3] + 1)
    pair.check()


def test_version_grows(new):
    pair = new([0], [1], num_vertices=3)
    before = pair.graph.version
    pair.insert([1], [2])
    assert pair.graph.version > before
