"""Frontiers of edges: output and input of operators, set algebra, and what becomes of them when the graph changes."""

import copy
import pickle

import numpy as np
import pytest
from graphs import GRAPHS
from verifiers import host

import frontier as fr

STRUCTURES = [fr.structures()[name] for name in ("csr", "slab")]


@pytest.fixture(params=STRUCTURES, ids=["csr", "slab"])  # one that stores lists in order, one that does not
def structure(request):
    return request.param


@pytest.fixture
def graph(structure, device, rng):
    src, dst, n = GRAPHS["rmat"]
    weights = rng.integers(1, 100, src.size).astype(np.int32)
    return structure.from_edges(src, dst, weights, n, device=device)


@pytest.fixture
def small(structure, device):
    return structure.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], [4, 2, 7, 1, 5], device=device)


def arcs_of(graph):
    """All arcs with their weights, as a dict by pair."""
    src, dst, weights = (host(array) for array in graph.to_coo())
    found = dict(zip(zip(src.tolist(), dst.tolist(), strict=True), weights.tolist(), strict=True))
    return found if graph.directed else found | {(v, u): weight for (u, v), weight in found.items()}


def check(frontier, expected):
    """A frontier of edges contains these pairs, and all of its attributes are right."""
    graph, known = frontier.graph, arcs_of(frontier.graph)
    assert list(frontier) == sorted(expected) and len(frontier) == len(expected) and bool(frontier) == bool(expected)
    src, dst = host(frontier.src), host(frontier.dst)
    assert src.dtype == dst.dtype == graph.vertex_dtype
    assert (host(frontier.edges) == host(graph.find_edges(src, dst))).all()
    assert host(frontier.weights).tolist() == [known[pair] for pair in zip(src.tolist(), dst.tolist(), strict=True)]
    assert list(frontier.sources) == sorted({u for u, _ in expected})
    assert list(frontier.destinations) == sorted({v for _, v in expected})


def heavier(src, dst, edge, weight, bound):
    return weight > bound


def always(src, dst, edge, weight):
    return True


def upward(src, dst, edge, weight):
    return src < dst


@pytest.mark.parametrize("balance", ["auto", "thread", "block", "merge"])
def test_advance_puts_out_the_edges_that_op_chooses(graph, balance):
    members = np.arange(0, graph.num_vertices, 3)
    found = fr.advance(graph, fr.Frontier(graph, members), heavier, 60, output="edges", balance=balance)
    assert isinstance(found, fr.EdgeFrontier)
    check(found, [pair for pair, weight in arcs_of(graph).items() if pair[0] % 3 == 0 and weight > 60])
    assert not fr.advance(graph, fr.Frontier(graph, [0]), heavier, 1000, output="edges")
    check(fr.advance(graph, fr.Frontier(graph), always, output="edges"), [])


def test_all_edges(graph):
    everything = fr.EdgeFrontier.all(graph)
    check(everything, list(arcs_of(graph)))
    assert len(everything) == graph.num_arcs == 2 * graph.num_edges
    assert everything == fr.advance(graph, fr.Frontier.all(graph), always, output="edges")
    assert everything.reversed() == everything


def add_up(src, dst, edge, weight, x, y, total):
    if x[edge] == src:
        fr.atomic_add(y, dst, weight)
    fr.atomic_add(total, 0, 1)


def to_weight(src, dst, edge, weight):
    return weight


def test_filter_compute_and_reduce_take_edges(graph):
    known = arcs_of(graph)
    light = fr.filter(fr.EdgeFrontier.all(graph), lambda src, dst, edge, weight, most: weight <= most and src < dst, 30)
    expected = {(u, v): weight for (u, v), weight in known.items() if weight <= 30 and u < v}
    check(light, list(expected))
    sources = graph.xp.full(graph.edge_capacity, -1, np.int64)
    sources[light.edges] = light.src
    sums, total = graph.xp.zeros(graph.num_vertices, np.int64), graph.xp.zeros(1, np.int64)
    fr.compute(light, add_up, sources, sums, total)
    wanted = np.zeros(graph.num_vertices, np.int64)
    for (_, v), weight in expected.items():
        wanted[v] += weight
    assert (host(sums) == wanted).all() and int(total[0]) == len(expected)
    assert int(fr.reduce(light, to_weight, dtype=np.int64)[0]) == sum(expected.values())
    assert int(fr.reduce(light, to_weight, reduce="max", dtype=np.int32)[0]) == max(expected.values())
    nothing = fr.EdgeFrontier(graph)
    assert not fr.filter(nothing, always) and int(fr.reduce(nothing, to_weight, dtype=np.int64)[0]) == 0


def count_calls(src, dst, edge, weight, calls):
    fr.atomic_add(calls, src, 1)
    return True


@pytest.mark.parametrize("output", ["vertices", "edges"])
def test_an_advance_from_edges_goes_on_from_their_destinations(small, output):
    """From each destination once, however many edges lead to it."""
    edges = fr.EdgeFrontier(small, [0, 1, 3], [2, 2, 4])
    calls = small.xp.zeros(5, np.int32)
    found = fr.advance(small, edges, count_calls, calls, output=output)
    assert host(calls).tolist() == [0, 0, 3, 0, 1]
    pairs = [(2, 0), (2, 1), (2, 3), (4, 3)]
    assert list(found) == (pairs if output == "edges" else [0, 1, 3])
    calls.fill(0)
    fr.advance(small, edges.destinations, count_calls, calls)
    assert host(calls).tolist() == [0, 0, 3, 0, 1]


def test_pairs(small):
    edges = fr.EdgeFrontier(small, [0, 1, 0], [1, 2, 1])
    check(edges, [(0, 1), (1, 2)])
    assert (0, 1) in edges and (1, 0) not in edges and (2, 1) not in edges and (0, 4) not in edges
    assert (0, 99) not in edges and (-1, 0) not in edges
    for bad in (3, [0, 1], (0, 1, 2), None):
        with pytest.raises(TypeError, match=r"edge must be a pair \(u, v\) of vertices"):
            bad in edges  # noqa: B015
    check(edges.reversed(), [(1, 0), (2, 1)])
    with pytest.raises(ValueError, match="src and dst name 2 edges that are not in the graph, 0 - 3 is one"):
        fr.EdgeFrontier(small, [0, 0, 1], [1, 3, 4])
    with pytest.raises(ValueError, match=r"dst\[1\] is 9, outside"):
        fr.EdgeFrontier(small, [0, 0], [1, 9])
    assert repr(edges) == "EdgeFrontier(2 of 10 arcs)"


def test_operations_are_those_of_sets(graph, rng):
    pairs = sorted(arcs_of(graph))

    def drawn(size):
        chosen = [pairs[i] for i in rng.choice(len(pairs), size, replace=False)]
        return fr.EdgeFrontier(graph, *(np.array([pair[i] for pair in chosen], np.int64) for i in (0, 1))), set(chosen)

    for sizes in ((0, 0), (0, 5), (5, 0), (700, 900), (len(pairs), 40)):
        (left, a), (right, b) = (drawn(size) for size in sizes)
        check(left | right, a | b)
        check(left & right, a & b)
        check(left - right, a - b)
        check(left ^ right, a ^ b)
        assert (left <= right, left < right, left == right) == (a <= b, a < b, a == b)
        assert left & right <= left and left == left | (left & right) and not left < left
    assert left != a and left.__or__(a) is NotImplemented
    with pytest.raises(TypeError):
        left | fr.Frontier(graph)
    with pytest.raises(TypeError, match="unhashable"):
        hash(left)


def test_an_update_ends_frontiers_of_edges(small):
    edges = fr.EdgeFrontier(small, [0, 1], [1, 2])
    small.insert_edges([0], [4], [1])
    for ask in (
        lambda: edges.src, lambda: edges.dst, lambda: edges.edges, lambda: edges.weights, lambda: edges.sources,
        lambda: edges.destinations, lambda: list(edges), lambda: (0, 1) in edges, lambda: edges | edges,
        lambda: edges.reversed(), lambda: fr.filter(edges, always), lambda: fr.compute(edges, always),
        lambda: fr.reduce(edges, to_weight), lambda: fr.advance(small, edges, always),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="edge frontier was made before the latest update of its graph"):
            ask()


def test_frontiers_of_other_graphs(small):
    edges, other = fr.EdgeFrontier(small, [0], [1]), small.copy()
    assert edges != fr.EdgeFrontier(other, [0], [1])
    for ask in (lambda: fr.advance(other, edges, always), lambda: edges | fr.EdgeFrontier(other, [0], [1])):
        with pytest.raises(ValueError, match="edge frontier belongs to another graph"):
            ask()
    with pytest.raises(TypeError, match="graph must be a Graph"):
        fr.EdgeFrontier([0], [1])
    with pytest.raises(TypeError, match="frontier must be a Frontier, not EdgeFrontier"):
        fr.neighbor_reduce(small, edges, to_weight)


def test_directions(structure, device):
    graph = structure.from_edges([0, 1, 3], [2, 2, 0], directed=True, in_edges=True, device=device)
    entering = fr.advance(graph, fr.Frontier(graph, [2]), always, edges="in", output="edges")
    assert entering.graph is graph.reverse and list(entering) == [(2, 0), (2, 1)]
    assert entering.reversed().graph is graph and list(entering.reversed()) == [(0, 2), (1, 2)]
    edges = fr.EdgeFrontier(graph, [3], [0])
    assert list(fr.advance(graph, edges, always, output="edges")) == [(0, 2)]
    with pytest.raises(ValueError, match="output='edges' cannot be combined with edges='both'"):
        fr.advance(graph, edges, always, edges="both", output="edges")
    with pytest.raises(ValueError, match="direction='pull' walks arcs the other way"):
        fr.advance(graph, edges, always, direction="pull", output="edges")
    with pytest.raises(ValueError, match="output must be one of 'vertices', 'edges', not 'arcs'"):
        fr.advance(graph, edges, always, output="arcs")
    one_way = structure.from_edges([0, 1], [2, 2], directed=True, device=device)
    with pytest.raises(ValueError, match="stores no in-edges"):
        fr.EdgeFrontier.all(one_way).reversed()


def mark(src, dst, edge, weight, seen):
    fr.atomic_add(seen, edge, 1)


def test_edge_is_the_id_in_graphs_with_edge_data(structure, device):
    graph = structure.from_edges([0, 1, 2], [1, 2, 3], edge_data={"time": [5, 6, 7]}, device=device)
    edges = fr.filter(fr.EdgeFrontier.all(graph), upward)
    assert (host(edges.edges) == host(graph.edge_ids(edges.src, edges.dst))).all()
    seen = graph.xp.zeros(graph.edge_capacity, np.int32)
    fr.compute(fr.EdgeFrontier.all(graph), mark, seen)
    assert host(seen[edges.edges]).tolist() == [2, 2, 2]
    assert host(edges.weights).tolist() == [1, 1, 1]


def test_copies(small):
    edges = fr.EdgeFrontier(small, [0, 1], [1, 2])
    assert copy.copy(edges) == edges
    other = pickle.loads(pickle.dumps(edges))
    assert list(other) == list(edges) and other.graph is not small
