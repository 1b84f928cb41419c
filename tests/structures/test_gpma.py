"""GPMA and GPMA+: invariants of the packed memory array after every update, under each of its options."""

import numpy as np
import pytest
from exhaustion import STEPS, exhausted
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from model import edges_of, make, random_batch, snapshot, to_host
from packed_arrays import check_array
from state_machine import GraphMachine

from frontier import Graph
from structures.gpma import GPMA
from structures.packed.cpu import View, leaf_at, order_of

TIGHT = dict(leaf_density=(0.02, 0.7), root_density=(0.1, 0.2))
OPTIONS = {
    "segment": {},
    "lock": {"method": "lock"},
    "lazy": {"deletion": "lazy"},
    "lazy-lock": {"deletion": "lazy", "method": "lock"},
    "tight": TIGHT,
    "full": dict(leaf_density=(0.0, 1.0), root_density=(0.5, 1.0)),
    "tight-lock": {"method": "lock", **TIGHT},
}


@pytest.fixture(params=list(OPTIONS))
def options(request):
    return OPTIONS[request.param]


def check(pair):
    check_array(pair.graph)
    assert edges_of(pair.graph) == pair.model.edges()


@pytest.mark.parametrize("weights", [None, "float32"])
def test_random_batches(device, options, weights, rng):
    """Batches of every size, with duplicates, into and out of random positions and hubs."""
    n = 150
    pair = make(GPMA, device, *random_batch(rng, n, 600, weights), num_vertices=n, directed=True, **options)
    check(pair)
    for round_ in range(8):
        src, dst, w = random_batch(rng, n, int(10 ** rng.uniform(0, 3)), weights)
        if round_ % 3 == 0:
            src = np.full(src.size, rng.integers(n))
        pair.insert(src, dst, w)
        check(pair)
        edges = edges_of(pair.graph)
        low, size = rng.integers(n), rng.integers(n)
        gone = [(u, v) for u, v, _ in edges if low <= u < low + size or rng.random() < 0.1]
        pair.delete([u for u, _ in gone], [v for _, v in gone])
        check(pair)


def variant(settings):
    """GPMA with other defaults."""

    class Variant(GPMA):
        load = GPMA.load

        def __init__(self, *args, **others):
            super().__init__(*args, **{**settings, **others})

    return Variant


def test_any_sequence_of_operations(device):
    structure = variant({"method": "lock", "deletion": "lazy", **TIGHT})
    machine = type("Machine", (GraphMachine,), {"structure": structure, "device": device})
    run_state_machine_as_test(machine, settings=settings(max_examples=settings.default.max_examples // 3))


def test_methods_leave_the_same_graph(device, rng):
    graphs = [GPMA.from_edges([0], [1], [1.0], 400, device=device, method=method) for method in ("segment", "lock")]
    for _ in range(4):
        batch = random_batch(rng, 400, 900, "float32")
        first, second = (graph.insert_edges(*batch) for graph in graphs)
        assert first == second
        assert edges_of(graphs[0]) == edges_of(graphs[1])
    for graph in graphs:
        check_array(graph)


def test_growth_and_shrinking(device):
    """The array stays between its thresholds, and frees memory that it no longer needs."""
    n = 3000
    graph = GPMA(n, device=device, directed=True)
    empty = graph.store.leaves
    ids = np.arange(n)
    for step in range(1, 21):
        graph.insert_edges(ids, (ids + step) % n)
    grown = graph.statistics()
    assert grown["rebuilds"] > 0
    assert 0.35 < grown["density"] <= 0.93
    for step in range(1, 21):
        graph.delete_edges(ids, (ids + step) % n)
        assert graph.statistics()["density"] >= 0.4
    check_array(graph)
    assert graph.store.leaves <= 2 * empty


def test_a_deletion_that_shrinks_the_array_rebalances_nothing_else(device):
    """Its plan, for the hole that row 5 leaves among full rows, is of the array before."""
    src, dst = np.divmod(np.arange(64 * 64), 64)
    graph = GPMA.from_edges(src, dst, num_vertices=64, device=device, directed=True)
    gone = src == 5
    hole = graph.copy()
    hole.delete_edges(src[gone], dst[gone])
    assert hole.statistics()["moved_leaves"] > graph.statistics()["moved_leaves"]
    before = graph.statistics()
    gone |= src >= 26
    graph.delete_edges(src[gone], dst[gone])
    after = graph.statistics()
    assert after["rebuilds"] == before["rebuilds"] + 1 and after["leaves"] < before["leaves"]
    assert after["moved_leaves"] == before["moved_leaves"]
    check_array(graph)


def test_lazy_deletion_leaves_room(device):
    """In a sliding window of constant size the array moves little and does not grow without end."""
    n, size = 2000, 1500
    rng = np.random.default_rng(3)
    graph = GPMA(n, device=device, directed=True, deletion="lazy")
    batches = [rng.integers(0, n, (2, size)) for _ in range(24)]
    leaves = []
    for time, (src, dst) in enumerate(batches):
        graph.insert_edges(src, dst)
        if time >= 6:
            graph.delete_edges(*batches[time - 6])
        leaves.append(graph.store.leaves)
    assert leaves[-1] == leaves[10]
    check_array(graph)
    slots = graph.slot_capacity
    graph.delete_edges(*np.concatenate(batches, axis=1))
    assert graph.num_arcs == 0 and graph.slot_capacity == slots
    graph.compact()
    assert graph.slot_capacity < slots / 4
    check_array(graph)


def test_a_hub_in_one_batch(device, options):
    """A whole batch goes to one leaf. Larger windows, and with small arrays the root, must absorb it."""
    n = 4000 if device == "gpu" or options.get("method") != "lock" else 500
    graph = GPMA.from_edges(np.arange(n - 1), np.arange(1, n), num_vertices=n, directed=True, device=device, **options)
    result = graph.insert_edges(np.full(n, n // 2), np.arange(n))
    assert result.inserted == n - 2
    check_array(graph)
    np.testing.assert_array_equal(to_host(graph, graph.neighbors(n // 2)), np.delete(np.arange(n), n // 2))
    result = graph.delete_edges(np.full(n, n // 2), np.arange(n))
    assert result.deleted == n - 1
    check_array(graph)


def test_each_entry_moves_once(device):
    """Moves that level-by-level rounds would have made in addition are counted."""
    n = 2000
    graph = GPMA.from_edges(np.arange(n - 1), np.arange(1, n), num_vertices=n, directed=True, device=device)
    graph.insert_edges(np.full(40, 7), np.arange(100, 140))
    moved = graph.statistics()["moved_leaves"]
    assert 2 <= moved <= graph.store.leaves
    rng = np.random.default_rng(0)
    while not graph.statistics()["redundant_leaves"]:
        graph.insert_edges(np.r_[np.full(60, 900), rng.integers(0, n, 60)], rng.integers(0, n, 120))
    check_array(graph)


def test_rows_ahead_of_vertices(device):
    """Vertices that come one by one do not move the array each time."""
    graph = GPMA.from_edges(np.arange(999), np.arange(1, 1000), device=device)
    for _ in range(100):
        graph.insert_vertices(1)
    assert graph.statistics()["rebuilds"] <= 2
    graph.insert_edges([1099], [0])
    check_array(graph)
    assert to_host(graph, graph.neighbors(1099)).tolist() == [0]


def test_options_are_saved(device, tmp_path):
    graph = GPMA.from_edges([0, 1], [1, 2], device=device, method="lock", deletion="lazy", **TIGHT)
    graph.save(tmp_path / "graph.npz")
    for twin in (graph.copy(), Graph.load(tmp_path / "graph.npz", device=device)):
        assert (twin.method, twin.deletion) == ("lock", "lazy")
        assert list(twin.leaf_density) == [0.02, 0.7] and list(twin.root_density) == [0.1, 0.2]
        twin.insert_edges([0, 2], [2, 1])
        check_array(twin)


def test_no_memory_to_grow(device, monkeypatch):
    """An insertion that cannot grow the array raises and changes nothing. A deletion that cannot shrink it
    continues."""
    n = 1000
    graph = GPMA.from_edges(np.arange(n - 1), np.arange(1, n), device=device)
    other = GPMA(n, device=device, method="lock")
    befores = [snapshot(graph), snapshot(other)]
    full = np.repeat(np.arange(n), 10), np.tile(np.arange(10), n)

    def no_memory(*_):
        raise MemoryError("none left")

    monkeypatch.setattr(GPMA.store_type, "_allocate", no_memory)
    for one, before in zip([graph, other], befores, strict=True):
        with pytest.raises(MemoryError):
            one.insert_edges(*full)
        assert snapshot(one) == before
        check_array(one)
    with pytest.raises(MemoryError):
        graph.compact()
    check_array(graph)
    assert graph.delete_edges(np.arange(n - 1), np.arange(1, n)).deleted == n - 1
    assert graph.num_arcs == 0
    check_array(graph)


def test_no_memory_to_tidy(device, rng, monkeypatch):
    """A deletion that cannot plan the rebalancing deletes the edges nevertheless."""
    pair = make(GPMA, device, *random_batch(rng, 300, 3000), num_vertices=300)
    src, dst = np.array([edge[:2] for edge in pair.model.edges()][:-100]).T

    def no_memory(*_):
        raise MemoryError("none left")

    with monkeypatch.context() as patch:
        patch.setattr(pair.graph.store, "_room_to_plan", no_memory)
        patch.setattr(GPMA.store_type, "_allocate", no_memory)
        pair.delete(src, dst)
    check(pair)
    pair.insert(src, dst)
    check(pair)


def test_locks_without_memory(device, rng):
    """If any allocation fails, no round has started."""
    graph = GPMA(1000, device=device, method="lock", weight_dtype="float32")
    batch = random_batch(rng, 1000, 200_000 if device == "gpu" else 500, "float32")
    graph.copy().insert_edges(*batch)
    before = snapshot(graph)
    for step in range(STEPS):
        try:
            with exhausted(graph, step):
                graph.insert_edges(*batch)
            break
        except MemoryError:
            assert snapshot(graph) == before
    assert 0 < step < STEPS - 1
    check_array(graph)


def test_more_vertices_than_keys_hold(device):
    graph = GPMA(3, device=device, vertex_dtype="int64")
    for wrong in (2**31, [2**31]):
        with pytest.raises(ValueError, match=r"count_or_ids makes .* vertices; .* at most 2147483647"):
            graph.insert_vertices(wrong)
    assert (graph.num_vertices, graph.version) == (3, 0)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"method": "locks"}, ValueError, "method must be"),
        ({"deletion": "never"}, ValueError, "deletion must be"),
        ({"leaf_density": 0.9}, TypeError, "leaf_density must be a pair"),
        ({"root_density": (0.1, "high")}, TypeError, "root_density must be a pair"),
        ({"leaf_density": (0.5, 0.92)}, ValueError, "must rise"),
        ({"leaf_density": (0.08, 1.1)}, ValueError, "must rise"),
        ({"root_density": (0.5, 0.8)}, ValueError, "must rise"),
        ({"root_density": (0.3, 0.95)}, ValueError, "must rise"),
        ({"root_density": (float("nan"), 0.8)}, ValueError, "must rise"),
        ({"vertex_dtype": "int64", "num_vertices": 2**31}, ValueError, "num_vertices is 2147483648; .* at most"),
    ],
)
def test_wrong_options(settings, error, words):
    with pytest.raises(error, match=words):
        GPMA(**{"num_vertices": 4, "device": "cpu", **settings})


@pytest.mark.parametrize("levels", range(9))
def test_the_order_of_leaves_in_levels(levels):
    """The in-order traversal of a perfect binary tree whose levels are stored one after another (LPMA's layout)."""
    count = 1 << levels
    view = View(*[None] * 6, leaves=count, levels=levels)
    physical = [leaf_at.py_func(view, i) for i in range(count)]
    assert sorted(physical) == list(range(count))
    assert [order_of.py_func(view, p) for p in physical] == list(range(count))
    for p in range(1, count):  # level x is stored from 2**(x - 1) on, each leaf between two of the levels above
        x = p.bit_length()
        i = physical.index(p)
        assert i % (count >> (x - 1)) == count >> x
