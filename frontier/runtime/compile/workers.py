"""Processes that compile CUDA kernels at the same time: in one process NVRTC compiles one at a time.

A process is an interpreter that runs ``device_code.py`` only: it imports neither the project nor the user's program,
loads no CUDA driver, and ends with its parent. It gets source over a pipe and returns machine code, which the parent
caches. The processes are as many as the queued jobs, at most one a core. Idle ones end after a while. If none can be
started, the parent compiles.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from ..log import logger

IDLE_SECONDS = 10.0
"""The time after which an idle process ends. A graph and its analytics are usually made within such a time."""
LOOK_SECONDS = 0.1
"""How often it looks meanwhile whether the program has ended."""

MAX_PROCESSES = 16
"""Each uses some 300 MB at most."""


def _say_so() -> None:
    logger.info("kernels are being compiled, once for this machine; fr.advanced.on_compile tells which")


when_first_used: list[Callable[[], None]] = [_say_so]
"""Functions that are called, in a separate thread, once the first process starts: the caches are empty, and other
compilers had better initialize while the interpreter waits for the processes."""

Compile = Callable[[str, str, str, tuple[bytes, ...]], "bytes | None"]


def processes() -> int:
    """The number of processes that may run. 0 on one core, and in a frozen program, which is its own interpreter."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    interpreter = sys.executable and not getattr(sys, "frozen", False)
    return min(cores, MAX_PROCESSES) if cores > 1 and interpreter else 0


class Job(Future):
    """Work that the first thread to reach it does, once, with the `Compile` of a process, or None."""

    def __init__(self, work: Callable[[Compile | None], Any]):
        super().__init__()
        self._work = work
        self._untaken = threading.Lock()

    def run(self, compile: Compile | None = None) -> None:
        """Do the work, unless it has started."""
        if self._untaken.acquire(blocking=False):
            try:
                self.set_result(self._work(compile))
            except BaseException as error:
                self.set_exception(error)


class Workers:
    """Threads, each with its own process, that process jobs from one queue."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._jobs: deque[Job] = deque()
        self._idle = 0
        self._threads = 0

    def submit(self, work: Callable[[Compile | None], Any]) -> Job:
        """Have work done as soon as a process is free."""
        job = Job(work)
        with self._lock:
            self._jobs.append(job)
            if self._idle >= len(self._jobs):
                self._lock.notify()
            elif self._threads < max(processes(), 1):
                self._threads += 1
                threading.Thread(target=self._serve, name="dynfrontier-compile").start()
        return job

    def _serve(self) -> None:
        with _Process() as process:
            while (job := self._next()) is not None:
                job.run(process.compile)

    def _next(self) -> Job | None:
        """The next job, or None, after which the thread must end, if no job arrives in time or the program ends."""
        end = time.monotonic() + IDLE_SECONDS
        with self._lock:
            self._idle += 1
            while not self._jobs and time.monotonic() < end and _program_runs():
                self._lock.wait(LOOK_SECONDS)
            self._idle -= 1
            if self._jobs and _program_runs():
                return self._jobs.popleft()
            self._threads -= 1
            return None


def _program_runs() -> bool:
    """Whether the program has not come to its end, at which Python joins all threads."""
    return threading.main_thread().is_alive()


class _Process:
    """An interpreter that compiles, started with the first request."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._usable = processes() > 0

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            with contextlib.suppress(OSError):  # of a pipe to a process that was killed
                self._process.stdin.close()  # type: ignore[union-attr]
            self._process.wait()
            self._process.stdout.close()  # type: ignore[union-attr]

    def compile(self, source: str, root: str, arch: str, functors: tuple[bytes, ...]) -> bytes | None:
        """`device_code.machine_code`, or None if it raised, or without a process."""
        if not self._usable:
            return None
        try:
            if self._process is None:
                self._process = _start()
                self._send(sys.path)
                _call_once(when_first_used)
            self._send((source, root, arch, functors))
            return pickle.load(self._process.stdout)  # type: ignore[arg-type]
        except Exception as error:  # of the system, or from a pipe that ends in the middle
            logger.warning("kernels are compiled one after another, for want of a process: %r", error)
            self._usable = False
            return None

    def _send(self, request: Any) -> None:
        to = self._process.stdin  # type: ignore[union-attr]
        pickle.dump(request, to)  # type: ignore[arg-type]
        to.flush()  # type: ignore[union-attr]


def _start() -> subprocess.Popen[bytes]:
    """A process that Ctrl-C in a terminal does not reach."""
    program = str(Path(__file__).with_name("device_code.py"))
    return subprocess.Popen(
        [sys.executable, "-P", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


def _call_once(functions: list[Callable[[], None]]) -> None:
    while functions:
        with contextlib.suppress(IndexError):  # another thread was faster
            threading.Thread(target=functions.pop(), name="dynfrontier-compile").start()


workers = Workers()


def _forget() -> None:
    """In a process that was forked there are no threads."""
    workers.__init__()  # type: ignore[misc]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
