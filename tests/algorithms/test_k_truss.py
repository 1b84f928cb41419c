"""k-trusses and truss numbers, as the graph stands and after every batch, and the operator that counts support."""

import importlib
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from graphs import GRAPHS
from verifiers import host, listed_edges, truss_numbers_of, verify_k_truss, verify_truss_numbers

import frontier as fr
from algorithms import DynamicKTruss, k_truss, truss_numbers
from frontier.core.registry import csr_structure

# By their modules' names. The first module is hidden by its function.
module = importlib.import_module("algorithms.k_truss")
dynamic_module = importlib.import_module("algorithms.dynamic_k_truss")


def clique(vertices):
    """The edges of the complete graph over these vertices."""
    i, j = np.triu_indices(len(vertices), 1)
    return np.asarray(vertices)[i], np.asarray(vertices)[j]


def strip(length):
    """A strip of triangles: each vertex is joined to the next two."""
    i = np.arange(length)
    return np.concatenate([i, i]), np.concatenate([i + 1, i + 2]), length + 2


# ---- the operator ---------------------------------------------------------------------------------------------------


def goes_up(src, dst, edge, weight, rank):
    return rank[src] < rank[dst]


def goes_down(src, dst, edge, weight, rank):
    return rank[src] > rank[dst]


@pytest.mark.parametrize("vertex_dtype", ["int32", "int64"])
def test_edge_support_counts_common_neighbors(edges, device, rng, vertex_dtype):
    src, dst, n = edges
    graph = csr_structure().from_edges(src, dst, num_vertices=n, device=device, vertex_dtype=vertex_dtype)
    for order in (np.arange(n), rng.permutation(n)):  # the list of a hub that comes first is cut into several parts
        rank = graph.xp.asarray(order)
        up, down = fr.extract_subgraph(graph, goes_up, rank), fr.extract_subgraph(graph, goes_down, rank)
        support = fr.advanced.edge_support(up, down)
        assert support.dtype == np.int32 and (host(support) == host(fr.advanced.edge_support(up))).all()
        ends = up.to_coo()[:2]
        assert (host(support) == host(fr.intersect(graph, *ends))).all()


def test_edge_support_names_what_is_wrong(structure, device):
    graph = structure.from_edges([0, 1, 2], [1, 2, 0], device=device)
    ranks = graph.xp.arange(3)
    up, down = fr.extract_subgraph(graph, goes_up, ranks), fr.extract_subgraph(graph, goes_down, ranks)
    if not isinstance(graph, csr_structure()):
        with pytest.raises(TypeError, match="up must be a static copy"):
            fr.advanced.edge_support(graph, down)
        with pytest.raises(TypeError, match="down must be a static copy"):
            fr.advanced.edge_support(up, graph)
    with pytest.raises(ValueError, match="same edges"):
        fr.advanced.edge_support(up, fr.extract_subgraph(graph, goes_down, graph.xp.zeros(3, np.int64)))


# ---- as the graph stands --------------------------------------------------------------------------------------------


def test_k_truss(graph, edges):
    known = nx.Graph((u, v) for u, v in zip(edges[0].tolist(), edges[1].tolist(), strict=True) if u != v)
    for k in (2, 3, 4, 6, 40, 41):
        result = k_truss(graph, k)
        verify_k_truss(graph, result)
        assert listed_edges(result) == sorted((min(e), max(e)) for e in nx.k_truss(known, k).edges)
        assert result.src.dtype == result.dst.dtype == graph.vertex_dtype


def test_truss_numbers(graph):
    result = truss_numbers(graph)
    verify_truss_numbers(graph, result)
    assert result.truss.dtype == np.int32


@pytest.mark.parametrize("steps", [0, 10**9], ids=["followed", "recounted"])
def test_both_ways_to_go_on_agree(structure, device, monkeypatch, steps):
    monkeypatch.setattr(module, "LOOKUP_STEPS", steps)
    edges = fr.io.rmat(8, 24, seed=4)
    graph = structure.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device=device)
    for k in (3, 5, 9, 14):
        verify_k_truss(graph, k_truss(graph, k))


def test_a_strip_unravels_from_its_ends(structure, device):
    src, dst, n = strip(120)
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    assert k_truss(graph, 3).num_edges == graph.num_edges - 1  # the last edge is in no triangle
    assert k_truss(graph, 4).num_edges == k_truss(graph, 10**12).num_edges == 0
    verify_truss_numbers(graph, truss_numbers(graph))


def test_triangles_whose_edges_leave_together(structure, device):
    # Two cliques that share an edge, with a bridge of triangles between them.
    parts = zip(clique(range(6)), clique(range(4, 10)), ([3, 3], [6, 7]), strict=True)
    src, dst = (np.concatenate(part) for part in parts)
    graph = structure.from_edges(src, dst, device=device)
    for k in range(2, 9):
        verify_k_truss(graph, k_truss(graph, k))
    verify_truss_numbers(graph, truss_numbers(graph))


def test_deleted_and_isolated_vertices(structure, device, rng):
    src, dst = rng.integers(0, 50, (2, 600))
    graph = structure.from_edges(src, dst, num_vertices=70, device=device)
    graph.delete_vertices([0, 7, 49, 60])
    for k in (3, 7, 9):
        verify_k_truss(graph, k_truss(graph, k))
    verify_truss_numbers(graph, truss_numbers(graph))


def test_no_vertices(structure, device):
    graph = structure(0, device=device)
    assert k_truss(graph, 4).num_edges == 0
    assert truss_numbers(graph).truss.size == 0
    assert DynamicKTruss(graph, 4).num_edges == 0


@pytest.mark.slow
def test_wide_ids(device, rng):  # of one structure: on the CPU every operator is compiled for them once more
    src, dst = rng.integers(0, 40, (2, 400))
    graph = csr_structure().from_edges(src, dst, num_vertices=40, device=device, vertex_dtype="int64")
    result = k_truss(graph, 6)
    verify_k_truss(graph, result)
    assert result.src.dtype == result.to_graph().vertex_dtype == np.int64
    verify_truss_numbers(graph, truss_numbers(graph))
    kept = DynamicKTruss(graph, 6)
    graph.delete_edges(src[:60], dst[:60])
    verify_k_truss(graph, kept)


def test_the_truss_as_a_graph_and_as_a_table(structure, device):
    src, dst = clique([1, 3, 4, 6])
    graph = structure.from_edges([*src, 0], [*dst, 1], num_vertices=9, device=device)
    result = k_truss(graph, 4)
    for kind in (None, "csr", structure):
        made = result.to_graph(kind)
        assert isinstance(made, fr.structures()["csr"] if kind == "csr" else structure)
        assert (made.num_vertices, made.num_edges, made.device) == (9, 6, graph.device)
        assert host(made.has_edges(result.src, result.dst)).all()
    assert list(result.to_dataframe().columns) == ["src", "dst"] and len(result.to_dataframe()) == 6
    table = truss_numbers(graph).to_dataframe()
    assert list(table.columns) == ["src", "dst", "truss"] and len(table) == 7


def test_directed_graphs_are_refused(structure, device):
    graph = structure.from_edges([0, 1], [1, 2], directed=True, device=device)
    for act in (lambda: k_truss(graph, 3), lambda: truss_numbers(graph), lambda: DynamicKTruss(graph, 3)):
        with pytest.raises(ValueError, match="undirected"):
            act()


@pytest.mark.parametrize("k, error", [(1, ValueError), (-3, ValueError), (2.5, TypeError), (True, TypeError)])
def test_a_bad_k_is_named(structure, device, k, error):
    graph = structure.from_edges([0, 1], [1, 2], device=device)
    for act in (k_truss, DynamicKTruss):
        with pytest.raises(error, match="k must be"):
            act(graph, k)


def test_wrong_trusses_fail_their_verifiers():
    src, dst, n = GRAPHS["rmat"]
    graph = csr_structure().from_edges(src, dst, num_vertices=n, device="cpu")
    right = k_truss(graph, 4)
    unordered = np.r_[1, 0, 2 : right.num_edges]
    for wrong in (
        replace(right, src=right.src[1:], dst=right.dst[1:]),
        replace(right, src=right.dst, dst=right.src),
        replace(right, src=right.src[unordered], dst=right.dst[unordered]),
        replace(right, k=5),
    ):
        with pytest.raises(AssertionError):
            verify_k_truss(graph, wrong)
    numbers = truss_numbers(graph)
    truss = numbers.truss.copy()
    truss[-1] += 1
    for wrong in (
        replace(numbers, truss=truss),
        replace(numbers, src=numbers.src[:-1], dst=numbers.dst[:-1], truss=numbers.truss[:-1]),
    ):
        with pytest.raises(AssertionError):
            verify_truss_numbers(graph, wrong)


# ---- after every batch ----------------------------------------------------------------------------------------------


@pytest.fixture
def never_recomputed(monkeypatch):
    """Fails where the truss is recomputed from scratch after an observer was made."""

    def forbid():
        def find_anew(self):
            raise AssertionError("the truss was recomputed from scratch")

        monkeypatch.setattr(DynamicKTruss, "_recompute", find_anew)

    return forbid


@pytest.mark.parametrize("k", [2, 3, 5, 8])
def test_keeps_up_with_mixed_batches(structure, device, rng, k):
    graph = structure(60, device=device)
    kept = DynamicKTruss(graph, k)
    for step in range(14):
        src, dst = rng.integers(0, 60, (2, (500, 30, 4, 150)[step % 4]))
        (graph.delete_edges if step % 3 == 2 else graph.insert_edges)(src, dst)
        verify_k_truss(graph, kept)


@pytest.mark.parametrize("above", [0, 10**9], ids=["recomputed", "candidates"])
def test_both_ways_to_take_edges_in_agree(structure, device, rng, monkeypatch, above):
    monkeypatch.setattr(dynamic_module, "RECOMPUTE_ABOVE", above)
    monkeypatch.setattr(dynamic_module, "SMALL_SIDES", 0)
    edges = fr.io.rmat(8, 24, seed=4)
    graph = structure.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device=device)
    kept = DynamicKTruss(graph, 9)
    src, dst, _ = (None if a is None else host(a) for a in graph.to_coo())
    numbers = np.array(list(truss_numbers_of(graph).values()))
    assert numbers.max() > 9 > numbers.min()
    sizes = set()
    for _ in range(6):
        chosen = rng.permutation(src.size)[:40]
        graph.delete_edges(src[chosen], dst[chosen])
        verify_k_truss(graph, kept)
        sizes.add(kept.num_edges)
        graph.insert_edges(src[chosen[:30]], dst[chosen[:30]])
        verify_k_truss(graph, kept)
        sizes.add(kept.num_edges)
    assert len(sizes) > 8


def test_one_edge_makes_and_breaks_a_truss(structure, device, never_recomputed):
    src, dst = clique(range(8))
    around = np.arange(8, 400)
    graph = structure.from_edges(
        np.concatenate([src[1:], around]), np.concatenate([dst[1:], around + 1]), num_vertices=401, device=device
    )
    kept = DynamicKTruss(graph, 8)
    never_recomputed()
    assert kept.num_edges == 0
    for _ in range(3):
        graph.insert_edges(dst[:1], src[:1])
        verify_k_truss(graph, kept)
        assert kept.num_edges == 28
        graph.delete_edges(dst[9:10], src[9:10])
        assert kept.num_edges == 0
        graph.insert_edges(dst[9:10], src[9:10])
        assert kept.num_edges == 28
        graph.delete_edges(src[:1], dst[:1])
        verify_k_truss(graph, kept)


def test_candidates_of_many_rounds(structure, device, monkeypatch):
    """All of a long strip is tried, a few edges in each round: recomputing is cheaper."""
    src, dst, n = strip(3000)
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    kept, rounds, sides = DynamicKTruss(graph, 4), [], DynamicKTruss._sides
    monkeypatch.setattr(DynamicKTruss, "_sides", lambda *args: rounds.append(1) or sides(*args))
    graph.insert_edges([0, 10, 10], [3, 13, 14])
    verify_k_truss(graph, kept)
    assert 0 < len(rounds) < 50


def test_candidates_that_are_not_held_leave_again(structure, device, never_recomputed, monkeypatch):
    monkeypatch.setattr(dynamic_module, "SMALL_SIDES", 2**20)
    src, dst, n = strip(40)  # none of the strip with one more edge is in the truss, but all of it is tried
    path = np.arange(n, n + 600)
    graph = structure.from_edges(np.concatenate([src, path]), np.concatenate([dst, path + 1]), device=device)
    kept = DynamicKTruss(graph, 4)
    never_recomputed()
    graph.insert_edges([0, 10, 10], [3, 13, 14])
    verify_k_truss(graph, kept)
    graph.insert_edges([11], [14])  # now 10..14 form a truss
    verify_k_truss(graph, kept)
    assert kept.num_edges


def test_keeps_up_with_all_kinds_of_updates(structure, device, rng):
    graph = structure(40, device=device, weight_dtype="int32")
    kept = DynamicKTruss(graph, 5)
    for step in range(9):
        src, dst = rng.integers(0, graph.num_vertices, (2, 150))
        if graph.store.absent is not None:
            there = host(graph.has_vertices(src)) & host(graph.has_vertices(dst))
            src, dst = src[there], dst[there]
        weights = rng.integers(-2, 4, src.size, dtype=np.int32)
        graph.insert_edges(src, dst, weights, on_existing=("replace", "keep", "add")[step % 3])
        verify_k_truss(graph, kept)
        if step == 3:
            graph.delete_vertices(rng.permutation(40)[:5])
            verify_k_truss(graph, kept)
        if step == 5:
            graph.insert_vertices(9)
            verify_k_truss(graph, kept)


def test_failed_updates_leave_it_alone(structure, device):
    src, dst, n = GRAPHS["clique"]
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    kept = DynamicKTruss(graph, 40)
    for update in (graph.insert_edges, graph.delete_edges):
        with pytest.raises(ValueError, match="src"):
            update([0, n], [1, 2])
        assert kept.num_edges == 780
    graph.insert_edges(src[:5], dst[:5])  # nothing new
    graph.delete_edges([40], [0])  # nothing there
    verify_k_truss(graph, kept)


def test_a_closed_one_keeps_up_no_more(structure, device):
    graph = structure(4, device=device)
    kept = DynamicKTruss(graph, 3)
    kept.close()
    graph.insert_edges([0, 1, 2], [1, 2, 0])
    assert kept.num_edges == 0
