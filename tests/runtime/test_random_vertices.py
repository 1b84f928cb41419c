"""Vertices that are drawn at random, and stay when others come and go."""

import numpy as np
import pytest

from frontier import advanced
from frontier.runtime import random_vertices
from frontier.runtime.random_vertices import PIECE, SMALL, draw_vertices

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


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64])
@pytest.mark.parametrize("k", [1, 20, 300, 2999, 3000])
def test_the_same_on_every_device(device, dtype, k, rng, monkeypatch):
    monkeypatch.setattr(random_vertices, "SMALL", 100)
    xp = advanced.resolve_device(device).xp
    vertices = (rng.permutation(9000)[:3000] * (1 if dtype == np.int16 else 2**17)).astype(dtype)
    for seed in (0, -1, 12345):
        found = draw_vertices(xp.asarray(vertices), k, seed)
        assert type(found) is np.ndarray and found.dtype == dtype
        assert np.array_equal(found, draw_vertices(vertices, k, seed))
        assert np.array_equal(draw_vertices(xp.asarray(vertices)[::2], k, seed), draw_vertices(vertices[::2], k, seed))


@pytest.mark.parametrize("limit", ["none below", "all below"])
def test_an_unlikely_number_of_low_vertices(device, limit, monkeypatch):
    """As if the hash had failed: the host draws from all vertices, of which a kernel has listed none or too many."""
    xp, size, calls = advanced.resolve_device(device).xp, SMALL + 1, []
    wanted = draw_vertices(np.arange(size), 20, 5)

    def other(vertices, key, _, low, number):
        calls.append(vertices.size)
        return list_below(vertices, key, 0 if limit == "none below" else 2**64 - 1, low, number)

    list_below = random_vertices.list_below
    monkeypatch.setattr(random_vertices, "list_below", other)
    assert np.array_equal(draw_vertices(xp.arange(size), 20, 5), wanted)
    assert calls == ([size] if device == "gpu" else [])
