"""Arrays made element by element equal NumPy's, and have the requested types."""

import numpy as np
import pytest

import frontier as fr
from frontier.runtime import fill_with
from frontier.runtime.memory import elementwise
from structures import CSR

TYPES = [np.bool_, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]


@pytest.fixture
def device(device):
    return fr.advanced.resolve_device(device)


def same(device, found, wanted):
    assert isinstance(found, device.xp.ndarray)
    found = device.to_host(found)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape and np.array_equal(found, wanted, equal_nan=True)
    return True


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.float64])
@pytest.mark.parametrize("size", [0, 1, 200])
def test_arange(device, size, dtype):
    assert same(device, elementwise.arange(device, size, dtype), np.arange(size, dtype=dtype))
    assert same(device, elementwise.arange(device, size, dtype, 7), np.arange(7, 7 + size, dtype=dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("value", [0, 1, -1, 77, 2.5, np.inf, np.nan])
def test_full(device, value, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind != "f" and (value != value or value in (2.5, np.inf) or (value == -1 and dtype.kind != "i")):
        return
    for size in (0, 1, 1000):
        assert same(device, elementwise.full(device, size, value, dtype), np.full(size, value, dtype))


def test_full_takes_no_value_that_does_not_fit(device):
    with pytest.raises(OverflowError):
        elementwise.full(device, 3, 2**40, np.int32)


def test_what_vertex_arrays_are_filled_with(device):
    """Numbers of any kind, one on the device among them, and arrays."""
    graph = fr.structures()["csr"](3, device=device.kind)
    for fill in (2.5, np.float32(2.5), device.xp.asarray(2.5), [2.5] * 3, device.xp.full(3, 2.5)):
        assert same(device, graph.vertex_array(np.float64, fill), np.full(3, 2.5))
        assert same(device, graph.vertex_array(np.int32, fill), np.full(3, 2, np.int32))


@pytest.mark.parametrize("value", [2**63 - 1, -(2**62), 0, -1])
def test_fill_with_long_integers(device, value):
    array = device.xp.empty(300, np.int64)
    assert fill_with(array, value) is array
    assert same(device, array, np.full(300, value))


@pytest.mark.parametrize("ids", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", TYPES)
def test_take(device, dtype, ids):
    generator = np.random.default_rng(1)
    values, at = generator.integers(0, 2, 50).astype(dtype), generator.integers(0, 50, 400).astype(ids)
    on_device = device.xp.asarray(values), device.xp.asarray(at)
    assert same(device, elementwise.take(device, *on_device), values[at])
    assert same(device, elementwise.take(device, on_device[0][::2], on_device[1] // 2), values[::2][at // 2])
    assert same(device, elementwise.take(device, on_device[0], on_device[1][:0]), values[:0])


@pytest.mark.parametrize("ids", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", TYPES)
def test_put(device, dtype, ids):
    generator = np.random.default_rng(1)
    array, values = (generator.integers(0, 2, size).astype(dtype) for size in (400, 100))
    at = generator.permutation(400)[:100].astype(ids)
    there = device.xp.asarray(array)
    elementwise.put(device, there, device.xp.asarray(at), device.xp.asarray(values))
    array[at] = values
    assert same(device, there, array)
    elementwise.put(device, there[::4], device.xp.asarray(at.argsort().astype(ids)), device.xp.asarray(values))
    array[::4][at.argsort()] = values
    assert same(device, there, array)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("sizes", [(7,), (0, 0), (0, 5), (700, 0), (3, 900, 0, 4)])
def test_joined(device, sizes, dtype):
    parts = [np.random.default_rng(1).integers(0, 2, size).astype(dtype) for size in sizes]
    found = elementwise.joined(device, *(device.xp.asarray(part) for part in parts))
    assert same(device, found, np.concatenate(parts))


@pytest.mark.parametrize("size", [0, 1, 1000])
def test_multiplied_and_divided(device, size):
    whole, parts = np.random.default_rng(1).integers(-100, 100, size), np.random.default_rng(2).random(size)
    on_device = device.xp.asarray(whole), device.xp.asarray(parts)
    assert same(device, elementwise.multiplied(device, on_device[0], 6), whole * 6)
    assert same(device, elementwise.multiplied(device, on_device[0][::2], 6), whole[::2] * 6)
    assert same(device, elementwise.divided(device, on_device[1], 0.3), parts / 0.3)
    assert same(device, elementwise.divided(device, on_device[1][::2], 0.3), parts[::2] / 0.3)


@pytest.mark.parametrize("to", TYPES)
@pytest.mark.parametrize("dtype", TYPES)
def test_converted(device, dtype, to):
    values = np.random.default_rng(1).integers(0, 100, 500).astype(dtype)
    there = device.xp.asarray(values)
    found = elementwise.converted(device, there, to)
    assert same(device, found, values.astype(to))
    found[:] = 0  # a copy, even in the same type
    assert same(device, there, values)
    assert same(device, elementwise.converted(device, there[::3], to), values[::3].astype(to))


@pytest.mark.parametrize("vertex_dtype", ["int32", "int64"])
def test_arrays_by_vertex(device, vertex_dtype):
    """As graphs offer them to algorithms."""
    graph = CSR(300, device=device, vertex_dtype=vertex_dtype)
    ids = graph.vertex_array(graph.vertex_dtype, range(300))
    assert same(device, ids, np.arange(300, dtype=vertex_dtype))
    halves = graph.divided(graph.vertex_array(np.float64, 1), 2)
    assert same(device, halves, np.full(300, 0.5))
    sixths = graph.multiplied(graph.vertex_array(np.int64, ids), 6)
    assert same(device, sixths, 6 * np.arange(300))
    assert same(device, graph.entries(sixths, ids[5:7]), np.array([30, 36]))
    assert same(device, graph.joined(sixths[:1], sixths[-2:]), np.array([0, 6 * 298, 6 * 299]))
    with pytest.raises(ValueError):
        graph.vertex_array(np.int32, range(299))
