"""The order of vertices by degree, and the schedule of work, are the same on both devices."""

import numpy as np
import pytest

from frontier.operators import degree_order as places
from frontier.runtime import gpu_available
from structures import CSR


def graph_on(device, num_vertices, vertex_dtype=None):
    return CSR(num_vertices, device=device, vertex_dtype=vertex_dtype)


@pytest.mark.parametrize("vertex_dtype", ["int32", "int64"])
@pytest.mark.parametrize("least", [0, 1, 3, 10**6])
@pytest.mark.parametrize("size", [1, 2, 700])
def test_places(device, size, least, vertex_dtype):
    graph = graph_on(device, size, vertex_dtype)
    degrees = np.random.default_rng(size).integers(0, 9, size)
    order, rank = (graph.device.to_host(part) for part in places.places_by_degree(
        graph, graph.xp.asarray(degrees), least))  # fmt: skip
    assert order.dtype == rank.dtype == vertex_dtype
    assert order.size == (degrees >= least).sum()
    assert sorted(rank) == list(range(size)) and rank[order].tolist() == list(range(order.size))
    everyone = np.argsort(rank)
    assert (np.diff(degrees[everyone]) <= 0).all()


def test_places_of_no_vertices(device):
    graph = graph_on(device, 0)
    order, rank = places.places_by_degree(graph, graph.xp.zeros(0, np.int64), 0)
    found = places.schedule(graph, order, graph.xp.zeros(0, np.int64), graph.xp.zeros(0, np.int64))
    assert order.size == rank.size == found.order.size == 0
    assert (found.hubs, found.small, found.listed, found.steps) == (0, 0, 0, (0, 0, 0))
    assert graph.device.to_host(found.first_piece).tolist() == [0]


def test_places_of_degrees_that_no_key_holds(device):
    """Users' orders of vertices: values too large for a key with the id count like values that fit."""
    graph = graph_on(device, 4)
    order, rank = places.places_by_degree(graph, graph.xp.asarray([2**62, 1, 2**61, -5]), 1)
    assert graph.device.to_host(order).tolist() == [0, 2, 1]
    assert graph.device.to_host(rank).tolist() == [0, 2, 1, 3]


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_available(), reason="there is no GPU")
@pytest.mark.parametrize("size", [1, 2, 700])
def test_classes_of_rows(size):
    """Rows of falling length, which only GPUs divide so."""
    graph = graph_on("gpu", size)
    lengths = np.sort(np.random.default_rng(size).choice([0, 1, 8, 9, 64, 65, 1024, 1025, 2048, 5000], size))[::-1]
    offsets = graph.xp.asarray(np.append(0, np.cumsum(lengths)))
    longer, first_piece = places.classes_of_rows(graph, offsets, (1024, 64, 8), 1024)
    assert longer == tuple((lengths > limit).sum() for limit in (1024, 64, 8))
    pieces = np.cumsum([0, *-(-lengths[lengths > 1024] // 1024)])
    assert graph.device.to_host(first_piece).tolist() == pieces.tolist()


@pytest.mark.parametrize("most", [0, 4])
@pytest.mark.parametrize("size", [1, 500, 3000])
def test_schedule(device, size, most, monkeypatch):
    """Hubs, medium lists and small ones, each in the order of the vertices."""
    monkeypatch.setattr(places, "LISTED_ARCS", most)
    generator = np.random.default_rng(size)
    lengths = generator.choice([0, 1, 5, 64, 65, 300, 512, 513, 5000], size)
    order = generator.permutation(size)[: max(1, size * 2 // 3)].astype(np.int32)
    above = np.minimum(generator.integers(0, 40, order.size), lengths[order])
    graph = graph_on(device, size)
    monkeypatch.setattr(type(graph), "num_arcs", property(lambda self: int(lengths.sum())))
    found = places.schedule(graph, *(graph.xp.asarray(part) for part in (order, above, lengths)))
    own = lengths[order]
    middle = (above > 0) & (above < own)
    hubs, medium = order[middle & (own > 512)], order[middle & (own > 64) & (own <= 512)]
    small = order[middle & (own <= 64)]
    assert graph.device.to_host(found.order).tolist() == [*hubs, *medium, *small]
    assert (found.hubs, found.small) == (hubs.size, small.size)
    pieces = np.cumsum([0, *-(-lengths[hubs] // 512)])
    assert graph.device.to_host(found.first_piece).tolist() == pieces.tolist()
    assert found.listed == (np.cumsum(above) <= most * size).sum()
    rest = slice(found.listed, None)
    assert found.steps == ((above[: found.listed] ** 2).sum(), (above[rest] * own[rest]).sum(), (above**2).sum())
