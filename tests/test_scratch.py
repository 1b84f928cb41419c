"""Scratch memory: how it is reused, and how it grows."""

import numpy as np

from frontier.runtime import resolve_device
from frontier.runtime.scratch import Scratch


def test_memory_is_reused_and_grows_by_half(device):
    scratch = Scratch(resolve_device(device))
    assert scratch.get("a", 100, np.int64).shape == (100,) and scratch.nbytes() == 800
    assert scratch.get("a", 40, np.int64).shape == (40,) and scratch.nbytes() == 800
    assert scratch.get("a", 101, np.int64).shape == (101,) and scratch.nbytes() == 1200
    assert scratch.get("a", 1000, np.int64).shape == (1000,) and scratch.nbytes() == 8000
    assert scratch.get("b", 0, np.int8).shape == (0,) and scratch.nbytes() == 8001


def test_a_fill_is_there_and_is_kept(device):
    place = resolve_device(device)
    scratch = Scratch(place)
    first = scratch.get("a", 3, np.int32, fill=7)
    assert place.to_host(first).tolist() == [7, 7, 7]
    first[1] = 8  # must be put back by the caller: it is handed out as it is
    assert place.to_host(scratch.get("a", 2, np.int32, fill=7)).tolist() == [7, 8]
    assert place.to_host(scratch.get("a", 5, np.int32, fill=7)).tolist() == [7] * 5


def test_another_type_is_another_array(device):
    scratch = Scratch(resolve_device(device))
    assert scratch.get("a", 4, np.int64).dtype == np.int64
    assert scratch.get("a", 4, np.float32).dtype == np.float32


def test_arrays_that_are_filled_otherwise_are_others():
    scratch = Scratch(resolve_device("cpu"))
    scratch.get("places", 4, np.int64)[:] = 7
    assert scratch.get("places", 4, np.int64, fill=-1).tolist() == [-1] * 4
    assert scratch.get("places", 4, np.int64).tolist() == [7] * 4 and scratch.nbytes() == 64
