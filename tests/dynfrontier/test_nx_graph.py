"""`dynfrontier.nx.Graph` and `DiGraph`: changes by every route reach the structure, and nothing is converted again."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from functools import partial

import networkx as nx
import numpy as np
import pytest
from concurrency import in_threads
from hypothesis import given
from hypothesis import strategies as st

import dynfrontier.nx as dn

PLAIN = {dn.Graph: nx.Graph, dn.DiGraph: nx.DiGraph}


@pytest.fixture(params=[dn.Graph, dn.DiGraph], ids=["Graph", "DiGraph"])
def kind(request, device):
    return partial(request.param, device=device)


def assert_in_step(graph, weight="weight"):
    """The structure contains the data of NetworkX's dicts."""
    mirror = graph.synchronized(weight)
    src, dst, weights = (None if x is None else mirror.graph.device.to_host(x).tolist() for x in mirror.graph.to_coo())
    nodes = mirror.nodes
    found = {
        (nodes[i], nodes[j]): w for i, j, w in zip(src, dst, weights or [1] * len(src), strict=True)
    } | {(nodes[v], nodes[v]): w for v, w in mirror.loops.items()}  # fmt: skip
    given = {(u, v): data.get(weight, 1) for u, v, data in graph.edges(data=True)}
    if not graph.is_directed():
        found |= {(v, u): w for (u, v), w in found.items()}
        given |= {(v, u): w for (u, v), w in given.items()}
    assert found == given
    assert mirror.names == list(graph)
    exists = mirror.graph.device.to_host(mirror.graph.has_vertices(np.arange(mirror.graph.num_vertices)))
    assert sorted(np.flatnonzero(exists).tolist()) == sorted(mirror.ids.values())
    assert all(nodes[v] == node for node, v in mirror.ids.items())


ROUTES = {
    "add_edge": lambda g: g.add_edge("x", 7),
    "add_edge with a weight": lambda g: g.add_edge(0, 1, weight=3),
    "add_edges_from": lambda g: g.add_edges_from([(5, 6), (6, 0, {"weight": 4})], color="red"),
    "add_weighted_edges_from": lambda g: g.add_weighted_edges_from([(5, 6, 2.5), (0, 1, 7)]),
    "remove_edge": lambda g: g.remove_edge(0, 1),
    "remove_edges_from": lambda g: g.remove_edges_from([(0, 1), (1, 2), (8, 9)]),
    "add_node": lambda g: g.add_node(()),
    "add_nodes_from": lambda g: g.add_nodes_from("ab", color="red"),
    "remove_node": lambda g: g.remove_node(1),
    "remove_nodes_from": lambda g: g.remove_nodes_from([1, 3, 77]),
    "remove a node and bring it back": lambda g: (g.remove_node(1), g.add_edge(1, 3)),
    "remove a node and add another": lambda g: (g.remove_node(1), g.add_edge("new", 3)),
    "update": lambda g: g.update(edges=[(0, 9)], nodes=["n"]),
    "clear_edges": lambda g: g.clear_edges(),
    "an attribute of G[u][v]": lambda g: g[0][1].__setitem__("weight", 2),
    "an attribute of G.edges[u, v]": lambda g: g.edges[1, 2].__setitem__("weight", 2.5),
    "update of the attributes": lambda g: g.edges[1, 2].update(weight=9, color="red"),
    "|= on the attributes": lambda g: g.adj[1][2].__ior__({"weight": 9}),
    "setdefault": lambda g: (g.edges[0, 1].setdefault("weight", 8), g.edges[2, 3].setdefault("weight", 8)),
    "pop": lambda g: g.edges[2, 3].pop("weight"),
    "popitem": lambda g: g.edges[2, 3].popitem(),
    "del": lambda g: g.edges[2, 3].__delitem__("weight"),
    "clear of the attributes": lambda g: g.edges[2, 3].clear(),
    "an attribute of all edges": lambda g: nx.set_edge_attributes(g, 6, "weight"),
    "in a loop over edges": lambda g: [data.__setitem__("weight", u) for u, v, data in g.edges(data=True)],
    "a self-loop": lambda g: g.add_edge(2, 2, weight=5),
    "a self-loop that goes": lambda g: g.remove_edge(4, 4),
    "a private dict": lambda g: (g._adj[0].pop(1), None if g.is_directed() else g._adj[1].pop(0)),
    "relabel_nodes": lambda g: nx.relabel_nodes(g, {1: "one"}, copy=False),
}  # fmt: skip


@pytest.mark.parametrize("route", list(ROUTES))
def test_every_route(kind, route):
    graph = kind([(0, 1), (1, 2), (2, 3), (4, 4)])
    graph[2][3]["weight"] = 1
    assert_in_step(graph)
    ROUTES[route](graph)
    assert_in_step(graph)
    assert graph.conversions == 1


def test_options_are_checked_at_once(device):
    with pytest.raises(ValueError, match=r"structure must be one of .* not 'slap'"):
        dn.Graph(structure="slap", device=device)
    with pytest.raises(ValueError, match="device"):
        dn.DiGraph(device="tpu")


def test_clear_starts_again(kind):
    graph = kind([(0, 1), (1, 2)])
    assert_in_step(graph)
    graph.clear()
    assert_in_step(graph)
    graph.add_edge("a", "b")
    assert_in_step(graph)
    assert graph.conversions == 2


def test_a_batch_for_any_number_of_changes(device):
    graph = dn.Graph(nx.path_graph(20), device=device)
    assert nx.number_connected_components(graph) == 1
    for v in range(50, 80):
        graph.add_edge(v, v + 1)
        graph.add_edge(v, v + 1, color="red")
    batches = graph.synchronized().batches
    assert nx.number_connected_components(graph) == 2
    assert graph.synchronized().batches == batches == 1
    assert graph.structure.num_edges == 49 and graph.vertices[80] == graph.structure.num_vertices - 1
    assert graph.conversions == 1


def test_what_fails_midway_is_seen_as_far_as_it_went(kind):
    graph = kind([(0, 1)])
    assert_in_step(graph)
    with pytest.raises(nx.NetworkXError):
        graph.add_edges_from([(1, 2), (2, 3), (1,)])
    with pytest.raises(ValueError, match="None cannot be a node"):
        graph.add_edges_from([(3, 4), (4, None)])
    with pytest.raises(nx.NetworkXError):
        graph.remove_node("absent")
    assert graph.has_edge(3, 4)
    assert_in_step(graph)
    assert graph.conversions == 1


def test_an_update_that_fails_is_made_up_for(kind, monkeypatch):
    graph = kind([(0, 1)])
    mirror = graph.synchronized()

    def fail(*args, **kwargs):
        raise MemoryError

    graph.add_edge(1, 2)
    graph.remove_edge(0, 1)
    monkeypatch.setattr(type(mirror.graph), "insert_edges", fail)
    with pytest.raises(MemoryError):
        graph.synchronized()
    monkeypatch.undo()
    assert_in_step(graph)
    assert graph.conversions == 2


@pytest.mark.parametrize("replace", [
    lambda g: g._adj[0].__setitem__(1, {"weight": 5}),
    lambda g: (g._adj.__setitem__(0, {}), g._adj[0].__setitem__(1, {})),
    lambda g: [g._adj[u].__setitem__(v, g._adj[1][2]) for u, v in ((0, 1), (1, 0))[: 1 if g.is_directed() else 2]],
])  # fmt: skip
def test_dicts_that_cannot_log(kind, replace):
    graph = kind([(0, 1), (1, 2)])
    graph.synchronized()
    replace(graph)
    graph._adj[0][1]["weight"] = 7
    mirror = graph.synchronized()
    edge = mirror.graph.edge_weights([mirror.ids[0]], [mirror.ids[1]])
    assert float(edge[0]) == 7


# ---- dicts of a subclass' own --------------------------------------------------------------------------------------

FACTORIES = ("node_dict_factory", "adjlist_outer_dict_factory", "adjlist_inner_dict_factory", "edge_attr_dict_factory")
HARMLESS = {"node_attr_dict_factory", "graph_attr_dict_factory"}
"""Factories of dicts that no structure stores."""


class Own(dict):
    """A dict of a subclass' own."""


def own_dict(*_):
    return Own()


MADE_BY = {"type": Own, "method": own_dict, "static method": staticmethod(own_dict), "dict": dict}


def changes(graph):
    """Every kind of change, one after another."""
    yield graph.add_edge(1, 2)
    yield graph.add_node("new")
    yield graph.add_edge("new", 0, weight=4)
    yield graph[0]["new" if not graph.is_directed() else 1].update(weight=7)
    yield graph.remove_edge(1, 2)
    yield graph.remove_node("new")
    yield graph.clear()
    yield graph.add_edge("a", "b")


@pytest.mark.parametrize("by", list(MADE_BY))
@pytest.mark.parametrize("chosen", range(1, 16))
def test_results_are_not_stale_with_other_factories(kind, by, chosen):
    own = {name: MADE_BY[by] for place, name in enumerate(FACTORIES) if chosen >> place & 1}
    graph = type("Sub", (kind.func,), own)([(0, 1), (3, 0)], device=kind.keywords["device"])
    assert_in_step(graph)
    for _ in changes(graph):
        assert_in_step(graph)
    assert graph.conversions > 2
    assert_dicts_are_made_by(graph)


def assert_dicts_are_made_by(graph, own=None):
    """Each dict is an instance of its factory, where that is a type."""
    node = next(iter(graph))
    neighbor = next(iter(graph[node]))
    dicts = {
        "node_dict_factory": [graph._node], "node_attr_dict_factory": [graph._node[node]],
        "adjlist_outer_dict_factory": [graph._adj], "adjlist_inner_dict_factory": [graph._adj[node]],
        "edge_attr_dict_factory": [graph._adj[node][neighbor]], "graph_attr_dict_factory": [graph.graph],
    }  # fmt: skip
    if graph.is_directed():
        dicts["adjlist_outer_dict_factory"].append(graph._pred)
        dicts["adjlist_inner_dict_factory"].append(graph._pred[node])
    for name, made in dicts.items():
        factory = getattr(graph, name)
        kind = factory if isinstance(factory, type) else type(factory())
        assert issubclass(kind, dict) and kind() == {} and kind({1: 2}, three=4) == {1: 2, "three": 4}
        assert all(isinstance(x, kind) for x in made)
        assert own is None or (name in own) == any(type(x) is Own for x in made) == all(type(x) is Own for x in made)


@pytest.mark.parametrize("own", [
    set(), {"node_dict_factory"}, {"adjlist_outer_dict_factory"}, {"adjlist_inner_dict_factory"},
    {"edge_attr_dict_factory"}, HARMLESS, {*FACTORIES, *HARMLESS},
])  # fmt: skip
def test_factories_are_types(kind, own):
    graph = type("Sub", (kind.func,), dict.fromkeys(own, Own))([(0, 1)], device="cpu", label="small")
    globals()["Sub"] = type(graph)  # for pickle
    type(graph).__module__, type(graph).__qualname__ = __name__, "Sub"
    for one in (graph, graph.copy(), copy.copy(graph), copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert_dicts_are_made_by(one, own)
        assert_in_step(one)
        one.add_edge(0, 5)
        assert_in_step(one)
        assert (one.conversions == 1) == (own <= HARMLESS)
        one.remove_edge(0, 5)


def test_plain_dicts_are_instances_of_the_factories(kind):
    graph, plain = kind(), PLAIN[kind.func]([(0, 1)])
    graph._adj, graph._node = plain._adj, plain._node
    assert isinstance(graph._node, graph.node_dict_factory)
    assert isinstance(graph._adj, graph.adjlist_outer_dict_factory)
    assert isinstance(graph._adj[0], graph.adjlist_inner_dict_factory)
    assert isinstance(graph._adj[0][1], graph.edge_attr_dict_factory)
    assert not isinstance([], graph.node_dict_factory)


def test_edges_that_share_their_attributes(kind):
    """NetworkX's example of a graph that needs less memory."""
    everyones = {"weight": 1}
    thin = type("ThinGraph", (kind.func,), {"edge_attr_dict_factory": lambda self: everyones})([(0, 1)], device="cpu")
    assert_in_step(thin)
    thin.add_edge(1, 2)
    assert_in_step(thin)
    everyones["weight"] = 5
    assert_in_step(thin)
    assert thin[0][1] is thin[1][2] is everyones


def test_factories_that_make_the_dicts_of_another_graph(kind):
    graph = kind([(0, 1)])
    shared = {"node_dict_factory": lambda self: graph._node, "adjlist_outer_dict_factory": lambda self: graph._adj}
    twin = type("Twin", (kind.func,), shared)(device="cpu")
    assert_in_step(graph)
    assert_in_step(twin)
    for changed in (twin, graph, twin):
        changed.add_edge(len(graph), 0)
        assert_in_step(graph)
        assert_in_step(twin)


def test_a_factory_that_is_set_for_one_graph(kind):
    graph = kind([(0, 1)])
    assert_in_step(graph)
    graph.edge_attr_dict_factory = graph.adjlist_inner_dict_factory = Own
    graph.add_edge(1, 2)
    graph[1][2]["weight"] = 3
    assert_in_step(graph)
    graph[1][2]["weight"] = 4
    graph.add_edge("new", 0)
    graph["new" if graph.is_directed() else 0][0 if graph.is_directed() else "new"]["weight"] = 9
    assert_in_step(graph)


# ---- weights --------------------------------------------------------------------------------------------------------


def test_weights_get_wider(kind):
    graph = kind([(0, 1), (1, 2)])
    graph.remove_node(graph.add_node("gone") or "gone")
    assert graph.structure.weight_dtype is None
    graph[0][1]["weight"] = 5
    assert_in_step(graph)
    assert graph.structure.weight_dtype == np.int64
    graph.add_edge(2, 3, weight=0.25)
    assert_in_step(graph)
    assert graph.structure.weight_dtype == np.float64
    assert graph.conversions == 1


@pytest.mark.parametrize("value", [None, "heavy", Decimal(1), float("nan"), float("inf"), 2**70, 1j])
def test_a_weight_that_is_no_number_is_networkxs_matter(device, value):
    graph = dn.Graph([(0, 1), (1, 2)], device=device)
    graph[0][1]["weight"] = value
    mirror = graph.synchronized()
    assert mirror.unsuitable == {(0, 1)}
    assert nx.number_connected_components(graph) == 1
    graph[0][1]["weight"] = np.float32(2)
    assert not graph.synchronized().unsuitable
    graph.remove_edge(0, 1)
    assert_in_step(graph)
    assert graph.conversions == 1


def test_another_attribute_gets_a_structure_of_its_own(device):
    graph = dn.Graph([(0, 1), (1, 2)], device=device)
    nx.set_edge_attributes(graph, 2, "length")
    assert_in_step(graph)
    assert_in_step(graph, "length")
    graph[0][1]["length"] = 7
    graph[1][2]["weight"] = 3
    assert_in_step(graph)
    assert_in_step(graph, "length")
    assert graph.conversions == 2


# ---- copies ---------------------------------------------------------------------------------------------------------

COPIES = {
    "copy": lambda g: g.copy(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda g: pickle.loads(pickle.dumps(g)),
    "to_directed": lambda g: g.to_directed(),
    "to_undirected": lambda g: g.to_undirected(),
    "subgraph": lambda g: g.subgraph([0, 1, 4]).copy(),
    "class": lambda g: type(g)(g, device=g.structure_options["device"]),
    "reverse": lambda g: g.reverse() if g.is_directed() else g.copy(),
}


@pytest.mark.parametrize("name", list(COPIES))
def test_copies_are_independent(kind, name):
    graph = kind([(0, 1, {"weight": 3}), (1, 2), (4, 4)], label="original")
    graph.nodes[0]["color"] = "red"
    graph.synchronized()
    plain = PLAIN[type(graph)](graph)
    twin, expected = COPIES[name](graph), COPIES[name](plain) if name != "class" else plain
    assert isinstance(twin, (dn.DiGraph if expected.is_directed() else dn.Graph))
    assert (twin.graph, dict(twin.nodes.data()), dict(twin.adj)) == (
        expected.graph, dict(expected.nodes.data()), dict(expected.adj))  # fmt: skip
    assert twin.structure_options == graph.structure_options and twin.conversions == 0
    assert_in_step(twin)
    u, v = next(iter(twin.edges))
    twin[u][v]["weight"] = 9
    twin.add_edge(0, "new")
    assert_in_step(twin)
    assert_in_step(graph)
    assert graph[0][1] == {"weight": 3} and twin.conversions == 1


def test_shallow_copies_share(kind):
    graph = kind([(0, 1)])
    twin = copy.copy(graph)
    twin.add_edge(1, 2)
    assert graph.has_edge(1, 2)
    assert_in_step(graph)
    graph.add_edge(2, 3)
    assert_in_step(twin)
    assert graph.conversions == twin.conversions == 1


def test_views(kind):
    graph = kind([(0, 1), (1, 2), (2, 3), (3, 4)])
    graph.synchronized()
    part = graph.subgraph([0, 1, 4])
    assert part.synchronized().names == [0, 1, 4]
    assert part.synchronized().graph.num_edges == 1
    assert graph.copy(as_view=True).synchronized() is graph.synchronized()
    with pytest.raises(nx.NetworkXError):
        part.add_edge(0, 4)
    graph.remove_node(0)
    assert part.synchronized().names == [1, 4]
    if graph.is_directed():
        mirror = graph.reverse(copy=False).synchronized()
        assert bool(mirror.graph.has_edges([mirror.ids[2]], [mirror.ids[1]])[0])
    assert graph.conversions == 1


def test_threads_ask_at_once(device):
    graph = dn.Graph(nx.path_graph(50), device=device)
    nx.number_connected_components(graph)
    for step in range(3):
        graph.remove_edge(10 * step, 10 * step + 1)
        assert in_threads(4, lambda _: nx.number_connected_components(graph)) == [step + 2] * 4
    assert graph.conversions == 1


# ---- any sequence ---------------------------------------------------------------------------------------------------

NODES = st.one_of(st.integers(0, 7), st.sampled_from(["a", (1, 2), frozenset([3])]))
WEIGHTS = st.one_of(st.integers(-3, 9), st.sampled_from([0.5, 2.25]))
OPERATIONS = st.one_of(
    st.tuples(st.just("add"), NODES, NODES), st.tuples(st.just("weigh"), NODES, NODES, WEIGHTS),
    st.tuples(st.just("remove"), NODES, NODES), st.tuples(st.just("write"), NODES, NODES, WEIGHTS),
    st.tuples(st.just("drop"), NODES, NODES), st.tuples(st.just("node"), NODES), st.tuples(st.just("gone"), NODES),
    st.tuples(st.just("look")),
)  # fmt: skip


def change(graph, operation):
    what, *ends = operation
    if what == "add":
        graph.add_edge(*ends)
    elif what == "weigh":
        graph.add_edge(*ends[:2], weight=ends[2])
    elif what == "remove":
        graph.remove_edges_from([ends])
    elif what == "write" and graph.has_edge(*ends[:2]):
        graph[ends[0]][ends[1]]["weight"] = ends[2]
    elif what == "drop" and graph.has_edge(*ends):
        graph.edges[ends].pop("weight", None)
    elif what == "node":
        graph.add_node(*ends)
    elif what == "gone":
        graph.remove_nodes_from(ends)


@given(st.lists(OPERATIONS, max_size=40))
def test_any_sequence_of_changes(kind, operations):
    graph = kind([(0, 1), (1, 2)])
    plain = PLAIN[type(graph)](graph)
    assert_in_step(graph)
    for operation in [*operations, ("look",)]:
        change(graph, operation)
        change(plain, operation)
        if operation == ("look",):
            assert_in_step(graph)
            assert (dict(graph.adj), list(graph)) == (dict(plain.adj), list(plain))
            components = nx.weakly_connected_components if graph.is_directed() else nx.connected_components
            assert list(components(graph)) == list(components(plain))
            if plain:
                source = next(iter(plain))
                lengths = nx.single_source_shortest_path_length(graph, source)
                assert lengths == nx.single_source_shortest_path_length(plain, source)
            if not graph.is_directed():
                assert nx.triangles(graph) == nx.triangles(plain)
    assert graph.conversions == 1


def test_views_are_told_apart_from_their_graph():
    """A directed view of an undirected graph has the same dicts, and other answers."""
    graph = dn.Graph([(0, 1), (1, 2), (2, 0), (2, 3)], device="cpu", structure="csr")
    view = graph.to_directed(as_view=True)
    assert nx.core_number(view, backend="dynfrontier") == nx.core_number(nx.DiGraph(view))
    part = graph.subgraph([0, 1, 2])
    assert type(part.structure).__name__ == "CSR" and part.structure.device.kind == "cpu"
