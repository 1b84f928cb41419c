"""Contiguous lists, in CPU kernels: their neighbor iterator, and searches of ascending ones."""

from frontier.runtime import jit


@jit(forceinline=True)
def segments(view, v):
    """One segment for each list."""
    return 1


@jit(forceinline=True)
def next_run(view, run):
    """No run follows: a segment is a single one."""
    return -1, 0, 0


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
