"""Vertices that are drawn at random, and stay when others come and go."""

import numpy as np
import pytest

from frontier.runtime.random_vertices import PIECE, draw_vertices

SIZES = [1, 50, PIECE, 3 * PIECE + 1]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", [0, 1, -1, 2**64 - 2])
def test_distinct_and_ascending(size, seed, rng):
    vertices = rng.permutation(2 * size)[:size].astype(np.int32)
    for k in (1, 16, size - 1, size, size + 1):
        found = draw_vertices(vertices, k, seed)
        assert found.size == min(k, size) and found.dtype == np.int32
        assert (np.diff(found) > 0).all() and np.isin(found, vertices).all()
        assert (found == draw_vertices(np.sort(vertices), k, seed)).all()


def test_one_more_or_less_changes_one_at_most(rng):
    vertices = np.arange(200)
    for seed in range(50):
        before = set(draw_vertices(vertices, 20, seed).tolist())
        gone = rng.integers(200)
        after = set(draw_vertices(np.delete(vertices, gone), 20, seed).tolist())
        assert len(before - after) == (gone in before)
        assert len(before - set(draw_vertices(np.append(vertices, 10**9), 20, seed).tolist())) <= 1


def test_each_is_as_likely():
    counts = np.zeros(50)
    for seed in range(4000):
        counts[draw_vertices(np.arange(50), 5, seed)] += 1
    assert abs(counts / 400 - 1).max() < 0.25  # more than 4 standard deviations
