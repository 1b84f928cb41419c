"""Edge data in operators, algorithms and observers."""

import numpy as np
import pytest
from edge_rows import DATA, N, Pair
from model import to_host

import algorithms
import frontier as fr
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from structures import CSR, SlabGraph

# ---- operators ------------------------------------------------------------------------------------------------------


def spend(src, dst, edge, weight, amount, spent):
    if amount[edge] > 0.5:
        amount[edge] = 0
        spent[edge] = weight
        return True
    return False


def amount_of(src, dst, edge, weight, amount):
    return amount[edge]


def weight_of(src, dst, edge, weight):
    return weight


def note(u, v, w, edge_uw, edge_vw, first, second):
    first[0] = edge_uw
    second[0] = edge_vw


def note_edge(src, dst, edge, weight, found):
    found[0] = edge
    found[1] = weight


@pytest.fixture
def small(structure, device, orientation):
    """Edges 0-1, 1-2, 0-2, 3-0 whose ids are 0 to 3, with weights 5 to 8 and amounts."""
    return structure.from_edges(
        [0, 1, 0, 3], [1, 2, 2, 0], [5.0, 6, 7, 8], device=device, edge_data={"amount": [0.25, 0.75, 1, 0.5]},
        **orientation,
    )  # fmt: skip


@pytest.mark.sampled("orientation", of=7)
def test_functors_read_and_write(small):
    spent = small.xp.zeros(small.edge_capacity)
    reached = fr.advance(small, fr.Frontier(small, [0, 1]), spend, small.edge_data["amount"], spent)
    assert list(reached) == [2]
    assert to_host(small, small.edge_data["amount"]).tolist() == [0.25, 0, 0, 0.5]
    assert to_host(small, spent).tolist() == [0, 6, 7, 0]


@pytest.mark.sampled("orientation", of=7)
def test_reductions(small):
    sums = to_host(small, fr.neighbor_reduce(small, None, amount_of, small.edge_data["amount"])).tolist()
    weights = to_host(small, fr.neighbor_reduce(small, None, weight_of)).tolist()
    assert sums == ([1.25, 0.75, 0, 0.5] if small.directed else [1.75, 1, 1.75, 0.5])
    assert weights == ([12, 6, 0, 8] if small.directed else [20, 11, 13, 8])


@pytest.mark.sampled("orientation", of=7)
def test_edges_of_operators_are_ids(small):
    xp = small.xp
    first, second = xp.zeros(1, np.int64), xp.zeros(1, np.int64)
    fr.intersect(small, [0], [1], note, first, second)
    assert [int(first[0]), int(second[0])] == [2, 1]
    found = xp.zeros(2, np.int64)
    fr.visit_edges(small, [3], [0], note_edge, found, output=False)
    assert to_host(small, found).tolist() == [3, 8]
    fr.visit_edges(small, [1], [3], note_edge, found, output=False)
    assert to_host(small, found).tolist() == [-1, 1]
    fr.sample_neighbors(small, fr.Frontier(small, [3]), note_edge, found, count=1, method="weighted", seed=1)
    assert to_host(small, found).tolist() == [3, 8]
    _, ids, edges = fr.advanced.extract_neighbors(small, [1])
    held = dict(zip(to_host(small, ids).tolist(), to_host(small, edges).tolist(), strict=True))
    assert held == ({2: 1} if small.directed else {0: 0, 2: 1})
    assert to_host(small, small.successors([1])[2]).tolist() == ([6] if small.directed else [5, 6])


def test_both_directions_see_one_id(device):
    graph = CSR.from_edges([0, 1], [1, 2], directed=True, in_edges=True, device=device, edge_data={"time": [3, 4]})
    seen = graph.xp.zeros(2, np.int64)
    fr.advance(graph, fr.Frontier(graph, [1]), note_time, graph.edge_data["time"], seen, edges="both")
    assert to_host(graph, seen).tolist() == [3, 4]


def note_time(src, dst, edge, weight, time, seen):
    seen[edge] = time[edge]
    return True


@pytest.mark.slow
@pytest.mark.parametrize("weight_dtype", ["float32", "int64"])
@pytest.mark.sampled("weight_dtype", of=7)
def test_algorithms_read_the_weights(structure, device, weight_dtype, rng):
    """Each gets the same result as on a graph with weights and no edge data."""
    src, dst = rng.integers(0, 200, 1500), rng.integers(0, 200, 1500)
    weights = rng.integers(1, 9, 1500).astype(weight_dtype)
    plain = structure.from_edges(src, dst, weights, num_vertices=200, device=device)
    graph = structure(200, device=device, weight_dtype=weight_dtype, edge_data={"time": "int32"})
    graph.insert_edges(src, dst, weights, time=np.arange(1500))
    graph.delete_edges(src[:200], dst[:200])
    plain.delete_edges(src[:200], dst[:200])

    def same(a, b):
        np.testing.assert_allclose(to_host(graph, a), to_host(plain, b), rtol=1e-6)

    same(algorithms.sssp(graph, 0).distance, algorithms.sssp(plain, 0).distance)
    same(algorithms.pagerank(graph, tol=1e-9).pagerank, algorithms.pagerank(plain, tol=1e-9).pagerank)
    same(graph.to_csr().weights, plain.to_csr().weights)


@pytest.mark.slow
def test_incremental_algorithms(device, rng):
    """Algorithms that index arrays by edge do so by id: each agrees with a recomputation after every batch."""
    graph = SlabGraph(60, device=device, weight_dtype="float32", edge_data={"time": "int64"})
    triangles, truss = algorithms.DynamicTriangleCount(graph), algorithms.DynamicKTruss(graph, 4)
    distances = algorithms.DynamicSSSP(graph, 0)
    for step in range(6):
        src, dst, weights = rng.integers(0, 60, 200), rng.integers(0, 60, 200), rng.integers(1, 9, 200)
        graph.insert_edges(src, dst, weights.astype(np.float32), time=np.arange(200) + step)
        graph.delete_edges(rng.integers(0, 60, 150), rng.integers(0, 60, 150))
        assert triangles.total == algorithms.triangle_count(graph).total
        native = algorithms.k_truss(graph, 4, layout="native")
        assert truss.num_edges == native.num_edges
        copied = algorithms.truss_numbers(graph, layout="csr")
        numbers = algorithms.truss_numbers(graph, layout="native").truss
        np.testing.assert_array_equal(to_host(graph, numbers), to_host(graph, copied.truss))
        wanted = algorithms.sssp(graph, 0).distance
        np.testing.assert_array_equal(to_host(graph, distances.distance), to_host(graph, wanted))


def test_operators_ask_for_weights():
    """`view.weights` may contain ids: kernels of operators go through edge.cuh and weights.py."""
    folder = PROJECT_ROOT / "frontier/operators"
    files = [*folder.rglob("*.cuh"), *folder.rglob("cpu.py")]
    assert len(files) > 20
    lines = {line.strip(" \\") for path in files for line in path.read_text().splitlines() if "view.weights[" in line}
    assert lines <= {"if (weights) weights[place] = view.weights[slot];"}  # a copy of the stored column


# ---- observers ------------------------------------------------------------------------------------------------------


class Sums(fr.UpdateObserver):
    """The sum of amounts and the times of all edges, from notifications only."""

    sees_changes = True

    def __init__(self, graph):
        self.graph = graph
        self.rows = {}
        self.changed = 0
        graph.attach(self)

    def _read(self, src, dst):
        graph = self.graph
        ids = to_host(graph, graph.edge_ids(src, dst))
        assert (ids >= 0).all() and len(np.unique(ids)) == ids.size
        values = (to_host(graph, graph.edge_data[name])[ids].tolist() for name in DATA)
        return dict(zip(zip(*(to_host(graph, side).tolist() for side in (src, dst)), strict=True),
                        zip(*values, strict=True), strict=True))  # fmt: skip

    def edges_inserted(self, src, dst):
        rows = self._read(src, dst)
        assert not rows.keys() & self.rows.keys()
        self.rows |= rows

    def edges_changing(self, src, dst):
        rows = self._read(src, dst)
        assert rows == {key: self.rows[key] for key in rows}

    def edges_changed(self, src, dst):
        rows = self._read(src, dst)
        assert rows.keys() <= self.rows.keys()
        self.changed += len(rows)
        self.rows |= rows

    def edges_deleting(self, src, dst):
        for key, row in self._read(src, dst).items():
            assert self.rows.pop(key) == row


@pytest.mark.slow
@pytest.mark.sampled("orientation", of=7)
def test_observers_see_values(structure, device, orientation, rng):
    pair = Pair(structure, device, **orientation)
    sums = Sums(pair.graph)
    for on_existing in ("replace", "keep", "replace", "replace"):
        pair.insert(*pair.batch(rng, 300), on_existing=on_existing)
        assert sums.rows == {key: (row[2], row[3]) for key, row in pair.rows.items()}
        pair.delete(*pair.batch(rng, 100)[:2])
        pair.delete_vertices([int(rng.integers(0, N))])
        pair.graph.insert_vertices(sorted(pair.dead))
        pair.dead.clear()
        assert sums.rows == {key: (row[2], row[3]) for key, row in pair.rows.items()}
    assert sums.changed


def test_changes_of_weights(device):
    """Graphs without edge data notify of new weights as well. Observers that do not ask are not notified."""
    graph = SlabGraph(4, device=device, weight_dtype="float32")
    told = []

    class Listener(fr.UpdateObserver):
        sees_changes = True

        def edges_changing(self, src, dst):
            told.append(("before", to_host(graph, graph.edge_weights(src, dst)).tolist()))

        def edges_changed(self, src, dst):
            told.append(("after", to_host(graph, graph.edge_weights(src, dst)).tolist()))

    class Deaf(Listener):
        sees_changes = False

    listener, deaf = Listener(), Deaf()
    graph.attach(deaf)
    graph.attach(listener)
    graph.insert_edges([0, 1], [1, 2], [1, 2])
    graph.insert_edges([1, 2, 2], [0, 1, 3], [5, 6, 7])
    graph.insert_edges([0], [1], [9], on_existing="keep")
    assert told == [("before", []), ("after", []), ("before", [1, 2]), ("after", [5, 6])]
