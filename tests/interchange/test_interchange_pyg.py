"""PyTorch Geometric: Data, HeteroData, and mini-batches of what vertices had seen before some time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from interchange_cases import DATA, DST, SRC, TIMES, WEIGHTS, N, assert_equal, make, rows_of, with_data

import frontier as fr
from frontier.interchange import from_pyg, from_pyg_hetero, sample_pyg, to_pyg, to_pyg_hetero
from structures import CSR, SlabGraph

torch = pytest.importorskip("torch")
pyg = pytest.importorskip("torch_geometric")

pytestmark = pytest.mark.filterwarnings("ignore::frontier.ReplacedTimesWarning")

ATTRIBUTES = ["edge_amount", "edge_flag", "edge_step"]
TYPES = {"user": range(4), "item": [7, 4, 5, 6]}


# ---- Data ------------------------------------------------------------------------------------------------------------


def test_data_of_a_graph(directed, structure):
    graph = with_data(structure, directed=directed)
    data = to_pyg(graph)
    assert type(data) is pyg.data.Data and data.validate() and data.num_nodes == N
    assert data.num_edges == graph.num_arcs and data.is_undirected() == (not directed)
    expected = {"edge_weight": "float64", "edge_time": "int64", "edge_amount": "float32", "edge_flag": "bool",
                "edge_step": "int64", "e_id": "int64"}  # fmt: skip
    for name, dtype in expected.items():
        assert str(data[name].dtype) == f"torch.{dtype}" and (name == "e_id" or data.is_edge_attr(name))
    rows = rows_of(graph)
    for i, (u, v) in enumerate(data.edge_index.T.tolist()):
        row = rows[(u, v)] if directed or u < v else rows[(v, u)]
        assert row == {name: data[f"edge_{name}"][i].item() for name in row}
    ids = data.e_id.numpy()
    assert (graph.edge_data["step"][ids] == data.edge_step.numpy()).all()


def test_data_there_and_back(directed, structure):
    graph = with_data(structure, directed=directed)
    options = {"edge_data": ATTRIBUTES, "time": "edge_time", "time_unit": "s"}
    again = from_pyg(to_pyg(graph), structure=structure, device="cpu", **options)
    assert rows_of(again) == rows_of(graph) and again.directed == directed and again.num_vertices == N
    plain = from_pyg(to_pyg(make(CSR, directed=directed)), structure="csr", device="cpu")
    assert_equal(plain, make(CSR, directed=directed))
    data = to_pyg(graph)
    data.edge_step[0] += 1  # now both directions of an edge differ
    assert from_pyg(data, structure="csr", edge_data=["edge_step"], device="cpu").directed
    assert from_pyg(data, structure="csr", device="cpu").directed == directed
    named = from_pyg(to_pyg(graph), structure="csr", weight=None, edge_data={"paid": "edge_amount"}, device="cpu")
    assert not named.is_weighted and list(named.edge_data) == ["paid"]


def test_edge_attr_of_columns():
    graph = with_data(CSR, directed=True)
    data = to_pyg(graph, edge_attr=["amount", "weight", "flag"])
    assert data.edge_attr.dtype == torch.float32 and data.edge_attr.shape == (5, 3)
    assert "edge_amount" not in data and "edge_weight" not in data and "edge_time" in data
    rows = [list(row) for row in zip(*(to_pyg(graph)[f"edge_{n}"].tolist() for n in ("amount", "weight", "flag")),
                                     strict=True)]  # fmt: skip
    assert torch.equal(data.edge_attr, torch.tensor(rows, dtype=torch.float32))
    again = from_pyg(data, edge_attr=["amount", "paid", "flag"], edge_data=["edge_step"], device="cpu")
    assert sorted(again.edge_data) == ["amount", "flag", "paid", "step"]
    one = pyg.data.Data(edge_index=torch.tensor([[0], [1]]), edge_attr=torch.tensor([2.5]), num_nodes=3)
    assert rows_of(from_pyg(one, edge_attr=["fee"], device="cpu")) == {(0, 1): {"fee": 2.5}}


def test_data_of_graphs_without_edges():
    data = to_pyg(SlabGraph(3, edge_data={"fee": "float32"}, device="cpu"), edge_attr=["fee"])
    assert data.num_nodes == 3 and data.edge_index.shape == (2, 0) and data.edge_attr.shape == (0, 1)
    assert from_pyg(data, structure="csr", device="cpu").num_vertices == 3
    assert to_pyg(CSR(0, device="cpu")).num_nodes == 0


def test_memory_is_shared():
    """On the CPU as on the GPU, tensors are the arrays that were made for them."""
    graph = make(CSR, weight_dtype="float32")
    data = to_pyg(graph)
    data.edge_weight[:] = 0
    assert sorted(graph.to_coo()[2].tolist()) == sorted(WEIGHTS["float32"])  # which are not the graph's


def test_bad_data():
    graph = with_data(CSR)
    data = to_pyg(graph, edge_attr=["amount"])
    for arguments, error, text in (
        ({"edge_attr": ["fee"]}, ValueError, "edge_attr names 'fee', which is no column"),
        ({"edge_attr": ["amount", "amount"]}, ValueError, "edge_attr names a column twice"),
        ({"edge_attr": "amount"}, TypeError, "edge_attr must be a list of names"),
    ):
        with pytest.raises(error, match=text):
            to_pyg(graph, **arguments)
    for name in ("index", "attr"):
        bad = SlabGraph(3, edge_data={name: "int32"}, device="cpu")
        with pytest.raises(ValueError, match=f"the column '{name}' would be called edge_{name}"):
            to_pyg(bad)
    for arguments, error, text in (
        ({"edge_data": ["edge_fee"]}, ValueError, "data has no 'edge_fee', which edge_data names"),
        ({"time": "edge_fee"}, ValueError, "data has no 'edge_fee', which time names"),
        ({"edge_attr": ["a", "b"]}, ValueError, "edge_attr has 2 names, but data.edge_attr 1 columns"),
        ({"edge_attr": ["step"], "edge_data": ["edge_step"]}, ValueError, "edge_attr and edge_data both name 'step'"),
    ):
        with pytest.raises(error, match=text):
            from_pyg(data, structure="csr", device="cpu", **arguments)
    with pytest.raises(ValueError, match="edge_attr has names"):
        from_pyg(to_pyg(graph), structure="csr", edge_attr=["a"], device="cpu")
    for bad in (None, [0, 1], pyg.data.Data(num_nodes=3)):
        with pytest.raises(TypeError, match=r"data must be a torch_geometric\.data\.Data with an edge_index"):
            from_pyg(bad, structure="csr", device="cpu")
    with pytest.raises(ValueError, match="outside"):
        from_pyg(pyg.data.Data(edge_index=torch.tensor([[0], [5]]), num_nodes=3), structure="csr", device="cpu")


def test_temporal_data_is_inserted_by_columns():
    """PyTorch Geometric's stream of events: its tensors are columns like any other."""
    events = pyg.data.TemporalData(src=torch.tensor(SRC), dst=torch.tensor(DST), t=torch.tensor(TIMES),
                                   msg=torch.tensor(DATA["amount"])[:, None])  # fmt: skip
    graph = SlabGraph(N, directed=True, time_unit="s", edge_data={"amount": "float32"}, device="cpu")
    for batch in pyg.loader.TemporalDataLoader(events, batch_size=2):
        graph.insert_edges(batch.src, batch.dst, time=batch.t, amount=batch.msg[:, 0])
    found = {edge: (row["time"], row["amount"]) for edge, row in rows_of(graph).items()}
    assert found == {(u, v): (t, a) for u, v, t, a in zip(SRC, DST, TIMES, DATA["amount"].tolist(), strict=True)}


# ---- HeteroData ------------------------------------------------------------------------------------------------------


def arcs_of(store, n_id, source, target):
    """The arcs of a store by the ids that vertices have in the graphs."""
    return set(zip(n_id[source][store.edge_index[0]].tolist(), n_id[target][store.edge_index[1]].tolist(), strict=True))


def test_hetero_of_several_graphs():
    buys = SlabGraph.from_edges([0, 1, 3], [4, 4, 7], [1.0, 2.0, 3.0], num_vertices=8, directed=True, device="cpu",
                                edge_data={"fee": np.array([5, 6, 7], np.int32)})  # fmt: skip
    knows = CSR.from_edges([0, 1], [1, 2], num_vertices=8, device="cpu")
    views = CSR(8, directed=True, device="cpu")
    data = to_pyg_hetero({("user", "buys", "item"): buys, "knows": knows, ("user", "views", "item"): views}, TYPES)
    assert data.validate() and data.node_types == ["user", "item"]
    assert data.edge_types == [("user", "buys", "item"), ("user", "knows", "user"), ("user", "views", "item")]
    assert data["item"].n_id.tolist() == [7, 4, 5, 6] and data["user"].num_nodes == 4
    store = data["user", "buys", "item"]
    assert store.edge_index.tolist() == [[0, 1, 3], [1, 1, 0]] and store.edge_fee.tolist() == [5, 6, 7]
    assert data["user", "knows", "user"].edge_index.shape == (2, 4)
    assert data["user", "views", "item"].edge_index.shape == (2, 0)
    graphs, ranges = from_pyg_hetero(data, edge_data=["edge_fee"], device="cpu")
    assert ranges == {"user": range(4), "item": range(4, 8)}
    assert rows_of(graphs["user", "buys", "item"]) == {
        (0, 5): {"fee": 5, "weight": 1}, (1, 5): {"fee": 6, "weight": 2}, (3, 4): {"fee": 7, "weight": 3}
    }  # fmt: skip
    assert list(graphs) == data.edge_types and graphs["user", "views", "item"].num_edges == 0


def test_hetero_of_an_undirected_graph():
    """The other direction has the name that `ToUndirected` uses."""
    graph = CSR.from_edges([0, 1, 2], [4, 7, 3], num_vertices=8, device="cpu")
    for key in ("buys", ("user", "buys", "item")):
        if key == "buys":
            data = to_pyg_hetero({key: graph}, TYPES)
            assert data["user", "buys", "user"].edge_index.tolist() == [[2, 3], [3, 2]]
        else:
            bipartite = CSR.from_edges([0, 1], [4, 7], num_vertices=8, device="cpu")
            data = to_pyg_hetero({key: bipartite}, TYPES)
        n_id = {name: data[name].n_id for name in TYPES}
        assert arcs_of(data["user", "buys", "item"], n_id, "user", "item") == {(0, 4), (1, 7)}
        assert arcs_of(data["item", "rev_buys", "user"], n_id, "item", "user") == {(4, 0), (7, 1)}
    graphs, _ = from_pyg_hetero(data, structure="csr", directed=False, device="cpu")
    assert list(graphs) == [("user", "buys", "item")] and graphs["user", "buys", "item"].num_edges == 2
    assert len(from_pyg_hetero(data, structure="csr", device="cpu")[0]) == 2


def test_hetero_by_a_column():
    kinds = np.array([1, 0, 1, 5], np.int8)
    graph = SlabGraph.from_edges([0, 1, 2, 4], [4, 5, 3, 6], directed=True, num_vertices=8, device="cpu",
                                 edge_data={"kind": kinds})  # fmt: skip
    data = to_pyg_hetero(graph, TYPES, edge_type="kind", edge_type_names={0: "views", 1: "buys"})
    assert set(data.edge_types) == {
        ("user", "buys", "item"), ("user", "views", "item"), ("user", "buys", "user"), ("item", "5", "item")
    }  # fmt: skip
    n_id = {name: data[name].n_id for name in TYPES}
    assert arcs_of(data["user", "buys", "item"], n_id, "user", "item") == {(0, 4)}
    assert arcs_of(data["item", "5", "item"], n_id, "item", "item") == {(4, 6)}
    assert "edge_kind" not in data["user", "buys", "item"]
    assert to_pyg_hetero(graph, {"any": range(8)}).edge_types == [("any", "to", "any")]


def test_bad_hetero():
    graph = CSR.from_edges([0], [5], num_vertices=8, device="cpu")
    for graphs, types, options, error, text in (
        ({}, TYPES, {}, ValueError, "graphs must contain at least one graph"),
        ({3: graph}, TYPES, {}, TypeError, "graphs has the key 3, which is neither a name nor three names"),
        ({"a": None}, TYPES, {}, TypeError, r"graphs\['a'\] must be a Graph"),
        (None, TYPES, {}, TypeError, "graphs must be a Graph"),
        ({"a": graph}, TYPES, {"edge_type": "x"}, TypeError, "edge_type and edge_type_names are for a single graph"),
        (graph, TYPES, {"edge_type": "x"}, ValueError, "edge_type='x' is no column of integers"),
        ({("user", "a", "shop"): graph}, TYPES, {}, ValueError, "node_types has no vertices of one of its types"),
        ({("item", "a", "item"): graph}, TYPES, {}, ValueError, "has an edge from a vertex of type 'user' to one of"),
        (graph, {"user": [0]}, {}, ValueError, "the vertex 5 has edges, but is of none of the node_types"),
        (graph, {"user": [0, 0]}, {}, ValueError, r"node_types\['user'\] contains an id twice"),
        (graph, {"user": [0], "item": [0]}, {}, ValueError, "node_types has two types for the vertex 0"),
        (graph, {"user": [8]}, {}, ValueError, r"node_types\['user'\] contains an id that is none of the graphs' 8"),
        (graph, {"user": [-1]}, {}, ValueError, r"node_types\['user'\] contains an id that is none"),
        (graph, {"user": [0.5]}, {}, TypeError, r"node_types\['user'\] must contain integer vertex ids"),
        (graph, [range(8)], {}, TypeError, "node_types must be a dict of names to ids, not list"),
        ({"a": graph, ("user", "a", "item"): graph}, TYPES, {}, ValueError, "two of the graphs have edges of the type"),
    ):
        with pytest.raises(error, match=text):
            to_pyg_hetero(graphs, types, **options)
    with pytest.raises(TypeError, match=r"data must be a torch_geometric\.data\.HeteroData, not Data"):
        from_pyg_hetero(pyg.data.Data(), structure="csr", device="cpu")
    with pytest.raises(ValueError, match="no type of edges has the attribute 'edge_fee'"):
        from_pyg_hetero(to_pyg_hetero(graph, TYPES), structure="csr", edge_data=["edge_fee"], device="cpu")


# ---- mini-batches ----------------------------------------------------------------------------------------------------


def check_sample(graph, vertices, counts, before, sample, edges="in"):
    """All properties of a sample of the latest edges, against a search in plain Python."""
    rows = rows_of(graph)
    seen_by = {}
    for (u, v), row in rows.items():
        ends = [(u, v), (v, u)] if not graph.directed else [(v, u)] if edges == "in" else [(u, v)]
        for own, other in ends:
            seen_by.setdefault(own, []).append((-row["time"], other))
    nodes, arcs = [], set()
    for part, vertex in enumerate(vertices):
        limit = None if before is None else before[part]
        known, layer = {vertex}, [vertex]
        for count in counts:
            following = []
            for own in layer:
                latest = sorted(e for e in seen_by.get(own, []) if limit is None or -e[0] < limit)[:count]
                for minus_time, other in latest:
                    arcs.add((part, own, other, -minus_time))
                    if other not in known:
                        known.add(other)
                        following.append(other)
            layer = following
        nodes += [(part, vertex) for vertex in known]
    found = list(zip(sample.batch.tolist(), sample.n_id.tolist(), strict=True))
    assert sample.validate() and sample.batch_size == len(vertices) and sample.num_nodes == len(found)
    assert found[: len(vertices)] == list(enumerate(vertices)) and sorted(found) == sorted(nodes)
    source, target = sample.edge_index.tolist() if edges == "in" else sample.edge_index.flip(0).tolist()
    assert {(found[t][0], found[t][1], found[s][1], time)
            for s, t, time in zip(source, target, sample.edge_time.tolist(), strict=True)} == arcs  # fmt: skip
    assert all(found[s][0] == found[t][0] for s, t in zip(source, target, strict=True))
    assert (graph.edge_data["time"][sample.e_id.numpy()] == sample.edge_time.numpy()).all()


EDGES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 9)), max_size=25)


@given(EDGES, st.lists(st.tuples(st.integers(0, 5), st.integers(0, 11)), max_size=4),
       st.lists(st.integers(1, 3), max_size=3), st.booleans(), st.sampled_from(["in", "out"]))  # fmt: skip
@settings(max_examples=40)
def test_samples_are_what_a_search_finds(edges, seeds, counts, directed, direction):
    src, dst, time = np.array(edges, np.int64).reshape(-1, 3).T
    graph = SlabGraph.from_edges(
        src, dst, time=time, num_vertices=6, directed=directed, in_edges=directed, device="cpu"
    )  # fmt: skip
    vertices, before = [v for v, _ in seeds], [t for _, t in seeds]
    sample = sample_pyg(graph, vertices, counts, before=before, method="latest", edges=direction)
    check_sample(graph, vertices, counts, before, sample, direction)
    assert sample.seed_time.tolist() == before
    sample = sample_pyg(graph, vertices, counts, method="latest", edges=direction)
    check_sample(graph, vertices, counts, None, sample, direction)
    assert "seed_time" not in sample


def test_random_samples(structure):
    """They depend only on the seed, not on the structure. Hops draw independently of each other."""
    rng = np.random.default_rng(5)
    src, dst, time = rng.integers(0, [[40], [40], [100]], (3, 600))
    graph = structure.from_edges(src, dst, time=time, num_vertices=40, device="cpu", edge_data={"fee": src * 1.0})
    sample = sample_pyg(graph, [3, 3], [4, 2], before=80, seed=1, edge_attr=["fee", "time"])
    assert sample.edge_attr.shape == (sample.num_edges, 2) and "edge_time" not in sample
    assert (sample.edge_attr[:, 1] < 80).all() and sample.seed_time.tolist() == [80, 80]
    drawn = (sample.n_id[:10].tolist(), sample.num_nodes)
    assert drawn[0][2:6] != drawn[0][6:10] and len(set(drawn[0][2:6])) == 4
    twin = CSR.from_edges(src, dst, time=time, num_vertices=40, device="cpu", edge_data={"fee": src * 1.0})
    again = sample_pyg(twin, [3, 3], [4, 2], before=80, seed=1)
    assert again.n_id[:10].tolist() == drawn[0] and again.num_nodes == drawn[1]
    assert sample_pyg(twin, [3, 3], [4, 2], before=80, seed=2).n_id.tolist() != again.n_id.tolist()
    faded = sample_pyg(graph, torch.tensor([3]), [2], method="decay", half_life=5, seed=2**64 - 1)
    assert faded.num_edges == 2


@pytest.mark.parametrize("directed", [False, True])
def test_records_are_edges(directed):
    """Sample times, which may equal the seed's, and times of the whole graph."""
    src, dst, time = [0, 1, 0, 1, 0], [1, 2, 1, 0, 2], [10, 20, 30, 30, 40]
    graph = SlabGraph.from_edges(
        src, dst, [1.0, 2, 3, 4, 5], time=time, edge_data={"fee": np.arange(5) * 2}, directed=directed,
        in_edges=directed, multi_edges="all", device="cpu",
    )  # fmt: skip
    for inclusive in (False, True):
        sample = sample_pyg(graph, [1], [-1], before=30, inclusive=inclusive, method="latest", edge_attr=["fee"])
        into = [(t, u, fee) for u, v, t, fee in zip(src, dst, time, range(0, 10, 2), strict=True) if v == 1]
        if not directed:
            into += [(t, v, fee) for u, v, t, fee in zip(src, dst, time, range(0, 10, 2), strict=True) if u == 1]
        into = [event for event in into if event[0] < 30 + inclusive]
        neighbors = sample.n_id[sample.edge_index[0]].tolist()
        fees = sample.edge_attr[:, 0].tolist()
        assert sorted(zip(sample.edge_time.tolist(), neighbors, fees, strict=True)) == sorted(into)
        assert sample.edge_index[1].tolist() == [0] * len(into)
        assert graph.record_data["fee"][np.asarray(sample.e_id)].tolist() == fees
        assert len(sample.edge_weight) == len(into)
    data, twin = to_pyg(graph), to_pyg(with_data(SlabGraph, directed=directed))
    rows = [*zip(src, dst, time, strict=True)] + ([] if directed else [*zip(dst, src, time, strict=True)])
    assert sorted(zip(*data.edge_index.tolist(), data.edge_time.tolist(), strict=True)) == sorted(rows)
    assert graph.record_data["time"][np.asarray(data.e_id)].tolist() == data.edge_time.tolist()
    assert twin.num_edges == with_data(SlabGraph, directed=directed).num_arcs


def test_all_neighbors_are_sampled():
    graph = with_data(SlabGraph, directed=False)
    sample = sample_pyg(graph, [0, 3], [-1, -1], method="latest")
    check_sample(graph, [0, 3], [10**6, 10**6], None, sample)
    with pytest.raises(ValueError, match=r"counts\[1\] must be at least 1, or -1 for all neighbors, got -2"):
        sample_pyg(graph, [0], [1, -2], method="latest")


def test_bad_samples():
    graph = with_data(SlabGraph, directed=True)
    for arguments, error, text in (
        (([0], [2]), ValueError, "in_edges"),
        (([0], [0]), ValueError, r"counts\[0\] must be at least 1"),
        (([0], [1.5]), TypeError, r"counts\[0\] must be an integer"),
    ):
        with pytest.raises(error, match=text):
            sample_pyg(graph, *arguments, method="latest")
    with pytest.raises(ValueError, match=r"vertices\[0\] is 9"):
        sample_pyg(graph, [9], [1], method="latest", edges="out")
    with pytest.raises(TypeError, match="counts must be a list of integers, one for each distance, not int"):
        sample_pyg(graph, [0], 3, method="latest")
    with pytest.raises(ValueError, match="edges must be one of 'in', 'out', not 'both'"):
        sample_pyg(graph, [0], [1], method="latest", edges="both")
    with pytest.raises(TypeError, match="needs a seed"):
        sample_pyg(graph, [0], [1], edges="out")
    with pytest.raises(ValueError, match="graph must have times"):
        sample_pyg(make(CSR), [0], [1], method="latest")
    with pytest.raises(ValueError, match="before"):
        sample_pyg(graph, [0, 1], [1], before=[5], method="latest", edges="out")
    assert sample_pyg(graph, [], [2], method="latest", edges="out").num_nodes == 0
    assert fr.interchange.sample_pyg is sample_pyg
