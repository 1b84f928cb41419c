"""Arguments that several algorithms have: undirected graphs, seeds, and vertices to start from."""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from ._functors import weight_of


def check_undirected(graph: Any, name: str) -> None:
    """Raise unless `graph` is an undirected graph, for the algorithm of this name."""
    fr.advanced.arguments.check_graph(graph)
    if graph.directed:
        raise ValueError(f"{name} is defined for undirected graphs; make the graph with directed=False")


def with_in_edges(graph: Any, name: str) -> Any:
    """The graph, or a static copy that has in-edges if it has none, for the algorithm of this name.

    Raises
    ------
    ValueError
        A distributed graph has no in-edges.
    """
    if graph.has_in_edges:
        return graph
    if graph.in_parts:
        raise ValueError(f"{name} follows edges backward: make a distributed directed graph with in_edges=True")
    return graph.to_csr(in_edges=True)


def check_weights(graph: fr.Graph, name: str) -> None:
    """Raise if a weight is negative or NaN, for the algorithm of this name."""
    if graph.num_arcs and not float(fr.neighbor_reduce(graph, None, weight_of, reduce="min").min()) >= 0:
        raise ValueError(f"{name} needs weights that are not negative")


def as_int64(seed: int) -> np.int64:
    """A seed's lowest 64 bits: every integer becomes a seed, and kernels see one type."""
    return np.uint64(fr.advanced.arguments.integer(seed, "seed") & (2**64 - 1)).astype(np.int64)


def sample_of(graph: fr.Graph, sources: Any, k: Any, seed: int) -> tuple[list[int], int]:
    """Return the vertices to start from, ascending, and the number of existing vertices.

    Without `sources`, these are all vertices, or `k` drawn ones (all if fewer exist). Errors name the argument.
    """
    fr.advanced.arguments.check_graph(graph)
    seed = fr.advanced.arguments.integer(seed, "seed")
    existing = fr.Frontier.all(graph).vertices
    if k is not None:
        if sources is not None:
            raise ValueError("sources and k cannot both be given: k is the number of sources to draw")
        chosen = fr.advanced.draw_vertices(existing, fr.advanced.arguments.integer(k, "k", 1), seed)
    elif sources is None:
        chosen = np.sort(graph.device.to_host(existing))
    elif np.ndim(sources) == 0:
        raise TypeError(f"sources must be a list or array of vertices, not {sources!r}; k= draws so many")
    else:
        chosen = np.unique(graph.device.to_host(fr.advanced.arguments.vertex_ids(graph, sources, "sources")))
    return chosen.tolist(), int(existing.size)


def several_sources(graph: fr.Graph, source: Any, sources: Any) -> Any:
    """Return the sources of a search as int64 on the graph's device, or None if `source` names the only one."""
    if sources is None:
        return None
    fr.advanced.arguments.check_graph(graph)
    if source is not None:
        raise ValueError("source and sources cannot both be given: source is one vertex, sources are several")
    if np.ndim(sources) == 0:
        raise TypeError(f"sources must be a list or array of vertices, not {sources!r}; one is given by source")
    return fr.advanced.arguments.vertex_ids(graph, sources, "sources").astype(np.int64)


def walk_starts(graph: fr.Graph, starts: Any) -> Any:
    """Return the starts of walks in the graph's vertex dtype: each vertex by default, -1 for deleted ones."""
    if starts is None:
        ids = graph.xp.arange(graph.num_vertices)
        starts = graph.xp.where(graph.has_vertices(ids), ids, -1)
    else:
        starts = fr.advanced.arguments.vertex_ids(graph, starts, "starts")
    return starts.astype(graph.vertex_dtype)


def places(graph: fr.Graph, count: int) -> fr.Frontier:
    """A frontier over positions of an array on the graph's device, for functors that run once for each."""
    return fr.Frontier.all(fr.advanced.csr_structure()(count, device=graph.device))
