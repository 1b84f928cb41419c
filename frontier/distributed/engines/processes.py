"""Workers that are processes of this machine, one for each partition, on CPUs or with a GPU each.

Calls and answers go through a pipe to each worker, as numbered messages. A large message is first confirmed: workers
act upon it only when all have it, so one without memory for its share refuses the call for all.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from frontier.core.arguments import integer, one_of
from frontier.runtime import HeldInterrupts

from ..transport.communicator import PartLostError
from ..transport.select import TRANSPORTS, meet, offer
from .engine import Answer, Engine, Host
from .messages import Message, Packed, Reserve, pack, receive, send

GRACE = 10.0  # seconds that partitions have to fail like the first one that did, before they are ended
CONFIRMED = 2**20  # bytes of a message that workers act upon only when all have it
RESERVED = 4 * CONFIRMED  # bytes that each worker reserves for smaller messages, and for the objects made of them
VISIBLE = "CUDA_VISIBLE_DEVICES"
THREADS = "NUMBA_NUM_THREADS"
GO, SKIP = b"go", b"skip"


class ProcessEngine(Engine):
    """Processes of this machine.

    Workers ignore Ctrl-C, which a terminal sends to all processes of a program: the program decides.

    Parameters
    ----------
    size : int
    transport : {"ucxx", "nccl"}
        Between CPUs, or between the first `size` GPUs of the machine.

    See Also
    --------
    ThreadEngine : Workers in threads.
    DaskEngine : Workers of a Dask cluster.

    Examples
    --------
    >>> from frontier.distributed import DistributedGraph, ProcessEngine
    >>> with ProcessEngine(2) as engine:  # doctest: +SKIP
    ...     graph = DistributedGraph(SlabGraph, num_vertices=4, engine=engine)
    """

    def __init__(self, size: int, transport: str = "ucxx"):
        super().__init__()
        self.size = integer(size, "size", 1)
        one_of(transport, "transport", TRANSPORTS)
        context = multiprocessing.get_context("spawn")
        self._pipes: list[Connection] = []
        self._workers: list[Any] = []
        self._why_gone = "the workers of this graph are gone"
        self._number = 0
        try:
            for rank in range(size):
                here, there = context.Pipe()
                worker = context.Process(target=_serve, args=(there, rank), daemon=True)
                with _environment(_share_of(rank, size, transport)), _without_interrupts():
                    worker.start()
                there.close()
                self._pipes.append(here)
                self._workers.append(worker)
            self._ask(_meet, [(transport, self._ask(_offer, [(transport,)] * size))] * size)
        except BaseException:
            self.close()
            raise

    def run(self, function: Callable, shares: Sequence[tuple], *, whole: bool = False) -> list[Any]:
        alike = {id(share): (function, share) for share in shares}
        return self._ask(_run, [alike[id(share)] for share in shares], whole=whole)

    def _begin(self, function: Callable, arguments: Sequence[tuple]) -> _Call:
        if not self._workers:
            raise PartLostError(self._why_gone)
        # Pickle all before sending, as one may fail, and equal arguments once.
        distinct = {id(args): args for args in arguments}
        packed = {key: pack((function, args)) for key, args in distinct.items()}
        messages = [packed[id(args)] for args in arguments]
        self._number += 1
        call = _Call(self._number, self._pipes, any(message.nbytes > CONFIRMED for message in messages))
        with self._undivided(call):
            for pipe, message in zip(self._pipes, messages, strict=True):
                send(pipe, call.number, message, confirmed=call.unconfirmed)
        return call

    def _answers(self, call: _Call) -> Sequence[Answer]:
        if call.unconfirmed:
            self._collect(call)
            self._decide(call)
        self._collect(call)
        return call.answers

    def _collect(self, call: _Call) -> None:
        """Read an answer of each worker, or, after an interrupt, the remaining answers."""
        while call.waiting:
            left = None if call.deadline is None else max(call.deadline - time.monotonic(), 0)
            ready = wait(list(call.waiting), timeout=left)
            with self._undivided(call):
                for pipe in ready:
                    call.note(pipe, receive(pipe))  # type: ignore[arg-type]
                if not ready:  # one has failed, and all other partitions wait for it
                    self._end("a part of this graph has failed while others waited for it: load the graph from a file")
                    call.waiting.clear()

    def _decide(self, call: _Call) -> None:
        """Let the workers act upon a message if all of them have it."""
        with self._undivided(call):
            call.unconfirmed = False
            if not self._workers:
                return
            refused = any(error is not None for _, error in call.answers)
            for pipe in self._pipes:
                pipe.send_bytes(SKIP if refused else GO)
            if not refused:
                call.expect_all(self._pipes)

    @contextmanager
    def _undivided(self, call: _Call) -> Iterator[None]:
        """Protect messages from interruption: Ctrl-C is delayed, and any other exception ends the workers."""
        interrupts = HeldInterrupts()
        try:
            yield
        except (EOFError, ConnectionError):
            call.fail(self._lost())
        except BaseException:
            self._end("an exchange with the workers of this graph was cut short: load the graph from a file")
            call.fail(PartLostError(self._why_gone))
            raise
        finally:
            interrupts.release()

    def _lost(self) -> PartLostError:
        """End all workers, as some may wait for a lost one."""
        ended = wait([worker.sentinel for worker in self._workers], timeout=10.0)  # its pipe breaks earlier
        for worker in self._workers:
            if worker.sentinel in ended:
                worker.join(1.0)  # its exit code is known a little later
        gone = [rank for rank, worker in enumerate(self._workers) if worker.exitcode is not None]
        which = f"worker {gone[0]}" if gone else "a worker"
        self._end(f"{which} of this graph is gone, and its partition with it: load the graph from a file")
        return PartLostError(self._why_gone)

    def _end(self, why: str) -> None:
        """End all workers. Later calls report why."""
        self._why_gone = why
        self.close()

    def close(self) -> None:
        interrupts = HeldInterrupts()
        try:
            workers, self._workers = self._workers, []
            for pipe in self._pipes:
                pipe.close()
            for worker in workers:
                worker.join(0.2)
                worker.kill()
                worker.join()
            self._pipes = []
        finally:
            interrupts.release()


class _Call:
    """A message to all workers, and the answers so far.

    While it is `unconfirmed`, workers only report whether they have it. `waiting` maps pipes to the ranks of workers
    that have not answered. They are ended at the `deadline`, which is set when one has failed.
    """

    def __init__(self, number: int, pipes: Sequence[Connection], unconfirmed: bool):
        self.number = number
        self.unconfirmed = unconfirmed
        self.expect_all(pipes)

    def expect_all(self, pipes: Sequence[Connection]) -> None:
        self.waiting: dict[Any, int] = {pipe: rank for rank, pipe in enumerate(pipes)}
        self.answers: list[Answer] = [(None, None)] * len(pipes)
        self.deadline: float | None = None

    def note(self, pipe: Any, message: Message) -> None:
        """Enter an answer, unless it belongs to another call."""
        if message.number != self.number:
            return
        rank, value, error = self.waiting.pop(pipe), None, message.error
        if error is None:
            value, error = message.value
        elif not isinstance(error, MemoryError):
            error = RuntimeError(f"the answer of worker {rank} cannot be unpickled: {type(error).__name__}: {error}")
        self.answers[rank] = value, error
        if error is not None and self.deadline is None:
            self.deadline = time.monotonic() + GRACE

    def fail(self, error: BaseException) -> None:
        """Stop waiting for workers."""
        self.waiting.clear()
        self.answers = [(None, error)]


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Start processes that SIGINT does not reach. They unblock it once they ignore it."""
    resource_tracker.ensure_running()  # which unblocks it when it is started
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _share_of(rank: int, size: int, transport: str) -> dict[str, str]:
    """A worker's share of this machine, as environment variables.

    Its share is a single GPU, as compiled and cached code belongs to it. On CPUs it is the worker's share of the cores
    as threads, unless the user sets their number.
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
    """Set variables while processes are started."""
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


# ---- on workers -----------------------------------------------------------------------------------------------------


class _Kept:
    """The state of a worker between calls."""

    def __init__(self, rank: int):
        self.rank = rank
        self.own: Any = None
        self.host: Any = None
        self.reserve = Reserve(RESERVED)


def _offer(kept: _Kept, transport: str) -> Any:
    known, kept.own = offer(transport, kept.rank)
    return known


def _meet(kept: _Kept, transport: str, offers: list[Any]) -> None:
    kept.host = Host(meet(transport, kept.rank, offers, ["127.0.0.1"] * len(offers), kept.own))


def _run(kept: _Kept, function: Callable, share: tuple) -> Any:
    return function(kept.host, *share)


def _serve(pipe: Connection, rank: int) -> None:
    """The program of a worker: answer until the program leaves."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    kept = _Kept(rank)
    with suppress(EOFError, OSError):
        while True:
            _answer(pipe, kept)


def _answer(pipe: Connection, kept: _Kept) -> None:
    """Answer one message, and free it."""
    message = receive(pipe, kept.reserve)
    error = message.error
    if message.confirmed:
        send(pipe, message.number, _packed(None, error, kept))
        if pipe.recv_bytes() == SKIP:
            return
    value: Any = None
    if error is None:
        function, args = message.value
        try:
            value = function(kept, *args)
        except BaseException as problem:
            error = problem
    send(pipe, message.number, _packed(value, error, kept))
    del message, value
    kept.reserve.fill()


def _packed(value: Any, error: BaseException | None, kept: _Kept) -> Packed:
    """Pack an answer, or the error that prevents sending it."""
    if error is not None:
        error.add_note(f"On worker {kept.rank}:\n{''.join(traceback.format_exception(error))}")
        error = _portable(error)
    try:
        return pack((value, error))
    except Exception as problem:  # no memory, or a value that cannot be pickled
        return pack((None, _portable(problem)))


def _portable(error: BaseException) -> BaseException:
    """An error that can be pickled and unpickled, or its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        found = RuntimeError(f"{type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", ()):
            found.add_note(note)
        return found
    return error
