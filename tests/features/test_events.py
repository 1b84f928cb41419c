"""Readers of times see every event: in graphs that store records, against programs over a plain list of the records."""

import itertools
import os
import warnings
from pathlib import Path

import numpy as np
import pytest
import temporal_verifiers
from model import edge_key, to_host
from verifiers import VERIFIERS

import frontier as fr
from algorithms import (
    DynamicTemporalTriangleCount,
    earliest_arrival,
    temporal_cycle_count,
    temporal_cycles,
    temporal_motifs,
    temporal_pagerank,
    temporal_random_walks,
    temporal_triangle_count,
)
from structures import CSR, Hornet, SlabGraph

N = 9
NEVER = 2**63 - 1


class Stream:
    """A graph that stores records, and a list of them: source, destination, time, weight."""

    def __init__(self, structure, device, *, size=N, weighted=False, **options):
        weight_dtype = "float32" if weighted else None
        self.graph = structure(
            size, time_unit="s", multi_edges="all", weight_dtype=weight_dtype, device=device, **options
        )
        self.events = []

    def insert(self, src, dst, times, weights=None):
        given = {} if weights is None else {"weights": weights}
        self.graph.insert_edges(src, dst, time=times, **given)
        weights = [1.0] * len(src) if weights is None else weights
        self.note(zip(*(np.asarray(part).tolist() for part in (src, dst, times, weights)), strict=True))

    def note(self, events):
        self.events += [event for event in events if event[0] != event[1]]

    def delete(self, src, dst):
        self.graph.delete_edges(src, dst)
        gone = {self.edge(u, v) for u, v in zip(src.tolist(), dst.tolist(), strict=True)}
        self.events = [event for event in self.events if self.edge(*event[:2]) not in gone]

    def expire(self, before):
        self.graph.expire(before)
        self.events = [event for event in self.events if event[2] >= before]

    edge = edge_key

    def arcs(self, _=None):
        """The result of `temporal_verifiers.timed_arcs`, from the list."""
        both = [] if self.graph.directed else [(v, u, *rest) for u, v, *rest in self.events]
        return [list(part) for part in zip(*self.events, *both, strict=True)] or [[], [], [], []]


def arrivals(stream, source, start, strict):
    """Events one after another, in the order of time. Events of equal times repeat until nothing changes."""
    found = [NEVER] * stream.graph.num_vertices
    found[source] = start
    arcs = sorted((time, u, v) for u, v, time, _ in zip(*stream.arcs(), strict=True) if time >= start)
    for time, group in itertools.groupby(arcs, lambda arc: arc[0]):
        ends, before = [arc[1:] for arc in group], list(found)
        for u, v in ends * (1 if strict else len(ends)):
            seen = before[u] < time if strict and u != source else found[u] <= time
            if seen and time < found[v]:
                found[v] = time
    return found


def check(stream, monkeypatch, rng):
    """All functions that read times."""
    graph = stream.graph
    monkeypatch.setattr(temporal_verifiers, "timed_arcs", stream.arcs)
    source, start = int(rng.integers(N)), int(rng.integers(-5, 20))
    for strict in (False, True):
        found = earliest_arrival(graph, source, start=start, strict=strict)
        assert to_host(graph, found.arrival).tolist() == arrivals(stream, source, start, strict)
        VERIFIERS["earliest_arrival"](graph, found, source, start, None, strict)
    check_samples(stream, rng)
    for options in ({}, {"backward": True, "strict": False}, {"half_life": 3, "start_times": start}):
        walks = temporal_random_walks(graph, np.arange(N), 4, seed=start, **options)
        VERIFIERS["temporal_random_walks"](graph, walks, 4, start, np.arange(N), **options)
    ranks = temporal_pagerank(graph, half_life=4, tol=1e-8, max_iter=500)
    VERIFIERS["temporal_pagerank"](graph, ranks, half_life=4, tol=1e-8)
    VERIFIERS["temporal_motifs"](graph, temporal_motifs(graph, 6), 6)
    VERIFIERS["temporal_cycle_count"](graph, temporal_cycle_count(graph, 6), 6)
    VERIFIERS["temporal_cycles"](graph, temporal_cycles(graph, 6), 6)
    if not graph.directed:
        VERIFIERS["temporal_triangle_count"](graph, temporal_triangle_count(graph, 6), 6)


def check_samples(stream, rng):
    graph, rows = stream.graph, [[] for _ in range(N)]
    for u, v, time, _ in zip(*stream.arcs(), strict=True):
        rows[u].append((-time, v))
    limits = rng.integers(-5, 40, N)
    for inclusive in (False, True):
        past = [
            sorted(event for event in row if -event[0] < limit + inclusive)
            for row, limit in zip(rows, limits, strict=True)
        ]
        for count in (2, -1):
            parts = fr.latest_neighbors(graph, np.arange(N), count, before=limits, inclusive=inclusive)
            offsets, ids, times = (to_host(graph, part).tolist() for part in parts)
            for v, row in enumerate(past):
                seen = slice(offsets[v], offsets[v + 1])
                found = list(zip([-time for time in times[seen]], ids[seen], strict=True))
                assert found == (row if count == -1 else row[:count])
            for options in ({"method": "uniform"}, {"method": "decay", "half_life": 3}):
                parts = fr.sample_temporal_neighbors(
                    graph, np.arange(N), count, before=limits, inclusive=inclusive, seed=2, **options
                )
                offsets, ids, times, records = (to_host(graph, part).tolist() for part in parts)
                assert np.diff(offsets).tolist() == [len(row) if count < 0 else min(count, len(row)) for row in past]
                assert times == to_host(graph, graph.record_data["time"])[records].tolist()
                for v, row in enumerate(past):
                    seen = range(offsets[v], offsets[v + 1])
                    assert len({records[i] for i in seen}) == len(seen)
                    assert all((-times[i], ids[i]) in row for i in seen)
                    ends = graph.record_endpoints([records[i] for i in seen])
                    pairs = list(zip(*(to_host(graph, part).tolist() for part in ends), strict=True))
                    assert pairs == [stream.edge(v, ids[i]) for i in seen]


def draw(rng, now, size):
    return rng.integers(0, N, size), rng.integers(0, N, size), rng.integers(now - 6, now + 4, size)


@pytest.mark.slow
def test_the_first_of_several_contacts_counts(structure, device):
    graph = structure(3, time_unit="s", multi_edges="all", device=device)
    graph.insert_edges([0, 1, 0], [1, 2, 1], time=[10, 20, 30])
    assert to_host(graph, earliest_arrival(graph, 0, start=0).arrival).tolist() == [0, 10, 20]
    assert to_host(graph, earliest_arrival(graph, 0, start=11).arrival).tolist() == [11, 30, NEVER]


@pytest.mark.slow
@pytest.mark.sampled(by="file")
def test_repeated_contacts(structure, device, orientation, monkeypatch):
    """Under insertions, deletions, expiry, of vertices, and in copies."""
    rng = np.random.default_rng(3)
    stream = Stream(structure, device, **orientation)
    graph = stream.graph
    check(stream, monkeypatch, rng)
    for now in (0, 10, 20, 30):
        stream.insert(*draw(rng, now, 30))
        check(stream, monkeypatch, rng)
        stream.delete(*draw(rng, now, 3)[:2])
        stream.expire(now - 12)
    check(stream, monkeypatch, rng)
    stream.graph = graph.copy()
    check(stream, monkeypatch, rng)
    stream.graph = graph
    graph.delete_vertices([N - 1])
    graph.insert_vertices([N - 1])
    stream.events = [event for event in stream.events if N - 1 not in event[:2]]
    stream.insert(*draw(rng, 35, 10))
    check(stream, monkeypatch, rng)


@pytest.mark.slow
def test_weights_of_events(device, orientation, monkeypatch):
    """PageRank follows each event by its own weight, and not by the sum."""
    rng = np.random.default_rng(4)
    stream = Stream(CSR, device, weighted=True, **orientation)
    for now in (0, 10):
        stream.insert(*draw(rng, now, 25), rng.integers(0, 3, 25).astype(np.float32))
    check(stream, monkeypatch, rng)
    stream.insert([0, 0], [1, 1], [5, 6], np.array([-1, 2], np.float32))
    with pytest.raises(ValueError, match="weights that are not negative"):
        temporal_pagerank(stream.graph, half_life=1)


def test_events_of_a_window(device, monkeypatch):
    rng = np.random.default_rng(5)
    stream = Stream(SlabGraph, device)
    window = fr.SlidingWindow(stream.graph, span=12)
    for now in range(0, 50, 5):
        src, dst, times = draw(rng, now, 15)
        result = window.push(src, dst, time=times)
        taken = to_host(stream.graph, result.record_ids) >= 0
        stream.note(zip(*(part[taken].tolist() for part in (src, dst, times)), [1.0] * int(taken.sum()), strict=True))
        stream.events = [event for event in stream.events if event[2] > window.clock - 12]
    assert len(stream.events) == stream.graph.num_records > 10
    check(stream, monkeypatch, rng)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0, 5, NEVER])
@pytest.mark.parametrize("structure", [SlabGraph, Hornet])
def test_incremental_triangles_of_events(structure, device, delta, monkeypatch):
    """After every batch of insertions, deletions of edges and of records, expiry, and of vertices."""
    rng = np.random.default_rng(6)
    stream = Stream(structure, device)
    graph, seen = stream.graph, 0
    monkeypatch.setattr(temporal_verifiers, "timed_arcs", stream.arcs)
    stream.insert(*draw(rng, 0, 40))
    counter = DynamicTemporalTriangleCount(graph, delta)
    for now in range(2, 42, 8):
        for change in (
            lambda now=now: stream.insert(*draw(rng, now, 30)),
            lambda now=now: stream.delete(*draw(rng, now, 2)[:2]),
            lambda now=now: stream.expire(now - 9),
        ):
            change()
            VERIFIERS["temporal_triangle_count"](graph, counter, delta)
            seen += counter.total
    assert seen > (1 if delta else 0)
    monkeypatch.undo()

    def check_counts():
        VERIFIERS["temporal_triangle_count"](graph, counter, delta)
        VERIFIERS["temporal_triangle_count"](graph, temporal_triangle_count(graph, delta), delta)

    graph.delete_records(rng.choice(to_host(graph, graph.records(*graph.to_coo()[:2])[1]), 10))
    check_counts()
    graph.delete_vertices([0])
    check_counts()
    with pytest.raises(ValueError, match="src"):
        graph.delete_edges([1, N], [2, 0])
    graph.insert_edges([1, 1, 2, 1], [2, 3, 3, 2], time=[50, 50, 50, 50])
    check_counts()


@pytest.mark.slow
def test_incremental_triangles_at_extreme_times(device):
    graph = SlabGraph(4, time_unit="s", multi_edges="all", device=device)
    counters = [DynamicTemporalTriangleCount(graph, delta) for delta in (0, 10, NEVER)]
    times = [-(2**63), NEVER, -1, 0, NEVER - 3, 5 - 2**63]
    for src, dst in (([0] * 6, [1] * 6), ([1] * 6, [2] * 6), ([2] * 6, [0] * 6)):
        graph.insert_edges(src, dst, time=times)
    counts = [
        sum(max(three) - min(three) <= counter.delta for three in itertools.product(times, repeat=3))
        for counter in counters
    ]
    assert [counter.total for counter in counters] == counts
    assert [temporal_triangle_count(graph, counter.delta).total for counter in counters] == counts
    graph.expire(0)
    for counter in counters:
        assert counter.total == temporal_triangle_count(graph, counter.delta).total


class Notification(fr.UpdateObserver):
    """Notifications, in order."""

    sees_records = sees_changes = True

    def __init__(self, graph):
        self.graph, self.found = graph, []
        graph.attach(self)

    def note(self, kind, src, dst, records=()):
        ends = zip(*(to_host(self.graph, part).tolist() for part in (src, dst)), strict=True)
        self.found.append((kind, sorted(tuple(sorted(pair)) for pair in ends), sorted(map(int, records))))

    def edges_inserted(self, src, dst):
        self.note("edges", src, dst)

    edges_changed = edges_changing = edges_deleting = edges_deleted = edges_inserted

    def records_inserted(self, src, dst, records):
        self.note("inserted", src, dst, records)

    def records_deleting(self, src, dst, records):
        assert len(self.graph.record_endpoints(records)) == 2  # the records exist
        self.note("deleting", src, dst, records)

    def records_deleted(self, src, dst, records):
        self.note("deleted", src, dst, records)


def test_observers_of_records(structure, device):
    graph = structure(5, time_unit="s", multi_edges="all", device=device)
    told = Notification(graph)
    graph.insert_edges([0, 1, 2, 3], [1, 0, 2, 4], time=[1, 2, 3, 4])
    assert told.found == [("inserted", [(0, 1), (0, 1), (3, 4)], [0, 1, 2])]
    told.found.clear()
    graph.delete_records([0])
    assert told.found == [("deleting", [(0, 1)], [0]), ("deleted", [(0, 1)], [0])]
    told.found.clear()
    graph.insert_edges([1], [0], time=[9])
    graph.expire(5)  # one edge retains a record
    assert told.found == [
        ("inserted", [(0, 1)], [0]), ("deleting", [(3, 4)], [2]), ("deleted", [(3, 4)], [2]),
        ("deleting", [(0, 1)], [1]), ("deleted", [(0, 1)], [1]),
    ]  # fmt: skip
    told.found.clear()
    graph.copy().delete_edges([0], [1])
    graph.delete_vertices([0])
    assert told.found == [("deleting", [(0, 1)], [0]), ("deleted", [(0, 1)], [0])]
    told.found.clear()
    graph.insert_edges([], [], time=[])
    graph.delete_edges([1], [2])
    assert not told.found
    plain = structure(5, time_unit="s", device=device)  # of edges, where no records are stored
    told = Notification(plain)
    plain.insert_edges([0], [1], time=[1])
    assert ("edges", [(0, 1)], []) in told.found and {kind for kind, *_ in told.found} == {"edges"}


# ---- graphs that store the last time --------------------------------------------------------------------------------


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught if each.category is fr.ReplacedTimesWarning]


CALLS = {
    "earliest_arrival": lambda graph: earliest_arrival(graph, 0),
    "sample": lambda graph: fr.sample_temporal_neighbors(graph, [0], 1, seed=1),
    "latest": lambda graph: fr.latest_neighbors(graph, [0], 1),
    "cycles": lambda graph: temporal_cycles(graph, 5),
    "motifs": lambda graph: temporal_motifs(graph, 5),
    "walks": lambda graph: temporal_random_walks(graph, [0]),
    "triangle_count": lambda graph: temporal_triangle_count(graph, 5),
    "incremental": lambda graph: DynamicTemporalTriangleCount(graph, 5),
    "pagerank": lambda graph: temporal_pagerank(graph, half_life=5),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_warning_names_the_option_once(call, device):
    for multi_edges, keep_time, kept in (
        ("last", "first", "first"),
        ("sum", "latest", "latest"),
        ("all", "latest", None),
    ):
        graph = SlabGraph(4, time_unit="s", multi_edges=multi_edges, keep_time=keep_time, device=device)
        graph.insert_edges([0, 1, 3, 2], [1, 2, 3, 0], time=[1, 2, 3, 4])  # one is a self-loop
        graph.delete_edges([0], [1])
        graph.insert_edges([1], [0], time=[8])
        assert warned(lambda graph=graph: CALLS[call](graph)) == []
        graph.insert_edges([1], [2], time=[9])
        found = warned(lambda graph=graph: (CALLS[call](graph), CALLS[call](graph)))
        assert len(found) == (kept is not None)
        assert all(f"only the {kept} time" in text and "multi_edges='all'" in text for text in found)


@pytest.mark.slow
@pytest.mark.sampled(by="file")
def test_what_replaces_times(structure, device, tmp_path):
    def warns(graph):
        return bool(warned(lambda: earliest_arrival(graph, 0)))

    for multi_edges in ("last", "sum"):
        options = {"time_unit": "s", "multi_edges": multi_edges, "device": device}
        assert not warns(structure.from_edges([0, 1, 2], [1, 2, 2], time=[1, 2, 3], **options))
        assert warns(structure.from_edges([0, 1, 1], [1, 2, 0], time=[1, 2, 3], **options))
        graph = structure(4, time_unit="s", multi_edges=multi_edges, device=device)
        graph.insert_edges([0, 2, 1], [1, 2, 2], time=[1, 5, 3])
        assert not warns(graph)
        graph.insert_edges([0, 3, 3], [2, 1, 1], time=[1, 5, 6])
        graph.save(tmp_path / "graph.npz")
        assert warns(fr.Graph.load(tmp_path / "graph.npz", device=device))
        snapshot = graph.snapshot()
        assert warns(snapshot) and not warns(graph) and not warns(graph.copy()) and not warns(graph.snapshot())
    graph, op = structure(4, time_unit="s", device=device), fr.Operation
    graph.apply([op.INSERT, op.DELETE, op.INSERT, op.INSERT], [0, 0, 0, 1], [1, 1, 1, 1], time=[1, 0, 2, 3])
    assert not warns(graph)
    graph.apply([op.INSERT, op.INSERT], [1, 2], [2, 1], time=[1, 2])
    assert warns(graph)
    graph = structure(4, time_unit="s", device=device)
    window = fr.SlidingWindow(graph, span=100)
    window.push([0, 1], [1, 2], time=[1, 2])
    assert not warns(graph)
    window.push([0], [1], time=[3])
    assert warns(graph)


def test_incremental_triangles_warn_when_a_time_is_replaced(device):
    graph = SlabGraph(4, time_unit="s", device=device)
    counter = DynamicTemporalTriangleCount(graph, 5)
    assert not warned(lambda: graph.insert_edges([0, 1], [1, 2], time=[1, 2]))
    assert len(warned(lambda: graph.insert_edges([0], [1], time=[3]))) == 1
    assert counter.total == 0


# ---- real contacts ---------------------------------------------------------------------------------------------------


def test_real_contacts():
    """Arrivals in a month of e-mails, most of them between people who have written before."""
    path = Path(os.environ.get("DYNFRONTIER_DATA", "")) / "email-Eu-core-temporal.txt.gz"
    if not path.is_file():
        pytest.skip("DYNFRONTIER_DATA has no email-Eu-core-temporal.txt.gz")
    src, dst, times = np.loadtxt(path, np.int64, max_rows=60_000).T
    graph = SlabGraph.from_edges(src, dst, time=times, time_unit="s", directed=True, multi_edges="all", device="cpu")
    source = int(src[0])
    arrival = dict.fromkeys(range(graph.num_vertices), NEVER) | {source: 0}
    for i in np.argsort(times, kind="stable"):
        u, v, time = int(src[i]), int(dst[i]), int(times[i])
        if arrival[u] < time or (u == source and arrival[u] <= time):
            arrival[v] = min(arrival[v], time)
    found = earliest_arrival(graph, source, start=0, strict=True, predecessors=False)
    assert found.arrival.tolist() == list(arrival.values())
