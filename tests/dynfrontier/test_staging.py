"""The memory of parts of a stream that wait for the GPU."""

import pytest

from dynfrontier.pipeline import staging
from frontier.runtime import gpu_available

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not gpu_available(), reason="there is no GPU")]


def test_slots_share_one_piece_of_pinned_memory(monkeypatch):
    monkeypatch.setattr(staging, "LARGE", 1 << 16)
    memory = staging.PinnedMemory(3)
    first, second = memory.of(0, 1000), memory.of(1, 500)
    assert first.size == second.size == 1000 and second.ctypes.data == first.ctypes.data + 1000
    first[:], second[:] = 1, 2
    longer = memory.of(1, 3000)  # of another piece, while the old one is still in use
    assert longer.size == 3000 and memory.of(0, 10).size == 3000
    longer[:] = 3
    assert set(first.tolist()) == {1} and set(second.tolist()) == {2}
    alone = memory.of(2, (1 << 16) + 1)
    assert alone.size == (1 << 16) + 1 and memory.of(2, 10).size == 3000
