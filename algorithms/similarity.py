"""Similarity of vertices by their common neighbors: Jaccard and overlap coefficients.

For vertices u and v with c common neighbors, the Jaccard coefficient is c over the number of vertices that are a
neighbor of either, the overlap coefficient c over the smaller of their degrees. The common neighbors of the ends of an
edge are the triangles that contain it, so one count of triangles serves all edges of an undirected graph.

    up      each edge from its end of lower degree to the other (ties by id)
    down    the same edges reversed

Jaccard, "The Distribution of the Flora in the Alpine Zone", New Phytologist 1912; Simpson, "Mammals and the Nature of
Continents", American Journal of Science 1943.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._subgraph import sorted_edges
from .result import Result


@dataclass(frozen=True, repr=False)
class SimilarityResult(Result):
    """Result of `jaccard` and `overlap`; arrays are on the graph's device.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (m,)
        The pairs: those given, or all edges, each once, sorted; those of undirected graphs as ``src < dst``.
    coefficient : array of float64, shape (m,)
        From 0 to 1; 0 where neither has a neighbor.
    """

    src: Any
    dst: Any
    coefficient: Any


@fr.advanced.reads
def jaccard(graph: fr.Graph, src: Any = None, dst: Any = None) -> SimilarityResult:
    """The Jaccard coefficients of pairs of vertices.

    Parameters
    ----------
    graph : Graph
        In a directed graph, neighbors are successors. Weights are ignored.
    src, dst : array-like of int, shape (m,), optional
        The pairs; by default the ends of every edge.

    Raises
    ------
    TypeError, ValueError
        Only one of `src` and `dst` is given, they differ in length, or an id is not a vertex of the graph.

    Notes
    -----
    For the edges of an undirected graph O(E^1.5) work; for given pairs, that of `intersect`. O(V + E) memory.

    Examples
    --------
    >>> from algorithms import jaccard
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> jaccard(graph).coefficient.round(3)
    array([0.333, 0.25 , 0.25 , 0.   , 0.   ])
    >>> jaccard(graph, [0], [3]).coefficient
    array([0.33333333])
    """
    src, dst, common, one, other = _common(graph, src, dst)
    return SimilarityResult(src, dst, common / graph.xp.maximum(one + other - common, 1))


@fr.advanced.reads
def overlap(graph: fr.Graph, src: Any = None, dst: Any = None) -> SimilarityResult:
    """The overlap coefficients (Szymkiewicz and Simpson) of pairs of vertices.

    Parameters
    ----------
    graph, src, dst
        As in `jaccard`, like the errors.

    Notes
    -----
    Takes the same work as `jaccard`.

    Examples
    --------
    >>> from algorithms import overlap
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> overlap(graph, [0], [3]).coefficient
    array([0.5])
    """
    src, dst, common, one, other = _common(graph, src, dst)
    return SimilarityResult(src, dst, common / graph.xp.maximum(graph.xp.minimum(one, other), 1))


def _common(graph: fr.Graph, src: Any, dst: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Pairs, their numbers of common neighbors, and the degrees of both ends."""
    fr.advanced.arguments.check_graph(graph)
    if (src is None) != (dst is None):
        raise TypeError("src and dst must be given together, or neither")
    degrees = graph.degrees()
    if src is None and not (graph.directed or graph.in_parts):
        src, dst, common = _triangles_of_edges(graph, degrees)
    else:
        if src is None:
            src, dst, _ = graph.to_coo()
        src, dst = (
            fr.advanced.arguments.vertex_ids(graph, ids, name).astype(graph.vertex_dtype)
            for ids, name in ((src, "src"), (dst, "dst"))
        )
        if src.size != dst.size:
            raise ValueError(f"src and dst must have the same length, but src has {src.size}, dst has {dst.size}")
        if graph.in_parts:
            share = graph.own_share(src.size)
            common = graph.of_all_parts(fr.intersect(graph, src[share], dst[share]))
        else:
            common = fr.intersect(graph, src, dst)
    return src, dst, common, degrees[src], degrees[dst]


def _triangles_of_edges(graph: fr.Graph, degrees: Any) -> tuple[Any, Any, Any]:
    """All edges, sorted, and the number of triangles that contain each."""
    up, down = fr.advanced.extract_oriented(graph, degrees)
    src, dst, support = sorted_edges(graph, *up.to_coo()[:2], fr.advanced.edge_support(up, down))
    return src, dst, support.astype(np.int64)
