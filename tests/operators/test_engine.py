"""State of operators that persists with a graph between calls."""

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from algorithms import bfs
from frontier.operators.dispatch.kernels import workspace_of
from frontier.runtime import Workspace
from structures import CSR

LAST = 2**31 - 1  # the largest stamp


@pytest.mark.parametrize("count", [1, 2, 1000, 2**30])
@pytest.mark.parametrize("left", [-1, 0, 1])
def test_stamps_are_fresh_and_fit(device, count, left):
    """After any used numbers, the next ones are int32, positive, and not among the stamps."""
    graph = CSR(6, device=device)
    state = Workspace(graph.device)
    stamps, _ = state.next_epochs(graph, 1)
    state.used_epochs(1)
    stamps[:3] = graph.xp.arange(1, 4)
    state.epoch = LAST - count + left
    stamps, first = state.next_epochs(graph, count)
    assert stamps.dtype == first.dtype == np.int32
    assert first > 0 and int(first) + count - 1 <= LAST
    members = host(stamps)
    assert not ((members >= first) & (members <= int(first) + count - 1)).any()
    state.used_epochs(count)
    assert state.epoch == int(first) + count - 1


def test_stamps_grow_with_the_graph(device):
    graph = CSR(3, device=device)
    state = Workspace(graph.device)
    state.next_stamps(graph)
    graph.insert_vertices(5)
    assert state.next_stamps(graph)[0].size >= graph.num_vertices


def test_operators_go_on_when_stamps_begin_again(device):
    """An old stamp must not make a vertex a member of an output already, nor exclude it."""
    n = 200
    graph = CSR.from_edges(np.arange(n - 1), np.arange(1, n), num_vertices=n, device=device)
    expected = np.arange(n)
    everything = fr.Frontier.all(graph)
    for left in range(4):
        # Leaves the stamps 1, 2, ..., which start to be reused.
        assert (host(bfs(graph, 0).distance) == expected).all()
        workspace_of(graph).epoch = LAST - left
        for _ in range(6):
            reached = fr.advance(graph, everything, _always)
            assert sorted(host(reached.vertices).tolist()) == list(range(n))
        workspace_of(graph).epoch = 0
        workspace_of(graph)._stamps[:] = 0


def _always(src, dst, edge, weight):
    return True
