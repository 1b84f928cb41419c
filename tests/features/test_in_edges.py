"""In-edges: the reverse of a directed graph shows every update, and none that failed."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from concurrency import in_threads
from exhaustion import STEPS, UPDATES, contents, exhausted
from hypothesis import strategies as st
from hypothesis.stateful import initialize, run_state_machine_as_test
from interrupter import UPDATES as INTERRUPTED
from interrupter import Interrupter
from model import assert_same, edges_of, make, random_batch, to_host, transposed
from state_machine import MAX_VERTICES, GraphMachine, seeds

import algorithms
import frontier as fr
from frontier.core.component import component_of
from frontier.core.store import Store
from frontier.features.in_edges import InEdges
from structures import CSR, SlabGraph

N = 60


def check(pair):
    """Both directions show the contents of the model."""
    pair.check()
    assert_same(pair.graph.reverse, transposed(pair.model))
    in_degrees = [len(row) for row in transposed(pair.model).adjacency]
    assert to_host(pair.graph, pair.graph.in_degrees()).tolist() == in_degrees
    assert to_host(pair.graph, pair.graph.reverse.in_degrees()).tolist() == [len(r) for r in pair.model.adjacency]


@pytest.fixture
def pair(new, rng, weight_dtype):
    """A graph with in-edges, and its model."""
    return new(*random_batch(rng, N, 400, weight_dtype), num_vertices=N, directed=True, in_edges=True)


# ---- updates --------------------------------------------------------------------------------------------------------


def test_a_graph_that_was_built(pair):
    check(pair)


def test_a_graph_that_has_grown_from_nothing(new, rng, weight_dtype):
    pair = new(num_vertices=N, directed=True, in_edges=True, weight_dtype=weight_dtype)
    check(pair)
    for _ in range(5):
        pair.insert(*random_batch(rng, N, 200, weight_dtype))
        pair.delete(*random_batch(rng, N, 60)[:2])
        check(pair)


@pytest.mark.parametrize("on_existing", ["replace", "keep", "add"])
def test_weights_agree(new, rng, on_existing):
    """Also weights of an edge that a batch lists several times, and of edges whose weight falls to 0."""
    pair = new(*random_batch(rng, 20, 200, "float32"), num_vertices=20, directed=True, in_edges=True)
    for _ in range(4):
        pair.insert(*random_batch(rng, 20, 300, "float32"), on_existing=on_existing)
        check(pair)


def test_vertices(pair, rng):
    reverse = pair.graph.reverse
    everyone = fr.Frontier(reverse, [3, 5])
    pair.delete_vertices([3, 17, 40])
    check(pair)
    with pytest.raises(ValueError, match="3 is one"):
        everyone.check()
    pair.insert_vertices(8)
    pair.insert(*random_batch(rng, N + 5, 300)[:2])
    check(pair)
    pair.insert_vertices([N + 30])
    pair.insert([N + 30, 0], [0, N + 30])
    check(pair)
    assert pair.graph.reverse is reverse


def test_only_neighborhoods_are_visited(pair, monkeypatch):
    """A pass over all arcs would call this."""
    monkeypatch.setattr("frontier.operators.extract.functor_args", None)
    pair.delete_vertices([1, 2])
    check(pair)


def test_a_bad_batch_changes_neither(pair):
    before = contents(pair.graph), contents(pair.graph.reverse)
    for bad in (lambda g: g.insert_edges([0, 1], [1, N]), lambda g: g.delete_edges([-1], [2])):
        with pytest.raises(ValueError, match="outside the graph"):
            bad(pair.graph)
        assert (contents(pair.graph), contents(pair.graph.reverse)) == before


def test_a_batch_of_loops(pair):
    pair.insert([1, 2, 3], [1, 2, 3])
    pair.insert([1, 2, 5], [1, 2, 4])
    pair.delete([1, 5, 5], [1, 5, 4])
    check(pair)


def test_compaction_keeps_both(pair, rng):
    if not hasattr(pair.graph, "compact"):
        return
    pair.delete(*random_batch(rng, N, 300)[:2])
    pair.graph.compact()
    check(pair)
    pair.graph.reverse.compact()
    pair.insert(*random_batch(rng, N, 300)[:2])
    check(pair)


class InEdgesMachine(GraphMachine):
    """Any operations that Hypothesis thinks of."""

    @initialize(vertices=st.integers(0, MAX_VERTICES // 2), edges=st.sampled_from([0, 5, 200, 3000]),
                weighted=st.booleans(), seed=seeds)  # fmt: skip
    def build(self, vertices, edges, weighted, seed):
        dtype = "float32" if weighted else None
        batch = random_batch(np.random.default_rng(seed), max(vertices, 1), edges if vertices else 0, dtype)
        self.pair = make(self.structure, self.device, *batch, num_vertices=vertices, directed=True, weight_dtype=dtype,
                         in_edges=True)  # fmt: skip

    def teardown(self):
        if hasattr(self, "pair"):
            check(self.pair)


def test_any_sequence_of_operations(structure, device):
    run_state_machine_as_test(type("Machine", (InEdgesMachine,), {"structure": structure, "device": device}))


# ---- updates that fail ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("update", UPDATES)
def test_exhausted_memory_leaves_both_as_they_were(new, device, rng, update):
    name, choose, options = UPDATES[update]
    edges = random_batch(rng, 1000, 1000, "float32")
    pair = new(*edges, num_vertices=1000, directed=True, in_edges=True)
    args = choose(edges, random_batch(rng, 1000, 200_000 if device == "gpu" else 2000, "float32"))
    getattr(pair.graph.copy(), name)(*args, **options)  # compiles its kernels
    before = contents(pair.graph), contents(pair.graph.reverse)[1:]
    for step in range(STEPS):
        pair.graph = pair.graph.copy()
        pair.graph.view()
        reverse = pair.graph.reverse
        try:
            with exhausted(pair.graph, step):
                getattr(pair.graph, name)(*args, **options)
            break
        except MemoryError:
            assert (contents(pair.graph), contents(reverse)[1:]) == before, f"changed by a failure at step {step}"
    assert step < STEPS - 1, "there was no end of failures"
    getattr(pair.model, name)(*args, **options)
    if update != "extend":
        check(pair)


def no_memory(*args):
    raise MemoryError("no memory left, for the test")


METHOD = {"insert": "insert", "delete": "erase"}  # of stores


@pytest.mark.parametrize("half", ["first", "second"])
@pytest.mark.parametrize("update", ["insert", "delete"])
def test_either_half_may_fail(new, rng, update, half, monkeypatch):
    edges = random_batch(rng, N, 400, "float32")
    pair = new(*edges, num_vertices=N, directed=True, in_edges=True)
    reverse, others = pair.graph.reverse, fr.Frontier(pair.graph.reverse, [1, 2])
    before = contents(pair.graph)
    batch = random_batch(rng, N, 300, "float32")[: 2 + (update == "insert")]
    with monkeypatch.context() as patch:
        patch.setattr(pair.graph.store, "max_small_batch", 0)
        if half == "first":
            patch.setattr(pair.graph.store, METHOD[update], no_memory)
            with pytest.raises(MemoryError):
                getattr(pair.graph, f"{update}_edges")(*batch)
            assert contents(pair.graph) == before
        else:  # the graph is updated, and its reverse made again when it is read
            transpose = component_of(pair.graph, InEdges).transpose
            patch.setattr(transpose, "max_small_batch", 0)
            patch.setattr(transpose, METHOD[update], no_memory)
            getattr(pair, update)(*batch)
            assert component_of(pair.graph, InEdges).stale
    assert others.num_arcs == sum(len(transposed(pair.model).adjacency[v]) for v in (1, 2))
    check(pair)
    assert pair.graph.reverse is reverse
    pair.insert(*random_batch(rng, N, 300, "float32"))
    pair.delete(*edges[:2])
    check(pair)


def test_without_memory_to_rebuild_it(pair, rng, monkeypatch):
    """The graph is updated, and its reverse is rebuilt once memory suffices."""
    reverse = pair.graph.reverse
    with monkeypatch.context() as patch:
        patch.setattr(Store, "empty_like", no_memory)
        with monkeypatch.context() as inner:
            inner.setattr(component_of(pair.graph, InEdges).transpose, "insert", no_memory)
            inner.setattr(component_of(pair.graph, InEdges).transpose, "max_small_batch", 0)
            pair.insert([1], [2])
        with pytest.raises(MemoryError):
            reverse.degrees()
        pair.insert(*random_batch(rng, N, 100)[:2])
        pair.delete(*random_batch(rng, N, 100)[:2])
        pair.insert_vertices(3)
        pair.check()
    check(pair)
    assert pair.graph.reverse is reverse


@pytest.mark.usefixtures("python_handles_interrupts")
@pytest.mark.parametrize("update", list(INTERRUPTED))
def test_an_interrupted_update_is_made_in_both_or_in_none(structure, device, update, rng, tries):
    src, dst, weights = random_batch(rng, 40, 150, "float32")
    pair = make(structure, device, src, dst, weights, num_vertices=40, directed=True, in_edges=True)
    batch = random_batch(rng, 40, 60, "float32")
    after = copy.deepcopy(pair.model)
    INTERRUPTED[update](after, batch)

    def attempt(at):
        graph = pair.graph.copy()
        interrupter = Interrupter(at)
        interrupter.run(lambda: INTERRUPTED[update](graph, batch))
        made = (graph.num_vertices, edges_of(graph)) == (after.num_vertices, after.edges())
        check(type(pair)(graph, after if made else pair.model))
        return interrupter.moments

    moments = min(attempt(None) for _ in range(2))
    for at in rng.integers(1, moments + 1, tries(4, 200)):
        attempt(int(at))


# ---- the reverse as a graph -----------------------------------------------------------------------------------------


def test_a_graph_without(structure, device):
    graph = structure.from_edges([0, 1], [1, 2], directed=True, device=device)
    assert not graph.has_in_edges
    with pytest.raises(ValueError, match="this graph stores no in-edges; make it with in_edges=True"):
        graph.reverse  # noqa: B018
    assert to_host(graph, graph.in_degrees()).tolist() == [0, 1, 1]


def test_an_undirected_graph_is_its_own_reverse(structure, device):
    for options in ({}, {"in_edges": True}):
        graph = structure.from_edges([0, 1], [1, 2], device=device, **options)
        assert graph.has_in_edges
        assert graph.reverse is graph
        assert to_host(graph, graph.in_degrees()).tolist() == [1, 2, 1]
        assert graph.memory_usage().arcs == 4


def test_in_edges_must_be_true_or_false(structure, device):
    with pytest.raises(TypeError, match="in_edges must be True or False, not 'yes'"):
        structure(3, directed=True, in_edges="yes", device=device)


def test_there_and_back(pair):
    graph, reverse = pair.graph, pair.graph.reverse
    assert reverse is graph.reverse
    assert reverse.reverse is graph
    assert reverse.has_in_edges
    assert isinstance(reverse, type(graph))
    assert repr(reverse) == f"{graph!r}.reverse"
    assert "directed with in-edges" in repr(graph)


def test_it_is_read_only(pair, device):
    reverse, before = pair.graph.reverse, contents(pair.graph)
    for update in (
        lambda: reverse.insert_edges([0], [1]), lambda: reverse.delete_edges([0], [1]),
        lambda: reverse.insert_vertices(3), lambda: reverse.delete_vertices([0]),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="read-only: update the graph itself, with src and dst swapped"):
            update()
    with pytest.raises(TypeError, match="attach it to the graph itself"):
        reverse.attach(fr.UpdateObserver())
    with pytest.raises(TypeError, match="graph must be a graph that can be updated, not a read-only one: the reverse"):
        algorithms.DynamicBFS(reverse, 0)
    assert contents(pair.graph) == before
    assert type(type(reverse).from_edges([0], [1], device=device)) is type(pair.graph)


def test_questions_about_predecessors(pair, rng):
    ids = rng.integers(0, N, 30)
    other = type(pair.graph).from_edges(*edges_arrays(pair.model), num_vertices=N, directed=True,
                                        device=pair.graph.device)  # fmt: skip
    for found, expected in zip(pair.graph.predecessors(ids), other.predecessors(ids), strict=True):
        assert listed(other, found) == listed(other, expected)
    for found, expected in zip(pair.graph.reverse.predecessors(ids), other.successors(ids), strict=True):
        assert listed(other, found) == listed(other, expected)


def listed(graph, array):
    return None if array is None else to_host(graph, array).tolist()


def edges_arrays(model, swapped=False):
    edges = model.edges()
    src, dst = (np.array([e[i] for e in edges]) for i in (0, 1))
    weights = None if model.weight_dtype is None else np.array([e[2] for e in edges], model.weight_dtype)
    return (dst, src, weights) if swapped else (src, dst, weights)


ALGORITHMS = {
    "bfs": lambda g: algorithms.bfs(g, 3).distance,
    "sssp": lambda g: algorithms.sssp(g, 3).distance,
    "connected_components": lambda g: algorithms.connected_components(g).labels,
    "pagerank": lambda g: to_host(g, algorithms.pagerank(g).pagerank).round(5),
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithms(new, rng, name):
    pair = new(*random_batch(rng, N, 150)[:2], num_vertices=N, directed=True, in_edges=True)
    pair.insert(*random_batch(rng, N, 50)[:2])
    run = ALGORITHMS[name]
    for reverse in (False, True):
        twin = type(pair.graph).from_edges(*edges_arrays(pair.model, reverse), num_vertices=N, directed=True,
                                           device=pair.graph.device)  # fmt: skip
        graph = pair.graph.reverse if reverse else pair.graph
        assert to_host(twin, run(graph)).tolist() == to_host(twin, run(twin)).tolist()


def test_operators_on_the_reverse(pair):
    reverse, model = pair.graph.reverse, transposed(pair.model)
    out = fr.advance(reverse, fr.Frontier(reverse, [1, 2]), every)
    assert sorted(to_host(reverse, out.vertices).tolist()) == sorted({*model.adjacency[1], *model.adjacency[2]})
    sums = fr.neighbor_reduce(reverse, None, heads, dtype=np.int64)
    assert to_host(reverse, sums).tolist() == [sum(row) for row in model.adjacency]


def every(src, dst, edge, weight):
    return True


def heads(src, dst, edge, weight):
    return dst


def test_snapshots_and_interchange(pair):
    snapshot = pair.graph.to_csr(in_edges=True)
    assert type(snapshot) is CSR
    assert_same(snapshot.reverse, transposed(pair.model))
    assert not pair.graph.to_csr().has_in_edges
    if pair.graph.device.is_gpu:
        return
    matrix = fr.interchange.to_scipy(pair.graph)
    assert (fr.interchange.to_scipy(pair.graph.reverse) != matrix.T).nnz == 0


def test_memory_of_both_counts(structure, device, rng):
    edges = random_batch(rng, N, 400)[:2]
    one = structure.from_edges(*edges, num_vertices=N, directed=True, device=device).memory_usage()
    both = structure.from_edges(*edges, num_vertices=N, directed=True, device=device, in_edges=True).memory_usage()
    assert both.arcs == 2 * one.arcs
    assert both.csr == 2 * one.csr
    assert one.used < both.used <= both.reserved


def test_nothing_outlives_the_last_reference(structure, device, rng):
    """No cycle of references retains large arrays until a garbage collection."""
    gc.collect()
    gc.disable()
    try:
        graph = structure.from_edges(*random_batch(rng, N, 400)[:2], num_vertices=N, directed=True, device=device,
                                     in_edges=True)  # fmt: skip
        gone = weakref.ref(graph)
        reverse = graph.reverse
        graph.insert_edges([1, 2], [5, 6])
        fr.advance(reverse, fr.Frontier(reverse, [5]), every)
        del graph
        assert reverse.reverse is gone()
        assert bool(to_host(reverse, reverse.has_edges([5, 6], [1, 2])).all())
        del reverse
        assert gone() is None
    finally:
        gc.enable()


def test_threads_rebuild_it_once(device, rng):
    graph = SlabGraph.from_edges(*random_batch(rng, N, 400)[:2], num_vertices=N, directed=True, device=device,
                                 in_edges=True)  # fmt: skip
    expected = edges_of(graph.reverse)
    in_edges = component_of(graph, InEdges)
    in_edges.stale, in_edges._view = True, None

    def read(_):
        reverse = graph.reverse
        return id(reverse), reverse.version, edges_of(reverse), reverse

    seen = in_threads(4, read)
    assert len({(place, version) for place, version, _, _ in seen}) == 1
    assert all(edges == expected for _, _, edges, _ in seen)


# ---- copies and files -----------------------------------------------------------------------------------------------


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled], ids=["copy", "deepcopy", "pickle"])
def test_copies_go_their_own_way(pair, rng, copied):
    twin = type(pair)(copied(pair.graph), copy.deepcopy(pair.model))
    check(twin)
    twin.insert(*random_batch(rng, N, 100)[:2])
    check(twin)
    check(pair)
    pair.delete(*random_batch(rng, N, 100)[:2])
    pair.delete_vertices([2])
    check(twin)
    check(pair)


def test_a_copy_of_the_reverse_can_be_updated(pair, rng):
    twin = type(pair)(pair.graph.reverse.copy(), transposed(pair.model))
    assert type(twin.graph) is type(pair.graph)
    twin.insert(*random_batch(rng, N, 100)[:2])
    check(twin)
    check(pair)


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled], ids=["deepcopy", "pickle"])
def test_a_graph_and_its_reverse_stay_together(pair, copied):
    graph, reverse, frontier = copied((pair.graph, pair.graph.reverse, fr.Frontier(pair.graph.reverse, [1])))
    assert graph.reverse is reverse is frontier.graph
    check(type(pair)(graph, pair.model))


def test_files(pair, device, tmp_path):
    pair.delete_vertices([4])
    pair.graph.save(tmp_path / "graph")
    check(type(pair)(fr.Graph.load(tmp_path / "graph", device), pair.model))
    pair.graph.reverse.save(tmp_path / "reverse")
    check(type(pair)(fr.Graph.load(tmp_path / "reverse", device), transposed(pair.model)))
