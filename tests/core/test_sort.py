"""Sorting keys: up to the largest 64-bit key, on both devices."""

import numpy as np
import pytest
from verifiers import host

from frontier.core.sort import sort_keys, sort_pairs
from frontier.runtime import resolve_device

TOP = 2**63 - 1


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 127, 128, 5000])
@pytest.mark.parametrize("around", range(-2, 3))
def test_sort_pairs(device, size, around, rng):
    """Around the bound below which keys share a number with their positions, and at the very top."""
    device = resolve_device(device)
    bound = 1 << (63 - size.bit_length())
    for top in (7, min(max(bound + around, 1), TOP), min(2 * bound + around, TOP), TOP):
        keys = rng.integers(0, top, size, endpoint=True)
        keys[: size // 2] = top
        keys[size // 2 : size // 2 + 1] = 0
        rng.shuffle(keys)
        order = np.argsort(keys, kind="stable")
        given = device.xp.asarray(keys)
        found, positions = sort_pairs(device, given)
        assert (host(found) == keys[order]).all()
        assert (host(positions) == order).all()
        assert (host(given) == keys).all()
        alone = given.copy()
        assert sort_keys(device, alone) is alone and (host(alone) == keys[order]).all()
        known = sort_pairs(device, given, key_bits=int(keys.max(initial=0)).bit_length())
        assert all((host(part) == host(other)).all() for part, other in zip(known, (found, positions), strict=True))
        values = device.xp.asarray(rng.integers(0, 10, size))
        assert (host(sort_pairs(device, given, values)[1]) == host(values)[order]).all()
