"""Vertices that come and go."""

import numpy as np
import pytest
from model import random_batch, to_host


@pytest.fixture
def path(new, directed):
    """0 - 1 - 2 - 3 - 4, and 5 on its own."""
    return new([0, 1, 2, 3], [1, 2, 3, 4], num_vertices=6, directed=directed)


def test_new_ids_follow_the_old(path):
    assert path.insert_vertices(3) == [6, 7, 8]
    assert path.graph.num_vertices == 9
    path.insert([8, 0], [0, 7])
    path.check()


def test_no_vertices(path):
    before = path.graph.version
    assert path.insert_vertices(0) == []
    assert path.insert_vertices([]) == []
    assert path.delete_vertices([]).deleted == 0
    assert path.graph.version == before
    path.check()


def test_into_a_graph_without_any(new):
    pair = new(num_vertices=0)
    pair.insert_vertices(4)
    pair.insert([0, 3], [3, 2])
    pair.check()


def test_a_graph_of_no_arguments(structure, device):
    graph = structure(device=device)
    assert graph.num_vertices == graph.num_edges == 0 and not graph.directed and graph.weight_dtype is None
    assert to_host(graph, graph.insert_vertices(2)).tolist() == [0, 1]


def test_ids_extend_the_space(path):
    assert path.insert_vertices([9]) == [9]
    assert path.graph.num_vertices == 10
    path.insert([9, 7], [8, 0])
    path.check()


def test_ids_that_are_there_stay_as_they_are(path):
    path.insert_vertices([1, 2, 2])
    path.check()


def test_one_by_one_growth(path):
    for _ in range(20):
        (v,) = path.insert_vertices(1)
        path.insert([v], [v - 1])
    path.check()


def test_much_growth(path, rng):
    path.insert_vertices(20_000)
    path.insert(*random_batch(rng, 20_006, 3000)[:2])
    path.check()


def test_growth_with_weights(new, rng):
    pair = new(*random_batch(rng, 10, 40, "float32"), num_vertices=10)
    pair.insert_vertices(90)
    pair.insert(*random_batch(rng, 100, 400, "float32"))
    pair.check()


def test_delete_takes_every_edge_that_touches(path):
    assert path.delete_vertices([2]).deleted == 2
    assert path.graph.num_vertices == 6
    assert to_host(path.graph, path.graph.has_vertices([1, 2, 6, -1])).tolist() == [True, False, False, False]
    path.check()


def test_delete_several(path):
    assert path.delete_vertices([1, 2, 2, 5]).deleted == 3
    path.check()


def test_delete_all(path):
    path.delete_vertices(range(6))
    assert path.graph.num_edges == 0
    path.check()
    assert path.insert_vertices(7) == [0, 1, 2, 3, 4, 5, 6]
    path.check()


def test_delete_an_isolated_vertex(path):
    assert path.delete_vertices([5]).deleted == 0
    path.check()


def test_edges_into_a_deleted_vertex(new):
    """In a directed graph they are found though the vertex does not list them."""
    pair = new([0, 1, 2, 3, 4], [4, 4, 4, 4, 0], directed=True)
    assert pair.delete_vertices([4]).deleted == 5
    pair.check()


def test_absent_ids_come_back_smallest_first(path):
    path.delete_vertices([4, 1, 3])
    assert path.insert_vertices(2) == [1, 3]
    path.check()
    assert path.insert_vertices(3) == [4, 6, 7]
    path.check()


def test_chosen_ids_come_back(path):
    path.delete_vertices([1, 2, 3])
    path.insert_vertices([3, 8])
    assert to_host(path.graph, path.graph.has_vertices([1, 2, 3, 8])).tolist() == [False, False, True, True]
    path.check()


def test_a_vertex_that_comes_back_is_bare(path):
    path.delete_vertices([2])
    path.insert_vertices([2])
    assert path.graph.neighbors(2).size == 0
    path.insert([2, 0], [0, 1])
    path.check()


@pytest.mark.parametrize("call", ["insert_edges", "delete_edges", "has_edges", "find_edges", "edge_weights"])
def test_naming_a_deleted_vertex(path, call):
    path.delete_vertices([2])
    for src, dst, name in [([0, 2], [1, 3], "src"), ([0, 0], [1, 2], "dst"), ([2], [2], "src")]:
        with pytest.raises(ValueError, match=rf"{name}\[.\] is 2, a vertex that was deleted"):
            getattr(path.graph, call)(src, dst)
    path.check()


def test_neighbors_of_a_deleted_vertex(path):
    path.delete_vertices([2])
    with pytest.raises(ValueError, match="deleted"):
        path.graph.neighbors(2)


def test_deleting_twice(path):
    path.delete_vertices([2])
    with pytest.raises(ValueError, match="deleted"):
        path.graph.delete_vertices([0, 2])
    path.check()


def test_deleted_vertices_in_snapshots(path):
    path.delete_vertices([2])
    csr = path.graph.to_csr()
    assert to_host(csr, csr.has_vertices(np.arange(6))).tolist() == [True, True, False, True, True, True]
    path.insert_vertices([2])
    assert not to_host(csr, csr.has_vertices([2]))[0]


def test_rounds(new, rng, directed, weight_dtype):
    pair = new(*random_batch(rng, 40, 200, weight_dtype), num_vertices=40, directed=directed)
    for _ in range(12):
        pair.delete_vertices(rng.permutation(pair.model.present)[:7])
        present = np.array(pair.model.present)
        src, dst, weights = random_batch(rng, present.size, 60, weight_dtype)
        pair.insert(present[src], present[dst], weights)
        pair.insert_vertices(int(rng.integers(5, 10)))
        present = np.array(pair.model.present)
        src, dst, _ = random_batch(rng, present.size, 60)
        pair.delete(present[src], present[dst])
        pair.check()


def test_deleting_a_hub(new):
    leaves = np.arange(1, 20_000)
    pair = new(np.zeros(leaves.size, int), leaves)
    assert pair.delete_vertices([0]).deleted == leaves.size
    pair.insert_vertices([0])
    pair.insert(leaves[::7], np.zeros(leaves[::7].size, int))
    pair.check()


def test_version_grows(path):
    versions = [path.graph.version]
    for act in (lambda: path.insert_vertices(1), lambda: path.delete_vertices([5]), lambda: path.insert_vertices([5])):
        act()
        versions.append(path.graph.version)
    assert versions == sorted(set(versions))


def test_more_than_32_bits_can_name(structure, device):
    graph = structure(3, device=device)
    for wrong in ([2**31], 2**31):
        with pytest.raises(ValueError, match="do not fit"):
            graph.insert_vertices(wrong)
    assert (graph.num_vertices, graph.version) == (3, 0)
