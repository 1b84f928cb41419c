"""The helper processes of a job."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import frontier as fr
from frontier.runtime import elsewhere
from frontier.runtime.cache import PROJECT_ROOT, cache_directory

from .needs import read_list

MOST = 3
"""Helpers of a job: each imports and sets a compiler up first, which takes as long as three kernels."""


@contextmanager
def compile_ahead(job: str | None) -> Iterator[None]:
    """Have helpers compile what `job` needs, from the first kernel on that is missing within the ``with`` block.

    There is one for each other core that may be used, up to `MOST`; none for a job that is not in the list. When the
    block ends they are gone.
    """
    helpers = _Helpers(job)
    try:
        with fr.on_compile(helpers.start):
            yield
    finally:
        helpers.end()


class _Helpers:
    def __init__(self, job: str | None):
        self._job = job
        self._started = False
        self._running: list[tuple[subprocess.Popen[str], threading.Thread]] = []

    def start(self, kernel: str) -> None:
        """Start them, as `kernel` has to be compiled; once."""
        if self._started or self._job is None:
            return
        self._started = True
        count = min(MOST, _cores() - 1)
        if count < 1 or self._job not in read_list():
            return
        path = os.pathsep.join(filter(None, (str(PROJECT_ROOT), os.environ.get("PYTHONPATH"))))
        environment = os.environ | {"DYNFRONTIER_CACHE_DIR": str(cache_directory()), "PYTHONPATH": path}
        for number in range(count):
            command = [sys.executable, "-P", "-m", "dynfrontier.ahead.worker", self._job, str(number), str(count)]
            try:
                process = subprocess.Popen(
                    command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )  # fmt: skip
            except OSError:  # the system has no room for another process: the job compiles by itself
                return
            thread = threading.Thread(target=_listen, args=(process.stdout,), daemon=True)
            thread.start()
            self._running.append((process, thread))

    def end(self) -> None:
        """End them."""
        for process, _ in self._running:
            process.kill()  # what it writes takes its place in the cache when it is whole
        for process, thread in self._running:
            thread.join()
            with process:  # waits for it, and closes its pipes
                pass


def _cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _listen(words: IO[str]) -> None:
    """Take note of what a helper begins and ends, until it is gone."""
    current = None
    with contextlib.suppress(OSError, ValueError):
        for line in words:
            word, file = line.split()
            if word == "begin":
                elsewhere.begun(file)
                current = file
            else:
                elsewhere.ended(file)
                current = None
    if current is not None:
        elsewhere.ended(current)
