"""The main job (`dynfrontier.job`): what warms it up is like the job itself."""

import pytest

import frontier as fr
from algorithms import find_analytic
from dynfrontier import job
from frontier.operators.launch import tile_size
from structures import SlabGraph


def made(scale, factor, batch, window=3, analytic=None):
    edges = fr.io.rmat(scale, factor, seed=1)
    device = fr.resolve_device("cpu")
    return job.StreamJob(SlabGraph, device, fr.io.stream_edges(edges, batch), window, analytic)


def tile_after(edges, vertices):
    graph = SlabGraph(vertices, device="cpu")
    graph.insert_edges(edges.src, edges.dst)
    assert graph.num_arcs == job.num_arcs(edges)
    return tile_size(graph)


@pytest.mark.parametrize(
    "sizes", [(20, 1 / 16, 32768), (16, 1, 32768), (14, 2, 16384), (12, 16, 65536), (14, 16, 4096)]
)
def test_lists_of_the_warm_up_are_as_long_as_those_of_the_job(sizes):
    stream = (main := made(*sizes)).stream
    expected = tile_after(stream.edges[: stream.batch_size], stream.num_vertices)
    for scale, factor in job.WARM_UP_GRAPHS[:2]:  # the third may have too few edges
        similar, vertices = main._warm_up_stream(scale, round(factor * 2**scale))
        assert len(similar) == job.WARM_UP_BATCHES and vertices >= similar.num_vertices
        assert tile_after(similar.edges[: similar.batch_size], vertices) == expected


@pytest.mark.parametrize("sizes", [(1, 0, 10), (2, 1, 1), (3, 100, 5), (14, 1, 100)])
@pytest.mark.parametrize("analytic", ["triangles", "components", None])
def test_jobs_of_any_size_warm_up(sizes, analytic):
    main = made(*sizes, analytic=analytic and find_analytic(analytic))
    main.warm_up()
    steps = list(main.steps())
    loops = int((main.stream.edges.src == main.stream.edges.dst).sum())
    assert sum(step.loops for step in steps) == loops and len(steps) == len(main.stream)
