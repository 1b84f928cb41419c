"""Decide whether two results of an analytic are equal: one comparator for each kind of result.

Results are tuples of arrays or numbers on the host, which an `Analytic` reads from its result, or which another library
returns. A comparator gives a verdict with words for it, and digests: short numbers that stand for results of other
processes, or results that are not stored. Equal results have equal digests.
"""

from __future__ import annotations

import frontier as fr

from .automatic import Automatic
from .base import Comparator, Digest, Found, Verdict, on_host, relative_error
from .exact import Counts, Edges, Exact, Partition
from .judged import (
    Best,
    Forests,
    Quality,
    Scores,
    Valid,
    Walks,
    dominant_labels,
    maximal_independent,
    modularity,
    nearness,
    proper_coloring,
    spanning_forest,
    stationary_centrality,
    stationary_scores,
    valid_walks,
)
from .rounded import Distances, Distribution, Values

__all__ = [
    "Automatic", "Best", "Comparator", "Counts", "Digest", "Distances", "Distribution", "Edges", "Exact", "Forests",
    "Found", "Partition", "Quality", "Scores", "Valid", "Values", "Verdict", "Walks", "dominant_labels", "edges_of",
    "maximal_independent", "modularity", "nearness", "on_host", "proper_coloring", "relative_error", "spanning_forest",
    "stationary_centrality", "stationary_scores", "valid_walks",
]  # fmt: skip


def edges_of(graph: fr.Graph) -> fr.io.EdgeList:
    """The edges of a graph on the host, for comparators that need them."""
    src, dst, weights = (None if part is None else graph.device.to_host(part) for part in graph.to_coo())
    return fr.io.EdgeList(src, dst, weights, num_vertices=graph.num_vertices, directed=graph.directed)
