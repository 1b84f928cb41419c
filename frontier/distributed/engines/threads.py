"""Workers that are threads of this process, on one device: for tests, and to try programs out."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from frontier.runtime import resolve_device

from ..transport.in_process import InProcessCommunicator
from .engine import Answer, Engine, Host

GRACE = 10.0  # seconds that parts have to fail like the first one that did, before they are interrupted


class ThreadEngine(Engine):
    """Some threads of this process.

    Parameters
    ----------
    size : int
    device : {"auto", "cpu", "gpu"}
        Where all parts are.
    """

    def __init__(self, size: int, device: Any = "cpu"):
        super().__init__()
        self.size = size
        self._comms = InProcessCommunicator.group(size, resolve_device(device))
        self.hosts = [Host(comm) for comm in self._comms]

    def run(self, function: Callable, shares: Sequence[tuple], *, whole: bool = False) -> list[Any]:
        arguments = [(host, *share) for host, share in zip(self.hosts, shares, strict=True)]
        return self._ask(function, arguments, whole=whole)

    def _begin(self, function: Callable, arguments: Sequence[tuple]) -> _Call:
        call = _Call(function, arguments)
        try:
            for thread in call.threads:
                thread.start()
        except BaseException:  # others may be waiting for it
            self.close()
            raise
        return call

    def _answers(self, call: _Call) -> Sequence[Answer]:
        while call.running:  # not Thread.join, which takes a thread for ended where an interrupt comes (Python < 3.13)
            with suppress(queue.Empty):
                call.ended.get(timeout=0.02)
            if call.failed_at is not None and time.monotonic() > call.failed_at + GRACE:
                self.close()
        return call.answers

    def close(self) -> None:
        self._comms[0].close()


class _Call:
    """A thread for each worker, and what it has found.

    Attributes
    ----------
    failed_at : float or None
        When the first one has failed.
    running : set of int
        The ranks of those that have not ended.
    ended : SimpleQueue
        Gets an entry when one has.
    """

    def __init__(self, function: Callable, arguments: Sequence[tuple]):
        self.answers: list[Answer] = [(None, None)] * len(arguments)
        self.failed_at: float | None = None
        self.running = set(range(len(arguments)))
        self.ended: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.threads = [
            threading.Thread(target=self._work, args=(rank, function, args), daemon=True)
            for rank, args in enumerate(arguments)
        ]

    def _work(self, rank: int, function: Callable, args: tuple) -> None:
        try:
            self.answers[rank] = function(*args), None
        except BaseException as error:
            self.answers[rank] = None, error
            if self.failed_at is None:
                self.failed_at = time.monotonic()
        finally:
            self.running.discard(rank)
            self.ended.put(rank)
