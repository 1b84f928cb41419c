"""Results of the NetworkX backend, against NetworkX's own. Paths are in test_nx_paths.py."""

from __future__ import annotations

import inspect
import itertools
import random
import re

import networkx as nx
import numpy as np
import pytest
from networkx_cases import *  # noqa: F403
from networkx_cases import REGISTERED, assert_python, directed, drawn, named, original

import dynfrontier.nx as dn
from dynfrontier.nx import calls
from dynfrontier.nx.info import NAME

CASES = [
    ("connected_components", named, ()), ("number_connected_components", named, ()), ("is_connected", named, ()),
    ("node_connected_component", named, ("a",)), ("triangles", named, ()), ("triangles", named, ("z",)),
    ("triangles", named, ([3, "lonely", "absent"],)), ("clustering", named, ()), ("clustering", named, (["z", 3],)),
    ("average_clustering", named, ()), ("average_clustering", named, (None, None, False)), ("transitivity", named, ()),
    ("core_number", named, ()), ("pagerank", named, ()),
    ("pagerank", named, (0.7, {"a": 1, "absent": 3}, 200, 1e-9, {"z": 2}, None)),
    ("single_source_shortest_path_length", named, ("a",)), ("single_source_shortest_path_length", named, ("a", 1)),
    ("single_source_dijkstra_path_length", named, ("a",)), ("single_source_dijkstra_path_length", named, ("a", 5)),
    ("multi_source_dijkstra_path_length", named, (["a", 2.5],)), ("dijkstra_path_length", named, ("a", (1, 2))),
    ("bfs_edges", named, ("a",)), ("bfs_layers", named, ("a",)), ("bfs_layers", named, ([3, 2.5],)),
    ("descendants_at_distance", named, ("a", 2)), ("jaccard_coefficient", named, ()),
    ("minimum_spanning_edges", named, ()), ("closeness_centrality", named, ("a",)),
    ("maximum_spanning_edges", named, ()), ("bidirectional_dijkstra", named, ("a", (1, 2))),
    ("dijkstra_path", named, ("a", (1, 2))), ("has_path", named, ("a", "lonely")), ("has_path", directed, (4, 3)),
    ("shortest_path", named, ("a", 3, "weight")), ("bidirectional_dijkstra", directed, (4, 3)),
    ("weakly_connected_components", directed, ()), ("strongly_connected_components", directed, ()),
    ("number_strongly_connected_components", directed, ()), ("is_weakly_connected", directed, ()),
    ("ancestors", directed, (3,)), ("descendants", directed, (4,)),
    ("single_target_shortest_path_length", directed, (3,)),
    ("bfs_edges", directed, (3, True)), ("closeness_centrality", directed, (3,)),
    ("degree_centrality", named, ()), ("degree_centrality", directed, ()), ("in_degree_centrality", directed, ()),
    ("out_degree_centrality", directed, ()), ("overall_reciprocity", directed, ()), ("reciprocity", directed, ()),
    ("reciprocity", directed, (5,)), ("reciprocity", directed, ([0, "lonely", "absent", 5],)),
    ("is_tree", named, ()), ("is_forest", named, ()), ("is_tree", directed, ()), ("is_forest", directed, ()),
    ("eigenvector_centrality", named, (1000, 1e-9)), ("edge_betweenness_centrality", named, ()),
    ("eigenvector_centrality", named, (1000, 1e-6, dict.fromkeys(named(), 3), "weight")),
    ("edge_betweenness_centrality", directed, ()), ("edge_betweenness_centrality", directed, (None, False)),
    ("is_arborescence", directed, ()), ("is_branching", directed, ()), ("is_directed_acyclic_graph", directed, ()),
    ("isolates", named, ()), ("isolates", directed, ()), ("number_of_isolates", named, ()),
    ("number_of_selfloops", directed, ()), ("is_negatively_weighted", named, ()),
]  # fmt: skip


@pytest.mark.parametrize(("name", "make", "arguments"), CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_results_are_networkxs(as_given, name, make, arguments, monkeypatch):
    monkeypatch.setattr(calls, "_file", "counted")
    monkeypatch.setattr(calls, "_ran", calls.Counter())
    found = REGISTERED[name](as_given(make()), *arguments, backend=NAME)
    expected = original(name)(make(), *arguments)
    if inspect.isgenerator(expected) or name == "jaccard_coefficient":
        found, expected = list(found), list(expected)
    assert_python(found)
    if name == "bfs_edges":  # the trees are unique, the order of a node's children is another
        found, expected = sorted(found, key=str), sorted(expected, key=str)
    elif name == "bfs_layers":
        found, expected = list(map(set, found)), list(map(set, expected))
    if isinstance(expected, dict):
        assert list(found) == list(expected) or name.endswith("_length")
    assert found == (pytest.approx(expected, abs=1e-6) if re.search("rank|closeness|eigen", name) else expected)
    assert type(found) is type(expected)
    assert calls.counts()["ran"] == {name: 1}


def test_graphs_are_returned_with_all_attributes(as_given):
    graph = nx.Graph(nx.complete_graph(4), title="K4 and a path")
    graph.add_edges_from([(3, 4), (4, 5)], color="red")
    graph.nodes[0]["label"] = "first"
    for name, k in (("k_core", 3), ("k_truss", 4)):
        found, expected = REGISTERED[name](as_given(graph), k, backend=NAME), original(name)(graph, k)
        assert (found.graph, dict(found.nodes.data()), dict(found.adj)) == (
            expected.graph, dict(expected.nodes.data()), dict(expected.adj))  # fmt: skip


def test_breadth_first_trees(as_given):
    graph = nx.path_graph(4)
    graph.add_edge(0, 3)
    tree = nx.bfs_tree(as_given(graph), 0, backend=NAME)
    assert type(tree) is nx.DiGraph and list(tree.edges) == [(0, 1), (0, 3), (1, 2)]
    assert list(nx.bfs_successors(as_given(graph), 0, backend=NAME)) == [(0, [1, 3]), (1, [2])]
    assert dict(nx.bfs_predecessors(as_given(graph), 0, 1, backend=NAME)) == {1: 0, 3: 0}


def test_acyclic_graphs(as_given):
    """The lowest common ancestors of pairs, of which several may be lowest."""
    rng = random.Random(5)
    for _ in range(4):
        names = rng.sample(range(100), 12)
        graph = nx.DiGraph()
        graph.add_nodes_from(rng.sample(names, 12))
        graph.add_edges_from((names[i], names[j]) for i in range(12) for j in range(i) if rng.random() < 0.2)
        given = as_given(graph)
        assert nx.is_directed_acyclic_graph(given, backend=NAME)
        above = {node: nx.ancestors(graph, node) | {node} for node in graph}
        for u, v in itertools.combinations(names[:6], 2):
            found, common = nx.lowest_common_ancestor(given, u, v, "none", backend=NAME), above[u] & above[v]
            lowest = [node for node in graph if node in common and not common & set(graph.successors(node))]
            assert found == (lowest[0] if lowest else "none")
        with pytest.raises(nx.NodeNotFound, match=r"\{'absent'\}"):
            nx.lowest_common_ancestor(given, names[0], "absent", backend=NAME)
    with pytest.raises(nx.NetworkXError, match="acyclic"):
        nx.lowest_common_ancestor(as_given(directed()), 0, 1, backend=NAME)
    assert not nx.is_directed_acyclic_graph(as_given(nx.DiGraph([(0, 0)])), backend=NAME)
    trees = nx.DiGraph([(0, 1), (0, 2), (2, 3)]), nx.DiGraph([(0, 1), (2, 3)]), nx.DiGraph([(0, 1), (2, 1)])
    for graph in trees:
        for name in ("is_arborescence", "is_branching"):
            assert REGISTERED[name](as_given(graph), backend=NAME) is original(name)(graph)


def test_neighborhoods_have_all_attributes(as_given):
    graph = drawn(3)
    graph.graph["title"], node = "drawn", next(iter(graph))
    graph.nodes[node]["label"] = "first"
    for options in ({}, {"radius": 2}, {"radius": 2, "center": False}, {"radius": 0}, {"undirected": True},
                    {"radius": 2.5, "distance": "weight"}):  # fmt: skip
        found = nx.ego_graph(as_given(graph), node, **options, backend=NAME)
        expected = original("ego_graph")(graph, node, **options)
        assert (found.graph, dict(found.nodes.data()), dict(found.adj)) == (
            expected.graph, dict(expected.nodes.data()), dict(expected.adj))  # fmt: skip


def test_spanning_trees_have_all_attributes(as_given):
    graph = drawn(4)
    for name in ("minimum_spanning_tree", "maximum_spanning_tree"):
        found, expected = REGISTERED[name](as_given(graph), backend=NAME), original(name)(graph)
        assert list(found) == list(expected) and found.size(weight="weight") == expected.size(weight="weight")
        assert found.number_of_edges() == expected.number_of_edges()
        assert all(data == graph.edges[u, v] for u, v, data in found.edges(data=True))


def test_graphs_of_few_nodes(as_given):
    empty, one = nx.Graph(), nx.Graph()
    one.add_node("alone")
    assert nx.pagerank(as_given(empty), backend=NAME) == nx.core_number(as_given(empty), backend=NAME) == {}
    assert list(nx.connected_components(as_given(empty), backend=NAME)) == []
    assert nx.transitivity(as_given(empty), backend=NAME) == 0
    assert nx.pagerank(as_given(one), backend=NAME) == {"alone": 1.0}
    assert nx.clustering(as_given(one), backend=NAME) == {"alone": 0}
    assert list(nx.bfs_edges(as_given(one), "alone", backend=NAME)) == []


def test_greedy_colors_are_networkxs(as_given):
    """Nodes of equal degree come in the order of the graph, of which a self-loop adds two."""
    for seed in range(50):
        graph = drawn(seed)
        found = nx.greedy_color(as_given(graph), backend=NAME)
        assert found == original("greedy_color")(graph) and list(found) == list(graph)


def test_greedy_colors_after_changes(device):
    for seed in range(10):
        graph = drawn(seed)
        ours = dn.Graph(graph, device=device, structure="csr")
        assert nx.greedy_color(ours) == original("greedy_color")(graph)
        first, *_, last = graph
        for changed in (graph, ours):
            changed.remove_node(first)
            changed.add_edges_from([("new", last), (last, "newer"), ("newer", "new")])
        assert nx.greedy_color(ours) == original("greedy_color")(graph)
        assert ours.conversions == 1


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph])
def test_strong_components_come_after_all_that_they_reach(as_given, kind):
    made = as_given if kind is nx.DiGraph else lambda graph: graph
    chain = kind([(2 * i + a, 2 * i + b) for i in range(300) for a, b in ((0, 1), (1, 0), (1, 2))])
    for graph in (*(drawn(seed, kind) for seed in range(40)), chain, chain.reverse(), kind()):
        components = list(nx.strongly_connected_components(made(graph), backend=NAME))
        assert sorted(map(sorted, components)) == sorted(map(sorted, original("strongly_connected_components")(graph)))
        place = {node: i for i, component in enumerate(components) for node in component}
        assert all(place[u] >= place[v] for u, v in graph.edges())


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("endpoints", [True, False])
@pytest.mark.skipif(nx.__version__ < "3.6", reason="NetworkX scales samples in this way from 3.6 on")
def test_sampled_betweenness_is_networkxs(as_given, normalized, endpoints):
    for seed in range(3):
        for kind in (nx.Graph, nx.DiGraph):
            graph = drawn(seed, kind)
            for k in (1, 2, len(graph) // 2, len(graph)):
                options = {"k": k, "normalized": normalized, "endpoints": endpoints, "seed": seed}
                found = nx.betweenness_centrality(as_given(graph), **options, backend=NAME)
                expected = nx.betweenness_centrality(graph, **options)
                assert found == pytest.approx(expected, nan_ok=True) and list(found) == list(expected)
    with pytest.raises(ValueError, match="ample larger than population"):
        nx.betweenness_centrality(as_given(nx.path_graph(3)), 4, backend=NAME)


def test_betweenness_is_rounded_as_networkxs(as_given):
    """The results are equal if both sums are exact."""
    for graph in (nx.path_graph(10, nx.DiGraph), nx.path_graph(10), nx.star_graph(7)):
        for options in ({}, {"normalized": False}, {"endpoints": True}):
            found = nx.betweenness_centrality(as_given(graph), **options, backend=NAME)
            assert found == nx.betweenness_centrality(graph, **options)
        for options in ({}, {"normalized": False}):
            found = nx.edge_betweenness_centrality(as_given(graph), **options, backend=NAME)
            assert found == nx.edge_betweenness_centrality(graph, **options)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_degrees_edges_and_reciprocity_of_drawn_graphs(as_given, kind):
    """With self-loops. Floats of sums in another order are rounded otherwise."""
    for seed in range(8):
        graph = drawn(seed, kind, nodes=20)
        given = as_given(graph)
        names = ["degree_centrality", "is_forest", "is_tree"]
        if graph.is_directed():
            names += ["in_degree_centrality", "out_degree_centrality", "overall_reciprocity"]
            assert nx.reciprocity(given, list(graph), backend=NAME) == original("reciprocity")(graph, list(graph))
        for name in names if graph.number_of_edges() else names[:3]:
            assert REGISTERED[name](given, backend=NAME) == original(name)(graph), name
        found, expected = nx.edge_betweenness_centrality(given, backend=NAME), nx.edge_betweenness_centrality(graph)
        assert list(found) == list(expected) and found == pytest.approx(expected)
        if nx.__version__ >= "3.6":
            options = {"k": len(graph) // 2, "seed": seed, "normalized": False}
            found = nx.edge_betweenness_centrality(given, **options, backend=NAME)
            assert found == pytest.approx(nx.edge_betweenness_centrality(graph, **options))


def test_trees_and_forests(as_given):
    cycle_and_edges = nx.Graph([(0, 1), (1, 2), (2, 0), (3, 4), (5, 6)])
    plain = nx.path_graph(5), nx.path_graph(1), nx.Graph([(0, 1), (2, 3)]), nx.cycle_graph(4), nx.Graph([(0, 0)])
    for graph in (*plain, nx.DiGraph([(0, 1), (2, 1)]), cycle_and_edges):
        for name in ("is_tree", "is_forest"):
            assert REGISTERED[name](as_given(graph), backend=NAME) is original(name)(graph)
    twice = nx.MultiGraph([(0, 1), (0, 1)])
    assert not nx.is_forest(twice, backend=NAME) and not nx.is_tree(twice, backend=NAME)
    with pytest.raises(nx.NetworkXPointlessConcept, match="G has no nodes"):
        nx.is_forest(as_given(nx.Graph()), backend=NAME)


@pytest.mark.slow
def test_leiden_communities(as_given):
    """NetworkX has no implementation to compare with but Louvain's method."""
    graph = nx.karate_club_graph()
    for weight in ("weight", None):
        theirs = nx.community.louvain_communities(graph, weight, seed=1, backend="networkx")
        plain = graph if weight else nx.Graph(graph.edges())
        found = nx.community.leiden_communities(as_given(plain), seed=1, backend=NAME)
        assert nx.community.modularity(graph, found, weight) > nx.community.modularity(graph, theirs, weight) - 0.02
        assert all(nx.is_connected(graph.subgraph(community)) for community in found)


PARALLEL = [
    ("connected_components", {}), ("number_connected_components", {}), ("is_connected", {}),
    ("node_connected_component", {"n": 0}), ("weakly_connected_components", {}), ("is_weakly_connected", {}),
    ("number_weakly_connected_components", {}), ("number_strongly_connected_components", {}),
    ("is_strongly_connected", {}), ("triangles", {}), ("betweenness_centrality", {}), ("closeness_centrality", {}),
    ("is_tree", {}), ("is_forest", {}),
    ("descendants", {"source": 0}), ("ancestors", {"source": 0}),
    ("descendants_at_distance", {"source": 0, "distance": 2}), ("bfs_layers", {"sources": 0}),
    ("bfs_edges", {"source": 0}), ("bfs_tree", {"source": 0}), ("single_source_shortest_path_length", {"source": 0}),
    ("single_target_shortest_path_length", {"target": 0}), ("all_pairs_shortest_path_length", {}),
    ("single_source_dijkstra_path_length", {"source": 0}), ("dijkstra_path_length", {"source": 0, "target": 1}),
    ("multi_source_dijkstra_path_length", {"sources": [0, 1]}), ("has_path", {"source": 0, "target": 1}),
    ("shortest_path_length", {"source": 0, "weight": "weight"}),
    ("eccentricity", {"v": []}), ("is_negatively_weighted", {}), ("isolates", {}), ("is_branching", {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments"), PARALLEL, ids=[name for name, _ in PARALLEL])
def test_parallel_edges_that_do_not_matter(device, name, arguments):
    """Lengths of paths depend on the lowest of their weights, all other results on the existence of an edge."""
    kinds = [kind for kind in (nx.MultiGraph, nx.MultiDiGraph) if is_for(name, kind)]
    for kind in kinds:
        for seed in range(3):
            graph = drawn(seed, kind)
            nx.relabel_nodes(graph, dict(zip(graph, range(2), strict=False)), copy=False)
            graph.add_edge(0, 1, weight=7)
            graph.add_edge(0, 1, weight=3)
            found, expected = REGISTERED[name](graph, **arguments, backend=NAME), original(name)(graph, **arguments)
            if inspect.isgenerator(expected):
                found, expected = list(found), list(expected)
            if name == "bfs_layers":
                found, expected = list(map(set, found)), list(map(set, expected))
            elif name in ("bfs_edges", "bfs_tree"):  # trees may differ
                found, expected = len(found), len(expected)
            assert found == (pytest.approx(expected) if "centrality" in name else expected)


def is_for(name, kind):
    """Whether NetworkX has the function for such graphs."""
    try:
        list(getattr(nx, name)(kind(), **{"n": 0} if name == "node_connected_component" else {}, backend="networkx"))
    except nx.NetworkXNotImplemented:
        return False
    except Exception:  # as it is empty, or for lack of arguments
        return True
    return True


@pytest.mark.parametrize(("name", "kind"), [
    ("core_number", nx.MultiGraph), ("clustering", nx.MultiGraph), ("transitivity", nx.MultiGraph),
    ("katz_centrality", nx.MultiDiGraph), ("k_truss", nx.MultiGraph), ("jaccard_coefficient", nx.MultiGraph),
])  # fmt: skip
def test_multigraphs_that_networkx_refuses(name, kind):
    arguments = {"k": 3} if name == "k_truss" else {}
    with nx.config.backend_priority(algos=[NAME]), pytest.raises(nx.NetworkXNotImplemented, match="multigraph type"):
        getattr(nx, name)(kind([(0, 1), (0, 1)]), **arguments)


def test_triangles_of_some_nodes_of_a_multigraph():
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 0)])
    assert nx.triangles(graph, backend=NAME) == {0: 1, 1: 1, 2: 1}
    with nx.config.backend_priority(algos=[NAME]), pytest.raises(nx.NetworkXNotImplemented):
        nx.triangles(graph, [0])


@pytest.mark.parametrize("weight", [None, "heavy", float("nan"), 2**70])
def test_parallel_edges_of_which_one_has_no_number(weight):
    graph = nx.MultiGraph([(0, 1, {"weight": 1}), (0, 1, {"weight": weight}), (1, 2, {})])
    assert nx.is_connected(graph, backend=NAME)
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(graph, 0, backend=NAME)


def test_layouts(as_given):
    """Positions of all nodes, as arrays. They depend on the seed, and on given positions."""
    graph = as_given(named())
    found, again, other = (nx.forceatlas2_layout(graph, seed=seed, backend=NAME) for seed in (1, 1, 2))
    assert list(found) == list(named()) and all(place.shape == (2,) for place in found.values())
    assert all((found[v] == again[v]).all() and (found[v] != other[v]).any() for v in found)
    given = {v: (place, 1.0) for place, v in enumerate(list(named())[:3])}
    for options in ({"pos": given}, {"linlog": True, "strong_gravity": True}, {"weight": "weight", "max_iter": 3}):
        assert np.isfinite(list(nx.forceatlas2_layout(graph, seed=1, **options, backend=NAME).values())).all()
    assert nx.forceatlas2_layout(as_given(nx.Graph()), backend=NAME) == {}
