"""Distances maintained incrementally equal distances recomputed from scratch after every batch, and their tree is
valid."""

import numpy as np
import pytest
from graphs import GRAPHS
from verifiers import host, verify_distances

from algorithms import DynamicBFS, DynamicSSSP, bfs, sssp
from algorithms import dynamic_distances as repair
from algorithms._trials import Trials
from frontier.runtime.memory.scratch import Counters

FORMS = {"bfs": (DynamicBFS, bfs), "sssp": (DynamicSSSP, sssp)}


# A `weight_dtype` of None stands for `DynamicBFS` on a graph without weights, another for `DynamicSSSP`.


@pytest.fixture(params=[False, True], ids=["recomputed", "repaired"])
def never_recomputed(request, monkeypatch):
    """Small graphs soon lose most of their tree. Without a limit they are repaired nevertheless."""
    if request.param:
        monkeypatch.setattr(repair, "RECOMPUTE_ABOVE", 1.0)


def some_weights(rng, count, dtype):
    """Tenths, with sums that are rounded and often equal."""
    return None if dtype is None else (rng.integers(1, 9, count) / 10).astype(dtype)


def follow(structure, device, edges, weights, source, **options):
    """A graph, the observer of it, and a check that both agree."""
    if not hasattr(structure, "insert_edges"):
        pytest.skip(f"{structure.name} cannot be changed")
    if weights is not None and not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no weights")
    src, dst, n = edges
    graph = structure.from_edges(src, dst, weights, num_vertices=n, device=device, **options)
    dynamic, static = FORMS["bfs" if weights is None else "sssp"]
    observer = dynamic(graph, source)

    def check():
        verify_distances(graph, source, observer)
        if host(graph.has_vertices([source]))[0]:
            expected = host(static(graph, source).distance)
            found = host(observer.distance)
            assert found.dtype == expected.dtype
            assert (found == expected).all(), f"distances of {np.flatnonzero(found != expected)[:5]} differ"
        else:
            assert (host(observer.predecessor) == -1).all()

    check()
    return graph, observer, check


@pytest.mark.parametrize("name", ["rmat", "grid", "road", "clique"])
def test_batches(structure, device, name, weight_dtype, orientation, never_recomputed, rng):
    src, dst, n = GRAPHS[name]
    weights = some_weights(rng, len(src), weight_dtype)
    graph, _, check = follow(structure, device, (src, dst, n), weights, n // 3, **orientation)
    for size in (1, 30, 400):
        chosen = rng.integers(0, len(src), size)
        graph.delete_edges(src[chosen], dst[chosen])
        check()
        graph.insert_edges(*rng.integers(0, n, (2, 1 + size // 10)), some_weights(rng, 1 + size // 10, weight_dtype))
        check()
        graph.insert_edges(src[chosen], dst[chosen], some_weights(rng, size, weight_dtype))
        check()


def test_directed_repairs_wait_as_undirected_ones_do(structure, device, monkeypatch):
    """The host synchronizes where it reads the size of an output. Looking for parents outputs nothing."""
    (src, dst, n), reads, waits = GRAPHS["rmat"], {}, []
    read = Counters.read
    monkeypatch.setattr(repair, "RECOMPUTE_ABOVE", 1.0)
    for directed in (False, True):
        options = {"directed": True, "in_edges": True} if directed else {}
        both = (np.concatenate([src, dst]), np.concatenate([dst, src]), n) if directed else (src, dst, n)
        graph, _, check = follow(structure, device, both, None, 1, **options)
        gone = np.arange(0, len(src), 40)
        gone = np.concatenate([gone, gone + len(src)]) if directed else gone
        waits.clear()
        with monkeypatch.context() as patch:
            patch.setattr(Counters, "read", lambda counters: waits.append(counters) or read(counters))
            patch.setattr(repair, "SMALL_ARCS", -1)  # small batches cause no synchronization
            patch.setattr(repair, "MAX_ARCS", -1)
            graph.delete_edges(both[0][gone], both[1][gone])
        reads[directed] = len(waits)
        check()
    # For each level of vertices that lose their tree edges, and their children, directed graphs synchronize once.
    assert reads[True] <= reads[False] + MAX_LEVELS


MAX_LEVELS = 6


@pytest.mark.parametrize("on_existing", ["replace", "keep", "add"])
def test_weights_that_change(structure, device, orientation, never_recomputed, on_existing, rng):
    src, dst, n = GRAPHS["rmat"]
    kind = np.int32 if structure.name == "hornet" else np.float32  # other types need separate kernels
    weights = rng.integers(1, 40, len(src)).astype(kind)
    graph, _, check = follow(structure, device, (src, dst, n), weights, 1, **orientation)
    for low, high in ((50, 60), (1, 3), (-30, 90)):
        chosen = rng.integers(0, len(src), 60)
        weights = rng.integers(low, high, 60).astype(kind)
        if on_existing != "add":
            weights = np.abs(weights)
        graph.insert_edges(src[chosen], dst[chosen], weights, on_existing=on_existing)
        check()


def test_lengths_of_zero(structure, device, orientation, never_recomputed, rng):
    src, dst, n = GRAPHS["grid"]
    weights = rng.integers(0, 2, len(src)).astype(np.float32)
    graph, _, check = follow(structure, device, (src, dst, n), weights, 5, **orientation)
    for _ in range(6):
        chosen = rng.integers(0, len(src), 40)
        graph.delete_edges(src[chosen], dst[chosen])
        check()
        graph.insert_edges(src[chosen], dst[chosen], rng.integers(0, 2, 40).astype(np.float32))
        check()


@pytest.mark.parametrize("then", ["delete", "lengthen", "grow"])
def test_updates_between_lengths_of_zero_and_reading(structure, device, orientation, never_recomputed, then):
    """A vertex that is reached over such an edge is in the tree before anything else happens to the edge."""
    graph, _, check = follow(structure, device, ([0, 3, 4], [1, 4, 5], 8), np.ones(3, np.float32), 0, **orientation)
    graph.insert_edges([1, 2], [2, 6], np.array([0, 1], np.float32))
    if then == "delete":
        graph.delete_edges([1], [2])
    elif then == "lengthen":
        graph.insert_edges([1], [2], np.array([5], np.float32))
    else:
        graph.insert_vertices(2)
    check()
    graph.delete_edges([0], [1])
    check()


def test_one_edge_at_a_time(structure, device, weight_dtype, never_recomputed, rng):
    """A tree, then other edges, then edges of it: tentative vertices adopt, pass on, and are cut off."""
    weights = some_weights(rng, 6, weight_dtype)
    graph, observer, check = follow(structure, device, ([0, 1, 2, 3, 0, 5], [1, 2, 3, 4, 5, 6], 8), weights, 0)
    for u, v in ((6, 3), (2, 6), (4, 7)):
        graph.insert_edges([u], [v])
        check()
    for u, v in ((1, 2), (0, 1), (2, 6), (6, 3), (0, 5)):
        graph.delete_edges([u], [v])
        check()
    assert (host(observer.predecessor) == -1).all()


def test_vertices(structure, device, weight_dtype, orientation, never_recomputed, rng):
    src, dst, n = GRAPHS["rmat"]
    graph, observer, check = follow(
        structure, device, (src, dst, n), some_weights(rng, len(src), weight_dtype), 4, **orientation
    )
    graph.delete_vertices([1, 2, 7])
    check()
    graph.insert_vertices([2, n + 5])
    assert observer.distance.size == graph.num_vertices == n + 6
    check()
    graph.insert_edges([4, n + 3, 2], [n + 3, n + 5, 4], some_weights(rng, 3, weight_dtype))
    check()
    graph.delete_vertices([4])
    check()
    graph.insert_edges([n + 3], [n + 4], some_weights(rng, 1, weight_dtype))
    check()
    graph.insert_vertices([4])
    check()
    assert host(observer.distance)[4] == 0
    graph.insert_edges([4, 8], [8, 9], some_weights(rng, 2, weight_dtype))
    check()


def test_a_graph_that_starts_empty(structure, device, weight_dtype, rng):
    none = np.zeros(0, np.int64)
    graph, _, check = follow(structure, device, (none, none, 40), some_weights(rng, 0, weight_dtype), 3)
    for _ in range(4):
        graph.insert_edges(*rng.integers(0, 40, (2, 25)), some_weights(rng, 25, weight_dtype))
        check()
    src, dst, _ = graph.to_coo()
    graph.delete_edges(src, dst)
    check()


def test_weights_do_not_matter_to_bfs(structure, device, rng):
    src, dst, n = GRAPHS["rmat"]
    graph, _, _ = follow(structure, device, (src, dst, n), some_weights(rng, len(src), "float32"), 0)
    observer = DynamicBFS(graph, 0)
    graph.insert_edges([0, 9], [9, 8], np.array([-1, np.inf], np.float32))
    graph.delete_edges(src[:90], dst[:90])
    verify_distances(graph, 0, observer, hops=True)
    assert (host(observer.distance) == host(bfs(graph, 0).distance)).all()


def test_hops_of_sssp_without_weights(structure, device):
    src, dst, n = GRAPHS["road"]
    if not hasattr(structure, "insert_edges"):
        pytest.skip(f"{structure.name} cannot be changed")
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    observer = DynamicSSSP(graph, 0)
    graph.delete_edges(src[:9], dst[:9])
    assert (host(observer.distance) == host(bfs(graph, 0).distance)).all()
    verify_distances(graph, 0, observer)


def test_negative_weights_leave_distances_unknown(structure, device):
    weights = np.ones(2, np.float32)
    graph, observer, check = follow(structure, device, ([0, 1], [1, 2], 4), weights, 0)
    graph.insert_edges([2], [3], np.array([-1], np.float32))
    with pytest.raises(ValueError, match="weights"):
        _ = observer.distance
    graph.insert_vertices(1)
    graph.delete_edges([1], [2])
    with pytest.raises(ValueError, match="weights"):
        _ = observer.predecessor
    graph.delete_edges([2], [3])
    check()
    graph.insert_edges([1], [4], weights[:1])
    check()


def test_negative_weights_before_growth(structure, device):
    graph, observer, _ = follow(structure, device, ([0, 1], [1, 2], 4), np.ones(2, np.float32), 0)
    graph.insert_edges([2], [3], np.array([-1], np.float32))
    graph.insert_vertices(1)
    with pytest.raises(ValueError, match="weights"):
        _ = observer.distance


def test_infinite_weights(structure, device, never_recomputed):
    graph, observer, check = follow(structure, device, ([0, 1, 2], [1, 2, 3], 4), np.ones(3, np.float32), 0)
    graph.insert_edges([1], [2], np.array([np.inf], np.float32))
    check()
    assert host(observer.distance).tolist() == [0, 1, np.inf, np.inf]
    graph.insert_edges([1], [2], np.array([7], np.float32))
    check()


def test_failed_batches_and_closed_observers(structure, device):
    graph, observer, check = follow(structure, device, ([0, 1], [1, 2], 4), None, 0)
    for update in (graph.insert_edges, graph.delete_edges):
        with pytest.raises(ValueError, match="src"):
            update([0, 9], [1, 2])
        check()
    observer.close()
    graph.insert_edges([0], [3])
    assert host(observer.distance).tolist()[3] == np.iinfo(np.int32).max


def test_a_closed_observer_is_not_recomputed(structure, device):
    """A weight that was bad at closing, and later states of the graph, are not examined."""
    graph, observer, _ = follow(structure, device, ([0, 1], [1, 2], 4), np.float32([1, 1]), 0)
    graph.insert_edges([0], [3], [-1.0])
    graph.delete_edges([0], [3])
    observer.close()
    graph.insert_edges([0], [3], [1.0])
    assert host(observer.distance).tolist() == [0, 1, 2, np.inf]


@pytest.mark.parametrize("source", [-1, 4, 1.5, "a"])
@pytest.mark.parametrize("form", list(FORMS))
def test_bad_sources(structure, device, form, source):
    if not hasattr(structure, "insert_edges"):
        pytest.skip(f"{structure.name} cannot be changed")
    graph = structure.from_edges([0], [1], num_vertices=4, device=device)
    with pytest.raises((ValueError, TypeError)):
        FORMS[form][0](graph, source)


def test_negative_weights_at_the_start(structure, device):
    if not hasattr(structure, "insert_edges") or not structure.can_store_weights:
        pytest.skip(f"{structure.name} does not take this graph")
    graph = structure.from_edges([0], [1], np.float32([-1]), num_vertices=4, device=device)
    with pytest.raises(ValueError, match="weights"):
        DynamicSSSP(graph, 0)


@pytest.mark.slow
@pytest.mark.sampled(of=3)
def test_an_overflow_is_reported_when_distances_are_read(structure, device):
    """Updates after it neither hide it nor fail."""
    if not hasattr(structure, "insert_edges") or not structure.can_store_weights:
        pytest.skip(f"{structure.name} does not take this graph")
    far = np.array([2**62], np.int64)
    graph = structure.from_edges([0], [1], far, num_vertices=4, device=device)
    observer = DynamicSSSP(graph, 0)
    graph.insert_edges([1], [2], far)
    graph.insert_edges([0], [3], np.array([5], np.int64))
    graph.insert_vertices(2)
    with pytest.raises(ValueError, match="vertex 2 does not fit in int64"):
        observer.distance  # noqa: B018
    graph.delete_edges([1], [2])
    assert host(observer.distance)[[0, 1, 3]].tolist() == [0, 2**62, 5]


@pytest.mark.parametrize("levels", [10**6, 20], ids=["any", "few"])
def test_repairs_with_many_levels_are_given_up(structure, device, orientation, monkeypatch, levels):
    """Also if another batch follows before distances are read."""
    monkeypatch.setattr(repair.DynamicDistances, "_levels", levels)
    monkeypatch.setattr(repair, "RECOMPUTE_ABOVE", 100)
    monkeypatch.setattr(repair, "MOST_IMPROVED", 1)
    n, searches = 200, []
    path = np.arange(n - 1), np.arange(1, n), n
    graph, observer, check = follow(structure, device, path, None, 0, **orientation)
    monkeypatch.setattr(observer, "_static", lambda *args: searches.append(args) or bfs(*args))
    for inserted, deleted, is_long in (
        ((0, 4), (9, 10), True),  # cuts most of the path off
        ((8, 12), (n - 2, n - 1), True),  # brings it nearer
        ((n - 4, n - 2), (n - 6, n - 5), False),
        ((n - 8, n - 6), (n - 2, n - 1), False),
    ):
        observer._insertions, observer._deletions = Trials(), Trials()
        searches.clear()
        graph.delete_edges(*([v] for v in deleted))
        graph.insert_edges(*([v] for v in inserted))
        check()
        assert len(searches) == (is_long and levels < n)
