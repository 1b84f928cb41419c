"""Launches of kernels that are recorded once and repeated.

To launch a kernel takes the host microseconds, nearly all of which are spent on what does not change: which kernel it
is, on what grid, with the addresses of which arrays. A small update is a dozen launches that are always the same.
"""

from __future__ import annotations

import threading
from typing import Any


class _Recorder(threading.local):
    launches: LaunchList | None = None  # that this thread's launches go to


recorder = _Recorder()


class LaunchList:
    """Launches in their order. What is launched in a ``with`` block is recorded, and not run.

    Arguments that are numbers and arrays stay those of the time of the record, and the list keeps the arrays alive.
    An argument that changes is a `Struct` of one field in place of a number, or any other `ByValue`: it is read at
    each run.
    """

    def __init__(self) -> None:
        import cupy

        self._launch = cupy.cuda.driver.launchKernel
        self._stream = cupy.cuda.get_current_stream
        self._launches: list[tuple[int, int, int, int, int]] = []
        self._kept: list[Any] = []

    def __enter__(self) -> LaunchList:
        if recorder.launches is not None:
            raise RuntimeError("launches are being recorded already")
        recorder.launches = self
        return self

    def __exit__(self, *raised: Any) -> None:
        recorder.launches = None

    def add(self, function: Any, blocks: int, threads: int, shared: int, parameters: Any, arguments: tuple) -> None:
        """Append a launch with these parameters, made of these arguments."""
        self._launches.append((function.ptr, blocks, threads, shared, parameters.address))
        self._kept.append((function, parameters, arguments))

    def keep(self, *arrays: Any) -> None:
        """Keep arrays alive that kernels know by structs."""
        self._kept.append(arrays)

    def run(self) -> None:
        """Queue all launches on the current stream."""
        stream, launch = self._stream().ptr, self._launch
        for function, blocks, threads, shared, parameters in self._launches:
            launch(function, blocks, 1, 1, threads, 1, 1, shared, stream, parameters, 0)

    def __len__(self) -> int:
        return len(self._launches)
