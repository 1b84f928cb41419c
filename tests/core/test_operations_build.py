"""Graphs made from lists of edges."""

import numpy as np
import pytest
from model import Model, assert_same, make, random_batch, to_host

# With the dtypes of other tests (int32 ids without weights and with float32) each dtype of ids and of weights. They are
# few, because CPU kernels are compiled for each.
DTYPES = [("int32", "int32"), ("int32", "int64"), ("int64", "float64"), ("int64", None)]


def test_nothing(structure, device, directed, weight_dtype):
    pair = make(structure, device, directed=directed, weight_dtype=weight_dtype)
    assert (pair.graph.num_vertices, pair.graph.num_edges) == (0, 0)
    pair.check()


def test_constructor_makes_isolated_vertices(structure, device, directed):
    graph = structure(5, directed=directed, device=device)
    assert_same(graph, Model(5, directed=directed))


def test_one_vertex(new):
    new(num_vertices=1).check()


def test_one_edge(new, directed):
    pair = new([1], [0], directed=directed)
    assert pair.graph.num_vertices == 2
    pair.check()


def test_isolated_vertices_count(new):
    pair = new([2], [5], num_vertices=10)
    assert len(pair.graph.degrees()) == 10
    pair.check()


def test_the_largest_id_alone_sets_the_number_of_vertices(new):
    pair = new([9001], [9003])
    assert pair.graph.num_vertices == 9004
    pair.check()


def test_self_loops_only(new, directed):
    pair = new([0, 3, 3], [0, 3, 3], directed=directed)
    assert (pair.graph.num_vertices, pair.graph.num_edges) == (4, 0)
    pair.check()


def test_all_duplicates(new, directed):
    pair = new([1] * 1000, [2] * 1000, directed=directed)
    assert pair.graph.num_edges == 1
    pair.check()


def test_the_last_duplicate_wins(new, directed):
    weights = np.arange(1, 1001, dtype=np.float32)
    pair = new([1] * 1000, [2] * 1000, weights, directed=directed)
    assert to_host(pair.graph, pair.graph.edge_weights([1], [2])).tolist() == [1000]
    pair.check()


def test_either_direction_names_an_undirected_edge(new):
    pair = new([0, 1, 2], [1, 0, 1], np.array([5, 7, 3], np.float32))
    assert to_host(pair.graph, pair.graph.edge_weights([0, 1], [1, 0])).tolist() == [7, 7]
    assert pair.graph.num_edges == 2
    pair.check()


def test_directions_are_two_edges_when_directed(new):
    pair = new([0, 1], [1, 0], np.array([5, 7], np.float32), directed=True)
    assert to_host(pair.graph, pair.graph.edge_weights([0, 1], [1, 0])).tolist() == [5, 7]
    pair.check()


def test_random(new, rng, directed, weight_dtype):
    src, dst, weights = random_batch(rng, 80, 1500, weight_dtype)
    new(src, dst, weights, num_vertices=83, directed=directed).check()


def test_hub(new, rng, directed):
    """One vertex with edges to all other vertices, some of which have edges among them."""
    leaves = rng.permutation(np.arange(1, 8000))
    more = rng.integers(0, 8000, (2, 1000))
    new(np.r_[np.zeros(leaves.size, int), more[0]], np.r_[leaves, more[1]], directed=directed).check()


def test_many_vertices(new, rng):
    src, dst, _ = random_batch(rng, 100_000, 2000)
    new(src, dst, num_vertices=100_000).check()


@pytest.mark.slow
@pytest.mark.parametrize(("vertex_dtype", "weight_dtype"), DTYPES)
def test_dtypes(new, rng, vertex_dtype, weight_dtype):
    """Every operation in short, for each dtype of ids and of weights."""
    src, dst, weights = random_batch(rng, 30, 200, weight_dtype)
    pair = new(src, dst, weights, num_vertices=30, vertex_dtype=vertex_dtype)
    assert pair.graph.vertex_dtype == vertex_dtype
    pair.check()
    pair.insert(*random_batch(rng, 30, 100, weight_dtype))
    pair.delete(*random_batch(rng, 30, 100)[:2])
    pair.insert(*random_batch(rng, 30, 50, weight_dtype), on_existing="keep")
    if weight_dtype:
        pair.insert(*random_batch(rng, 30, 100, weight_dtype), on_existing="add")
    pair.insert_vertices(5)
    pair.delete_vertices([3, 31])
    pair.check()


def test_weights_keep_their_dtype(structure, device):
    if not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no weights")
    for given, kept in [("int8", "int32"), ("uint16", "int32"), ("uint32", "int64"), ("float16", "float32")]:
        graph = structure(2, device=device, weight_dtype=kept)
        made = structure.from_edges([0], [1], np.array([3], given), device=device)
        assert made.weight_dtype == graph.weight_dtype, given


def test_weights_of_a_chosen_dtype(structure, device):
    if not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no weights")
    graph = structure.from_edges([0, 1], [1, 2], np.array([3, 4], np.int32), device=device, weight_dtype="float32")
    model = Model(3, weight_dtype="float32")
    model.insert_edges([0, 1], [1, 2], [3, 4])
    assert_same(graph, model)


def test_a_structure_without_weights_refuses_them(structure, device):
    if structure.can_store_weights:
        pytest.skip(f"{structure.name} stores weights")
    with pytest.raises(ValueError, match="weights"):
        structure.from_edges([0], [1], [2.0], device=device)


def test_the_users_arrays_are_not_changed(new, rng, weight_dtype):
    src, dst, weights = random_batch(rng, 20, 100, weight_dtype)
    batch = [a.astype(kind) for a, kind in ((src, np.int32), (dst, np.int32))] + [weights]
    kept = [None if a is None else a.copy() for a in batch]
    pair = new(*batch, num_vertices=20)
    pair.insert(*batch)
    pair.delete(batch[0][:50], batch[1][:50])
    for array, before in zip(batch, kept, strict=True):
        np.testing.assert_array_equal(array, before)


def test_a_graph_does_not_share_the_users_arrays(new, rng):
    src, dst, weights = random_batch(rng, 20, 100, "float32")
    pair = new(src, dst, weights, num_vertices=20)
    for array in (src, dst, weights):
        array[:] = 0
    pair.check()


def test_text(new):
    text = repr(new([0], [1], np.ones(1, np.float32), num_vertices=1000).graph)
    assert "1,000 vertices" in text and "1 edges" in text and "float32" in text and "undirected" in text


def test_defaults(structure):
    """`device="auto"` selects the available device. A graph is undirected and without weights by default."""
    graph = structure.from_edges([0, 1], [1, 2])
    assert (graph.directed, graph.is_weighted, graph.num_vertices, graph.num_edges) == (False, False, 3, 2)
    assert graph.vertex_dtype == np.int32
