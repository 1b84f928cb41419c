"""Allocations that fail, one in turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

ALLOCATORS = (
    "empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "concatenate", "arange",
    "repeat", "flatnonzero", "unique", "cumsum", "argsort", "where", "nonzero", "bincount", "searchsorted", "diff",
    "stack",
)  # fmt: skip
"""NumPy's functions that make arrays. (On the GPU, an allocator replaces CuPy's, so no function is missed.)"""


@contextmanager
def failing_after(graph: Any, step: int) -> Iterator[None]:
    """Make the allocation after `step` others on the graph's device fail, and all later ones."""
    left = [step]

    def allow() -> bool:
        left[0] -= 1
        return left[0] >= 0

    if graph.device.is_gpu:
        memory = graph.xp.cuda.memory
        pool = graph.xp.get_default_memory_pool()

        def allocate(size: int) -> Any:
            if not allow():
                raise memory.OutOfMemoryError(size, 0)
            return pool.malloc(size)

        graph.device.synchronize()
        with graph.xp.cuda.using_allocator(allocate):
            yield
        return

    def failing(function: Any) -> Any:
        def allocate_on_cpu(*args: Any, **kwargs: Any) -> Any:
            if not allow():
                raise MemoryError("no memory left, for the test")
            return function(*args, **kwargs)

        return allocate_on_cpu

    with pytest.MonkeyPatch.context() as patch:
        for name in ALLOCATORS:
            patch.setattr(np, name, failing(getattr(np, name)))
        yield
