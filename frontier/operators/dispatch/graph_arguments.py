"""Graphs that functors are given (`intrinsics.neighbors`): on a CPU compiled or run by Python, on a GPU."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.extending import overload

from frontier.core.base import BaseGraph
from frontier.functor import FunctorError, GraphArgument, GraphForm
from frontier.functor.intrinsics import neighbors
from frontier.runtime import Workspace
from frontier.runtime.compile.cpu import interpreting
from frontier.runtime.launch.recorder import recorder

from .weights import LINKED, edge_at, edge_or_none, weight_at


class TraversableGraph(NamedTuple):
    """A graph as compiled functors on a CPU have it: its view, and its weights as `operators.weights` reads them.

    The view, which is without weights, is called `lists`: in compiled functions the name `view` has a special meaning.
    """

    lists: Any
    weights: Any
    num_vertices: int


class Interpreted:
    """A graph as functors have it that Python runs, with the module of its structure's neighbor iterator."""

    def __init__(self, graph: TraversableGraph, iterator: ModuleType):
        self._graph, self._iterator = graph, iterator
        self.num_vertices = graph.num_vertices

    def degree(self, v: int) -> int:
        return int(self._iterator.degree(self._graph.lists, v))

    def find_edge(self, u: int, v: int) -> int:
        return int(edge_or_none(self._graph.weights, self._iterator.find(self._graph.lists, u, v)))

    def segments(self, v: int) -> int:
        return int(self._iterator.segments(self._graph.lists, v))

    def segment(self, v: int, i: int) -> tuple[int, int, int]:
        return self._iterator.segment(self._graph.lists, v, i)

    def next_run(self, run: int, low: int, high: int) -> tuple[int, int, int]:
        return self._iterator.next_run(self._graph.lists, run)

    def vertex_at(self, slot: int) -> int:
        return int(self._graph.lists.neighbors[slot])

    def edge_in(self, slot: int) -> int:
        return int(edge_at(self._graph.weights, slot))

    def weight_in(self, slot: int) -> Any:
        return weight_at(self._graph.weights, slot)


_by_view: dict[type, ModuleType] = {}
"""The modules of neighbor iterators, by the type of the view, of all graphs that were passed to functors."""


def argument_on_cpu(graph: BaseGraph, view: Any, weights: Any) -> TraversableGraph | Interpreted:
    """A graph for functors on a CPU, from a view and weights as in `TraversableGraph`."""
    found = TraversableGraph(view, weights, graph.num_vertices)
    iterator = _by_view.get(type(view))
    if iterator is None:
        iterator = _by_view[type(view)] = iterator_of(graph.package)
    return Interpreted(found, iterator) if interpreting.get() else found


def argument_on_gpu(graph: BaseGraph, macros: dict[str, str], work: Workspace) -> GraphArgument:
    """A graph for functors on a GPU, with its view, of these `macros`, copied to the device if it has changed.

    FunctorError while launches are captured: a replay would see an outdated view.
    """
    if recorder.launches is not None:
        raise FunctorError("functors that walk a graph cannot be captured: they read its view at the time of the call")
    words = np.append(graph.view().fields, graph.num_vertices)
    held = work.graph_argument
    if held is None or held[0] != words.tobytes():
        work.graph_argument = held = words.tobytes(), graph.xp.asarray(words)
    weight = graph.weight_dtype or np.dtype(np.float32)
    return GraphArgument(GraphForm(tuple(sorted(macros.items())), weight.name), held[1])


ITERATOR = ("degree", "segments", "segment", "next_run", "find")


@functools.cache
def iterator_of(package: str) -> ModuleType:
    """The module that defines a structure's neighbor iterator. A shared one is of another folder, and the structures
    that share it share compiled kernels, too."""
    own = importlib.import_module(f"{package}.cpu")
    modules = {getattr(own, name).py_func.__module__ for name in ITERATOR}
    return importlib.import_module(modules.pop()) if len(modules) == 1 else own


def _iterator_for(graph: Any) -> ModuleType | None:
    """The neighbor iterator for a type of a functor's argument, or None if it is not the type of a graph."""
    if not isinstance(graph, types.BaseNamedTuple) or graph.instance_class is not TraversableGraph:
        return None
    return _by_view[graph[0].instance_class]


@overload(neighbors.degree, **LINKED)
def _degree(graph, v):
    iterator = _iterator_for(graph)
    if iterator is None:
        return None
    found = iterator.degree
    return lambda graph, v: np.int64(found(graph.lists, v))


@overload(neighbors.find_edge, **LINKED)
def _find_edge(graph, u, v):
    iterator = _iterator_for(graph)
    if iterator is None:
        return None
    find = iterator.find
    return lambda graph, u, v: np.int64(edge_or_none(graph.weights, find(graph.lists, u, v)))


@overload(neighbors.num_vertices, **LINKED)
def _num_vertices(graph):
    if _iterator_for(graph) is None:
        return None
    return lambda graph: graph.num_vertices


@overload(neighbors.segments, **LINKED)
def _segments(graph, v):
    iterator = _iterator_for(graph)
    if iterator is None:
        return None
    count = iterator.segments
    return lambda graph, v: np.int64(count(graph.lists, v))


def _integers(run):
    return np.int64(run[0]), np.int64(run[1]), np.int64(run[2])


@overload(_integers, **LINKED)
def _all_integers(run):
    return lambda run: (np.int64(run[0]), np.int64(run[1]), np.int64(run[2]))


@overload(neighbors.segment, **LINKED)
def _segment(graph, v, i):
    iterator = _iterator_for(graph)
    if iterator is None:
        return None
    first = iterator.segment
    return lambda graph, v, i: _integers(first(graph.lists, v, i))


@overload(neighbors.next_run, **LINKED)
def _next_run(graph, run, low, high):
    iterator = _iterator_for(graph)
    if iterator is None:
        return None
    following = iterator.next_run
    return lambda graph, run, low, high: _integers(following(graph.lists, run))


@overload(neighbors.vertex_at, **LINKED)
def _vertex_at(graph, slot):
    if _iterator_for(graph) is None:
        return None
    return lambda graph, slot: np.int64(graph.lists.neighbors[slot])


@overload(neighbors.edge_in, **LINKED)
def _edge_in(graph, slot):
    if _iterator_for(graph) is None:
        return None
    return lambda graph, slot: np.int64(edge_at(graph.weights, slot))


@overload(neighbors.weight_in, **LINKED)
def _weight_in(graph, slot):
    if _iterator_for(graph) is None:
        return None
    return lambda graph, slot: weight_at(graph.weights, slot)
