"""Arrays that grow without moving."""

import gc
import itertools

import numpy as np
import pytest
from model import edges_of, make

from frontier.runtime import resolve_device
from frontier.runtime.memory import growable
from structures import FaimGraph, GraphVine, Hornet, SlabGraph

LARGE = growable.SMALL // 8  # int64 elements of the smallest array with a separate range


@pytest.fixture
def place(device):
    return resolve_device(device)


def numbered(place, size):
    array = growable.empty(place, size, np.int64)
    array[:] = place.xp.arange(size)
    return array


def address(place, array):
    return array.data.ptr if place.is_gpu else array.ctypes.data


@pytest.mark.parametrize("sizes", [(0, 1, 5, 1000), (5, LARGE - 1), (10, 2 * LARGE)], ids=str)
def test_small_arrays_are_copied(place, sizes):
    array = numbered(place, sizes[0])
    for size in sizes[1:]:
        longer = growable.grow(place, array, size)
        assert longer.dtype == np.int64
        assert longer.shape == (size,)
        assert place.to_host(longer[: array.size]).tolist() == list(range(array.size))
        longer[:] = place.xp.arange(size)
        array = longer


def test_a_large_array_stays_where_it_is(place):
    array = numbered(place, LARGE)
    longer = growable.grow(place, array, 3 * LARGE)
    assert address(place, longer) == address(place, array)
    assert longer.shape == (3 * LARGE,)
    longer[LARGE:] = 7
    longer[0] = -1
    assert int(array[0]) == -1, "the shorter array is a view of the same elements"
    assert array.shape == (LARGE,)
    assert int(longer[1:LARGE].sum()) == LARGE * (LARGE - 1) // 2
    assert int(longer[LARGE:].sum()) == 14 * LARGE


def test_an_array_that_is_long_enough(place):
    array = numbered(place, 100)
    assert growable.grow(place, array, 100) is array
    assert growable.grow(place, array, 10) is array


def test_a_copy_moves_at_its_first_growth(place):
    array = numbered(place, LARGE)
    twin = array.copy()
    longer = growable.grow(place, twin, 2 * LARGE)
    assert address(place, longer) != address(place, twin)
    longer[0] = 9
    assert int(array[0]) == int(twin[0]) == 0
    again = growable.grow(place, longer, 3 * LARGE)
    assert address(place, again) == address(place, longer)


def test_a_slice_grows_back(place):
    """A shrunk graph retains its range."""
    array = numbered(place, 2 * LARGE)
    whole = growable.grow(place, array[:LARGE], 2 * LARGE)
    assert address(place, whole) == address(place, array)
    assert int(whole[2 * LARGE - 1]) == 2 * LARGE - 1


def test_a_range_can_be_outgrown(place, monkeypatch):
    monkeypatch.setattr(growable, "SPAN", 2)
    array = numbered(place, LARGE)
    longer = growable.grow(place, array, 5 * LARGE)
    assert address(place, longer) != address(place, array)
    assert int(longer[:LARGE].sum()) == LARGE * (LARGE - 1) // 2
    assert address(place, growable.grow(place, longer, 10 * LARGE)) == address(place, longer)


def test_ranges_live_as_long_as_their_arrays(place):
    gc.collect()
    before = len(growable._ranges)
    array = numbered(place, LARGE)
    longer = growable.grow(place, array, 2 * LARGE)
    assert len(growable._ranges) == before + 1
    del array
    gc.collect()
    assert len(growable._ranges) == before + 1
    assert int(longer[LARGE - 1]) == LARGE - 1
    del longer
    gc.collect()
    assert len(growable._ranges) == before


def test_memory_added_ahead(place):
    array = numbered(place, LARGE)
    growable.prepare(place, array, 4 * LARGE)
    assert growable.prepared_bytes(place, array) == (3 * LARGE * 8 if place.is_gpu else 0)
    assert address(place, growable.grow(place, array, 4 * LARGE)) == address(place, array)
    growable.prepare(place, array.copy(), 4 * LARGE)  # nothing that could be done
    growable.prepare(place, numbered(place, 3), 4 * LARGE)


@pytest.mark.parametrize("share", [2, 8])
def test_the_size_to_grow_to(place, share):
    """Growth by `1 / share`. Large arrays on a GPU double, until that is a step."""
    step = growable.STEP // 8
    for size in (0, 5, LARGE - 1, LARGE, step // 2, 3 * step, 20 * step):
        array = np.broadcast_to(np.int64(0), size) if place.is_gpu else np.empty(size, np.int64)  # no memory is needed
        more = size // share
        if place.is_gpu and size >= LARGE:
            more = max(more, min(size, step))
        assert growable.ample_size(place, array, size + 1, share) == max(size + 1, size + more)
        assert growable.ample_size(place, array, 30 * step, share) == max(30 * step, size + more)


@pytest.mark.parametrize("size", [0, 3, LARGE])
def test_exhausted_memory(place, size):
    """The array is as it was."""
    array = numbered(place, size)
    with pytest.raises(MemoryError):
        growable.grow(place, array, 1 << 58)
    assert array.shape == (size,)
    assert int(array.sum()) == size * (size - 1) // 2


def test_no_addresses_left(place, monkeypatch):
    """Arrays are plain ones then."""
    monkeypatch.setattr(growable, "SPAN", 1 << 34)
    array = numbered(place, LARGE)
    assert growable.prepared_bytes(place, array) == 0
    longer = growable.grow(place, array, LARGE + 1)
    assert int(longer[LARGE - 1]) == LARGE - 1
    growable.prepare(place, longer, 5 * LARGE)


@pytest.mark.parametrize("structure", [SlabGraph, Hornet, GraphVine, FaimGraph], ids=lambda kind: kind.name)
def test_pools_grow_in_place(structure, device, monkeypatch, rng):
    """Once they are large, neighbors stay where they are when capacity is added. So do records of vertices."""
    monkeypatch.setattr(growable, "SMALL", 1 << 11)
    monkeypatch.setattr(growable, "STEP", 1 << 12)
    pair = make(structure, device, [], [], num_vertices=64)
    graph, places = pair.graph, {"neighbors": [], "records": []}
    for turn in range(12):
        pair.insert(*rng.integers(0, graph.num_vertices, (2, 300)))
        if turn % 2:
            pair.insert_vertices(150)
        for name, seen in places.items():
            array = getattr(graph.store, name)
            seen.append((address(graph.device, array), array.size))
    for name, seen in places.items():
        assert any(old[0] == new[0] and old[1] < new[1] for old, new in itertools.pairwise(seen)), name
    assert edges_of(graph) == pair.model.edges()
