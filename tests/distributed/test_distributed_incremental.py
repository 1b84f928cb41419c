"""Incremental analytics of distributed graphs against one device, after every batch of a stream."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from conftest import DEVICES
from distributed_cases import fails, filled_pair, host
from graphs import GRAPHS

import frontier as fr
from algorithms import (
    DynamicBFS,
    DynamicConnectedComponents,
    DynamicLabelPropagation,
    DynamicLocalClustering,
    DynamicLouvain,
    DynamicPageRank,
    DynamicSSSP,
    DynamicTriangleCount,
    bfs,
    connected_components,
    dynamic_distances,
    k_truss,
    label_propagation,
    local_clustering,
    louvain,
    pagerank,
    sssp,
    triangle_count,
)
from frontier.distributed import DistributedGraph, ThreadEngine
from frontier.distributed.exchange import levels
from frontier.distributed.operators.operators import one_device
from structures import SlabGraph


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


@pytest.fixture(params=[2, 3])
def engine(request, device):
    with ThreadEngine(request.param, device) as engine:
        yield engine


def updates(graphs, steps=4, size=300, seed=1):
    """Insertions and deletions by turns, and a deleted vertex. Yields after each update of all the graphs."""
    rng = np.random.default_rng(seed)
    n = graphs[0].num_vertices
    for step in range(steps):
        src, dst = rng.integers(0, n, (2, size))
        done = [graph.insert_edges(src, dst) for graph in graphs]
        assert done[0] == done[1]
        yield
        known = graphs[1].to_coo()
        some = rng.integers(0, int(known[0].size), size)
        src, dst = host(known[1])[some], host(known[0])[some]
        done = [graph.delete_edges(src, dst) for graph in graphs]
        assert done[0] == done[1]
        yield
        for graph in graphs:
            if step == 1:
                graph.delete_vertices([0, n - 1])
            if step == 2:
                graph.insert_vertices(5)
        if step in (1, 2):
            yield
            for graph in graphs:
                graph.insert_vertices([0, n - 1])


# ---- intersect ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rmat", "star", "empty"])
def test_intersect_counts(engine, name):
    graph, one = filled_pair(engine, name)
    rng = np.random.default_rng(4)
    us, vs = rng.integers(0, graph.num_vertices, (2, 400))
    assert fr.intersect(graph, us, vs).tolist() == host(fr.intersect(one, us, vs)).tolist()
    assert fr.intersect(graph, [], []).size == 0


def add_both(u, v, w, edge_uw, edge_vw, first, second, total):
    fr.atomic_add(total, 0, first[edge_uw] + 2 * second[edge_vw])


def marked(part, us, vs, room):
    """Sums of an array by edge over common neighbors, given twice, and whether entries behind it have stayed."""
    mark = part.xp.full(part.local.edge_capacity + room, 7, np.int64)
    mark[: part.local.edge_capacity] = 1
    total, mine = part.sums(), part.comm.rank == 0
    fr.intersect(part, us[: us.size * mine], vs[: vs.size * mine], add_both, mark, mark, total)
    return int(part.sum_all(total)), bool((mark[part.local.edge_capacity :] == 7).all())


@pytest.mark.parametrize("room", [0, 5, 100_000])
def test_values_by_edge_travel(engine, room):
    """They are written behind an array with spare capacity for them."""
    graph, one = filled_pair(engine, "rmat")
    us, vs = np.random.default_rng(4).integers(0, graph.num_vertices, (2, 400))
    assert graph.run(marked, us, vs, room) == (3 * int(fr.intersect(one, us, vs).sum()), True)


@pytest.mark.parametrize("us, vs", [([0, 1], [0]), ([0, 9_999], [1, 1]), ([0, 1], [1, -1])])
def test_pairs_that_are_not_of_the_graph_are_refused(engine, us, vs):
    graph, _ = filled_pair(engine, "rmat")
    with pytest.raises(ValueError):
        fr.intersect(graph, us, vs)
    assert fr.intersect(graph, [0], [1]).size == 1


def write_list(u, v, w, edge_uw, edge_vw, out):
    out[0] = w


def listed(part):
    fr.intersect(part, [0], [1], write_list, part.xp.zeros(1, np.int32))


def test_writes_at_common_neighbors_that_no_rule_combines_are_refused(engine):
    graph, _ = filled_pair(engine, "clique")
    with pytest.raises(ValueError, match=r"write_list\(\) writes to out at common neighbors"):
        graph.run(listed)


# ---- triangles ------------------------------------------------------------------------------------------------------


def test_triangles_are_maintained(engine):
    graphs = filled_pair(engine, "rmat")
    with DynamicTriangleCount(graphs[0]) as triangles:
        for _ in updates(graphs):
            expected = triangle_count(graphs[1])
            assert triangles.total == expected.total
            assert host(triangles.per_vertex).tolist() == host(expected.per_vertex).tolist()
    graphs[0].insert_edges([1, 2, 3], [2, 3, 1])
    assert triangles.closed and triangles.total == expected.total


def test_clustering_is_maintained(engine):
    graphs = filled_pair(engine, "rmat")
    with DynamicLocalClustering(graphs[0]) as found:
        for _ in updates(graphs):
            expected = local_clustering(graphs[1])
            assert host(found.clustering) == pytest.approx(host(expected.clustering), rel=1e-12)
            values = found.average, found.transitivity
            assert values == pytest.approx((expected.average, expected.transitivity), rel=1e-12)
    graphs[0].insert_edges([1, 2, 3], [2, 3, 1])
    assert found.closed and (found.average, found.transitivity) == values


@pytest.mark.slow
def test_communities_are_recomputed(engine):
    graphs = filled_pair(engine, "rmat")
    with DynamicLouvain(graphs[0], seed=3) as found, DynamicLabelPropagation(graphs[0]) as others:
        for _ in updates(graphs, steps=1):
            expected = louvain(graphs[1], seed=3)
            assert host(found.labels).tolist() == host(expected.labels).tolist()
            assert (found.count, found.modularity) == (expected.count, pytest.approx(expected.modularity))
            assert host(others.labels).tolist() == host(label_propagation(graphs[1]).labels).tolist()
        graphs[0].delete_vertices([3])
        graphs[1].delete_vertices([3])
        expected = louvain(graphs[1], seed=3)
    assert host(found.labels).tolist() == host(expected.labels).tolist() and others.converged
    stopped = DynamicLabelPropagation(graphs[0], max_iter=1)
    assert not any(stopped.converged for _ in range(2))


def refuse(self, src, dst):
    raise KeyError("for the test")


def test_an_analytic_that_fails_does_not_prevent_the_update(engine, monkeypatch):
    graph, one = filled_pair(engine, "clique")
    triangles, others = DynamicTriangleCount(graph), DynamicTriangleCount(graph)
    with monkeypatch.context() as patch, pytest.raises(fr.ObserverError, match="KeyError: 'for the test'") as failed:
        patch.setattr(DynamicTriangleCount, "edges_deleted", refuse)
        graph.delete_edges([0], [1])
    assert failed.value.result.deleted == 1 and str(pickle.loads(pickle.dumps(failed.value))) == str(failed.value)
    assert graph.num_edges == one.num_edges - 1
    del triangles
    with pytest.raises(RuntimeError, match="is maintained no more, since edges_deleted raised KeyError"):
        _ = others.total
    assert DynamicTriangleCount(graph).total == triangle_count(graph).total


# ---- components and ranks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("directed", [False, True])
def test_components_are_maintained(engine, directed):
    graphs = filled_pair(engine, "road", directed=directed)
    components = DynamicConnectedComponents(graphs[0])
    for step, _ in enumerate(updates(graphs, size=20)):
        if step in (0, 5):
            continue  # two updates at a time
        expected = connected_components(graphs[1])
        assert components.count == expected.count
        assert host(components.labels).tolist() == host(expected.labels).tolist()


@pytest.mark.parametrize("size, directed", [(3, False), (300, True)])
def test_ranks_are_maintained(engine, size, directed):
    graphs = filled_pair(engine, "rmat", directed=directed)
    ranks = DynamicPageRank(graphs[0], tol=1e-8)
    for _ in updates(graphs, steps=2, size=size):
        expected = pagerank(graphs[1], tol=1e-9, max_iter=500)
        assert np.allclose(host(ranks.pagerank), host(expected.pagerank), rtol=0, atol=1e-7)


@pytest.mark.slow
def test_ranks_by_weights_are_maintained(engine):
    graph, one = filled_pair(engine, "grid", weight_dtype="int32")
    ranks = DynamicPageRank(graph, tol=1e-8)
    src, dst, _ = GRAPHS["grid"]
    for each in (graph, one):
        each.insert_edges(src[:200], dst[:200], np.arange(1, 201))
        each.delete_edges(src[100:120], dst[100:120])
    assert np.allclose(host(ranks.pagerank), host(pagerank(one, tol=1e-9, max_iter=500).pagerank), rtol=0, atol=1e-7)
    graph.insert_edges([0], [1], [-1])
    with pytest.raises(ValueError, match="negative"):
        _ = ranks.pagerank


class Log(fr.UpdateObserver):
    """Notifications of an observer of effective edges, in their order."""

    over_parts = sees_changes = True

    def __init__(self, graph):
        self.graph, self.told = graph, []
        graph.attach(self)

    def notifications(self):
        """The notifications of all partitions."""
        if not self.graph.in_parts:
            return self.told
        parts = self.graph.comm.gather_objects(self.told)
        return [(each[0][0], sorted(edge for _, edges in each for edge in edges)) for each in zip(*parts, strict=True)]


def logs(method):
    def told(self, src, dst):
        self.told.append((method, sorted(zip(host(src).tolist(), host(dst).tolist(), strict=True))))

    return told


for method in ("edges_inserted", "edges_changing", "edges_changed", "edges_deleting", "edges_deleted"):
    setattr(Log, method, logs(method))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("options", [{}, {"time_unit": "s"}, {"time_unit": "s", "keep_time": "first"}])
def test_observers_follow_weights_that_are_added(engine, directed, options):
    n, rng = 20, np.random.default_rng(3)
    device = engine.hosts[0].comm.device
    graph = DistributedGraph(SlabGraph, n, directed=directed, weight_dtype="int32", engine=engine, **options)
    one = SlabGraph(n, directed=directed, weight_dtype="int32", device=device, **options)
    log = Log(one)
    key = engine.new_key()
    engine.run_alike(lambda host, key: host.objects.update({key: Log(host.objects[graph._key])}), key)
    components = DynamicConnectedComponents(graph)
    for _ in range(6):
        src, dst = rng.integers(0, n, (2, 40))
        data = {"time": rng.integers(0, 30, 40)} if options else {}
        weights = rng.integers(-9, 9, 40).astype(np.int32)
        done = [each.insert_edges(src, dst, weights, on_existing="add", **data) for each in (graph, one)]
        assert done[0] == done[1]
        found = engine.run_alike(lambda host, key: host.objects[key].notifications(), key)[0]
        assert [told for told in found if told[1]] == [told for told in log.told if told[1]]
        for array, expected in zip(graph.to_coo(), one.to_coo(), strict=True):
            assert array.tolist() == host(expected).tolist()
        assert host(components.labels).tolist() == host(connected_components(one).labels).tolist()
    before = graph.num_edges
    src, dst, _ = one.to_coo()
    data = {"time": np.full(src.size, 99)} if options else {}
    with pytest.raises(ValueError, match="in int32"):
        graph.insert_edges(src, dst, np.full(src.size, 2**31 - 1), on_existing="add", **data)
    assert graph.num_edges == before


def test_edges_within_components_exchange_little(engine):
    """Labels are not exchanged after a batch that joins no components."""
    n = 2000
    graph = DistributedGraph(SlabGraph, n, engine=engine)
    graph.insert_edges(np.zeros(n - 2, np.int64), np.arange(1, n - 1))
    components = DynamicConnectedComponents(graph)
    sent = engine.hosts[0].comm.sent_bytes
    graph.insert_edges([1, 2, 3], [11, 12, 13])
    assert components.count == 2 and components.labels[n - 2] == 0
    assert engine.hosts[0].comm.sent_bytes - sent < n
    graph.insert_edges([n - 1], [5])
    assert components.count == 1 and not host(components.labels).any()


# ---- shortest paths and trusses -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("directed", [False, True])
def test_shortest_paths(engine, directed):
    weights = np.random.default_rng(2).integers(0, 9, GRAPHS["rmat"][0].size).astype(np.int32)
    graph, one = filled_pair(engine, "rmat", weights, directed=directed, weight_dtype="int32")
    found, expected = sssp(graph, 3), sssp(one, 3)
    distance = host(expected.distance)
    assert host(found.distance).tobytes() == distance.tobytes()
    check_tree(one, distance, host(found.predecessor))
    with pytest.raises(ValueError, match="not negative"):
        graph.insert_edges([0], [1], [-1])
        sssp(graph, 3)


@pytest.mark.slow
def test_vertices_join_before_the_tree_is_read(engine):
    """Without in-edges a tree is rebuilt when it is read, and until then the tree before the insertions does not
    exist."""
    graph = DistributedGraph(SlabGraph, 4, directed=True, engine=engine)
    graph.insert_edges([0], [1])
    paths = DynamicBFS(graph, 0)
    for _ in range(2):
        graph.insert_edges([1, 2], [2, 3])
        graph.insert_vertices(3)
    assert host(paths.predecessor).tolist() == [-1, 0, 1, 2, *[-1] * 6]
    assert host(paths.distance)[:4].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("never_recomputed", [False, True])
@pytest.mark.parametrize("directed, in_edges", [(False, False), (True, True), (True, False)])
@pytest.mark.parametrize("dtype", [None, pytest.param("float32", marks=pytest.mark.slow)])
def test_distances_are_maintained(engine, directed, in_edges, dtype, never_recomputed, monkeypatch):
    if never_recomputed:
        monkeypatch.setattr(dynamic_distances, "RECOMPUTE_ABOVE", 1.0)
    rng = np.random.default_rng(6)
    graphs = filled_pair(engine, "road", directed=directed, in_edges=in_edges, weight_dtype=dtype)
    graph, one = graphs
    dynamic, static = (DynamicBFS, bfs) if dtype is None else (DynamicSSSP, sssp)
    paths = dynamic(graph, 5)

    def weights(count):  # tenths are rounded, and sums of them often equal, a few are 0
        return () if dtype is None else ((rng.integers(0, 9, count) / 10).astype(dtype),)

    for size in (200, 2, 60, 5):
        src, dst, _ = one.to_coo()
        for change in ("insert", "change", "delete", "vertices"):
            if change == "vertices":
                for each in graphs:
                    each.delete_vertices([5 if size == 60 else 9])
                    each.insert_vertices([5, 9, each.num_vertices])
            elif change == "insert":
                batch = (*rng.integers(0, one.num_vertices, (2, size)), *weights(size))
                for each in graphs:
                    each.insert_edges(*batch)
            else:
                some = rng.integers(0, src.size, size)
                more = weights(size) if change == "change" else ()
                for each in graphs:
                    (each.delete_edges if change == "delete" else each.insert_edges)(src[some], dst[some], *more)
            expected = static(one, 5).distance
            assert host(paths.distance).tobytes() == host(expected).tobytes()
            check_tree(one, host(expected), host(paths.predecessor))
    if dtype is not None:
        graph.insert_edges([0], [1], np.array([-1], dtype))
        with pytest.raises(ValueError, match="not negative"):
            _ = paths.distance
        graph.delete_edges([0], [1])
        one.delete_edges([0], [1])
        assert host(paths.distance).tobytes() == host(static(one, 5).distance).tobytes()


def check_tree(graph, distance, before):
    """Every vertex but the source that is reached has a tight edge from its predecessor, and no path is a cycle."""
    unreached = np.inf if distance.dtype.kind == "f" else np.iinfo(distance.dtype).max
    reached = np.flatnonzero(before >= 0)
    assert reached.size == np.count_nonzero(distance < unreached) - 1
    length = host(graph.edge_weights(before[reached], reached)) if graph.is_weighted else 1
    assert np.all(distance[before[reached]] + length == distance[reached])
    above, steps = before[reached], 0
    while (above >= 0).any():
        above, steps = np.where(above >= 0, before[above], -1), steps + 1
        assert steps <= graph.num_vertices


def test_small_changes_exchange_little(engine, monkeypatch):
    """A batch that changes a few distances does not exchange the distances of all vertices."""
    monkeypatch.setattr(levels, "ROOM", 8)  # which messages have on GPUs, however few vertices they are for
    edges = fr.io.rmat(12, 8, seed=3)
    graph = DistributedGraph(SlabGraph, edges.num_vertices, engine=engine)
    graph.insert_edges(edges.src, edges.dst)
    paths = DynamicBFS(graph, int(edges.src[0]))
    before, _ = paths.distance, paths.predecessor
    sent = engine.hosts[0].comm.sent_bytes
    last = int(np.flatnonzero(before < 2**31 - 1)[-1])
    graph.insert_edges([last], [last - 1])
    graph.delete_edges([last], [last - 1])
    assert host(paths.distance).tolist() == host(before).tolist()
    assert engine.hosts[0].comm.sent_bytes - sent < edges.num_vertices


@pytest.mark.parametrize("directed", [False, True])
def test_deletions_look_at_few_vertices(engine, directed, monkeypatch):
    """A batch that cuts off a few vertices does not go through all of them."""
    n = 5000
    graph = DistributedGraph(SlabGraph, n, directed=directed, in_edges=directed, engine=engine)
    graph.insert_edges(np.zeros(n - 1, np.int64), np.arange(1, n))
    paths = DynamicBFS(graph, 0)
    looked_at = []

    def count(frontier, *args):
        looked_at.append(len(frontier))
        return keep(frontier, *args)

    keep = one_device.filter
    monkeypatch.setattr(one_device, "filter", count)
    graph.delete_edges([0, 0, 0], [7, 8, 9])
    assert np.flatnonzero(host(paths.distance) > 1).tolist() == [7, 8, 9]
    assert sum(looked_at) == 3


@pytest.mark.parametrize("k", [2, 5, 100])
def test_trusses(engine, k):
    graph, one = filled_pair(engine, "rmat")
    found, expected = k_truss(graph, k), k_truss(one, k)
    assert host(found.src).tolist() == host(expected.src).tolist()
    assert host(found.dst).tolist() == host(expected.dst).tolist()
    assert graph.num_edges == one.num_edges


# ---- in-edges -------------------------------------------------------------------------------------------------------


def look_back(graph):
    """Edges that enter vertices, by operators along in-edges."""
    xp = graph.xp
    entering = fr.neighbor_reduce(graph.reverse, None, arrives_from, reduce="sum", dtype=np.int64)
    before = fr.advance(graph, fr.Frontier(graph, [3, 7]), any_edge, edges="in")
    around = fr.advance(graph, fr.Frontier(graph, [3, 7]), any_edge, edges="both")
    times = fr.SpMV(graph, transpose=True)
    product = times.restore(times(times.arrange(xp.arange(graph.num_vertices, dtype=np.float64))))
    graph.sync(product)
    lists = list(before), list(around), len(fr.Frontier(graph.reverse, [1, 2]) | before)
    return host(entering).tolist(), *lists, host(product).tolist(), host(graph.in_degrees()).tolist()


def arrives_from(src, dst, edge, weight):
    return dst + 1


def any_edge(src, dst, edge, weight):
    return True


def test_in_edges(engine, tmp_path):
    graphs = filled_pair(engine, "rmat", directed=True, in_edges=True)
    ranks, components = DynamicPageRank(graphs[0], tol=1e-8), DynamicConnectedComponents(graphs[0])
    for _ in updates(graphs, steps=2, size=40):
        assert graphs[0].run(look_back) == look_back(graphs[1])
        expected = pagerank(graphs[1], tol=1e-9, max_iter=500)
        assert np.allclose(host(ranks.pagerank), host(expected.pagerank), rtol=0, atol=1e-7)
        assert host(components.labels).tolist() == host(connected_components(graphs[1]).labels).tolist()
    graphs[0].save(tmp_path)
    with ThreadEngine(3, engine.hosts[0].comm.device) as others:
        assert DistributedGraph.load(tmp_path, engine=others).run(look_back) == look_back(graphs[1])
    with pytest.raises(TypeError, match="read-only"):
        graphs[0].run(insert_into_reverse)


def insert_into_reverse(part):
    part.reverse.insert_edges([0], [1])


def test_a_batch_that_fails_among_in_edges_changes_nothing(engine, monkeypatch):
    graph, one = filled_pair(engine, "road", directed=True, in_edges=True)
    before = [host(each).tolist() for each in graph.to_coo()[:2]]
    monkeypatch.setattr("frontier.distributed.exchange.memory_budget.spare_arcs", lambda _: 0)
    with monkeypatch.context() as patch, pytest.raises(MemoryError, match="for the test"):
        fails(patch, engine.hosts[-1].objects[graph._key].inward, "insert")
        graph.insert_edges(np.arange(100), np.arange(100)[::-1] + 200)
    assert [host(each).tolist() for each in graph.to_coo()[:2]] == before
    assert graph.in_degrees().tolist() == host(one.in_degrees()).tolist()
    assert graph.insert_edges([0], [350]).inserted == 1
