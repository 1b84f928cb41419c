"""Connected components, static and dynamic, and the operator that samples neighbors."""

import importlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from graphs import GRAPHS
from verifiers import host, verify_components

import frontier as fr
from algorithms import DynamicConnectedComponents, connected_components
from structures import SlabGraph

module = importlib.import_module("algorithms.dynamic_connected_components")


def sorted_components(labels):
    labels = host(labels)
    return sorted(sorted(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels[labels >= 0]))


# ---- sample_neighbors ------------------------------------------------------------------------------------------------


def count_visit(src, dst, edge, weight, visits, sums):
    fr.atomic_add(visits, src, 1)
    fr.atomic_add(sums, src, weight)
    return True


@pytest.mark.parametrize("count", [1, 2, 50])
def test_a_few_neighbors_are_sampled(graph, count):
    xp, n = graph.xp, graph.num_vertices
    visits, sums = xp.zeros(n, np.int64), xp.zeros(n, np.float64)
    members = np.arange(0, n, 2)
    assert fr.sample_neighbors(graph, fr.Frontier(graph, members), count_visit, visits, sums, count=count) is None
    expected = np.zeros(n, np.int64)
    expected[members] = np.minimum(host(graph.degrees()), count)[members]
    assert (host(visits) == expected).all()
    assert (host(sums) == expected).all()  # without weights they are 1


def note(src, dst, edge, weight, neighbors, slots, weights):
    neighbors[src] = dst
    slots[src] = edge
    weights[src] = weight
    return True


def test_what_is_sampled_is_an_edge(structure, device, rng):
    src, dst, n = GRAPHS["rmat"]
    weights = rng.random(src.size).astype(np.float32)
    graph = structure.from_edges(src, dst, weights, num_vertices=n, device=device)
    if isinstance(graph, fr.DynamicGraph):
        graph.delete_edges(src[::3], dst[::3])  # leaves gaps
    xp = graph.xp
    neighbors, slots, found = xp.full(n, -1, np.int64), xp.full(n, -1, np.int64), xp.zeros(n, np.float32)
    fr.sample_neighbors(graph, fr.Frontier.all(graph), note, neighbors, slots, found, count=1)
    us = np.flatnonzero(host(graph.degrees()))
    vs = host(neighbors)[us]
    assert (host(neighbors) >= 0).sum() == us.size
    assert (host(slots)[us] == host(graph.find_edges(us, vs))).all()
    assert (host(found)[us] == host(graph.edge_weights(us, vs))).all()


@pytest.mark.parametrize("count, error", [(0, ValueError), (-2, ValueError), (1.5, TypeError), (True, TypeError)])
def test_sample_neighbors_names_a_bad_count(structure, device, count, error):
    graph = structure.from_edges([0], [1], device=device)
    with pytest.raises(error, match="count"):
        fr.sample_neighbors(graph, fr.Frontier.all(graph), count_visit, *[graph.xp.zeros(2)] * 2, count=count)


# ---- connected_components --------------------------------------------------------------------------------------------


def test_components(graph, edges):
    result = connected_components(graph)
    verify_components(graph, result)
    expected = nx.Graph()
    expected.add_nodes_from(range(edges[2]))
    expected.add_edges_from(zip(edges[0].tolist(), edges[1].tolist(), strict=True))
    assert sorted_components(result.labels) == sorted(sorted(c) for c in nx.connected_components(expected))
    assert isinstance(result.count, int)


def test_components_of_directed_graphs_are_weak(structure, device, edges):
    src, dst, n = edges
    graph = structure.from_edges(src, dst, num_vertices=n, directed=True, device=device)
    verify_components(graph, connected_components(graph))


def test_many_components(structure, device, rng):
    n = 3000
    src, dst = rng.integers(0, n, (2, n // 2))
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    verify_components(graph, connected_components(graph))


@pytest.mark.parametrize("most_outside", [0, 1], ids=["two", "one"])
def test_one_neighbor_is_tried_first(structure, device, rng, monkeypatch, most_outside):
    """Cliques of a similar size, a few of which bridges connect. The largest one may differ between attempts."""
    static = importlib.import_module("algorithms.connected_components")
    monkeypatch.setattr(static, "DENSE", 0)
    monkeypatch.setattr(static, "MOST_OUTSIDE", most_outside)
    ends = np.stack(np.triu_indices(12, 1))
    for bridges in (0, 3, 9):
        src, dst = np.concatenate([ends + 12 * clique for clique in range(10)], axis=1)
        src, dst = (np.r_[part, 12 * rng.integers(0, 10, bridges)] for part in (src, dst))
        order = rng.permutation(120)
        graph = structure.from_edges(order[src], order[dst], num_vertices=120, device=device)
        verify_components(graph, connected_components(graph))


@pytest.mark.slow
def test_labels_are_of_the_graphs_vertex_dtype(structure, device):
    graph = structure.from_edges([5, 3], [1, 5], num_vertices=7, device=device, vertex_dtype="int64")
    result = connected_components(graph)
    assert host(result.labels).tolist() == [0, 1, 2, 1, 4, 1, 6] and result.count == 5
    verify_components(graph, result)


def test_there_are_no_components_without_vertices(structure, device):
    result = connected_components(structure(0, device=device))
    assert result.count == 0 and result.labels.size == 0


def test_components_as_a_table(structure, device):
    table = connected_components(structure.from_edges([0], [2], device=device)).to_dataframe()
    assert list(table.columns) == ["vertex", "labels"] and len(table) == 3


@pytest.mark.parametrize("name", ["rmat", "path"])
def test_wrong_components_fail_their_verifier(structure, name):
    src, dst, n = GRAPHS[name]
    graph = structure.from_edges(src, dst, num_vertices=n, device="cpu")
    right = connected_components(graph)
    for v, label in ((n - 1, n - 2), (0, 1), (n // 2, -1)):
        labels = right.labels.copy()
        labels[v] = label
        with pytest.raises(AssertionError):
            verify_components(graph, replace(right, labels=labels))
    with pytest.raises(AssertionError):
        verify_components(graph, replace(right, count=right.count + 1))


# ---- DynamicConnectedComponents --------------------------------------------------------------------------------------


@pytest.fixture
def dynamic(structure):
    if not issubclass(structure, fr.DynamicGraph):
        pytest.skip("cannot be changed")
    return structure


def verify_forest(graph, components):
    """Every vertex but one of each component has a parent, a neighbor of smaller level. Labels are their own links."""
    labels, link = host(components.labels), host(components._link)
    there = np.flatnonzero(labels >= 0)
    kept = np.unique(labels[there])
    assert (link[kept] == kept).all()
    if components._largest is not None:
        assert not there.size or labels[int(components._largest)] >= 0
    if not graph.has_in_edges:
        return
    parent, level = host(components._parent), host(components._level)
    assert (level[there] >= 0).all() and (level[there] < module.DETACHED).all()
    if not components._has_forest:
        return
    hung = there[parent[there] >= 0]
    assert hung.size == there.size - components.count
    assert (host(graph.has_edges(parent[hung], hung)) | host(graph.has_edges(hung, parent[hung]))).all()
    assert (level[hung] > level[parent[hung]]).all()


def check(graph, components):
    verify_components(graph, components)
    verify_forest(graph, components)


@pytest.fixture(params=[{}, {"directed": True, "in_edges": True}], ids=["undirected", "in_edges"])
def both_ways(request):
    """Options of graphs whose components are repaired."""
    return request.param


def test_dynamic_components_keep_up(dynamic, device, edges, rng, both_ways):
    src, dst, n = edges
    graph = dynamic.from_edges(src, dst, num_vertices=n, device=device, **both_ways)
    components = DynamicConnectedComponents(graph)
    check(graph, components)
    for step in range(4):
        us, vs = map(host, graph.to_coo()[:2])
        chosen = rng.permutation(us.size)[: us.size // 4 + 1]
        graph.delete_edges(vs[chosen], us[chosen])
        check(graph, components)
        graph.insert_edges(*rng.integers(0, n, (2, us.size // 20 + 1)))
        check(graph, components)
        if step == 2:
            graph.insert_edges(us[chosen], vs[chosen])
            check(graph, components)


def test_dynamic_components_after_large_batches(dynamic, device, rng, both_ways):
    """GPUs replay these steps up to some hundred thousand arcs."""
    n = 6000
    src, dst = rng.integers(0, n, (2, 12_000))
    graph = dynamic.from_edges(src, dst, num_vertices=n, device=device, **both_ways)
    components = DynamicConnectedComponents(graph)
    for size in (7000, 9000, 11_000):
        graph.delete_edges(src[:size], dst[:size])
        check(graph, components)
        graph.insert_edges(src[:size], dst[:size])
        check(graph, components)


def test_dynamic_components_of_sparse_graphs(dynamic, device, rng, both_ways):
    """Near the threshold where a giant component emerges, components join and fall apart all the time."""
    n = 600
    graph = dynamic(n, device=device, **both_ways)
    components = DynamicConnectedComponents(graph)
    for step in range(24):
        graph.insert_edges(*rng.integers(0, n, (2, 70)))
        check(graph, components)
        us, vs = map(host, graph.to_coo()[:2])
        chosen = rng.permutation(us.size)[: 20 + 12 * (step % 6)]
        graph.delete_edges(us[chosen], vs[chosen])
        check(graph, components)


def test_dynamic_components_given_up(dynamic, device, rng, both_ways, monkeypatch):
    """A CPU recomputes components that a batch cuts up, also if more batches follow before they are read."""
    monkeypatch.setattr(module, "MOST_ARCS", 0)
    monkeypatch.setattr(module, "SMALL_ARCS", 0)
    src, dst = rng.integers(0, 200, (2, 260))
    graph = dynamic.from_edges(src, dst, num_vertices=200, device=device, **both_ways)
    components = DynamicConnectedComponents(graph)
    for step in range(6):
        chosen = rng.permutation(260)[:90]
        for part in (chosen[:45], chosen[45:]):
            graph.delete_edges(src[part], dst[part])
        assert components._torn or graph.device.is_gpu
        if step % 2:
            check(graph, components)
        graph.insert_edges(src[chosen], dst[chosen])
        if step % 3:
            check(graph, components)
    check(graph, components)


def test_a_forest_that_is_lost_counts(dynamic, device, monkeypatch):
    """Growing the forest of a path costs a GPU as much as several recomputations."""
    for name, limit in {"MOST_VERTICES": 0, "SMALL_VERTICES": 4, "RECOMPUTE_LEVELS": 10}.items():
        monkeypatch.setattr(module, name, limit)
    n = 105
    graph = dynamic.from_edges(np.arange(n - 1), np.arange(1, n), num_vertices=n, device=device)
    components = DynamicConnectedComponents(graph)
    graph.delete_edges([10], [11])
    check(graph, components)
    assert components._trials._skip == (11 if graph.device.is_gpu else 1)
    graph.insert_edges([50], [5])
    graph.delete_edges([60], [61])  # joins and cuts, unrepaired
    check(graph, components)


def test_dynamic_components_after_many_small_batches(dynamic, device, rng, both_ways, monkeypatch):
    """Their ends may be few enough to be stored, or not."""
    monkeypatch.setattr(module, "SMALL_BATCHES", 5)
    graph = dynamic(400, device=device, **both_ways)
    components = DynamicConnectedComponents(graph)
    for batches in (4, 9, 5, 6, 1):
        for _ in range(batches):
            graph.insert_edges(*rng.integers(0, 400, (2, 3)))
        assert (components._ends is None) == (batches > 5)
        check(graph, components)
        assert components._ends == []


@pytest.mark.parametrize("in_edges", [False, True], ids=["without", "in_edges"])
def test_dynamic_components_of_directed_graphs(dynamic, device, rng, in_edges):
    graph = dynamic(80, directed=True, device=device, in_edges=in_edges)
    components = DynamicConnectedComponents(graph)
    for _ in range(8):
        graph.insert_edges(*rng.integers(0, 80, (2, 30)))
        check(graph, components)
        graph.delete_edges(*rng.integers(0, 80, (2, 800)))
        check(graph, components)
        graph.delete_vertices([int(rng.integers(0, 80))])
        check(graph, components)
        graph.insert_vertices(1)
        check(graph, components)


def test_dynamic_components_of_directed_graphs_in_small(dynamic, device, rng):
    """Few vertices, so batches contain edges with their opposites, duplicates, loops, and edges at deleted vertices."""
    n = 14
    graph = dynamic(n, directed=True, in_edges=True, device=device)
    components = DynamicConnectedComponents(graph)
    for step in range(30):
        alive = np.flatnonzero(host(graph.has_vertices(np.arange(n))))
        src, dst = alive[rng.integers(0, alive.size, (2, 5))]
        graph.insert_edges(np.r_[src, src[:2], dst[2:4], alive[0]], np.r_[dst, dst[:2], src[2:4], alive[-1]])
        if step % 3:
            check(graph, components)
        us, vs = map(host, graph.to_coo()[:2])
        gone = rng.permutation(us.size)[: us.size * (step % 4) // 3]
        graph.delete_edges(np.r_[us[gone], us[gone[:2]]], np.r_[vs[gone], vs[gone[:2]]])  # one direction of some
        check(graph, components)
        if step % 7 == 5:
            graph.delete_vertices(alive[:2])
            check(graph, components)
        if step % 7 == 6:
            graph.insert_vertices(2)
            check(graph, components)


def test_steps_of_directed_graphs_are_recorded(dynamic, device):
    """On GPUs steps are captured before the first batch, and batches replay them."""
    path = np.arange(49)
    graph = dynamic.from_edges(path, path + 1, num_vertices=50, directed=True, in_edges=True, device=device)
    components = DynamicConnectedComponents(graph)
    steps = components._joins, components._renames, components._splits
    records = [step._plans.values() for step in steps]
    assert all(bool(of_step) == graph.device.is_gpu for of_step in records)
    for cut in (20, 30):
        graph.delete_edges([cut], [cut + 1])
        check(graph, components)
        graph.insert_edges([cut + 1], [cut])
        check(graph, components)
    assert [step._plans.values() for step in steps] == records


def test_long_paths_fall_apart_and_join(dynamic, device, both_ways, monkeypatch):
    n = 1000
    path = np.arange(n - 1)
    graph = dynamic.from_edges(path, path + 1, num_vertices=n, device=device, **both_ways)
    components = DynamicConnectedComponents(graph)
    cuts = np.array([10, 499, 500, 900])
    with monkeypatch.context() as patch:
        patch.setattr(components, "_recompute", None)  # they are repaired
        graph.delete_edges(cuts, cuts + 1)
    check(graph, components)
    assert components.count == 5
    graph.insert_edges([0, 950], [n - 1, 400])  # other ends than before
    check(graph, components)
    graph.insert_edges(cuts, cuts + 1)
    check(graph, components)
    graph.delete_edges(path, path + 1)
    check(graph, components)
    graph.insert_edges(path[::-1] + 1, path[::-1])  # a thousand components in a chain, in one batch
    check(graph, components)
    assert components.count == 1


def test_a_grid_is_cut_in_strips(dynamic, device):
    src, dst, n = GRAPHS["grid"]
    graph = dynamic.from_edges(src, dst, num_vertices=n, device=device)
    components = DynamicConnectedComponents(graph)
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    between = (high - low > 1) & ((low // 31) % 4 == 1)
    graph.delete_edges(src[between], dst[between])
    check(graph, components)
    assert components.count == 6
    graph.insert_edges(src[between][:3], dst[between][:3])
    check(graph, components)


def test_bridges_between_cliques(dynamic, device, both_ways):
    size, cliques = 12, 9
    one = np.array([(i, j) for i in range(size) for j in range(i)]).T
    src = np.concatenate([one[0] + size * c for c in range(cliques)])
    dst = np.concatenate([one[1] + size * c for c in range(cliques)])
    graph = dynamic.from_edges(src, dst, num_vertices=size * cliques, device=device, **both_ways)
    components = DynamicConnectedComponents(graph)
    assert components.count == cliques
    ends = size * np.arange(cliques)
    for _ in range(2):
        graph.insert_edges(ends[:-1] + 1, ends[1:] + 5)
        check(graph, components)
        graph.insert_edges(ends[1:-1], ends[2:] + 7)  # a second bridge between most
        check(graph, components)
        assert components.count == 1
        graph.delete_edges(ends[:-1] + 1, ends[1:] + 5)
        check(graph, components)
        assert components.count == 2
        graph.delete_edges(ends[1:-1], ends[2:] + 7)
        check(graph, components)
        assert components.count == cliques


def test_a_star_loses_its_hub(dynamic, device, both_ways):
    src, dst, n = GRAPHS["star"]
    graph = dynamic.from_edges(src, dst, num_vertices=n, device=device, **both_ways)
    components = DynamicConnectedComponents(graph)
    assert components.count == 1
    graph.delete_vertices([0])
    check(graph, components)
    assert components.count == n - 1 and int(components.labels[0]) == -1
    graph.insert_vertices([0])
    check(graph, components)
    graph.insert_edges(src, dst)
    check(graph, components)
    assert components.count == 1


def test_the_smallest_vertex_leaves_the_largest_component(dynamic, device, both_ways):
    clique = np.array([(i, j) for i in range(2, 40) for j in range(2, i)]).T
    graph = dynamic.from_edges(*clique, num_vertices=40, device=device, **both_ways)
    components = DynamicConnectedComponents(graph)
    graph.insert_edges([0, 1], [20, 30])  # the clique adopts the label 0, and its root stays
    check(graph, components)
    graph.delete_edges([0], [20])
    check(graph, components)
    assert int(components.labels[39]) == 1
    graph.delete_vertices([1])
    check(graph, components)
    assert int(components.labels[39]) == 2


def test_levels_are_reset_before_they_overflow(dynamic, device, both_ways):
    graph = dynamic.from_edges([0, 1, 2], [1, 2, 3], device=device, **both_ways)
    components = DynamicConnectedComponents(graph)
    graph.delete_edges([0], [1])  # for which the forest is grown
    graph.insert_edges([0], [1])
    components._level += np.int32(2**30 - 1)
    for _ in range(3):
        graph.delete_edges([1], [2])
        check(graph, components)
        graph.insert_edges([0], [3])
        check(graph, components)
    assert int(components._level.max()) < 100


def test_edges_that_go_and_come_back(dynamic, device, rng, both_ways):
    src, dst, n = GRAPHS["road"]
    graph = dynamic.from_edges(src, dst, num_vertices=n, device=device, **both_ways)
    components = DynamicConnectedComponents(graph)
    before = host(components.labels).copy()
    for part in np.array_split(rng.permutation(src.size), 3):
        graph.delete_edges(np.tile(src[part], 2), np.tile(dst[part], 2))  # each twice
        check(graph, components)
        graph.delete_edges(src[part], dst[part])  # no longer present
        check(graph, components)
        graph.insert_edges(np.tile(dst[part], 2), np.tile(src[part], 2))
        check(graph, components)
        assert (host(components.labels) == before).all()


def test_dynamic_components_under_all_kinds_of_updates(dynamic, device, rng):
    graph = dynamic(60, device=device, weight_dtype="float32")
    components = DynamicConnectedComponents(graph)
    for step in range(12):
        src, dst = rng.integers(0, graph.num_vertices, (2, 40))
        there = host(graph.has_vertices(src)) & host(graph.has_vertices(dst))
        src, dst = src[there], dst[there]
        weights = rng.normal(size=src.size).astype(np.float32)
        graph.insert_edges(src, dst, weights, on_existing=("replace", "keep", "add")[step % 3])
        check(graph, components)
        if step % 4 == 1:
            alive = np.flatnonzero(host(graph.has_vertices(np.arange(graph.num_vertices))))
            graph.delete_vertices(rng.permutation(alive)[:6])
            check(graph, components)
        if step % 4 == 3:
            graph.insert_vertices(9)
            check(graph, components)


def test_all_vertices_go_and_come_back(dynamic, device):
    graph = dynamic.from_edges([0, 1, 3], [1, 2, 4], device=device)
    components = DynamicConnectedComponents(graph)
    graph.delete_vertices(range(5))
    check(graph, components)
    assert components.count == 0
    graph.insert_vertices(7)
    graph.insert_edges([6, 5], [5, 1])
    check(graph, components)
    assert components.count == 5


def test_graphs_may_start_without_vertices(dynamic, device):
    graph = dynamic(0, device=device)
    components = DynamicConnectedComponents(graph)
    assert components.count == 0
    graph.insert_vertices(3)
    graph.insert_edges([0], [2])
    check(graph, components)


def test_failed_updates_leave_components_alone(dynamic, device):
    src, dst, n = GRAPHS["path"]
    graph = dynamic.from_edges(src, dst, num_vertices=n, device=device)
    components = DynamicConnectedComponents(graph)
    for update in (graph.insert_edges, graph.delete_edges):
        with pytest.raises(ValueError, match="src"):
            update([0, n], [1, 2])
        check(graph, components)
    graph.delete_edges([0], [1])
    check(graph, components)


def test_insertions_that_nobody_has_read(device):
    """They count when vertices come and go, and when the components are closed."""
    graph = SlabGraph(6, device=device)
    components = DynamicConnectedComponents(graph)
    for src, dst in (([0], [1]), ([3], [4]), ([1], [3])):
        graph.insert_edges(src, dst)
    graph.insert_vertices(2)
    graph.insert_edges([6], [7])
    graph.delete_vertices([5])
    assert components.count == 3
    check(graph, components)
    graph.insert_edges([7, 2], [0, 6])
    components.close()
    assert host(components.labels).tolist() == [0, 0, 0, 0, 0, -1, 0, 0] and components.count == 1


def test_labels_that_could_not_be_brought_up_to_date(device, monkeypatch):
    graph = SlabGraph.from_edges([0, 2, 4], [1, 3, 5], num_vertices=6, device=device)
    components = DynamicConnectedComponents(graph)
    graph.insert_edges([1, 3], [2, 4])

    def no_memory(*args, **options):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(fr, "traverse", no_memory)
        with pytest.raises(MemoryError):
            components.labels  # noqa: B018
    check(graph, components)
    graph.delete_edges([3], [4])
    check(graph, components)


def test_labels_read_by_several_threads(device):
    graph = SlabGraph(200, device=device)
    components = DynamicConnectedComponents(graph)
    for batch in range(10):
        ids = np.arange(batch, 199, 10)
        graph.insert_edges(ids, ids + 1)
        with ThreadPoolExecutor(4) as pool:
            first, *others = pool.map(lambda _: host(components.labels).copy(), range(8))
        assert all(np.array_equal(first, other) for other in others)
        check(graph, components)


def test_closed_components_keep_up_no_more(dynamic, device):
    graph = dynamic(4, device=device)
    components = DynamicConnectedComponents(graph)
    components.close()
    graph.insert_edges([0, 1, 2], [1, 2, 0])
    assert components.count == 4


def test_few_living_vertices_among_many_deleted(structure, device):
    graph = structure.from_edges([3, 4996], [4996, 4998], num_vertices=5000, device=device)
    components = DynamicConnectedComponents(graph)
    alive = np.array([3, 2500, 4996, 4998])
    graph.delete_vertices(np.setdiff1d(np.arange(5000), alive))
    for src, dst in (([3], [2500]), ([2500], [4998])):
        graph.insert_edges(src, dst)
        verify_components(graph, components)
    graph.delete_edges([3, 3], [2500, 4996])
    verify_components(graph, components)
    verify_components(graph, connected_components(graph))
