"""Runs of all analytics that make them use their kernels: each on small graphs of many forms.

The operators that they use are then compiled ahead of time (``dynfrontier/prebuilt/build.py``).
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator, Sequence
from typing import Any
from unittest import mock

import numpy as np

import frontier as fr

from . import (
    _maintained_communities,
    dynamic_betweenness_centrality,
    dynamic_connected_components,
    dynamic_core_number,
    dynamic_distances,
    dynamic_katz_centrality,
    dynamic_strongly_connected_components,
)
from .analytic import analytics

k_truss = importlib.import_module("algorithms.k_truss")  # the module, not the function

FIRST = ("bfs", "connected_components", "pagerank", "sssp", "triangle_count")
"""Analytics that run on graphs of all forms. The rest runs on dense graphs without in-edges."""

LIMITS: tuple[tuple[tuple[str, ...], Any, dict[str, Any]], ...] = (
    (("bfs", "sssp"), dynamic_distances, {"SMALL_ARCS": 0, "MAX_ARCS": 1}),
    (("connected_components",), dynamic_connected_components, {"MAX_ARCS": 1}),
    (("core_number",), dynamic_core_number, {"RECOMPUTE_ABOVE": 10**6}),
    (("betweenness_centrality",), dynamic_betweenness_centrality, {"MOST": 10**6, "MOST_EDGES": 10**6}),
    (("katz_centrality",), dynamic_katz_centrality, {"LARGE": 1, "LOCAL_SHARE": 10**6, "MOST_LEFT": 10**6}),
    (
        ("strongly_connected_components",),
        dynamic_strongly_connected_components,
        {"SMALL_GRAPH": {"cpu": 0}, "ROUNDS": 0},
    ),
    (("label_propagation", "louvain"), _maintained_communities, {"RECOMPUTE_AFTER": math.inf, "SPLIT_AFTER": 0}),
    (("k_truss",), k_truss, {"LOOKUP_STEPS": 0, "COPY_BELOW": 0}),
    (("k_truss",), k_truss, {"LOOKUP_STEPS": 0, "COPY_BELOW": 1}),
)
"""Analytics that choose another path in large graphs or after large batches, and limits with which they choose it in
small ones, by their module."""

SCALE = 6  # of the graphs: 64 vertices
DENSE, SPARSE = 16, 2  # edges of a vertex: algorithms choose other paths where degrees are high
BATCHES = 4
SEED = 1


def names() -> list[str]:
    """The analytics, the first ones first."""
    return [*FIRST, *(name for name in analytics() if name not in FIRST)]


def others(*, times: bool) -> list[str]:
    """The analytics not in `FIRST`. With times, only analytics with an incremental form, or that need times."""
    known = analytics()
    found = [name for name in names() if name not in FIRST]
    return [name for name in found if not times or known[name].incremental is not None or known[name].times]


def perform(structure: type[Any], device: fr.advanced.Device, chosen: Sequence[str], **options: Any) -> None:
    """Run some analytics, in both of their forms, on graphs of a structure made with these options."""
    first = [name for name in chosen if name in FIRST]
    rest = [name for name in chosen if name not in FIRST]
    for directed in (False, True):
        for in_edges in (False, True) if directed else (False,):
            for degree in (DENSE, SPARSE):
                _perform(structure, device, options, directed, in_edges, degree, first)
                for large in _as_if_large(chosen):
                    _perform(structure, device, options, directed, in_edges, degree, large)
        _perform(structure, device, options, directed, False, DENSE, rest)


def perform_incremental(
    structure: type[Any], device: fr.advanced.Device, name: str, *, directed: bool, in_edges: bool, **options: Any
) -> None:  # fmt: skip
    """Run the incremental form of an analytic, in all of its ways, on graphs of one kind."""
    for degree in (DENSE, SPARSE):
        _perform(structure, device, options, directed, in_edges, degree, [name], static=False)
        for large in _as_if_large([name]):
            _perform(structure, device, options, directed, in_edges, degree, large, static=False)


def _as_if_large(chosen: Sequence[str]) -> Iterator[list[str]]:
    """The analytics of each row of `LIMITS`, while its limits are in force."""
    for names, module, limits in LIMITS:
        with mock.patch.multiple(module, **limits):
            yield [name for name in chosen if name in names]


def _perform(
    structure: type[Any], device: fr.advanced.Device, options: dict[str, Any], directed: bool, in_edges: bool,
    degree: int, chosen: Sequence[str], *, static: bool = True,
) -> None:  # fmt: skip
    if not chosen:
        return
    edges = fr.io.rmat(scale=SCALE, edge_factor=degree, seed=SEED)
    parts = np.array_split(np.arange(edges.num_records), BATCHES)
    empty = structure(edges.num_vertices, device=device, directed=directed, in_edges=in_edges, **options)

    def insert(graph: Any, at: np.ndarray) -> None:
        insert_pairs(graph, edges.src[at], edges.dst[at])

    def insert_pairs(graph: Any, src: np.ndarray, dst: np.ndarray) -> None:
        weights = None if graph.weight_dtype is None else 1.0 + src % 7
        times = {} if graph.time_unit is None else {"time": src.astype(np.int64)}
        graph.insert_edges(src, dst, weights, **times)

    for name in chosen:
        known = analytics()[name]
        graph = empty.copy()
        if known.obstacle(graph):
            continue
        if known.incremental is not None:
            if degree == SPARSE:
                insert(graph, np.concatenate(parts))
            with known.maintain(graph, **known.settings(graph)) as maintained:
                for at in parts:
                    insert(graph, at)
                    known.read(maintained)
                    graph.delete_edges(edges.src[at[::3]], edges.dst[at[::3]])
                    known.read(maintained)
                    insert(graph, at[::-1])
                    known.read(maintained)
                graph.insert_vertices(2)
                known.read(maintained)
                pair = np.array([graph.num_vertices - 1]), np.array([0])  # a batch that is small for this graph
                insert_pairs(graph, *pair)
                known.read(maintained)
                graph.delete_edges(*pair)
                known.read(maintained)
                ends = graph.num_vertices - np.array([1, 2])  # a small component that loses an arc
                insert_pairs(graph, ends, ends[::-1])
                known.read(maintained)
                graph.delete_edges(ends[:1], ends[1:])
                known.read(maintained)
                graph.delete_vertices([0])
                known.read(maintained)
            with known.maintain(graph, **known.settings(graph)) as maintained:  # from all analytics
                known.read(maintained)
        else:
            insert(graph, np.concatenate(parts))
        for settings in _variants(known, graph) if static else ():
            known.compute(graph, **settings)


def _variants(known: Any, graph: Any) -> Iterator[dict[str, Any]]:
    yield known.settings(graph)
    if "layout" in known.accepted:
        for layout in ("native", "csr"):
            yield known.settings(graph, layout=layout)
