"""Scratch memory: how it is reused, and how it grows."""

import numpy as np

from frontier.runtime import resolve_device
from frontier.runtime.memory.scratch import UNKNOWN, Counters, Scratch


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
    for _ in range(3):  # an operator and a structure that use one name in turn
        assert scratch.get("a", 4, np.int64).dtype == np.int64
        assert scratch.get("a", 4, np.float32).dtype == np.float32
    assert scratch.nbytes() == 4 * 8 + 4 * 4


def test_arrays_that_are_filled_otherwise_are_others():
    scratch = Scratch(resolve_device("cpu"))
    scratch.get("places", 4, np.int64)[:] = 7
    assert scratch.get("places", 4, np.int64, fill=-1).tolist() == [-1] * 4
    assert scratch.get("places", 4, np.int64).tolist() == [7] * 4 and scratch.nbytes() == 64


def counters_of(device):
    """Counters, and what publishes some numbers as a kernel does."""
    place = resolve_device(device)
    counters = Counters(place, 3)
    return counters, lambda *numbers: np.copyto(counters._host, numbers)


def test_numbers_are_heard_once_all_are_published(device):
    counters, publish = counters_of(device)
    counters.arm()
    publish(1, -2, 3)
    assert counters.poll() == [1, -2, 3]
    counters.arm()
    if device == "gpu":
        assert UNKNOWN in counters.poll()  # no kernel has published: the host polls in vain
        counters._host[0] = 7
        assert counters.poll()[0] == 7
    publish(UNKNOWN, 0, 0)
    assert counters.poll() == [UNKNOWN, 0, 0]


def test_the_host_waits_if_another_kernel_may_yet_publish(device, monkeypatch):
    counters, publish = counters_of(device)
    waited = []
    synchronize = counters.synchronize
    monkeypatch.setattr(counters, "synchronize", lambda: waited.append(True) or synchronize())
    counters.mark_published()
    for times in (1, 1, 2):
        if times == 2:
            counters.mark_published()
        counters.arm()
        publish(4, 5, 6)
        assert counters.poll() == [4, 5, 6]
        if device == "gpu":
            assert len(waited) == times


def test_numbers_of_a_kernel_that_was_never_heard_are_not_taken_for_the_next_ones(device, monkeypatch):
    """As when Ctrl-C comes between a launch and its notification of the host."""
    counters, publish = counters_of(device)
    waited = []
    synchronize = counters.synchronize
    monkeypatch.setattr(counters, "synchronize", lambda: (publish(4, 5, 6), waited.append(True), synchronize())[2])
    counters.arm()  # a launch, then the host is interrupted
    counters.arm()
    publish(1, 2, 3)  # the first kernel
    found = counters.poll()
    if device == "gpu":
        assert waited and found == [4, 5, 6]
        counters.arm()
        publish(7, 8, 9)
        assert counters.poll() == [7, 8, 9] and len(waited) == 1
