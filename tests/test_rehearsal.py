"""Rehearsals: what an analytic needs is compiled in another thread."""

import logging
import threading

import numpy as np
import pytest

import frontier as fr
from algorithms import DynamicBFS, DynamicTriangleCount
from frontier import rehearsal
from structures import Hornet, SlabGraph


@pytest.fixture
def enabled(monkeypatch, tmp_path):
    """Rehearsals on a machine that has had none."""
    monkeypatch.setenv(rehearsal.ENABLED, "1")
    monkeypatch.setattr(rehearsal, "_begun", set())
    monkeypatch.setattr(rehearsal, "cached", lambda folder, suffix, parts, build: build())


def wait():
    for thread in threading.enumerate():
        if thread.name == "dynfrontier-rehearsal":
            thread.join()


def test_arguments_are_checked(device):
    graph = SlabGraph(2, device=device)
    with pytest.raises(TypeError, match="graph"):
        fr.rehearse(3, "name", print)
    with pytest.raises(TypeError, match="name and play must be"):
        fr.rehearse(graph, print, "name")


def test_small_graphs_like_the_given_one_are_played_with_once(device, enabled):
    seen = []

    def play(graph, batches):
        fr.rehearse(graph, "nested", play)  # goes no further
        seen.append((threading.current_thread().name, graph, len(batches)))

    graph = Hornet(5, device=device, directed=True, in_edges=True, weight_dtype="float64", vertex_dtype="int64")
    for _ in range(2):
        fr.rehearse(graph, "test", play)
    wait()
    if device == "cpu":
        assert not seen
        return
    assert len(seen) == len(rehearsal.SHAPES)
    for name, twin, batches in seen:
        assert name == "dynfrontier-rehearsal"
        assert isinstance(twin, Hornet) and twin.directed and twin.has_in_edges and batches > 1
        assert (twin.weight_dtype, twin.vertex_dtype) == (np.float64, np.int64)


def test_an_error_is_logged_and_does_no_harm(device, enabled, caplog):
    def play(graph, batches):
        raise RuntimeError("broken")

    with caplog.at_level(logging.DEBUG, "dynfrontier"):
        fr.rehearse(SlabGraph(2, device=device), "broken", play)
        wait()
    assert ("broken" in caplog.text) == (device == "gpu")


def test_results_are_those_without_a_rehearsal(device, enabled):
    edges = fr.io.rmat(8, 4, seed=3)
    graph = SlabGraph(edges.num_vertices, device=device, weight_dtype="float32")
    with DynamicTriangleCount(graph) as triangles, DynamicBFS(graph, 0) as distances:
        graph.insert_edges(edges.src, edges.dst)
        graph.delete_edges(edges.src[::3], edges.dst[::3])
        found = triangles.total, int(distances.distance.sum())
        with DynamicTriangleCount(graph) as again, DynamicBFS(graph, 0) as once_more:
            assert (again.total, int(once_more.distance.sum())) == found
    wait()
