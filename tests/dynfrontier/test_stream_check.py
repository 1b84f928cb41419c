"""The check of the main job: the compared values, the peers, and that the results are printed before."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest
from command_line import run

import frontier as fr
from algorithms import find_analytic
from algorithms.comparators import Verdict
from dynfrontier import check, counting, job, triangle_check
from dynfrontier.apply import changes, surviving
from dynfrontier.check import CheckTime
from dynfrontier.counting import AnalyticCount
from dynfrontier.peers import Task
from dynfrontier.times import Span
from structures import SlabGraph

SMALL = ("stream", "--scale", "7", "--batch-size", "128", "--device", "cpu")


# ---- final edges of a stream ----------------------------------------------------------------------------------------


def test_final_edges_go_by_the_last_record():
    stream = [
        fr.io.EdgeList([0, 1, 2], [1, 2, 2], num_vertices=4),
        fr.io.EdgeList([1, 2], [0, 3], num_vertices=4, operation="delete"),
        fr.io.EdgeList([3], [2], num_vertices=4),
    ]
    low, high = check.final_edges(stream, 4)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [(1, 2), (2, 3)]


@pytest.mark.parametrize("window", [0, 1, 3, 100, Span(20, "s", ""), Span(10**6, "s", "")])
@pytest.mark.parametrize("records", [0, 1, 100])
def test_surviving_records_leave_the_same_edges(window, records):
    edges = fr.io.rmat(4, records / 16)
    edges = replace(edges, times=np.arange(len(edges)) // 2)
    stream = fr.io.stream_edges(edges, 7)
    expected = check.final_edges(chain.from_iterable(changes(stream, window)), 16)
    assert np.array_equal(check.final_edges(surviving(stream, window), 16), expected)


# ---- independent counts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("products", [1, 50, 1 << 24])
def test_counts_of_triangles(products, monkeypatch):
    networkx = pytest.importorskip("networkx")
    monkeypatch.setattr(check, "BLOCK_PRODUCTS", products)
    edges = fr.io.rmat(6, 8)
    low, high = check.final_edges([edges], edges.num_vertices)
    model = networkx.Graph(zip(low.tolist(), high.tolist(), strict=True))
    assert model.number_of_edges() == low.size and (low < high).all()
    expected = networkx.triangles(model)
    assert check.count_triangles(low, high, edges.num_vertices) == sum(expected.values()) // 3
    assert check.count_triangles(low[:0], high[:0], 0) == 0
    vertices, counts = triangle_check.count_by_vertex(low, high, edges.num_vertices, CheckTime(10))
    assert vertices.tolist() == list(range(64))
    assert counts.tolist() == [expected.get(v, 0) for v in range(64)]


def test_a_sample_of_vertices_is_counted_when_time_is_short(monkeypatch):
    monkeypatch.setattr(triangle_check, "LEAST", 1)
    monkeypatch.setattr(triangle_check, "cores", lambda: 2)
    edges = fr.io.rmat(8, 8)
    low, high = check.final_edges([edges], 256)
    everywhere = triangle_check.count_by_vertex(low, high, 256, CheckTime(10))[1]
    shown = []
    vertices, counts = triangle_check.count_by_vertex(low, high, 256, CheckTime(0, lambda *said: shown.append(said)))
    assert vertices.size == 2 and counts.tolist() == everywhere[vertices].tolist()  # a chunk for each thread
    assert shown[-1] == ("checking: triangles", 2 / 256)


# ---- who compares ---------------------------------------------------------------------------------------------------


@pytest.fixture
def counted():
    """The count of triangles of a graph, and the graph's edges."""
    edges = fr.io.rmat(6, 8)
    graph = SlabGraph.from_edges(edges.src, edges.dst, num_vertices=64, device="cpu")
    return AnalyticCount(graph, find_analytic("triangle_count")), *check.final_edges([edges], 64)


def test_triangles_of_large_graphs_are_counted_by_other_code(counted, monkeypatch):
    count, *edges = counted
    assert count.check(*edges, CheckTime(10))[1] == "SciPy counts the same, on the CPU"
    monkeypatch.setattr(counting, "SCIPY_TRIANGLES", 0)
    verdict, said = count.check(*edges, CheckTime(10))
    assert verdict.agrees and said == "an independent count finds the same, on the CPU"
    monkeypatch.setattr(triangle_check, "LEAST", 8)
    monkeypatch.setattr(triangle_check, "cores", lambda: 1)
    verdict, said = count.check(*edges, CheckTime(0))
    assert verdict.agrees and "finds the same at 8 of 64 vertices, drawn at random" in said
    count.graph.delete_vertices([0, 1, 2, 3])
    assert not count.check(*edges, CheckTime(10))[0].agrees and not count.check(*edges, CheckTime(0))[0].agrees


def test_libraries_that_take_too_long_are_not_asked(counted):
    count, low, high = counted
    assert count.check(low, high, CheckTime(0)) == (Verdict(True, "not compared"), "")


@pytest.mark.parametrize("error", [None, MemoryError, RuntimeError])
def test_cugraph_is_asked_where_there_is_a_gpu(counted, error, monkeypatch):
    """If it has too little memory, who comes next is."""
    count, low, high = counted
    total = count.value

    def build(prepared):
        if error is not None:
            raise error
        return prepared

    peer = SimpleNamespace(
        prepare=lambda n, src, dst: n, build=build, task=lambda *_: Task(lambda: total, int), rank_rounding=0.0
    )
    load = counting.load_peer
    monkeypatch.setattr(counting, "load_peer", lambda name: peer if name == "cugraph" else load(name))
    monkeypatch.setattr(counting, "is_installed", lambda name: name in ("cugraph", "scipy"))
    count.graph = SimpleNamespace(num_vertices=64, device=SimpleNamespace(is_gpu=True, to_host=np.asarray))
    verdict, said = count.check(low, high, CheckTime(10))
    assert verdict.agrees and said == (
        "cuGraph counts the same" if error is None else "SciPy counts the same, on the CPU"
    )


# ---- the command ----------------------------------------------------------------------------------------------------


def test_results_are_printed_before_they_are_checked(monkeypatch):
    from dynfrontier.commands import stream

    done = []
    print_tables, original = stream._print_tables, job.StreamJob.check
    monkeypatch.setattr(stream, "_print_tables", lambda report: (done.append("tables"), print_tables(report)))
    monkeypatch.setattr(job.StreamJob, "check", lambda self, time: (done.append(time.left), original(self, time))[1])
    output = run(*SMALL)
    assert done[0] == "tables" and 1 < done[1] <= stream.CHECK_SECONDS
    assert output.index("update the graph") < output.index("counted from scratch in") < output.index("verified: SciPy")
    assert done.count("tables") == 1 and run(*SMALL, "--quiet").endswith(
        "triangles, verified: SciPy counts the same, on the CPU"
    )
    assert done.count("tables") == 1


def test_an_interrupted_check_keeps_the_results(monkeypatch, tmp_path):
    def interrupt(self, time):
        raise KeyboardInterrupt

    monkeypatch.setattr(job.StreamJob, "check", interrupt)
    results = tmp_path / "results.json"
    output = run(*SMALL, "--json", results, code=130)
    assert "Stream and graph" in output and "interrupted while it was checked" in output
    found = json.loads(results.read_text())
    assert found["verified"] is None and not found["interrupted"] and len(found["steps"]) == 16
    assert found["totals"]["recount_seconds"] > 0
