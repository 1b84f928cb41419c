"""The NetworkX backend: its entry points, its errors, and the calls that it leaves to NetworkX."""

from __future__ import annotations

import inspect
import subprocess
import sys
import tomllib
from importlib import import_module

import networkx as nx
import pytest
from networkx_cases import *  # noqa: F403
from networkx_cases import REGISTERED, directed, named, original

import dynfrontier.nx as dn
from dynfrontier.nx import calls
from dynfrontier.nx.functions import TABLE
from dynfrontier.nx.info import CLASSES, NAME, SUPPORTED, get_info
from dynfrontier.nx.interface import backend
from dynfrontier.nx.suite import EXPECTED, report, run
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

# ---- the interface that NetworkX reads ------------------------------------------------------------------------------


def test_entry_points():
    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text())["project"]
    for group, expected in (("networkx.backends", backend), ("networkx.backend_info", get_info)):
        module, name = project["entry-points"][group][NAME].split(":")
        assert getattr(import_module(module), name) is expected
    assert NAME in nx.utils.backends.backends and nx.config.backends[NAME].structure == "csr"


def test_info_and_functions_agree():
    assert list(SUPPORTED) == sorted(TABLE)
    assert set(get_info()["functions"]) == {*SUPPORTED, *CLASSES}


def test_the_page_lists_the_functions():
    page = (PROJECT_ROOT / "docs" / "networkx.md").read_text(encoding="utf-8")
    rows = "\n".join(f"| `{name}` | {docs} |" for name, docs in SUPPORTED.items())
    assert f"<!-- functions -->\n| function | restricted to |\n| --- | --- |\n{rows}\n<!-- /functions -->" in page


@pytest.mark.parametrize("name", list(SUPPORTED))
def test_functions_take_arguments_of_networkxs(name):
    known = inspect.signature(inspect.unwrap(original(name))).parameters
    taken = inspect.signature(TABLE[name].run).parameters
    assert next(iter(known)) == next(iter(taken)) == "G" and set(taken) <= set(known)
    assert inspect.Parameter.empty not in TABLE[name].only.values()
    assert all(parameter.default is inspect.Parameter.empty for parameter in taken.values())  # NetworkX has them


def test_networkx_imports_no_compiler():
    code = (
        "import sys, dynfrontier.nx, dynfrontier.nx.info as info; info.get_info(); import networkx; "
        "assert not {'numba', 'frontier', 'cupy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PROJECT_ROOT)


@pytest.mark.skipif(nx.__version__ < "3.6", reason="NetworkX has it from 3.6 on")
def test_classes():
    assert type(nx.Graph([(0, 1)], backend=NAME)) is dn.Graph
    assert type(nx.DiGraph([(0, 1)], backend=NAME)) is dn.DiGraph


# ---- errors and limits ----------------------------------------------------------------------------------------------


def test_errors_are_networkxs(as_given):
    graph = as_given(named())
    with pytest.raises(nx.NodeNotFound, match="Source nowhere is not in G"):
        nx.single_source_shortest_path_length(graph, "nowhere", backend=NAME)
    with pytest.raises(nx.NodeNotFound, match="Node nowhere not found in graph"):
        nx.single_source_dijkstra_path_length(graph, "nowhere", backend=NAME)
    with pytest.raises(nx.NetworkXNoPath, match="Node lonely not reachable from a"):
        nx.dijkstra_path_length(graph, "a", "lonely", backend=NAME)
    with pytest.raises(nx.NetworkXError, match="The node nowhere is not in the graph"):
        list(nx.bfs_edges(graph, "nowhere", backend=NAME))
    with pytest.raises(nx.PowerIterationFailedConvergence):
        nx.pagerank(graph, max_iter=1, tol=1e-12, backend=NAME)
    with pytest.raises(ZeroDivisionError):
        nx.pagerank(graph, personalization={"nowhere": 1}, backend=NAME)
    with pytest.raises(nx.NetworkXPointlessConcept):
        nx.is_connected(as_given(nx.Graph()), backend=NAME)
    with pytest.raises(nx.NetworkXNotImplemented, match="self loops"):
        nx.core_number(as_given(nx.Graph([(0, 0)])), backend=NAME)
    with pytest.raises(nx.PowerIterationFailedConvergence):
        nx.eigenvector_centrality(graph, max_iter=1, backend=NAME)
    with pytest.raises(nx.NetworkXError, match="all zero values"):
        nx.eigenvector_centrality(graph, nstart=dict.fromkeys(named(), 0), backend=NAME)
    with pytest.raises(nx.NetworkXPointlessConcept):
        nx.eigenvector_centrality(as_given(nx.Graph()), backend=NAME)
    with pytest.raises(nx.NetworkXError, match="isolated nodes"):
        nx.reciprocity(as_given(directed()), "lonely", backend=NAME)
    with pytest.raises(nx.NetworkXError, match="empty graphs"):
        nx.reciprocity(as_given(nx.DiGraph()), backend=NAME)
    with pytest.raises(KeyError):
        nx.node_connected_component(graph, "nowhere", backend=NAME)


REFUSED = [
    ("pagerank", nx.MultiGraph, {}, "parallel edges"),
    ("pagerank", nx.Graph, {"dangling": {0: 1}}, "dangling must be None"),
    ("pagerank", nx.Graph, {"alpha": 1.5}, "alpha=1.5"), ("clustering", nx.DiGraph, {}, "directed graphs"),
    ("clustering", nx.Graph, {"weight": "weight"}, "weight must be None"),
    ("betweenness_centrality", nx.Graph, {"k": 0}, "k=0 is not supported"),
    ("bfs_edges", nx.Graph, {"source": 0, "sort_neighbors": sorted}, "sort_neighbors must be None"),
    ("single_source_dijkstra_path_length", nx.Graph, {"source": 0, "weight": max}, "a function as weight"),
    ("katz_centrality", nx.Graph, {"beta": {0: 1}}, "beta="),
    ("eigenvector_centrality", nx.Graph, {"nstart": {0: 1}}, "nstart must be a dict with all nodes"),
    ("edge_betweenness_centrality", nx.Graph, {"weight": "weight"}, "weight must be None"),
    ("edge_betweenness_centrality", nx.MultiGraph, {}, "parallel edges"),
    ("greedy_color", nx.Graph, {"strategy": "DSATUR"}, "strategy must be"),
    ("louvain_communities", nx.DiGraph, {}, "directed graphs"),
    ("forceatlas2_layout", nx.DiGraph, {}, "directed graphs"), ("forceatlas2_layout", nx.Graph, {"dim": 3}, "dim must"),
    ("forceatlas2_layout", nx.Graph, {"gravity": -1}, "gravity=-1"),
    ("forceatlas2_layout", nx.Graph, {"pos": {5: (0, 0)}}, "pos must be a dict of nodes"),
    ("leiden_communities", nx.DiGraph, {}, "directed graphs"),
    ("leiden_communities", nx.Graph, {"max_level": 0}, "max_level=0"),
    ("k_core", nx.Graph, {"core_number": {}}, "core_number must be None"),
    ("diameter", nx.Graph, {"e": {}}, "e must be None"), ("eccentricity", nx.Graph, {"sp": {}}, "sp must be None"),
    ("average_shortest_path_length", nx.Graph, {"method": "floyd-warshall"}, "floyd-warshall"),
    ("shortest_path_length", nx.Graph, {"method": "a-star"}, "a-star"),
    ("ego_graph", nx.Graph, {"n": 0, "radius": 1.5}, "radius=1.5"),
    ("generic_bfs_edges", nx.Graph, {"source": 0, "neighbors": iter}, "neighbors must be None"),
    ("is_negatively_weighted", nx.Graph, {"edge": (0, 1)}, "edge must be None"),
    ("number_of_selfloops", nx.MultiGraph, {}, "parallel edges"),
    ("pagerank", nx.Graph, {"unknown": 1}, "unknown"), ("girth", nx.Graph, {}, "not implemented"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "make", "arguments", "reason"), REFUSED)
def test_what_is_refused_before_a_conversion(name, make, arguments, reason):
    assert reason in backend.can_run(name, (make([(0, 1)]),), arguments)


def test_small_graphs_and_linear_work_are_left_to_networkx():
    small, large = nx.path_graph(10), nx.path_graph(1000)
    assert backend.should_run("pagerank", (large,), {}) is True
    assert "fewer than" in backend.should_run("pagerank", (small,), {})
    assert "conversion" in backend.should_run("connected_components", (large,), {})
    assert backend.should_run("connected_components", (dn.Graph(small),), {}) is True
    assert nx.number_connected_components(large, backend=NAME) == 1
    assert backend.should_run("connected_components", (large,), {}) is True  # it has been converted


@pytest.mark.parametrize("name", ["pagerank", "hits", "eigenvector_centrality"])
def test_self_loops_are_networkxs_matter(device, name):
    plain = nx.DiGraph([(0, 1), (1, 2), (2, 0), (0, 0), (1, 0)])
    with pytest.raises(NotImplementedError):
        REGISTERED[name](plain, backend=NAME)
    found, expected = REGISTERED[name](dn.DiGraph(plain, device=device)), original(name)(plain)
    for one, other in zip(*((x if isinstance(x, tuple) else (x,)) for x in (found, expected)), strict=True):
        assert one == pytest.approx(other)


def test_weights_that_are_refused(device):
    plain = nx.Graph([(0, 1, {"weight": 2}), (1, 2, {"weight": "heavy"})])
    with pytest.raises(NotImplementedError):
        nx.pagerank(plain, backend=NAME)
    assert nx.single_source_shortest_path_length(plain, 0, backend=NAME) == {0: 0, 1: 1, 2: 2}
    negative = nx.DiGraph([(0, 1, {"weight": -1}), (1, 2), (2, 3, {"weight": 2.5})])
    assert nx.is_negatively_weighted(negative, backend=NAME)
    for name in ("all_pairs_bellman_ford_path", "single_source_bellman_ford_path_length", "diameter"):
        arguments = {"source": 0} if "single" in name else {"weight": "weight"}
        with pytest.raises(NotImplementedError):  # before a generator starts
            REGISTERED[name](negative, **arguments, backend=NAME)
    assert nx.bellman_ford_path_length(dn.DiGraph(negative, device=device, structure="csr"), 0, 3) == 2.5
    with pytest.raises(TypeError):  # of NetworkX's
        nx.single_source_dijkstra_path_length(dn.Graph(plain, device=device), 0)


def test_everything_else_runs_on_graphs_of_this_package(device):
    plain = nx.krackhardt_kite_graph()
    graph = dn.Graph(plain, device=device)
    assert nx.square_clustering(graph) == nx.square_clustering(plain)
    assert nx.shortest_path(graph, 0, 9) == nx.shortest_path(plain, 0, 9)
    assert nx.clustering(graph, weight="weight") == nx.clustering(plain, weight="weight")
    assert nx.union_all([graph, dn.Graph([("a", "b")])]).number_of_nodes() == 12
    nx.set_edge_attributes(graph, 5, "weight")
    assert nx.dijkstra_path_length(graph, 0, 9) == 5 * nx.shortest_path_length(plain, 0, 9)
    with nx.config(fallback_to_nx=True):
        assert nx.is_isomorphic(graph, plain)


def test_switched_on_for_all_calls(monkeypatch):
    monkeypatch.setattr(calls, "_file", "counted")
    monkeypatch.setattr(calls, "_ran", calls.Counter())
    monkeypatch.setattr(calls, "_left", calls.Counter())
    graph = nx.gnm_random_graph(600, 1200, seed=1)
    with nx.config.backend_priority(algos=[NAME]):
        assert nx.triangles(graph) == original("triangles")(graph)
        assert nx.is_connected(nx.path_graph(3)) and nx.diameter(nx.path_graph(3)) == 2
    counted = calls.counts()
    assert counted["ran"] == {"triangles": 1}
    assert set(counted["networkx"]) >= {"is_connected", "diameter"}
    assert "triangles" in report(counted) and f"ran here: 1 of {len(SUPPORTED)} functions" in report(counted)


def test_each_expected_failure_has_a_reason():
    assert all(file.startswith("test_") and test.startswith("test_") and why for (file, test), why in EXPECTED.items())


@pytest.mark.slow
def test_a_part_of_networkxs_own_tests():
    chosen = ("algorithms.components.tests.test_connected", "algorithms.tests.test_core")
    status, counted = run(["-x", "--pyargs", *(f"networkx.{module}" for module in chosen)])
    assert status == 0
    assert {"connected_components", "core_number", "k_truss"} <= set(counted["ran"])
