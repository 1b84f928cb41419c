"""An advance uses the plan that an earlier one has prepared if, and only if, it has the same meaning."""

import gc
import sys
import weakref

import advance_cases
import numpy as np
import pytest
from advance_cases import *  # noqa: F403
from advance_cases import N, always, few, in_general, levels_of, next_of, reached_from, ring, visit
from concurrency import in_threads
from verifiers import host

import frontier as fr
from frontier.operators.dispatch import plans
from structures import CSR, SlabGraph

# ---- the plan that is found -----------------------------------------------------------------------------------------


def test_it_is_used_as_long_as_all_is_the_same(device, monkeypatch, taken):
    graph = ring(device)
    out = graph.xp.zeros(N, np.int64)
    for _ in range(5):
        fr.advance(graph, few(graph, [7]), next_of, out)
    assert len(taken) == 4
    monkeypatch.setattr(advance_cases, "STEP", 4)
    for _ in range(3):
        fr.advance(graph, few(graph, [7]), next_of, out)
        assert int(out[8]) == 28
    assert len(taken) == 6
    monkeypatch.undo()


@pytest.mark.slow
def test_functors_of_one_name(device, taken):
    """One after another, and one whose code, defaults or free variable change."""
    graph = ring(device)

    def make(answer, default=True):
        def functor(src, dst, edge, weight):
            return answer and bool(src >= 0)

        return functor, lambda value: functor.__closure__[0].__setattr__("cell_contents", value)

    functors = [make(True), make(False), make(True)]
    for _ in range(3):
        for (functor, _), expected in zip(functors, ([8], [], [8]), strict=True):
            for _ in range(2):
                assert reached_from(graph, 7, functor) == expected
    assert len(taken) >= 15
    functor, change = functors[0]
    for answer in (False, True, True, False, False):
        change(answer)
        for _ in range(2):
            assert reached_from(graph, 7, functor) == [8] * answer
    other = functors[1][0]
    functor.__code__, other.__code__ = always_or_never(True).__code__, always_or_never(False).__code__
    for _ in range(3):
        change(True)
        assert reached_from(graph, 7, functor) == [8] and reached_from(graph, 7, other) == []


def always_or_never(always):
    answer = True
    if always:
        return lambda src, dst, edge, weight: answer
    return lambda src, dst, edge, weight: not answer and dst < 0


def test_conditions_that_are_there_or_not(device, taken):
    graph = ring(device)
    never = lambda dst: dst < 0  # noqa: E731
    for _ in range(3):
        assert reached_from(graph, 7) == [8]
        assert reached_from(graph, 7, condition=never) == []
        assert reached_from(graph, 7, prepare=lambda src: None) == [8]
        assert reached_from(graph, 7, unique=False) == [8]
    assert len(taken) >= 8


@pytest.mark.slow
def test_graphs_in_turn(device, rng, monkeypatch, taken):
    """Other structures, types of vertices and weights, and a graph and its reverse, which share cached advances."""
    src, dst = rng.integers(0, N, (2, 4000))
    weights = rng.integers(1, 9, 4000).astype(np.float32)
    options = dict(num_vertices=N, device=device, directed=True)
    graphs = [
        SlabGraph.from_edges(dst, src, vertex_dtype="int64", **options),
        CSR.from_edges(src, dst, **options), SlabGraph.from_edges(src, dst, **options),
        SlabGraph.from_edges(src, dst, weights, **options), SlabGraph.from_edges(src, dst, in_edges=True, **options),
    ]  # fmt: skip
    graphs.append(graphs[-1].reverse)
    sources = [int(src[0]), int(dst[0])]
    expected = in_general(monkeypatch, lambda: [levels_of(graph, v) for graph in graphs for v in sources])
    for _ in range(2):
        assert [levels_of(graph, v) for graph in graphs for v in sources] == expected
    frontiers, levels = [], []
    for graph in graphs:
        levels.append(graph.xp.full(N, -1, np.int32))
        levels[-1][sources[0]] = 0
        frontiers.append(few(graph, [sources[0]]))
    taken.clear()
    for number in range(1, 6):  # one level of each in turn
        for i, graph in enumerate(graphs):
            if frontiers[i]:
                frontiers[i] = fr.advance(graph, frontiers[i], visit, levels[i], np.int32(number))
                found, _ = expected[2 * i]
                assert (sorted(frontiers[i]), frontiers[i].num_arcs) == found[number - 1]
    assert len(taken) > 10


@pytest.mark.slow
def test_vertices_that_are_new(device, taken):
    """They have no marks, and a pull is worth it from other bounds."""
    graph = ring(device, 300)
    for turn in range(3):
        for _ in range(3):
            n = graph.num_vertices
            assert reached_from(graph, n - 1) == [0] and reached_from(graph, n - 2) == [n - 1]
        new = host(graph.insert_vertices(5000 + turn))
        graph.delete_edges([n - 1], [0])
        graph.insert_edges(np.r_[n - 1, new], np.r_[new, 0])
    assert len(taken) >= 12


def test_each_thread_has_its_own(device):
    graph = ring(device)

    def work(thread):
        step = thread + 1

        def op(src, dst, edge, weight, out):
            out[dst] = src * step
            return step > 0

        out = graph.xp.zeros(N, np.int64)
        for vertex in range(50):
            assert reached_from_with(graph, vertex, op, out) == [vertex + 1]
            assert int(out[vertex + 1]) == vertex * step

    for _ in range(2):
        in_threads(3, work)


def reached_from_with(graph, vertex, op, *args):
    return sorted(fr.advance(graph, few(graph, [vertex]), op, *args))


def test_it_keeps_no_functor_alive(device, taken):
    graph = ring(device)

    def mine(src, dst, edge, weight):
        return True

    for _ in range(3):
        assert reached_from(graph, 7, mine) == [8]
    held = weakref.ref(mine)
    del mine
    gc.collect()
    assert held() is None and len(taken) == 2
    assert reached_from(graph, 7) == [8]


def test_a_name_that_is_no_more(device, monkeypatch, taken):
    """Also one that stands for None, or nothing, after its function is gone."""
    graph = ring(device)
    space = sys.modules[__name__].__dict__
    monkeypatch.setitem(space, "helper", lambda dst: dst > 0)
    for _ in range(3):
        assert reached_from(graph, 7, helped) == [8]
    assert len(taken) == 2
    for value in (None, ...):
        monkeypatch.setitem(space, "helper", value)
        with pytest.raises(fr.FunctorError):
            reached_from(graph, 7, helped)
    monkeypatch.delitem(space, "helper")
    gc.collect()
    with pytest.raises(fr.FunctorError):
        reached_from(graph, 7, helped)
    assert len(taken) == 2


def helped(src, dst, edge, weight):
    return helper(dst)  # noqa: F405


# ---- cached plans ---------------------------------------------------------------------------------------------------


def test_nothing_of_the_users_is_kept(device):
    graph = ring(device)

    def mine(src, dst, edge, weight, out):
        out[dst] = 1
        return True

    out = graph.xp.zeros(N, np.int64)
    frontier = few(graph, [0])
    for _ in range(4):
        frontier = fr.advance(graph, frontier, mine, out)
    assert list(frontier) == [4]
    held = [weakref.ref(thing) for thing in (graph, mine, out, frontier)]
    del graph, mine, out, frontier
    gc.collect()
    assert [ref() for ref in held] == [None] * 4


def test_caches_are_cleared(device, taken):
    graph = ring(device)
    for _ in range(2):
        frontier = few(graph, [0])
        for _ in range(4):
            frontier = fr.advance(graph, frontier, always)
        assert list(frontier) == [4] and plans._plans
        fr.clear_caches()
        assert not plans._plans
    assert len(taken) == 6
