"""NetworkX graphs: names, weights, edge data, deleted vertices."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from interchange_cases import DST, SRC, WEIGHTS, N, assert_equal, edges_of, holed, make, rows_of, with_data
from verifiers import host

import frontier as fr
from frontier import interchange
from structures import CSR


def test_deleted_vertices_through_networkx(device, structure):
    pytest.importorskip("networkx")
    graph = holed(device)
    nx_graph = interchange.to_networkx(graph)
    assert list(nx_graph) == [0, 1, 3, 4, 5, 6]
    again, names = interchange.from_networkx(nx_graph, structure=structure, device=device, num_vertices=N)
    assert_equal(again, graph)
    assert names == list(range(N))
    with pytest.raises(ValueError, match="deleted"):
        again.neighbors(2)
    if isinstance(again, fr.DynamicGraph):
        assert host(again.insert_vertices(1)).tolist() == [2]
        assert again.insert_edges([2], [0]).inserted == 1
    dense, names = interchange.from_networkx(nx_graph, structure=structure, device=device)
    assert dense.num_vertices == 6 and names == [0, 1, 3, 4, 5, 6]
    assert set(interchange.to_networkx(dense, names).edges) == set(nx_graph.edges)


def test_networkx_sees_the_graph(device, directed):
    nx = pytest.importorskip("networkx")
    result = interchange.to_networkx(make(CSR, device, directed, "float64"), weight="length")
    assert type(result) is (nx.DiGraph if directed else nx.Graph)
    assert list(result) == list(range(N))
    for u, v, w in zip(SRC, DST, WEIGHTS["float64"], strict=True):
        assert result[u][v] == {"length": w}
    assert result.number_of_edges() == len(SRC)


def test_networkx_names(device):
    nx = pytest.importorskip("networkx")
    source = nx.DiGraph([("b", "a"), ("a", "c"), ("c", "c"), (("t", 1), "b")])
    source.add_node(7.5)
    graph, names = interchange.from_networkx(source, device=device)
    assert names == list(source)
    assert graph.directed and not graph.is_weighted
    assert {(names[u], names[v]) for u, v in edges_of(graph)} == {e for e in source.edges if e[0] != e[1]}
    again = interchange.to_networkx(graph, names)
    assert list(again) == list(source)
    assert set(again.edges) == {e for e in source.edges if e[0] != e[1]}


def test_networkx_ids_keep_their_numbers(device):
    nx = pytest.importorskip("networkx")
    graph, names = interchange.from_networkx(nx.Graph([(2, 0), (np.int64(3), 1)]), structure="csr", device=device)
    assert names == [0, 1, 2, 3] and set(edges_of(graph)) == {(0, 2), (1, 3)}
    graph, names = interchange.from_networkx(nx.Graph([(9001, 9003)]), structure="csr", device=device)
    assert graph.num_vertices == 2 and names == [9001, 9003]
    graph, names = interchange.from_networkx(nx.Graph([(True, False)]), structure="csr", device=device)
    assert names == [True, False] and names[0] is True


def test_networkx_multigraph_last_wins(device):
    nx = pytest.importorskip("networkx")
    source = nx.MultiGraph()
    source.add_edge(0, 1, weight=3)
    source.add_edge(1, 0, weight=5)
    source.add_edge(1, 2)
    graph, _ = interchange.from_networkx(source, structure="hornet", device=device)
    assert edges_of(graph) == {(0, 1): 5, (1, 2): 1}
    assert graph.weight_dtype == np.int64


def test_networkx_weights(device):
    nx = pytest.importorskip("networkx")
    source = nx.Graph()
    source.add_edge(0, 1, weight=2.5, cost=3)
    source.add_edge(1, 2, cost=True)
    for weight, expected in (("weight", [2.5, 1.0]), ("cost", [3, 1]), ("none", [None, None]), (None, [None, None])):
        graph, _ = interchange.from_networkx(source, weight, structure="csr", device=device)
        assert edges_of(graph) == {(0, 1): expected[0], (1, 2): expected[1]}
    graph, _ = interchange.from_networkx(source, structure="csr", device=device, weight_dtype="float32")
    assert graph.weight_dtype == np.float32


def test_bad_networkx_input():
    nx = pytest.importorskip("networkx")
    graph = make(CSR)
    with pytest.raises(TypeError, match="nx_graph must be a NetworkX graph, not list"):
        interchange.from_networkx([(0, 1)], structure="csr", device="cpu")
    for bad in ("far", [1, 2]):
        with pytest.raises(TypeError, match="'weight' of some edges is no number"):
            interchange.from_networkx(nx.Graph([(0, 1, {"weight": bad})]), structure="csr", device="cpu")
    with pytest.raises(ValueError, match="NaN"):
        interchange.from_networkx(nx.Graph([(0, 1, {"weight": float("nan")})]), structure="csr", device="cpu")
    for nodes in ([0, 3], [-1], ["a"], [True]):
        source = nx.Graph()
        source.add_nodes_from(nodes)
        with pytest.raises(ValueError, match="num_vertices=3 the nodes of nx_graph must be integers"):
            interchange.from_networkx(source, structure="csr", num_vertices=3, device="cpu")
    with pytest.raises(ValueError, match="names must have one entry for each of 8 vertices, not 1"):
        interchange.to_networkx(graph, ["a"])
    with pytest.raises(ValueError, match="names must be distinct"):
        interchange.to_networkx(graph, ["a"] * N)


def test_networkx_keeps_edge_data_and_times(device, directed):
    pytest.importorskip("networkx")
    graph = with_data(CSR, device, directed)
    nx_graph = interchange.to_networkx(graph, weight="length")
    assert nx_graph[3][0] == {"length": -2, "amount": 1, "flag": False, "step": -1, "time": 10}
    again, _ = interchange.from_networkx(
        nx_graph, "length", device=device, data=["amount", "flag", "step"], time="time", time_unit="s"
    )
    assert rows_of(again) == rows_of(graph) and again.time_unit == "s"
    assert again.edge_data["flag"].dtype == bool and again.edge_data["amount"].dtype == np.float64


def test_bad_networkx_edge_data():
    nx = pytest.importorskip("networkx")
    source = nx.Graph([(0, 1, {"a": 1, "b": "x", "c": 2**63}), (1, 2, {"b": 3, "c": 1})])
    for options, error, text in (
        ({"data": ["a"]}, ValueError, "'a' of some edge is missing"),
        ({"time": "a"}, ValueError, "'a' of some edge is missing"),
        ({"data": ["b"]}, TypeError, "'b' of some edges is no number"),
        ({"data": ["c"]}, ValueError, "which does not fit in int64"),
        ({"data": "ab"}, TypeError, "data must be a list of names"),
        ({"data": ["c", "c"]}, ValueError, "data names a column twice"),
        ({"data": ["c"], "time": "c"}, ValueError, "data names 'c', which is the column of times"),
        ({"time": [1, 2]}, TypeError, "time must be the name of a column, not list"),
    ):
        with pytest.raises(error, match=text):
            interchange.from_networkx(source, None, structure="csr", device="cpu", **options)
    with pytest.raises(ValueError, match="weight='step' is the name of a column of the graph's edge data"):
        interchange.to_networkx(with_data(CSR), weight="step")


def test_networkx_times_of_datetimes():
    nx = pytest.importorskip("networkx")
    source = nx.Graph([(0, 1, {"at": datetime(2026, 1, 1)}), (1, 2, {"at": datetime(2026, 1, 2, 3, 4, 5)})])
    graph, _ = interchange.from_networkx(source, structure="csr", device="cpu", time="at", time_unit="s")
    assert graph.edge_data["time"][graph.edge_ids([0, 1], [1, 2])].tolist() == [1767225600, 1767323045]
