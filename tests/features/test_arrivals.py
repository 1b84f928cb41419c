"""The log of insertions by time, with times in each of its forms."""

from types import SimpleNamespace

import numpy as np
import pytest
from allocations import failing_after

import frontier as fr
from frontier.features.times import arrivals as module
from frontier.features.times.arrivals import Arrivals, Bounds
from frontier.features.times.logged import EvenTimes, OffsetTimes, compact
from frontier.runtime import load_kernels

SCALES = {"bytes": 1, "words": 1 << 20, "wide": 1 << 40}
"""Factors of times, whose offsets have as many bits."""


@pytest.fixture
def place(device):
    return fr.advanced.resolve_device(device)


@pytest.fixture
def log(place):
    return Arrivals(place, load_kernels("frontier.features.times", place, {"VID": np.dtype(np.int32)}))


class Model:
    """A log, and the times of its entries by id."""

    def __init__(self, log):
        self.log, self.times = log, {}

    def append(self, times, *, known=True, even=None):
        xp = self.log.device.xp
        ids = np.arange(len(self.times), len(self.times) + len(times), dtype=np.int32)
        self.times |= dict(zip(ids.tolist(), times.tolist(), strict=True))
        bounds = Bounds(int(times.min()), int(times.max()), bool((np.diff(times) >= 0).all())) if known else None
        self.log.append(xp.asarray(ids), xp.asarray(times) if even is None else even, bounds)
        return ids

    def take(self, before, *, commit=True):
        taken = self.log.take(before)
        ids = [] if taken is None else sorted(self.log.device.to_host(taken.ids()).tolist())
        assert ids == sorted(id for id, time in self.left.items() if time < before)
        if taken is not None:
            (taken.commit if commit else taken.restore)()
        if commit:
            for id in ids:
                self.times[id] = None
        assert self.log.size == len(self.left)

    @property
    def left(self):
        return {id: time for id, time in self.times.items() if time is not None}


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("few", [0, 100, 4096])
def test_entries_leave_in_the_order_of_time(log, scale, few, rng, monkeypatch):
    """Numbered rows, numbered batches and any times, which are merged, split, sorted and trimmed."""
    monkeypatch.setattr(module, "FEW", few)
    monkeypatch.setattr(module, "MANY", 20)
    model, clock = Model(log), 0
    for step in range(60):
        size = int(rng.integers(1, 200))
        kind = ("rows", "batch", "any", "any")[step % 7 % 4]
        if kind == "rows":
            model.append(np.arange(clock, clock + size), even=EvenTimes(clock, 1, size))
        elif kind == "batch":
            model.append(np.full(size, clock), even=EvenTimes(clock, 0, size))
        else:
            times = clock + scale * rng.integers(-40, 200, size)
            model.append(times if step % 2 else np.sort(times), known=step % 3 > 0)
        clock += size * (scale if step > 30 else 1)
        if step % 5 == 4:
            before = int(rng.choice(list(model.left.values()))) + int(rng.integers(-1, 2))
            log.expect(before)
            model.take(before, commit=step % 10 == 4)
    model.take(2**62)
    assert log.nbytes == 0


def test_numbered_rows_have_no_times(log, place):
    model = Model(log)
    for first in range(0, 5000, 50):  # chunks that are merged
        model.append(np.arange(first, first + 50), even=EvenTimes(first, 1, 50))
    assert log.nbytes == 4 * 5000
    model.take(1234)
    model.take(4321)


@pytest.mark.parametrize("most, width", [(255, 1), (256, 2), (2**16, 4), (2**32 - 1, 4), (2**32, 8), (2**63 - 1, 8)])
def test_offsets_are_narrow(log, place, most, width, monkeypatch):
    monkeypatch.setattr(module, "FEW", 0)
    model = Model(log)
    model.append(np.array([0, 1, most // 2, most]))
    assert log.nbytes == 4 * (4 + (8 if place.is_gpu else width))
    model.take(1)
    model.take(most)
    model.take(2**63 - 1)


def test_times_of_any_span(place):
    """Bounds may be further apart than int64 has numbers."""
    times = place.xp.asarray(np.array([-(2**63), 0, 2**63 - 1]))
    assert compact(place, times, -(2**63), 2**63 - 1) is times
    low = np.array([-(2**63), 5 - 2**63])
    found = compact(place, place.xp.asarray(low), -(2**63), 5 - 2**63)
    assert place.is_gpu or (isinstance(found, OffsetTimes) and found.offsets.tolist() == [0, 5])


def test_no_entry_is_lost_without_memory(log, place, rng):
    """Whichever allocation fails as entries are added, sorted and split."""
    model, failed = Model(log), 0
    for size in (30, 30, 70, 5000):  # a chunk that is compact
        model.append(rng.integers(0, 500, size), known=False)
    for allowed in range(20):
        try:
            with failing_after(SimpleNamespace(device=place, xp=place.xp), allowed):
                log.take(250).restore()
        except MemoryError:
            failed += 1
    assert failed > 2
    model.take(250)
    model.take(501)
