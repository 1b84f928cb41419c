"""Steps for batches do the same whether they are called or their launches are repeated."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from algorithms import DynamicTriangleCount, triangle_count
from frontier.operators.captured_batches import SMALL
from frontier.runtime.launch.recorder import recorder
from structures import SlabGraph

N = 300


def visit(src, dst, edge, weight, factor, offset, found):
    fr.atomic_add(found, dst, factor * (src + 1) + offset)


def meet(u, v, w, edge_uw, edge_vw, factor, offset, found):
    fr.atomic_add(found, w, factor)
    return 1


def take_sum(u, v, total, factor, offset, found):
    fr.atomic_add(found, u, total)


def step(graph, src, dst, *args):
    fr.visit_edges(graph, src, dst, visit, *args, output=False)
    fr.intersect(graph, src, dst, meet, *args, per_pair=take_sum, checked=False)


@pytest.fixture
def graph(structure, device, rng):
    return structure.from_edges(*rng.integers(0, N, (2, 5 * N)), num_vertices=N, device=device)


def batch(graph, rng, size):
    return [graph.xp.asarray(ids) for ids in rng.integers(0, graph.num_vertices, (2, size)).astype(graph.vertex_dtype)]


def test_batches_of_all_sizes(graph, rng):
    taken = fr.capture(graph, step, batches=True)
    expected, found = (graph.xp.zeros(N, np.int64) for _ in range(2))
    for turn, size in enumerate([1, 7, 256, 3, 0, 257, 2048, 300, SMALL, SMALL + 1, 2049, 1, 1]):
        src, dst = batch(graph, rng, size)
        step(graph, src, dst, turn, np.uint8(turn % 3), expected)
        taken(src, dst, turn, np.uint8(turn % 3), found)
        assert host(found).tolist() == host(expected).tolist(), size


def test_warming_up_takes_the_way_of_large_batches(graph, rng):
    """It alternates with the captured path, so the first large batch compiles nothing."""
    direct = []

    def noted(graph, src, dst, *args):
        if recorder.launches is None:
            direct.append(src.size)
        step(graph, src, dst, *args)

    taken, found = fr.capture(graph, noted, batches=True), graph.xp.zeros(N, np.int64)
    expected = graph.xp.zeros(N, np.int64)
    with fr.advanced.warming_up():
        for _ in range(6):
            src, dst = batch(graph, rng, 5)
            step(graph, src, dst, 1, np.uint8(1), expected)
            taken(src, dst, 1, np.uint8(1), found)
    assert len(direct) == (3 if graph.device.is_gpu else 6)
    taken(*batch(graph, rng, 5), 1, np.uint8(1), graph.xp.zeros(N, np.int64))
    assert len(direct) == (3 if graph.device.is_gpu else 7)
    assert host(found).tolist() == host(expected).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("most", [3, 20_000])
def test_the_largest_batch_may_be_chosen(graph, rng, most):
    taken = fr.capture(graph, spread, batches=True, max_batch=most)
    state = [[], []]
    for arrays in state:
        arrays += [graph.xp.zeros(N, np.int32), graph.xp.zeros(N, graph.vertex_dtype), N]
        arrays += [graph.xp.zeros(1, np.int64), graph.xp.full(N, 9, np.int32), graph.xp.zeros(N, np.int64)]
    for size in (2, 4, 20_000, 20_001, 300):
        src, dst = batch(graph, rng, size)
        src[N:] = -1  # each vertex once, as below
        ends = graph.xp.asarray(rng.permutation(N).astype(graph.vertex_dtype))[:size]
        dst[: ends.size] = ends
        spread(graph, src, dst, *state[1])
        taken(src, dst, *state[0])
        for mine, theirs in zip(state[0][4:], state[1][4:], strict=True):
            assert host(mine).tolist() == host(theirs).tolist(), size
    with pytest.raises(ValueError, match="max_batch"):
        fr.capture(graph, spread, batches=True, max_batch=0)


def test_pairs_in_both_orders(graph, rng):
    """Batches of all sizes, including sizes that are not captured, and arrays that must be copied first."""
    taken = fr.capture(graph, step, batches=True, both_orders=True)
    expected, found = (graph.xp.zeros(N, np.int64) for _ in range(2))
    pairs = [batch(graph, rng, size) for size in (1, 7, 256, 3, 0, 257, 300, SMALL + 1, 1)]
    pairs.append([ids[::2] for ids in pairs[2]])
    for turn, (src, dst) in enumerate(pairs):
        if turn == 2:
            src[::5] = dst[::5] = -1  # which operators skip
        for one, other in ((src, dst), (dst, src)):
            step(graph, *(graph.xp.ascontiguousarray(ids) for ids in (one, other)), turn, 1, expected)
        taken(src, dst, turn, 1, found)
        assert host(found).tolist() == host(expected).tolist(), turn
    with pytest.raises(ValueError, match="src has 256, dst has 7"):
        taken(pairs[2][0], pairs[1][1], 1, 1, found)
    with pytest.raises(TypeError, match="both_orders"):
        fr.capture(graph, step, batches=True, both_orders="yes")


def test_arrays_with_gaps(graph, rng):
    taken = fr.capture(graph, step, batches=True)
    expected, found = (graph.xp.zeros(N, np.int64) for _ in range(2))
    src, dst = batch(graph, rng, 20)
    for pairs in ((src[::2], dst[::2]), (src[::-1], dst), (src[:10], dst[10:])):
        step(graph, *pairs, 1, 1, expected)
        taken(*pairs, 1, 1, found)
        assert host(found).tolist() == host(expected).tolist()


def test_arrays_that_do_not_match(graph, rng):
    """They are reported, and not read beyond their ends, in the smallest batches, too."""
    taken = fr.capture(graph, step, batches=True)
    found = graph.xp.zeros(N, np.int64)
    src, dst = batch(graph, rng, 20)
    with pytest.raises(ValueError, match="dst"):
        taken(src, dst[:1], 1, 1, found)
    with pytest.raises(ValueError, match="contiguous"):
        fr.advanced.clear(found[::2])


def test_threads_have_records_of_their_own(graph, rng):
    """Concurrent readers must not share working memory."""
    if not graph.device.is_gpu:
        pytest.skip("nothing is recorded")
    taken = fr.capture(graph, step, batches=True)
    found = graph.xp.zeros(N, np.int64)
    pairs = batch(graph, rng, 5)

    def take():
        taken(*pairs, 1, 1, found)
        return taken._plans.values()[0]

    with ThreadPoolExecutor(1) as other:
        first, second = take(), other.submit(take).result()
        assert first is not second
    taken(*pairs, 1, 1, found)
    assert take() is not second
    expected = graph.xp.zeros(N, np.int64)
    for _ in range(4):
        step(graph, *pairs, 1, 1, expected)
    assert host(found).tolist() == host(expected).tolist()


def test_threads_that_record_at_once(graph, rng):
    """The view of a graph that a replayed capture reads belongs to its thread."""
    if not graph.device.is_gpu or not hasattr(graph, "insert_edges"):
        pytest.skip("nothing is recorded, or nothing changes")
    together = Barrier(2)

    def wait_and_take(graph, *args):
        together.wait(60)
        step(graph, *args)
        views.append(graph.view())
        together.wait(60)

    views, pairs = [], batch(graph, rng, 5)
    found = [graph.xp.zeros(N, np.int64) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda mine: fr.capture(graph, wait_and_take, batches=True)(*pairs, 1, 1, mine), found))
    assert views[0] is not views[1] and graph.view() not in views
    expected = graph.xp.zeros(N, np.int64)
    step(graph, *pairs, 1, 1, expected)
    for mine in found:
        assert host(mine).tolist() == host(expected).tolist()


def test_what_changes_between_batches(graph, rng):
    """The graph, the arrays, the types of numbers."""
    taken = fr.capture(graph, step, batches=True)
    for turn in range(4):
        for factor in (2, np.int32(3)):
            expected, found = (graph.xp.zeros(graph.num_vertices, np.int64) for _ in range(2))
            for _ in range(3):
                src, dst = batch(graph, rng, 9)
                step(graph, src, dst, factor, 1, expected)
                taken(src, dst, factor, 1, found)
            assert host(found).tolist() == host(expected).tolist(), turn
        graph.insert_edges(*rng.integers(0, graph.num_vertices, (2, 900)))
        if turn == 1:
            graph.insert_vertices(40)
    fr.clear_caches()
    src, dst = batch(graph, rng, 9)
    found = graph.xp.zeros(graph.num_vertices, np.int64)
    taken(src, dst, 1, 1, found)
    assert int(found.sum()) > 0


def test_there_is_room_for_the_lists_of_a_grown_graph(device, rng):
    """A step is captured again when the arcs have multiplied, in a graph that is not small."""
    graph = SlabGraph.from_edges([0], [1], num_vertices=1000, device=device)
    if not graph.device.is_gpu:
        pytest.skip("nothing is recorded")
    calls = []

    def counted(*given):
        calls.append(given)
        step(*given)

    taken = fr.capture(graph, counted, batches=True)
    expected, found = (graph.xp.zeros(1000, np.int64) for _ in range(2))
    for edges, made in ((0, 1), (1000, 1), (400_000, 2), (0, 2)):
        graph.insert_edges(*rng.integers(0, 1000, (2, edges)))
        src, dst = batch(graph, rng, 9)
        step(graph, src, dst, 1, 1, expected)
        taken(src, dst, 1, 1, found)
        assert len(calls) == made
    assert host(found).tolist() == host(expected).tolist()


@pytest.mark.slow
def test_steps_that_wait(graph, rng):
    """On a GPU they are detected during the capture."""
    src, dst = batch(graph, rng, 5)
    everyone = fr.Frontier.all(graph)
    dense = everyone & everyone
    for waits, message in (
        (lambda graph, src, dst: fr.filter(dense, is_even), "to synchronize"),
        (lambda graph, src, dst: fr.filter(everyone, is_even) and fr.advance(graph, everyone, never), "to synchronize"),
        (lambda graph, src, dst: len(fr.visit_edges(graph, src, dst, never)), "has no size"),
        (lambda graph, src, dst: until_empty(graph, src, dst), "1000 launches"),
        (lambda graph, src, dst: fr.traverse(graph, everyone, never), "can be captured only from"),
        (lambda graph, src, dst: fr.visit_edges(graph, src[::2], dst[::2], never), "repeat no conversions"),
        (lambda graph, src, dst: fr.intersect(graph, src[::2], dst[::2], together, checked=False), "no conversions"),
    ):
        taken = fr.capture(graph, waits, batches=True)
        if graph.device.is_gpu:
            with pytest.raises(RuntimeError, match=message):
                taken(src, dst)
        else:
            taken(src, dst)
    with pytest.raises(TypeError, match="step must be a function"):
        fr.capture(graph, None, batches=True)


def never(src, dst, edge, weight):
    return False


def together(u, v, w, edge_uw, edge_vw):
    return 1


def is_even(v):
    return v % 2 == 0


def until_empty(graph, src, dst):
    frontier = fr.visit_edges(graph, src, dst, never)
    while frontier:
        frontier = fr.filter(frontier, is_even)


def touch(src, dst, edge, weight, seen, listed, room, number):
    """List the ends of pairs that have not been seen, some of them several times."""
    if seen[dst] == 0:
        seen[dst] = 1
        listed[fr.atomic_add(number, 0, 1) % room] = dst
        return True
    return False


def hear(src, dst, edge, weight, level, step):
    """Send the distance of the ends to the neighbors, up to three steps away."""
    return step <= 3 and fr.atomic_min(level, dst, step) > step


def is_odd_level(v, level):
    return level[v] % 2 == 1


def add_to(v, level, found):
    fr.atomic_add(found, v, level[v])


def spread(graph, src, dst, seen, listed, room, number, level, found):
    """Frontiers of each kind that a step may make."""
    fr.advanced.clear(number, seen)
    ends = fr.visit_edges(graph, src, dst, touch, seen, listed, room, number)
    if not ends:
        return
    fr.traverse(graph, ends, hear, level, fr.advanced.StepCounter(1))
    fr.compute(fr.filter(ends, is_odd_level, level), add_to, level, found)
    fr.compute(fr.Frontier.listed(graph, listed, number), add_to, level, found)
    odd = fr.filter(fr.Frontier.listed(graph, listed, number), is_odd_level, level)
    fr.traverse(graph, odd, hear, level, fr.advanced.StepCounter(2), max_steps=1)
    fr.traverse(graph, odd, hear, level, fr.advanced.StepCounter(0), max_steps=0)


@pytest.mark.parametrize("room", [N, 5])
def test_frontiers_of_a_step(graph, rng, room):
    """Their sizes stay on the device. If a list exceeds its capacity, all vertices are processed."""
    taken = fr.capture(graph, spread, batches=True)
    state = [[], []]
    for arrays in state:
        arrays += [graph.xp.zeros(N, np.int32), graph.xp.zeros(room, graph.vertex_dtype), room]
        arrays += [graph.xp.zeros(1, np.int64), graph.xp.full(N, 9, np.int32), graph.xp.zeros(N, np.int64)]
    taken.prepare(*state[0])
    for size in [1, 40, 256, 2, 257, 1, 3]:
        src, dst = batch(graph, rng, size)
        src = graph.xp.unique(src)
        dst = src[::-1].copy()  # each vertex once: which of several threads lists it is not determined
        spread(graph, src, dst, *state[1])
        taken(src, dst, *state[0])
        for mine, theirs in zip(state[0][4:], state[1][4:], strict=True):
            assert host(mine).tolist() == host(theirs).tolist(), size
        if size == 2:
            for arrays in state:
                arrays[4][:] = 9
    if graph.device.is_gpu:
        assert len(taken._plans.values()) == 3


def test_triangles_after_a_deletion_that_failed(graph, rng, monkeypatch):
    """The subtracted triangles are counted again, also if the next update comes first."""
    triangles = DynamicTriangleCount(graph)
    for and_then in ("read", "insert", "delete"):
        src, dst = (ids[:40] for ids in graph.to_coo()[:2])
        with monkeypatch.context() as patch:
            for method in ("erase", "erase_small"):
                patch.setattr(type(graph.store), method, fail, raising=False)
            with pytest.raises(MemoryError, match="none left"):
                graph.delete_edges(src, dst)
        if and_then == "insert":
            graph.insert_edges(*batch(graph, rng, 30))
        elif and_then == "delete":
            graph.delete_edges(src[:7], dst[:7])
        assert triangles.total == triangle_count(graph).total
        assert host(triangles.per_vertex).tolist() == host(triangle_count(graph).per_vertex).tolist()


def fail(*args, **options):
    raise MemoryError("none left")


def test_triangles_of_graphs_with_edge_data(structure, device, rng):
    """A static copy, on which large batches may be counted, has more slots than edges."""
    if not issubclass(structure, fr.DynamicGraph):
        pytest.skip("cannot be changed")
    graph = structure(N, device=device, edge_data={"amount": "float32"})
    triangles = DynamicTriangleCount(graph)
    for size in (900, 40, 900):
        graph.insert_edges(*rng.integers(0, N // 8, (2, size)), amount=rng.random(size))
        assert triangles.total == triangle_count(graph).total
