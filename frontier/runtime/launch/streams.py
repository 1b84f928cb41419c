"""The current CUDA stream, for calls of the driver."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any


class _Thread(threading.local):
    has_context = False


@functools.cache
def stream_getter() -> Callable[[], Any]:
    """Return a function for the current stream, which first gives a new thread the context that the driver needs."""
    import cupy

    current, thread, first_call = cupy.cuda.get_current_stream, _Thread(), cupy.cuda.runtime.memGetInfo

    def stream() -> Any:
        if not thread.has_context:
            first_call()
            thread.has_context = True
        return current()

    return stream
