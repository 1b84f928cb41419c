"""Counts of temporal motifs: the table of the paper, edge cases, and real messages."""

import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from verifiers import VERIFIERS, host

from algorithms import temporal_cycle_count, temporal_motifs
from structures import CSR, SlabGraph

SECOND = (3, 2), (2, 3), (3, 1), (1, 3), (2, 1), (1, 2)
THIRD = (1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)
"""The edges of Figure 2 of the paper after 1 -> 2: of each row, and of each column."""
EVENTS = {"time_unit": "s", "directed": True, "multi_edges": "all"}


def table(graph, delta):
    found = temporal_motifs(graph, delta)
    VERIFIERS["temporal_motifs"](graph, found, delta)
    return host(found.counts)


@pytest.mark.parametrize("row, column", [*itertools.product(range(6), repeat=2)])
def test_each_motif_has_its_cell(row, column):
    """For any ids, and any order of times among the times of other events."""
    for ids in itertools.permutations(range(3)):
        edges = np.array([(1, 2), SECOND[row], THIRD[column]]) - 1
        src, dst = np.array(ids)[edges].T
        graph = SlabGraph.from_edges(src, dst, time=[5, 7, 9], num_vertices=3, device="cpu", **EVENTS)
        counts = table(graph, 4)
        assert counts[row, column] == counts.sum() == 1
        assert not table(graph, 3).any()


def test_repeated_events(structure, device, directed):
    """Many events of few vertices, many of them at equal times."""
    rng = np.random.default_rng(8)
    for vertices, size, high in ((2, 40, 90), (4, 60, 20), (7, 80, 300)):
        graph = structure(vertices, **EVENTS | {"directed": directed}, device=device)
        graph.insert_edges(*rng.integers(0, vertices, (2, size)), time=rng.integers(-high, high, size))
        for delta in (0, high // 2, 2**63 - 1):
            assert bool(table(graph, delta).any()) == (delta > 0)


def test_equal_times_do_not_follow_each_other(device):
    graph = SlabGraph.from_edges([0, 1, 2, 0], [1, 2, 0, 1], time=[1, 2, 2, 3], device=device, **EVENTS)
    assert table(graph, 9).sum() == 2  # 0 - 1 twice, and either of the other pairs between


def test_hub(device):
    """Every pair of events at a hub with the first neighbor, and one with another neighbor between or at an end."""
    leaves, rounds = 60, 3
    dst = np.tile(np.arange(1, leaves + 1), rounds)
    graph = CSR.from_edges(np.zeros(dst.size, int), dst, time=np.arange(dst.size), device=device, **EVENTS)
    expected = np.zeros((6, 6), np.int64)
    expected[5, 0] = leaves  # each neighbor three times
    between = sum(len(range(leaves)) - 1 for _ in dst[leaves:]) + leaves * (2 * leaves - 2)
    expected[3, 0] = between  # 1 -> 2, 1 -> 3, 1 -> 2
    pairs = [(i, j) for v in range(leaves) for i, j in itertools.combinations(range(v, dst.size, leaves), 2)]
    own = [sum(at < i for at in range(i % leaves, dst.size, leaves)) for i, _ in pairs]
    expected[3, 2] = sum(i - before for (i, _), before in zip(pairs, own, strict=True))  # 1 -> 2, 1 -> 3, 1 -> 3
    expected[5, 2] = expected[3, 2]  # 1 -> 2, 1 -> 2, 1 -> 3: reversed in time, the same stream with ids reversed
    assert (host(temporal_motifs(graph, dst.size).counts) == expected).all()


def test_small_and_changed_graphs(structure, device):
    for vertices in (0, 1, 5):
        found = temporal_motifs(structure(vertices, **EVENTS, device=device), 5)
        assert found.total == 0 and found.counts.shape == (6, 6) and found.counts.dtype == np.int64
    graph = structure(4, **EVENTS, device=device)
    graph.insert_edges([0, 1, 1, 2, 0, 3, 3], [1, 0, 1, 0, 1, 0, 1], time=range(7))
    assert table(graph, 9).sum() == 13
    graph.delete_vertices([3])
    assert table(graph, 9).sum() == 4
    graph.expire(1)
    assert table(graph, 9).sum() == 1


def test_frames_have_a_row_for_each_motif(device):
    pytest.importorskip("pandas")
    graph = SlabGraph.from_edges([0, 1, 0], [1, 0, 1], time=[1, 2, 3], device=device, **EVENTS)
    frame = temporal_motifs(graph, 5).to_dataframe(library="pandas")
    assert list(frame.columns) == ["row", "column", "counts"] and len(frame) == 36
    assert frame[frame.counts > 0].values.tolist() == [[5, 1, 1]]


def test_bad_arguments():
    graph = SlabGraph(3, **EVENTS, device="cpu")
    for error, delta in ((ValueError, -1), (TypeError, 0.5), (ValueError, "soon"), (TypeError, None)):
        with pytest.raises(error, match="delta"):
            temporal_motifs(graph, delta)


def test_real_messages():
    """Counts of SNAP's program for messages whose times are made distinct."""
    path = Path(os.environ.get("DYNFRONTIER_DATA", "")) / "CollegeMsg.txt.gz"
    if not path.is_file():
        pytest.skip("DYNFRONTIER_DATA has no CollegeMsg.txt.gz")
    src, dst, times = np.loadtxt(path, np.int64).T
    order = np.argsort(times, kind="stable")
    graph = CSR.from_edges(src[order], dst[order], time=np.arange(order.size), device="cpu", **EVENTS)
    counts = temporal_motifs(graph, 500).counts
    assert counts.tolist() == [
        [387861, 281365, 12485, 11983, 683649, 819778],
        [357573, 300223, 10575, 7191, 616546, 653904],
        [309818, 319294, 767622, 802245, 9135, 12115],
        [530137, 360138, 1138151, 767322, 12141, 10942],
        [430134, 394008, 745278, 746281, 747122, 745314],
        [623570, 406226, 1128373, 737346, 771614, 878109],
    ]  # fmt: skip
    assert temporal_cycle_count(graph, 500, 3).by_length[3] == counts[1, 3]
