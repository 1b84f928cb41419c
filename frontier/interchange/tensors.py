"""Arrays as PyTorch's tensors, which share their memory."""

from __future__ import annotations

from typing import Any

import numpy as np

MANAGED = 13
"""DLPack's number of managed memory."""


def as_tensor(torch: Any, array: Any) -> Any:
    """A tensor on the array's device that shares its memory.

    PyTorch takes no managed memory through DLPack, but does through the interface of CUDA arrays, which says nothing of
    streams: what is queued in the current one is waited for.
    """
    if array.__dlpack_device__()[0] != MANAGED:
        return torch.from_dlpack(array)
    import cupy

    cupy.cuda.get_current_stream().synchronize()
    return torch.as_tensor(array, device=f"cuda:{array.device.id}")


def stacked(xp: Any, src: Any, dst: Any) -> Any:
    """Sources and destinations as one array of int64, shape (2, m): PyTorch Geometric's ``edge_index``."""
    ends = xp.empty((2, int(src.size)), np.int64)
    ends[0], ends[1] = src, dst
    return ends
