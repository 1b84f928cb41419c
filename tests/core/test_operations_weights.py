"""Weights through updates."""

import numpy as np
import pytest
from model import random_batch, to_host

WEIGHTS = ["int32", "float64"]


@pytest.fixture
def two(new):
    """Edges 0 - 1 of weight 3 and 1 - 2 of weight 5."""
    return new([0, 1], [1, 2], np.array([3, 5], np.float32), num_vertices=5)


def weights_of(pair, src, dst):
    return to_host(pair.graph, pair.graph.edge_weights(src, dst)).tolist()


def test_replace_is_the_default(two):
    two.insert([0, 2], [1, 3], np.array([8, 9], np.float32))
    assert weights_of(two, [1, 2, 1], [0, 3, 2]) == [8, 9, 5]
    two.check()


def test_weights_are_one_unless_given(two):
    two.insert([0, 2], [1, 3])
    assert weights_of(two, [0, 2], [1, 3]) == [1, 1]
    two.check()


def test_keep(two):
    two.insert([0, 2], [1, 3], np.array([8, 9], np.float32), on_existing="keep")
    assert weights_of(two, [0, 2], [1, 3]) == [3, 9]
    two.check()


def test_add(two):
    result = two.insert([0, 2], [1, 3], np.array([8, 9], np.float32), on_existing="add")
    assert (result.inserted, result.replaced, result.deleted) == (1, 1, 0)
    assert weights_of(two, [0, 2], [1, 3]) == [11, 9]
    two.check()


def test_add_deletes_what_falls_to_zero_or_below(two):
    result = two.insert([1, 2], [0, 1], np.array([-3, -6], np.float32), on_existing="add")
    assert (result.inserted, result.replaced, result.deleted) == (0, 0, 2)
    assert two.graph.num_edges == 0
    two.check()


def test_add_inserts_nothing_that_starts_at_zero_or_below(two):
    result = two.insert([0, 2], [3, 4], np.array([0, -1], np.float32), on_existing="add")
    assert (result.inserted, result.replaced, result.deleted) == (0, 0, 0)
    two.check()


def test_add_counts_the_last_of_duplicates(two):
    two.insert([0, 1, 0], [1, 0, 1], np.array([100, 50, 2], np.float32), on_existing="add")
    assert weights_of(two, [0], [1]) == [5]
    two.check()


def test_add_in_every_way_at_once(two):
    src, dst = [0, 1, 2, 3, 0], [1, 2, 3, 4, 4]
    result = two.insert(src, dst, np.array([1, -5, 2, 0, -2], np.float32), on_existing="add")
    assert (result.inserted, result.replaced, result.deleted) == (1, 1, 1)
    two.check()


def test_add_of_ones(two):
    two.insert([0], [1], on_existing="add")
    assert weights_of(two, [0], [1]) == [4]


def test_negative_and_zero_weights_are_kept_by_replace(two):
    two.insert([0, 1], [1, 2], np.array([-7, 0], np.float32))
    assert weights_of(two, [0, 1], [1, 2]) == [-7, 0]
    two.check()


def test_add_refuses_sums_of_infinities_of_both_signs(two):
    """Their sum is no number: the batch is refused, and no edge deleted."""
    infinity = np.float32(np.inf)
    two.insert([0, 1], [1, 2], [infinity, -infinity])
    before = two.graph.version
    for batch in (([0], [1], [-infinity]), ([3, 1], [4, 2], [1, infinity]), ([0, 1], [1, 2], [-infinity, infinity])):
        edges = len(batch[0]) - (batch[0][0] == 3)
        with pytest.raises(ValueError, match=f"weights: on_existing='add' makes {edges} sums? that (is|are) NaN"):
            two.graph.insert_edges(*batch, on_existing="add")
        assert two.graph.version == before
        two.check()
    two.insert([0, 1], [1, 2], [infinity, -infinity], on_existing="add")
    two.check()


def test_infinite_weights(two):
    two.insert([0], [1], np.array([np.inf], np.float32))
    assert weights_of(two, [1], [0]) == [np.inf]


@pytest.mark.parametrize("dtype", WEIGHTS)
@pytest.mark.parametrize("on_existing", ["replace", "keep", "add"])
def test_random_batches(new, rng, directed, dtype, on_existing):
    pair = new(*random_batch(rng, 25, 150, dtype), num_vertices=25, directed=directed)
    for size in (1, 40, 400):
        pair.insert(*random_batch(rng, 25, size, dtype), on_existing=on_existing)
        pair.delete(*random_batch(rng, 25, size // 3)[:2])
    pair.check()


def test_wide_integers_stay_exact(new):
    weights = np.array([2**53 + 1, -(2**62)], np.int64)
    pair = new([0, 1], [1, 2], weights)
    assert weights_of(pair, [0, 1], [1, 2]) == weights.tolist()


def test_doubles_stay_exact(new):
    pair = new([0], [1], np.array([0.1], np.float64))
    assert weights_of(pair, [1], [0]) == [0.1]


def test_other_byte_order(new):
    """Doubles of another machine's byte order are doubles all the same."""
    pair = new([0], [1], np.array([0.1], np.float64), num_vertices=3)
    swapped = type(pair.graph).from_edges([0], [1], np.array([0.1], ">f8"), device=pair.graph.device.kind)
    assert swapped.weight_dtype == np.float64
    assert to_host(swapped, swapped.edge_weights([0], [1])).tolist() == [0.1]


def test_batches_are_brought_to_the_graphs_dtype(two):
    two.insert([2, 3], [3, 4], np.array([1, 2], np.int16))
    two.insert([0, 0], [3, 4], [1, 2])
    two.insert([0], [2], np.array([0.5], np.float64))
    two.check()


def test_weight_follows_a_neighbor_that_moves(new, rng):
    """Growing a vertex moves its neighbors, and their weights with them."""
    pair = new(num_vertices=3000, weight_dtype="float32")
    for part in np.array_split(rng.permutation(np.arange(1, 3000)), 12):
        pair.insert(np.zeros(part.size, int), part, part.astype(np.float32))
    leaves = np.arange(1, 3000)
    assert weights_of(pair, np.zeros(leaves.size, int), leaves) == leaves.tolist()
    pair.delete(np.zeros(1000, int), leaves[:1000])
    assert weights_of(pair, leaves[1000:], np.zeros(1999, int)) == leaves[1000:].tolist()
