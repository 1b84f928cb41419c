"""Mixed batches have the answers and effects of their operations, run one by one."""

import re

import emulator
import numpy as np
import pytest
from graphs import KINDS
from hypothesis import given
from hypothesis import strategies as st
from model import edge_key, to_host

import frontier as fr
from frontier.features.mixed import on_gpu, operations
from frontier.runtime import gpu_available
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from structures import CSR, SlabGraph

N = 7
EDGE, VERTEX = (
    (fr.Operation.INSERT, fr.Operation.DELETE, fr.Operation.HAS_EDGE, fr.Operation.WEIGHT),
    (fr.Operation.DEGREE, fr.Operation.NEIGHBORS),
)


class Model:
    """A dict of edges: weight, time, value. Operations are run one by one."""

    def __init__(self, graph):
        self.graph = graph
        self.edges = {}

    key = edge_key

    def neighbors(self, u):
        ends = [v for a, v in self.edges if a == u]
        return sorted(ends if self.graph.directed else ends + [a for a, v in self.edges if v == u])

    def run(self, op, u, v, row):
        """The answer, a weight, a list, and the counts of inserted, replaced and deleted edges."""
        key = self.key(u, v)
        held = self.edges.get(key)
        if op in VERTEX:
            found = self.neighbors(u)
            return len(found), 0, found if op == fr.Operation.NEIGHBORS else [], (0, 0, 0)
        if op == fr.Operation.INSERT:
            if u == v:
                return 0, 0, [], (0, 0, 0)
            keep = self.graph.keep_time
            counts = held is None or keep is None or (row[1] >= held[1] if keep == "latest" else row[1] < held[1])
            if counts:
                self.edges[key] = row
            return int(held is None), 0, [], (int(held is None), int(held is not None), 0)
        if op == fr.Operation.DELETE:
            self.edges.pop(key, None)
            return int(held is not None), 0, [], (0, 0, int(held is not None))
        return int(held is not None), held[0] if op == fr.Operation.WEIGHT and held else 0, [], (0, 0, 0)


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


@pytest.mark.parametrize("kind", ["plain", "latest"])
@pytest.mark.parametrize("directed", [False, True])
def test_one_pair(device, directed, kind, rng):
    """All operations on one pair, listed in both directions, and on a vertex with itself."""
    pair = Pair(SlabGraph, device, kind, directed=directed)
    for size in (1, 2, 50):
        ops, _, _, *rows = random_operations(rng, size)
        src = rng.integers(2, 4, size)
        pair.apply(ops, src, 5 - src, *rows)
        pair.apply(ops, src, src, *rows)


def test_between_updates_of_a_pair(device):
    """Look-ups find the pairs listed before them, in either direction. The last weight counts."""
    graph, op = SlabGraph(4, weight_dtype="float32", device=device), fr.Operation
    graph.insert_edges([0], [1], [5.0])
    ops = [op.WEIGHT, op.INSERT, op.WEIGHT, op.DELETE, op.HAS_EDGE, op.INSERT, op.INSERT, op.WEIGHT, op.DEGREE]
    src, dst = [0, 1, 0, 0, 1, 0, 1, 0, 1], [1, 0, 1, 1, 0, 1, 0, 1, 0]
    found = graph.apply(ops, src, dst, [9, 6, 9, 9, 9, 7, 8, 9, 9])
    assert to_host(graph, found.answers).tolist() == [1, 0, 1, 1, 0, 1, 0, 1, 1]
    assert to_host(graph, found.weights).tolist() == [5, 0, 6, 0, 0, 0, 0, 8, 0]
    assert (found.inserted, found.replaced, found.deleted) == (1, 2, 1)
    assert to_host(graph, graph.edge_weights([0], [1])).tolist() == [8]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_operations_of_any_integers(device, dtype):
    graph = SlabGraph(4, device=device)
    ops = graph.xp.asarray(np.array([0, 2, 1, 2, 4], dtype))
    assert to_host(graph, graph.apply(ops, [0] * 5, [1] * 5).answers).tolist() == [1, 1, 1, 0, 0]
    with pytest.raises(ValueError, match="no operation"):
        graph.apply(np.array([0, np.iinfo(dtype).max], dtype), [0, 0], [1, 2])
    assert graph.num_edges == 0


def test_ids_of_two_types(device):
    graph = SlabGraph(4, device=device)
    found = graph.apply([0, 4], np.array([0, 2], np.int32), np.array([2, 0], np.int64))
    assert to_host(graph, found.answers).tolist() == [1, 1]


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_available(), reason="there is no GPU")
@pytest.mark.parametrize("kind", ["plain", "first"])
@pytest.mark.parametrize("directed", [False, True])
def test_pairs_and_positions_that_need_two_numbers(monkeypatch, directed, kind, rng):
    """As pairs of large graphs, and batches, do."""
    monkeypatch.setattr(on_gpu, "KEY_BITS", 0)
    pair = Pair(SlabGraph, "gpu", kind, directed=directed)
    for size in (0, 1, 60, 1500):
        pair.apply(*random_operations(rng, size))


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_available(), reason="there is no GPU")
@pytest.mark.parametrize("weight_dtype", [None, "float32"])
@pytest.mark.parametrize("directed", [False, True])
def test_the_host_waits_once(monkeypatch, directed, weight_dtype, rng):
    """One synchronization for all counts, and one for each of the two updates."""
    graph = SlabGraph(300, directed=directed, weight_dtype=weight_dtype, device="gpu")
    xp, waits = graph.xp, []
    graph.insert_edges(*rng.integers(0, 300, (2, 3000)))
    device, counters = type(graph.device), type(graph.store._counters)
    for owner, names in ((device, ("to_host", "synchronize")), (counters, ("read", "synchronize"))):
        for name in names:
            wait = getattr(owner, name)
            monkeypatch.setattr(owner, name, lambda *args, wait=wait: (waits.append(wait.__name__), wait(*args))[1])
    batch = [xp.asarray(part) for part in (rng.integers(0, 5, 3000), *rng.integers(0, 300, (2, 3000)))]
    found = graph.apply(*batch)
    assert found.inserted and found.deleted and waits == ["to_host", "synchronize", "synchronize"]
    waits.clear()
    assert graph.apply(xp.full(9, 2), *(part[:9] for part in batch[1:])).inserted == 0
    assert waits == ["to_host"]


@pytest.mark.gpu
@pytest.mark.skipif(not emulator.wanted(), reason="on a GPU CuPy tells what it compiles")
@pytest.mark.parametrize("orientation", [{"directed": False}, {"directed": True}])
@pytest.mark.parametrize("kind", ["plain", "weights"])
def test_mixed_batches_leave_nothing_to_cupy(structure, kind, orientation, rng):
    """On an emulated GPU, where each use of CuPy that would compile is seen."""
    from emulator.compilations import compilations

    if not structure.can_store_weights and kind != "plain":
        pytest.skip(f"{structure.name} stores no weights")
    graph = structure(60, device="gpu", **KINDS[kind], **orientation)
    xp = graph.xp
    with compilations() as found:
        for size in (0, 1, 40, 1500, 1500):
            batch = rng.integers(0, len(fr.Operation), size).astype(np.uint8), *rng.integers(0, 60, (2, size))
            weights = xp.asarray(rng.random(size, np.float32)) if graph.is_weighted else None
            graph.apply(*map(xp.asarray, batch), weights)
    assert not [line for line in found if not line.startswith("frontier/runtime/memory/elementwise.py")]


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
        if op == fr.Operation.INSERT:
            assert single.insert_edges([u], [v], [w]).inserted == answer
        elif op == fr.Operation.DELETE:
            assert single.delete_edges([u], [v]).deleted == answer
        elif op in (fr.Operation.HAS_EDGE, fr.Operation.WEIGHT):
            assert bool(single.has_edges([u], [v])[0]) == bool(answer)
            if answer and op == fr.Operation.WEIGHT:
                assert float(result.weights[i]) == float(single.edge_weights([u], [v])[0])
        else:
            assert int(single.degrees()[u]) == answer
            if op == fr.Operation.NEIGHBORS:
                found = result.neighbors[int(result.offsets[i]) : int(result.offsets[i + 1])]
                assert found.tolist() == single.neighbors(u).tolist()
    assert [part.tolist() for part in mixed.to_coo()] == [part.tolist() for part in single.to_coo()]


def test_deleted_vertices(device):
    graph = SlabGraph(5, device=device)
    graph.insert_edges([0, 1, 2], [1, 2, 3])
    graph.delete_vertices([3])
    with pytest.raises(ValueError, match="deleted"):
        graph.apply([fr.Operation.DEGREE], [3], [0])
    result = graph.apply([fr.Operation.DEGREE, fr.Operation.NEIGHBORS], [2, 1], [3, 99])  # where dst has no meaning
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
    op = fr.Operation
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
        (TypeError, "ops must contain operations", {"ops": [0.5, 1]}),
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
    text = (PROJECT_ROOT / "frontier/features/mixed/kernels.cuh").read_text()
    kinds, counts = re.findall(r"^enum \{ (.*) \};", text, re.MULTILINE)
    kinds = kinds.replace("WEIGHT_OF", "WEIGHT").split(", ")  # WEIGHT is a macro of other headers
    counts = counts.split(", ")
    assert [getattr(operations, name) for name in kinds] == list(range(len(fr.Operation)))
    assert [getattr(operations, name) for name in counts] == list(range(operations.TALLY))
