"""A second process compiles a part of what the main job needs (`dynfrontier.ahead`)."""

from types import SimpleNamespace

import pytest

from algorithms import find_analytic
from dynfrontier import ahead
from dynfrontier.counting import AnalyticCount, Counting
from frontier.runtime.compile import progress
from structures import SlabGraph


@pytest.mark.parametrize("analytic", [None, "triangle_count", "connected_components"])
@pytest.mark.parametrize("time_unit", [None, "s"])
def test_what_is_compiled_ahead_runs(analytic, time_unit):
    ahead.compile_ahead("slab", "int32", time_unit, analytic)


def test_a_process_is_started_by_the_first_compilation_and_ends_with_the_block(monkeypatch):
    graph = SlabGraph(4, device="cpu", time_unit="s")
    done, started = [], []
    monkeypatch.setattr(ahead.numba, "get_num_threads", lambda: 2)
    process = SimpleNamespace(kill=lambda: done.append("kill"), wait=lambda: done.append("wait"))
    monkeypatch.setattr(ahead, "_start", lambda *args: (started.append(args), process)[1])
    with ahead.compiling_ahead(graph, Counting(graph)):
        pass
    assert not started
    with pytest.raises(KeyError), ahead.compiling_ahead(graph, Counting(graph)):
        progress.compiling("one")
        progress.compiling("another")
        raise KeyError
    assert len(started) == 1 and done == ["kill", "wait"]
    monkeypatch.setattr(ahead.numba, "get_num_threads", lambda: 1)
    with ahead.compiling_ahead(graph, Counting(graph)):
        progress.compiling("one")
    assert len(started) == 1


def test_the_process_gets_the_kind_of_the_job(monkeypatch):
    graph = SlabGraph(4, device="cpu", time_unit="s")
    monkeypatch.setattr(ahead.subprocess, "Popen", lambda command, **options: command)
    count = AnalyticCount(graph, find_analytic("triangle_count"))
    monkeypatch.setattr(ahead.sys, "argv", ["-c", ahead._start(graph, count)[-1]])
    asked = []
    monkeypatch.setattr(ahead, "compile_ahead", lambda **kind: asked.append(kind))
    ahead.main()
    kind = {"structure": "slab", "vertex_dtype": "int32", "time_unit": "s", "analytic": "triangle_count"}
    assert asked == [kind]
