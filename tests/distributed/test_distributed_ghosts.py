"""Products of distributed graphs, for which partitions receive only the entries of their ghosts, against one device.

Threads stand for workers, and exchange by the in-process communicator.
"""

from __future__ import annotations

import numpy as np
import pytest
from distributed_cases import host

import frontier as fr
from frontier.distributed import DistributedGraph
from structures import SlabGraph

N = 400


@fr.advanced.reads
def product(graph, transpose, layout):
    """A product with a vector whose entries only the owners know."""
    xp = graph.xp
    x = graph.vertex_array(np.float64, -1.0)
    fr.compute(fr.Frontier.all(graph), number, x)
    times = fr.SpMV(graph, transpose=transpose, layout=layout)
    found = times.restore(times(times.arrange(x)))
    return (host(found) if xp is not np else found).tolist()


def number(v, x):
    x[v] = 3 * v + 1


def multiply_only(part):
    """A product that stays on the partitions."""
    fr.SpMV(part)(part.xp.ones(part.num_vertices), out=part.xp.empty(part.num_vertices))


def routes(part, transpose):
    """Whether a product of a partition receives only the entries of ghosts."""
    return fr.SpMV(part, transpose=transpose)._route is not None


@pytest.mark.parametrize("directed", [False, True])
def test_products_after_updates(engine, directed):
    rng = np.random.default_rng(8)
    options = {"directed": directed, "in_edges": directed}
    graph = DistributedGraph(SlabGraph, N, engine=engine, **options)
    one = SlabGraph(N, device=engine.hosts[0].comm.device, **options)
    found = []
    for step in range(5):
        n, size = graph.num_vertices, 200 if step < 3 else 3000
        src, dst = rng.integers(0, n, (2, size))
        for each in (graph, one):
            each.insert_edges(src, dst)
            each.delete_edges(src[::5], dst[::5])
            if step == 1:
                each.insert_vertices(50)  # has no arcs yet
        for transpose in (False, True):
            assert graph.run(product, transpose, "csr") == product(one, transpose, "csr")
        found.append((graph.run(routes, False), graph.run(routes, True)))
        if directed:
            assert graph.run(lambda part: product(part.reverse, False, "native")) == product(
                one.reverse, False, "native"
            )
    assert found[0] == (True, True) and found[-1] == (False, False)  # nearly all vertices are ghosts in the end
    shown, twin = graph.snapshot(), graph.copy()
    graph.delete_edges(src, dst)
    assert shown.run(product, True, "csr") == twin.run(product, True, "csr") == product(one, True, "csr")


def test_ghosts_are_what_is_exchanged(engine):
    """On a graph with few edges: a batch adds few ghosts."""
    graph = DistributedGraph(SlabGraph, 10_000, engine=engine)
    ids = np.arange(0, 2000, 2)
    graph.insert_edges(ids, ids + 5001)
    comm = engine.hosts[0].comm

    def sent(step):
        before = comm.sent_bytes
        step()
        return comm.sent_bytes - before

    def multiply():
        graph.run(multiply_only)

    first, second = sent(multiply), sent(multiply)
    assert second < first < 20_000 < 8 * 10_000  # ids are sent once
    graph.insert_edges([0, 2], [7, 9])
    assert second <= sent(multiply) <= second + 100
