"""traverse moves between its ways to advance, in one traversal, and counts its steps through all of them."""

import sys
from itertools import pairwise

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from algorithms import UNREACHED, bfs
from structures import CSR

module = sys.modules["frontier.operators.traverse.traversal"]
WIDE = 9000  # more members, and more arcs, than a small frontier has
LAYERS = [1] * 6 + [WIDE, WIDE] + [1] * 5 + [WIDE] + [1] * 6
"""Sizes: paths into hubs, whose neighbors fan out to as many other vertices, and come together again."""


@pytest.fixture
def layered(rng):
    """Sources, destinations, and the layer of each vertex. Ids are in no order."""
    starts = np.cumsum([0, *LAYERS])
    layer = np.repeat(np.arange(len(LAYERS)), LAYERS)
    src, dst = [], []
    for low, (size, following) in zip(starts, pairwise(LAYERS), strict=False):
        width = np.arange(max(size, following))
        src.append(low + width % size)
        dst.append(low + size + width % following)
    names = rng.permutation(layer.size)
    distance = np.empty_like(layer)
    distance[names] = layer
    return names[np.concatenate(src)], names[np.concatenate(dst)], distance


@pytest.fixture
def modes(monkeypatch):
    """How frontiers were advanced, in order, each way once in a row."""
    taken = []

    def noting(name):
        function = getattr(module.Traversal, name)

        def advance(*args):
            if taken[-1:] != [name]:
                taken.append(name)
            return function(*args)

        monkeypatch.setattr(module.Traversal, name, advance)

    for name in ("_push_repeatedly", "_advance_on_core", "_push_medium", "_advance_together", "_push", "_pull"):
        noting(name)
    return taken


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["one", "several"])
def test_steps_are_counted_through_all_modes(structure, device, directed, layered, modes, threads, monkeypatch):
    """The only thread of a CPU makes all advances in one call."""
    monkeypatch.setattr(module, "has_one_thread", lambda: threads == "one")
    src, dst, expected = layered
    graph = structure.from_edges(src, dst, num_vertices=expected.size, directed=directed, device=device)
    source = int(np.flatnonzero(expected == 0)[0])
    result = bfs(graph, source)
    assert (host(result.distance) == expected).all()
    # The last advance finds nothing more.
    assert result.levels == len(LAYERS)
    small, together = "_push_repeatedly" if device == "gpu" else "_advance_on_core", "_push_medium"
    if device == "gpu" and not directed:  # the device chooses between push and pull
        assert modes == ["_advance_together", small, "_advance_together", small]
    elif device == "cpu" and threads == "one":
        assert modes == [small]
    else:
        assert modes[:2] == [small, together if device == "gpu" else "_push"]
        assert ("_pull" in modes) == (not directed)
        assert modes.count(small) > 1 and modes[-1] == small
    # A limit stops it in whichever mode it comes.
    for limit in (5, 6, 7, 8, 13, 14, 15):
        found = bfs(graph, source, depth_limit=limit)
        assert (host(found.distance) == np.where(expected <= limit, expected, UNREACHED)).all()
        assert found.levels == limit


def reach(src, dst, edge, weight, distance, slots, level):
    if fr.atomic_min(distance, dst, level) > level:
        slots[dst] = edge
        return True
    return False


def unreached(dst, distance, slots, level):
    return distance[dst] > level


def test_wide_layers_are_pulled_to_narrow_ones_pushed(device, layered):
    """In an undirected graph a pull sees the arc that leaves `dst`, in whose row of a CSR graph the slot is."""
    src, dst, layer = layered
    graph = fr.structures()["csr"].from_edges(src, dst, num_vertices=layer.size, device=device)
    distance = graph.xp.full(layer.size, UNREACHED, np.int32)
    slots = graph.xp.zeros(layer.size, np.int64)
    source = int(np.flatnonzero(layer == 0)[0])
    distance[source] = 0
    fr.traverse(
        graph, fr.Frontier(graph, [source]), reach, distance, slots, fr.advanced.StepCounter(1), condition=unreached
    )
    assert (host(distance) == layer).all()
    offsets = host(graph.offsets)
    pulled = np.searchsorted(offsets, host(slots), side="right") - 1 == np.arange(layer.size)
    pulled[source] = False
    wide = np.flatnonzero(np.asarray(LAYERS) == WIDE)
    assert pulled[layer == wide[0] + 1].all()  # from a wide layer
    assert pulled.sum() < layer.size / 2
    assert not pulled[layer == wide[0]].any()  # from a single vertex


def test_a_traversal_that_begins_wide(structure, device, layered):
    """From the middle of a wide layer, in both directions of an undirected graph."""
    src, dst, layer = layered
    graph = structure.from_edges(src, dst, num_vertices=layer.size, device=device)
    hub = int(np.flatnonzero(layer == 5)[0])
    distance = host(bfs(graph, hub).distance)
    assert (distance == np.abs(layer - 5)).all()


@pytest.mark.slow
def test_hubs_of_every_size(structure, device, monkeypatch, rng):
    """On a GPU a hub is walked by a tile, a block, or all blocks, and only some hubs fit into each list."""
    monkeypatch.setattr(module, "MEDIUM_ARCS", 2**30)
    n, hubs = 21_000, 40
    degrees = np.r_[np.full(hubs - 4, 17_000), 3000, 2500, 300, 20]
    src = np.repeat(np.arange(hubs), degrees)
    dst = np.concatenate([hubs + (1009 * hub + np.arange(degree)) % (n - hubs) for hub, degree in enumerate(degrees)])
    order = rng.permutation(src.size)
    graph = structure.from_edges(src[order], dst[order], num_vertices=n, directed=True, device=device)
    visits = graph.xp.zeros(n, np.int64)
    assert fr.traverse(graph, fr.Frontier(graph, np.arange(hubs)), visit, visits) == 1
    assert (host(visits) == np.bincount(dst, minlength=n)).all()


def visit(src, dst, edge, weight, visits):
    fr.atomic_add(visits, dst, 1)
    return False


def test_an_error_of_a_functor_does_not_affect_the_next_traversal():
    graph = CSR.from_edges([0, 0, 1], [1, 2, 3], directed=True, device="cpu")

    def stop_at_two(src, dst, edge, weight):
        if dst == 2:
            raise RuntimeError("stopped")
        return True

    with fr.interpreted(), pytest.raises(RuntimeError, match="stopped"):
        fr.traverse(graph, fr.Frontier(graph, [0]), stop_at_two)  # 1 was marked as a member of the output
    assert bfs(graph, 0).distance.tolist() == [0, 1, 1, 2]
