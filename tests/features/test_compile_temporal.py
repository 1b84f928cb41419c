"""The kernels of graphs with times compile and link for GPUs, without a GPU."""

import numpy as np
import pytest
from compile_cases import NARROW, WIDE, bare_case, check_compiles, numbered_case
from functor_compilers import *  # noqa: F403
from noted_functors import compile_noted, note
from payments import payments, totals

import frontier as fr
from algorithms import (
    DynamicTemporalTriangleCount,
    earliest_arrival,
    temporal_cycles,
    temporal_motifs,
    temporal_pagerank,
    temporal_random_walks,
    temporal_triangle_count,
)
from frontier.features.temporal_sampling import HEADER as SAMPLES
from frontier.operators.intersect import cuda_functors
from structures import CSR, FaimGraph, SlabGraph

pytest.importorskip("cuda.core")

WITH_TIMES = {"time": "int64"}


@pytest.mark.parametrize("widths", [NARROW, WIDE])
def test_samples_compile(widths):
    check_compiles(CSR, SAMPLES, bare_case(), *widths, WITH_TIMES)


@pytest.mark.parametrize("structure", [SlabGraph, FaimGraph])
def test_triangles_compile(structure):
    """In structures with a fast look-up, and without."""
    check_compiles(structure, "intersect", numbered_case, *NARROW, WITH_TIMES)


@pytest.mark.slow
@pytest.mark.parametrize("weights", [None, np.ones(5, np.float32)])
def test_functors_compile(weights, monkeypatch, request):
    kept = []
    graphs = [
        CSR.from_edges(
            [0, 1, 2, 3, 3], [1, 2, 0, 0, 4], weights, num_vertices=6, time=[1, 1, 1, 2, 3], device="cpu", **options
        )
        for options in ({}, {"directed": True})
    ]  # fmt: skip
    with monkeypatch.context() as patch:
        note(patch, kept)
        for graph in graphs:
            if weights is None:
                earliest_arrival(graph, 1)
                temporal_cycles(graph, 2)
                temporal_motifs(graph, 2)
                temporal_random_walks(graph, half_life=2)
                temporal_random_walks(graph)
            temporal_pagerank(graph, half_life=2)
    kept = [call for call in kept if call[0] != "filter" or len(call[1]) > 3]  # the rest are pagerank's
    compile_noted(graphs[0], kept, request)


def test_functors_that_walk_records_compile(monkeypatch, request):
    kept, graph = [], payments("cpu")
    with monkeypatch.context() as patch:
        note(patch, kept)
        totals(graph, 0)
    assert len(kept) == 1
    compile_noted(graph, kept, request)


@pytest.mark.slow
@pytest.mark.parametrize("multi_edges", ["last", "all"])
def test_functors_of_triangles_compile(multi_edges, monkeypatch):
    graph = SlabGraph.from_edges([0, 1], [1, 2], time=[1, 2], multi_edges=multi_edges, device="cpu")
    counter = DynamicTemporalTriangleCount(graph, 5)
    for call in (
        lambda: temporal_triangle_count(graph, 5), lambda: graph.insert_edges([0], [2], time=[3]),
        lambda: temporal_motifs(graph, 5),
    ):  # fmt: skip
        check_pairs_compile(call, monkeypatch)
    assert counter.total == 0


def check_pairs_compile(call, monkeypatch):
    """The functors that a call hands to `frontier.intersect`, which does nothing here."""
    kept = []
    with monkeypatch.context() as patch:
        patch.setattr(fr, "intersect", lambda *args, **options: kept.append((args, options)))
        call()
    (_, _, _, op, *args), options = kept[0]
    functors, macros = cuda_functors(op, options.get("per_pair"), options["numbered"])

    def case(graph):
        values = tuple(value if hasattr(value, "dtype") else np.int64(value) for value in args)
        return functors, values, macros

    check_compiles(SlabGraph, "intersect", case, *NARROW, WITH_TIMES)
