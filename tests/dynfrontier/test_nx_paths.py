"""Paths and distances of the NetworkX backend, against NetworkX's own."""

from __future__ import annotations

import itertools

import networkx as nx
import pytest
from networkx_cases import *  # noqa: F403
from networkx_cases import REGISTERED, answer, assert_python, drawn, original

import dynfrontier.nx as dn
from dynfrontier.nx.info import NAME


def length_of(graph, path, weight=None):
    """The length of a path of the graph. Edges without the attribute have length 1."""
    assert nx.is_path(graph, path)
    return sum(graph.edges[edge].get(weight, 1) for edge in itertools.pairwise(path))


def check_paths(graph, found, expected):
    """Dicts of paths by their other end: the nodes are NetworkX's, and so are the lengths."""
    assert found.keys() == expected.keys()
    for node, path in found.items():
        assert (path[0], path[-1]) == (expected[node][0], expected[node][-1])
        assert length_of(graph, path) == length_of(graph, expected[node])


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_paths_are_as_short_as_networkxs(as_given, kind):
    for seed in range(6):
        graph = drawn(seed, kind)
        ours, (u, v, *_) = as_given(graph), graph
        for name, *arguments in (
            ("single_source_shortest_path", u), ("single_source_shortest_path", v, 2), ("shortest_path", u),
            ("single_target_shortest_path", u), ("single_target_shortest_path", v, 1), ("shortest_path", None, v),
        ):  # fmt: skip
            found, expected = REGISTERED[name](ours, *arguments, backend=NAME), original(name)(graph, *arguments)
            check_paths(graph, found, expected)
        for found in (nx.all_pairs_shortest_path(ours, backend=NAME), nx.shortest_path(ours, backend=NAME)):
            expected = dict(original("all_pairs_shortest_path")(graph))
            found = dict(found)
            assert list(found) == list(expected)
            for node, paths in found.items():
                check_paths(graph, paths, expected[node])
        for name, weight in (("bidirectional_shortest_path", None), ("dijkstra_path", "weight")):
            for target in list(graph)[:8]:
                try:
                    expected = original(name)(graph, u, target)
                except nx.NetworkXNoPath:
                    with pytest.raises(nx.NetworkXNoPath):
                        REGISTERED[name](ours, u, target, backend=NAME)
                else:
                    found = REGISTERED[name](ours, u, target, backend=NAME)
                    assert length_of(graph, found, weight) == length_of(graph, expected, weight)
    for name in ("bidirectional_shortest_path", "bidirectional_dijkstra", "dijkstra_path", "has_path"):
        with pytest.raises(nx.NodeNotFound):
            REGISTERED[name](ours, "absent", u, backend=NAME)


def check_weighted_paths(graph, found, expected, sources=()):
    """Paths, or errors, in dicts by their ends: the paths are as long as NetworkX's, and of existing edges."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for node, paths in expected.items():
            check_weighted_paths(graph, found[node], paths, sources)
    elif isinstance(expected, list):
        assert found[-1] == expected[-1] and (not sources or found[0] in sources)
        assert length_of(graph, found, "weight") == length_of(graph, expected, "weight")
    else:
        assert found == expected


ENDS, KINDS = ("path", "path_length"), ("dijkstra", "bellman_ford")


def check_calls(graph, given, calls):
    """Calls, of names and arguments, have NetworkX's lengths and errors, and paths of these lengths."""
    for name, *arguments in calls:
        sources = arguments[0] if name.startswith("multi_source") else ()
        found, expected = (
            answer(REGISTERED[name], given, *arguments, backend=NAME),
            answer(original(name), graph, *arguments),
        )
        if "length" in name or isinstance(expected, type):
            assert found == expected, (name, arguments)
        elif isinstance(expected, tuple):
            assert found[0] == expected[0], (name, arguments)
            check_weighted_paths(graph, found[1], expected[1], sources)
        else:
            check_weighted_paths(graph, found, expected, sources)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_weighted_paths_are_as_short_as_networkxs(as_given, kind):
    """Weights are floats, some zero, of which sums are exact."""
    for seed in range(3):
        graph = drawn(seed, kind)
        u, v, *others = graph
        pairs = [(u, w) for w in (u, v, *others[:4], "absent")]
        check_calls(graph, as_given(graph), [
            *((f"{kind}_{end}", *pair) for kind in KINDS for end in ENDS for pair in pairs),
            *((f"single_source_{kind}_{end}", u) for kind in KINDS for end in ENDS),
            *((f"single_source_dijkstra_{end}", u, 3) for end in ENDS), ("single_source_dijkstra", u, None, 3),
            *((f"single_source_{kind}", *pair) for kind in KINDS for pair in [*pairs, (u,)]),
            *(("single_source_dijkstra", *pair, 4) for pair in pairs),
            *((f"shortest_{end}", *pair, "weight", method) for end in ENDS for method in ("dijkstra", "bellman-ford")
              for pair in [*pairs, (u, None), (None, v)]),
        ])  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_weighted_paths_from_several_nodes(as_given, kind, seed):
    graph = drawn(seed, kind)
    given, (u, v, *others) = as_given(graph), graph
    check_calls(graph, given, [
        *((f"all_pairs_{kind}_{end}",) for kind in KINDS for end in ENDS),
        *((f"all_pairs_dijkstra_{end}", 3) for end in ENDS),
        *((f"multi_source_dijkstra_{end}", [u, v], 3) for end in ENDS),
        *(("multi_source_dijkstra", [u, v], w) for w in (None, u, *others[:4], "absent")),
        ("multi_source_dijkstra", []), *((f"shortest_{end}", None, None, "weight") for end in ENDS),
    ])  # fmt: skip
    for node, (lengths, paths) in nx.all_pairs_dijkstra(given, 3, backend=NAME):
        expected = original("single_source_dijkstra")(graph, node, cutoff=3)
        assert lengths == expected[0]
        check_weighted_paths(graph, paths, expected[1])


@pytest.mark.slow
def test_sums_of_distances_that_may_overflow_are_refused():
    """Each distance fits 64 bits, and the sum does not."""
    graph = nx.path_graph(50)
    nx.set_edge_attributes(graph, 2**56, "weight")
    assert nx.diameter(graph, weight="weight", backend=NAME) == 49 * 2**56
    for name in ("average_shortest_path_length", "wiener_index", "barycenter"):
        with pytest.raises(NotImplementedError):
            REGISTERED[name](graph, weight="weight", backend=NAME)


def test_paths_from_several_nodes_start_at_the_nearest(as_given):
    """A node that another one reaches by an edge of weight 0 is its own nearest one."""
    graph = nx.Graph()
    graph.add_weighted_edges_from([(1, 2, 0), (2, 3, 1)])
    found = nx.multi_source_dijkstra_path(as_given(graph), [1, 2], backend=NAME)
    assert found == {1: [1], 2: [2], 3: [2, 3]}


@pytest.mark.parametrize("weight", [None, pytest.param("weight", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_distances_of_all_pairs(as_given, kind, weight):
    """In connected graphs, and of one node; and the errors of others."""
    drawn_graphs = [drawn(seed, kind, nodes=30) for seed in range(6)]
    for graph in drawn_graphs[:4]:
        nx.add_cycle(graph, list(graph), weight=1)
    long = nx.cycle_graph(150, kind)
    nx.add_path(long, [0, 200, 201, 202])
    nx.add_path(long, [202, 201, 200, 0])
    for graph in (*drawn_graphs, nx.path_graph(1, kind), long, kind([(0, 1), (2, 3)])):
        for name in ("eccentricity", "diameter", "radius", "center", "periphery", "barycenter", "wiener_index",
                     "average_shortest_path_length"):  # fmt: skip
            found = answer(REGISTERED[name], as_given(graph), weight=weight, backend=NAME)
            expected = answer(original(name), graph, weight=weight)
            if name in ("center", "barycenter") and isinstance(expected, list):
                found, expected = sorted(found), sorted(expected)  # of trees, NetworkX's come in another order
            assert found == (pytest.approx(expected) if isinstance(expected, float) else expected), name
            assert_python(found)
        some = list(graph)[:2]
        for nodes in (some, some[0]):
            expected = answer(original("eccentricity"), graph, nodes)
            assert answer(REGISTERED["eccentricity"], as_given(graph), nodes, backend=NAME) == expected
    for name in ("average_shortest_path_length", "wiener_index", "barycenter"):
        with pytest.raises(nx.NetworkXPointlessConcept):
            REGISTERED[name](as_given(nx.Graph()), backend=NAME)


def test_distances_after_changes(device):
    """Vertices of removed nodes are in no result."""
    graph = nx.wheel_graph(12)
    ours = dn.Graph(graph, device=device, structure="csr")
    for _ in range(2):
        for name in ("eccentricity", "center", "barycenter", "average_shortest_path_length"):
            assert REGISTERED[name](ours, backend=NAME) == original(name)(graph), name
        assert dict(nx.all_pairs_shortest_path_length(ours)) == dict(original("all_pairs_shortest_path_length")(graph))
        for changed in (graph, ours):
            changed.remove_nodes_from([0, 3])
            changed.add_edges_from([(2, 4), ("new", 5)])
            changed.add_node("lonely")
        assert list(nx.isolates(ours)) == ["lonely"]
        for changed in (graph, ours):
            changed.remove_node("lonely")
    assert ours.conversions == 1
