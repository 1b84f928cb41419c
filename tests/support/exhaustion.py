"""Memory that is exhausted at a chosen step of an update, and the graph's contents afterwards."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from model import snapshot, to_host

STEPS = 300
ALLOCATORS = (
    "empty", "zeros", "ones", "full", "empty_like", "zeros_like", "full_like", "concatenate", "arange", "repeat",
    "flatnonzero", "argsort", "sort", "unique", "cumsum", "diff", "searchsorted", "where",
)  # fmt: skip


@contextmanager
def exhausted(graph, step):
    """Make an allocation fail: on the CPU the one after `step` others, on the GPU the one that exceeds a limit."""
    if not graph.device.is_gpu:
        with failing(graph.device, step):
            yield
        return
    pool = graph.xp.get_default_memory_pool()
    graph.device.synchronize()
    pool.free_all_blocks()
    pool.set_limit(size=pool.total_bytes() + step * 1_000_000)
    try:
        yield
    finally:
        pool.set_limit(size=0)


@contextmanager
def failing(device, step):
    """Let all allocations but the first `step` fail: on the GPU also those inside of CuPy's sorts and reductions."""
    left = [step]

    def limited(function):
        def allocate(*args, **kwargs):
            left[0] -= 1
            if left[0] < 0:
                raise MemoryError("no memory left, for the test")
            return function(*args, **kwargs)

        return allocate

    if device.is_gpu:
        with device.xp.cuda.using_allocator(limited(device.xp.get_default_memory_pool().malloc)):
            yield
        return
    with pytest.MonkeyPatch.context() as patch:
        for name in ALLOCATORS:
            patch.setattr(np, name, limited(getattr(np, name)))
        yield


# The update's name, its arguments from the graph's edges and a batch, and its options.
UPDATES = {
    "replace": ("insert_edges", lambda edges, batch: batch, {}),
    "keep": ("insert_edges", lambda edges, batch: batch, {"on_existing": "keep"}),
    "add": ("insert_edges", lambda edges, batch: (*batch[:2], abs(batch[2]) + 4), {"on_existing": "add"}),
    "delete": ("delete_edges", lambda edges, batch: np.concatenate([edges[:2], batch[:2]], axis=1), {}),
    "extend": ("insert_vertices", lambda edges, batch: (100_000,), {}),
    "leave": ("delete_vertices", lambda edges, batch: (np.unique(edges[0])[:400],), {}),
}


def contents(graph):
    """The contents of a snapshot, read from the arrays, and as operators see it, in a view that may be cached."""
    lists = graph.successors(np.flatnonzero(to_host(graph, graph.has_vertices(np.arange(graph.num_vertices)))))
    return *snapshot(graph), *(None if array is None else to_host(graph, array).tolist() for array in lists)
