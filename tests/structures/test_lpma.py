"""Particulars of LPMA: levels, local rebalancing, strategies, growth without a copy."""

from __future__ import annotations

import numpy as np
import pytest
from exhaustion import STEPS, exhausted
from model import make, random_batch, snapshot, to_host
from packed_arrays import check_layout, leaves_in_order, level_and_number, physical

from frontier.runtime import resolve_device
from frontier.runtime.memory import growable
from structures.lpma import LPMA
from structures.lpma import strategy as strategy_module
from structures.lpma.store import STRATEGIES
from structures.lpma.strategy import BOTTOM_UP, TOP_DOWN, Tuner
from structures.packed.layout import LEAF

LAST = 2**63 - 1


def sequential_index(level, number, levels):
    """Equation 1 of the paper: where the number-th segment of a level stands in order."""
    return 0 if level == 0 else (2 * number + 1) << (levels - level)


@pytest.mark.parametrize("levels", range(9))
def test_the_mapping_is_that_of_the_paper(levels):
    """Every segment in order has one position, levels lie one after the other, and both equations agree."""
    seen = []
    for i in range(1 << levels):
        level, number = level_and_number(i, levels)
        assert sequential_index(level, number, levels) == i
        assert 0 <= level <= levels
        p = physical(i, levels)
        seen.append(p)
        if levels < 8:
            assert physical(2 * i, levels + 1) == p, "appending a level moves no segment"
    assert sorted(seen) == list(range(1 << levels))


@pytest.fixture(params=STRATEGIES)
def strategy(request):
    return request.param


def grow_in_batches(pair, rng, n, batches, size):
    for _ in range(batches):
        pair.insert(*random_batch(rng, n, size, pair.graph.weight_dtype))
        check_layout(pair.graph)


def test_a_stream_that_grows_the_array(device, rng, strategy, weight_dtype, directed):
    """Levels are appended, one after the other, and every batch leaves the array sorted."""
    start = random_batch(rng, 300, 400, weight_dtype)
    pair = make(LPMA, device, *start, num_vertices=300, strategy=strategy, directed=directed)
    check_layout(pair.graph)
    levels = pair.graph.store.levels
    grow_in_batches(pair, rng, 300, 12, 700)
    pair.check()
    numbers = pair.graph.statistics()
    assert numbers["expansions"] == pair.graph.store.levels - levels >= 2
    assert numbers["leaves"] == 1 << numbers["levels"]
    assert numbers["rebuilds"] == 0


def test_updates_of_all_kinds(device, rng, strategy):
    """Insertions, deletions and vertices, with thresholds that leave little spare capacity."""
    pair = make(
        LPMA, device, *random_batch(rng, 60, 300, "float32"), num_vertices=60, strategy=strategy,
        root_density=(0.45, 0.9), leaf_density=(0.3, 0.95),
    )  # fmt: skip
    for round_ in range(12):
        size = int(rng.integers(1, 500))
        if round_ % 3 == 2:
            pair.delete(*random_batch(rng, 60, 3 * size)[:2])
        else:
            pair.insert(*random_batch(rng, 60, size, "float32"))
        check_layout(pair.graph)
        if round_ == 5:
            pair.delete_vertices([3, 7, 50])
            check_layout(pair.graph)
            pair.insert_vertices(3)
    pair.check()


def test_strategies_leave_the_same_graph(device, rng):
    batches = [random_batch(rng, 100, 600, "float32") for _ in range(6)]
    graphs = [LPMA(100, device=device, weight_dtype="float32", strategy=strategy) for strategy in STRATEGIES]
    for batch in batches:
        results = {graph.insert_edges(*batch) for graph in graphs}
        assert len(results) == 1
    first, *others = [[to_host(graph, array).tolist() for array in graph.to_coo()] for graph in graphs]
    assert all(other == first for other in others)


def test_a_hub(device, rng, strategy):
    """All arcs of a batch go to one position of the array, so large windows are rebalanced."""
    pair = make(LPMA, device, [0], [1], num_vertices=6000, strategy=strategy, directed=True)
    for part in np.array_split(rng.permutation(np.arange(1, 6000)), 4):
        pair.insert(np.full(part.size, 2999), part)
        check_layout(pair.graph)
    pair.check()


def windows_by_hand(graph, src, dst, strategy):
    """The windows (start, leaves) that a batch of new arcs rebalances by the paper's rules. None if it overflows."""
    order = leaves_in_order(graph)
    levels, leaves = graph.store.levels, order.size
    keys = np.unique(np.asarray(src).astype(np.int64) << 32 | (np.asarray(dst) + 1))
    arriving = np.zeros(leaves, int)
    separators, counts = to_host(graph, graph.store.separators)[order], to_host(graph, graph.store.counts)[order]
    np.add.at(arriving, np.searchsorted(separators, keys, side="right") - 1, 1)
    (_, leaf), (_, root) = graph.leaf_density, graph.root_density

    def fits(start, height):
        bound = leaf + (root - leaf) / max(levels, 1) * height
        inside = slice(start, start + (1 << height))
        return counts[inside].sum() + arriving[inside].sum() <= bound * (LEAF << height)

    def descend(start, height):
        if not arriving[start : start + (1 << height)].any():
            return []
        halves = [(start, height - 1), (start + (1 << height >> 1), height - 1)]
        if height == 0 or not all(fits(*half) for half in halves):
            return [(start, 1 << height)]
        return descend(*halves[0]) + descend(*halves[1])

    if not fits(0, levels):
        return None
    if strategy == "top-down":
        return descend(0, levels)
    found = set()
    for i in np.flatnonzero(arriving).tolist():
        height = next(h for h in range(levels + 1) if fits(i >> h << h, h))
        found.add((i >> height << height, 1 << height))
    return [(s, k) for s, k in found if not any(t <= s and s + k <= t + j and j > k for t, j in found)]


@pytest.mark.parametrize("strategy", ["bottom-up", "top-down"])
@pytest.mark.parametrize("skewed", [False, True])
def test_the_windows_are_those_of_the_paper(device, rng, strategy, skewed):
    n = 500
    graph = LPMA(n, device=device, directed=True, strategy=strategy)
    checked = 0
    for _ in range(25):
        src, dst = rng.integers(0, n, 150), rng.integers(0, n, 150)
        if skewed:
            src = src * src // n
        new = (src != dst) & ~to_host(graph, graph.has_edges(src, dst))
        windows = windows_by_hand(graph, src[new], dst[new], strategy)
        moved = graph.statistics()["moved_leaves"]
        graph.insert_edges(src[new], dst[new])
        check_layout(graph)
        if windows is not None:
            assert graph.statistics()["moved_leaves"] - moved == sum(size for _, size in windows)
            checked += 1
    assert checked > 15
    if strategy == "top-down":
        assert graph.statistics()["redundant_leaves"] == 0


# ---- growth ---------------------------------------------------------------------------------------------------------


def test_appending_a_level_leaves_arcs_where_they_are(device, rng):
    """A small batch that makes the array grow moves few arcs: only arcs of the windows it needs (the paper's Figure
    8)."""
    n = 4000
    graph = LPMA.from_edges(*random_batch(rng, n, 30_000)[:2], num_vertices=n, device=device)
    while graph.statistics()["expansions"] == 0:
        src, dst, _ = graph.to_coo()
        slots = to_host(graph, graph.find_edges(src, dst))
        before = graph.statistics()
        graph.insert_edges(*random_batch(rng, n, 100)[:2])
    after = graph.statistics()
    assert after["leaves"] == 2 * before["leaves"]
    stayed = to_host(graph, graph.find_edges(src, dst)) == slots
    assert stayed.mean() > 0.6
    assert after["expansion_leaves"] == after["moved_leaves"] - before["moved_leaves"] < 0.2 * after["leaves"]
    assert after["expansion_saved"] == 1 - after["expansion_leaves"] / after["leaves"]
    check_layout(graph)


def test_a_batch_larger_than_the_graph(device, rng, strategy):
    """Several levels at once."""
    pair = make(LPMA, device, [0], [1], num_vertices=200, strategy=strategy)
    levels = pair.graph.store.levels
    pair.insert(*random_batch(rng, 200, 8000)[:2])
    check_layout(pair.graph)
    assert pair.graph.statistics()["expansions"] == pair.graph.store.levels - levels > 2
    pair.check()


def test_large_arrays_grow_where_they_are(device, rng, monkeypatch):
    """No copy: the array of a graph after growing starts at the same address."""
    monkeypatch.setattr(growable, "SMALL", 64)
    pair = make(LPMA, device, *random_batch(rng, 200, 3000), num_vertices=200)
    place = addresses(pair.graph)
    copied = pair.graph.copy()
    while pair.graph.statistics()["expansions"] == 0:
        pair.insert(*random_batch(rng, 200, 300)[:2])
    assert addresses(pair.graph) == place
    check_layout(pair.graph)
    check_layout(copied)
    while copied.statistics()["expansions"] == 0:
        copied.insert_edges(*random_batch(rng, 200, 300)[:2])
        check_layout(copied)
    pair.check()


def addresses(graph):
    return [
        array.data.ptr if graph.device.is_gpu else array.ctypes.data
        for array in (graph.store.neighbors, graph.store.counts)
    ]


def test_growth_and_shrinkage(device, rng):
    pair = make(LPMA, device, num_vertices=300)
    batches = [random_batch(rng, 300, 2000)[:2] for _ in range(6)]
    for batch in batches:
        pair.insert(*batch)
    levels = pair.graph.store.levels
    for batch in batches:
        pair.delete(*batch)
        check_layout(pair.graph)
    assert pair.graph.num_edges == 0
    assert pair.graph.store.levels < levels - 2
    pair.insert(*batches[0])
    check_layout(pair.graph)
    pair.check()


def test_what_was_saved_can_grow(device, rng, tmp_path):
    graph = LPMA.from_edges(*random_batch(rng, 100, 1000)[:2], num_vertices=100, device=device, strategy="top-down")
    graph.save(tmp_path / "graph.npz")
    again = LPMA.load(tmp_path / "graph.npz", device=device)
    assert again.strategy == "top-down"
    assert snapshot(again)[1:] == snapshot(graph)[1:]
    for _ in range(8):
        again.insert_edges(*random_batch(rng, 100, 600)[:2])
        check_layout(again)
    assert again.statistics()["expansions"] > 0


# ---- the choice between strategies ----------------------------------------------------------------------------------


class Clock:
    """Time that passes only where a test advances it."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(strategy_module.time, "perf_counter", lambda: self.now)


def run_batch(tuner, clock, density, costs):
    way = tuner.choose(density)
    tuner.begin()
    clock.now += costs[way] * 100
    tuner.end(100)
    return way


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def test_hybrid_is_bottom_up_while_sparse(clock):
    tuner = Tuner(resolve_device("cpu"))
    ways = [run_batch(tuner, clock, density, {BOTTOM_UP: 9, TOP_DOWN: 1}) for density in (0.3, 0.5, 0.6)]
    assert ways == [BOTTOM_UP] * 3
    assert tuner.threshold == 0.6


def test_hybrid_tries_both_in_turn_until_top_down_is_faster(clock):
    tuner = Tuner(resolve_device("cpu"))
    slow, fast = {BOTTOM_UP: 1, TOP_DOWN: 2}, {BOTTOM_UP: 2, TOP_DOWN: 1}
    ways = [run_batch(tuner, clock, 0.65, slow) for _ in range(6)]
    assert ways == [TOP_DOWN, BOTTOM_UP] * 3
    assert tuner.threshold == 0.6
    ways = [run_batch(tuner, clock, 0.7, fast) for _ in range(2)]
    assert set(ways) == {BOTTOM_UP, TOP_DOWN}
    ways = [run_batch(tuner, clock, 0.72, slow) for _ in range(4)]
    assert ways == [TOP_DOWN] * 4, "until the end of the cycle, whatever it takes"
    assert tuner.threshold == 0.7
    tuner.expanded()
    assert tuner.threshold == 0.6
    assert run_batch(tuner, clock, 0.4, fast) == BOTTOM_UP


def test_hybrid_in_a_stream(device, rng):
    graph = LPMA(300, device=device)
    for _ in range(30):
        graph.insert_edges(*random_batch(rng, 300, 300)[:2])
        assert 0.6 <= graph.statistics()["threshold"] <= 0.8
    check_layout(graph)
    fixed = LPMA(5, device=device, strategy="bottom-up")
    assert fixed.statistics()["threshold"] is None


@pytest.mark.parametrize("bad", ["sideways", None, 3])
def test_bad_strategies(device, bad):
    with pytest.raises(ValueError, match="strategy must be one of 'hybrid', 'bottom-up', 'top-down'"):
        LPMA(3, device=device, strategy=bad)


def test_weights_that_are_added(device, rng, directed):
    """The paper's edge updates: new edges, other weights, and edges that go, in one batch."""
    pair = make(LPMA, device, num_vertices=80, weight_dtype="int32", directed=directed)
    for _ in range(15):
        src, dst, _ = random_batch(rng, 80, int(rng.integers(1, 900)))
        result = pair.insert(src, dst, rng.integers(-6, 9, src.size), on_existing="add")
        check_layout(pair.graph)
    assert result.inserted and result.replaced and result.deleted
    pair.check()


@pytest.mark.slow
def test_appending_synchronizes_once(device, rng, monkeypatch):
    """Weights are added before the host reads the needs of an insertion, so it reads the counters once."""
    src, dst, weights = random_batch(rng, 300, 3000, "int64")
    pair = make(LPMA, device, src, dst, weights, num_vertices=300)
    reads, read = [], pair.graph.store._counters.read
    monkeypatch.setattr(pair.graph.store._counters, "read", lambda: reads.append(0) or read())
    leaves = pair.graph.store.leaves
    result = pair.insert(src[:50], dst[:50], np.abs(weights[:50]) + 1, on_existing="add")
    assert result.replaced and not result.deleted
    assert pair.graph.store.leaves == leaves
    assert len(reads) == 1
    pair.check()


# ---- without memory -------------------------------------------------------------------------------------------------


def test_an_insertion_that_breaks_off(device, rng, strategy, monkeypatch):
    """Looked-up state is forgotten, levels stay, and the view shows the current arrays."""
    pair = make(LPMA, device, *random_batch(rng, 200, 500), num_vertices=200, strategy=strategy)
    graph, leaves = pair.graph, pair.graph.store.leaves
    graph.store.max_small_batch = 0  # they would make a separate plan
    graph.view()
    room, calls = graph.store._room_to_plan, []

    def refuse(size):
        calls.append(size)
        if len(calls) > 1:
            raise MemoryError("none left")
        return room(size)

    with monkeypatch.context() as patch, pytest.raises(MemoryError):
        patch.setattr(graph.store, "_room_to_plan", refuse)
        graph.insert_edges(*random_batch(rng, 200, 4000)[:2])
    assert graph.store.leaves > leaves
    if device == "cpu":
        assert graph.view().neighbors is graph.store.neighbors
        assert not graph.store._no_arrivals().any()
    check_layout(graph)
    pair.insert([0], [199])
    check_layout(graph)
    pair.check()


@pytest.mark.parametrize("strategy", ["bottom-up", "top-down"])
def test_arrivals_that_were_left_behind(rng, strategy):
    """Windows contain only the batch's own arcs, even if an interrupted one was not forgotten."""
    pair = make(LPMA, "cpu", *random_batch(rng, 200, 4000), num_vertices=200, strategy=strategy)
    pair.insert([0], [1])
    pair.graph.store._no_arrivals()[:] = 1
    pair.insert([3], [199])
    check_layout(pair.graph)
    pair.check()


def test_weights_are_added_wholly_or_not_at_all(device, rng):
    """Edges that come, change and go in one batch, whichever allocation fails."""
    start = random_batch(rng, 1000, 1000, "float32")
    pair = make(LPMA, device, *start, num_vertices=1000)
    batch = random_batch(rng, 1000, 200_000 if device == "gpu" else 1500, "float32")
    src, dst, weights = (np.concatenate(parts) for parts in zip(start, batch, strict=True))
    weights[: start[2].size] = -10
    pair.graph.copy().insert_edges(src, dst, weights, on_existing="add")  # compiles its kernels
    before = snapshot(pair.graph)
    for step in range(STEPS):
        pair.graph = pair.graph.copy()  # without the scratch memory of earlier steps
        try:
            with exhausted(pair.graph, step):
                pair.graph.insert_edges(src, dst, weights, on_existing="add")
            break
        except MemoryError:
            assert snapshot(pair.graph) == before, f"changed by a failure at step {step}"
    assert 0 < step < STEPS - 1
    pair.model.insert_edges(src, dst, weights, on_existing="add")
    check_layout(pair.graph)
    pair.check()
