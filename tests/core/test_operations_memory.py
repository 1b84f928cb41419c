"""Memory: the reported size of a graph, bounded growth, and the behavior when memory is exhausted."""

import weakref
from contextlib import suppress

import numpy as np
import pytest
from exhaustion import STEPS, UPDATES, contents, exhausted, failing
from model import random_batch, to_host

from frontier import UpdateObserver
from frontier.core.files import stored_arrays

ROUNDS = 40
GROWTH_LIMIT = 1.5  # of reserved memory, over many rounds of updates that leave the graph's size as it is


def test_figures(new, rng, weight_dtype):
    pair = new(*random_batch(rng, 100, 2000, weight_dtype), num_vertices=100)
    usage = pair.graph.memory_usage()
    arcs = pair.graph.num_arcs
    assert usage.arcs == arcs
    assert usage.csr == arcs * (4 + (4 if weight_dtype else 0)) + 101 * 4
    assert arcs * 4 <= usage.used <= usage.reserved
    assert usage.bytes_per_arc == usage.used / arcs


def test_an_empty_graph(structure, device):
    usage = structure(0, device=device).memory_usage()
    assert usage.arcs == 0
    assert 0 <= usage.used <= usage.reserved
    assert usage.bytes_per_arc >= 0


@pytest.mark.parametrize("same", [True, False], ids=["same edges", "other edges"])
def test_delete_and_insert_again(new, rng, same, weight_dtype):
    """Space of deleted edges is used again."""
    src, dst, weights = random_batch(rng, 300, 3000, weight_dtype)
    pair = new(src, dst, weights, num_vertices=300)
    early = 0
    for round_ in range(ROUNDS):
        pair.delete(src, dst)
        if not same:
            src, dst, weights = random_batch(rng, 300, 3000, weight_dtype)
        pair.insert(src, dst, weights)
        if round_ == 5:
            early = pair.graph.memory_usage().reserved
    assert pair.graph.memory_usage().reserved <= GROWTH_LIMIT * early
    pair.check()


def test_sliding_window(new, rng):
    """A stream through a window: edges arrive and leave in small batches, so space is freed at scattered positions."""
    batches = [random_batch(rng, 500, 250)[:2] for _ in range(120)]
    pair = new(num_vertices=500)
    early = 0
    for time, batch in enumerate(batches):
        pair.insert(*batch)
        if time >= 12:
            pair.delete(*batches[time - 12])
        if time == 30:
            early = pair.graph.memory_usage().reserved
    assert pair.graph.memory_usage().reserved <= GROWTH_LIMIT * early
    pair.check()


def test_hubs_take_turns(new):
    """One vertex after another grows large and is emptied. Together they never contain many edges."""
    size = 3000
    pair = new(num_vertices=size, directed=True)
    leaves = np.arange(50, size)
    early = 0
    for hub in range(ROUNDS):
        pair.insert(np.full(leaves.size, hub), leaves)
        pair.delete(np.full(leaves.size, hub), leaves)
        if hub == 10:
            early = pair.graph.memory_usage().reserved
    assert pair.graph.memory_usage().reserved <= 3 * early
    pair.check()


def test_lists_change_their_size(new, rng):
    """As many edges in ever fewer, longer lists, and back: storage of short lists is reused for long ones."""
    edges = 32_768
    pair = new(num_vertices=edges, directed=True)
    most = 0
    for length in [1 << k for k in range(13)] + [1 << k for k in range(11, -1, -1)]:
        src = np.repeat(rng.permutation(edges)[: edges // length], length)
        dst = (src + 1 + np.tile(np.arange(length), edges // length)) % edges
        pair.graph.insert_edges(src, dst)
        most = max(most, pair.graph.memory_usage().used)
        pair.graph.delete_edges(src, dst)
    assert pair.graph.num_edges == 0
    assert pair.graph.memory_usage().reserved <= 5 * most  # with memory for the next batch
    pair.insert([0, 1], [1, 0])
    pair.check()


def test_vertices_come_and_go(new, rng):
    """The storage of a deleted vertex is reused."""
    pair = new(*random_batch(rng, 200, 2000)[:2], num_vertices=200)
    early = 0
    for round_ in range(ROUNDS):
        chosen = rng.permutation(200)[:40]
        pair.delete_vertices(chosen)
        pair.insert_vertices(40)
        pair.insert(rng.choice(chosen, 600), rng.integers(0, 200, 600))
        if round_ == 8:
            early = pair.graph.memory_usage().reserved
    assert pair.graph.num_vertices == 200
    assert pair.graph.memory_usage().reserved <= GROWTH_LIMIT * early
    pair.check()


def test_a_deleted_vertex_keeps_nothing_large(new):
    pair = new(np.zeros(20_000, int), np.arange(1, 20_001), directed=True)
    before = pair.graph.memory_usage().used
    pair.delete_vertices([0])
    assert pair.graph.memory_usage().used <= before
    pair.check()


@pytest.mark.parametrize("update", UPDATES)
def test_exhausted_memory_leaves_the_graph_as_it_was(new, device, rng, update):
    """Whichever allocation fails, a batch is applied wholly or not at all."""
    name, choose, options = UPDATES[update]
    edges = random_batch(rng, 1000, 1000, "float32")
    pair = new(*edges, num_vertices=1000)
    args = choose(edges, random_batch(rng, 1000, 200_000 if device == "gpu" else 2000, "float32"))
    getattr(pair.graph.copy(), name)(*args, **options)  # compiles its kernels
    before = contents(pair.graph)
    for step in range(STEPS):
        pair.graph = pair.graph.copy()  # without the scratch memory of earlier steps
        pair.graph.view()
        try:
            with exhausted(pair.graph, step):
                getattr(pair.graph, name)(*args, **options)
            break
        except MemoryError:
            assert contents(pair.graph) == before, f"changed by a failure at step {step}"
    assert step < STEPS - 1, "there was no end of failures"
    assert step or (device, update) == ("gpu", "leave"), "there was no failure"  # that update asks for little memory
    getattr(pair.model, name)(*args, **options)
    if update != "extend":
        pair.check()


SORTS = {
    "build": lambda graph, edges: type(graph).from_edges(*edges, num_vertices=1000, device=graph.device).to_coo(),
    "insert": lambda graph, edges: (graph.insert_edges(*edges), graph.to_coo())[1],
    "to_coo": lambda graph, edges: graph.to_coo(),
    "to_csr": lambda graph, edges: graph.to_csr().to_coo(),
    "successors": lambda graph, edges: graph.successors(edges[0]),
    "predecessors": lambda graph, edges: graph.predecessors(edges[0]),
}


@pytest.mark.parametrize("what", SORTS)
def test_memory_runs_out_in_a_sort(structure, device, directed, rng, what):
    """Each allocation fails in turn, including the workspaces of sorts: the returned result is right, or nothing is
    returned."""
    edges, batch = random_batch(rng, 1000, 3000, "float32"), random_batch(rng, 1000, 3000, "float32")

    def make():
        return structure.from_edges(*edges, num_vertices=1000, directed=directed, device=device)

    def act(graph):
        return [to_host(graph, array).tolist() for array in SORTS[what](graph, batch)]

    expected, step = act(make()), 0
    for step in range(STEPS):
        graph = make()
        try:
            with failing(graph.device, step):
                found = SORTS[what](graph, batch)
        except MemoryError:
            continue
        assert [to_host(graph, array).tolist() for array in found] == expected
        break
    assert 0 < step < STEPS - 1


class Watcher(UpdateObserver):
    """Requests nothing. With an observer attached, weights are added in two updates."""

    exact = False


def test_weights_are_added_before_edges_go(new, monkeypatch):
    """If no memory is left for the deletions, these edges are unchanged, and all other edges are updated."""
    pair = new([0, 1], [1, 2], np.array([2, 3], np.float32), num_vertices=5)
    watcher = Watcher()
    pair.graph.attach(watcher)

    def no_memory(*_):
        raise MemoryError("no memory left, for the test")

    with monkeypatch.context() as patch, pytest.raises(MemoryError):
        patch.setattr(pair.graph.store, "erase", no_memory)
        pair.graph.insert_edges([0, 1, 3], [1, 2, 4], np.array([4, -3, 1], np.float32), on_existing="add")
    pair.model.insert_edges([0, 3], [1, 4], [6, 1])
    pair.check()


def test_a_bad_batch_that_was_not_examined(new):
    """Memory may run out before a bad batch is detected. The next one is not blamed for it."""
    pair = new([0, 1], [1, 2], np.array([2, 3], np.float32), num_vertices=10)
    pair.graph.copy().insert_edges([3], [4])  # compiles its kernels
    for step in range(STEPS):
        try:
            with suppress(MemoryError), exhausted(pair.graph, step):
                pair.graph.insert_edges([0, 99], [1, 2], [1, np.nan])
        except ValueError as error:
            assert "src[1] is 99" in str(error)
            break
        pair.graph.insert_edges([0], [1], [2])
    assert step < STEPS - 1
    pair.graph.store.make_arcs([99], [2], directed=True)
    pair.graph.insert_edges([0], [1], [2])
    pair.check()


def test_arrays_that_were_replaced_are_given_back(structure, rng):
    """Nothing references the arrays from which a graph has grown, shrunk or been rebuilt."""
    graph = structure.from_edges(*random_batch(rng, 2000, 20_000)[:2], num_vertices=2000, device="cpu")
    updates = [
        lambda: graph.insert_edges(*random_batch(rng, 2000, 60_000)[:2]),
        lambda: graph.insert_vertices(3000),
        lambda: graph.delete_edges(*graph.to_coo()[:2]),
        graph.compact,
    ]
    for update in updates:
        graph.neighbors(0)  # makes a view
        old = [(name, weakref.ref(array)) for name, array in stored_arrays(graph.store)]
        update()
        assert not [name for name, ref in old if ref() is not None and ref() is not getattr(graph.store, name)]
