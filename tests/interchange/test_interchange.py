"""Conversions to and from other libraries: round trips of every structure, and what all have in common."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from graphs import GRAPHS
from hypothesis import given
from hypothesis import strategies as st
from interchange_cases import NEEDS, ROUND_TRIPS, WEIGHTS, N, assert_equal, holed, make, rows_of
from scipy.sparse import csr_array
from verifiers import host

import frontier as fr
from frontier import interchange
from frontier.interchange import common, foreign
from structures import CSR, SlabGraph

SMALL = ["empty", "one-vertex", "one-edge", "path", "clique", "rmat"]


@pytest.fixture(params=ROUND_TRIPS)
def round_trip(request):
    if request.param in NEEDS:
        pytest.importorskip(NEEDS[request.param])
    return ROUND_TRIPS[request.param]


def test_round_trip(structure, device, round_trip, directed, weight_dtype):
    graph = make(structure, device, directed, weight_dtype)
    again = round_trip(structure, graph, device)
    assert type(again) is structure and again.device == graph.device
    assert_equal(again, graph)


@pytest.mark.parametrize("kind", WEIGHTS)
def test_round_trip_of_weights(device, round_trip, kind):
    if device == "gpu" and kind in ("int32", "int64") and round_trip is ROUND_TRIPS["scipy"]:
        pytest.skip("CuPy's matrices hold no integers")
    graph = make(CSR, device, weight_dtype=kind)
    assert_equal(round_trip(CSR, graph, device), graph)


def test_wide_integers_are_not_rounded(device, round_trip, directed):
    """They come back, or are refused where a library stores weights as floats."""
    graph = CSR.from_edges([0, 1], [1, 2], np.array([2**53 + 1, 1_700_000_000_000_000_001]), None, directed, device)
    if device == "gpu" and round_trip is ROUND_TRIPS["scipy"]:
        with pytest.raises(ValueError, match="integers beyond 2\\*\\*53"):
            round_trip(CSR, graph, device)
    else:
        assert_equal(round_trip(CSR, graph, device), graph)


def test_weights_for_libraries_that_take_floats():
    assert common.as_floats(np.array([2**53, -(2**53)])).dtype == np.float64
    assert common.as_floats(np.array([0.5], np.float32)).dtype == np.float32
    for wide in (2**53 + 1, -(2**53) - 1, -(2**63)):
        with pytest.raises(ValueError, match="integers beyond 2\\*\\*53"):
            common.as_floats(np.array([1, wide]))


@pytest.mark.parametrize("wide", [2**63, 2**64, -(2**63) - 1, np.uint64(2**63)])
@pytest.mark.parametrize("other", [1, -1, None])
def test_integers_of_other_libraries_that_do_not_fit(wide, other):
    with pytest.raises(ValueError, match=f"'weight' of some edge is {wide}, which does not fit in int64"):
        foreign.host_weights([wide, other], "weight")


@pytest.mark.parametrize("name", SMALL)
def test_round_trip_of_graphs(device, round_trip, name, directed):
    src, dst, n = GRAPHS[name]
    graph = CSR.from_edges(src, dst, num_vertices=n, directed=directed, device=device)
    assert_equal(round_trip(CSR, graph, device), graph)


def test_round_trip_without_vertices(device, round_trip):
    if device == "gpu" and round_trip is ROUND_TRIPS["scipy"]:
        pytest.skip("CuPy's matrices have rows")
    assert round_trip("csr", CSR(0, device=device), device).num_vertices == 0


CARRY = {
    "networkx": lambda graph: interchange.from_networkx(
        interchange.to_networkx(graph), data=["amount"], time="time", num_vertices=N, device="cpu"
    )[0],
    "igraph": lambda graph: interchange.from_igraph(
        interchange.to_igraph(graph), structure="hornet", data=["amount"], time="time", device="cpu"
    )[0],
    "pandas": lambda graph: interchange.from_dataframe(
        interchange.to_dataframe(graph), structure="csr", weight="weight", data=["amount"], time="time", num_vertices=N,
        directed=graph.directed, device="cpu",
    ),
    "polars": lambda graph: interchange.from_dataframe(
        interchange.to_dataframe(graph, "polars"), structure="gpma", weight="weight", data=["amount"], time="time",
        num_vertices=N, directed=graph.directed, device="cpu",
    ),
    "torch_geometric": lambda graph: interchange.from_pyg(
        interchange.to_pyg(graph), structure="faimgraph", edge_data=["edge_amount"], time="edge_time",
        directed=graph.directed, device="cpu",
    ),
}  # fmt: skip
ARCS = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=12)


@pytest.mark.parametrize("library", CARRY)
@given(ARCS, ARCS, ARCS, st.booleans(), st.integers(0, 2**32))
def test_edge_data_after_updates(library, first, gone, second, directed, seed):
    """Ids of edges have gaps then, and are used again."""
    pytest.importorskip(library)
    rng = np.random.default_rng(seed)
    graph = SlabGraph(
        N, directed=directed, weight_dtype="float64", time_unit="ns", edge_data={"amount": "int64"}, device="cpu"
    )
    for edges in (first, second):
        src, dst = np.array(edges, np.int64).reshape(-1, 2).T
        time, amount = rng.integers(-(2**62), 2**62, (2, src.size))
        graph.insert_edges(src, dst, rng.random(src.size), time=time, amount=amount)
        if edges is first:
            graph.delete_edges(*np.array(gone, np.int64).reshape(-1, 2).T)
    assert rows_of(CARRY[library](graph)) == rows_of(graph)


@pytest.mark.parametrize("library", ["networkx", "igraph", "polars", "torch_geometric"])
def test_graphs_that_keep_records(library):
    """In other libraries an edge has its sums, and data of its last record. A frame has a row for each record."""
    pytest.importorskip(library)
    graph = SlabGraph(N, weight_dtype="float64", edge_data={"fee": "int32"}, multi_edges="all", device="cpu")
    graph.insert_edges([0, 0, 1], [1, 1, 2], [1.0, 2.0, 3.0], fee=[7, 8, 9])
    expected = {"weight": [3, 3], "count": [2, 1], "fee": [8, 9]}
    if library == "networkx":
        rows = [row for *_, row in interchange.to_networkx(graph).edges(data=True)]
        assert {name: [row[name] for row in rows] for name in rows[0]} == expected
    elif library == "igraph":
        edges = interchange.to_igraph(graph).es
        assert {name: edges[name] for name in edges.attributes()} == expected
    elif library == "polars":
        frame = interchange.to_dataframe(graph, "polars", records=False).to_dict(as_series=False)
        assert frame == {"src": [0, 1], "dst": [1, 2], **expected}
        records = interchange.to_dataframe(graph, "polars").to_dict(as_series=False)
        assert records == {"src": [0, 0, 1], "dst": [1, 1, 2], "weight": [1, 2, 3], "fee": [7, 8, 9]}
    else:
        data = interchange.to_pyg(graph)
        assert sorted(data.keys()) == sorted(
            ["edge_index", "num_nodes", "e_id", *(f"edge_{name}" for name in expected)]
        )  # fmt: skip
        assert data.edge_fee.tolist() == [8, 8, 9, 9]


def test_structures_by_name(device):
    graph = make(CSR, device)
    for name, kind in fr.structures().items():
        assert type(interchange.from_scipy(interchange.to_scipy(graph), structure=name, device=device)) is kind
    assert type(interchange.from_scipy(interchange.to_scipy(graph), device=device)) is SlabGraph


# ---- deleted vertices -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["igraph", "edge_index", "scipy", "dataframe", "polars", "pyg"])
def test_deleted_vertices_elsewhere_are_isolated(device, name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    graph = holed(device)
    again = ROUND_TRIPS[name](CSR, graph, device)
    assert_equal(again, graph, vertices=False)
    assert host(again.has_vertices(np.arange(N))).all()


# ---- what all have in common ----------------------------------------------------------------------------------------

TO = [name for name in interchange.__all__ if name.startswith("to_")]
FROM = [name for name in interchange.__all__ if name.startswith("from_")]
MISSING = {"to_networkx": "networkx", "to_igraph": "igraph", "to_cugraph": "cugraph", "to_pylibcugraph": "pylibcugraph",
           "from_pylibcugraph": "pylibcugraph", "to_dataframe": "pandas", "to_pyg": "torch_geometric"}  # fmt: skip


def test_there_and_back():
    assert {name.removeprefix("to_") for name in TO} == {name.removeprefix("from_") for name in FROM}


@pytest.mark.parametrize("name", [name for name in TO if name != "to_pyg_hetero"])
def test_graph_must_be_a_graph(name):
    with pytest.raises(TypeError, match="graph must be a Graph, not dict"):
        getattr(interchange, name)({})


@pytest.mark.parametrize("name", FROM)
def test_structure_must_be_a_structure(name):
    with pytest.raises(ValueError, match=r"structure must be one of 'csr'.*, not 'nosuch'"):
        getattr(interchange, name)(None, structure="nosuch")
    for bad in (dict, make(CSR), None):
        with pytest.raises(TypeError, match="structure must be the name or the class of a structure"):
            getattr(interchange, name)(None, structure=bad)


@pytest.mark.parametrize("name", MISSING)
def test_missing_libraries_are_named(name, monkeypatch):
    monkeypatch.setitem(sys.modules, MISSING[name], None)
    argument = None if name.startswith("from_") else make(CSR)
    package = MISSING[name].replace("_", "-")
    with pytest.raises(ImportError, match=f"{name} needs {MISSING[name]}: pip install {package}"):
        getattr(interchange, name)(argument)


def test_weights_of_python_objects():
    assert foreign.host_weights([], "w") is None
    assert foreign.host_weights([None, None], "w") is None
    assert foreign.host_weights([1, None], "w").dtype == np.int64
    assert foreign.host_weights([1, 2.5], "w").tolist() == [1.0, 2.5]


@pytest.mark.parametrize("multi_edges", ["sum", "all"])
def test_both_directions_of_an_edge_are_not_two_records(multi_edges):
    edges = ([0, 1, 1, 2], [1, 0, 2, 1])
    matrix = csr_array((np.ones(4), edges), shape=(3, 3))
    for convert in (
        lambda **options: interchange.from_edge_index(edges, device="cpu", **options),
        lambda **options: interchange.from_scipy(matrix, device="cpu", **options),
    ):
        with pytest.raises(
            ValueError, match=f"multi_edges='{multi_edges}' would count both directions of an undirected edge"
        ):
            convert(directed=False, multi_edges=multi_edges)
        assert convert(directed=True, multi_edges=multi_edges).num_edges == 4


def test_links_of_records_are_no_data():
    graph = SlabGraph(3, multi_edges="all", edge_data={"kind": "int32"}, device="cpu")
    graph.insert_edges([0, 1], [1, 2], kind=[1, 2])
    with pytest.raises(ValueError, match="data='first' is no column of the graph's edge data"):
        interchange.to_scipy(graph, data="first")
    assert interchange.to_scipy(graph, data="kind").sum() == 6
