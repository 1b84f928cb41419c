"""Keys, runs of equal numbers and rows of CSR arrays: the same on both devices as with NumPy."""

import numpy as np
import pytest
from verifiers import host

from frontier.core.batch import Arcs
from frontier.core.sort import (
    accumulate,
    arc_keys,
    last_of_runs,
    places_of_ids,
    row_ids,
    row_offsets,
    split_keys,
    tiles,
    unique_arcs,
)
from frontier.runtime import resolve_device

SIZES = [0, 1, 511, 512, 513, 5000]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("size", SIZES)
def test_keys(device, size, dtype, rng):
    device = resolve_device(device)
    src, dst = (device.xp.asarray(rng.integers(0, 777, size).astype(dtype)) for _ in range(2))
    keys = arc_keys(device, src, dst, 777)
    assert keys.dtype == np.int64 and (host(keys) == host(src).astype(np.int64) * 1024 + host(dst)).all()
    found = split_keys(device, keys, 777, np.dtype(dtype))
    for part, given in zip(found, (src, dst), strict=True):
        assert part.dtype == dtype and (host(part) == host(given)).all()
    short = keys.astype(np.int32)  # as users may have them, where ids are few
    for part, given in zip(split_keys(device, short, 777, np.dtype(dtype)), (src, dst), strict=True):
        assert (host(part) == host(given)).all()
    other = device.xp.asarray(host(dst).astype(np.int64 if dtype == np.int32 else np.int32))  # of another type
    assert (host(arc_keys(device, src, other, 777)) == host(keys)).all()


@pytest.mark.parametrize("top", [1, 3, 10**6])
@pytest.mark.parametrize("size", SIZES)
def test_last_of_runs(device, size, top, rng):
    device = resolve_device(device)
    values = np.sort(rng.integers(0, top, size))
    found = host(last_of_runs(device, device.xp.asarray(values)))
    assert found.tolist() == np.flatnonzero(np.append(values[1:] != values[:-1], True)[: values.size]).tolist()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("size", SIZES)
def test_places_of_ids(device, size, dtype, rng):
    device = resolve_device(device)
    ids = rng.integers(-2, 3, size).astype(dtype)
    assert host(places_of_ids(device, device.xp.asarray(ids))).tolist() == np.flatnonzero(ids >= 0).tolist()


@pytest.mark.parametrize("most", [4096, 1])  # tiles, of which more are added up by a separate kernel
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("size", SIZES)
def test_accumulate(device, size, dtype, most, rng, monkeypatch):
    monkeypatch.setattr(tiles, "MAX_SUMS", most)
    device = resolve_device(device)
    numbers = rng.integers(-100, 100, size).astype(dtype)
    there = device.xp.asarray(numbers.copy())
    assert accumulate(device, there) is there
    assert there.dtype == dtype and host(there).tolist() == np.cumsum(numbers).tolist()
    if dtype == np.int64 and size:
        there = device.xp.asarray(np.append(0, numbers))
        accumulate(device, there[1:])
        assert host(there).tolist() == [0, *np.cumsum(numbers)]


@pytest.mark.parametrize("rows", [1, 2, 40, 5000])
@pytest.mark.parametrize("size", SIZES)
def test_rows(device, size, rows, rng):
    device = resolve_device(device)
    src = np.sort(rng.integers(0, rows, size))
    offsets = np.searchsorted(src, np.arange(rows + 1))
    for dtype in (np.int32, np.int64):
        found = row_ids(device, device.xp.asarray(offsets), np.dtype(dtype))
        assert found.dtype == dtype and host(found).tolist() == src.tolist()
    if device.is_gpu:
        keys = arc_keys(device, device.xp.asarray(src), device.xp.asarray(src % 7 % rows), rows)
        assert host(row_offsets(device, keys, rows)).tolist() == offsets.tolist()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ignored", [0, 0.3, 1])
@pytest.mark.parametrize("size", SIZES)
def test_unique_arcs(device, size, ignored, weighted, dtype, rng):
    """Each arc once, with the weight of its last occurrence. Ignored arcs are left out."""
    device = resolve_device(device)
    src, dst = (rng.integers(0, 20, size).astype(dtype) for _ in range(2))
    src[rng.random(size) < ignored] = -1
    weights = rng.random(size).astype(np.float32) if weighted else None
    given = (device.xp.asarray(part) if part is not None else None for part in (src, dst, weights))
    keys, found = unique_arcs(device, Arcs(*given), 20)
    last = {int(u) * 32 + int(v): i for i, (u, v) in enumerate(zip(src, dst, strict=True)) if u >= 0}
    assert host(keys).tolist() == sorted(last)
    if weighted:
        assert host(found).tolist() == [weights[last[key]] for key in sorted(last)]
    else:
        assert found is None
