"""The comparison of everything with another library: its graphs, its cells, and its report of a failing side."""

from __future__ import annotations

import json
import queue
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import frontier as fr
from algorithms import find_analytic
from algorithms.comparators import (
    Forests,
    Scores,
    Walks,
    edges_of,
    spanning_forest,
    stationary_centrality,
    stationary_scores,
    valid_walks,
)
from benchmarks import compare, run
from benchmarks.results import Results
from dynfrontier.comparison import process as waiting
from dynfrontier.comparison.cells import Cell, Options, compare_all
from dynfrontier.comparison.growing import STATES, build
from dynfrontier.comparison.inputs import GraphInput
from dynfrontier.comparison.process import WorkerProcess
from dynfrontier.comparison.tables import tables, wrong
from dynfrontier.comparison.worker import Worker

pytestmark = pytest.mark.slow

CPU = fr.advanced.resolve_device("cpu")


def graph_input(directed=False, name="rmat6"):
    return GraphInput.of(fr.io.rmat(6, 4, seed=1), name, directed).with_weights(1)


# ---- graphs ---------------------------------------------------------------------------------------------------------


def test_a_graph_is_simple_and_the_last_weight_counts(tmp_path):
    edges = fr.io.EdgeList([1, 2, 0, 1, 2], [0, 2, 1, 2, 1], [1.0, 2.0, 3.0, 4.0, 5.0], num_vertices=4)
    found = GraphInput.of(edges, "some")
    assert (found.src.tolist(), found.dst.tolist(), found.weights.tolist()) == ([0, 1], [1, 2], [3.0, 5.0])
    assert found.own_weights and found.hub == 1 and found.with_weights(1) is found
    directed = GraphInput.of(edges, "some", directed=True)
    assert directed.num_edges == 4 and directed.digest(False) != found.digest(False)
    found.save(tmp_path)
    again = GraphInput.load(tmp_path)
    assert again.digest(True) == found.digest(True) and again.name == "some"


def test_checksums_tell_edges_and_weights_apart():
    given = graph_input()
    shuffled = np.random.default_rng(1).permutation(given.num_edges)
    same = replace(given, src=given.dst[shuffled], dst=given.src[shuffled], weights=given.weights[shuffled])
    assert same.digest(True) == given.digest(True)
    weights = given.weights.copy()
    weights[3] += 1
    assert replace(given, weights=weights).digest(True) != given.digest(True)
    assert replace(given, weights=weights).digest(False) == given.digest(False)
    assert replace(given, src=given.src[1:], dst=given.dst[1:]).digest(False) != given.digest(False)


@pytest.mark.parametrize("state", STATES)
def test_graphs_hold_what_was_given(structure, device, directed, state):
    """Grown ones after insertions, deletions and changes of weights, too."""
    given, device = graph_input(directed), fr.advanced.resolve_device(device)
    for weighted in (False, True):
        graph = build(given, structure, state, device, weighted)
        src, dst, weights = (None if part is None else device.to_host(part) for part in graph.to_coo())
        kept = replace(given, src=src, dst=dst, weights=weights)
        assert kept.digest(weighted) == given.digest(weighted)


# ---- cells ----------------------------------------------------------------------------------------------------------


class InThisProcess(Worker):
    """Stands in for a process: the same answers, without its start."""

    def ask(self, limit, **request):
        return self.answer(request)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@pytest.fixture
def in_this_process(monkeypatch):
    pytest.importorskip("networkx")
    monkeypatch.setattr("dynfrontier.comparison.cells.WorkerProcess", InThisProcess)


@pytest.fixture
def options(in_this_process):
    return Options(CPU, ["networkx"], ["csr"], repeat=1, seconds=0.1)


def makers(*inputs):
    return {given.name: lambda given=given: given for given in inputs}


def algorithms(*names):
    return [find_analytic(name) for name in names]


def test_cells(options):
    names = ("connected_components", "triangle_count", "truss_numbers")
    inputs = [graph_input(), graph_input(directed=True, name="one way")]
    found = list(compare_all(makers(*inputs), algorithms(*names), options, warm_up=False))
    mine = {(cell.graph, cell.algorithm, cell.state): cell for cell in found if cell.structure == "csr"}
    assert set(mine) == {
        *(("rmat6", name, state) for name in names[:2] for state in STATES),
        *(("one way", "connected_components", state) for state in STATES),
    }
    for cell in mine.values():
        assert cell.result == "agrees" and cell.against.startswith("networkx ") and not cell.is_wrong
        assert cell.ms > 0 and cell.theirs_ms > 0 and len(cell.wall_ms) == 1
    others = {(cell.graph, cell.algorithm, cell.structure): cell.result for cell in found if cell.state not in STATES}
    assert others == {
        ("rmat6", "connected_components", "networkx"): "measured", ("rmat6", "triangle_count", "networkx"): "measured",
        ("rmat6", "truss_numbers", ""): "not offered", ("one way", "connected_components", "networkx"): "measured",
        ("one way", "triangle_count", ""): "undefined", ("one way", "truss_numbers", ""): "undefined",
    }  # fmt: skip
    (_, agreement), (name, times), _ = tables(found)
    assert ("triangle_count", "2/2", "undefined") in agreement.rows and name == "rmat6"
    assert [row[0] for row in times.rows] == list(names[:2]) and not wrong(found)


def test_what_one_side_does_not_do_is_told(options, monkeypatch):
    """A crash, a call without end, an error, and a graph with other edges."""
    answers = {
        ("theirs", "connected_components"): {"late": 20}, ("theirs", "triangle_count"): {"error": "crashed (SIGSEGV)"},
        ("ours", "core_number"): {"late": 20}, ("ours", "bfs"): {"error": "ValueError: no luck"},
    }  # fmt: skip
    ask = InThisProcess.ask

    def answer(self, limit, **request):
        return answers.get((request["do"], request.get("algorithm"))) or ask(self, limit, **request)

    monkeypatch.setattr(InThisProcess, "ask", answer)
    names = ("connected_components", "triangle_count", "core_number", "bfs")
    smaller, larger = graph_input(), GraphInput.of(fr.io.rmat(7, 4, seed=1), "rmat7")
    found = list(compare_all(makers(smaller, larger), algorithms(*names), options, warm_up=False))
    shown = {(cell.algorithm, cell.state): cell for cell in found if cell.graph == "rmat6"}
    assert shown["connected_components", "built"].result == "no answer"
    assert shown["connected_components", "built"].against == "csr, built"
    assert shown["connected_components", "peer"].result == "did not end"
    assert shown["triangle_count", "peer"].result == "failed" and "SIGSEGV" in shown["triangle_count", "grown"].detail
    assert shown["core_number", "built"].result == "did not end" and shown["core_number", "built"].is_wrong
    assert shown["bfs", "grown"].result == "failed" and "no luck" in shown["bfs", "grown"].detail
    assert len(wrong(found)) == 8
    assert any("on rmat6, which is smaller" in cell.detail for cell in found if cell.graph == "rmat7")
    words = {row[0]: row[1] for row in tables(found)[0][1].rows}
    assert words == {
        "connected_components": "did not end", "triangle_count": "failed", "core_number": "0/2, did not end",
        "bfs": "0/2, failed",
    }  # fmt: skip


def test_graphs_that_hold_other_edges_differ(options, monkeypatch):
    monkeypatch.setattr(GraphInput, "digest", lambda self, weighted: 0)
    found = list(compare_all(makers(graph_input()), algorithms("bfs"), options, warm_up=False))
    assert [cell.result for cell in found if cell.structure == "csr"] == ["differs", "differs"]
    assert "does not contain the edges" in found[-1].detail and wrong(found)


def test_wrong_results_differ(options, monkeypatch):
    ask = InThisProcess.ask

    def answer(self, limit, **request):
        found = ask(self, limit, **request)
        return {"agrees": False, "text": "1 differs"} if request["do"] == "judge" else found

    monkeypatch.setattr(InThisProcess, "ask", answer)
    found = list(compare_all(makers(graph_input()), algorithms("bfs"), options, warm_up=False))
    assert [cell.result for cell in found if cell.structure == "csr"] == ["differs"] * 2
    assert "0/2, DIFFERS" in tables(found)[0][1].rows[0]


def test_no_time_is_told(options):
    found = list(compare_all(makers(graph_input()), algorithms("bfs"), replace(options, budget=0.0), warm_up=False))
    assert found == [Cell("rmat6", "bfs", result="no time left")]


def test_a_graph_that_cannot_be_made_does_not_end_the_run(options):
    def fail():
        raise ValueError("no such file")

    inputs = {"broken": fail, **makers(graph_input())}
    broken, *others = compare_all(inputs, algorithms("bfs"), options, warm_up=False)
    assert (broken.graph, broken.result, broken.detail) == ("broken", "failed", "the graph: ValueError: no such file")
    assert sum(cell.result == "agrees" for cell in others) == 2


def test_a_process_that_is_late_or_crashes_is_replaced(monkeypatch):
    monkeypatch.setattr("dynfrontier.comparison.process.START_LIMIT_S", 0.0)
    with WorkerProcess("cpu") as process:
        assert process.ask(0.01, do="judge") == {"late": 0.01}
        monkeypatch.setattr("dynfrontier.comparison.process.START_LIMIT_S", 100.0)
        assert process.ask(1.0, do="judge", nothing=1)["error"].startswith("TypeError")
        process._process.kill()
        assert process.ask(100.0, do="judge") == {"error": "crashed (SIGKILL)"}


def test_an_interrupted_request_leaves_no_answer_for_the_next(monkeypatch):
    class Interrupted(queue.Queue):
        def get(self, *args: object, **options: object) -> str:
            raise KeyboardInterrupt

    with WorkerProcess("cpu") as process:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(waiting, "queue", SimpleNamespace(Queue=Interrupted, Empty=queue.Empty))
            process.ask(100.0, do="judge", one=1)
        assert "'other'" in process.ask(100.0, do="judge", other=1)["error"]


def test_kernels_are_compiled_beforehand(options):
    said = []
    found = list(compare_all(makers(graph_input()), algorithms("bfs"), options, say=said.append))
    assert any(text.startswith("kernels compiled in") for text in said)
    assert sum(cell.result == "agrees" for cell in found) == 2


# ---- the benchmark --------------------------------------------------------------------------------------------------


def test_benchmark(tmp_path: Path, monkeypatch, capsys, in_this_process) -> None:
    monkeypatch.setenv("DYNFRONTIER_DATA", str(tmp_path))
    (tmp_path / "wiki-Vote.txt").write_text("# some\n30 1412\n30 3352\n3352 30\n5 5\n")
    options = ["--device", "cpu", "--algorithms", "core_number", "--structures", "csr", "--peer", "networkx", "--quiet",
               "--no-warm-up", "--repeat", "1", "--out", str(tmp_path)]  # fmt: skip
    assert run.main(["compare", "--graphs", "wiki-Vote,wiki-Vote, undirected,facebook", *options]) == 0
    (path,) = tmp_path.glob("*.json")
    results = Results.load(path)
    assert {row["graph"] for row in results.rows} == {"wiki-Vote", "wiki-Vote, undirected"}
    assert any("facebook" in note for note in results.notes) and results.header["seconds"] > 0
    assert "| core_number | 2/2 | 2/2 |" in capsys.readouterr().out
    assert run.main(["compare", "--graphs", "rmat4", "--add-to", str(path), *options]) == 0
    assert {row["graph"] for row in Results.load(path).rows} == {"wiki-Vote", "wiki-Vote, undirected", "rmat4"}
    assert json.loads(path.read_text())["machine"]


def test_wrong_options_of_the_benchmark(capsys) -> None:
    for option, value in (("graphs", "nosuch"), ("algorithms", "nosuch"), ("states", "nosuch"), ("peer", "nosuch")):
        with pytest.raises(SystemExit):
            compare.main(["--device", "cpu", f"--{option}", value])
        assert "built, grown" in (error := capsys.readouterr().err) or "nosuch" in error


# ---- comparators ----------------------------------------------------------------------------------------------------


def test_forests():
    edges = fr.io.EdgeList([0, 1, 2, 4], [1, 2, 0, 5], [1.0, 1.0, 1.0, 3.0], num_vertices=7)
    one = np.array([0, 1, 4]), np.array([1, 2, 5]), np.array([1.0, 1.0, 3.0])
    other = np.array([2, 0, 5, 4, 1]), np.array([0, 2, 4, 5, 2]), np.array([1.0, 1.0, 3.0, 3.0, 1.0])
    assert Forests().compare(one, other, edges=edges).agrees
    digests = [Forests().digest(found, edges=edges) for found in (one, other)]
    assert Forests().same_digests(*digests)
    for bad, words in (
        ((one[0][:2], one[1][:2], one[2][:2]), "components"),
        ((np.array([0, 1, 3]), np.array([1, 2, 5]), one[2]), "no edge"),
        ((one[0], one[1], np.array([1.0, 1.0, 2.0])), "weight"),
        ((np.array([0, 1, 2, 4]), np.array([1, 2, 0, 5]), np.array([1.0, 1.0, 1.0, 3.0])), "4 edges, 3"),
    ):
        assert words in spanning_forest(edges, *bad)
        assert not Forests().compare(one, bad, edges=edges).agrees
        assert not Forests().same_digests(digests[0], Forests().digest(bad, edges=edges))
    empty = np.empty(0, int), np.empty(0, int), np.empty(0)
    assert not spanning_forest(fr.io.EdgeList([], [], num_vertices=3), *empty)


def test_scores():
    edges = fr.io.rmat(8, 8, seed=3)
    given = GraphInput.of(edges, "some", True)
    known, analytic = given.edges(False), find_analytic("hits")
    graph = fr.structures()["csr"].from_edges(given.src, given.dst, None, given.num_vertices, True, device="cpu")
    one = analytic.fetch(graph.device, analytic.compute(graph, tol=1e-9, max_iter=10000))
    rough = analytic.fetch(graph.device, analytic.compute(graph, tol=1e-2))
    scores = Scores(1e-2)
    assert not stationary_scores(known, *one, tol=1e-9) and not stationary_scores(known, *rough, tol=1e-2)
    assert scores.compare(one, rough, edges=known).text.endswith("both stationary")
    assert scores.same_digests(scores.digest(one, edges=known), scores.digest(rough, edges=known))
    for bad in ((one[0], one[1][::-1]), (np.full_like(one[0], 1 / one[0].size), one[1])):
        assert "an iteration changes" in stationary_scores(known, *bad, tol=1e-5)
        assert not Scores(1e-5).compare(one, bad, edges=known).agrees
        assert not Scores(1e-5).same_digests(*(Scores(1e-5).digest(found, edges=known) for found in (one, bad)))


@pytest.mark.parametrize("one_way", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_eigenvectors(one_way, weighted):
    edges = fr.io.rmat(8, 8, seed=3)
    weights = np.random.default_rng(1).integers(1, 9, edges.src.size).astype(np.float64) if weighted else None
    known = fr.io.EdgeList(edges.src, edges.dst, weights, num_vertices=edges.num_vertices, directed=one_way)
    graph = fr.structures()["csr"].from_edges(
        known.src, known.dst, known.weights, known.num_vertices, one_way, device="cpu"
    )
    analytic, known = find_analytic("eigenvector_centrality"), edges_of(graph)
    found = (analytic.compute(graph, tol=tol, max_iter=1000) for tol in (1e-10, 1e-4))
    one, rough = (analytic.fetch(graph.device, each) for each in found)
    scores = Scores(1e-4, stationary_centrality)
    assert not stationary_centrality(known, *one, tol=1e-10) and not stationary_centrality(known, *rough, tol=1e-4)
    assert scores.compare(one, rough, edges=known).text.endswith("both stationary")
    assert scores.same_digests(scores.digest(one, edges=known), scores.digest(rough, edges=known))
    exact = Scores(1e-8, stationary_centrality)
    for bad, words in ((one[0][::-1], "an iteration changes"), (2 * one[0], "a norm of 2")):
        assert words in stationary_centrality(known, bad, tol=1e-8)
        assert not exact.compare(one, (bad,), edges=known).agrees
        assert not exact.same_digests(*(exact.digest(found, edges=known) for found in (one, (bad,))))


@pytest.mark.parametrize("one_way", [False, True])
def test_walks(one_way):
    edges = fr.io.rmat(10, 4, seed=3)
    edges = fr.io.EdgeList(edges.src, edges.dst, num_vertices=edges.num_vertices, directed=one_way)
    given = GraphInput.of(edges, "some", one_way)
    graph = fr.structures()["csr"].from_edges(given.src, given.dst, None, given.num_vertices, one_way, device="cpu")
    analytic, known = find_analytic("random_walks"), given.edges(False)
    one, other = (analytic.fetch(graph.device, analytic.compute(graph, length=5, seed=s)) for s in (1, 2))
    walks = Walks(5)
    assert walks.compare(one, one, edges=known).text == "exact"
    assert walks.compare(one, other, edges=known).agrees and not valid_walks(known, *other, length=5)
    assert walks.same_digests(walks.digest(one, edges=known), walks.digest(other, edges=known))
    weights = np.random.default_rng(4).integers(0, 50, given.src.size).astype(np.float32)
    weighted = fr.structures()["csr"].from_edges(
        given.src, given.dst, weights, given.num_vertices, one_way, device="cpu"
    )  # fmt: skip
    heavy = find_analytic("biased_random_walks")
    found = heavy.fetch(weighted.device, heavy.compute(weighted, length=5, seed=1))
    assert not valid_walks(edges_of(weighted), *found, length=5, chances="weighted")
    assert valid_walks(edges_of(weighted), *found, length=5)
    hub = np.where(one[0] == 5, given.hub, one[1])
    assert "chi-squared" in valid_walks(known, one[0], hub, length=5)
    assert not walks.compare(one, (one[0], hub), edges=known).agrees
    assert "lead on" in valid_walks(known, np.minimum(one[0], 3), one[1], length=5) or one_way
