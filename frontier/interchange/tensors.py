"""Arrays as PyTorch's tensors, which share their memory."""

from __future__ import annotations

from typing import Any

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
