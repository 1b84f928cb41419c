"""How checked functors find the length of an array on a GPU, read as plain Python."""

import numpy as np

from frontier.functor.bounds import find_length
from frontier.functor.checking import TABLE


def test_lengths_are_found_by_address():
    """Each array is an address and a length. A length may equal another array's address."""
    report = np.zeros(TABLE + 9, np.int64)
    report[TABLE : TABLE + 6] = [4096, 8192, 8192, 5, 12288, 7]
    assert [find_length(address, report) for address in (4096, 8192, 12288)] == [8192, 5, 7]
    assert find_length(5, report) == find_length(99, report) == 2**63 - 1
