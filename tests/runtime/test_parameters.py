"""Kernel parameters as the CUDA driver reads them. Packing them needs no GPU."""

import ctypes
import struct
from types import SimpleNamespace

import numpy as np
import pytest

from frontier.runtime.launch.arguments import ByValue, Matrix, Parameters, words_of


def as_the_driver_reads(count, *args, sizes):
    """The bytes behind each pointer."""
    words, structs = words_of(count, args, SimpleNamespace)
    parameters = Parameters(len(words))
    parameters.fill(words, structs)
    pointers = (ctypes.c_void_p * len(words)).from_address(parameters.address)
    return [ctypes.string_at(pointer, size) for pointer, size in zip(pointers, sizes, strict=True)]


@pytest.mark.parametrize(("value", "code"), [
    (5, "q"), (-1, "q"), (-1, "i"), (2**64 - 1, "Q"), (True, "?"), (False, "?"), (None, "q"), (0.1, "d"),
    (np.int8(-3), "b"), (np.uint8(200), "B"), (np.int32(-7), "i"), (np.uint32(2**32 - 1), "I"),
    (np.int64(-(2**62)), "q"), (np.uint64(2**64 - 2), "Q"),
    (np.float32(0.1), "f"), (np.float64(-0.0), "d"), (np.bool_(True), "?"),
])  # fmt: skip
def test_numbers(value, code):
    _, read = as_the_driver_reads(9, value, sizes=[8, struct.calcsize(code)])
    assert read == struct.pack(code, 0 if value is None else value)


def test_arrays_and_structs_keep_their_places():
    array = SimpleNamespace(data=SimpleNamespace(ptr=0x7F00DEADBEEF))
    fields = np.array([1, -2, 3])
    count, first, pool, last = as_the_driver_reads(np.int64(3), array, ByValue(fields), 4, sizes=[8, 8, 24, 8])
    assert struct.unpack("q", count) == (3,)
    assert struct.unpack("q", first) == (0x7F00DEADBEEF,)
    assert pool == fields.tobytes()
    assert struct.unpack("q", last) == (4,)


def test_a_matrix_is_three_parameters():
    """Behind it, structs stay at their positions, too."""
    dtype = np.dtype(np.float32)
    array = SimpleNamespace(data=SimpleNamespace(ptr=0x7F00DEADBEEF), shape=(2**33, 5), dtype=dtype)
    fields = np.array([1, -2])
    found = as_the_driver_reads(1, Matrix(array), ByValue(fields), np.int32(-4), sizes=[8, 8, 8, 8, 16, 4])
    assert [struct.unpack("q", word)[0] for word in found[1:4]] == [0x7F00DEADBEEF, 2**33, 5]
    assert found[4] == fields.tobytes() and found[5] == struct.pack("i", -4)
    assert (Matrix(array).dtype, Matrix(array).ndim) == (dtype, 2)


def test_memory_is_used_again():
    parameters = Parameters(2)
    for value in (1, 2):
        parameters.fill([7, 0], [(1, held := ByValue(np.array([value])))])
        pointers = (ctypes.c_void_p * 2).from_address(parameters.address)
        assert ctypes.string_at(pointers[1], 8) == held.fields.tobytes()


def test_a_wrong_number_of_arguments_is_an_error():
    with pytest.raises(struct.error):
        Parameters(3).fill([1, 2], [])
