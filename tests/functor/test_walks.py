"""Functors that are given a graph, and walk its neighbors or look up its edges."""

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from frontier import neighbors as walk_of
from frontier.core.locking import workspace_of
from frontier.runtime.launch.plan import Plan
from frontier.runtime.launch.recorder import recorder
from structures import CSR, SlabGraph

N = 60


def matrix_of(graph):
    """Weights by source and destination. An edge of a graph without weights has weight 1."""
    src, dst, weights = (None if part is None else host(part) for part in graph.to_coo())
    found = np.zeros((graph.num_vertices, graph.num_vertices))
    found[src, dst] = 1 if weights is None else weights
    if not graph.directed:
        found[dst, src] = found[src, dst]
    return found


def made(structure, device, rng, **options):
    """A graph that has seen insertions, deletions and a hub."""
    graph = structure(N, device=device, **options)
    weighted = graph.is_weighted
    for _ in range(3):
        src, dst = rng.integers(0, N, (2, 150))
        src[:40] = 5
        graph.insert_edges(src, dst, (rng.integers(1, 100, 150) if weighted else None))
        graph.delete_edges(src[::7], dst[::7])
    return graph


def sum_up(v, graph, sums, degrees, completed):
    total = 0.0
    for u, _, weight in fr.neighbors(graph, v):
        if u == 7:
            continue
        total += weight * u
        if total > 1e9:
            break
    else:
        completed[v] = 1
    sums[v] = total
    degrees[v] = fr.degree(graph, v)


def test_all_neighbors_of_each_vertex(structure, device, orientation, weight_dtype, rng):
    if weight_dtype and not structure.can_store_weights:
        pytest.skip("stores no weights")
    graph = made(structure, device, rng, weight_dtype=weight_dtype, **orientation)
    for seen in (graph, graph.reverse) if graph.has_in_edges else (graph,):
        sums, degrees, completed = (graph.xp.zeros(N, dtype) for dtype in (float, np.int64, np.int32))
        fr.compute(fr.Frontier.all(graph), sum_up, seen, sums, degrees, completed)
        expected = matrix_of(seen)
        assert (host(degrees) == (expected != 0).sum(1)).all()
        expected[:, 7] = 0
        assert np.allclose(host(sums), expected @ np.arange(N))
        assert completed.all()


def closed_walks(v, graph, counts):
    found = 0
    for u, _, _ in walk_of(graph, v):
        for w, _, _ in fr.neighbors(graph, u):
            if fr.find_edge(graph, w, v) >= 0:
                found += 1
    counts[v] = found


@pytest.mark.parametrize("mode", ["compiled", "checked", "interpreted"])
def test_loops_in_loops_and_look_ups(structure, device, mode, rng):
    if mode == "interpreted" and device == "gpu":
        pytest.skip("functors are interpreted only on CPU graphs")
    graph = made(structure, device, rng, directed=True)
    counts = graph.xp.zeros(N, np.int64)
    with {"compiled": graph.reading, "checked": fr.checking, "interpreted": fr.interpreted}[mode]():
        fr.compute(fr.Frontier.all(graph), closed_walks, graph, counts)
    adjacency = (matrix_of(graph) != 0).astype(int)
    assert (host(counts) == np.diag(adjacency @ adjacency @ adjacency)).all()


def remember(v, graph, data, ends):
    for u, edge, _ in fr.neighbors(graph, v):
        data[edge] += u
        ends[v] += edge == fr.find_edge(graph, v, u)


def test_edges_are_those_that_operators_see(structure, device, rng):
    graph = made(structure, device, rng, directed=True)
    data, matches = graph.xp.zeros(graph.edge_capacity, np.int64), graph.xp.zeros(N, np.int64)
    fr.compute(fr.Frontier.all(graph), remember, graph, data, matches)
    assert (matches == graph.degrees()).all()

    def same(src, dst, edge, weight, data):
        return data[edge] == dst

    assert len(fr.advance(graph, fr.Frontier.all(graph), same, data, output="edges")) == graph.num_arcs


def test_edge_data_is_found_by_edge(structure, device, rng):
    if not structure.can_store_weights:
        pytest.skip("stores no edge data")
    graph = structure(N, device=device, edge_data={"amount": "float32"})
    src, dst = rng.integers(0, N, (2, 300))
    graph.insert_edges(src, dst, amount=rng.integers(1, 100, 300).astype(np.float32))
    graph.delete_edges(src[:50], dst[:50])

    def total(v, graph, amount, sums):
        for _, edge, weight in fr.neighbors(graph, v):
            sums[v] += amount[edge] * weight

    sums = graph.xp.zeros(N)
    fr.compute(fr.Frontier.all(graph), total, graph, graph.edge_data["amount"], sums)
    low, high, _ = (None if part is None else host(part) for part in graph.to_coo())
    amounts = host(graph.edge_values("amount", low, high))
    assert np.allclose(host(sums), np.bincount(low, amounts, N) + np.bincount(high, amounts, N))


def test_views_follow_updates(structure, device, rng):
    graph = structure(N, device=device)
    degrees = graph.xp.zeros(N, np.int64)

    def count(v, graph, degrees):
        degrees[v] = 0
        for _ in fr.neighbors(graph, v):
            degrees[v] += 1

    for _ in range(6):
        src, dst = rng.integers(0, N, (2, 200))
        graph.insert_edges(src, dst)
        fr.compute(fr.Frontier.all(graph), count, graph, degrees)
        assert (degrees == graph.degrees()).all()
        graph.delete_edges(src[::2], dst[::2])


def test_another_graph_than_the_operators(structure, device, rng):
    """Another structure, and other types: the common subset of both."""
    graph = made(structure, device, rng)
    other = made(SlabGraph, device, rng, vertex_dtype="int64")

    def shared(src, dst, edge, weight, other, also):
        return fr.find_edge(other, src, dst) >= 0 and fr.find_edge(also, dst, src) >= 0

    found = fr.advance(graph, fr.Frontier.all(graph), shared, other, graph, output="edges")
    assert len(found) == ((matrix_of(graph) != 0) & (matrix_of(other) != 0)).sum()


def first_above(graph, v, low):
    """The first neighbor above some id, or -1: a helper with a loop that it leaves by `return`."""
    for u, _, _ in fr.neighbors(graph, v):
        if u > low:
            return u
    return -1


@pytest.mark.parametrize("checked", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_operator_takes_graphs(device, checked, rng):
    graph = made(SlabGraph, device, rng, weight_dtype="float64")
    full = matrix_of(graph) != 0
    everyone, seen = fr.Frontier.all(graph), graph.xp.zeros(N, np.int32)
    with fr.checking() if checked else graph.reading():
        above = fr.filter(everyone, lambda v, graph: first_above(graph, v, 50) > 50, graph)
        degrees = fr.reduce(everyone, lambda v, graph: fr.degree(graph, v), graph)
        largest = fr.neighbor_reduce(
            graph, None, lambda src, dst, edge, weight, g: fr.degree(g, dst), graph, reduce="max", dtype=np.int64
        )
        fr.traverse(
            graph, fr.Frontier(graph, [5]), lambda src, dst, edge, weight, g, seen: (
                fr.degree(g, dst) > 1 and fr.atomic_exch(seen, dst, 1) == 0
            ), graph, seen,
        )  # fmt: skip
    assert sorted(host(above.vertices).tolist()) == np.flatnonzero(full[:, 51:].any(1)).tolist()
    assert int(degrees[0]) == full.sum()
    expected = [full.sum(1)[row].max() if row.any() else None for row in full]
    assert [value for value, known in zip(host(largest).tolist(), expected, strict=True) if known is not None] == [
        known for known in expected if known is not None
    ]
    reached, wide = np.arange(N) == 5, full.sum(1) > 1
    for _ in range(N):
        reached |= full[reached].any(0) & wide
    assert (host(seen).astype(bool) | (np.arange(N) == 5)).tolist() == reached.tolist()


def test_a_vertex_alone_and_none(structure, device):
    for n in (0, 1):
        graph = structure(n, device=device)
        degrees = graph.xp.zeros(n, np.int64)
        fr.compute(fr.Frontier.all(graph), lambda v, g, d: first_above(g, v, 0) + fr.degree(g, v), graph, degrees)
        assert not degrees.any()


def test_vertices_are_checked(device):
    graph = CSR.from_edges([0, 1], [1, 2], device=device)
    calls = {
        "degree(graph, v + 1)": lambda v, graph: fr.degree(graph, v + 1),
        "find_edge(graph, v - 1, v)": lambda v, graph: fr.find_edge(graph, v - 1, v),
    }
    for text, functor in calls.items():
        with fr.checking(), pytest.raises(fr.FunctorIndexError, match=r"calls fr\.") as caught:
            fr.compute(fr.Frontier.all(graph), functor, graph)
        assert text in str(caught.value)
        assert "but the graph has 3 vertices" in str(caught.value)

    def walk(v, graph):
        for _ in fr.neighbors(graph, v + 2):
            pass

    with fr.checking(), pytest.raises(fr.FunctorIndexError, match=r"calls fr\.neighbors\(graph, v \+ 2\) with vertex"):
        fr.compute(fr.Frontier.all(graph), walk, graph)


def test_what_neighbors_cannot_be_used_for(device):
    graph = CSR.from_edges([0, 1], [1, 2], device=device)

    def listed(v, graph):
        for _ in enumerate(fr.neighbors(graph, v)):
            pass

    def named(v, graph):
        for _ in fr.neighbors(graph=graph, v=v):
            pass

    with pytest.raises(fr.FunctorError, match="iterated in a for statement"):
        fr.compute(fr.Frontier.all(graph), listed, graph)
    with pytest.raises(fr.FunctorError, match="by position"):
        fr.compute(fr.Frontier.all(graph), named, graph)
    made_of_text = {"fr": fr}
    exec("def walk(v, graph):\n    for _ in fr.neighbors(graph, v):\n        pass", made_of_text)
    with pytest.raises(fr.FunctorError, match="its source is not"):
        fr.compute(fr.Frontier.all(graph), made_of_text["walk"], graph)


def test_a_graph_of_another_device_is_refused(device):
    if device == "cpu":
        pytest.skip("there is one device alone")
    graph, other = (CSR.from_edges([0, 1], [1, 2], device=place) for place in ("gpu", "cpu"))
    with pytest.raises(fr.FunctorError, match=r"argument 0 of <lambda>.* is a graph on"):
        fr.compute(fr.Frontier.all(graph), lambda v, g: fr.degree(g, v), other)


def test_a_recorded_graph_keeps_the_view_alive(device):
    """`fr.capture` references this thread's objects."""
    if device == "cpu":
        pytest.skip("nothing is recorded on a CPU")
    graph = CSR.from_edges([0, 1], [1, 2], device=device)
    fr.compute(fr.Frontier.all(graph), lambda v, g: fr.degree(g, v), graph)
    work = workspace_of(graph)
    assert work.graph_argument is not None and any(held is work.graph_argument for held in work.arrays())


def test_steps_that_are_recorded_cannot_walk(device, monkeypatch):
    """They would see the view at the time of the capture."""
    if device == "cpu":
        pytest.skip("nothing is recorded on a CPU")
    graph = CSR.from_edges([0, 1], [1, 2], device=device)
    everyone = fr.Frontier.all(graph)
    monkeypatch.setattr(recorder, "launches", Plan())
    with pytest.raises(fr.FunctorError, match="cannot be captured"):
        fr.compute(everyone, lambda v, g: fr.degree(g, v), graph)
