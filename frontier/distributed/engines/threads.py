"""Workers that are threads of this process, on one device: for tests, and to try programs out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...runtime import resolve_device
from ..transports.in_process import InProcessCommunicator
from .engine import Engine, Host, first_error

GRACE = 10.0  # seconds that parts have to fail like the first one that did, before they are told


class Threads(Engine):
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
        self._lock = threading.Lock()
        self._comms = InProcessCommunicator.group(size, resolve_device(device))
        self.hosts = [Host(comm) for comm in self._comms]

    def run(self, function: Callable, shares: Sequence[tuple]) -> list[Any]:
        with self._lock:
            return self._run(function, shares)

    def _run(self, function: Callable, shares: Sequence[tuple]) -> list[Any]:
        results: list[Any] = [None] * self.size
        errors: list[BaseException | None] = [None] * self.size
        failed = threading.Event()

        def work(rank: int) -> None:
            try:
                results[rank] = function(self.hosts[rank], *shares[rank])
            except BaseException as error:
                errors[rank] = error
                failed.set()

        threads = [threading.Thread(target=work, args=(rank,), daemon=True) for rank in range(self.size)]
        for thread in threads:
            thread.start()
        deadline = None
        while any(thread.is_alive() for thread in threads):
            next(thread for thread in threads if thread.is_alive()).join(0.02)
            if deadline is None and failed.is_set():
                deadline = time.monotonic() + GRACE
            if deadline is not None and time.monotonic() > deadline:
                self.close()
        error = first_error(errors)
        if error is not None:
            raise error
        return results

    def close(self) -> None:
        self._comms[0].close()
