"""igraph graphs: names, weights, edge data."""

from __future__ import annotations

import pytest
from interchange_cases import DST, SRC, WEIGHTS, N, edges_of, make, rows_of, with_data

from frontier import interchange
from structures import CSR


def test_igraph_sees_the_graph(device, directed):
    pytest.importorskip("igraph")
    names = [f"v{i}" for i in range(N)]
    result = interchange.to_igraph(make(CSR, device, directed, "float64"), names, weight="length")
    assert result.is_directed() == directed and result.vcount() == N and result.vs["name"] == names
    for u, v, w in zip(SRC, DST, WEIGHTS["float64"], strict=True):
        assert result.es[result.get_eid(f"v{u}", f"v{v}")]["length"] == w
    assert result.ecount() == len(SRC)
    graph, given = interchange.from_igraph(result, "length", structure="csr", device=device)
    assert given == names and graph.directed == directed and graph.is_weighted
    assert not interchange.from_igraph(result, None, structure="csr", device=device)[0].is_weighted


def test_igraph_multigraph_last_wins(device):
    igraph = pytest.importorskip("igraph")
    source = igraph.Graph(n=4, edges=[(0, 1), (1, 0), (2, 2)], edge_attrs={"weight": [3, None, 4]})
    graph, names = interchange.from_igraph(source, device=device)
    assert edges_of(graph) == {(0, 1): 1} and names == [0, 1, 2, 3]


def test_bad_igraph_input():
    igraph = pytest.importorskip("igraph")
    with pytest.raises(TypeError, match=r"ig_graph must be an igraph\.Graph, not list"):
        interchange.from_igraph([(0, 1)], structure="csr", device="cpu")
    with pytest.raises(TypeError, match="'weight' of some edges is no number"):
        interchange.from_igraph(igraph.Graph(edges=[(0, 1)], edge_attrs={"weight": ["far"]}), device="cpu")
    with pytest.raises(ValueError, match="names must have one entry"):
        interchange.to_igraph(make(CSR), ["a"])


def test_igraph_keeps_edge_data_and_times(device, directed):
    pytest.importorskip("igraph")
    graph = with_data(CSR, device, directed)
    result = interchange.to_igraph(graph)
    assert sorted(result.es.attributes()) == ["amount", "flag", "step", "time", "weight"]
    again, _ = interchange.from_igraph(
        result, device=device, data=["amount", "flag", "step"], time="time", time_unit="s"
    )
    assert rows_of(again) == rows_of(graph)
    with pytest.raises(ValueError, match="ig_graph has no edge attribute 'fee', which data names"):
        interchange.from_igraph(result, device=device, data=["fee"])
    with pytest.raises(ValueError, match="ig_graph has no edge attribute 'fee', which time names"):
        interchange.from_igraph(result, device=device, time="fee")
