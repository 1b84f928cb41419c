"""Algorithms for graphs with times, on every structure, against verifiers. Temporal sampling."""

import importlib
import math
from dataclasses import replace

import numpy as np
import pytest
from model import to_host
from verifiers import VERIFIERS, host

import frontier as fr
from algorithms import (
    DynamicPageRank,
    DynamicTemporalTriangleCount,
    analytics,
    earliest_arrival,
    temporal_pagerank,
    temporal_random_walks,
    temporal_triangle_count,
)
from structures import CSR, SlabGraph

pytestmark = pytest.mark.filterwarnings("ignore::frontier.ReplacedTimesWarning")

N = 40
TIMED = analytics(times=True)
EXTREMES = np.array([-(2**63), 2**63 - 1, -(2**63) + 1, 0])


def build(structure, device, size=260, low=0, high=60, **options):
    """A random graph from which vertex 3 was deleted, with some equal times."""
    rng = np.random.default_rng(11)
    src, dst, times = *rng.integers(0, N, (2, size)), rng.integers(low, high, size)
    graph = structure.from_edges(src, dst, num_vertices=N + 1, time=times, device=device, time_unit="s", **options)
    graph.delete_vertices([3])
    return graph


@pytest.mark.sampled("name", of=7)
@pytest.mark.parametrize("name", TIMED)
def test_verified(name, structure, device):
    known = TIMED[name]
    for orientation in ({}, {"directed": True}, {"directed": True, "in_edges": True}):
        graph = build(structure, device, **orientation)
        settings = known.settings(graph, delta=20, half_life=7)
        if known.obstacle(graph):
            with pytest.raises(ValueError, match="undirected"):
                known.compute(graph, **settings)
            continue
        found = known.compute(graph, **settings)
        VERIFIERS[name](graph, found, **settings)
        values = [np.array(part) for part in known.fetch(graph.device, found)]
        values[-1].flat[values[-1].size // 2] += 1  # a wrong result does not pass
        with pytest.raises(AssertionError):
            VERIFIERS[name](graph, replace(found, **dict(zip(known.values, values, strict=True))), **settings)


@pytest.mark.parametrize("name", TIMED)
def test_graphs_without_times_are_refused(name, device):
    graph = SlabGraph.from_edges([0, 1], [1, 2], device=device)
    assert TIMED[name].obstacle(graph) == "it needs a graph with times"
    with pytest.raises(ValueError, match="graph must have times; make it with time_unit="):
        TIMED[name].compute(graph, **TIMED[name].settings(graph))
    assert name not in analytics()


@pytest.mark.parametrize("name", TIMED)
def test_extreme_times_and_small_graphs(name, device):
    known = TIMED[name]
    for n, src, dst in ((1, [], []), (4, [0, 1, 2, 0], [1, 2, 0, 3]), (4, [0, 1, 2], [1, 2, 0])):
        kind = CSR if name == "temporal_pagerank" else SlabGraph
        graph = kind.from_edges(src, dst, num_vertices=n, time=EXTREMES[: len(src)], device=device)
        settings = known.settings(graph)
        VERIFIERS[name](graph, known.compute(graph, **settings), **settings)


# ---- random walks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("high", [4, 1000])  # many equal times, and few
def test_random_walks(device, directed, backward, high, monkeypatch):
    module = importlib.import_module("algorithms.temporal_random_walks")  # by its name, which the function hides
    monkeypatch.setattr(module, "BLOCK", 5)  # lists of several blocks
    graph = build(SlabGraph, device, high=high, directed=directed)
    rng = np.random.default_rng(high)
    starts = rng.choice([v for v in range(N) if v != 3], 150)
    for options in (
        {}, {"strict": False}, {"half_life": 2}, {"half_life": 300, "strict": False, "start_times": high // 2},
        {"half_life": 1, "start_times": rng.integers(0, high, 150)}, {"start_times": rng.integers(0, high, 150)},
    ):  # fmt: skip
        found = temporal_random_walks(graph, starts, 8, seed=high, backward=backward, **options)
        VERIFIERS["temporal_random_walks"](graph, found, 8, high, starts, backward=backward, **options)
    assert temporal_random_walks(graph, [], 4).paths.shape == (0, 5)
    assert temporal_random_walks(graph, [5], 0).paths.tolist() == [[5]]


def test_random_walks_prefer_short_waits(device):
    """Three edges with delays of 0, 1 and 2 half-lives are drawn in the ratio 4 : 2 : 1."""
    times = [5, 10, 20, 30]
    graph = CSR.from_edges([0, 1, 1, 1], [1, 2, 3, 4], time=times, time_unit="s", directed=True, device=device)
    found = temporal_random_walks(graph, np.zeros(7000, np.int64), 2, half_life="10s", seed=2)
    counts = np.bincount(host(found.ends))[2:]
    assert np.abs(counts - [4000, 2000, 1000]).max() < 120
    sure = temporal_random_walks(graph, [1, 1], 1, start_times=np.array([11, 21], "M8[s]"), half_life=1)
    assert host(sure.ends).tolist() == [3, 4]


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"length": -1}, ValueError, "length"), ({"starts": [99]}, ValueError, "starts"),
        ({"starts": [3]}, ValueError, "starts"), ({"start_times": [1, 2]}, ValueError, "must have an entry for each"),
        ({"start_times": 0.5}, TypeError, "start_times"), ({"decay": -1.0}, ValueError, "decay"),
        ({"decay": 1, "half_life": 1}, TypeError, "give one of"), ({"backward": 1}, TypeError, "backward"),
        ({"strict": None}, TypeError, "strict"), ({"seed": "x"}, TypeError, "seed"),
    ],
)  # fmt: skip
def test_random_walks_of_bad_arguments(options, error, message):
    graph = build(SlabGraph, "cpu")
    with pytest.raises(error, match=message):
        temporal_random_walks(graph, **options)


# ---- earliest arrival -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strict", [False, True])
def test_earliest_arrival(device, directed, strict, monkeypatch):
    for high in (4, 1000):  # many equal times, and few, in few spans of time and in many
        module = importlib.import_module("algorithms.earliest_arrival")  # by its name, which the function hides
        monkeypatch.setitem(module.BUCKET_ARCS, device, 4000 // high)
        graph = build(SlabGraph, device, 300, -high, high, directed=directed)
        for source, start, end in ((0, None, None), (5, -high // 2, None), (7, 0, high // 2), (9, 10**6, None)):
            found = earliest_arrival(graph, source, start, end, strict=strict)
            VERIFIERS["earliest_arrival"](graph, found, source, start, end, strict)
            short = earliest_arrival(graph, source, start, end, strict=strict, predecessors=False)
            assert short.predecessor is None and (host(short.arrival) == host(found.arrival)).all()


def test_earliest_arrival_takes_timestamps(device):
    graph = SlabGraph(3, time_unit="s", directed=True, device=device)
    graph.insert_edges([0, 1], [1, 2], time=[60, 120])
    found = earliest_arrival(graph, 0, np.datetime64(60, "s"), np.datetime64(2, "m"))
    assert host(found.arrival).tolist() == [60, 60, 2**63 - 1] and host(found.predecessor).tolist() == [-1, 0, -1]
    for error, text, options in (
        (TypeError, "strict", {"strict": 1}), (TypeError, "start", {"start": "soon"}), (TypeError, "end", {"end": 0.5}),
    ):  # fmt: skip
        with pytest.raises(error, match=text):
            earliest_arrival(graph, 0, **options)


# ---- PageRank -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_temporal_pagerank_with_weights(device, orientation):
    rng = np.random.default_rng(2)
    graph = build(CSR, device, weights=rng.integers(0, 3, 260).astype(np.float32), **orientation)
    for settings in ({"decay": 0.0}, {"decay": 0.3}, {"half_life": "5s"}):
        found = temporal_pagerank(graph, tol=1e-8, **settings)
        numbers = settings | ({"half_life": 5} if "half_life" in settings else {})
        VERIFIERS["temporal_pagerank"](graph, found, tol=1e-8, **numbers)
        again = temporal_pagerank(graph, tol=1e-8, nstart=found.pagerank, **settings)
        assert again.iterations <= 2 < found.iterations


def test_ranks_do_not_underflow(device):
    """Edges too old to count among new edges count among edges of their age."""
    graph = CSR.from_edges([0, 0, 1], [1, 2, 0], time=[0, 1, 10**12], directed=True, time_unit="s", device=device)
    ranks = host(temporal_pagerank(graph, half_life=1).pagerank)
    jumped = (1 - 0.85 + 0.85 * ranks[2]) / 3  # vertex 2 is dangling
    assert ranks[2] - jumped == pytest.approx(2 * (ranks[1] - jumped), rel=1e-3)


@pytest.mark.slow
def test_incremental_ranks_are_those_of_weights_that_grow(device):
    """Old edges need not fade if new ones weigh more: `DynamicPageRank` then maintains decayed ranks."""
    rng, decay = np.random.default_rng(4), 0.05
    graph = SlabGraph(N, time_unit="s", weight_dtype="float64", directed=True, in_edges=True, device=device)
    ranks = DynamicPageRank(graph, tol=1e-9)
    for now in range(0, 300, 60):
        times = rng.integers(now, now + 60, 50)
        graph.insert_edges(*rng.integers(0, N, (2, 50)), np.exp(decay * times), time=times)
        graph.expire(now - 60)
        exact = temporal_pagerank(graph, tol=1e-9, max_iter=1000, decay=decay, weighted=False).pagerank
        assert np.abs(host(ranks.pagerank) - host(exact)).sum() < 1e-7


def test_bad_decay(device):
    graph = build(CSR, device)
    for error, text, options in (
        (TypeError, "give one of decay and half_life", {}),
        (TypeError, "give one of decay and half_life", {"decay": 1.0, "half_life": 2}),
        (ValueError, "decay must be finite", {"decay": -1.0}),
        (ValueError, "half_life must be positive", {"half_life": 0}),
        (TypeError, "half_life", {"half_life": 1.5}),
    ):
        with pytest.raises(error, match=text):
            temporal_pagerank(graph, **options)


# ---- triangles ------------------------------------------------------------------------------------------------------


@pytest.mark.sampled("delta", of=7)
@pytest.mark.parametrize("delta", [0, 15, 2**63 - 1])
def test_incremental_triangles(structure, device, delta):
    """Under insertions, new times, deletions, expiry, and of vertices, after every batch."""
    rng = np.random.default_rng(6)
    graph = structure(N, time_unit="ns", device=device)
    graph.insert_edges(*rng.integers(0, N, (2, 100)), time=rng.integers(0, 40, 100))
    counter = DynamicTemporalTriangleCount(graph, delta)
    seen = 0
    for now in range(0, 150, 10):
        size = int(rng.integers(0, 90))
        graph.insert_edges(*rng.integers(4, N, (2, size)), time=rng.integers(now - 20, now + 10, size))
        VERIFIERS["temporal_triangle_count"](graph, counter, delta)
        seen += counter.total
        if now % 20:
            graph.expire(now - 50)
        else:
            graph.delete_edges(*rng.integers(0, N, (2, 60)))
        VERIFIERS["temporal_triangle_count"](graph, counter, delta)
        if now == 50:
            graph.delete_vertices([1])
            graph.insert_vertices(3)
        counted = temporal_triangle_count(graph, delta)
        assert counted.total == counter.total and (host(counted.per_vertex) == host(counter.per_vertex)).all()
    assert seen > (20 if delta else 0)


def test_triangles_of_mixed_batches(device):
    """An edge that is deleted and inserted again in one batch has another time."""
    graph = SlabGraph.from_edges([0, 1, 2], [1, 2, 0], time=[10, 20, 30], device=device)
    counter, op = DynamicTemporalTriangleCount(graph, 5), fr.Operation
    assert counter.total == 0
    graph.apply([op.DELETE, op.INSERT, op.INSERT], [0, 0, 2], [1, 1, 0], time=[0, 18, 5])
    graph.apply([op.DELETE, op.INSERT], [2, 2], [0, 0], time=[0, 23])
    assert counter.total == 1 == temporal_triangle_count(graph, 5).total


# ---- sampling -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", ["uniform", "decay"])
def test_samples_are_of_the_past(device, directed, method):
    graph = build(SlabGraph, device, directed=directed, in_edges=directed)
    rng = np.random.default_rng(7)
    asked, limits = rng.choice(np.setdiff1d(np.arange(N), [3]), 50), rng.integers(0, 60, 50)
    options = {"method": method, "seed": 5} | ({"half_life": 4} if method == "decay" else {})
    for view in (graph, graph.reverse):
        for before in (None, limits):
            parts = fr.sample_temporal_neighbors(view, asked, 3, before=before, **options)
            offsets, ids, times, edges = (to_host(graph, part) for part in parts)
            for i, v in enumerate(asked.tolist()):
                near = to_host(graph, view.neighbors(v))
                held = to_host(graph, graph.edge_data["time"][view.edge_ids(np.full(near.size, v), near)])
                there = {u: t for u, t in zip(near.tolist(), held.tolist(), strict=True)
                         if before is None or t < limits[i]}  # fmt: skip
                part = slice(offsets[i], offsets[i + 1])
                found = ids[part].tolist()
                assert len(set(found)) == len(found) == min(3, len(there))
                assert times[part].tolist() == [there[u] for u in found]
                assert edges[part].tolist() == to_host(graph, view.edge_ids([v] * len(found), found)).tolist()
            if view is graph:  # on another structure, and the CPU
                other = build(CSR, "cpu", directed=directed)
                same = fr.sample_temporal_neighbors(other, asked, 3, before=before, **options)
                assert [part.tolist() for part in same[:3]] == [offsets.tolist(), ids.tolist(), times.tolist()]


@pytest.mark.slow
def test_samples_have_the_right_frequencies(device):
    """Frequencies of the first drawn neighbor, over many draws."""
    leaves, draws = 4, 20_000
    times = np.array([0, 10, 20, -(10**15)])
    graph = CSR.from_edges([0] * leaves, np.arange(1, leaves + 1), time=times, time_unit="s", device=device)
    asked = np.zeros(draws, np.int64)
    for weights, options in (
        (np.ones(leaves), {"method": "uniform"}),
        (np.array([1, 2, 4, 0]), {"method": "decay", "half_life": 10}),
        (np.exp(0.05 * np.array([0, 10, 20, -math.inf])), {"method": "decay", "decay": 0.05}),
    ):
        ids = host(fr.sample_temporal_neighbors(graph, asked, 1, seed=9, **options)[1])
        share = np.bincount(ids, minlength=leaves + 1)[1:] / draws
        assert np.abs(share - weights / weights.sum()).max() < 0.015
        first = host(fr.sample_temporal_neighbors(graph, asked[:50], 3, seed=9, **options)[1]).reshape(-1, 3)[:, 0]
        assert first.tolist() == ids[:50].tolist()  # a smaller sample is a prefix of a larger one


def test_bad_samples(device):
    graph = build(CSR, device)
    assert [part.size for part in fr.sample_temporal_neighbors(graph, [], 2, seed=1)] == [1, 0, 0, 0]
    assert [part.size for part in fr.sample_temporal_neighbors(graph, [0], 2, seed=1, before=-1)] == [2, 0, 0, 0]
    for error, text, options in (
        (TypeError, "'uniform' needs a seed", {}),
        (TypeError, "'latest' draws nothing", {"method": "latest", "seed": 1}),
        (TypeError, "no meaning with method='uniform'", {"decay": 1.0, "seed": 1}),
        (TypeError, "give one of", {"method": "decay", "seed": 1}),
        (ValueError, "method must be one of", {"method": "best", "seed": 1}),
        (ValueError, "same length", {"before": [1, 2], "seed": 1}),
    ):
        with pytest.raises(error, match=text):
            fr.sample_temporal_neighbors(graph, [0], 2, **options)
