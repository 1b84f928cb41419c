"""fetch: asynchronous copies of numbers from the device to the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..values import kind_of
from .pinned import pinned


class HostCopy:
    """An array that is being copied to the host. See `copy_to_host_async`.

    See Also
    --------
    copy_to_host_async : Starts the copy.
    """

    def __init__(self, array: Any):
        self._event: Any = None
        if isinstance(array, np.ndarray):
            self._host = array.copy()
        else:
            import cupy

            stream = cupy.cuda.get_current_stream()
            self._host = pinned(array.shape, array.dtype)
            array.data.copy_to_host_async(self._host.ctypes.data, array.nbytes, stream)
            self._event = cupy.cuda.Event(disable_timing=True)
            self._event.record(stream)

    @property
    def ready(self) -> bool:
        """Whether the copy is complete, and `result` would not block."""
        return self._event is None or self._event.done

    def result(self) -> np.ndarray:
        """The values that the array had when it was fetched. Blocks until they are there, but not for later work."""
        if self._event is not None:
            self._event.synchronize()
            self._event = None
        return self._host


def copy_to_host_async(array: Any) -> HostCopy:
    """Start copying an array to the host, and return at once.

    A loop that reads ``float(array[0])`` in each round blocks until the GPU is done, and the GPU then idles until the
    next launches. With ``fr.advanced.copy_to_host_async(array)`` the round after next is launched meanwhile.

    Parameters
    ----------
    array : array, contiguous, on any device
        Meant for a few numbers, such as a result of `reduce`. It may be changed afterwards: the values are the result
        of all operators called so far.

    Returns
    -------
    Fetched
        ``result()`` is the NumPy array.

    Raises
    ------
    TypeError, ValueError
        `array` is not an array, or not contiguous.

    See Also
    --------
    HostCopy : The copy, once it has arrived.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> fr.advanced.copy_to_host_async(np.asarray([3.5])).result()
    array([3.5])
    """
    if not hasattr(array, "dtype") or not hasattr(array, "flags"):
        raise TypeError(f"array must be an array, not {kind_of(array)}")
    if not array.flags.c_contiguous:
        raise ValueError("array must be contiguous")
    return HostCopy(array)
