"""The main job (`dynfrontier.job`): what warms it up is like the job itself."""

import pytest

import frontier as fr
from algorithms import find_analytic
from dynfrontier import job
from structures import SlabGraph


def made(scale, factor, batch, window=3, analytic=None):
    edges = fr.io.rmat(scale, factor, seed=1)
    device = fr.advanced.resolve_device("cpu")
    return job.StreamJob(SlabGraph, device, fr.io.stream_edges(edges, batch), window, analytic)


@pytest.mark.parametrize("sizes", [(1, 0, 10), (2, 1, 1), (3, 100, 5), (14, 1, 100)])
@pytest.mark.parametrize("analytic", ["triangle_count", "connected_components", None])
def test_jobs_of_any_size_warm_up(sizes, analytic):
    main = made(*sizes, analytic=analytic and find_analytic(analytic))
    main.warm_up()
    steps = list(main.steps())
    loops = int((main.stream.edges.src == main.stream.edges.dst).sum())
    assert sum(step.loops for step in steps) == loops and len(steps) == len(main.stream)
