"""Vertices to start from: samples, for algorithms that may start from a few instead of all, and lists of sources."""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr


def sample_of(graph: fr.Graph, sources: Any, seed: int) -> tuple[list[int], int]:
    """Vertices to start from, and the number of vertices that exist.

    Parameters
    ----------
    sources : int, array-like of int, or None
        How many to draw at random (all, if there are fewer), or which. None stands for all.

    Raises
    ------
    TypeError, ValueError
        Naming `sources` or `seed`.
    """
    fr.advanced.arguments.check_graph(graph)
    generator = np.random.default_rng(fr.advanced.arguments.integer(seed, "seed") & (2**64 - 1))
    existing = np.sort(graph.device.to_host(fr.Frontier.all(graph).vertices))
    if sources is None:
        chosen = existing
    elif np.ndim(sources) == 0:
        count = min(fr.advanced.arguments.integer(sources, "sources", 1), existing.size)
        chosen = np.sort(generator.choice(existing, count, replace=False)) if count else existing
    else:
        chosen = np.unique(graph.device.to_host(fr.advanced.arguments.vertex_ids(graph, sources, "sources")))
    return chosen.tolist(), int(existing.size)


def several_sources(graph: fr.Graph, source: Any, sources: Any) -> Any:
    """The sources of a search as an array of int64 on the graph's device, or None if there is one, named by `source`.

    Raises
    ------
    TypeError, ValueError
        Both are given, or `sources` is not vertices of the graph.
    """
    if sources is None:
        return None
    fr.advanced.arguments.check_graph(graph)
    if source is not None:
        raise ValueError("source and sources cannot both be given: source is one vertex, sources are several")
    if np.ndim(sources) == 0:
        raise TypeError(f"sources must be a list or array of vertices, not {sources!r}; one is given by source")
    return fr.advanced.arguments.vertex_ids(graph, sources, "sources").astype(np.int64)
