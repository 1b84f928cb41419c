"""The comparison with the model: a graph that differs from it in any way must fail."""

import numpy as np
import pytest
from model import Model, Pair, assert_same, make, random_batch

from frontier.core.results import UpdateResult


@pytest.fixture
def pair(structure, rng, directed):
    return make(structure, "cpu", *random_batch(rng, 60, 400, "float32"), num_vertices=60, directed=directed)


def _lose_an_edge(model):
    model.delete_edges(*[[x] for x in model.edges()[7][:2]])


def _gain_an_edge(model):
    u = next(u for u in range(60) if len(model.adjacency[u]) < 59)
    model.insert_edges([u], [next(v for v in range(60) if v != u and v not in model.adjacency[u])], [1])


def _move_an_edge(model):
    """The number of edges stays, and one end of one of them."""
    _lose_an_edge(model)
    _gain_an_edge(model)


def _change_a_weight(model):
    u, v, w = model.edges()[11]
    model.insert_edges([u], [v], [w + 1])


def _nudge_a_weight(model):
    u, v, w = model.edges()[11]
    model.insert_edges([u], [v], [np.nextafter(w, np.float32(np.inf))])


def _turn_an_arc(model):
    """An undirected edge whose directions have different weights."""
    u, v, w = model.edges()[3]
    model.adjacency[u][v] = w + 1


def _lose_an_arc(model):
    u, v, _ = model.edges()[3]
    del model.adjacency[u][v]


CORRUPTIONS = [
    _lose_an_edge, _gain_an_edge, _move_an_edge, _change_a_weight, _nudge_a_weight, _turn_an_arc, _lose_an_arc,
    lambda model: model.insert_vertices(1),
    lambda model: model.absent.add(5),
    lambda model: setattr(model, "directed", not model.directed),
    lambda model: setattr(model, "weight_dtype", None),
    lambda model: setattr(model, "weight_dtype", np.dtype(np.float64)),
]  # fmt: skip


@pytest.mark.parametrize("corrupt", CORRUPTIONS)
def test_a_difference_is_found(pair, corrupt):
    pair.check()
    corrupt(pair.model)
    with pytest.raises((AssertionError, ValueError)):
        pair.check()


@pytest.mark.parametrize(
    "method", ["neighbors", "degrees", "has_edges", "edge_weights", "find_edges", "to_coo", "to_csr"]
)
def test_every_view_of_the_graph_is_looked_at(pair, method, monkeypatch):
    """Each method answers for another graph, which is detected regardless of the rest."""
    other = make(type(pair.graph), "cpu", [0, 1], [1, 2], np.ones(2, np.float32), num_vertices=60).graph
    monkeypatch.setattr(pair.graph, method, getattr(other, method))
    with pytest.raises((AssertionError, ValueError)):
        pair.check()


def test_a_wrong_report_is_found(pair):
    assert Pair._same(UpdateResult(1, 2, 0), UpdateResult(1, 2, 0))
    with pytest.raises(AssertionError, match="reports"):
        Pair._same(UpdateResult(1, 2, 0), UpdateResult(2, 1, 0))
    pair.model.delete_edges(*[[x] for x in pair.model.edges()[0][:2]])
    u, v, _ = pair.graph.to_coo()
    with pytest.raises(AssertionError, match="reports"):
        pair.delete(u[:1], v[:1])


def test_rules():
    """The model itself, on a graph small enough to see."""
    model = Model(4, weight_dtype="int32")
    assert model.insert_edges([0, 1, 2, 1], [1, 0, 2, 2], [5, 7, 1, 3]) == UpdateResult(2, 0, 0)
    assert model.edges() == [(0, 1, 7), (1, 2, 3)]
    assert model.insert_edges([1, 0], [0, 3], [9, 9], on_existing="keep") == UpdateResult(1, 0, 0)
    assert model.insert_edges([0, 2, 1], [1, 1, 3], [1, -3, 0], on_existing="add") == UpdateResult(0, 1, 1)
    assert model.edges() == [(0, 1, 8), (0, 3, 9)]
    assert model.delete_vertices([3]) == UpdateResult(0, 0, 1)
    assert model.insert_vertices(2) == [3, 4]
    assert model.delete_edges([1, 0, 2], [0, 1, 4]) == UpdateResult(0, 0, 1)
    assert model.arcs() == []
    assert_same_as_itself = Model(5, weight_dtype="int32")
    assert model.adjacency == assert_same_as_itself.adjacency


def test_directed_rules():
    model = Model(3, directed=True)
    model.insert_edges([0, 1, 2], [1, 0, 2])
    assert [(u, v) for u, v, _ in model.edges()] == [(0, 1), (1, 0)]
    assert model.delete_edges([0], [1]).deleted == 1
    assert model.delete_vertices([0]).deleted == 1


def test_assert_same_is_what_check_calls(pair):
    assert_same(pair.graph, pair.model)
