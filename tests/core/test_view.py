"""Views as kernels on a GPU get them: each field eight bytes, in order. Packing one needs no GPU."""

import ctypes
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from frontier.core.view import pack_view
from frontier.runtime import resolve_device


class View(NamedTuple):
    offsets: Any
    weights: Any
    size: Any


def test_pointers_and_numbers_are_packed_in_order():
    array = SimpleNamespace(data=SimpleNamespace(ptr=0x7F00DEADBEEF))
    packed = pack_view(SimpleNamespace(is_gpu=True), View, size=-3, weights=None, offsets=array)
    assert np.ctypeslib.as_array((ctypes.c_int64 * 3).from_address(packed.address)).tolist() == [0x7F00DEADBEEF, 0, -3]


def test_on_the_cpu_a_view_is_the_named_tuple():
    array = np.zeros(2)
    assert pack_view(resolve_device("cpu"), View, offsets=array, weights=None, size=2) == View(array, None, 2)
