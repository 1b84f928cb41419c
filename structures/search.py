"""Searches of ascending arrays, in CPU kernels."""

from frontier.runtime import jit


@jit
def lower_bound(array, low, high, key):
    """The first of the positions ``low .. high - 1`` whose element is not below `key`, or `high`."""
    while low < high:
        middle = (low + high) >> 1
        if array[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def find_between(array, low, high, key):
    """The position of `key` among ``low .. high - 1``, or -1."""
    position = lower_bound(array, low, high, key)
    return position if position < high and array[position] == key else -1
