"""Temporal motifs that follow a graph: always the counts of `temporal_motifs`."""

import warnings

import numpy as np
import pytest
from verifiers import VERIFIERS

import frontier as fr
from algorithms import DynamicTemporalMotifs, temporal_motifs
from algorithms.dynamic_temporal_motifs import motif_counts

MODULE = "algorithms.dynamic_temporal_motifs"
N = 12
NEVER = 2**63 - 1
FORMS = {
    "events": {"directed": True, "multi_edges": "all"},
    "undirected events": {"multi_edges": "all"},
    "edges": {"directed": True},
    "undirected edges": {"keep_time": "first"},
}


def check(motifs):
    found = temporal_motifs(motifs.graph, motifs.delta)
    assert motifs.total == found.total
    assert (motifs.counts == found.counts).all()
    return found.total


@pytest.fixture(autouse=True)
def large(monkeypatch):
    """Small graphs are treated like large ones."""
    monkeypatch.setattr(f"{MODULE}.FEW_EVENTS", {"cpu": 0, "gpu": 0})


@pytest.fixture(params=[False, True], ids=["", "always_near"])
def ranges(request, monkeypatch):
    """How often all motifs were counted, and how often those near a change. With a parameter, always the latter."""
    counted = {"all": 0, "near": 0}

    def counting(key, made):
        def act(self, *args, **options):
            counted[key] += 1
            return made(self, *args, **options)

        return act

    for name, key in (("_count_all", "all"), ("_apply", "near")):
        monkeypatch.setattr(DynamicTemporalMotifs, name, counting(key, getattr(DynamicTemporalMotifs, name)))
    if request.param:
        monkeypatch.setattr(f"{MODULE}.RECOUNT_ABOVE", 10**6)
    return counted


@pytest.mark.parametrize("form", FORMS)
def test_any_history(structure, device, form, rng, tries, ranges):
    """Batches into the past and the present, repeated events, expiry, deletions, and vertices that go, read or not."""
    warnings.simplefilter("ignore", fr.ReplacedTimesWarning)
    graph = structure(N, time_unit="s", device=device, **FORMS[form])
    motifs, seen = DynamicTemporalMotifs(graph, 6), 0
    for now in range(0, tries(120, 4000), 4):
        size = int(rng.integers(0, 12))
        graph.insert_edges(*rng.integers(0, N, (2, size)), time=rng.integers(now - 3, now + 4, size))
        if now % 3 == 0:
            graph.expire(now - 60)
        if now % 8 == 0:
            graph.delete_edges(*rng.integers(0, N, (2, 5)))
        if now == 60:
            graph.delete_vertices([3])
            graph.insert_vertices(2)
            check(motifs)
            with pytest.raises(ValueError, match="src"):
                graph.delete_edges([1, 2 * N], [2, 0])
        if now % 5 < 3:
            seen += check(motifs)
    assert seen > 20 and ranges["near"] > 5
    motifs.close()
    assert motifs.total == temporal_motifs(graph, 6).total


def test_equal_events_go_one_by_one(structure, device, ranges):
    graph = structure(4, time_unit="s", device=device, **FORMS["events"])
    motifs = DynamicTemporalMotifs(graph, 10)
    graph.insert_edges([0, 0, 0, 1, 2, 2], [1, 1, 1, 2, 0, 0], time=[1, 1, 1, 2, 3, 3])
    VERIFIERS["temporal_motifs"](graph, motifs, 10)
    assert motifs.total == 6
    for left in (4, 2, 0):
        graph.delete_records([int(graph.records([0], [1])[1][0])])
        assert check(motifs) == left
    graph.insert_edges([0, 0], [1, 1], time=[1, 1])
    graph.expire(3)
    graph.insert_edges([1], [2], time=[4])  # comes and goes between two reads
    graph.delete_edges([1], [2])
    assert check(motifs) == 0


def test_mixed_batches(device):
    """An edge that is deleted and inserted again in one batch has another time."""
    graph = fr.structures()["slab"].from_edges([0, 1, 2], [1, 2, 0], time=[10, 20, 15], directed=True, device=device)
    motifs, op = DynamicTemporalMotifs(graph, 5), fr.Operation
    warnings.simplefilter("ignore", fr.ReplacedTimesWarning)
    graph.apply([op.DELETE, op.INSERT, op.INSERT], [0, 0, 2], [1, 1, 0], time=[0, 18, 23])
    assert check(motifs) == 1


@pytest.mark.parametrize("delta", [0, 10, NEVER])
def test_extreme_times(device, delta, ranges):
    graph = fr.structures()["slab"](3, time_unit="s", multi_edges="all", directed=True, device=device)
    motifs = DynamicTemporalMotifs(graph, delta)
    times = [-(2**63) + 1, NEVER, -1, 0, NEVER - 3, 5 - 2**63]
    for src, dst in ((0, 1), (1, 2), (2, 0)):
        graph.insert_edges([src] * 6, [dst] * 6, time=times)
        check(motifs)
    graph.expire(0)
    assert bool(check(motifs)) == (delta == NEVER)


def test_bad_input(device):
    slab = fr.structures()["slab"]
    with pytest.raises((TypeError, ValueError), match="times"):
        DynamicTemporalMotifs(slab(3, device=device), 5)
    with pytest.raises((TypeError, ValueError), match="delta"):
        DynamicTemporalMotifs(slab(3, time_unit="s", device=device), -1)


def test_a_small_batch_counts_few_events(device, rng, monkeypatch):
    graph = fr.structures()["slab"](N, time_unit="s", device=device, **FORMS["events"])
    graph.insert_edges(*rng.integers(0, N, (2, 400)), time=np.arange(400))
    motifs = DynamicTemporalMotifs(graph, 10)
    counted = []
    monkeypatch.setattr(
        f"{MODULE}.motif_counts",
        lambda graph, src, *args: counted.append(int(src.size)) or motif_counts(graph, src, *args),
    )
    graph.insert_edges([0], [1], time=[400])
    graph.expire(1)
    check(motifs)
    assert counted and max(counted) <= 12
