"""Operators along edges that enter vertices: pulls on directed graphs, and advances backward and both ways."""

import sys

import numpy as np
import pytest
from model import make, random_batch, to_host, transposed

import frontier as fr
from algorithms import UNREACHED, bfs
from structures import CSR, SlabGraph

N = 200
advance_module = sys.modules["frontier.operators.advance"]


@pytest.fixture
def pair(structure, device, rng):
    """A directed graph with in-edges, and its model. Some of its edges came in a batch."""
    pair = make(structure, device, *random_batch(rng, N, 500, "float32"), num_vertices=N, directed=True, in_edges=True)
    pair.insert(*random_batch(rng, N, 200, "float32"))
    return pair


def every(src, dst, edge, weight):
    return True


def heavy(src, dst, edge, weight, sums):
    fr.atomic_add(sums, src * 1000 + dst, weight)
    return weight > 3


def reach(src, dst, edge, weight, distance):
    return fr.atomic_min(distance, dst, distance[src] + 1) > distance[src] + 1


def unreached(dst, distance):
    return distance[dst] == 100


def members(frontier):
    return sorted(to_host(frontier.graph, frontier.vertices).tolist())


def rows_of(pair, edges):
    """Neighbors of each vertex along those edges."""
    out, entering = pair.model.adjacency, transposed(pair.model).adjacency
    if edges == "both":
        return [{*a, *b} for a, b in zip(out, entering, strict=True)]
    return [set(row) for row in (out if edges == "out" else entering)]


@pytest.mark.parametrize("edges", ["out", "in", "both"])
def test_advance(pair, edges):
    graph, start = pair.graph, [3, 50, 51, 120]
    found = fr.advance(graph, fr.Frontier(graph, start), every, edges=edges)
    assert found.graph is graph
    rows = rows_of(pair, edges)
    assert members(found) == sorted(set().union(*(rows[v] for v in start)))
    assert found.num_arcs == sum(len(pair.model.adjacency[v]) for v in members(found))


@pytest.mark.parametrize("edges", ["in", "both"])
def test_what_functors_see(pair, edges):
    """The member first, and the edge's weight. An edge in each direction is visited twice."""
    graph, start = pair.graph, [3, 50]
    sums = graph.xp.zeros(1000 * N, np.float32)
    found = fr.advance(graph, fr.Frontier(graph, start), heavy, sums, edges=edges)
    expected, joined = np.zeros(1000 * N), set()
    for adjacency in (transposed(pair.model).adjacency, *([pair.model.adjacency] if edges == "both" else [])):
        for v in start:
            for other, weight in adjacency[v].items():
                expected[v * 1000 + other] += weight
                joined |= {other} if weight > 3 else set()
    assert to_host(graph, sums).tolist() == expected.tolist()
    assert members(found) == sorted(joined)


@pytest.mark.parametrize("edges", ["out", "in"])
@pytest.mark.parametrize("size", [5, 60])
def test_a_pull_is_a_push(pair, edges, size, rng):
    graph = pair.graph
    start = rng.permutation(N)[:size]
    found = {}
    for direction in ("push", "pull", "auto"):
        distance = graph.xp.full(N, 100, np.int32)
        distance[graph.xp.asarray(start)] = 0
        output = fr.advance(graph, fr.Frontier(graph, start), reach, distance, condition=unreached,
                            direction=direction, edges=edges)  # fmt: skip
        assert output.num_arcs == sum(len(pair.model.adjacency[v]) for v in members(output))
        found[direction] = members(output), to_host(graph, distance).tolist()
    assert found["push"] == found["pull"] == found["auto"]


def test_the_reverse_pulls_too(pair):
    reverse = pair.graph.reverse
    start = fr.Frontier(reverse, [1, 2, 3])
    for direction in ("push", "pull"):
        distance = pair.graph.xp.full(N, 100, np.int32)
        distance[1:4] = 0
        output = fr.advance(reverse, start, reach, distance, condition=unreached, direction=direction)
        assert members(output) == sorted(set().union(*(rows_of(pair, "in")[v] for v in (1, 2, 3))) - {1, 2, 3})


def test_bfs_pulls(pair, monkeypatch):
    pulls = []
    module = sys.modules["frontier.operators.traverse.traversal"]
    way = "_advance_together" if pair.graph.device.is_gpu else "_pull"  # a GPU chooses by itself
    original = getattr(module.Traversal, way)
    monkeypatch.setattr(module.Traversal, way, lambda *args: (pulls.append(1), original(*args))[1])
    monkeypatch.setattr(module, "SMALL_COUNT", 0)  # or one core would do it all
    monkeypatch.setattr(module, "has_one_thread", lambda: False)
    found = bfs(pair.graph, 3).distance
    assert pulls
    twin = type(pair.graph).from_edges(*pair.graph.to_coo(), N, True, pair.graph.device)
    assert to_host(twin, found).tolist() == to_host(twin, bfs(twin, 3).distance).tolist()


def slots(src, dst, edge, weight, seen):
    seen[edge] = 1
    return True


def always(dst, seen):
    return True


def test_a_functor_that_uses_slots_gets_those_of_the_graph(device, rng):
    """A pull would hand out slots of the reverse, for which an array may be too short."""
    graph = SlabGraph.from_edges(*random_batch(rng, N, 2000)[:2], num_vertices=N, directed=True, device=device,
                                 in_edges=True)  # fmt: skip
    seen = graph.xp.zeros(graph.slot_capacity, np.int8)
    fr.advance(graph, fr.Frontier.all(graph), slots, seen, condition=always)
    expected = graph.find_edges(*graph.to_coo()[:2])
    assert np.flatnonzero(to_host(graph, seen)).tolist() == sorted(to_host(graph, expected).tolist())
    with pytest.raises(ValueError, match="op must not use edge with edges='both'"):
        fr.advance(graph, fr.Frontier.all(graph), slots, seen, edges="both")


def test_what_is_refused(device):
    graph = CSR.from_edges([0, 1], [1, 2], directed=True, device=device)
    start = fr.Frontier(graph, [1])
    for edges in ("in", "both"):
        with pytest.raises(ValueError, match=f"edges='{edges}' needs the edges that enter a vertex"):
            fr.advance(graph, start, every, edges=edges)
        with pytest.raises(ValueError, match="make the graph with in_edges=True"):
            fr.traverse(graph, start, every, edges=edges)
    with pytest.raises(ValueError, match="direction='pull' needs the edges that enter a vertex"):
        fr.advance(graph, start, every, direction="pull")
    with pytest.raises(ValueError, match="edges must be one of 'out', 'in', 'both', not 'backward'"):
        fr.advance(graph, start, every, edges="backward")
    graph = graph.to_csr(in_edges=True)
    with pytest.raises(ValueError, match="cannot be combined with edges='both'"):
        fr.advance(graph, fr.Frontier(graph, [1]), every, direction="pull", edges="both")
    with pytest.raises(ValueError, match="frontier belongs to another graph"):
        fr.advance(graph, start, every)


def test_undirected_graphs_have_one_kind_of_edges(structure, device, rng):
    graph = structure.from_edges(*random_batch(rng, N, 300)[:2], num_vertices=N, device=device)
    found = [members(fr.advance(graph, fr.Frontier(graph, [3, 4]), every, edges=e)) for e in ("out", "in", "both")]
    assert found[0] == found[1] == found[2] != []


def step_on(src, dst, edge, weight, distance, step):
    if distance[dst] == 100:
        distance[dst] = step
        return True
    return False


@pytest.mark.parametrize("edges", ["out", "in", "both"])
def test_traverse(pair, edges):
    graph, rows = pair.graph, rows_of(pair, edges)
    for limit in (None, 2):
        distance = graph.xp.full(N, 100, np.int32)
        distance[3] = 0
        made = fr.traverse(
            graph, fr.Frontier(graph, [3]), step_on, distance, fr.advanced.StepCounter(1), edges=edges, max_steps=limit
        )
        expected, level = np.full(N, 100), {3}
        expected[3] = steps = 0
        while level and steps != limit:
            steps += 1
            level = {v for u in level for v in rows[u] if expected[v] == 100}
            expected[list(level)] = steps
        assert to_host(graph, distance).tolist() == expected.tolist()
        assert made == steps


def test_a_limit_on_arcs_counts_both_ways(pair):
    start = fr.Frontier(pair.graph, [3])
    arcs = len(pair.model.adjacency[3]) + len(transposed(pair.model).adjacency[3])
    for most, steps in ((arcs - 1, 0), (arcs, 1)):
        distance = pair.graph.xp.full(N, 100, np.int32)
        made = fr.traverse(
            pair.graph, start, step_on, distance, fr.advanced.StepCounter(1), edges="both", max_arcs=most, max_steps=1
        )
        assert made == steps


def count_once(src, counts):
    fr.atomic_add(counts, src, 1)


def first_of(src, dst, edge, weight, counts):
    return counts[src] == 1


def test_members_are_prepared_once(pair):
    counts = pair.graph.xp.zeros(N, np.int32)
    start = [3, 50, 51]
    found = fr.advance(pair.graph, fr.Frontier(pair.graph, start), first_of, counts, prepare=count_once, edges="both")
    assert members(found) == sorted(set().union(*(rows_of(pair, "both")[v] for v in start)))
    assert np.flatnonzero(to_host(pair.graph, counts)).tolist() == start
    assert int(counts.sum()) == len(start)


def test_frontiers_of_the_other_direction(pair):
    graph, reverse = pair.graph, pair.graph.reverse
    start = fr.Frontier(graph, [3, 50])
    back = fr.advance(reverse, start, every)
    assert back.graph is reverse
    assert members(back) == members(fr.advance(graph, start, every, edges="in"))
    there = fr.advance(graph, back, every)
    assert there.graph is graph
    degrees = fr.neighbor_reduce(graph, back, one, dtype=np.int64)
    assert to_host(graph, degrees)[members(back)].tolist() == [len(pair.model.adjacency[v]) for v in members(back)]
    graph.delete_vertices([3])
    with pytest.raises(ValueError, match="3 is one"):
        fr.advance(reverse, start, every)


def one(src, dst, edge, weight):
    return 1


def test_connected_both_ways_is_weakly_connected(structure, device):
    """A path whose edges point to and fro, of which a forward search sees one edge."""
    graph = structure.from_edges([1, 1, 3, 3], [0, 2, 2, 4], num_vertices=6, directed=True, device=device,
                                 in_edges=True)  # fmt: skip
    distance = graph.xp.full(6, 100, np.int32)
    distance[0] = 0
    fr.traverse(graph, fr.Frontier(graph, [0]), step_on, distance, fr.advanced.StepCounter(1), edges="both")
    assert to_host(graph, distance).tolist() == [0, 1, 2, 3, 4, 100]
    assert to_host(graph, bfs(graph, 0).distance).tolist() == [0] + [int(UNREACHED)] * 5
