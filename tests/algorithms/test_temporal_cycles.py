"""Temporal cycles: all lengths, edge cases, and the motifs that they are."""

import numpy as np
import pytest
from verifiers import VERIFIERS, host

from algorithms import temporal_cycle_count, temporal_cycles, temporal_motifs
from structures import CSR, SlabGraph

EVENTS = {"time_unit": "s", "directed": True, "multi_edges": "all"}


def check(graph, delta, length_bound):
    for name, function in (("temporal_cycle_count", temporal_cycle_count), ("temporal_cycles", temporal_cycles)):
        VERIFIERS[name](graph, function(graph, delta, length_bound), delta, length_bound)
    return temporal_cycle_count(graph, delta, length_bound)


def test_repeated_events(structure, device, directed):
    """Many events of few vertices, many of them at equal times."""
    rng = np.random.default_rng(8)
    for vertices, size, high, length_bound in ((2, 20, 40, 4), (5, 30, 12, 5), (8, 40, 200, 6)):
        graph = structure(vertices, **EVENTS | {"directed": directed}, device=device)
        graph.insert_edges(*rng.integers(0, vertices, (2, size)), time=rng.integers(-high, high, size))
        for delta in (0, high // 2, 2**63 - 1):
            check(graph, delta, length_bound)


@pytest.mark.parametrize("length", range(2, 8))
def test_a_ring(length, device):
    """Events in order are a cycle within their span, if it may be so long. Events in the reverse order are none."""
    ring = np.arange(length)
    graph = CSR.from_edges(ring, np.roll(ring, -1), time=10 * ring, device=device, **EVENTS)
    assert check(graph, 10 * (length - 1), length).by_length[length] == 1
    assert check(graph, 10 * (length - 1) - 1, length).total == 0
    if length > 2:
        assert check(graph, 10 * length, length - 1).total == 0
    found = temporal_cycles(graph, 99, 99)
    assert host(found.src).tolist() == ring.tolist() and found.total == 1
    reverse = CSR.from_edges(np.roll(ring, -1), ring, time=10 * ring, device=device, **EVENTS)
    assert check(reverse, 99, length).total == (length == 2)


@pytest.mark.slow
def test_short_cycles_are_motifs(device):
    rng = np.random.default_rng(9)
    graph = SlabGraph(9, **EVENTS, device=device)
    graph.insert_edges(*rng.integers(0, 9, (2, 300)), time=rng.integers(0, 900, 300))
    for delta in (50, 400):
        motifs = host(temporal_motifs(graph, delta).counts)
        assert temporal_cycle_count(graph, delta, 3).by_length[3] == motifs[1, 3] > 0  # 1 -> 2 -> 3 -> 1


def test_hub(device):
    """Every account pays a hub, which pays it back later: the search from the hub has one way, and not one for each."""
    leaves = np.arange(1, 200)
    src, dst = np.append(leaves, np.zeros_like(leaves)), np.append(np.zeros_like(leaves), leaves)
    times = np.append(leaves, 1000 - leaves)
    graph = CSR.from_edges(src, dst, time=times, device=device, **EVENTS)
    found = temporal_cycle_count(graph, 1000, 5)
    assert found.by_length == {2: leaves.size, 3: 0, 4: 0, 5: 0}
    assert host(found.per_vertex).tolist() == [leaves.size] + [1] * leaves.size


def test_small_and_changed_graphs(structure, device):
    for vertices in (0, 1, 5):
        graph = structure(vertices, **EVENTS, device=device)
        found, listed = temporal_cycle_count(graph, 5), temporal_cycles(graph, 5)
        assert found.total == listed.total == 0 and found.per_vertex.shape == (vertices,)
        assert [part.size for part in (listed.src, listed.dst, listed.time, listed.event, listed.cycle)] == [0] * 5
        assert listed.src.dtype == graph.vertex_dtype and listed.event.dtype == listed.cycle.dtype == np.int64
    graph = structure(4, **EVENTS, device=device)
    graph.insert_edges([0, 1, 2, 2, 3, 0, 1], [1, 2, 0, 3, 0, 0, 0], time=range(7))
    assert check(graph, 9, 4).by_length == {2: 1, 3: 1, 4: 1}
    graph.delete_vertices([3])
    assert check(graph, 9, 4).by_length == {2: 1, 3: 1, 4: 0}
    assert temporal_cycle_count(graph, 9, 2**40).by_length == {2: 1, 3: 1, 4: 0}
    graph.expire(1)
    assert check(graph, 9, 4).total == 0


def test_extreme_times(device):
    graph = SlabGraph(3, **EVENTS, device=device)
    low, high = -(2**63), 2**63 - 1
    graph.insert_edges([0, 1, 2, 0, 1], [1, 2, 0, 1, 0], time=[low, 0, high, high - 1, high])
    for delta in (0, 1, high):
        check(graph, delta, 4)
    assert temporal_cycle_count(graph, 1).total == 1


def test_bad_arguments():
    graph = SlabGraph(3, **EVENTS, device="cpu")
    for function in (temporal_cycle_count, temporal_cycles):
        for error, delta in ((ValueError, -1), (TypeError, 0.5), (ValueError, "soon")):
            with pytest.raises(error, match="delta"):
                function(graph, delta)
        for error, bound in ((ValueError, 1), (TypeError, 2.5)):
            with pytest.raises(error, match="length_bound"):
                function(graph, 5, bound)
