"""Steps for batches do the same whether they are called or their launches are repeated."""

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from algorithms import DynamicTriangleCount, triangle_count
from frontier.batch_step import SIZES

N = 300


def visit(src, dst, edge, weight, factor, offset, found):
    fr.atomic_add(found, dst, factor * (src + 1) + offset)


def meet(u, v, w, edge_uw, edge_vw, factor, offset, found):
    fr.atomic_add(found, w, factor)
    return 1


def take_sum(u, v, total, factor, offset, found):
    fr.atomic_add(found, u, total)


def step(graph, src, dst, *args):
    fr.visit_edges(graph, src, dst, visit, *args, output=False)
    fr.intersect(graph, src, dst, meet, *args, per_pair=take_sum, checked=False)


@pytest.fixture
def graph(structure, device, rng):
    return structure.from_edges(*rng.integers(0, N, (2, 5 * N)), num_vertices=N, device=device)


def batch(graph, rng, size):
    return [graph.xp.asarray(ids) for ids in rng.integers(0, graph.num_vertices, (2, size)).astype(graph.vertex_dtype)]


def test_batches_of_all_sizes(graph, rng):
    taken = fr.BatchStep(graph, step)
    expected, found = (graph.xp.zeros(N, np.int64) for _ in range(2))
    for turn, size in enumerate([1, 7, 256, 3, 0, 257, 2048, 300, SIZES[-1], SIZES[-1] + 1, 2049, 1, 1]):
        src, dst = batch(graph, rng, size)
        step(graph, src, dst, turn, np.uint8(turn % 3), expected)
        taken(src, dst, turn, np.uint8(turn % 3), found)
        assert host(found).tolist() == host(expected).tolist(), size


def test_what_changes_between_batches(graph, rng):
    """The graph, the arrays, the types of numbers."""
    taken = fr.BatchStep(graph, step)
    for turn in range(4):
        for factor in (2, np.int32(3)):
            expected, found = (graph.xp.zeros(graph.num_vertices, np.int64) for _ in range(2))
            for _ in range(3):
                src, dst = batch(graph, rng, 9)
                step(graph, src, dst, factor, 1, expected)
                taken(src, dst, factor, 1, found)
            assert host(found).tolist() == host(expected).tolist(), turn
        graph.insert_edges(*rng.integers(0, graph.num_vertices, (2, 900)))
        if turn == 1:
            graph.insert_vertices(40)
    fr.clear_caches()
    src, dst = batch(graph, rng, 9)
    found = graph.xp.zeros(graph.num_vertices, np.int64)
    taken(src, dst, 1, 1, found)
    assert int(found.sum()) > 0


def test_steps_that_wait(graph, rng):
    """On a GPU they are found out when they are recorded."""
    taken = fr.BatchStep(graph, lambda graph, src, dst: fr.visit_edges(graph, src, dst, lambda s, d, e, w: True))
    src, dst = batch(graph, rng, 5)
    taken(src, dst)
    if graph.device.is_gpu:
        with pytest.raises(RuntimeError, match="cannot be waited for"):
            taken(src, dst)
    with pytest.raises(TypeError, match="step must be a function"):
        fr.BatchStep(graph, None)


def test_triangles_after_a_deletion_that_failed(graph, rng, monkeypatch):
    """What was subtracted for it is counted again, also if the next update comes first."""
    triangles = DynamicTriangleCount(graph)
    for and_then in ("read", "insert", "delete"):
        src, dst = (ids[:40] for ids in graph.to_coo()[:2])
        with monkeypatch.context() as patch:
            for method in ("_delete", "_delete_small"):
                patch.setattr(type(graph), method, fail, raising=False)
            with pytest.raises(MemoryError, match="none left"):
                graph.delete_edges(src, dst)
        if and_then == "insert":
            graph.insert_edges(*batch(graph, rng, 30))
        elif and_then == "delete":
            graph.delete_edges(src[:7], dst[:7])
        assert triangles.total == triangle_count(graph).total
        assert host(triangles.per_vertex).tolist() == host(triangle_count(graph).per_vertex).tolist()


def fail(*args, **options):
    raise MemoryError("none left")


def test_triangles_of_graphs_with_edge_data(structure, device, rng):
    """A static copy, which large batches may be counted on, has more slots than there are edges."""
    if not issubclass(structure, fr.DynamicGraph):
        pytest.skip("cannot be changed")
    graph = structure(N, device=device, edge_data={"amount": "float32"})
    triangles = DynamicTriangleCount(graph)
    for size in (900, 40, 900):
        graph.insert_edges(*rng.integers(0, N // 8, (2, size)), amount=rng.random(size))
        assert triangles.total == triangle_count(graph).total
