"""Objects made of a graph before an update follow it, or report that they are outdated."""

import copy
import pickle

import numpy as np
import pytest
from verifiers import adjacency, host

import frontier as fr

pytestmark = pytest.mark.sampled(by="file")

N = 100


@pytest.fixture
def graph(structure, device):
    """A cycle."""
    return structure.from_edges(np.arange(N), (np.arange(N) + 1) % N, device=device)


def always(src, dst, edge, weight):
    return True


def one(src, dst, edge, weight):
    return 1


def keep(v):
    return True


def nothing(v):
    pass


def value(v):
    return 1


def count(src, dst, edge, weight, visits):
    fr.atomic_add(visits, 0, 1)
    return False


def from_anywhere(dst, visits):
    return True


def members(frontier):
    return sorted(host(frontier.vertices).tolist())


# ---- frontiers -----------------------------------------------------------------------------------------------------


def test_arcs_follow_updates(graph):
    frontier = fr.Frontier(graph, [0, 1, 50])
    assert frontier.num_arcs == 6
    graph.insert_edges([0, 0, 7], [10, 11, 9])
    assert frontier.num_arcs == 8
    graph.delete_edges([50, 1, 0], [51, 2, 10])
    assert frontier.num_arcs == 5
    graph.insert_vertices(5)
    graph.delete_vertices([11])
    assert frontier.num_arcs == 4
    assert members(frontier) == [0, 1, 50]


def test_arcs_of_an_operators_output(graph):
    frontier = fr.advance(graph, fr.Frontier(graph, [0]), always)
    assert frontier.num_arcs == 4
    graph.insert_edges([1], [40])
    assert frontier.num_arcs == 5


@pytest.mark.parametrize("direction", ["push", "pull"])
def test_edges_inserted_since_are_visited(structure, device, direction):
    """Also edges of a list that has become long, which one thread no longer walks."""
    graph = structure.from_edges([0, 1], [1, 2], num_vertices=5000, device=device)
    frontier = fr.Frontier(graph, [0, 1])
    assert frontier.num_arcs == 3
    graph.insert_edges(np.zeros(4990, int), np.arange(5, 4995))
    visits = graph.xp.zeros(1, np.int64)
    fr.advance(graph, frontier, count, visits, condition=from_anywhere, direction=direction)
    assert int(visits[0]) == frontier.num_arcs == 4993
    visits.fill(0)
    assert fr.traverse(graph, frontier, count, visits) == 1
    assert int(visits[0]) == 4993


def test_a_bitmap_grows_with_the_graph(graph):
    """A pull looks at the bits of vertices that came later."""
    frontier = fr.Frontier(graph, [0, 99])
    assert frontier.bits.size == 4
    pulled = fr.advance(graph, frontier, always, direction="pull")
    graph.insert_vertices(1000)
    graph.insert_edges([99, 99, 1050], [1000, 1099, 1051])
    visits = graph.xp.zeros(1, np.int64)
    fr.advance(graph, frontier, count, visits, direction="pull")
    assert int(visits[0]) == 6
    assert frontier.bits.size == (N + 1000 + 31) // 32
    assert members(pulled) == [0, 1, 98, 99]
    assert members(fr.advance(graph, pulled, always, direction="pull")) == [0, 1, 2, 97, 98, 99, 1000, 1099]


OPERATORS = {
    "advance": lambda graph, frontier: fr.advance(graph, frontier, always),
    "pull": lambda graph, frontier: fr.advance(graph, frontier, always, direction="pull"),
    "traverse": lambda graph, frontier: fr.traverse(graph, frontier, always, max_steps=1),
    "filter": lambda graph, frontier: fr.filter(frontier, keep),
    "compute": lambda graph, frontier: fr.compute(frontier, nothing),
    "reduce": lambda graph, frontier: fr.reduce(frontier, value),
    "neighbor_reduce": lambda graph, frontier: fr.neighbor_reduce(graph, frontier, one),
    "sample_neighbors": lambda graph, frontier: fr.sample_neighbors(graph, frontier, always),
    "num_arcs": lambda graph, frontier: frontier.num_arcs,
}


@pytest.mark.parametrize("operator", OPERATORS)
def test_members_that_were_deleted(graph, operator):
    run = OPERATORS[operator]
    some, everything = fr.Frontier(graph, [3, 4, 5]), fr.Frontier.all(graph)
    pulled = fr.advance(graph, some, always, direction="pull")  # a bitmap
    others = fr.Frontier(graph, [30, 31])
    for frontier in (some, everything, pulled, others):
        run(graph, frontier)
    graph.delete_vertices([4])
    for frontier in (some, everything, pulled):
        with pytest.raises(ValueError, match="contains 1 vertices that were deleted since it was made, 4 is one"):
            run(graph, frontier)
    run(graph, others)
    assert members(some) == [3, 4, 5]
    graph.insert_vertices([4])
    for frontier in (some, everything, pulled, others):
        run(graph, frontier)


def test_an_empty_frontier_outlives_all_vertices(graph):
    frontier = fr.Frontier(graph)
    graph.delete_vertices(np.arange(N))
    assert not fr.filter(frontier, keep) and frontier.num_arcs == 0
    assert not fr.Frontier.all(graph)


def test_what_is_handed_out_is_not_the_set(graph):
    frontier = fr.Frontier(graph, [3, 4])
    for array in (frontier.vertices, frontier.bits):
        if graph.device.is_gpu:
            array[:] = 0
        else:
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 0
    assert members(fr.filter(frontier, keep)) == members(frontier) == [3, 4]
    assert frontier.num_arcs == 4
    ids = graph.xp.asarray([7, 8], dtype=graph.vertex_dtype)
    frontier = fr.Frontier(graph, ids)
    ids[:] = 0
    assert members(frontier) == [7, 8]


def test_what_is_handed_out_can_be_used(graph):
    """Read-only arrays serve like any other."""
    vertices = fr.Frontier(graph, [3, 4]).vertices
    assert members(fr.Frontier(graph, vertices)) == [3, 4]
    assert len(fr.visit_edges(graph, vertices, vertices + 1, always)) == 2
    graph.insert_edges(vertices, vertices + 50)
    assert host(graph.has_edges(vertices, vertices + 50)).all()
    graph.delete_vertices(vertices)
    assert not host(graph.has_vertices(vertices)).any()


# ---- products ------------------------------------------------------------------------------------------------------


UPDATES = {
    "insert edges": lambda graph: graph.insert_edges([0], [50]),
    "delete edges": lambda graph: graph.delete_edges([0], [1]),
    "insert vertices": lambda graph: graph.insert_vertices(1),
    "delete vertices": lambda graph: graph.delete_vertices([1]),
}


@pytest.mark.parametrize("update", UPDATES)
def test_products_of_an_outdated_graph(graph, update):
    snapshot = graph.to_csr()
    product, kept = fr.SpMV(graph), fr.SpMV(snapshot)
    x = graph.xp.arange(N, dtype=np.float64)
    before = adjacency(graph) @ np.arange(N)
    UPDATES[update](graph)
    with pytest.raises(RuntimeError, match=r"before an update.*to_csr"):
        product(product.arrange(x))
    assert np.allclose(host(kept.restore(kept(kept.arrange(x)))), before)
    n = graph.num_vertices
    product = fr.SpMV(graph)
    x = graph.xp.arange(n, dtype=np.float64)
    assert np.allclose(host(product.restore(product(product.arrange(x)))), adjacency(graph) @ np.arange(n))


def test_products_outlive_their_graph(graph):
    product = fr.SpMV(graph, transpose=True)
    x, expected = graph.xp.arange(N, dtype=np.float64), adjacency(graph).T @ np.arange(N)
    del graph
    assert np.allclose(host(product.restore(product(product.arrange(x)))), expected)


def test_products_that_were_copied(graph):
    product = fr.SpMV(graph)
    x, expected = graph.xp.arange(N, dtype=np.float64), adjacency(graph) @ np.arange(N)
    alias, copies = copy.copy(product), [copy.deepcopy(product), pickle.loads(pickle.dumps(product))]
    graph.insert_edges([0], [50])
    for kept in copies:
        assert np.allclose(host(kept.restore(kept(kept.arrange(x)))), expected)
    for outdated in (lambda: alias(x), lambda: pickle.dumps(product), lambda: copy.deepcopy(alias)):
        with pytest.raises(RuntimeError, match="before an update"):
            outdated()


def test_frontiers_that_are_copied(graph):
    frontier = fr.Frontier(graph, [3, 4])
    graph.delete_vertices([4])
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(ValueError, match="deleted since it was made"):
            make(frontier)


# ---- versions ------------------------------------------------------------------------------------------------------


def test_versions_of_vertices(graph):
    """They grow when vertices change, and only then."""
    versions = [graph.vertex_version]
    for update in (
        lambda: graph.insert_vertices(2), lambda: graph.delete_vertices([1, 2]), lambda: graph.insert_vertices([1]),
        lambda: graph.insert_vertices(1),
    ):  # fmt: skip
        update()
        versions.append(graph.vertex_version)
    assert versions == sorted(set(versions))
    graph.insert_edges([0], [40])
    graph.delete_edges([0], [40])
    graph.delete_vertices([])
    assert graph.vertex_version == versions[-1]
