"""Launches of kernels that are recorded once and repeated.

To launch a kernel takes the host microseconds, nearly all of which are spent on what does not change: which kernel it
is, on what grid, with the addresses of which arrays. A small update is a dozen launches that are always the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from .launch_graph import Fill, Launch, LaunchGraph, graph_of
from .streams import stream_getter


class _Recorder(threading.local):
    launches: LaunchList | None = None  # that this thread's launches go to


recorder = _Recorder()

MAX_LAUNCHES = 1000  # of a record: the host does not know when a frontier is empty


class LaunchList:
    """Launches in their order. What is launched in a ``with`` block is recorded, and not run.

    Arguments that are numbers and arrays stay those of the time of the record, and the list keeps the arrays alive.
    An argument that changes is a `Number`, or any other `ByValue`: it is read at each run.

    Parameters
    ----------
    memory : object, optional
        What those who launch find as `memory` while they are recorded.
    """

    def __init__(self, memory: Any = None) -> None:
        import cupy

        self.memory = memory
        self._launch = cupy.cuda.driver.launchKernel
        self._launch_cooperatively = cupy.cuda.driver.launchCooperativeKernel
        self._memset = cupy.cuda.runtime.memsetAsync
        self._stream = stream_getter()
        self._queued: list[Callable[[int], None]] = []  # what takes the address of a stream
        self._steps: list[Launch | Fill] = []
        self._kept: list[Any] = []
        self._graph: LaunchGraph | None = None

    def __enter__(self) -> LaunchList:
        if recorder.launches is not None:
            raise RuntimeError("launches are being recorded already")
        recorder.launches = self
        return self

    def __exit__(self, kind: Any, *raised: Any) -> None:
        recorder.launches = None
        if kind is None:
            self._stream()  # sees to it that the driver may be called
            self._graph = graph_of(self._steps)

    def add(
        self, function: Any, blocks: int, threads: int, shared: int, cooperative: bool, parameters: Any,
        arguments: tuple,
    ) -> None:  # fmt: skip
        """Append a launch with these parameters, made of these arguments."""
        pointer, address = function.ptr, parameters.address
        if cooperative:
            launch_cooperatively = self._launch_cooperatively

            def queue(stream: int) -> None:
                launch_cooperatively(pointer, blocks, 1, 1, threads, 1, 1, shared, stream, address)

        else:
            launch = self._launch

            def queue(stream: int) -> None:
                launch(pointer, blocks, 1, 1, threads, 1, 1, shared, stream, address, 0)

        self._queued.append(queue)
        self._steps.append(Launch(function, blocks, threads, shared, cooperative, parameters, arguments))
        if len(self._queued) > MAX_LAUNCHES:
            raise RuntimeError(
                f"more than {MAX_LAUNCHES} launches are being recorded; a loop as long as a frontier has members "
                "cannot be: traverse takes its place"
            )

    def add_fill(self, array: Any, byte: int) -> None:
        """Append that all bytes of an array are set."""
        memset, address, size = self._memset, array.data.ptr, array.nbytes
        self._queued.append(lambda stream: memset(address, byte, size, stream))
        self._steps.append(Fill(array, byte))

    def keep(self, *arrays: Any) -> None:
        """Keep arrays alive that kernels know by structs."""
        self._kept.append(arrays)

    def run(self) -> None:
        """Queue all launches on the current stream."""
        stream = self._stream().ptr
        if self._graph is not None:
            self._graph.run(stream)
            return
        for queue in self._queued:
            queue(stream)

    def __len__(self) -> int:
        return len(self._queued)


def refuse_to_wait() -> None:
    """Raise RuntimeError while launches are recorded: nothing has run that the host could wait for."""
    if recorder.launches is not None:
        raise RuntimeError("launches are being recorded, which cannot be waited for")
