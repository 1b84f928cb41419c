"""Advances from few vertices, which an earlier call has prepared, have the effects of all others, in one launch on a
GPU."""

import copy

import advance_cases
import numpy as np
import pytest
from advance_cases import *  # noqa: F403
from advance_cases import N, always, few, in_general, leave, levels_of, nearer, next_of, ring, sparse, unseen, visit
from concurrency import in_threads
from verifiers import host

import frontier as fr
from frontier.operators.dispatch import plans
from structures import SlabGraph


def test_a_loop_finds_the_same(structure, device, orientation, rng, monkeypatch, taken):
    graph = sparse(structure, device, rng, **orientation)
    for options in ({}, {"condition": unseen}):
        expected = in_general(monkeypatch, lambda options=options: levels_of(graph, **options))
        assert not taken
        assert levels_of(graph, **options) == expected
        assert len(taken) > 2
        taken.clear()


@pytest.mark.slow
def test_numbers_of_all_kinds(device, rng, monkeypatch, taken):
    graph = sparse(SlabGraph, device, rng)
    expected = in_general(monkeypatch, lambda: levels_of(graph))
    for number in (np.int32, int, np.int64, np.uint8, np.float32, float, np.float64):
        assert levels_of(graph, number=number) == expected
        assert len(taken) > 2
        taken.clear()


@pytest.mark.slow
def test_weights_preparation_and_lists_with_duplicates(device, rng, monkeypatch, taken):
    src, dst = rng.integers(0, N, (2, 4000))
    weights = rng.integers(1, 9, 4000).astype(np.float32)
    graph = SlabGraph.from_edges(src, dst, weights, num_vertices=N, device=device)

    def costs(unique):
        cost, left = graph.xp.full(N, np.inf, np.float32), graph.xp.zeros(N, np.int64)
        passed = graph.xp.zeros(1, np.int64)
        cost[0] = 0
        frontier, walked, arcs = fr.Frontier(graph, [0]), 0, 0
        while frontier:
            walked += frontier._walk_length()
            arcs += frontier._walk_arcs()
            frontier = fr.advance(graph, frontier, nearer, cost, left, passed, prepare=leave, unique=unique)
        assert (int(left.sum()), int(passed[0])) == (walked, arcs)
        return host(cost).tolist()

    expected = in_general(monkeypatch, lambda: costs(True))
    assert costs(True) == expected and len(taken) > 2
    taken.clear()
    assert costs(False) == expected and len(taken) > 2


def test_duplicates_are_listed(device, taken):
    """Two vertices with a neighbor in common put it out twice, if it need not be unique."""
    graph = SlabGraph.from_edges([0, 0, 1, 2, 3], [1, 2, 3, 3, 4], directed=True, device=device)
    for unique, length in ((True, 1), (False, 2)):
        for _ in range(3):
            frontier = fr.Frontier(graph, [0])
            for _ in range(2):
                frontier = fr.advance(graph, frontier, always, unique=unique)
            assert frontier._walk_length() == length and list(frontier) == [3]
            assert frontier.num_arcs == 1
    assert taken


@pytest.mark.slow
def test_globals_have_the_value_of_now(device, monkeypatch, taken):
    graph = ring(device)
    out = graph.xp.zeros(N, np.int64)
    for step, first in ((1, 0), (1, 0), (1, 0), (2, 0), (2, 6), (2, 6), (1, 0)):
        monkeypatch.setattr(advance_cases, "STEP", step)
        monkeypatch.setattr(advance_cases, "FIRST", first)
        reached = fr.advance(graph, few(graph, [3, 5, 7]), next_of, out)
        assert sorted(reached) == [v for v in (4, 6, 8) if v >= first]
        assert [int(out[v]) for v in (4, 6, 8)] == [3 * step, 5 * step, 7 * step]
    assert len(taken) == 4  # each meaning is prepared once, and prepared advances stay


def test_functors_of_one_meaning_are_one(device, taken):
    """Such as a lambda that is made in each turn of a loop. Nothing is cached for each."""
    graph = ring(device)
    frontier = few(graph, [0])
    for _ in range(20):
        frontier = fr.advance(graph, frontier, lambda src, dst, edge, weight: True)
    size = len(plans._plans)
    for _ in range(20):
        frontier = fr.advance(graph, frontier, lambda src, dst, edge, weight: True)
    assert list(frontier) == [40] and len(taken) >= 38 and len(plans._plans) <= size + 1


@pytest.mark.slow
def test_arrays_of_other_types(device, taken):
    graph = ring(device)
    for dtype in (np.int64, np.int64, np.float32, np.int64, np.int32, np.int32):
        out = graph.xp.zeros(N, dtype)
        for _ in range(2):
            fr.advance(graph, few(graph, [7]), next_of, out)
        assert int(out[8]) == 7
    assert len(taken) >= 6


def outcome(function):
    """The exception of a call."""
    try:
        function()
    except Exception as error:
        return type(error), str(error)
    return None


def test_what_is_wrong_is_said_as_before(device, monkeypatch, taken):
    graph, other = ring(device), ring(device)
    xp = graph.xp
    good, frontier = xp.zeros(N, np.int64), few(graph, [7])
    for _ in range(2):
        fr.advance(graph, frontier, next_of, good)
    assert taken == [1]
    calls = [
        lambda: fr.advance(graph, frontier, next_of),
        lambda: fr.advance(graph, frontier, next_of, good, good),
        lambda: fr.advance(graph, frontier, next_of, [0] * N),
        lambda: fr.advance(graph, frontier, next_of, None),
        lambda: fr.advance(graph, frontier, next_of, xp.zeros((N, 2), np.int64)[:, 0]),
        lambda: fr.advance(graph, frontier, next_of, xp.zeros((2, 2, 2), np.int64)),
        lambda: fr.advance(graph, frontier, next_of, xp.zeros(N, np.float16)),
        lambda: fr.advance(graph, frontier, next_of, np.zeros(N, np.int16)),
        lambda: fr.advance(graph, frontier, None, good),
        lambda: fr.advance(graph, frontier, [next_of], good),
        lambda: fr.advance(graph, frontier, np.add, good),
        lambda: fr.advance(graph, frontier, next_of, good, condition=[]),
        lambda: fr.advance(graph, frontier, next_of, good, prepare=0),
        lambda: fr.advance(graph, frontier, next_of, good, unique=1),
        lambda: fr.advance(graph, frontier, next_of, good, unique=[]),
        lambda: fr.advance(graph, frontier, next_of, good, direction="sideways"),
        lambda: fr.advance(graph, frontier, next_of, good, direction=np.arange(3)),
        lambda: fr.advance(graph, frontier, next_of, good, balance=np.arange(3)),
        lambda: fr.advance(graph, frontier, next_of, good, edges="across"),
        lambda: fr.advance(graph, frontier, next_of, good, output="nodes"),
        lambda: fr.advance(other, frontier, next_of, good),
        lambda: fr.advance(graph, [7], next_of, good),
        lambda: fr.advance(None, frontier, next_of, good),
    ]
    for call in calls:
        expected = in_general(monkeypatch, lambda call=call: outcome(call))
        assert expected is not None and outcome(call) == expected
    assert taken == [1]


def test_a_number_that_is_too_large(device, monkeypatch, taken):
    graph = ring(device)
    out = graph.xp.zeros(N, np.int64)
    for number in (2**63 - 1, -(2**63), 5):
        for _ in range(2):
            fr.advance(graph, few(graph, [7]), note, out, number)
            assert int(out[8]) == number
    call = lambda: fr.advance(graph, few(graph, [7]), note, out, 2**63)  # noqa: E731
    assert outcome(call) == in_general(monkeypatch, lambda: outcome(call)) != None  # noqa: E711
    assert len(taken) == 5


def note(src, dst, edge, weight, out, number):
    out[dst] = number
    return True


def test_a_functor_that_comes_to_name_an_array(device, monkeypatch):
    graph = ring(device)
    out = graph.xp.zeros(N, np.int64)
    for _ in range(3):
        fr.advance(graph, few(graph, [7]), next_of, out)
    monkeypatch.setattr(advance_cases, "STEP", np.ones(3))
    with pytest.raises(fr.FunctorError, match="STEP, a ndarray"):
        fr.advance(graph, few(graph, [7]), next_of, out)


@pytest.mark.slow
def test_the_graph_as_it_is_now(structure, device, rng, monkeypatch, taken):
    """Edges and vertices come and go between the calls."""
    graph = sparse(structure, device, rng, 2500)
    levels_of(graph)
    for turn in range(4):
        if turn == 1:
            graph.insert_edges(*rng.integers(0, N, (2, 800)))
        elif turn == 2:
            new = graph.insert_vertices(50)
            graph.insert_edges(np.zeros(50, np.int64), host(new))
        elif turn == 3:
            graph.delete_vertices(np.arange(1, 40))
            graph.delete_edges(*[host(ends)[-500:] for ends in graph.to_coo()[:2]])
        before = len(taken)
        found = levels_of(graph)
        assert len(taken) > before
        assert found == in_general(monkeypatch, lambda: levels_of(graph))


@pytest.mark.slow
def test_members_that_were_deleted(device, taken):
    graph = ring(device)
    out = graph.xp.zeros(N, np.int64)
    frontier = few(graph, [7])
    for _ in range(3):
        fr.advance(graph, frontier, next_of, out)
    graph.delete_vertices([7])
    with pytest.raises(ValueError, match="1 vertices that were deleted"):
        fr.advance(graph, frontier, next_of, out)
    assert len(taken) == 2


def pay(src, dst, edge, weight, amount, spent):
    spent[edge] = amount[edge] * weight
    return True


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_data_on_edges(device, weighted, taken):
    """Columns grow, and move, with the graph."""
    n, weights = 400, np.full(399, 2.0) if weighted else None
    graph = SlabGraph.from_edges(
        np.arange(399), np.arange(1, 400), weights, num_vertices=n, device=device, directed=True,
        edge_data={"amount": np.arange(399.0)},
    )  # fmt: skip
    plain = SlabGraph.from_edges(np.arange(399), np.arange(1, 400), num_vertices=n, device=device, directed=True)
    for size in (0, 3000, 6000):
        if size:
            src = np.repeat(np.arange(300), size // 300)
            dst = (src + 2 + np.arange(size) % (size // 300)) % n
            more = {"weights": np.full(size, 2.0)} if weighted else {}
            graph.insert_edges(src, dst, amount=np.full(size, 7.0), **more)
        spent = graph.xp.zeros(graph.edge_capacity)
        for _ in range(3):
            fr.advance(graph, few(graph, [350, 360]), pay, graph.edge_data["amount"], spent)
        ids = host(graph.find_edges([350, 360], [351, 361]))
        assert host(spent)[ids].tolist() == [350 * (1 + weighted), 360 * (1 + weighted)]
        assert np.count_nonzero(host(spent)) == 2
    amount, spent = plain.xp.ones(plain.edge_capacity), plain.xp.zeros(plain.edge_capacity)
    for _ in range(3):  # the same functor, where `edge` is a slot
        fr.advance(plain, few(plain, [350]), pay, amount, spent)
        assert host(spent).sum() == 1
    assert len(taken) >= 8


def test_edges_of_the_reverse(device, taken):
    graph = ring(device, in_edges=True)
    for each, after in ((graph, 5), (graph.reverse, 3)):
        frontier = few(each, [4])
        for _ in range(3):
            assert list(fr.advance(each, frontier, always)) == [after]
    assert len(taken) >= 4


def test_a_pull_is_still_chosen(device, monkeypatch, taken):
    """If it is less work, from few vertices too: the prepared advance is a push."""
    hub = SlabGraph.from_edges(np.zeros(99, np.int64), np.arange(1, 100), device=device)
    pulls = []
    pull = advance_cases.module.pull
    monkeypatch.setattr(
        advance_cases.module, "pull", lambda *args, **options: pulls.append(1) or pull(*args, **options)
    )
    level = hub.xp.full(100, -1, np.int32)
    for turn in range(4):
        level[:] = -1
        level[5] = 0
        frontier = few(hub, [5])  # a leaf, whose edge a push processes
        frontier = fr.advance(hub, frontier, visit, level, np.int32(1), condition=unseen)
        assert list(frontier) == [0] and len(pulls) == turn
        frontier = fr.advance(hub, frontier, visit, level, np.int32(2), condition=unseen)
        assert len(frontier) == 98 and len(pulls) == turn + 1
    assert len(taken) == 3


@pytest.mark.parametrize("size", [plans.MAX_VERTICES, plans.MAX_VERTICES + 1])
def test_frontiers_at_the_bound(device, size, taken):
    """The bound on vertices. Each has an arc."""
    graph = ring(device, 6000)
    for _ in range(3):
        reached = fr.advance(graph, few(graph, np.arange(size)), always)
        assert len(reached) == size and reached.num_arcs == size
    assert len(taken) == (2 if size == plans.MAX_VERTICES else 0)


@pytest.mark.parametrize("size", [plans.MAX_ARCS, plans.MAX_ARCS + 1])
def test_hubs_at_the_bound(structure, device, size, taken):
    """The bound on arcs: the list of a single vertex, which is not cut."""
    graph = structure.from_edges(np.zeros(size, np.int64), np.arange(1, size + 1), directed=True, device=device)
    for unique in (True, False):
        for _ in range(3):
            reached = fr.advance(graph, few(graph, [0]), always, unique=unique)
            assert len(reached) == size and reached.num_arcs == 0
    assert len(taken) == (4 if size == plans.MAX_ARCS else 0)


@pytest.mark.slow
def test_without_edges_nothing_is_visited_but_all_is_prepared(device, taken):
    graph = ring(device)
    graph.delete_edges([7], [8])
    cost, left = graph.xp.zeros(N, np.float32), graph.xp.zeros(N, np.int64)
    passed = graph.xp.zeros(1, np.int64)
    for unique in (True, False):
        for turn in range(3):
            left[:] = 0
            reached = fr.advance(graph, few(graph, [7]), nearer, cost, left, passed, prepare=leave, unique=unique)
            assert not reached and reached.num_arcs == 0 and turn >= 0
            assert int(left[7]) == int(left.sum()) == 1
        assert not fr.advance(graph, few(graph, [7]), nearer, cost, left, passed, prepare=leave, output="edges")
        assert int(left[7]) == 2
    assert int(passed[0]) == 0 and len(taken) == 4


# ---- outputs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unique", [True, False])
def test_frontiers_that_are_kept(device, rng, monkeypatch, taken, unique):
    """Further pushes append their output behind earlier output, or in other memory when that is full."""
    monkeypatch.setattr(plans, "ROOM", plans.MAX_ARCS + 100)
    graph = sparse(SlabGraph, device, rng)
    kept = []
    for turn in range(30):
        start = few(graph, rng.integers(0, N, 5 + 60 * (turn % 3)))
        reached = fr.advance(graph, start, always, unique=unique)
        expected = np.unique(np.concatenate([host(graph.neighbors(int(v))) for v in start] or [np.empty(0, np.int32)]))
        kept.append((reached, expected.tolist(), reached.num_arcs if unique else None))
    assert len(taken) >= 28
    for reached, expected, arcs in kept:
        again = fr.advance(graph, reached, always, unique=unique)  # before it is read
        both = fr.Frontier(graph, expected)
        assert again == fr.advance(graph, both, always)
        assert list(reached) == expected and len(reached) == len(expected) and reached == both
        assert arcs is None or reached.num_arcs == arcs == both.num_arcs
        assert all(v in reached for v in expected[:3]) and sorted(reached - both) == []
    copies = [copy.copy(reached) for reached, _, _ in kept]
    del graph
    assert [list(each) for each in copies] == [expected for _, expected, _ in kept]


# ---- modes ----------------------------------------------------------------------------------------------------------


def test_indices_are_checked_where_they_are_to_be(device, taken):
    graph = ring(device)
    short = graph.xp.zeros(5, np.int64)
    for vertices in ([1], [2], [3]):
        fr.advance(graph, few(graph, vertices), next_of, short)
    assert len(taken) == 2
    with fr.checking(), pytest.raises(fr.FunctorIndexError, match="index 8"):
        fr.advance(graph, few(graph, [7]), next_of, short)
    with fr.checking():
        fr.advance(graph, few(graph, [3]), next_of, short)
    assert len(taken) == 2


def test_functors_are_interpreted_where_they_are_to_be(device, taken):
    graph = ring(device)
    out = graph.xp.zeros(N, np.int64)
    for _ in range(2):
        fr.advance(graph, few(graph, [7]), next_of, out)
    assert len(taken) == 1
    with fr.interpreted():
        if device == "gpu":
            with pytest.raises(ValueError, match="only on CPU graphs"):
                fr.advance(graph, few(graph, [7]), next_of, out)
        else:
            assert list(fr.advance(graph, few(graph, [7]), next_of, out)) == [8]
    assert len(taken) == 1


def test_threads(device, rng):
    graph = sparse(SlabGraph, device, rng)
    expected = levels_of(graph)
    assert in_threads(3, lambda _: [levels_of(graph) for _ in range(3)]) == [[expected] * 3] * 3
