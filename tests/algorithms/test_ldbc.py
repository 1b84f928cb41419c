"""LDBC Graphalytics' validation graphs on every structure and device. Requires the folder that DYNFRONTIER_DATA names.

Results match by LDBC's rules: breadth-first distances exactly, components up to their names, everything else within
0.01 %. Two graphs come with properties files that give all parameters. Each algorithm has two more, with the parameters
of Graphalytics' own tests.
"""

from __future__ import annotations

import tarfile
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from published import FOLDER, locate
from verifiers import host

from algorithms import (
    UNREACHED,
    DynamicBFS,
    DynamicConnectedComponents,
    DynamicPageRank,
    DynamicSSSP,
    bfs,
    cdlp,
    connected_components,
    pagerank,
    sssp,
)
from algorithms.local_clustering import ldbc_clustering
from frontier.io import EdgeList, read_edges

pytestmark = pytest.mark.slow

needs_data = pytest.mark.skipif(not FOLDER, reason="DYNFRONTIER_DATA is not set")

ARCHIVE = "ldbc-graphalytics-validation-graphs.tar.xz"
GRAPHS = ["example-directed", "example-undirected", "dir", "undir"]
PARAMETERS = {
    ("bfs", "dir"): {"source-vertex": "1"},
    ("bfs", "undir"): {"source-vertex": "1"},
    ("sssp", "dir"): {"source-vertex": "1"},
    ("sssp", "undir"): {"source-vertex": "1"},
    ("pr", "dir"): {"damping-factor": "0.85", "num-iterations": "14"},
    ("pr", "undir"): {"damping-factor": "0.85", "num-iterations": "26"},
    ("cdlp", "dir"): {"max-iterations": "5"},
    ("cdlp", "undir"): {"max-iterations": "5"},
}
LDBC_UNREACHED = np.iinfo(np.int64).max


# ---- the files ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A graph, the parameters of an algorithm, and LDBC's expected result: an array by vertex."""

    edges: EdgeList
    parameters: dict[str, str]
    expected: np.ndarray

    @property
    def source(self):
        return int(np.searchsorted(self.edges.ids, int(self.parameters["source-vertex"])))

    @property
    def damping(self):
        return float(self.parameters["damping-factor"])

    @property
    def iterations(self):
        return int(self.parameters["num-iterations"])

    def graph(self, structure, device):
        edges = self.edges
        return structure.from_edges(
            edges.src, edges.dst, edges.weights, edges.num_vertices, directed=edges.directed, device=device
        )

    def change_and_change_back(self, graph):
        """Delete every other edge of the graph, and insert them again."""
        part = self.edges[::2]
        graph.delete_edges(part.src, part.dst)
        graph.insert_edges(part.src, part.dst, part.weights)


@cache
def archive():
    """The files of the archive, by the last two components of their names."""
    with tarfile.open(locate(ARCHIVE)) as files:
        members = [member for member in files.getmembers() if member.isfile()]
        return {"/".join(member.name.split("/")[-2:]): files.extractfile(member).read().decode() for member in members}


def load(algorithm, name, number=float):
    """One of the graphs for an algorithm, with weights only if it looks at them."""
    if name.startswith("example"):
        edges, output = read(f"example/{name}"), archive()[f"example/{name}-{algorithm.upper()}"]
        assert edges.directed is (name == "example-directed")
        parameters = properties(name, algorithm)
    else:
        edges, output = read(f"{algorithm}/{name}-input"), archive()[f"{algorithm}/{name}-output"]
        edges = replace(edges, directed=name == "dir")
        parameters = PARAMETERS.get((algorithm, name), {})
    edges = replace(edges, weights=edges.weights.astype(np.float32) if algorithm == "sssp" else None)
    found = {int(vertex): number(value) for vertex, value in map(str.split, filter(None, output.splitlines()))}
    assert sorted(found) == edges.ids.tolist()
    return Case(edges, parameters, np.array([found[vertex] for vertex in edges.ids.tolist()]))


def read(path):
    """A graph with the `ids` of its vertices: an edge file, or lines of a vertex and its successors."""
    if f"{path}.e" in archive():
        return read_edges(locate(ARCHIVE), member=path)
    lines = [[int(word) for word in line.split()] for line in archive()[path].splitlines() if line]
    ids = np.unique(np.concatenate(lines))
    src = [line[0] for line in lines for _ in line[1:]]
    dst = [vertex for line in lines for vertex in line[1:]]
    return EdgeList(np.searchsorted(ids, src), np.searchsorted(ids, dst), num_vertices=len(ids), ids=ids)


def properties(name, algorithm):
    """The parameters of an algorithm in the properties file of a graph."""
    lines = archive()[f"graphalytics/{name}.properties"].splitlines()
    pairs = [line.split("=") for line in lines if line.startswith(f"graph.{name}.{algorithm}.")]
    return {key.strip().split(".")[-1]: value.strip() for key, value in pairs}


# ---- LDBC's rules ---------------------------------------------------------------------------------------------------


def same_hops(found, expected):
    """Exactly equal, where each side marks unreachable vertices in its own way."""
    found = host(found)
    return bool((np.where(found == UNREACHED, LDBC_UNREACHED, found.astype(np.int64)) == expected).all())


def same_parts(found, expected):
    """Equal up to a one-to-one change of labels."""
    pairs = np.unique(np.stack([host(found), expected]), axis=1)
    return pairs.shape[1] == len(np.unique(pairs[0])) == len(np.unique(pairs[1]))


def same_values(found, expected):
    """Within 0.01 %, and infinite at the same positions."""
    return bool(np.isclose(host(found), expected, rtol=1e-4, atol=0).all())


def test_the_rules_tell_right_from_wrong():
    hops = np.array([0, 1, LDBC_UNREACHED])
    assert same_hops(np.array([0, 1, UNREACHED]), hops)
    assert not same_hops(np.array([0, 2, UNREACHED]), hops) and not same_hops(np.array([0, UNREACHED, 1]), hops)
    parts = np.array([5, 5, 7, 9])
    assert same_parts(np.array([0, 0, 2, 3]), parts)
    assert not same_parts(np.array([0, 0, 2, 2]), parts) and not same_parts(np.array([0, 1, 2, 3]), parts)
    values = np.array([2.0, 0.0, np.inf])
    assert same_values(np.array([2.0001, 0.0, np.inf]), values)
    assert not same_values(np.array([2.0003, 0.0, np.inf]), values)
    assert not same_values(np.array([2.0, 0.0, 1e9]), values) and not same_values(np.array([2.0, 1e-9, np.inf]), values)


# ---- the algorithms -------------------------------------------------------------------------------------------------


@needs_data
@pytest.mark.parametrize("name", GRAPHS)
def test_bfs(structure, device, name):
    case = load("bfs", name, int)
    graph = case.graph(structure, device)
    assert same_hops(bfs(graph, case.source).distance, case.expected)
    kept = DynamicBFS(graph, case.source)
    case.change_and_change_back(graph)
    assert same_hops(kept.distance, case.expected)


@needs_data
@pytest.mark.parametrize("name", GRAPHS)
def test_components(structure, device, name):
    case = load("wcc", name, int)
    graph = case.graph(structure, device)
    assert same_parts(connected_components(graph).labels, case.expected)
    kept = DynamicConnectedComponents(graph)
    case.change_and_change_back(graph)
    assert same_parts(kept.labels, case.expected)


@needs_data
@pytest.mark.parametrize("name", GRAPHS)
def test_pagerank(structure, device, name):
    case = load("pr", name)
    graph = case.graph(structure, device)
    found = pagerank(graph, case.damping, case.iterations, tol=0, fail_on_nonconvergence=False)
    assert found.iterations == case.iterations and same_values(found.pagerank, case.expected)


@needs_data
@pytest.mark.parametrize("name", ["dir", "undir"])
def test_pagerank_maintained_incrementally(structure, device, name):
    """After the many iterations of these graphs, the ranks are the limit to which the dynamic form converges."""
    case = load("pr", name)
    graph = case.graph(structure, device)
    kept = DynamicPageRank(graph, case.damping, tol=1e-7)
    case.change_and_change_back(graph)
    assert same_values(kept.pagerank, case.expected)


@needs_data
@pytest.mark.parametrize("name", GRAPHS)
def test_sssp(structure, device, name):
    case = load("sssp", name)
    graph = case.graph(structure, device)
    assert same_values(sssp(graph, case.source).distance, case.expected)
    kept = DynamicSSSP(graph, case.source)
    case.change_and_change_back(graph)
    assert same_values(kept.distance, case.expected)


@needs_data
@pytest.mark.parametrize("name", GRAPHS)
def test_cdlp(structure, device, name):
    """Labels are ids of vertices, and equal."""
    case = load("cdlp", name, int)
    found = cdlp(case.graph(structure, device), max_iter=int(case.parameters["max-iterations"]))
    assert (case.edges.ids[host(found.labels)] == case.expected).all()


@needs_data
@pytest.mark.parametrize("name", GRAPHS)
def test_local_clustering(structure, device, name):
    case = load("lcc", name)
    assert same_values(ldbc_clustering(case.graph(structure, device)).clustering, case.expected)
