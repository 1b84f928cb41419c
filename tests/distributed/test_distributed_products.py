"""Products that distributed graphs prepare on GPUs, with vectors in an order of each partition. On a CPU they are by
id."""

from __future__ import annotations

import numpy as np
import pytest
from distributed_cases import host

import frontier as fr
from algorithms import pagerank
from frontier.distributed import DistributedGraph, ThreadEngine
from frontier.distributed.operators import products as of_parts
from frontier.distributed.partition import owners
from frontier.operators import spmv
from structures import SlabGraph

N = 300
SHAPES = ["few", "dense", "star", "one part", "empty"]


def edges_of(shape, rng):
    """Edges between N vertices: few ghosts, nearly all vertices as ghosts, hubs, edges of one partition, and none."""
    if shape == "star":
        return np.zeros(N - 1, int), np.arange(1, N)
    if shape == "one part":
        ids = np.arange(0, N)
        mine = ids[owners.owners_of(np, ids.astype(np.uint64), 2, owners.TOGETHER) == 0]
        return mine[:-1], mine[1:]
    size = {"few": 120, "dense": 4000, "empty": 0}[shape]
    return tuple(rng.integers(0, N, (2, size)))


@fr.advanced.reads
def products(graph, transpose, dtype, weighted):
    """A product, and a product of its result, by vertex id, and the known facts about the order."""
    xp = graph.xp
    times = fr.SpMV(graph, transpose=transpose, layout="csr", weighted=weighted)
    x = graph.vertex_array(dtype, -1.0)
    fr.compute(fr.Frontier.all(graph), number, x)
    first = times(times.arrange(x))
    out = xp.ones(times.graph.num_vertices)
    assert times(first, out=out) is out
    restored = [times.restore(each) for each in (first, out)]
    graph.sync(*restored)
    return [host(each) for each in restored]


def number(v, x):
    x[v] = (v % 7) - 2.5


@pytest.fixture(params=[1, 2, 3], ids=["1 part", "2 parts", "3 parts"])
def workers(request, device):
    with ThreadEngine(request.param, device) as engine:
        yield engine


@pytest.fixture(params=[None, 9, 40], ids=["room for all", "few hubs", "some hubs"])
def room(request, monkeypatch):
    """The number of bytes for hubs."""
    if request.param is not None:
        for module in (spmv, of_parts):
            monkeypatch.setattr(module, "most_hubs", lambda itemsize: 4 * request.param // itemsize)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_products(workers, rng, room, shape, directed):
    src, dst = edges_of(shape, rng)
    device = workers.hosts[0].comm.device
    options = {"directed": directed, "in_edges": directed}
    graph = DistributedGraph(SlabGraph, N, engine=workers, **options)
    one = SlabGraph(N, device=device, **options)
    for each in (graph, one):
        each.insert_edges(src, dst)
    for transpose, dtype in ((False, np.float32), (True, np.float64)):
        found, expected = graph.run(products, transpose, dtype, False), products(one, transpose, dtype, False)
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("vertex_dtype", ["int32", "int64"])
@pytest.mark.parametrize("weight_dtype", ["float32", "int64"])
def test_weighted_products_after_updates(workers, rng, room, weight_dtype, vertex_dtype):
    device = workers.hosts[0].comm.device
    options = {"weight_dtype": weight_dtype, "vertex_dtype": vertex_dtype}
    graph = DistributedGraph(SlabGraph, N, engine=workers, **options)
    one = SlabGraph(N, device=device, **options)
    for step in range(4):
        n = one.num_vertices
        src, dst = rng.integers(0, n - 20 * (step > 2), (2, 200))
        weights = rng.integers(1, 9, src.size).astype(weight_dtype)
        for each in (graph, one):
            if step == 2:
                each.delete_vertices(np.arange(n - 20, n))
            else:
                each.insert_edges(src, dst, weights)
                each.delete_edges(src[::7], dst[::7])
            if step == 1:
                each.insert_vertices(30)
        for weighted in (True, False):
            found, expected = (
                g.run(products, True, np.float64, weighted) if g is graph else products(g, True, np.float64, weighted)
                for g in (graph, one)
            )
            for mine, theirs in zip(found, expected, strict=True):
                np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


def hub_or_not(v, x):
    return x[v] > 0


def entry(v, x):
    return x[v]


def mean_and_most(part):
    """Operators over the vertices of products' vectors."""
    times = fr.SpMV(part, layout="csr")
    x = part.vertex_array(np.float64)
    fr.compute(fr.Frontier.all(part), number, x)
    x = times.arrange(x)
    everyone = fr.Frontier.all(times.graph)
    some = fr.filter(everyone, hub_or_not, x)
    results = part.results(), part.results()
    fr.reduce(everyone, entry, x, out=results[0])
    fr.reduce(some, entry, x, reduce="max", out=results[1])
    sums = [float(part.copy_to_host_async(each).result()[0]) for each in results]
    return len(everyone), len(some), *sums, float(fr.reduce(everyone, entry, x)[0])


def test_operators_in_the_order_of_products(workers, rng):
    graph = DistributedGraph(SlabGraph, N, engine=workers)
    graph.insert_edges(*rng.integers(0, N, (2, 500)))
    values = (np.arange(N) % 7) - 2.5
    total = values.sum()
    assert graph.run(mean_and_most) == (N, int((values > 0).sum()), total, 3.5, total)


def refused(part):
    """Calls that the graph of prepared products refuses."""
    times = fr.SpMV(part, layout="csr")
    if times.order is None:
        return None
    said = []
    for ask in (
        lambda: fr.neighbor_reduce(times.graph, None, lambda src, dst, edge, weight: 1),
        lambda: fr.Frontier(times.graph, [0]),
        lambda: fr.Frontier.all(times.graph).vertices,
        lambda: pagerank(times.graph),
    ):
        try:
            ask()
        except NotImplementedError as error:
            said.append(str(error))
    for wrong in (part.xp.ones(2), np.ones(times.graph.num_vertices, np.int32)):
        try:
            times(wrong)
        except (TypeError, ValueError) as error:
            said.append(str(error))
    return said


def test_what_the_graph_of_products_refuses(workers):
    graph = DistributedGraph(SlabGraph, N, engine=workers)
    graph.insert_edges([0, 1], [1, 2])
    said = graph.run(refused)
    assert said is None or len(said) == 6


def outdated(part):
    times = fr.SpMV(part, layout="csr")
    x = times.arrange(part.xp.ones(part.num_vertices))
    part.insert_edges([5] * (part.comm.rank == 0), [5 + 1] * (part.comm.rank == 0))  # which some partitions do not know
    try:
        times(x)
    except RuntimeError as error:
        return str(error)


def test_products_of_an_outdated_graph(workers):
    graph = DistributedGraph(SlabGraph, N, engine=workers)
    graph.insert_edges([0, 1], [1, 2])
    assert "before an update" in graph.run(outdated)


def disagree(part):
    """One partition requests a static copy, and another does not, as if it had no memory."""
    times = fr.SpMV(part, layout="csr" if part.comm.rank == 0 else "native")
    x = part.vertex_array(np.float64)
    fr.compute(fr.Frontier.all(part), number, x)
    return host(times.restore(times(times.arrange(x)))), times.layout.is_copy


def test_parts_agree_on_preparing(workers, rng):
    src, dst = rng.integers(0, N, (2, 500))
    graph = DistributedGraph(SlabGraph, N, engine=workers)
    one = SlabGraph(N, device=workers.hosts[0].comm.device)
    for each in (graph, one):
        each.insert_edges(src, dst)
    found, prepared = graph.run(disagree)
    np.testing.assert_allclose(found, products(one, False, np.float64, False)[0])
    assert prepared == (workers.size == 1 or not workers.hosts[0].comm.device.is_gpu)


@pytest.mark.parametrize("layout", ["native", "csr"])
@pytest.mark.parametrize("tol", [1e-5, 1e-9], ids=["float32", "float64"])
def test_pagerank(workers, rng, tol, layout):
    edges = fr.io.rmat(8, 4, seed=5)  # has dangling vertices
    graph = DistributedGraph(SlabGraph, edges.num_vertices + 3, engine=workers)
    one = SlabGraph(edges.num_vertices + 3, device=workers.hosts[0].comm.device)
    for each in (graph, one):
        each.insert_edges(edges.src, edges.dst)
        each.delete_vertices([edges.num_vertices, 5])
    found, expected = (pagerank(g, tol=tol, max_iter=300, layout=layout) for g in (graph, one))
    assert found.iterations == expected.iterations
    np.testing.assert_allclose(host(found.pagerank), host(expected.pagerank), rtol=1e-6, atol=1e-12)
