"""The catalogue lists all analytics, each is correct on every structure, and additions to it are known."""

from __future__ import annotations

import ast
import inspect
import json
import re
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from command_line import run
from drawn import each
from model import random_batch
from verifiers import VERIFIERS, host

import algorithms
import dynfrontier
import frontier as fr
from algorithms import Analytic, IncrementalAlgorithm, analytics, find_analytic, register
from algorithms.comparators import Comparator, Counts, Distribution, edges_of
from benchmarks.calls import calls, peer_tasks
from dynfrontier.columns import columns_of
from dynfrontier.peers import PEERS, TASKS, BasePeer
from dynfrontier.workload.analytics import choose_analytic
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

N = 60
CATALOGUE = analytics()
STATIC = [name for name, known in CATALOGUE.items() if known.static]
INCREMENTAL = [name for name, known in CATALOGUE.items() if known.incremental and known.static]


@pytest.fixture
def catalogue(monkeypatch):
    """Entries that a test adds are gone after it."""
    monkeypatch.setattr("algorithms.analytic._catalogue", analytics())


# ---- it is complete -------------------------------------------------------------------------------------------------


def test_every_algorithm_is_listed():
    """Whatever is exported and works on a graph."""
    listed = [*CATALOGUE.values(), *analytics(times=True).values()]
    forms = {form for known in listed for form in (known.static, known.incremental)}
    for name in algorithms.__all__:
        member = getattr(algorithms, name)
        is_form = inspect.isclass(member) and issubclass(member, IncrementalAlgorithm)
        if inspect.isfunction(member) and next(iter(inspect.signature(member).parameters), "") == "graph":
            is_form = True
        assert (member in forms) == (is_form and member is not IncrementalAlgorithm), name


def test_every_analytic_is_exported():
    exported = [getattr(algorithms, name) for name in algorithms.__all__]
    for known in CATALOGUE.values():
        assert all(form in exported for form in (known.static, known.incremental) if form)


def test_names_are_those_of_functions():
    """An analytic and its incremental class are named alike, and so are its results, which end in Result."""
    for name, known in (CATALOGUE | analytics(times=True)).items():
        assert known.static.__name__ == name
        if known.incremental:
            assert known.incremental.__name__.lower() == f"dynamic{name.replace('_', '')}"
            assert known.incremental.__module__ == f"algorithms.dynamic_{name}"
        assert inspect.signature(known.static).return_annotation.endswith("Result")
    results = [name for name in algorithms.__all__ if name.endswith("Result")]
    for name in algorithms.__all__:
        member = getattr(algorithms, name)
        assert (inspect.isclass(member) and issubclass(member, algorithms.Result)) == (name in results)


def test_every_analytic_has_a_verifier():
    assert set(VERIFIERS) == set(CATALOGUE) | set(analytics(times=True))


def test_tasks_of_peers_have_the_names_of_analytics():
    """And their parameters."""
    others = {"prepare", "build", "synchronize", "spmv", "bfs_direction_optimizing", "pagerank_steps"}
    folder, offered = Path(inspect.getfile(BasePeer)).parent, set()
    for module, _ in PEERS.values():  # read, since not all libraries are installed
        tree = ast.parse((folder / f"{module}.py").read_text())
        (peer,) = (found for found in tree.body if isinstance(found, ast.ClassDef) and found.name == "Peer")
        for method in peer.body:
            if isinstance(method, ast.FunctionDef) and not method.name.startswith("_") and method.name not in others:
                _, _, *parameters = (each.arg for each in method.args.args)
                assert set(parameters) <= set(CATALOGUE[method.name].accepted)
                offered.add(method.name)
    assert offered == TASKS.keys() - others


def test_every_analytic_is_compared_with_another_library():
    """Analytics without a counterpart in any library are named here."""
    assert set(STATIC) - TASKS.keys() == {
        "all_pairs_cosine", "cdlp", "closeness_centrality", "cosine", "truss_numbers",
    }  # fmt: skip


@pytest.mark.sampled("name", of=7, on="cpu")
@pytest.mark.parametrize("name", each(CATALOGUE))
def test_entries_say_what_is_so(name, structure):
    """The facts about results, parameters, directed graphs and weights."""
    known = CATALOGUE[name]
    settings = known.settings(source=0)
    assert set(settings) <= set(known.accepted) and isinstance(known.comparator_for(**settings), Comparator)
    assert find_analytic(name) is known is find_analytic(known.static.__name__)
    src, dst, weights = random_batch(np.random.default_rng(3), N, 150, "float32")
    graph = structure.from_edges(src, dst, np.abs(weights), num_vertices=N, directed=True, device="cpu")
    assert bool(known.obstacle(graph)) == (known.directions == "refused")
    if known.directions == "refused":
        for run_form in [known.compute, *([known.maintain] if known.incremental else [])]:
            with pytest.raises(ValueError, match="undirected"):
                run_form(graph, **settings)
        return
    found = known.compute(graph, **settings)
    assert is_dataclass(found) and set((*known.values, *known.vertex_values)) <= {field.name for field in fields(found)}
    sizes = {len(value) for value in known.fetch(graph.device, found) if np.ndim(value)}
    assert len(sizes) == 1 and (known.per == "edge" or sizes == {N})
    if not known.negative_weights:
        bad = structure.from_edges([0], [1], [-1.0], num_vertices=2, device="cpu")
        with pytest.raises(ValueError, match="negative"):
            known.compute(bad, **known.settings(source=0))


# ---- it is right ----------------------------------------------------------------------------------------------------


def make(known, structure, device, directed):
    """A graph that an analytic is for, with an isolated vertex."""
    src, dst, weights = random_batch(np.random.default_rng(5), N - 1, 250, "float32")
    weights = np.abs(weights) + 1 if known.weights != "ignored" else None
    return structure.from_edges(src, dst, weights, num_vertices=N, directed=directed, device=device)


@pytest.mark.parametrize("name", each(STATIC))
def test_verified(name, structure, device, directed):
    known = CATALOGUE[name]
    graph = make(known, structure, device, directed)
    if known.obstacle(graph):
        return
    settings = known.settings(graph)
    VERIFIERS[name](graph, known.compute(graph, **settings), **settings)


@pytest.mark.slow
@pytest.mark.sampled("name", of=3, on="cpu")
@pytest.mark.parametrize("name", INCREMENTAL)
def test_incremental_results_are_those_recomputed(name, structure, device, directed, rng):
    known = CATALOGUE[name]
    graph = make(known, structure, device, directed)
    if known.obstacle(graph):
        return
    settings = known.settings(graph)
    comparator = known.comparator_for(**settings)
    with known.maintain(graph, **settings) as maintained:
        for step in range(3):
            src, dst, weights = random_batch(rng, N, 40, "float32")
            graph.insert_edges(src, dst, np.abs(weights) + 1 if graph.is_weighted else None)
            graph.delete_edges(*random_batch(rng, N, 40)[:2])
            edges = edges_of(graph) if comparator.needs_edges else None
            ours, theirs = (
                known.fetch(graph.device, found) for found in (maintained, known.compute(graph, **settings))
            )
            assert comparator.compare(ours, theirs, edges=edges).agrees, step
            assert comparator.same_digests(*(comparator.digest(found, edges=edges) for found in (ours, theirs)))


# ---- it can be added to ---------------------------------------------------------------------------------------------


def many_neighbors(graph, floor):
    """The degree of each vertex with more than `floor` neighbors, 0 for all other vertices."""
    degrees = graph.degrees()
    return graph.xp.where(degrees > floor, degrees, 0)


class DynamicHeaviest(IncrementalAlgorithm):
    """The same after every batch."""

    def __init__(self, graph: fr.DynamicGraph, floor=0):
        super().__init__(graph)
        self._floor = floor
        self._attach()

    @property
    def heaviest(self):
        return many_neighbors(self.graph, self._floor)


class Found:
    """A result."""

    def __init__(self, graph, floor):
        self.heaviest = many_neighbors(graph, floor)


def find(graph, floor=0):
    """Vertices with many neighbors."""
    return Found(graph, floor)


TOY = Analytic("heaviest", find, DynamicHeaviest, values=("heaviest",), parameters={"floor": 1}, varied="floor")


def test_what_is_registered_is_known_everywhere(catalogue, tmp_path, monkeypatch):
    """To comparisons, workloads, benchmarks and the command line, with no other edit."""
    path = tmp_path / "graph.csv"
    path.write_text("src,dst\n" + "".join(f"{u},{v}\n" for u in range(12) for v in range(u) if (u + v) % 3))
    listed = run("run")
    assert "pagerank" in listed and "heaviest" not in listed
    register(TOY)
    assert "heaviest" in run("run")

    row = dynfrontier.compare(path, "heaviest", "scipy", device="cpu", structure="csr", repeat=1).rows[0]
    assert row.algorithm == "heaviest(1)" and row.agreement == "left out: not offered by scipy" and row.ours_ms > 0
    monkeypatch.setattr(BasePeer, "heaviest", peer_task, raising=False)
    comparison = dynfrontier.compare(path, "find", "scipy", device="cpu", structure="csr", repeat=1)
    assert comparison.agrees and comparison.rows[0].agreement == "exact"
    assert "exact" in run("compare", path, "-a", "heaviest", "--against", "scipy", "-s", "csr", "-d", "cpu")

    names = ["heaviest", "dynamic_heaviest"]
    report = dynfrontier.run_workload(
        str(path), analytics=names, device="cpu", quiet=True, batch_size=8, structures=["csr", "hornet"]
    )
    assert all(set(names) <= set(row_of_one.seconds) for row_of_one in report.rows)
    line = ("workload", path, "-d", "cpu", "-b", 8, "-s", "csr", "-a", "heaviest", "-a", "dynamic_heaviest")
    assert "dynamic_heaviest, P50" in run(*line)

    output = run("run", "heaviest", path, "-p", "floor=7", "-s", "csr", "-d", "cpu", "--output", tmp_path / "out.csv")
    assert "heaviest(floor=7) of 12 vertices" in output
    rows = (tmp_path / "out.csv").read_text().splitlines()
    assert rows[:3] == ["vertex,heaviest", "0,8", "1,0"] and len(rows) == 13
    assert "has no such parameter; its parameters: floor" in run("run", "heaviest", path, "-p", "roof=6", code=2)

    assert calls()["heaviest"].settings == {"floor": 1} and "heaviest" in peer_tasks()


def peer_task(self, graph, floor):
    """The same by SciPy."""
    from dynfrontier.peers import Task

    def count():
        degrees = np.diff(graph.indptr)
        return np.where(degrees > floor, degrees, 0)

    return Task(count, np.asarray)


def test_a_wrong_incremental_form_is_found(catalogue):
    class Late(DynamicHeaviest):
        def __init__(self, graph: fr.DynamicGraph, floor=0):
            super().__init__(graph, floor)
            self._first = many_neighbors(graph, floor)

        heaviest = property(lambda self: self._first)

    register(replace(TOY, incremental=Late))
    with pytest.raises(dynfrontier.workload.Disagreement, match="dynamic_heaviest after batch 1: the result on csr"):
        dynfrontier.run_workload(
            fr.io.rmat(5, 4), analytics=["heaviest", "dynamic_heaviest"], device="cpu", quiet=True, batch_size=16,
            structures="csr",
        )  # fmt: skip


def test_a_module_of_ones_own(catalogue, tmp_path, monkeypatch):
    (tmp_path / "own_analytics.py").write_text(
        '"""Mine."""\nfrom algorithms import Analytic, register\n\n\ndef reach(graph):\n    """Degrees."""\n'
        '    return graph.degrees()\n\n\nregister(Analytic("reach", reach))\n'
    )
    graph = tmp_path / "g.txt"
    graph.write_text("10 20\n10 30\n")
    monkeypatch.chdir(tmp_path)
    output = run("run", "own_analytics:reach", graph, "-d", "cpu", "-s", "csr")
    assert "reach() of 3 vertices" in output and "10 2" in " ".join(output.split())
    assert "there is no module nosuch" in run("run", "nosuch:reach", graph, code=2)


def test_the_page_about_it(catalogue):
    """The example of the page works, and the page names every field and every comparator."""
    page = (PROJECT_ROOT / "docs/algorithms.md").read_text()
    block = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0]
    exec(compile(block, "algorithms.md", "exec"), {"__name__": "page"})
    graph = fr.structures()["csr"].from_edges([0, 0, 1], [1, 2, 2], num_vertices=4, device="cpu")
    graph.insert_edges([2], [3])
    assert find_analytic("best_neighbor").compute(graph, floor=1).tolist() == [3, 3, 2, 3]
    assert {field.name for field in fields(Analytic)} <= set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    kinds = {kind.__name__ for kind in Comparator.__subclasses__() if kind.__module__.startswith("algorithms.")}
    assert kinds - {"Automatic"} == set(re.findall(r"^\| `([A-Z]\w+)\(", page, re.MULTILINE))


def test_names(catalogue):
    register(TOY)
    for name in ("heaviest", "find", "bfs", "triangle_count"):
        with pytest.raises(ValueError, match=f"there is an analytic '{name}' already"):
            register(replace(TOY, name=name))
    register(replace(TOY, incremental=None), replace=True)
    assert find_analytic("find").incremental is None
    with pytest.raises(ValueError, match="heaviest has no incremental form"):
        choose_analytic("dynamic_heaviest")
    with pytest.raises(ValueError, match="there is no 'nosuch'; choose from bfs, "):
        find_analytic("nosuch")


def test_wrong_entries_are_named():
    with pytest.raises(ValueError, match="name must be a Python identifier, not 'two words'"):
        Analytic("two words", find)
    with pytest.raises(ValueError, match="a static or an incremental form"):
        Analytic("nothing", None)
    with pytest.raises(TypeError, match="static must be a function, not int"):
        Analytic("number", 3)
    with pytest.raises(ValueError, match="neither form has a parameter roof"):
        Analytic("toy", find, parameters={"roof": 1})
    with pytest.raises(ValueError, match="neither form has a parameter floor with its own value"):
        Analytic("toy", find, varied="floor")
    with pytest.raises(TypeError, match="analytic must be an Analytic, not function"):
        register(find)


def test_only_incremental(catalogue, device):
    """The static form may be absent."""
    register(replace(TOY, static=None))
    graph = fr.structures()["csr"].from_edges([0, 1], [1, 2], device=device)
    known = find_analytic("heaviest")
    assert host(known.maintain(graph, floor=1).heaviest).tolist() == [0, 2, 0]
    with pytest.raises(ValueError, match="heaviest has no static form"):
        known.compute(graph)
    with pytest.raises(ValueError, match="analytics: heaviest has no static form"):
        choose_analytic("heaviest")
    with pytest.raises(ValueError, match="algorithms: heaviest has an incremental form only"):
        dynfrontier.compare(graph, "heaviest", "scipy")
    assert "heaviest" not in calls()


def test_weights_that_are_needed(catalogue, device):
    register(replace(TOY, weights="required"))
    graph = fr.structures()["csr"].from_edges([0, 1], [1, 2], device=device)
    assert find_analytic("heaviest").obstacle(graph) == "it needs a graph with weights"
    row = dynfrontier.compare(graph, "heaviest", "scipy").rows[0]
    assert row.agreement == "left out: it needs a graph with weights"
    with pytest.raises(ValueError, match="analytics: heaviest cannot run: it needs a graph with weights"):
        dynfrontier.run_workload(fr.io.grid(4, 4), analytics="heaviest", device="cpu", quiet=True, structures="csr")


def test_labels_and_tolerances():
    assert CATALOGUE["k_truss"].label(k=5) == "k_truss(5)" and CATALOGUE["bfs"].label(source=3) == "bfs"
    assert isinstance(CATALOGUE["triangle_count"].comparator_for(), Counts)
    tight, loose = (CATALOGUE["pagerank"].comparator_for(alpha=0.85, tol=tol) for tol in (1e-9, 1e-3))
    assert isinstance(tight, Distribution) and tight.allowed == pytest.approx(loose.allowed * 1e-6)


def test_columns_name_vertices_as_the_file_does(device):
    graph = fr.structures()["csr"].from_edges([0, 1], [1, 2], num_vertices=4, device=device)
    ids = np.array([10, 20, 30, 40])
    known = CATALOGUE["bfs"]
    columns, numbers = columns_of(known, known.compute(graph, source=0), graph.device, ids)
    assert {name: values.tolist() for name, values in columns.items()} == {
        "vertex": [10, 20, 30, 40], "distance": [0, 1, 2, ""], "predecessor": ["", 10, 20, ""],
    }  # fmt: skip
    assert json.dumps(numbers) == '{"levels": 3}'
    known = CATALOGUE["truss_numbers"]
    columns, _ = columns_of(known, known.compute(graph), graph.device, ids)
    assert {name: values.tolist() for name, values in columns.items()} == {
        "src": [10, 20], "dst": [20, 30], "truss": [2, 2]
    }  # fmt: skip
