"""Workers that are threads of this process, on one device, for tests and trials."""

from __future__ import annotations

import os
import queue
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from frontier.runtime import resolve_device

from ..transport.in_process import InProcessCommunicator
from .engine import Answer, Engine, Host

GRACE = 10.0  # seconds that partitions have to fail like the first one that did, before they are interrupted


class ThreadEngine(Engine):
    """Threads of this process.

    Parameters
    ----------
    size : int
    device : {"auto", "cpu", "gpu"}
        The device of all partitions.

    See Also
    --------
    ProcessEngine : Workers in processes.
    """

    def __init__(self, size: int, device: Any = "cpu"):
        super().__init__()
        self.size = size
        self._comms = InProcessCommunicator.group(size, resolve_device(device))
        self.hosts = [Host(comm) for comm in self._comms]
        self._threads: _Threads | None = None
        self._giving = threading.RLock()  # held while a call is passed to all threads, or they are ended

    def run(self, function: Callable, shares: Sequence[tuple], *, whole: bool = False) -> list[Any]:
        arguments = [(host, *share) for host, share in zip(self.hosts, shares, strict=True)]
        return self._ask(function, arguments, whole=whole)

    def _begin(self, function: Callable, arguments: Sequence[tuple]) -> _Call:
        call = _Call(self.size)
        try:
            with self._giving:
                if self._threads is None or self._threads.process != os.getpid():  # a fork has none of the threads
                    self._threads = _Threads(self.size)
                self._threads.give([partial(call.run, rank, function, args) for rank, args in enumerate(arguments)])
        except BaseException:
            self.close()
            raise
        return call

    def _answers(self, call: _Call) -> Sequence[Answer]:
        while call.running:  # short waits, which signals interrupt
            with suppress(queue.Empty):
                call.ended.get(timeout=0.02)
            if call.failed_at is not None and time.monotonic() > call.failed_at + GRACE:
                self.close()
        return call.answers

    def close(self) -> None:
        self._comms[0].close()
        with self._giving:
            threads, self._threads = self._threads, None
            if threads is not None:
                threads.end()


class _Threads:
    """A thread of this process for each worker. They end after their calls, also with the last reference to this.

    Threads last between calls because each has its own scratch memory of a graph.
    """

    def __init__(self, size: int):
        self.process = os.getpid()
        self._jobs: list[queue.SimpleQueue] = [queue.SimpleQueue() for _ in range(size)]
        self.end = weakref.finalize(self, _put, self._jobs, [None] * size)
        self.end.atexit = False
        try:
            for rank, jobs in enumerate(self._jobs):
                threading.Thread(target=_work, args=(jobs,), name=f"ThreadEngine-{rank}", daemon=True).start()
        except BaseException:
            self.end()
            raise

    def give(self, jobs: Sequence[Callable[[], None]]) -> None:
        _put(self._jobs, jobs)


def _put(queues: Sequence[queue.SimpleQueue], entries: Sequence[Any]) -> None:
    for each, entry in zip(queues, entries, strict=True):
        each.put(entry)


def _work(jobs: queue.SimpleQueue) -> None:
    while (job := jobs.get()) is not None:
        job()
        del job  # its arguments must not live until the next one


class _Call:
    """The answers to one call, the time of the first failure, and the ranks of running and ended workers."""

    def __init__(self, size: int):
        self.answers: list[Answer] = [(None, None)] * size
        self.failed_at: float | None = None
        self.running = set(range(size))
        self.ended: queue.SimpleQueue[int] = queue.SimpleQueue()

    def run(self, rank: int, function: Callable, args: tuple) -> None:
        try:
            self.answers[rank] = function(*args), None
        except BaseException as error:
            self.answers[rank] = None, error
            if self.failed_at is None:
                self.failed_at = time.monotonic()
        finally:
            self.running.discard(rank)
            self.ended.put(rank)
