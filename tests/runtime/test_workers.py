"""Kernels are compiled by several processes, and by this one if they cannot start."""

import os
import subprocess
import sys
import threading
import time

import pytest

from frontier.functor import compile as functor_compile
from frontier.runtime.compile import cuda, progress, workers
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from frontier.runtime.compile.workers import Workers

pytest.importorskip("cuda.core")
SOURCE = 'extern "C" __global__ void store(int* to) { *to = %s; }\n'
ROOT, ARCH = str(PROJECT_ROOT), "sm_90"


def code(text, functors=()):
    return lambda compile: compile(SOURCE % text, ROOT, ARCH, functors)


@pytest.fixture
def pool(monkeypatch):
    """Two threads, which end with the test."""
    monkeypatch.setattr(workers, "processes", lambda: 2)
    monkeypatch.setattr(workers, "IDLE_SECONDS", 0.2)
    return Workers()


def test_processes_compile_what_this_one_would(pool):
    jobs = [pool.submit(code(number)) for number in range(3)]
    found = [job.result(60) for job in jobs]
    assert found == [cuda.machine_code(SOURCE % number, ROOT, ARCH, ()) for number in range(3)]
    assert pool.submit(code("no number")).result(60) is None  # whoever wants it compiles it, and sees the error


def test_a_job_is_done_once_by_the_first_who_comes():
    pool, done, taken, go = Workers(), [], threading.Event(), threading.Event()

    def first(compile):
        taken.set()
        go.wait(10)

    jobs = [pool.submit(first)]
    taken.wait(10)
    pool._threads = 64  # no other may be started
    jobs += [pool.submit(lambda compile: done.append(compile)), pool.submit(lambda compile: 1 / 0)]
    jobs[1].run()
    jobs[1].run()
    assert done == [None]
    go.set()
    with pytest.raises(ZeroDivisionError):
        jobs[2].result(10)
    pool._threads = 1
    assert jobs[0].result(10) is None and done == [None]


@pytest.mark.parametrize("how", ["cannot start", "is killed"])
def test_without_a_process_this_one_compiles(pool, how, monkeypatch, caplog):
    if how == "cannot start":
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
    else:
        start = workers._start

        def killed():
            process = start()
            process.kill()
            process.wait()
            return process

        monkeypatch.setattr(workers, "_start", killed)
    with caplog.at_level("WARNING"):
        assert pool.submit(code(1)).result(60) is None
    assert "one after another" in caplog.text


def test_no_processes_on_one_core(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda who: {0}, raising=False)
    assert workers.processes() == 0
    assert workers._Process().compile(SOURCE % 1, ROOT, ARCH, ()) is None


def test_no_processes_in_a_frozen_program(monkeypatch):
    """In a frozen program ``sys.executable`` is the user's program, which would run once a process."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda who: {0, 1}, raising=False)
    assert workers.processes() == 2
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert workers.processes() == 0


def test_programs_end_without_waiting_for_idle_processes():
    """Their output is separate, also where the main module has no guard."""
    script = f"""
from frontier.runtime.compile import workers
workers.processes, workers.IDLE_SECONDS = lambda: 2, 1000.0
print(len(workers.workers.submit(lambda compile: compile({SOURCE % 1!r}, {ROOT!r}, {ARCH!r}, ())).result()) > 0)
"""
    environment = os.environ | {"PYTHONPATH": ROOT}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_kernels_are_compiled_ahead_and_stored(tmp_path, monkeypatch):
    """A folder that is not writable is no obstacle: the machine code comes over a pipe."""
    monkeypatch.setattr(cuda, "current_arch", lambda: ARCH)
    monkeypatch.setattr(cuda, "_ahead", {})
    header = "frontier/core/bitmap/kernels.cuh", (("VID", "int"),)
    kept = []
    monkeypatch.setattr(cuda, "cached", lambda folder, suffix, parts, build: kept.append(parts) or build())
    before = progress.compilations["kernel"]
    cuda.compile_ahead(*header)
    cuda.compile_ahead(*header)
    assert cuda._cubin(*header, ()) == cuda.compile_cubin(*header)
    assert len(kept) == 1 and progress.compilations["kernel"] == before + 1


def test_the_compiler_of_functors_gets_ready_meanwhile(monkeypatch, caplog):
    pytest.importorskip("numba_cuda")
    monkeypatch.setattr(cuda, "current_arch", lambda: ARCH)
    assert functor_compile._get_ready in workers.when_first_used or progress.compilations["kernel"]
    with caplog.at_level("DEBUG", "dynfrontier"):
        functor_compile._get_ready()
    assert "not ready" not in caplog.text


def test_what_gets_ready_is_called_once():
    called = []
    functions = [lambda: called.append(threading.current_thread())]
    workers._call_once(functions)
    workers._call_once(functions)
    while not called:
        time.sleep(0.01)
    assert len(called) == 1 and called[0] is not threading.main_thread() and not functions
