"""Functors that give their arguments names, on every device."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from structures import SlabGraph


class Search(NamedTuple):
    distance: Any
    near: Any
    unreached: Any


def length(search, v):
    return search.distance[v]


def reach(src, dst, edge, weight, step, *args):
    search = Search(*args)
    if length(search, dst) < search.unreached:
        return False
    fr.atomic_or(search.near, (dst, 0), 1)
    return fr.atomic_min(search.distance, dst, step) > step


def alias(v, *args):
    near = Search(*args).near
    return near[v + 3, 0] > 0


def both(v, *args):
    search, limit = Search(*args), 0
    near, distance = search.near, search.distance
    return near[v][0] > limit and distance[v + 5] > limit


def shape(v, *args):
    search = Search(*args)
    return search.near.shape[0] > v and search.near[v][0] > 0


@pytest.fixture
def graph(device):
    return SlabGraph.from_edges([0, 0, 1, 2, 3], [1, 2, 3, 3, 4], device=device)


def search_in(graph, size=5):
    search = Search(graph.xp.full(size, 9, np.int32), graph.xp.zeros((5, 1), np.int32), 9)
    search.distance[0] = 0
    return search


def run(graph, search):
    frontier, step = fr.Frontier(graph, [0]), 1
    while frontier:
        frontier = fr.advance(graph, frontier, reach, step, *search)
        step += 1


def test_fields_are_arrays(graph):
    search = search_in(graph)
    run(graph, search)
    assert host(search.distance).tolist() == [0, 1, 1, 2, 3]
    assert sorted(fr.filter(fr.Frontier.all(graph), shape, *search)) == [1, 2, 3, 4]


def test_python_runs_them(graph):
    if graph.device.is_gpu:
        pytest.skip("functors are interpreted on CPUs")
    search = search_in(graph)
    with fr.interpreted():
        run(graph, search)
    assert search.distance.tolist() == [0, 1, 1, 2, 3] and search.near[:, 0].tolist() == [0, 1, 1, 1, 1]


def test_fields_are_checked(graph):
    everyone = fr.Frontier.all(graph)
    with fr.checking():
        run(graph, search_in(graph))
        message = r"length\(\) reads search.distance\[v\] at index [1-4], but its length is 1"
        with pytest.raises(fr.FunctorIndexError, match=message):
            run(graph, search_in(graph, 1))
        with pytest.raises(fr.FunctorIndexError, match=r"alias\(\) reads near\[v \+ 3, 0\] at index \([5-7], 0\)"):
            fr.filter(everyone, alias, *search_in(graph))
        assert len(fr.filter(everyone, shape, *search_in(graph))) == 0
        search = search_in(graph)
        search.near[2] = 1
        with pytest.raises(fr.FunctorIndexError, match=r"both\(\) reads distance\[v \+ 5\] at index 7"):
            fr.filter(everyone, both, *search)


def test_missing_fields_are_an_error(graph):
    for fields, reason in (
        (search_in(graph)[:2], "missing a required argument: 'unreached'"),
        ((*search_in(graph), 1), "too many"),
    ):
        with pytest.raises(fr.FunctorError, match=rf"reach\(\) cannot be compiled for the [CG]PU: .*{reason}"):
            fr.advance(graph, fr.Frontier(graph, [0]), reach, 1, *fields)
