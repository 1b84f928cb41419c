"""Edge data: each edge keeps its id and its row of values through every update, whatever the structure does with it."""

import copy
import pickle

import numpy as np
import pytest
from graph_files import pack, unpack
from model import to_host
from test_operations_memory import exhausted

import algorithms
import frontier as fr
from frontier.runtime.cache import PROJECT_ROOT
from frontier.runtime.growable import SMALL
from structures import CSR, SlabGraph

N = 40
DATA = {"time": "int64", "amount": "float32"}


class Pair:
    """A graph with edge data, and a dict of its edges: id, weight, time, amount."""

    def __init__(self, structure, device, *, weight_dtype=None, num_vertices=N, **options):
        self.graph = structure(
            num_vertices, edge_data=DATA, device=device, weight_dtype=weight_dtype, **options
        )  # fmt: skip
        self.rows = {}
        self.dead = set()

    def key(self, u, v):
        return (u, v) if self.graph.directed or u < v else (v, u)

    def batch(self, rng, size):
        """Random edges between vertices that exist: some are loops, some listed twice, in either direction."""
        alive = np.setdiff1d(np.arange(self.graph.num_vertices), list(self.dead))
        src, dst = rng.choice(alive, size), rng.choice(alive, size)
        times, amounts = rng.integers(0, 2**60, size), rng.random(size).astype(np.float32)
        weights = rng.integers(-3, 9, size).astype(np.float32) if self.graph.is_weighted else None
        return src, dst, weights, times, amounts

    def insert(self, src, dst, weights, time, amount, on_existing="replace"):
        result = self.graph.insert_edges(src, dst, weights, time=time, amount=amount, on_existing=on_existing)
        weights = np.ones(len(src)) if weights is None else weights
        last = {self.key(u, v): row for u, v, *row in zip(*map(np.ndarray.tolist, (src, dst, weights, time, amount)),
                                                         strict=True) if u != v}  # fmt: skip
        before = dict(self.rows)
        for key, (weight, *values) in last.items():
            held = self.rows.get(key)
            if held is not None and on_existing == "keep":
                continue
            if on_existing == "add":
                weight += held[1] if held else 0
            if on_existing == "add" and weight <= 0:
                self.rows.pop(key, None)
            else:
                self.rows[key] = [held and held[0], weight, *values]
        assert result.inserted == len(self.rows.keys() - before.keys())
        assert result.deleted == len(before.keys() - self.rows.keys())

    def delete(self, src, dst):
        gone = {self.key(u, v) for u, v in zip(src.tolist(), dst.tolist(), strict=True)} & self.rows.keys()
        assert self.graph.delete_edges(src, dst).deleted == len(gone)
        for key in gone:
            del self.rows[key]

    def delete_vertices(self, ids):
        self.graph.delete_vertices(ids)
        self.dead |= set(ids)
        self.rows = {key: row for key, row in self.rows.items() if not set(key) & self.dead}

    def check(self):
        """The graph holds these rows, each at the id that it had before."""
        graph = self.graph
        assert graph.num_edges == len(self.rows)
        if not self.rows:
            return
        src, dst = np.array(list(self.rows)).T
        ids = to_host(graph, graph.edge_ids(src, dst))
        assert ids.min() >= 0 and ids.max() < graph.edge_capacity and len(np.unique(ids)) == ids.size
        for (key, row), now in zip(self.rows.items(), ids.tolist(), strict=True):
            assert row[0] in (None, now), f"{key} had the id {row[0]}, and now has {now}"
            row[0] = now
        if not graph.directed:
            assert to_host(graph, graph.edge_ids(dst, src)).tolist() == ids.tolist()
        if graph.has_in_edges:
            assert to_host(graph, graph.reverse.edge_ids(dst, src)).tolist() == ids.tolist()
        for column, name in ((2, "time"), (3, "amount")):
            held = to_host(graph, graph.edge_data[name])[ids]
            assert held.tolist() == [row[column] for row in self.rows.values()]
        weights = to_host(graph, graph.edge_weights(src, dst))
        assert weights.tolist() == [row[1] for row in self.rows.values()]
        assert [to_host(graph, ends).tolist() for ends in graph.edge_endpoints(ids)] == [src.tolist(), dst.tolist()]
        order = np.lexsort((dst, src))
        found = [to_host(graph, part) for part in graph.to_coo()[: 3 if graph.is_weighted else 2]]
        for part, wanted in zip(found, (src, dst, weights), strict=False):
            assert part.tolist() == wanted[order].tolist()


@pytest.fixture
def pair(structure, device):
    return Pair(structure, device)


# ---- updates --------------------------------------------------------------------------------------------------------


@pytest.mark.sampled("orientation", "weight_dtype", of=3)
def test_random_updates(structure, device, orientation, weight_dtype, rng, tmp_path, tries):
    pair = Pair(structure, device, weight_dtype=weight_dtype, **orientation)
    modes = ("replace", "keep", "add") if weight_dtype else ("replace", "keep")
    path = tmp_path / "graph.npz"
    for step in range(tries(40, 2000)):
        kind = rng.random()
        if kind < 0.55:
            pair.insert(*pair.batch(rng, int(rng.integers(0, 90))), on_existing=modes[step % len(modes)])
        elif kind < 0.85:
            pair.delete(*pair.batch(rng, int(rng.integers(0, 60)))[:2])
        elif kind < 0.9:
            pair.delete_vertices(rng.choice(pair.graph.num_vertices, 2, replace=False)[:1].tolist()
                                 if not pair.dead else [])  # fmt: skip
        elif kind < 0.93:
            pair.graph.insert_vertices(sorted(pair.dead))
            pair.dead.clear()
            pair.graph.insert_vertices(1)
        elif kind < 0.96:
            pair.graph.compact()
        else:
            pair.graph.save(path)
            pair.graph = [
                lambda: pair.graph.copy(), lambda: copy.deepcopy(pair.graph),
                lambda: pickle.loads(pickle.dumps(pair.graph)), lambda: fr.Graph.load(path, device=device),
            ][step % 4]()  # fmt: skip
        pair.check()


def test_growth_by_many_batches(device, rng):
    """Ids stay, and so do values, while columns become arrays of many times their size."""
    size = SMALL // 8 // 6  # of a batch: columns pass the size up to which they are copied
    graph = SlabGraph(4000, directed=True, edge_data={"time": "int64"}, device=device)
    keys = np.unique(rng.integers(0, 4000 * 4000, 12 * size))
    src, dst = np.divmod(rng.permutation(keys), 4000)
    seen = []
    for low in range(0, 10 * size, size):
        part = slice(low, low + size)
        graph.insert_edges(src[part], dst[part], time=keys[part])
        first = to_host(graph, graph.edge_ids(src[:5], dst[:5])).tolist()
        assert not seen or first == seen
        seen = first
    kept = src[: 10 * size] != dst[: 10 * size]
    ids = graph.edge_ids(src[: 10 * size], dst[: 10 * size])
    assert to_host(graph, ids)[~kept].tolist() == [-1] * int((~kept).sum())
    held = to_host(graph, graph.edge_data["time"])[to_host(graph, ids)[kept]]
    assert (held == keys[: 10 * size][kept]).all()
    assert graph.num_edges <= graph.edge_capacity <= 2 * graph.num_edges


def test_freed_ids_are_used_again(pair):
    graph, ends = pair.graph, (np.arange(10), np.arange(10) + 10)
    graph.insert_edges(*ends, time=np.arange(10), amount=np.zeros(10))
    ids = to_host(graph, graph.edge_ids(*ends))
    graph.delete_edges([3, 3, 13], [13, 13, 3])  # one edge, listed three times
    graph.delete_edges([3], [13])
    graph.delete_vertices([7])
    graph.insert_edges([20, 21, 22], [30, 31, 32], time=[1, 2, 3], amount=[4, 5, 6])
    new = to_host(graph, graph.edge_ids([20, 21, 22], [30, 31, 32])).tolist()
    assert sorted(new) == sorted([ids[3], ids[7], 10])
    assert to_host(graph, graph.edge_data["amount"])[new].tolist() == [4, 5, 6]
    assert to_host(graph, graph.edge_ids([3], [13])).tolist() == [-1]


def test_many_rounds_take_no_more_ids(pair, rng):
    for _ in range(30):
        src, dst, _, time, amount = pair.batch(rng, 200)
        pair.graph.insert_edges(src, dst, time=time, amount=amount)
        pair.graph.delete_edges(src, dst)
    assert pair.graph.edge_capacity <= 400


def test_edges_that_are_listed_several_times(pair):
    """The last one counts, whichever direction it names; others leave no trace."""
    graph = pair.graph
    graph.insert_edges([0, 1, 0, 5, 2], [1, 0, 1, 5, 3], time=[1, 2, 3, 4, 5], amount=[1, 2, 3, 4, 5])
    assert graph.num_edges == 2
    ids = graph.edge_ids([0, 2], [1, 3])
    assert to_host(graph, graph.edge_data["time"][ids]).tolist() == [3, 5]
    assert sorted(to_host(graph, ids).tolist()) == [0, 1]
    graph.insert_edges([1, 0], [0, 1], time=[6, 7], amount=[6, 7])
    assert to_host(graph, graph.edge_ids([0, 2], [1, 3])).tolist() == to_host(graph, ids).tolist()
    assert to_host(graph, graph.edge_data["time"][ids]).tolist() == [7, 5]


def test_from_edges(structure, device, orientation, rng):
    src, dst = rng.integers(0, N, 300), rng.integers(0, N, 300)
    time, weights = np.arange(300), rng.random(300)
    graph = structure.from_edges(
        src, dst, weights, num_vertices=N, device=device, edge_data={"time": time}, **orientation
    )  # fmt: skip
    last = {(u, v) if graph.directed or u < v else (v, u): i for i, (u, v) in enumerate(zip(src, dst, strict=True))
            if u != v}  # fmt: skip
    ids = to_host(graph, graph.edge_ids(*np.array(list(last)).T))
    assert sorted(ids.tolist()) == list(range(graph.num_edges)) == list(range(len(last)))
    assert to_host(graph, graph.edge_data["time"])[ids].tolist() == list(last.values())
    assert to_host(graph, graph.edge_data["weight"])[ids].tolist() == weights[list(last.values())].tolist()


def test_values_of_edges(device):
    graph = SlabGraph(4, weight_dtype="float32", edge_data={"kind": "int8"}, device=device)
    graph.insert_edges([0, 1, 2], [1, 2, 3], [5, 6, 7], kind=[1, 2, 3])
    assert to_host(graph, graph.edge_values("kind", [2, 1], [1, 0])).tolist() == [2, 1]
    assert to_host(graph, graph.edge_values("weight", [3], [2])).tolist() == [7]
    with pytest.raises(ValueError, match="edge 1 of the list, 0 - 2, is not in the graph"):
        graph.edge_values("kind", [0, 0], [1, 2])
    with pytest.raises(ValueError, match="name must be one of 'weight', 'kind', not 'color'"):
        graph.edge_values("color", [0], [1])
    with pytest.raises(ValueError, match="this graph has no edge data"):
        SlabGraph(4, device=device).edge_values("kind", [0], [1])


def test_ids_alone(device):
    graph = SlabGraph(5, edge_data={}, device=device)
    graph.insert_edges([0, 1], [1, 2])
    assert to_host(graph, graph.edge_ids([2, 1, 3], [1, 0, 4])).tolist() == [1, 0, -1]
    assert dict(graph.edge_data) == {}


TYPES = {
    "bool": [True, False], "int8": [-128, 127], "uint8": [0, 255], "int32": [-(2**31), 2**31 - 1],
    "uint32": [0, 2**32 - 1], "int64": [-(2**63), 2**63 - 1], "uint64": [0, 2**64 - 1],
    "float32": [np.nan, np.inf], "float64": [-0.0, 5e-324],
}  # fmt: skip


def test_types(device, tmp_path):
    """Every value comes back as it was, NaN too."""
    columns = {f"of_{name}": np.array(values, name) for name, values in TYPES.items()}
    graph = SlabGraph(6, edge_data={name: values.dtype for name, values in columns.items()}, device=device)
    graph.insert_edges([0, 2], [1, 3], **columns)
    graph.save(tmp_path / "graph.npz")
    for held in (graph, fr.Graph.load(tmp_path / "graph.npz", device=device)):
        ids = to_host(held, held.edge_ids([0, 2], [1, 3]))
        for name, values in columns.items():
            assert to_host(held, held.edge_data[name])[ids].tobytes() == values.tobytes()


def test_forms_of_arrays(device):
    """Whatever weights may be, data may be: lists, other types that fit, frames, arrays of the device."""
    graph = SlabGraph(6, edge_data=DATA, device=device)
    graph.insert_edges([0], [1], time=[7], amount=np.array([2], np.int64))
    graph.insert_edges(graph.xp.asarray([2]), [3], time=graph.xp.asarray([8], np.int32), amount=(0.5,))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"src": [4], "dst": [5], "time": [9], "amount": [1.5]})
    graph.insert_edges(**frame)
    ids = to_host(graph, graph.edge_ids([0, 2, 4], [1, 3, 5]))
    assert to_host(graph, graph.edge_data["time"])[ids].tolist() == [7, 8, 9]
    assert to_host(graph, graph.edge_data["amount"])[ids].tolist() == [2, 0.5, 1.5]


# ---- mistakes -------------------------------------------------------------------------------------------------------

GOOD = {"time": [1], "amount": [1.0]}
MISTAKES = {
    "missing": ({"time": [1]}, TypeError, r"needs amount=\.\.\., as this graph has the edge data 'time' \(int64\)"),
    "none": (GOOD | {"amount": None}, TypeError, r"needs amount"),
    "unknown": (GOOD | {"ammount": [1]}, TypeError, r"got ammount=\.\.\., but this graph has the edge data"),
    "length": (GOOD | {"time": [1, 2]}, ValueError, r"same length, but src has 1, time has 2, amount has 1"),
    "scalar": (GOOD | {"time": 1}, ValueError, r"time must be one-dimensional"),
    "two-dimensional": (GOOD | {"time": [[1]]}, ValueError, r"time must be one-dimensional"),
    "floats": (GOOD | {"time": [1.5]}, TypeError, r"time holds float64, which is not stored as int64"),
    "bools": (GOOD | {"time": [True]}, TypeError, r"time holds bool, which is not stored as int64"),
    "overflow": (GOOD | {"time": [2**63]}, ValueError, r"time holds 9223372036854775808, which does not fit in int64"),
    "text": (GOOD | {"time": ["now"]}, TypeError, r"time must hold numbers"),
    "vertex": (GOOD | {"src": [99]}, ValueError, r"src\[0\] is 99, outside"),
    "weights": (GOOD | {"weights": [1]}, ValueError, r"weights were given"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake, device):
    given, error, message = MISTAKES[mistake]
    pair = Pair(SlabGraph, device, num_vertices=6)
    pair.insert(np.array([0]), np.array([1]), None, np.array([5]), np.array([0.5], np.float32))
    pair.check()
    with pytest.raises(error, match=message):
        pair.graph.insert_edges(**({"src": [0], "dst": [2]} | given))
    pair.check()
    pair.insert(np.array([0]), np.array([2]), None, np.array([6]), np.array([0.25], np.float32))
    pair.check()


@pytest.mark.parametrize("given, error, message", [
    (["time"], TypeError, "edge_data must be a dict of names to types, not list"),
    ({"time": "U5"}, TypeError, r"edge_data\['time'\] must be one of int8, .*, not <U5"),
    ({"time": "int16"}, TypeError, r"edge_data\['time'\] must be one of"),
    ({"time": "second"}, TypeError, r"edge_data\['time'\]"),
    ({"src": "int64"}, ValueError, "the name 'src', which has a meaning"),
    ({"weight": "int64"}, ValueError, "the name 'weight'"),
    ({"a b": "int64"}, ValueError, "the name 'a b', which cannot be"),
    ({"if": "int64"}, ValueError, "the name 'if'"),
    ({3: "int64"}, TypeError, "names that are strings, not int"),
])  # fmt: skip
def test_mistakes_in_declarations(given, error, message):
    with pytest.raises(error, match=message):
        SlabGraph(3, edge_data=given, device="cpu")


def test_graphs_without_edge_data_say_so(device):
    graph = SlabGraph(3, device=device)
    assert graph.edge_data is None
    with pytest.raises(TypeError, match=r"got time=\.\.\., but this graph has no edge data"):
        graph.insert_edges([0], [1], time=[3])
    for act in (graph.edge_ids, lambda src, dst: graph.edge_endpoints(src)):
        with pytest.raises(ValueError, match="this graph has no edge data"):
            act([0], [1])
    with pytest.raises(ValueError, match="same length, but src has 1, time has 2"):
        SlabGraph.from_edges([0], [1], edge_data={"time": [1, 2]}, device=device)


def test_ids_of_no_edge(device):
    graph = SlabGraph(6, edge_data={}, device=device)
    with pytest.raises(ValueError, match=r"ids\[0\] is 0, the id of no edge"):
        graph.edge_endpoints([0])
    graph.insert_edges([0, 1, 2], [1, 2, 3])
    graph.delete_edges([1], [2])
    for bad in (1, 3, -1, 10**12):
        with pytest.raises(ValueError, match=rf"ids\[1\] is {bad}, the id of no edge \(1 such ids\)"):
            graph.edge_endpoints([0, bad])


@pytest.mark.parametrize("act", ["insert", "delete"])
def test_exhausted_memory_leaves_all_as_it_was(structure, device, act, rng):
    pair = Pair(structure, device, num_vertices=200)
    pair.insert(*pair.batch(rng, 300))
    pair.check()
    batch = pair.batch(rng, 100_000 if device == "gpu" else 600)
    known = [np.array(side) for side in zip(*pair.rows, strict=True)]
    twin = pair.graph.copy()
    twin.insert_edges(batch[0], batch[1], time=batch[3], amount=batch[4])  # compiles what it needs
    twin.delete_edges(*known)
    failed = 0
    for step in range(60):
        pair.graph = pair.graph.copy()  # without the scratch memory of earlier steps
        try:
            with exhausted(pair.graph, step):
                if act == "insert":
                    pair.graph.insert_edges(batch[0], batch[1], time=batch[3], amount=batch[4])
                else:
                    pair.graph.delete_edges(*known)
        except MemoryError:
            failed += 1
            pair.check()
            continue
        break
    else:
        pytest.fail("memory was never enough")
    assert failed or device == "gpu"
    pair.rows = {} if act == "delete" else pair.rows
    pair.graph.insert_edges(batch[0], batch[1], time=batch[3], amount=batch[4])
    for u, v, time, amount in zip(batch[0].tolist(), batch[1].tolist(), batch[3].tolist(), batch[4].tolist(),
                                  strict=True):  # fmt: skip
        if u != v:
            key = pair.key(u, v)
            pair.rows[key] = [pair.rows.get(key, [None])[0], 1, time, amount]
    pair.check()


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
    _, ids, edges = fr.extract_neighbors(small, [1])
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


@pytest.mark.parametrize("weight_dtype", ["float32", "int64"])
@pytest.mark.sampled("weight_dtype", of=7)
def test_algorithms_read_the_weights(structure, device, weight_dtype, rng):
    """Each finds what it finds on a graph with weights and no edge data."""
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


def test_incremental_algorithms(device, rng):
    """Those that index arrays by edge do so by id: each agrees with a recomputation after every batch."""
    graph = SlabGraph(60, device=device, weight_dtype="float32", edge_data={"time": "int64"})
    triangles, truss = algorithms.DynamicTriangleCount(graph), algorithms.DynamicKTruss(graph, 4)
    distances = algorithms.DynamicSSSP(graph, 0)
    for step in range(6):
        src, dst, weights = rng.integers(0, 60, 200), rng.integers(0, 60, 200), rng.integers(1, 9, 200)
        graph.insert_edges(src, dst, weights.astype(np.float32), time=np.arange(200) + step)
        graph.delete_edges(rng.integers(0, 60, 150), rng.integers(0, 60, 150))
        assert triangles.total == algorithms.triangle_count(graph).total
        native = algorithms.k_truss(graph, 4, snapshot=False)
        assert truss.num_edges == native.num_edges
        copied = algorithms.truss_numbers(graph, snapshot=True)
        numbers = algorithms.truss_numbers(graph, snapshot=False).truss
        np.testing.assert_array_equal(to_host(graph, numbers), to_host(graph, copied.truss))
        wanted = algorithms.sssp(graph, 0).distance
        np.testing.assert_array_equal(to_host(graph, distances.distance), to_host(graph, wanted))


def test_operators_ask_for_weights():
    """What lies in `view.weights` may be ids: kernels of operators go through edge.cuh and weights.py."""
    folder = PROJECT_ROOT / "frontier/operators"
    files = [*folder.rglob("*.cuh"), *folder.rglob("cpu.py")]
    assert len(files) > 20
    lines = {line.strip(" \\") for path in files for line in path.read_text().splitlines() if "view.weights[" in line}
    assert lines <= {"if (weights) weights[place] = view.weights[slot];"}  # a copy of what is stored


# ---- observers ------------------------------------------------------------------------------------------------------


class Sums(fr.UpdateObserver):
    """The sum of amounts and the times of all edges, from what it is notified of alone."""

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
    """Graphs without edge data tell of new weights as well; those who do not ask are not told."""
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


# ---- memory and files -----------------------------------------------------------------------------------------------


def test_memory(device):
    plain = SlabGraph.from_edges(np.arange(100), np.arange(100) + 1, np.ones(100, np.float32), device=device)
    graph = SlabGraph.from_edges(
        np.arange(100), np.arange(100) + 1, np.ones(100, np.float32), device=device,
        edge_data={"time": np.arange(100), "flag": np.zeros(100, bool)},
    )  # fmt: skip
    assert graph.memory_usage().used == plain.memory_usage().used + 100 * (4 + 8 + 1)
    assert graph.memory_usage().csr == plain.memory_usage().csr + 100 * (8 + 1)
    sizes = graph.statistics().bytes
    assert (sizes["column.weight"], sizes["column.time"], sizes["column.flag"]) == (400, 800, 100)
    both = SlabGraph.from_edges([0], [1], directed=True, in_edges=True, device=device, edge_data={"time": [1]})
    alone = SlabGraph.from_edges([0], [1], directed=True, in_edges=True, device=device, edge_data={})
    assert both.memory_usage().used == alone.memory_usage().used + 8
    assert repr(graph).endswith("float32 weights, edge data (time, flag), " + device + ")")


def test_the_reverse_shares_what_it_reads(device):
    graph = SlabGraph(4, directed=True, in_edges=True, edge_data=DATA, device=device)
    graph.insert_edges([0], [1], time=[5], amount=[1])
    data = graph.reverse.edge_data
    assert int(data["time"][int(graph.reverse.edge_ids([1], [0])[0])]) == 5
    with pytest.raises(TypeError):
        data["time"] = None
    twin = graph.reverse.copy()
    twin.insert_edges([1], [0], time=[6], amount=[1])
    assert int(graph.edge_data["time"][0]) == 5 and int(twin.reverse.edge_data["time"][0]) == 6


def test_copies_are_independent(device):
    graph = SlabGraph(4, edge_data=DATA, device=device)
    graph.insert_edges([0, 1], [1, 2], time=[5, 6], amount=[1, 2])
    graph.delete_edges([0], [1])
    for twin in (graph.copy(), copy.copy(graph), pickle.loads(pickle.dumps(graph))):
        twin.insert_edges([2, 1, 0], [3, 2, 3], time=[7, 8, 9], amount=[3, 4, 5])
        ids = twin.edge_ids([2, 1, 0], [3, 2, 3])
        assert to_host(twin, ids)[:2].tolist() == [0, 1]  # the one that was free, and its own
        assert to_host(twin, twin.edge_data["time"][ids]).tolist() == [7, 8, 9]
        assert int(graph.edge_data["time"][int(graph.edge_ids([1], [2])[0])]) == 6
        assert graph.num_edges == 1


def test_ids_are_those_of_the_file(structure, device, tmp_path):
    graph = structure.from_edges([0, 1, 2], [1, 2, 3], device=device, edge_data={"time": [1, 2, 3]})
    graph.delete_edges([1], [2])
    graph.save(tmp_path / "graph.npz")
    twin = fr.Graph.load(tmp_path / "graph.npz", device=device)
    twin.insert_edges([0], [3], time=[9])
    assert to_host(twin, twin.edge_ids([0, 2, 0], [1, 3, 3])).tolist() == [0, 2, 1]


def tampered(path, change):
    header, arrays = unpack(path)
    change(header["edge_data"], arrays)
    pack(path, header, arrays)


HARM = {
    "range": lambda data, arrays: arrays["weights"].__setitem__(0, 99),
    "negative": lambda data, arrays: arrays["free_ids"].__setitem__(0, -1),
    "twice": lambda data, arrays: arrays["free_ids"].__setitem__(0, 0),
    "two ids": lambda data, arrays: arrays["weights"].__setitem__(slice(0, 2), arrays["weights"][1::-1].copy()),
    "top": lambda data, arrays: data.update(top=10**15),
    "short": lambda data, arrays: arrays.update({"column.time": arrays["column.time"][:2]}),
    "type": lambda data, arrays: data.update(columns={"time": "int8"}),
    "object": lambda data, arrays: data.update(columns={"time": ["O"]}),
    "name": lambda data, arrays: data.update(columns={"../time": "int64"}),
    "form": lambda data, arrays: data.update(columns=[]),
    "missing": lambda data, arrays: arrays.pop("free_ids"),
}


@pytest.mark.parametrize("harm", HARM)
def test_files_that_would_do_harm(harm, tmp_path):
    path = tmp_path / "graph.npz"
    graph = CSR.from_edges([0, 0, 1, 2], [1, 2, 2, 3], device="cpu", edge_data={"time": [1, 2, 3, 4]})
    graph.delete_edges([2], [3])
    graph.save(path)
    tampered(path, HARM[harm])
    with pytest.raises(ValueError, match=r"graph\.npz is no valid graph file"):
        fr.Graph.load(path, device="cpu")
