"""Louvain's method, Leiden's and ensemble clustering, against NetworkX and igraph. On one structure."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
import pytest
from gallery_cases import CSR, build, check, networkx_graph
from verifiers import VERIFIERS, host

import algorithms
from algorithms.connected_components import connected_sets
from algorithms.ecg import two_core


def test_louvain_is_as_good_as_networkx(device):
    graph = build("rmat", device)
    theirs = networkx_graph(graph)
    expected = nx.community.modularity(theirs, nx.community.louvain_communities(theirs, seed=1))
    assert check("louvain", graph).modularity > expected - 0.02
    assert algorithms.louvain(graph, resolution=4).count > algorithms.louvain(graph, resolution=0.25).count
    assert algorithms.louvain(graph, max_level=1).levels == 1


def louvain_shapes():
    """Names and graphs: small ones, in which a single wrong move shows, and larger ones, two of them with weights."""
    for tail in (5, 12, 20):
        yield f"triangle-path-{tail}", nx.lollipop_graph(3, tail)
    yield "path", nx.path_graph(100)
    yield "cycle", nx.cycle_graph(30)
    yield "karate", nx.Graph(nx.karate_club_graph().edges)
    yield "caveman", nx.connected_caveman_graph(10, 6)
    yield "ring-of-cliques", nx.ring_of_cliques(30, 5)
    yield "barbell", nx.barbell_graph(8, 5)
    yield "wheel", nx.wheel_graph(20)
    yield "grid", nx.grid_2d_graph(15, 15)
    yield "tree", nx.random_labeled_tree(300, seed=2)
    yield "random", nx.gnp_random_graph(200, 0.04, seed=1)
    yield "scale-free", nx.powerlaw_cluster_graph(600, 4, 0.5, seed=1)
    yield "weighted", nx.les_miserables_graph()
    blocks = nx.planted_partition_graph(8, 25, 0.3, 0.05, seed=2)
    for u, v in blocks.edges:
        blocks[u][v]["weight"] = 1 + (u * v) % 4 + 5 * (u // 25 == v // 25)
    yield "weighted-blocks", blocks


every_louvain_shape = pytest.mark.parametrize(
    "shape", [shape for _, shape in louvain_shapes()], ids=[name for name, _ in louvain_shapes()]
)


@pytest.mark.slow
@every_louvain_shape
def test_leiden_reaches_the_modularity_of_louvain(shape, device):
    """The mean over seeds. Every community is connected."""
    shape = nx.convert_node_labels_to_integers(shape)
    weights = np.array([weight for *_, weight in shape.edges(data="weight", default=1.0)])
    graph = CSR.from_edges(*np.array(shape.edges).T, weights, device=device)
    found = np.mean([check("leiden", graph, seed=seed).modularity for seed in range(12)])
    expected = np.mean([algorithms.louvain(graph, seed=seed).modularity for seed in range(12)])
    assert found >= 0.99 * expected


@pytest.mark.parametrize("resolution", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("theta", [0.0, 0.01, 10.0])
def test_leiden_with_other_parameters(resolution, theta, device):
    """Every community is connected, even if parts are drawn almost at random."""
    graph = build("rmat", device)
    found = algorithms.leiden(graph, resolution=resolution, theta=theta)
    VERIFIERS["leiden"](graph, found, resolution=resolution)
    again = algorithms.leiden(graph, resolution=resolution, theta=theta)
    assert (host(found.labels) == host(again.labels)).all()
    one = algorithms.leiden(graph, resolution=resolution, theta=theta, max_level=1)
    VERIFIERS["leiden"](graph, one, resolution=resolution)
    assert one.levels == 1 and found.levels > 1


def test_arguments_of_leiden():
    graph = build("path")
    for name, value in (("resolution", -1), ("theta", -1), ("theta", np.inf), ("resolution", np.nan)):
        with pytest.raises(ValueError, match=f"{name} must be finite and not negative"):
            algorithms.leiden(graph, **{name: value})
    with pytest.raises(ValueError, match="max_level"):
        algorithms.leiden(graph, max_level=0)
    with pytest.raises(ValueError, match="leiden needs weights that are finite"):
        algorithms.leiden(CSR.from_edges([0], [1], [np.inf], device="cpu"))
    with pytest.raises(ValueError, match="leiden needs weights that are not negative"):
        algorithms.leiden(CSR.from_edges([0], [1], [-1.0], device="cpu"))


def test_ecg_finds_planted_communities(device):
    """It is closer than Louvain's method to blocks that are hard to see, by pairs of vertices."""
    theirs = nx.planted_partition_graph(12, 20, 0.4, 0.06, seed=3)
    graph, block = CSR.from_edges(*np.array(theirs.edges).T, device=device), np.arange(240) // 20
    same = block[:, None] == block

    def agreement(labels):
        labels = host(labels)
        found = labels[:, None] == labels
        return (found & same).sum() / (found | same).sum()

    ours = np.mean([agreement(check("ecg", graph, seed=seed).labels) for seed in range(6)])
    expected = np.mean([agreement(algorithms.louvain(graph, seed=seed).labels) for seed in range(6)])
    assert ours > expected and ours > 0.8


def test_edges_outside_of_the_two_core(device):
    """Without a core, and with one run in which every edge has the lowest weight, communities equal Louvain's."""
    graph = CSR.from_edges(range(40), range(1, 41), device=device)
    found = algorithms.ecg(graph, min_weight=1, ensemble_size=1)
    assert (host(found.labels) == host(algorithms.louvain(graph).labels)).all()
    core = two_core(CSR.from_edges([0, 1, 2, 2, 3, 5], [1, 2, 0, 3, 4, 6], num_vertices=8, device=device))
    assert host(core).tolist() == [True] * 3 + [False] * 5
    for name, value in (("min_weight", -0.1), ("min_weight", 2), ("ensemble_size", 0), ("threshold", -1)):
        with pytest.raises(ValueError, match=name):
            algorithms.ecg(graph, **{name: value})


def test_connected_components_of_sets(device):
    """Along a path with an edge of weight 0, and in sets that are not connected."""
    graph = CSR.from_edges(range(7), range(1, 8), [1, 1, 1, 0, 1, 1, 1], device=device)
    sets = graph.xp.asarray(np.array([3, 3, 5, 3, 3, 3, 1, 1], graph.vertex_dtype))
    assert host(connected_sets(graph, sets)).tolist() == [0, 0, 2, 3, 4, 4, 6, 6]


@pytest.mark.slow
@every_louvain_shape
def test_louvain_reaches_the_modularity_of_igraph(shape, device):
    """The mean over seeds."""
    igraph = pytest.importorskip("igraph")
    random.seed(1)
    shape = nx.convert_node_labels_to_integers(shape)
    edges = np.array(shape.edges)
    weights = np.array([weight for *_, weight in shape.edges(data="weight", default=1.0)])
    graph = CSR.from_edges(*edges.T, weights, device=device)
    found = np.mean([algorithms.louvain(graph, seed=seed).modularity for seed in range(12)])
    peer = igraph.Graph(edges=edges, edge_attrs={"weight": weights})
    expected = np.mean([peer.community_multilevel("weight").modularity for _ in range(20)])
    assert found >= 0.995 * expected


@pytest.mark.parametrize("shape", ["clique", "star", "bipartite"])
def test_louvain_is_no_worse_than_one_community(shape, device):
    """Simultaneous moves may leave a negative modularity."""
    src, dst = np.nonzero(np.ones((6, 9)))
    graph = CSR.from_edges(src, dst + 6, device=device) if shape == "bipartite" else build(shape, device)
    for seed in range(8):
        check("louvain", graph, seed=seed)


@pytest.mark.slow
def test_louvain_finds_what_weights_say(device):
    """Two halves of a clique, joined by heavier edges."""
    src, dst = np.triu_indices(20, 1)
    weights = np.where(src // 10 == dst // 10, 10, 1).astype(np.float32)
    graph = CSR.from_edges(src, dst, weights, device=device)
    assert host(check("louvain", graph).labels).tolist() == [0] * 10 + [10] * 10
    for name in ("resolution", "threshold"):
        with pytest.raises(ValueError, match=f"{name} must be finite and not negative"):
            algorithms.louvain(graph, **{name: -1})
    graph = CSR.from_edges([0], [1], [np.inf], device=device)
    with pytest.raises(ValueError, match="louvain needs weights that are finite"):
        algorithms.louvain(graph)
