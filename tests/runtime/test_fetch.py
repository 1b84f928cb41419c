"""fetch: numbers on their way to the host."""

import numpy as np
import pytest

import frontier as fr
from structures import SlabGraph


def test_a_fetched_array_holds_the_values_of_its_time(device):
    graph = SlabGraph(4, device=device)
    array = graph.xp.arange(3.0)
    fetched = fr.advanced.copy_to_host_async(array)
    array += 1
    later = fr.advanced.copy_to_host_async(array)
    assert fetched.result().tolist() == [0, 1, 2]
    assert fetched.result().tolist() == [0, 1, 2]  # again, without a synchronization
    assert later.result().tolist() == [1, 2, 3]
    assert fetched.ready and later.ready
    assert isinstance(later.result(), np.ndarray)


@pytest.mark.parametrize("shape, dtype", [((), np.int64), ((0,), np.float32), ((2, 3), np.int32)])
def test_any_shape_can_be_fetched(device, shape, dtype):
    array = SlabGraph(1, device=device).xp.zeros(shape, dtype)
    found = fr.advanced.copy_to_host_async(array).result()
    assert found.shape == shape and found.dtype == dtype


def test_what_is_no_contiguous_array_is_refused(device):
    xp = SlabGraph(1, device=device).xp
    with pytest.raises(TypeError, match="array must be an array, not"):
        fr.advanced.copy_to_host_async([1.0])
    with pytest.raises(ValueError, match="array must be contiguous"):
        fr.advanced.copy_to_host_async(xp.zeros(4)[::2])
