"""Questions to graphs: edges, neighbors, degrees, lists."""

import numpy as np
import pytest
from model import make, random_batch, to_host


@pytest.fixture
def pair(new, rng, directed):
    return new(*random_batch(rng, 30, 150)[:2], num_vertices=32, directed=directed)


def test_no_edges_asked_for(pair):
    for answer, dtype in [
        (pair.graph.has_edges([], []), bool), (pair.graph.find_edges([], []), np.int64),
        (pair.graph.edge_weights([], []), np.float32), (pair.graph.has_vertices([]), bool),
    ]:  # fmt: skip
        assert answer.shape == (0,)
        assert answer.dtype == dtype


def test_all_pairs(pair):
    src, dst = np.divmod(np.arange(32 * 32), 32)
    expected = [v in pair.model.adjacency[u] for u, v in zip(src.tolist(), dst.tolist(), strict=True)]
    assert to_host(pair.graph, pair.graph.has_edges(src, dst)).tolist() == expected


def test_a_vertex_has_no_edge_to_itself(pair):
    ids = np.arange(32)
    assert not to_host(pair.graph, pair.graph.has_edges(ids, ids)).any()


def test_answers_keep_the_order_of_the_questions(new, rng):
    weights = np.arange(100, dtype=np.float32)
    pair = new(np.zeros(100, int), np.arange(1, 101), weights)
    asked = rng.permutation(100)
    found = pair.graph.edge_weights(np.zeros(100, int), asked + 1)
    assert to_host(pair.graph, found).tolist() == asked.tolist()


def test_slots_say_which_arc(pair):
    """A slot of `find_edges` is where the arc's neighbor stands in the pool that kernels see."""
    src, dst = [u for u, _, _ in pair.model.arcs()], [v for _, v, _ in pair.model.arcs()]
    slots = to_host(pair.graph, pair.graph.find_edges(src, dst))
    if not pair.graph.device.is_gpu:
        assert pair.graph.view().neighbors[slots].tolist() == dst
    assert (slots < pair.graph.slot_capacity).all()


def test_weights_where_there_are_none(new):
    pair = new([0, 1], [1, 2])
    weights = pair.graph.edge_weights([1], [0])
    assert weights.dtype == np.float32
    assert to_host(pair.graph, weights).tolist() == [1]


def test_the_weight_of_an_absent_edge(new):
    pair = new([0, 1], [1, 2], np.array([1, 2], np.float32))
    with pytest.raises(ValueError, match=r"edge 1 .*0 - 2.*not in the graph"):
        pair.graph.edge_weights([0, 0], [1, 2])


def test_neighbors_of_an_isolated_vertex(new):
    pair = new([0], [1], num_vertices=3)
    assert pair.graph.neighbors(2).shape == (0,)


def test_neighbors_takes_numpy_integers(new):
    pair = new([0, 0], [1, 2])
    assert to_host(pair.graph, pair.graph.neighbors(np.int64(0))).tolist() == [1, 2]


def test_results_are_the_users_to_keep(new, rng):
    """Returned results do not change with the graph, and changing them does not change the graph."""
    pair = new(*random_batch(rng, 20, 80, "float32"), num_vertices=20)
    graph = pair.graph
    csr = graph.to_csr()
    held = [graph.degrees(), *graph.to_coo(), graph.neighbors(3), csr.offsets, csr.indices, csr.weights]
    kept = [to_host(graph, array).copy() for array in held]
    pair.insert(*random_batch(rng, 20, 80, "float32"))
    for array, before in zip(held, kept, strict=True):
        np.testing.assert_array_equal(to_host(graph, array), before)
    for array in [graph.degrees(), *graph.to_coo(), graph.neighbors(3), graph.to_csr().offsets]:
        array[:] = 7
    csr.indices[:] = 7
    pair.check()


def test_a_snapshot_is_a_graph(pair):
    csr = pair.graph.to_csr()
    assert csr.name == "csr"
    assert csr.device == pair.graph.device
    src, dst = [u for u, _, _ in pair.model.arcs()], [v for _, v, _ in pair.model.arcs()]
    assert to_host(csr, csr.has_edges(src, dst)).all()


def test_a_snapshot_of_a_snapshot(pair):
    twice = pair.graph.to_csr().to_csr()
    assert to_host(twice, twice.indices).tolist() == [v for _, v, _ in pair.model.arcs()]


def test_degrees_of_a_directed_graph_are_of_arcs_that_leave(structure, device):
    pair = make(structure, device, [0, 0, 1], [1, 2, 2], directed=True)
    assert to_host(pair.graph, pair.graph.degrees()).tolist() == [2, 1, 0]


def test_questions_change_nothing(pair):
    before = pair.graph.version
    pair.check()
    assert pair.graph.version == before


def test_a_graph_is_true_even_when_empty(structure, device):
    """`if graph:` tests for None, as for any object that is not a list."""
    assert structure(0, device=device)
    assert len(structure(3, device=device)) == 3


def test_view_is_made_once_a_version(new):
    """It stays the same until an update, and its arrays are the graph's."""
    pair = new([0], [1], num_vertices=3)
    view = pair.graph.view()
    assert pair.graph.view() is view
    for size in (1, 400):
        pair.graph.insert_vertices(size)
        pair.graph.insert_edges([1] * size, range(3, 3 + size))
        view = pair.graph.view()
        assert pair.graph.view() is view
        assert pair.graph.device.is_gpu or np.shares_memory(view.neighbors, pair.graph.store.neighbors)


QUERIES = {
    "successors": lambda model, v: sorted(model.adjacency[v].items()),
    "predecessors": lambda model, v: sorted((u, row[v]) for u, row in enumerate(model.adjacency) if v in row),
}


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("asked", [[], [5], list(range(32)), [7, 3, 7, 0, 31, 3, 3]], ids=len)
def test_successors_and_predecessors(new, rng, directed, weight_dtype, query, asked):
    pair = new(*random_batch(rng, 30, 150, weight_dtype), num_vertices=32, directed=directed)
    offsets, ids, weights = getattr(pair.graph, query)(asked)
    answers = [QUERIES[query](pair.model, v) for v in asked]
    assert offsets.dtype == np.int64
    assert ids.dtype == pair.graph.vertex_dtype
    assert to_host(pair.graph, offsets).tolist() == np.cumsum([0, *map(len, answers)]).tolist()
    assert to_host(pair.graph, ids).tolist() == [u for answer in answers for u, _ in answer]
    if weight_dtype is None:
        assert weights is None
    else:
        assert weights.dtype == weight_dtype
        assert to_host(pair.graph, weights).tolist() == [w for answer in answers for _, w in answer]


@pytest.mark.parametrize("query", QUERIES)
def test_successors_of_bad_ids(new, query):
    pair = new([0, 1], [1, 2], num_vertices=4)
    pair.delete_vertices([3])
    for bad, message in ([4], r"vertices\[0\] is 4"), ([0, -1], r"vertices\[1\] is -1"), ([3], "deleted"):
        with pytest.raises(ValueError, match=message):
            getattr(pair.graph, query)(bad)


@pytest.mark.parametrize("query", QUERIES)
def test_successors_in_a_graph_without_edges(new, directed, query):
    pair = new(num_vertices=3, directed=directed)
    offsets, ids, weights = getattr(pair.graph, query)([2, 0])
    assert to_host(pair.graph, offsets).tolist() == [0, 0, 0]
    assert ids.shape == (0,)
    assert weights is None
