"""Foundations of incremental analytics: slots and weights without checks, the mask of vertices, keys of arcs."""

import numpy as np
import pytest
from model import make, random_batch, to_host

import frontier as fr


@pytest.fixture
def pair(new, rng, directed):
    src, dst = random_batch(rng, 30, 150)[:2]
    return new(src, dst, num_vertices=32, directed=directed)


def on_device(graph, *arrays):
    """Arrays in the form that `checked=False` requires."""
    return tuple(graph.xp.asarray(array, dtype=graph.vertex_dtype) for array in arrays)


def all_pairs(graph):
    n = graph.num_vertices
    return on_device(graph, *np.divmod(np.arange(n * n), n))


def test_unchecked_slots_are_those_of_checked_look_ups(pair):
    graph = pair.graph
    src, dst = all_pairs(graph)
    found = graph.find_edges(src, dst, checked=False)
    assert found.dtype == np.int64
    assert to_host(graph, found).tolist() == to_host(graph, graph.find_edges(src, dst)).tolist()


def test_no_slots_asked_for(pair):
    found = pair.graph.find_edges(*on_device(pair.graph, [], []), checked=False)
    assert found.shape == (0,) and found.dtype == np.int64


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_weights_by_slot(structure, device, dtype):
    graph = make(structure, device, [0, 1, 2, 0], [1, 2, 3, 3], np.array([1, 2, 3, 4], dtype)).graph
    src, dst, weights = graph.to_coo()
    assert graph.slot_weights.dtype == dtype
    assert to_host(graph, graph.slot_weights[graph.find_edges(src, dst)]).tolist() == to_host(graph, weights).tolist()


def test_weights_by_slot_follow_updates(structure, device):
    graph = make(structure, device, [0, 1], [1, 2], np.array([1, 2], np.float32)).graph
    graph.insert_edges([1, 2], [2, 0], [7, 8])
    assert to_host(graph, graph.slot_weights[graph.find_edges([1, 2, 1], [2, 0, 0])]).tolist() == [7, 8, 1]


def test_no_weights_by_slot_without_weights(pair):
    assert pair.graph.slot_weights is None


def test_mask_of_absent_vertices(pair):
    graph = pair.graph
    assert graph.absent_mask is None
    graph.delete_vertices([3, 5])
    mask = to_host(graph, graph.absent_mask)
    assert mask.shape == (graph.num_vertices,) and mask.dtype == bool
    assert np.flatnonzero(mask).tolist() == [3, 5]
    assert mask.tolist() == (~to_host(graph, graph.has_vertices(np.arange(graph.num_vertices)))).tolist()
    graph.insert_vertices([3])
    assert np.flatnonzero(to_host(graph, graph.absent_mask)).tolist() == [5]
    graph.insert_vertices([5])
    assert graph.absent_mask is None


def test_mask_of_absent_vertices_cannot_change_the_graph(pair):
    graph = pair.graph
    graph.delete_vertices([3])
    try:
        graph.absent_mask[4] = True
    except ValueError:  # read-only, a copy on a GPU
        assert not graph.device.is_gpu
    assert to_host(graph, graph.has_vertices([3, 4])).tolist() == [False, True]


def credit(u, v, w, edge_uw, edge_vw, tally):
    fr.atomic_add(tally, w, 1)


def test_unchecked_intersect(pair):
    graph = pair.graph
    us, vs = all_pairs(graph)
    counts = fr.intersect(graph, us, vs, checked=False)
    assert to_host(graph, counts).tolist() == to_host(graph, fr.intersect(graph, us, vs)).tolist()
    checked, unchecked = (graph.xp.zeros(graph.num_vertices, np.int64) for _ in range(2))
    fr.intersect(graph, us, vs, credit, checked)
    assert fr.intersect(graph, us, vs, credit, unchecked, checked=False) is None
    assert int(unchecked.sum()) == int(counts.sum())
    assert to_host(graph, unchecked).tolist() == to_host(graph, checked).tolist()


def shared(u, v, w, edge_uw, edge_vw, tally, of_pairs):
    fr.atomic_add(tally, w, 1)
    return w % 3


def take_sum(u, v, total, tally, of_pairs):
    fr.atomic_add(of_pairs, u, total)


def test_sums_of_pairs(pair):
    graph = pair.graph
    us, vs = all_pairs(graph)
    tally, of_pairs = (graph.xp.zeros(graph.num_vertices, np.int64) for _ in range(2))
    us[::5] = -1  # pairs to be skipped
    vs[::10] = -1
    assert fr.intersect(graph, us, vs, shared, tally, of_pairs, per_pair=take_sum, checked=False) is None
    neighbors = [set(to_host(graph, graph.neighbors(v)).tolist()) for v in range(graph.num_vertices)]
    found, sums = np.zeros_like(to_host(graph, tally)), np.zeros_like(to_host(graph, of_pairs))
    for u, v in zip(to_host(graph, us).tolist(), to_host(graph, vs).tolist(), strict=True):
        for w in neighbors[u] & neighbors[v] if u >= 0 else ():
            found[w] += 1
            sums[u] += w % 3
    assert to_host(graph, tally).tolist() == found.tolist()
    assert to_host(graph, of_pairs).tolist() == sums.tolist()


def test_sums_of_pairs_need_something_to_sum(pair):
    ends = on_device(pair.graph, [0], [1])
    with pytest.raises(TypeError, match="per_pair sums the results of op"):
        fr.intersect(pair.graph, *ends, per_pair=take_sum)
    with pytest.raises(fr.FunctorError, match="per_pair <lambda>"):
        fr.intersect(pair.graph, *ends, shared, *ends, per_pair=lambda take_sum: None)


def test_unchecked_intersect_checks_functors(pair):
    none = on_device(pair.graph, [], [])
    with pytest.raises(fr.FunctorError, match="op"):
        fr.intersect(pair.graph, *none, lambda u: None, checked=False)
    with pytest.raises(TypeError, match="no op"):
        fr.intersect(pair.graph, *none, None, 3, checked=False)


def test_snapshots_are_made_where_look_ups_are_slow(structure, device):
    n = 200
    ids = np.arange(1, n)
    graph = make(structure, device, [*np.zeros(n - 1, int), *np.ones(n - 2, int)], [*ids, *ids[1:]]).graph
    few, many = on_device(graph, [5], [6]), on_device(graph, np.zeros(50), np.ones(50))
    assert fr.advanced.copy_if_faster(graph, *few) is graph
    chosen = fr.advanced.copy_if_faster(graph, *many)
    assert (chosen is graph) == graph.finds_fast
    assert to_host(graph, fr.intersect(chosen, *many, checked=False)).tolist() == [n - 2] * 50


def neighbor(src, dst, edge, weight, x):
    return x[dst] * weight


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weights", [None, "float32"])
def test_copies_for_passes_are_the_same_graph(structure, device, directed, weights, rng):
    """A graph is copied for many passes if it is walked slower than CSR, never for none."""
    src, dst = rng.integers(0, 200, (2, 900))
    graph = make(structure, device, src, dst, weights and rng.integers(1, 9, 900), directed=directed).graph
    graph.delete_vertices([3, 150])
    assert fr.advanced.copy_for_passes(graph, 0) is graph
    copy = fr.advanced.copy_for_passes(graph, 1e12)
    assert (copy is graph) == (graph.walk_cost[graph.device.kind] * 1e12 <= 1.1 * (1e12 + 4))
    assert (copy.directed, copy.num_arcs, copy.is_weighted) == (directed, graph.num_arcs, graph.is_weighted)
    assert (to_host(graph, copy.absent_mask) == to_host(graph, graph.absent_mask)).all()
    x = graph.xp.asarray(rng.integers(1, 9, graph.num_vertices))
    sums = [to_host(graph, fr.neighbor_reduce(each, None, neighbor, x)) for each in (graph, copy)]
    assert (sums[0] == sums[1]).all()


def test_oriented_copies(structure, device, rng):
    """Each edge once in each of them, between numbers of vertices by falling degree."""
    src, dst = rng.integers(0, 60, (2, 1500))  # so many that a CPU, too, orders vertices by degree
    graph = make(structure, device, src, dst).graph
    edges = {(min(u, v), max(u, v)) for u, v in zip(src.tolist(), dst.tolist(), strict=True) if u != v}
    degrees = graph.degrees()
    given = graph.xp.asarray(rng.permutation(graph.num_vertices))
    for by, least in ((given, 20), (degrees, 34), (degrees, 0)):
        orientation = fr.advanced.Orientation(graph, None if by is degrees else by, least)
        up, down, order, rank = orientation.copy()
        values, order, rank = (to_host(graph, array) for array in (by, order, rank))
        assert sorted(order.tolist()) == np.flatnonzero(values >= max(least, 1)).tolist()
        assert (np.diff(values[order]) <= 0).all() and (rank[order] == np.arange(order.size)).all()
        assert np.unique(rank).size == graph.num_vertices
        src_up, dst_up = (to_host(graph, ids) for ids in up.to_coo()[:2])
        assert (src_up > dst_up).all() and (np.lexsort((dst_up, src_up)) == np.arange(src_up.size)).all()
        found = {tuple(sorted(edge)) for edge in zip(order[src_up].tolist(), order[dst_up].tolist(), strict=True)}
        assert len(found) == src_up.size and found == {edge for edge in edges if min(values[list(edge)]) >= least}
        reverse = (to_host(graph, ids).tolist() for ids in down.to_coo()[1::-1])
        assert sorted(zip(src_up.tolist(), dst_up.tolist(), strict=True)) == sorted(zip(*reverse, strict=True))
    graph.insert_edges([0], [59])
    with pytest.raises(RuntimeError, match="before an update"):
        orientation.copy()


def test_neighbor_lists_as_they_lie(pair):
    graph = pair.graph
    asked = [7, 0, 7, 31]
    offsets, ids, slots = fr.advanced.extract_neighbors(graph, asked)
    begin, found = to_host(graph, offsets), to_host(graph, ids)
    assert begin.dtype == np.int64 and ids.dtype == graph.vertex_dtype and slots.dtype == np.int64
    rows = [found[begin[i] : begin[i + 1]].tolist() for i in range(len(asked))]
    assert [sorted(row) for row in rows] == [to_host(graph, graph.neighbors(v)).tolist() for v in asked]
    src = np.repeat(asked, np.diff(begin))
    assert to_host(graph, slots).tolist() == to_host(graph, graph.find_edges(src, ids)).tolist()


def test_neighbor_lists_without_edges(pair):
    graph = pair.graph
    for vertices in (None, [7, 0]):
        offsets, ids, edges = fr.advanced.extract_neighbors(graph, vertices, edges=False)
        known = fr.advanced.extract_neighbors(graph, vertices)
        assert edges is None and ids.dtype == graph.vertex_dtype
        assert to_host(graph, offsets).tolist() == to_host(graph, known[0]).tolist()
        rows = [np.split(to_host(graph, each), to_host(graph, offsets)[1:-1]) for each in (ids, known[1])]
        assert all(sorted(one.tolist()) == sorted(other.tolist()) for one, other in zip(*rows, strict=True))
    with pytest.raises(TypeError, match="edges must be"):
        fr.advanced.extract_neighbors(graph, edges=2)


def test_neighbor_lists_of_no_vertices(pair):
    offsets, ids, slots = fr.advanced.extract_neighbors(pair.graph, [])
    assert to_host(pair.graph, offsets).tolist() == [0] and ids.size == slots.size == 0


def test_neighbor_lists_of_bad_vertices(pair):
    with pytest.raises(TypeError, match="graph must be a Graph"):
        fr.advanced.extract_neighbors(None, [0])
    with pytest.raises(ValueError, match=r"vertices\[1\] is 32"):
        fr.advanced.extract_neighbors(pair.graph, [0, 32])
    pair.graph.delete_vertices([4])
    with pytest.raises(ValueError, match=r"vertices\[0\] is 4, a vertex that was deleted"):
        fr.advanced.extract_neighbors(pair.graph, [4])


@pytest.mark.parametrize("num_vertices", [1, 2, 32, 33])
def test_keys_order_arcs(device, num_vertices, rng):
    graph = fr.advanced.csr_structure()(num_vertices, device=device)
    src, dst = on_device(graph, *rng.integers(0, num_vertices, (2, 50)))
    keys = fr.advanced.keys.pack(graph, src, dst)
    assert (
        to_host(graph, keys).tolist()
        == (to_host(graph, src) * fr.advanced.keys.stride(graph) + to_host(graph, dst)).tolist()
    )
    back = fr.advanced.keys.unpack(graph, keys)
    assert all(ids.dtype == graph.vertex_dtype for ids in back)
    assert [to_host(graph, ids).tolist() for ids in back] == [to_host(graph, ids).tolist() for ids in (src, dst)]
    pairs = list(zip(*(to_host(graph, ids).tolist() for ids in (src, dst)), strict=True))
    ordered, places = fr.advanced.keys.sort(graph, keys, graph.xp.arange(50))
    expected = sorted(range(50), key=lambda i: (pairs[i], i))
    assert to_host(graph, places).tolist() == expected
    assert (to_host(graph, ordered) == to_host(graph, keys)[expected]).all()
    assert (to_host(graph, fr.advanced.keys.sort(graph, keys)) == to_host(graph, ordered)).all()
    values = graph.xp.arange(50) / 2
    for given, numbers in ((None, np.ones(50)), (values, to_host(graph, values))):
        found, sums = fr.advanced.keys.sums(graph, keys, given)
        names, which = np.unique(to_host(graph, keys), return_inverse=True)
        assert (to_host(graph, found) == names).all() and sums.dtype == np.float64
        assert (to_host(graph, sums) == np.bincount(which, numbers)).all()
    distinct = fr.advanced.keys.unpack(graph, fr.advanced.keys.distinct(graph, keys))
    assert list(zip(*(to_host(graph, ids).tolist() for ids in distinct), strict=True)) == sorted(set(pairs))


def test_no_keys(device):
    graph = fr.advanced.csr_structure()(0, device=device)
    none = fr.advanced.keys.pack(graph, *on_device(graph, [], []))
    assert none.dtype == np.int64 and fr.advanced.keys.distinct(graph, none).size == 0
    for values in (None, np.float64([])):
        values = values if values is None else graph.xp.asarray(values)
        assert [array.size for array in fr.advanced.keys.sums(graph, none, values)] == [0, 0]
    assert [
        array.size for array in (*fr.advanced.keys.unpack(graph, none), *fr.advanced.keys.sort(graph, none, none))
    ] == [0] * 4


def test_ids_that_do_not_fit_into_keys(device):
    class Huge:  # a graph of as many vertices would need the memory of a large machine
        num_vertices = 2**33
        device = fr.advanced.resolve_device("cpu")

    with pytest.raises(OverflowError, match="64-bit keys"):
        fr.advanced.keys.pack(Huge(), np.zeros(1, np.int64), np.zeros(1, np.int64))


def test_vertex_ids(pair):
    graph = pair.graph
    assert to_host(graph, fr.advanced.arguments.vertex_ids(graph, [3, 3, 1], "seeds")).tolist() == [3, 3, 1]
    for bad, error in [([1, 32], ValueError), ([-1], ValueError), ([0.5], TypeError), (3, ValueError)]:
        with pytest.raises(error, match="seeds"):
            fr.advanced.arguments.vertex_ids(graph, bad, "seeds")
    graph.delete_vertices([3])
    with pytest.raises(ValueError, match=r"seeds\[0\] is 3, a vertex that was deleted"):
        fr.advanced.arguments.vertex_ids(graph, [3], "seeds")
    assert to_host(graph, fr.advanced.arguments.vertex_ids(graph, [3], "seeds", allow_deleted=True)).tolist() == [3]
    with pytest.raises(TypeError, match="graph must be a Graph"):
        fr.advanced.arguments.vertex_ids(None, [3], "seeds")


def test_numbers(pair):
    graph = pair.graph
    assert to_host(graph, fr.advanced.arguments.numbers(graph, [3, 0.5], "scores")).tolist() == [3, 0.5]
    for bad, error in [(["a"], TypeError), (3, ValueError)]:
        with pytest.raises(error, match="scores"):
            fr.advanced.arguments.numbers(graph, bad, "scores")


def test_a_stream_says_what_is_inserted():
    edges = fr.io.EdgeList(np.array([0, 1]), np.array([1, 2]), num_vertices=3)
    assert fr.io.EdgeStream(edges, 2).inserts is None
    assert fr.io.EdgeStream(edges, 2, np.array([True, True])).inserts is None
    assert fr.io.EdgeStream(edges, 2, np.array([True, False])).inserts.tolist() == [True, False]
