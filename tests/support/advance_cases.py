"""Advances from few vertices, and their functors.

A test module that imports all names from here has the fixture.
"""

import sys

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from frontier.operators.dispatch import plans
from structures import SlabGraph

__all__ = ["taken"]

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


def reached_from(graph, vertex, op=None, **options):
    return sorted(fr.advance(graph, few(graph, [vertex]), op or always, **options))
