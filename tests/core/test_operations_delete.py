"""Deletions of batches of edges."""

import numpy as np
import pytest
from model import random_batch


def test_nothing(new, weight_dtype):
    pair = new([0, 1], [1, 2], weight_dtype=weight_dtype)
    assert pair.delete([], []).deleted == 0
    pair.check()


def test_from_an_empty_graph(new, directed):
    pair = new(num_vertices=4, directed=directed)
    assert pair.delete([0, 1, 2], [1, 2, 2]).deleted == 0
    pair.check()


def test_one_edge(new, directed, weight_dtype):
    pair = new([0, 1], [1, 2], directed=directed, weight_dtype=weight_dtype)
    assert pair.delete([0], [1]).deleted == 1
    pair.check()


def test_the_other_direction(new, directed):
    """It is the same edge in an undirected graph, and another one in a directed one."""
    pair = new([0, 1], [1, 2], directed=directed)
    assert pair.delete([1], [0]).deleted == (0 if directed else 1)
    pair.check()


def test_absent_edges(new, directed):
    pair = new([0, 1], [1, 2], num_vertices=9, directed=directed)
    assert pair.delete([0, 5, 8], [2, 6, 0]).deleted == 0
    pair.check()


def test_duplicates_count_once(new, directed):
    pair = new([0, 1], [1, 2], directed=directed)
    assert pair.delete([0] * 3000, [1] * 3000).deleted == 1
    pair.check()


def test_both_directions_in_a_batch(new):
    pair = new([0, 1, 2], [1, 2, 3])
    assert pair.delete([0, 1, 2, 1], [1, 0, 1, 2]).deleted == 2
    pair.check()


def test_self_loops_are_passed_over(new, directed):
    pair = new([0, 1], [1, 2], directed=directed)
    assert pair.delete([0, 1, 2], [0, 1, 2]).deleted == 0
    pair.check()


def test_everything(new, rng, directed, weight_dtype):
    src, dst, weights = random_batch(rng, 50, 900, weight_dtype)
    pair = new(src, dst, weights, num_vertices=50, directed=directed)
    pair.delete(src, dst)
    assert pair.graph.num_edges == 0
    pair.check()
    pair.insert(src, dst, weights)
    pair.check()


def test_random_batches(new, rng, directed, weight_dtype):
    pair = new(*random_batch(rng, 60, 1500, weight_dtype), num_vertices=60, directed=directed)
    for size in (1, 10, 300, 2, 2000):
        pair.delete(*random_batch(rng, 60, size)[:2])
        pair.check()


def test_part_of_a_hub(new, rng, weight_dtype):
    leaves = rng.permutation(np.arange(1, 8000))
    pair = new(np.zeros(leaves.size, int), leaves, weight_dtype=weight_dtype)
    pair.delete(np.zeros(1, int), leaves[:1])
    pair.delete(leaves[:4000], np.zeros(4000, int))
    pair.check()
    pair.insert(leaves[2000:6000], np.zeros(4000, int))
    pair.check()


def test_a_hub_neighbor_by_neighbor(new, rng):
    leaves = rng.permutation(np.arange(1, 40))
    pair = new(np.zeros(leaves.size, int), leaves)
    for leaf in leaves.tolist():
        pair.delete([leaf], [0])
        pair.check()


@pytest.mark.parametrize("same", [True, False], ids=["same edges", "other edges"])
def test_deleted_and_inserted_again(new, rng, same, weight_dtype):
    """It fills a structure with tombstones. No edge may come to be stored twice."""
    src, dst, weights = random_batch(rng, 25, 200, weight_dtype)
    pair = new(src, dst, weights, num_vertices=25)
    for round_ in range(25):
        pair.delete(src, dst)
        if not same:
            src, dst, weights = random_batch(rng, 25, 200, weight_dtype)
        pair.insert(src, dst, weights)
        if round_ % 8 == 0:
            pair.check()
    pair.check()


def test_halves_in_turn(new, rng):
    """Deleting one half and inserting over the holes while the other half stays must not store a neighbor twice."""
    everything = np.arange(1, 400)
    pair = new(np.zeros(everything.size, int), everything)
    for _ in range(20):
        chosen = rng.permutation(everything)
        pair.delete(np.zeros(200, int), chosen[:200])
        pair.insert(np.zeros(300, int), chosen[50:350])
    pair.check()


def test_version_grows(new):
    pair = new([0], [1])
    before = pair.graph.version
    pair.delete([0], [1])
    assert pair.graph.version > before
