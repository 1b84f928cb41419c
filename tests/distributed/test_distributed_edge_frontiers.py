"""Frontiers of edges of distributed graphs, against one device."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import DEVICES
from distributed_cases import filled_pair, host
from graphs import GRAPHS

import frontier as fr
from frontier.distributed import DistributedGraph, ThreadEngine
from structures import SlabGraph


@pytest.fixture(params=DEVICES)
def engine(request):
    with ThreadEngine(3, request.param) as engine:
        yield engine


def heavier(src, dst, edge, weight, bound):
    return weight > bound


def upward(src, dst, edge, weight):
    return src < dst


def weight_of(src, dst, edge, weight):
    return weight


def lower_label(src, dst, edge, weight, labels):
    return fr.atomic_min(labels, dst, src) > src


def most(src, dst, edge, weight, best, seen):
    fr.atomic_max(best, src, weight)
    fr.atomic_add(seen, dst, 1)


def put_at_end(src, dst, edge, weight, best):
    best[dst] = weight


def programs(graph):
    """The contents of frontiers of edges, and results of operators on them."""
    xp, n = graph.xp, graph.num_vertices
    some = fr.Frontier(graph, xp.arange(0, n, 3))
    heavy = fr.advance(graph, some, heavier, 60, output="edges")
    everything = fr.EdgeFrontier.all(graph)
    up = fr.filter(everything, upward)
    labels = graph.vertex_array(np.int64, xp.arange(n), combine="min")
    lowered = fr.advance(graph, some, lower_label, labels, output="edges")
    best, seen = graph.vertex_array(np.int32, combine="max"), graph.vertex_array(np.int64, combine="add")
    fr.compute(up, most, best, seen)
    graph.sync(labels, best, seen)
    listed = fr.EdgeFrontier(graph, *(ends[:9] for ends in graph.to_coo()[:2]))
    sets = [heavy | up, heavy & up, heavy - up, heavy ^ up, heavy.reversed(), listed]
    tests = [heavy <= everything, up < everything, heavy == heavy | heavy, heavy == up, bool(heavy - heavy)]
    first = next(iter(listed))
    tests += [first in listed, first in listed - listed, (n, n) in listed]
    onward = fr.advance(graph, heavy, upward)
    ends = [sorted(each) for each in (lowered.destinations, heavy.sources, heavy.destinations, onward)]
    sums = host(fr.reduce(heavy, weight_of, dtype=np.int64)).tolist()
    columns = sorted(zip(*(host(each).tolist() for each in (heavy.src, heavy.dst, heavy.weights)), strict=True))
    arrays = [host(each).tolist() for each in (labels, best, seen)]
    return [list(each) for each in sets], [len(each) for each in sets], tests, ends, sums, columns, arrays


@pytest.mark.slow
@pytest.mark.parametrize("directed", [False, True])
def test_edges_are_those_of_one_device(engine, directed):
    weights = np.random.default_rng(1).integers(1, 100, GRAPHS["rmat"][0].size).astype(np.int32)
    graph, one = filled_pair(engine, "rmat", weights, directed=directed, in_edges=directed, weight_dtype="int32")
    assert graph.run(programs) == programs(one)


def unknown(part):
    fr.EdgeFrontier(part, [0, 1], [1, 3])


def outdated(part):
    edges = fr.EdgeFrontier.all(part)
    part.insert_edges([0], [2])
    fr.filter(edges, upward)


def written(part):
    fr.compute(fr.EdgeFrontier.all(part), put_at_end, part.vertex_array(np.int32, combine="min"))


def identified(part):
    return fr.EdgeFrontier.all(part).edges


@pytest.mark.parametrize(
    "program, kind, message",
    [
        (unknown, ValueError, "name 1 edges that are not in the graph, 1 - 3 is one"),
        (outdated, ValueError, "before the latest update"),
        (written, ValueError, r"put_at_end\(\) writes to best at edges"),
        (identified, NotImplementedError, "partitions have local ids"),
    ],
)
def test_errors(engine, program, kind, message):
    graph = DistributedGraph(SlabGraph, 5, engine=engine)
    graph.insert_edges([0, 1, 2], [1, 2, 3])
    with pytest.raises(kind, match=message):
        graph.run(program)
