"""Advances from few vertices, which an earlier call has prepared, have the effects of all others, in one launch on a
GPU."""

import copy
import gc
import sys
import weakref

import numpy as np
import pytest
from concurrency import in_threads
from verifiers import host

import frontier as fr
from frontier.core.batch import Arcs
from frontier.core.effective import SMALL_ARCS, effective_edges
from frontier.operators.dispatch import plans
from frontier.operators.dispatch.gpu_balance import BALANCES
from frontier.operators.dispatch.kernels import workspace_of
from frontier.runtime.compile import cuda
from frontier.runtime.memory import scratch
from structures import CSR, SlabGraph

module = sys.modules["frontier.operators.advance"]
N = 3000
FIRST, STEP = 0, 1


@pytest.fixture
def taken(monkeypatch):
    """The number of prepared advances: for each, the length of its list. The list is empty when a test starts."""
    plans._plans.clear()
    counts = []

    def noting(kind):
        push = kind.push

        def noted(self, graph, work, functors, frontier, count, *rest):
            counts.append(count)
            return push(self, graph, work, functors, frontier, count, *rest)

        monkeypatch.setattr(kind, "push", noted)

    noting(plans.PushOnGpu)
    noting(plans.PushOnCpu)
    return counts


def in_general(monkeypatch, function):
    """The result if nothing is prepared."""
    with monkeypatch.context() as patch:
        patch.setattr(module, "find_plan", lambda *args: None)
        return function()


def visit(src, dst, edge, weight, level, number):
    if level[dst] < 0:
        level[dst] = number
        return True
    return False


def unseen(dst, level, number):
    return level[dst] < 0


def nearer(src, dst, edge, weight, cost, left, passed):
    fr.atomic_add(passed, 0, 1)
    return fr.atomic_min(cost, dst, cost[src] + weight) > cost[src] + weight


def leave(src, cost, left, passed):
    fr.atomic_add(left, src, 1)


def sparse(structure, device, rng, count=4000, **options):
    src, dst = rng.integers(0, N, (2, count))
    return structure.from_edges(src, dst, num_vertices=N, device=device, **options)


def levels_of(graph, source=0, number=np.int32, **options):
    """The members of each frontier of a loop, sorted, and what its functor wrote."""
    level = graph.xp.full(graph.num_vertices, -1, np.int32)
    level[source] = 0
    frontier, found = fr.Frontier(graph, [source]), []
    while frontier:
        frontier = fr.advance(graph, frontier, visit, level, number(len(found) + 1), **options)
        found.append((sorted(host(frontier.vertices).tolist()), frontier.num_arcs))
    return found, host(level).tolist()


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


def always(src, dst, edge, weight):
    return True


def next_of(src, dst, edge, weight, out):
    out[dst] = src * STEP
    return dst >= FIRST


def few(graph, vertices):
    """A frontier whose number of leaving arcs is known."""
    frontier = fr.Frontier(graph, vertices)
    assert frontier.num_arcs >= 0
    return frontier


def ring(device, n=N, **options):
    ids = np.arange(n)
    return SlabGraph.from_edges(ids, (ids + 1) % n, num_vertices=n, directed=True, device=device, **options)


@pytest.mark.slow
def test_globals_have_the_value_of_now(device, monkeypatch, taken):
    graph = ring(device)
    out = graph.xp.zeros(N, np.int64)
    for step, first in ((1, 0), (1, 0), (1, 0), (2, 0), (2, 6), (2, 6), (1, 0)):
        monkeypatch.setattr(sys.modules[__name__], "STEP", step)
        monkeypatch.setattr(sys.modules[__name__], "FIRST", first)
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
    monkeypatch.setattr(sys.modules[__name__], "STEP", np.ones(3))
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
    pull = module.pull
    monkeypatch.setattr(module, "pull", lambda *args, **options: pulls.append(1) or pull(*args, **options))
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


# ---- the push that is found -----------------------------------------------------------------------------------------


def reached_from(graph, vertex, op=None, **options):
    return sorted(fr.advance(graph, few(graph, [vertex]), op or always, **options))


def test_it_is_used_as_long_as_all_is_the_same(device, monkeypatch, taken):
    graph = ring(device)
    out = graph.xp.zeros(N, np.int64)
    for _ in range(5):
        fr.advance(graph, few(graph, [7]), next_of, out)
    assert len(taken) == 4
    monkeypatch.setattr(sys.modules[__name__], "STEP", 4)
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
    return helper(dst)  # noqa: F821


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


# ---- cached advances ------------------------------------------------------------------------------------------------


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


# ---- launches -------------------------------------------------------------------------------------------------------


@pytest.fixture
def launches(monkeypatch):
    """Requests to the driver on a GPU, in order."""
    import cupy

    asked = []

    def noting(owner, name):
        function = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *args: asked.append(name) or function(*args))

    noting(cupy.cuda.driver, "launchKernel")
    noting(scratch, "fill_with")
    for name in ("read", "poll"):
        noting(scratch.Counters, name)
    return asked


@pytest.mark.parametrize("device", [pytest.param("gpu", marks=pytest.mark.gpu)])
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
class TestOnGPU:
    def path(self, device):
        """A path of 300 vertices, along which a search has run, and levels for another one from its first vertex."""
        graph = ring(device, 300)
        graph.delete_edges([299], [0])
        levels_of(graph)
        level = graph.xp.full(300, -1, np.int32)
        level[0] = 0
        return graph, level

    def test_a_level_takes_one_launch(self, device, launches, taken):
        graph, level = self.path(device)
        frontier, number = few(graph, [0]), 0
        del launches[:], taken[:]
        while frontier:
            number += 1
            frontier = fr.advance(graph, frontier, visit, level, np.int32(number))
        assert number == 300 and len(taken) == 299  # from the last vertex no edge leads anywhere
        assert launches == ["launchKernel", "poll"] * 299

    def test_a_level_makes_no_array(self, device, monkeypatch, taken):
        """Making one costs CuPy more time than the GPU needs for the level."""
        graph, level = self.path(device)
        frontier = fr.advance(graph, few(graph, [0]), visit, level, np.int32(1))
        cut, made = [], []
        array, renew = scratch.ArrayPart.array, scratch.OutputArena._renew
        monkeypatch.setattr(scratch.ArrayPart, "array", lambda part: cut.append(1) or array(part))
        monkeypatch.setattr(scratch.OutputArena, "_renew", lambda room: made.append(1) or renew(room))
        while frontier:
            last, frontier = frontier, fr.advance(graph, frontier, visit, level, np.int32(7))
        assert not cut and len(made) <= 300 * scratch.ALIGNED // plans.ROOM + 1 and len(taken) >= 298
        assert list(last) == [299] and cut

    def test_all_that_is_put_out_is_told(self, device, launches, rng):
        """By every schedule, the last launch reports the size, and leaves counters of zero."""
        src, dst = np.r_[np.zeros(2500, int), rng.integers(0, N, 3000)], np.r_[1:2501, rng.integers(0, N, 3000)]
        graph = SlabGraph.from_edges(src, dst, num_vertices=N, device=device, directed=True, in_edges=True)
        for start in ([0, 5, 6], [5, 6]):
            heads = [host(graph.neighbors(v)) for v in start]
            tails = [host(graph.reverse.neighbors(v)) for v in start]
            for balance in BALANCES:
                for edges, parts in (("out", heads), ("in", tails), ("both", heads + tails)):
                    for options in ({}, {"unique": False}, {"output": "edges"}, {"output": None}):
                        if options.get("output") == "edges" and edges == "both":
                            continue
                        del launches[:]
                        reached = fr.advance(
                            graph, fr.Frontier(graph, start), always, edges=edges, balance=balance, **options
                        )
                        assert launches.count("read") == 0
                        assert launches.count("poll") == (options.get("output", "") is not None)
                        if reached is not None:
                            assert launches[-1] == "poll"
                            counters = workspace_of(graph).counters
                            assert counters._is_zero and not host(counters.array).any()
                            ends = reached.destinations if "output" in options else reached
                            assert sorted(ends) == sorted(set(np.concatenate(parts).tolist()))

    def test_an_interrupt_before_the_outcome_is_heard(self, device, monkeypatch, rng, taken):
        """The launch may publish it at any time after: it must not be mistaken for the next one's."""
        graph = ring(device)
        hear = scratch.Counters.poll

        def interrupted(counters):
            raise KeyboardInterrupt

        def advance(vertex, balance="auto"):
            reached = fr.advance(graph, few(graph, [vertex]), always, balance=balance)
            assert list(reached) == [vertex + 1] and reached.num_arcs == 1

        def some_filter():
            assert list(fr.filter(few(graph, [4, 5]), lambda v: v > 4)) == [5]

        counters = workspace_of(graph).counters
        for _ in range(2):
            advance(3)
        for balance in ("auto", "merge"):
            for follow in (lambda: advance(5), lambda: advance(5, "merge"), some_filter):
                monkeypatch.setattr(scratch.Counters, "poll", interrupted)
                with pytest.raises(KeyboardInterrupt):
                    fr.advance(graph, few(graph, [7, 9]), always, balance=balance)
                monkeypatch.setattr(scratch.Counters, "poll", hear)
                assert counters._expected and not counters._is_zero
                follow()
                counters.array[:] = counters.array  # any outcome, in the stream's order
                advance(6)
                advance(8, "merge")
        assert not counters._expected and not counters._left

    def test_others_that_count_with_the_same_numbers(self, device):
        """They may leave them other than zero."""
        graph = ring(device, 5000)
        count = SMALL_ARCS + 100
        src = np.arange(count) % 5000
        dst = (src + 1 + np.arange(count) // 5000) % 5000
        for _ in range(3):
            assert list(fr.advance(graph, few(graph, [3]), always)) == [4]
            assert workspace_of(graph).counters._is_zero
            with graph.reading():
                arcs = graph.store.make_arcs(graph.xp.asarray(src), graph.xp.asarray(dst), directed=True)
                assert isinstance(arcs, Arcs) and len(arcs) > SMALL_ARCS
                assert effective_edges(graph, arcs, True)[0].size == min(count, 5000)
            assert len(fr.filter(fr.Frontier.all(graph), lambda v: v < 10)) == 10


def test_a_kernel_is_launched_with_words_of_its_own(device):
    """The same as by arguments that are converted."""
    if device == "cpu":
        return
    graph = CSR.from_edges([0, 1], [1, 2], directed=True, device=device)
    graph.xp.cuda.Device().synchronize()
    kernel = cuda.load_kernel("frontier/runtime/memory/elementwise.cuh", "count_up_i64", ())
    one, other = graph.xp.zeros(5, np.int64), graph.xp.zeros(5, np.int64)
    kernel(5, 3, one)
    kernel.launch([5, 3, other.data.ptr], [], 1)
    assert host(one).tolist() == host(other).tolist() == [3, 4, 5, 6, 7]
