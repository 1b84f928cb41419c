"""Helper processes compile what a job needs: the right kernels, into the cache, for as long as the job lasts."""

import os
import signal
import subprocess
import sys
import threading

import pytest
from numba.core import types

from dynfrontier.ahead import compile_ahead, helpers
from dynfrontier.ahead.__main__ import OTHERS, jobs, recorded
from dynfrontier.ahead.needs import job_name, read_list, write_list
from dynfrontier.ahead.spelling import read_type, spell
from dynfrontier.options import PREFERRED
from frontier.runtime import elsewhere, progress
from frontier.runtime.cache import PROJECT_ROOT
from structures.slab.cpu import View

MAIN = job_name(PREFERRED, "triangles", timed=True)


def worker(cache, number, count):
    """A helper of the main job, with a cache of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "dynfrontier.ahead.worker", MAIN, str(number), str(count)],
        env=os.environ | {"DYNFRONTIER_CACHE_DIR": str(cache), "PYTHONPATH": str(PROJECT_ROOT)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_the_list_has_what_the_main_job_needs():
    """If it does not: ``python -m dynfrontier.ahead`` writes it again."""
    assert read_list()[MAIN] == recorded(*jobs()[MAIN])


@pytest.mark.slow
@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.sampled("timed", of=4)
def test_the_list_has_what_the_main_job_needs_on_each_structure(structure, timed):
    """Likewise."""
    job = job_name(structure.name, "triangles", timed=timed)
    assert read_list()[job] == recorded(*jobs()[job])


@pytest.mark.slow
@pytest.mark.parametrize("analytic", OTHERS)
def test_the_list_has_what_other_analytics_need(analytic):
    """Likewise."""
    job = job_name(PREFERRED, analytic, timed=True)
    assert read_list()[job] == recorded(*jobs()[job])


def test_the_list_has_each_job():
    assert read_list().keys() == jobs().keys()


def test_the_list_is_written_as_it_was_read(tmp_path, monkeypatch):
    held = read_list()
    monkeypatch.setattr("dynfrontier.ahead.needs.LIST", tmp_path / "kernels.json")
    write_list(held)
    assert read_list() == held


def test_types_are_spelled():
    view = types.NamedTuple([types.int32[:, ::1], types.none, types.int64], View)
    for kind in (types.int64, types.boolean, types.float32[::1], view, types.UniTuple(types.uint8, 2), types.Tuple(())):
        assert read_type(spell(kind)) == kind
    with pytest.raises(TypeError, match="cannot be listed"):
        spell(types.unicode_type)
    with pytest.raises(TypeError, match="cannot be listed"):
        spell(types.Array(types.int64, 1, "C", readonly=True))


def test_a_helper_compiles_its_share(tmp_path):
    """From the end of the list on, and only what is not there."""
    needs = read_list()[MAIN]
    count = len(needs) - 1
    for made in (True, False):
        with worker(tmp_path, count - 1, count) as process:
            lines = process.stdout.read().split()
        if made:
            assert lines[::2] == ["begin", "end"] and lines[1] == lines[3]
            assert lines[1].startswith("claim_last-") and (tmp_path / "cpu" / lines[1]).exists()
        else:
            assert not lines


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_a_helper_ends_with_its_job_and_not_by_an_interrupt(tmp_path):
    with worker(tmp_path, 0, 1) as process:
        assert process.stdout.readline().startswith("begin")
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline().startswith("end")
        process.stdin.close()  # as the system does when the job is gone
        assert process.wait(timeout=30) == 0


@pytest.fixture
def started(monkeypatch):
    """The helper processes that are started, two at a time."""
    found = []
    popen = subprocess.Popen

    def start(*args, **options):
        found.append(popen(*args, **options))
        return found[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(helpers, "_cores", lambda: 3)
    return found


def test_helpers_start_with_the_first_missing_kernel_and_end_with_the_job(started):
    with pytest.raises(ZeroDivisionError), compile_ahead(MAIN):
        assert not started
        progress.compiling("one")
        progress.compiling("another")
        assert [process.poll() for process in started] == [None, None]
        raise ZeroDivisionError
    assert len(started) == 2 and all(process.returncode is not None for process in started)


@pytest.mark.parametrize("job", [None, "no such job"])
def test_other_jobs_have_no_helpers(started, job):
    with compile_ahead(job):
        progress.compiling("one")
    assert not started


def test_one_core_has_no_helpers(started, monkeypatch):
    monkeypatch.setattr(helpers, "_cores", lambda: 1)
    with compile_ahead(MAIN):
        progress.compiling("one")
    assert not started


def test_a_job_compiles_alone_where_no_process_can_be_started(monkeypatch):
    def fail(*args, **options):
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", fail)
    monkeypatch.setattr(helpers, "_cores", lambda: 3)
    with compile_ahead(MAIN):
        progress.compiling("one")


def test_a_kernel_that_a_helper_began_is_waited_for():
    assert not elsewhere.wait_for("never begun")
    elsewhere.begun("some file")
    timer = threading.Timer(0.1, elsewhere.ended, ["some file"])
    timer.start()
    assert elsewhere.wait_for("some file")
    assert timer.finished.is_set()


def test_a_helper_that_dies_keeps_nobody_waiting():
    helpers._listen(iter(["begin some-kernel\n", "end some-kernel\n", "begin another\n"]))
    assert elsewhere.wait_for("some-kernel") and elsewhere.wait_for("another")


SCRIPT = """
import dynfrontier.ahead.helpers as helpers
from dynfrontier.ahead import compile_ahead
from dynfrontier.job import StreamJob
import frontier as fr
from frontier.runtime import elsewhere
from frontier.runtime.cpu import KeyedCache

helpers._cores = lambda: 3
missed = []
load = KeyedCache.load_overload


def note(self, sig, target_context):
    found = load(self, sig, target_context)
    missed.append(found is None)
    return found


KeyedCache.load_overload = note
stream = fr.io.stream_edges(fr.io.rmat(4, 2), 16)
job = StreamJob(fr.structures()["slab"], fr.resolve_device("cpu"), stream)
names = []
with fr.on_compile(names.append), compile_ahead(job.name):
    job.warm_up()
print(sum(missed), len(missed), len(names))
"""


@pytest.mark.slow
def test_a_job_finds_what_helpers_compiled(tmp_path):
    """And tells of it as of what it compiles."""
    environment = os.environ | {"DYNFRONTIER_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(PROJECT_ROOT)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    missed, loaded, told = map(int, done.stdout.split())
    assert 0 < missed < loaded and told >= loaded - 1
