"""Mixed batches: answers and effects are those of the operations run one by one."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model import to_host

import frontier as fr
from frontier.opera import operations
from frontier.runtime.cache import PROJECT_ROOT
from structures import CSR, SlabGraph

N = 7
EDGE, VERTEX = (fr.Op.INSERT, fr.Op.DELETE, fr.Op.HAS_EDGE, fr.Op.WEIGHT), (fr.Op.DEGREE, fr.Op.NEIGHBORS)
KINDS = {
    "plain": {},
    "weights": {"weight_dtype": "float32"},
    "data": {"edge_data": {"value": "int32"}},
    "latest": {"time": "s", "weight_dtype": "int64"},
    "first": {"time": "s", "keep_time": "first", "weight_dtype": "int64"},
}


class Model:
    """A dict of edges: weight, time, value. Operations are run one by one."""

    def __init__(self, graph):
        self.graph = graph
        self.edges = {}

    def key(self, u, v):
        return (u, v) if self.graph.directed or u < v else (v, u)

    def neighbors(self, u):
        ends = [v for a, v in self.edges if a == u]
        return sorted(ends if self.graph.directed else ends + [a for a, v in self.edges if v == u])

    def run(self, op, u, v, row):
        """The answer, a weight, a list, and how many edges were inserted, replaced and deleted."""
        key = self.key(u, v)
        held = self.edges.get(key)
        if op in VERTEX:
            found = self.neighbors(u)
            return len(found), 0, found if op == fr.Op.NEIGHBORS else [], (0, 0, 0)
        if op == fr.Op.INSERT:
            if u == v:
                return 0, 0, [], (0, 0, 0)
            keep = self.graph.keep_time
            counts = held is None or keep is None or (row[1] >= held[1] if keep == "latest" else row[1] < held[1])
            if counts:
                self.edges[key] = row
            return int(held is None), 0, [], (int(held is None), int(held is not None), 0)
        if op == fr.Op.DELETE:
            self.edges.pop(key, None)
            return int(held is not None), 0, [], (0, 0, int(held is not None))
        return int(held is not None), held[0] if op == fr.Op.WEIGHT and held else 0, [], (0, 0, 0)


class Pair:
    """A graph and its model."""

    def __init__(self, structure, device, kind, num_vertices=N, **options):
        self.graph = structure(num_vertices, device=device, **KINDS[kind], **options)
        self.model = Model(self.graph)

    def apply(self, ops, src, dst, weights, times, values):
        graph = self.graph
        given_weights = weights if graph.is_weighted else None
        columns = {"time": times, "value": values}
        columns = {name: columns[name] for name in graph.edge_data or () if name != "weight"}
        result = graph.apply(ops, src, dst, given_weights, **columns)
        rows = [(w if graph.is_weighted else 1, t, x) for w, t, x in
                zip(*(part.tolist() for part in (weights, times, values)), strict=True)]  # fmt: skip
        records = zip(ops.tolist(), src.tolist(), dst.tolist(), rows, strict=True)
        answers = [self.model.run(*record) for record in records]
        assert to_host(graph, result.answers).tolist() == [answer for answer, *_ in answers]
        assert to_host(graph, result.weights).tolist() == [weight for _, weight, *_ in answers]
        offsets, neighbors = to_host(graph, result.offsets), to_host(graph, result.neighbors)
        lists = [neighbors[offsets[i] : offsets[i + 1]].tolist() for i in range(ops.size)]
        assert lists == [found for _, _, found, _ in answers]
        assert neighbors.size == offsets[-1] and neighbors.dtype == graph.vertex_dtype
        counts = [sum(each[i] for *_, each in answers) for i in range(3)]
        assert [result.inserted, result.replaced, result.deleted] == counts
        self.check()

    def check(self):
        graph, edges = self.graph, self.model.edges
        assert graph.num_edges == len(edges)
        if edges:
            src, dst = np.array(list(edges)).T
            assert to_host(graph, graph.edge_weights(src, dst)).tolist() == [row[0] for row in edges.values()]
            for name, place in (("time", 1), ("value", 2)):
                if graph.edge_data is not None and name in graph.edge_data:
                    held = to_host(graph, graph.edge_data[name][graph.edge_ids(src, dst)])
                    assert held.tolist() == [row[place] for row in edges.values()]


def random_operations(rng, size, n=N):
    ops = rng.choice([0, 0, 0, 1, 1, 2, 3, 4, 5], size)
    return ops, *rng.integers(0, n, (2, size)), *rng.integers(1, 99, (3, size))


@pytest.mark.sampled("kind", "orientation", of=3)
@pytest.mark.parametrize("kind", KINDS)
def test_random_batches(structure, device, kind, orientation, rng, tries):
    if not structure.can_store_weights and kind != "plain":
        pytest.skip(f"{structure.name} stores no weights")
    pair = Pair(structure, device, kind, **orientation)
    for size in (0, 1, 5, 60, 200, *[40] * tries(4, 400)):
        pair.apply(*random_operations(rng, size))


RECORD = st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3), st.integers(1, 3))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("structure", [CSR, SlabGraph])
@given(st.lists(st.lists(RECORD, max_size=12), max_size=3))
def test_short_batches(structure, directed, batches):
    pair = Pair(structure, "cpu", "latest", num_vertices=4, directed=directed)
    for batch in batches:
        ops, src, dst, times = np.array(batch, np.int64).reshape(-1, 4).T
        pair.apply(ops, src, dst, np.arange(1, ops.size + 1), times, times)


def test_hubs(device, rng):
    """Many operations at few vertices: long histories, and lists of several hundred neighbors."""
    pair = Pair(SlabGraph, device, "plain", num_vertices=600)
    for _ in range(3):
        ops, _, dst, *rows = random_operations(rng, 1500, 600)
        pair.apply(ops, rng.integers(0, 3, 1500), dst, *rows)


def test_one_by_one(device, rng):
    """Against the graph's own methods, called for each operation."""
    mixed, single = (CSR(9, weight_dtype="float32", device=device) for _ in range(2))
    ops, src, dst, weights, *_ = random_operations(rng, 150, 9)
    result = mixed.apply(ops, src, dst, weights)
    for i, (op, u, v, w) in enumerate(zip(*map(np.ndarray.tolist, (ops, src, dst, weights)), strict=True)):
        answer = int(result.answers[i])
        if op == fr.Op.INSERT:
            assert single.insert_edges([u], [v], [w]).inserted == answer
        elif op == fr.Op.DELETE:
            assert single.delete_edges([u], [v]).deleted == answer
        elif op in (fr.Op.HAS_EDGE, fr.Op.WEIGHT):
            assert bool(single.has_edges([u], [v])[0]) == bool(answer)
            if answer and op == fr.Op.WEIGHT:
                assert float(result.weights[i]) == float(single.edge_weights([u], [v])[0])
        else:
            assert int(single.degrees()[u]) == answer
            if op == fr.Op.NEIGHBORS:
                found = result.neighbors[int(result.offsets[i]) : int(result.offsets[i + 1])]
                assert found.tolist() == single.neighbors(u).tolist()
    assert [part.tolist() for part in mixed.to_coo()] == [part.tolist() for part in single.to_coo()]


def test_deleted_vertices(device):
    graph = SlabGraph(5, device=device)
    graph.insert_edges([0, 1, 2], [1, 2, 3])
    graph.delete_vertices([3])
    with pytest.raises(ValueError, match="deleted"):
        graph.apply([fr.Op.DEGREE], [3], [0])
    result = graph.apply([fr.Op.DEGREE, fr.Op.NEIGHBORS], [2, 1], [3, 99])  # where dst has no meaning
    assert to_host(graph, result.answers).tolist() == [1, 2]
    assert to_host(graph, result.neighbors).tolist() == [0, 2]


def test_observers_see_the_net_effect(structure, device):
    class Seen(fr.UpdateObserver):
        def __init__(self):
            self.inserted, self.deleted = [], []

        def edges_inserted(self, src, dst):
            self.inserted += zip(src.tolist(), dst.tolist(), strict=True)

        def edges_deleted(self, src, dst):
            self.deleted += zip(src.tolist(), dst.tolist(), strict=True)

    graph = structure(6, device=device)
    graph.insert_edges([0, 1], [1, 2])
    seen = Seen()
    graph.attach(seen)
    op = fr.Op
    graph.apply(
        [op.INSERT, op.DELETE, op.DELETE, op.INSERT, op.DELETE, op.INSERT, op.INSERT],
        [3, 4, 0, 1, 2, 4, 4], [4, 3, 1, 0, 1, 5, 5],
    )  # fmt: skip
    assert (seen.inserted, seen.deleted) == ([(4, 5)], [(1, 2)])


def test_ids_stay(device):
    graph = SlabGraph(4, edge_data={"value": "int32"}, device=device)
    graph.insert_edges([0, 1], [1, 2], value=[1, 2])
    ids = to_host(graph, graph.edge_ids([0, 1], [1, 2])).tolist()
    graph.apply([1, 0, 0], [0, 0, 2], [1, 1, 3], value=[0, 7, 8])
    assert to_host(graph, graph.edge_ids([0, 1], [1, 2])).tolist() == ids
    assert to_host(graph, graph.edge_data["value"][graph.edge_ids([0, 2], [1, 3])]).tolist() == [7, 8]


def test_bad_input_changes_nothing(device):
    graph = SlabGraph(4, weight_dtype="float32", edge_data={"value": "int32"}, device=device)
    graph.insert_edges([0], [1], [2], value=[3])
    version = graph.version
    good = {"ops": [0, 1], "src": [1, 0], "dst": [2, 1], "weights": [1, 1], "value": [1, 1]}
    for error, text, bad in (
        (ValueError, r"ops\[1\] is 6, which is no operation", {"ops": [0, 6]}),
        (ValueError, r"ops\[0\] is -1", {"ops": [-1, 0]}),
        (TypeError, "ops must hold operations", {"ops": [0.5, 1]}),
        (ValueError, "same length", {"ops": [0]}),
        (ValueError, "same length", {"weights": [1]}),
        (ValueError, r"dst\[0\] is 4", {"dst": [4, 1]}),
        (ValueError, r"weights\[0\] is NaN", {"weights": [np.nan, 1]}),
        (TypeError, "apply\\(\\) needs value=", {"value": None}),
        (TypeError, "apply\\(\\) got other=", {"other": [1, 1]}),
    ):
        with pytest.raises(error, match=text):
            graph.apply(**(good | bad))
        assert graph.version == version and graph.num_edges == 1
    graph.apply([1, 3], [0, 0], [1, 1], [np.nan, np.nan])  # weights of other operations have no meaning
    assert graph.num_edges == 0
    with pytest.raises(ValueError, match="has none"):
        SlabGraph(4, device=device).apply([0], [0], [1], [1.0])
    with pytest.raises(TypeError, match="no edge data"):
        SlabGraph(4, device=device).apply([0], [0], [1], value=[1])
    directed = SlabGraph(5, directed=True, in_edges=True, device=device)
    with pytest.raises(TypeError, match="read-only"):
        directed.reverse.apply([4], [0], [0])


def test_kernels_know_the_same_numbers():
    text = (PROJECT_ROOT / "frontier/opera/kernels.cuh").read_text()
    kinds, counts = (re.findall(r"^enum \{ (.*) \};", text, re.MULTILINE))
    kinds = kinds.replace("WEIGHT_OF", "WEIGHT").split(", ")  # WEIGHT is a macro of other headers
    counts = counts.split(", ")
    assert [getattr(operations, name) for name in kinds] == list(range(len(fr.Op)))
    assert [getattr(operations, name) for name in counts] == list(range(operations.TALLY))
