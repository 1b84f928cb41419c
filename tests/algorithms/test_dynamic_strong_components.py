"""Strongly connected components that are maintained incrementally, and all of their state, after any batches."""

import numpy as np
import pytest
from model import random_change
from verifiers import VERIFIERS, host

import frontier as fr
from algorithms import DynamicConnectedComponents, DynamicStronglyConnectedComponents
from algorithms._trials import Trials
from algorithms.dynamic_strongly_connected_components import OUTSIDE
from frontier.distributed import DistributedGraph, ThreadEngine

MODULE = "algorithms.dynamic_strongly_connected_components"
IN_EDGES = {"directed": True, "in_edges": True}


@pytest.fixture
def structure():
    """One: tests do not depend on the structure."""
    return fr.structures()["slab"]


@pytest.fixture
def always_repairs(monkeypatch):
    """Small graphs are repaired like large ones."""
    monkeypatch.setattr(f"{MODULE}.SMALL_GRAPH", {"cpu": 0, "gpu": 0})
    monkeypatch.setattr(f"{MODULE}.MOST_EDGES", 9)


class Counted:
    """The outcomes of repairs, and the numbers of vertices that were searched again."""

    def __init__(self, monkeypatch):
        self.repaired, self.searched = [], []
        self._note(monkeypatch, "_repair", lambda found, *args: self.repaired.append(found))
        self._note(monkeypatch, "_search_again", lambda found, made, ids, *args: self.searched.append(int(ids.size)))

    def _note(self, monkeypatch, name, note):
        method = getattr(DynamicStronglyConnectedComponents, name)

        def noting(*args, **options):
            found = method(*args, **options)
            note(found, *args)
            return found

        monkeypatch.setattr(DynamicStronglyConnectedComponents, name, noting)

    def clear(self):
        self.repaired.clear()
        self.searched.clear()


def check(components):
    """Compare the labels with a recomputation, and check the order and the trees."""
    VERIFIERS["strongly_connected_components"](components.graph, components)
    if components._torn or not components._ordered:
        return
    graph, labels = components.graph, np.array(host(components.labels))
    rank, width = host(components._rank), host(components._width)
    src, dst = (host(ends) for ends in graph.to_coo()[:2])
    leads = labels[src] != labels[dst]
    assert (rank[labels[src[leads]]] < rank[labels[dst[leads]]]).all()
    known = np.unique(labels[labels >= 0])
    known = known[rank[known].argsort()]
    assert (width[known] > 0).all() and (rank[known][:-1] + width[known][:-1] <= rank[known][1:]).all()
    assert not host(components._mark).any() and (host(components._local) == -1).all()
    inside = labels == labels[components._hub]
    for tree in components._trees if components._grown else ():
        level, parent = host(tree.arrays.level), host(tree.arrays.parent)
        members = np.setdiff1d(np.flatnonzero(inside), components._hub)
        above = parent[members]
        assert ((level != OUTSIDE) == inside).all() and (level[above] < level[members]).all() and inside[above].all()
        ends = (above, members) if tree.toward == "in" else (members, above)
        assert host(graph.has_edges(*ends)).all() and level[members].max(initial=0) <= tree.height


@pytest.mark.slow
def test_random_batches(structure, device, rng, tries, monkeypatch, always_repairs):
    """Batches of all sizes, between vertices that go and return, with limits that few or many repairs exceed."""
    counted = Counted(monkeypatch)
    for _ in range(tries(12 if device == "cpu" else 3, 300)):
        for name, values in {"SMALL": (9, 1024), "FEW": (2, 256), "ROUNDS": (0, 1, 4), "MORE": (2,)}.items():
            monkeypatch.setattr(f"{MODULE}.{name}", int(rng.choice(values)))
        n = int(rng.integers(1, 40))
        pairs = rng.integers(0, n, (2, int(n * rng.uniform(0, 3))))
        graph = structure.from_edges(*pairs, num_vertices=n, device=device, **IN_EDGES)
        components = DynamicStronglyConnectedComponents(graph)
        for _ in range(25):
            components._trials = Trials()
            random_change(graph, rng)
            if rng.random() < 0.6:
                check(components)
        check(components)
    assert any(counted.repaired) and not all(counted.repaired)


@pytest.mark.slow
def test_batches_that_change_little(structure, device, monkeypatch, always_repairs):
    """Arcs within a component and along the order cost no search. Others search the vertices between their ends."""
    ring, path = np.arange(50), np.arange(50, 100)
    src, dst = np.r_[ring, ring, 49, path[:-1]], np.r_[np.roll(ring, -1), np.roll(ring, 1), path]
    graph = structure.from_edges(src, dst, num_vertices=103, device=device, **IN_EDGES)
    components, counted = DynamicStronglyConnectedComponents(graph), Counted(monkeypatch)
    graph.insert_edges([3, 3, 60], [9, 70, 62])
    check(components)
    graph.delete_edges([60, 3], [62, 70])
    check(components)
    assert components.count == 54 and counted.repaired == [True, True] and not counted.searched
    graph.delete_edges([3], [4])  # the way round is left
    check(components)
    assert not counted.searched
    graph.insert_edges([52], [7])
    check(components)
    assert components.count == 51 and counted.searched == [3]
    counted.clear()
    graph.insert_edges([101, 100, 99], [50, 101, 100])
    check(components)
    assert components.count == 2 and counted.repaired == [True]
    counted.clear()
    graph.delete_edges([70], [71])
    check(components)
    assert components.count == 51 and counted.repaired == [True] and counted.searched == [49]
    graph.delete_vertices([0])  # the label
    check(components)
    assert int(components.labels[7]) == 1 and all(counted.repaired)


@pytest.mark.slow
def test_special_graphs(structure, device, always_repairs):
    """Without vertices, with one, loops that are dropped, a star, vertices that go, and arcs that are repeated."""
    empty, one, star = (structure(n, device=device, **IN_EDGES) for n in (0, 1, 40))
    made = [DynamicStronglyConnectedComponents(graph) for graph in (empty, one, star)]
    empty.insert_vertices(2)
    one.insert_edges([0], [0])
    for turn in range(3):
        empty.insert_edges([0, 0], [1, 1])
        star.insert_edges([0] * 39, range(1, 40))
        for components in made:
            check(components)
        empty.insert_edges([1], [0])
        star.insert_edges(range(1, 40, 2), [0] * 20)
        for components in made:
            check(components)
        assert [components.count for components in made] == [1, 1, 20]
        star.delete_vertices([0, 1 + turn])
        check(made[2])
        star.insert_vertices([1 + turn, 0])
        empty.delete_edges([0], [1])
    one.delete_vertices([0])
    assert made[1].count == 0
    one.insert_vertices(3)
    check(made[1])


@pytest.mark.slow
def test_cycles_cut_and_closed(structure, device, always_repairs):
    """A cycle of small components, one of which may be as large as the others, and a path that grows from its end."""
    triangles = np.arange(60).reshape(20, 3)
    src, dst = np.r_[triangles.ravel(), triangles[:, 2]], np.r_[np.roll(triangles, -1, 1).ravel(), triangles[:, 0]]
    dst[60:] = np.roll(dst[60:], -1)
    graph = structure.from_edges(src, dst, num_vertices=60, device=device, **IN_EDGES)
    components = DynamicStronglyConnectedComponents(graph)
    for at in (60, 71, 65, 79):
        graph.delete_edges(src[at : at + 1], dst[at : at + 1])
        check(components)
        assert components.count == 20
        graph.insert_edges(src[at : at + 1], dst[at : at + 1])
        check(components)
        assert components.count == 1
    graph = structure(80, device=device, **IN_EDGES)
    components = DynamicStronglyConnectedComponents(graph)
    for v in range(79, 0, -1):
        graph.insert_edges([v - 1], [v])
        check(components)
    graph.insert_edges([79], [0])
    check(components)
    assert components.count == 1


@pytest.mark.slow
def test_repairs_that_fail_are_skipped(structure, device, monkeypatch, always_repairs):
    """A cycle is cut and closed again and again, which changes all components. A CPU tries small batches regardless."""
    monkeypatch.setattr(f"{MODULE}.SMALL", 16)
    ring = np.arange(200)
    graph = structure.from_edges(ring, np.roll(ring, -1), num_vertices=260, device=device, **IN_EDGES)
    components, counted = DynamicStronglyConnectedComponents(graph), Counted(monkeypatch)
    for turn in range(20):
        some = [turn, turn + 50, turn + 100]
        for update in (graph.delete_edges, graph.insert_edges):
            update(some, np.add(some, 1))
            check(components)
    assert not any(counted.repaired) and 2 <= len(counted.repaired) <= 6
    counted.clear()
    graph.insert_edges([220, 221], [221, 220])
    check(components)
    tried = [True] if device == "cpu" else []  # where the order is known only after the recomputation
    assert counted.repaired == tried and counted.searched == [1] * len(tried)
    monkeypatch.setattr(f"{MODULE}.MOST_EDGES", 0)
    graph.insert_edges(np.full(20, 7), np.arange(200, 220))
    check(components)
    assert counted.repaired == tried


@pytest.mark.slow
def test_repeated_arcs(structure, always_repairs):
    """An arc of which one record is left is still there."""
    graph = structure(3, device="cpu", weight_dtype="float32", multi_edges="all", **IN_EDGES)
    components = DynamicStronglyConnectedComponents(graph)
    graph.insert_edges([0, 1, 1, 2], [1, 0, 0, 0])
    check(components)
    graph.delete_records(graph.records([1], [0])[1][:1])
    check(components)
    assert components.count == 2
    graph.delete_edges([1], [0])
    check(components)
    assert components.count == 3


@pytest.mark.slow
def test_without_in_edges(structure, device, rng):
    """The components are recomputed after batches that may change them, and only then."""
    graph = structure.from_edges([0, 1, 2, 2], [1, 2, 0, 3], num_vertices=5, directed=True, device=device)
    components = DynamicStronglyConnectedComponents(graph)
    labels = components._labels
    graph.insert_edges([1, 0], [0, 3])
    check(components)
    assert components._labels is labels
    for src, dst in rng.integers(0, 5, (20, 2, 3)):
        graph.insert_edges(src, dst)
        check(components)
        graph.delete_edges(dst, src)
        check(components)


def test_graphs_in_parts():
    with ThreadEngine(2, "cpu") as engine:
        graph = DistributedGraph(fr.structures()["slab"], 3, directed=True, engine=engine)
        with pytest.raises(
            NotImplementedError, match="DynamicStronglyConnectedComponents is not available for distributed graphs"
        ):
            DynamicStronglyConnectedComponents(graph)


def test_undirected_graphs(structure):
    """Their strongly connected components are their connected components."""
    graph = structure.from_edges([0, 1], [1, 2], num_vertices=4, device="cpu")
    components = DynamicStronglyConnectedComponents(graph)
    assert type(components) is DynamicConnectedComponents
    graph.insert_edges([2], [3])
    assert components.count == 1
