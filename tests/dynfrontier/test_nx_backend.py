"""The NetworkX backend: its entry points, its functions against NetworkX's own, and the calls that it leaves to
them."""

from __future__ import annotations

import inspect
import itertools
import random
import re
import subprocess
import sys
import tomllib
from importlib import import_module

import networkx as nx
import numpy as np
import pytest

import dynfrontier.nx as dn
from dynfrontier.nx import calls
from dynfrontier.nx.dispatching import ensure_registered
from dynfrontier.nx.functions import TABLE
from dynfrontier.nx.info import CLASSES, NAME, SUPPORTED, get_info
from dynfrontier.nx.interface import backend
from dynfrontier.nx.suite import EXPECTED, report, run
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

ensure_registered()
REGISTERED = nx.utils.backends._registered_algorithms


def original(name):
    return REGISTERED[name].orig_func


@pytest.fixture(params=["converted", "mutable"])
def as_given(request, device):
    """A function that gives a NetworkX graph to the backend: as it is, or as a graph of this package.

    Both in the same structure, so each kernel is compiled once.
    """
    if request.param == "mutable":
        return lambda graph: (dn.DiGraph if graph.is_directed() else dn.Graph)(graph, device=device, structure="csr")
    return lambda graph: graph


@pytest.fixture(autouse=True)
def _config(request):
    where = request.getfixturevalue("device") if "device" in request.fixturenames else "cpu"
    with nx.config.backends[NAME](device=where), nx.config(warnings_to_ignore={"cache"}):
        yield


def named():
    """An undirected graph with nodes of several kinds, some isolated, not in the order of its edges."""
    graph = nx.Graph()
    graph.add_nodes_from(["z", (1, 2), 3, "a", 2.5, frozenset("f"), "lonely"])
    graph.add_weighted_edges_from([("a", 3, 2), (3, "z", 4), ("z", "a", 1), (2.5, (1, 2), 3), ("z", (1, 2), 9)])
    return graph


def directed():
    graph = nx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 3), (4, 3), (5, 5)])
    graph.add_node("lonely")
    return graph


def assert_python(value):
    """No number of NumPy's is in a result, at any depth."""
    assert not type(value).__module__.startswith(("numpy", "cupy"))
    if isinstance(value, dict):
        for item in value.values():
            assert_python(item)
    elif isinstance(value, list | tuple | set):
        for item in value:
            assert_python(item)


# ---- the interface that NetworkX reads ------------------------------------------------------------------------------


def test_entry_points():
    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text())["project"]
    for group, expected in (("networkx.backends", backend), ("networkx.backend_info", get_info)):
        module, name = project["entry-points"][group][NAME].split(":")
        assert getattr(import_module(module), name) is expected
    assert NAME in nx.utils.backends.backends and nx.config.backends[NAME].structure == "csr"


def test_info_and_functions_agree():
    assert list(SUPPORTED) == sorted(TABLE)
    assert set(get_info()["functions"]) == {*SUPPORTED, *CLASSES}


def test_the_page_lists_the_functions():
    page = (PROJECT_ROOT / "docs" / "networkx.md").read_text(encoding="utf-8")
    rows = "\n".join(f"| `{name}` | {docs} |" for name, docs in SUPPORTED.items())
    assert f"<!-- functions -->\n| function | restricted to |\n| --- | --- |\n{rows}\n<!-- /functions -->" in page


@pytest.mark.parametrize("name", list(SUPPORTED))
def test_functions_take_arguments_of_networkxs(name):
    known = inspect.signature(inspect.unwrap(original(name))).parameters
    taken = inspect.signature(TABLE[name].run).parameters
    assert next(iter(known)) == next(iter(taken)) == "G" and set(taken) <= set(known)
    assert inspect.Parameter.empty not in TABLE[name].only.values()
    assert all(parameter.default is inspect.Parameter.empty for parameter in taken.values())  # NetworkX has them


def test_networkx_imports_no_compiler():
    code = (
        "import sys, dynfrontier.nx, dynfrontier.nx.info as info; info.get_info(); import networkx; "
        "assert not {'numba', 'frontier', 'cupy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PROJECT_ROOT)


@pytest.mark.skipif(nx.__version__ < "3.6", reason="NetworkX has it from 3.6 on")
def test_classes():
    assert type(nx.Graph([(0, 1)], backend=NAME)) is dn.Graph
    assert type(nx.DiGraph([(0, 1)], backend=NAME)) is dn.DiGraph


# ---- results --------------------------------------------------------------------------------------------------------

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


def answer(function, graph, *arguments, **options):
    """The result of a function of NetworkX, of a generator as a dict, or the type of the error that it raises."""
    try:
        found = function(graph, *arguments, **options)
        return dict(found) if inspect.isgenerator(found) else found
    except (nx.NetworkXException, ValueError) as error:
        return type(error)


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


def drawn(seed, kind=nx.Graph, *, nodes=40):
    """A random graph whose nodes are not in the order of their names or edges, with self-loops, and parallel edges."""
    rng = random.Random(seed)
    names = rng.sample(range(1000), rng.randrange(2, nodes))
    graph = kind()
    graph.add_nodes_from(names)
    for _ in range(rng.randrange(3 * len(names))):
        u, v = rng.choice(names), rng.choice(names)
        for _ in range(rng.randrange(1, 4)):
            graph.add_edge(u, v, **({"weight": rng.choice([0, 1, 2, 5, 2.5])} if rng.random() < 0.7 else {}))
    return graph


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


# ---- errors and limits ----------------------------------------------------------------------------------------------


def test_errors_are_networkxs(as_given):
    graph = as_given(named())
    with pytest.raises(nx.NodeNotFound, match="Source nowhere is not in G"):
        nx.single_source_shortest_path_length(graph, "nowhere", backend=NAME)
    with pytest.raises(nx.NodeNotFound, match="Node nowhere not found in graph"):
        nx.single_source_dijkstra_path_length(graph, "nowhere", backend=NAME)
    with pytest.raises(nx.NetworkXNoPath, match="Node lonely not reachable from a"):
        nx.dijkstra_path_length(graph, "a", "lonely", backend=NAME)
    with pytest.raises(nx.NetworkXError, match="The node nowhere is not in the graph"):
        list(nx.bfs_edges(graph, "nowhere", backend=NAME))
    with pytest.raises(nx.PowerIterationFailedConvergence):
        nx.pagerank(graph, max_iter=1, tol=1e-12, backend=NAME)
    with pytest.raises(ZeroDivisionError):
        nx.pagerank(graph, personalization={"nowhere": 1}, backend=NAME)
    with pytest.raises(nx.NetworkXPointlessConcept):
        nx.is_connected(as_given(nx.Graph()), backend=NAME)
    with pytest.raises(nx.NetworkXNotImplemented, match="self loops"):
        nx.core_number(as_given(nx.Graph([(0, 0)])), backend=NAME)
    with pytest.raises(nx.PowerIterationFailedConvergence):
        nx.eigenvector_centrality(graph, max_iter=1, backend=NAME)
    with pytest.raises(nx.NetworkXError, match="all zero values"):
        nx.eigenvector_centrality(graph, nstart=dict.fromkeys(named(), 0), backend=NAME)
    with pytest.raises(nx.NetworkXPointlessConcept):
        nx.eigenvector_centrality(as_given(nx.Graph()), backend=NAME)
    with pytest.raises(nx.NetworkXError, match="isolated nodes"):
        nx.reciprocity(as_given(directed()), "lonely", backend=NAME)
    with pytest.raises(nx.NetworkXError, match="empty graphs"):
        nx.reciprocity(as_given(nx.DiGraph()), backend=NAME)
    with pytest.raises(KeyError):
        nx.node_connected_component(graph, "nowhere", backend=NAME)


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


REFUSED = [
    ("pagerank", nx.MultiGraph, {}, "parallel edges"),
    ("pagerank", nx.Graph, {"dangling": {0: 1}}, "dangling must be None"),
    ("pagerank", nx.Graph, {"alpha": 1.5}, "alpha=1.5"), ("clustering", nx.DiGraph, {}, "directed graphs"),
    ("clustering", nx.Graph, {"weight": "weight"}, "weight must be None"),
    ("betweenness_centrality", nx.Graph, {"k": 0}, "k=0 is not supported"),
    ("bfs_edges", nx.Graph, {"source": 0, "sort_neighbors": sorted}, "sort_neighbors must be None"),
    ("single_source_dijkstra_path_length", nx.Graph, {"source": 0, "weight": max}, "a function as weight"),
    ("katz_centrality", nx.Graph, {"beta": {0: 1}}, "beta="),
    ("eigenvector_centrality", nx.Graph, {"nstart": {0: 1}}, "nstart must be a dict with all nodes"),
    ("edge_betweenness_centrality", nx.Graph, {"weight": "weight"}, "weight must be None"),
    ("edge_betweenness_centrality", nx.MultiGraph, {}, "parallel edges"),
    ("greedy_color", nx.Graph, {"strategy": "DSATUR"}, "strategy must be"),
    ("louvain_communities", nx.DiGraph, {}, "directed graphs"),
    ("forceatlas2_layout", nx.DiGraph, {}, "directed graphs"), ("forceatlas2_layout", nx.Graph, {"dim": 3}, "dim must"),
    ("forceatlas2_layout", nx.Graph, {"gravity": -1}, "gravity=-1"),
    ("forceatlas2_layout", nx.Graph, {"pos": {5: (0, 0)}}, "pos must be a dict of nodes"),
    ("leiden_communities", nx.DiGraph, {}, "directed graphs"),
    ("leiden_communities", nx.Graph, {"max_level": 0}, "max_level=0"),
    ("k_core", nx.Graph, {"core_number": {}}, "core_number must be None"),
    ("diameter", nx.Graph, {"e": {}}, "e must be None"), ("eccentricity", nx.Graph, {"sp": {}}, "sp must be None"),
    ("average_shortest_path_length", nx.Graph, {"method": "floyd-warshall"}, "floyd-warshall"),
    ("shortest_path_length", nx.Graph, {"method": "a-star"}, "a-star"),
    ("ego_graph", nx.Graph, {"n": 0, "radius": 1.5}, "radius=1.5"),
    ("generic_bfs_edges", nx.Graph, {"source": 0, "neighbors": iter}, "neighbors must be None"),
    ("is_negatively_weighted", nx.Graph, {"edge": (0, 1)}, "edge must be None"),
    ("number_of_selfloops", nx.MultiGraph, {}, "parallel edges"),
    ("pagerank", nx.Graph, {"unknown": 1}, "unknown"), ("girth", nx.Graph, {}, "not implemented"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "make", "arguments", "reason"), REFUSED)
def test_what_is_refused_before_a_conversion(name, make, arguments, reason):
    assert reason in backend.can_run(name, (make([(0, 1)]),), arguments)


def test_small_graphs_and_linear_work_are_left_to_networkx():
    small, large = nx.path_graph(10), nx.path_graph(1000)
    assert backend.should_run("pagerank", (large,), {}) is True
    assert "fewer than" in backend.should_run("pagerank", (small,), {})
    assert "conversion" in backend.should_run("connected_components", (large,), {})
    assert backend.should_run("connected_components", (dn.Graph(small),), {}) is True
    assert nx.number_connected_components(large, backend=NAME) == 1
    assert backend.should_run("connected_components", (large,), {}) is True  # it has been converted


@pytest.mark.parametrize("name", ["pagerank", "hits", "eigenvector_centrality"])
def test_self_loops_are_networkxs_matter(device, name):
    plain = nx.DiGraph([(0, 1), (1, 2), (2, 0), (0, 0), (1, 0)])
    with pytest.raises(NotImplementedError):
        REGISTERED[name](plain, backend=NAME)
    found, expected = REGISTERED[name](dn.DiGraph(plain, device=device)), original(name)(plain)
    for one, other in zip(*((x if isinstance(x, tuple) else (x,)) for x in (found, expected)), strict=True):
        assert one == pytest.approx(other)


def test_weights_that_are_refused(device):
    plain = nx.Graph([(0, 1, {"weight": 2}), (1, 2, {"weight": "heavy"})])
    with pytest.raises(NotImplementedError):
        nx.pagerank(plain, backend=NAME)
    assert nx.single_source_shortest_path_length(plain, 0, backend=NAME) == {0: 0, 1: 1, 2: 2}
    negative = nx.DiGraph([(0, 1, {"weight": -1}), (1, 2), (2, 3, {"weight": 2.5})])
    assert nx.is_negatively_weighted(negative, backend=NAME)
    for name in ("all_pairs_bellman_ford_path", "single_source_bellman_ford_path_length", "diameter"):
        arguments = {"source": 0} if "single" in name else {"weight": "weight"}
        with pytest.raises(NotImplementedError):  # before a generator starts
            REGISTERED[name](negative, **arguments, backend=NAME)
    assert nx.bellman_ford_path_length(dn.DiGraph(negative, device=device, structure="csr"), 0, 3) == 2.5
    with pytest.raises(TypeError):  # of NetworkX's
        nx.single_source_dijkstra_path_length(dn.Graph(plain, device=device), 0)


def test_everything_else_runs_on_graphs_of_this_package(device):
    plain = nx.krackhardt_kite_graph()
    graph = dn.Graph(plain, device=device)
    assert nx.square_clustering(graph) == nx.square_clustering(plain)
    assert nx.shortest_path(graph, 0, 9) == nx.shortest_path(plain, 0, 9)
    assert nx.clustering(graph, weight="weight") == nx.clustering(plain, weight="weight")
    assert nx.union_all([graph, dn.Graph([("a", "b")])]).number_of_nodes() == 12
    nx.set_edge_attributes(graph, 5, "weight")
    assert nx.dijkstra_path_length(graph, 0, 9) == 5 * nx.shortest_path_length(plain, 0, 9)
    with nx.config(fallback_to_nx=True):
        assert nx.is_isomorphic(graph, plain)


def test_switched_on_for_all_calls(monkeypatch):
    monkeypatch.setattr(calls, "_file", "counted")
    monkeypatch.setattr(calls, "_ran", calls.Counter())
    monkeypatch.setattr(calls, "_left", calls.Counter())
    graph = nx.gnm_random_graph(600, 1200, seed=1)
    with nx.config.backend_priority(algos=[NAME]):
        assert nx.triangles(graph) == original("triangles")(graph)
        assert nx.is_connected(nx.path_graph(3)) and nx.diameter(nx.path_graph(3)) == 2
    counted = calls.counts()
    assert counted["ran"] == {"triangles": 1}
    assert set(counted["networkx"]) >= {"is_connected", "diameter"}
    assert "triangles" in report(counted) and f"ran here: 1 of {len(SUPPORTED)} functions" in report(counted)


def test_each_expected_failure_has_a_reason():
    assert all(file.startswith("test_") and test.startswith("test_") and why for (file, test), why in EXPECTED.items())


@pytest.mark.slow
def test_a_part_of_networkxs_own_tests():
    chosen = ("algorithms.components.tests.test_connected", "algorithms.tests.test_core")
    status, counted = run(["-x", "--pyargs", *(f"networkx.{module}" for module in chosen)])
    assert status == 0
    assert {"connected_components", "core_number", "k_truss"} <= set(counted["ran"])
