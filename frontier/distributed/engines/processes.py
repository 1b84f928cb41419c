"""Workers that are processes of this machine, one for each part: on CPUs, or each with a GPU of its own."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from ...arguments import integer, one_of
from ..communicator import PartLostError
from ..transports import TRANSPORTS, meet, offer
from .engine import Engine, Host, first_error

GRACE = 10.0  # seconds that parts have to fail like the first one that did, before they are ended
VISIBLE = "CUDA_VISIBLE_DEVICES"
THREADS = "NUMBA_NUM_THREADS"


class Processes(Engine):
    """Some processes of this machine.

    Parameters
    ----------
    size : int
    transport : {"ucxx", "nccl"}
        Between CPUs, or between the first `size` GPUs of the machine.

    Examples
    --------
    >>> from frontier.distributed import DistributedGraph, Processes
    >>> with Processes(2) as engine:  # doctest: +SKIP
    ...     graph = DistributedGraph(SlabGraph, num_vertices=4, engine=engine)
    """

    def __init__(self, size: int, transport: str = "ucxx"):
        super().__init__()
        self.size = integer(size, "size", 1)
        one_of(transport, "transport", TRANSPORTS)
        context = multiprocessing.get_context("spawn")
        self._pipes: list[Connection] = []
        self._workers: list[Any] = []
        self._lock = threading.Lock()
        try:
            for rank in range(size):
                here, there = context.Pipe()
                worker = context.Process(target=_serve, args=(there, rank, transport), daemon=True)
                with _environment(_share_of(rank, size, transport)):
                    worker.start()
                there.close()
                self._pipes.append(here)
                self._workers.append(worker)
            offers = self._ask([("offer",)] * size)
            self._ask([("meet", offers)] * size)
        except BaseException:
            self.close()
            raise

    def run(self, function: Callable, shares: Sequence[tuple]) -> list[Any]:
        return self._ask([("call", function, share) for share in shares])

    def _ask(self, messages: Sequence[tuple]) -> list[Any]:
        """Send a message to every worker, and wait for all answers."""
        with self._lock:
            return self._ask_alone(messages)

    def _ask_alone(self, messages: Sequence[tuple]) -> list[Any]:
        if not self._workers:
            raise PartLostError("the workers of this graph are gone")
        try:
            for pipe, message in zip(self._pipes, messages, strict=True):
                pipe.send(message)
        except OSError:
            raise self._lost() from None
        results: list[Any] = [None] * self.size
        errors: list[BaseException | None] = [None] * self.size
        waiting = dict(zip(self._pipes, range(self.size), strict=True))
        deadline = None
        while waiting:
            ready = wait(list(waiting), timeout=None if deadline is None else max(deadline - time.monotonic(), 0))
            for pipe in ready:
                rank = waiting.pop(pipe)  # type: ignore[arg-type, call-overload]
                try:
                    results[rank], errors[rank] = pipe.recv()  # type: ignore[union-attr]
                except (EOFError, OSError):
                    raise self._lost(rank) from None
            if deadline is None and any(errors):
                deadline = time.monotonic() + GRACE
            elif deadline is not None and not ready:  # one has failed, and the others wait for it
                self.close()
                break
        error = first_error(errors)
        if error is not None:
            raise error
        return results

    def _lost(self, rank: int | None = None) -> PartLostError:
        """End all workers, since one is gone that the others may wait for: the one with this rank, if that is known."""
        gone = [known for known, worker in enumerate(self._workers) if worker.exitcode is not None]
        self.close()
        which = "a worker" if rank is None and not gone else f"worker {gone[0] if rank is None else rank}"
        return PartLostError(f"{which} of this graph is gone, and its part with it: load the graph from a file")

    def close(self) -> None:
        workers, self._workers = self._workers, []
        for pipe in self._pipes:
            pipe.close()
        for worker in workers:
            worker.join(0.2)
            worker.kill()
            worker.join()
        self._pipes = []


def _share_of(rank: int, size: int, transport: str) -> dict[str, str]:
    """What a worker is to have of this machine, as variables of its environment.

    One GPU alone, as what is compiled and cached belongs to the only one; or as many threads as there are cores for
    each worker, unless the user says how many: more would wait for each other.
    """
    if transport == "nccl":
        before = os.environ.get(VISIBLE)
        names = before.split(",") if before else [str(each) for each in range(rank + 1)]
        if rank >= len(names):
            raise ValueError(f"there are {len(names)} GPUs for more than {rank} parts ({VISIBLE}={before})")
        return {VISIBLE: names[rank]}
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {} if THREADS in os.environ else {THREADS: str(max(cores // size, 1))}


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Start processes with some variables set."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _serve(pipe: Connection, rank: int, transport: str) -> None:
    """The program of a worker: answer until nobody asks any more."""
    host, own = None, None
    while True:
        try:
            kind, *rest = pipe.recv()
        except EOFError:
            return
        value: Any = None
        error: BaseException | None = None
        try:
            if kind == "offer":
                value, own = offer(transport, rank)
            elif kind == "meet":
                offers = rest[0]
                host = Host(meet(transport, rank, offers, ["127.0.0.1"] * len(offers), own))
            else:
                function, share = rest
                value = function(host, *share)
        except BaseException as problem:
            error = problem
            problem.add_note(f"On worker {rank}:\n{traceback.format_exc()}")
        try:
            pipe.send((value, error))
        except OSError:
            return
        except Exception as problem:  # the answer cannot be pickled
            with suppress(OSError):  # nobody may be waiting for it any more
                pipe.send((None, RuntimeError(f"{error or problem}")))
