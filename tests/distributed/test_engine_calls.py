"""Calls that are interrupted, refused, or fail on some workers: answers belong to their own calls."""

from __future__ import annotations

import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed_cases import missing

from frontier.distributed import DistributedGraph, PartLostError, ProcessEngine, ThreadEngine
from frontier.distributed.engines import messages, processes, threads
from structures import SlabGraph

ROOT = Path(__file__).parents[2]
needs_ucxx = pytest.mark.skipif(bool(missing("ucxx")), reason=missing("ucxx"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["threads", pytest.param("processes", marks=needs_ucxx), "dask"])
def test_interrupted_calls(kind: str, request: pytest.FixtureRequest) -> None:
    """SIGINT to all processes, as from a terminal, leaves updates whole and answers in step."""
    if kind == "dask" and (missing("ucxx", "distributed") or not request.config.getoption("--long")):
        pytest.skip("starts a cluster: with --long")
    command = [sys.executable, str(ROOT / "tests" / "support" / "interrupted_calls.py"), kind, "1"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, start_new_session=True
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    at_moments, from_outside = map(int, done.stdout.split())
    assert at_moments > 10 and from_outside > 10


class Unpicklable:
    """Unavailable on a worker."""

    def __reduce__(self) -> Any:
        return int, ("no number",)


class OfTwo(Exception):
    """An error that cannot be made again of its arguments."""

    def __init__(self, one: int, other: int):
        super().__init__(one)


def number(host: Any, value: Any) -> int:
    return host.comm.reduce_numbers([1])[0]


def limit_memory(host: Any, nbytes: int) -> None:
    """Let the second worker have little more memory than now."""
    if host.comm.rank == 1:
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + nbytes, resource.RLIM_INFINITY))


def sum_in_place(host: Any, array: np.ndarray) -> np.ndarray:
    array += host.comm.rank
    return array


def fail_first(host: Any, seconds: float) -> str:
    if host.comm.rank == 0:
        raise OfTwo(1, 2)
    time.sleep(seconds)
    return "late"


def fail_alone(host: Any) -> None:
    if host.comm.rank == 1:
        raise KeyError("only here")
    host.comm.barrier()


@pytest.mark.slow
@needs_ucxx
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_calls_that_a_worker_refuses_or_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """One test for all, since starting workers is the slowest step."""
    with ProcessEngine(2) as engine:
        large = np.zeros(processes.CONFIRMED, np.uint8)
        for shares in ([(large,), (Unpicklable(),)], [(Unpicklable(),), (Unpicklable(),)]):
            with pytest.raises(ValueError, match="invalid literal for int"):
                engine.run(number, shares)
        assert engine.run(number, [(large,), (large,)]) == [2, 2]
        with pytest.raises(TypeError, match="cannot pickle"):  # before any worker has a share
            engine.run(number, [(1,), (threading.Lock(),)])
        assert engine.run_alike(number, 1) == [2, 2]
        for size in (3, messages.SMALL):  # arrays arrive as they are on their own, whether they could be written to
            array = np.arange(size)
            array.flags.writeable = False
            found = engine.run(sum_in_place, [(array,), (array[::-1],)])
            assert all(np.array_equal(*pair) for pair in zip(found, (array, array[::-1] + 1), strict=True))
            found[0] += 1

        graph = DistributedGraph(SlabGraph, 9, engine=engine)
        graph.insert_edges([0, 1], [2, 3])
        engine.run_alike(limit_memory, 2**24)
        ends = np.arange(2**23) % 9
        with pytest.raises(MemoryError):
            graph.insert_edges(ends, ends[::-1])
        assert graph.num_edges == 2 and graph.degrees().tolist() == [1, 1, 1, 1, 0, 0, 0, 0, 0]
        assert graph.insert_edges([4], [5]).inserted == 1
        engine.run_alike(limit_memory, 0)
        small = np.zeros(processes.CONFIRMED - 2**10, np.uint8)
        for _ in range(3):  # there is always memory for a message that is not confirmed
            assert engine.run(number, [(small.copy(),), (small,)]) == [2, 2]
        engine.run_alike(limit_memory, 2**28)
        assert graph.delete_edges([4], [5]).deleted == 1

        monkeypatch.setattr(processes, "GRACE", 2.0)
        with pytest.raises(RuntimeError, match="OfTwo: 1"):
            engine.run_alike(fail_first, 0.3)
        assert engine.run_alike(number, 1) == [2, 2]  # the call waited for the other one
        monkeypatch.setattr(processes, "GRACE", 0.2)
        begin = time.monotonic()
        with pytest.raises(KeyError, match="only here"):
            engine.run_alike(fail_alone)
        assert 0.2 <= time.monotonic() - begin < processes.GRACE + 30  # a worker may be ended slowly
        with pytest.raises(PartLostError, match="has failed while others waited"):
            graph.degrees()


def test_a_message_without_memory_for_it_leaves_the_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = processes.multiprocessing.Pipe()
    sizes = (0, 1, messages.SMALL - 60, messages.SMALL, messages.SMALL + 1, 3 * messages.SMALL)

    def fail(size: int) -> bytearray:
        if size > messages.SMALL:
            raise MemoryError
        return bytearray(size)

    for at, size in enumerate(sizes):
        with monkeypatch.context() as patch:
            for refused in (True, False):
                if refused and size < messages.SMALL:
                    continue
                patch.setattr(messages, "bytearray", fail if refused else bytearray, raising=False)
                _send(here, at, bytes(size))
                found = messages.receive(there)
                assert found.number == at and not there.poll()
                assert isinstance(found.error, MemoryError) if refused else found.value == bytes(size)


def _send(pipe: Any, number: int, value: bytes) -> None:
    """In a thread: the message exceeds a pipe's capacity."""
    threading.Thread(target=messages.send, args=(pipe, number, messages.pack(value))).start()


def current_thread(host: Any) -> threading.Thread:
    return threading.current_thread()


@pytest.mark.parametrize("closed", [True, False])
def test_threads_are_kept_between_calls_and_end_with_the_engine(closed: bool) -> None:
    engine = ThreadEngine(2)
    kept = engine.run_alike(current_thread)
    with pytest.raises(KeyError, match="only here"):
        engine.run_alike(fail_everywhere)
    assert engine.run_alike(current_thread) == kept and len(set(kept)) == 2
    array = np.zeros(3)
    given = weakref.ref(array)
    engine.run_alike(ignore, array)
    del array
    if closed:
        engine.close()
        with pytest.raises(PartLostError):
            engine.run_alike(number, 1)
        kept += engine.run_alike(current_thread)  # calls without other workers still run, to free partitions
        assert len(set(kept)) == 4
    del engine
    gc.collect()  # errors refer to the frames that raised them
    for thread in kept:
        thread.join(10)
        assert not thread.is_alive()
    assert given() is None


def fail_everywhere(host: Any) -> None:
    raise KeyError("only here")


def ignore(host: Any, value: Any) -> None:
    """Refer to the value no longer than the call lasts."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    program = """
import os
from frontier.distributed import ThreadEngine
engine = ThreadEngine(2)
add = lambda host: host.comm.reduce_numbers([1])[0]
assert engine.run_alike(add) == [2, 2]
child = os.fork()
if child == 0:
    os._exit(engine.run_alike(add) != [2, 2])
assert os.waitpid(child, 0)[1] == 0
assert engine.run_alike(add) == [2, 2]
"""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", program], env=environment, timeout=100, check=True)


waited: list[int] = []


def wait_long(host: Any) -> None:
    """A call that is interrupted while it runs."""
    if host.comm.rank == 0:
        signal.raise_signal(signal.SIGINT)  # which the main thread handles
    time.sleep(0.4)
    host.comm.barrier()
    waited.append(host.comm.rank)


@pytest.mark.usefixtures("python_handles_interrupts")
def test_an_interrupted_call_of_threads_is_waited_for() -> None:
    waited.clear()
    with ThreadEngine(2) as engine:
        for calls in range(1, 6):
            with pytest.raises(KeyboardInterrupt):
                engine.run_alike(wait_long)
            assert engine.run_alike(number, 1) == [2, 2]
            assert len(waited) == 2 * calls


def test_a_thread_that_cannot_be_started_releases_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    threads_start, begun = threading.Thread.start, []

    def start(thread: threading.Thread) -> None:
        if len(begun) == 1:
            raise RuntimeError("can't start new thread")
        begun.append(thread)
        threads_start(thread)

    with ThreadEngine(2) as engine:
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", start)
            with pytest.raises(RuntimeError, match="can't start"):
                engine.run_alike(number, 1)
        begun[0].join(10)
        assert not begun[0].is_alive()
        with pytest.raises(PartLostError):
            engine.run_alike(number, 1)


def cut_short(host: Any) -> None:
    """Leave an exchange on one partition, as an interrupt does."""

    def interrupt(transfers: Any) -> None:
        raise InterruptedError("in an exchange")

    if host.comm.rank == 1:
        host.comm._exchange = interrupt
    host.comm.barrier()


def test_an_exchange_that_was_cut_short_is_the_last() -> None:
    with ThreadEngine(2) as engine:
        begin = time.monotonic()
        with pytest.raises(InterruptedError):
            engine.run_alike(cut_short)
        assert time.monotonic() - begin < threads.GRACE  # the other one did not wait for it
        with pytest.raises(PartLostError, match="was cut short"):
            engine.run_alike(number, 1)
