"""Similarity of vertices by their common neighbors: Jaccard, Sorensen, cosine and overlap coefficients.

Let c be the number of common neighbors of u and v. The Jaccard coefficient divides it by the number of vertices that
are a neighbor of either. The Sorensen coefficient divides it by the mean of their degrees, the cosine coefficient by
the geometric mean, and the overlap coefficient by the smaller degree. The common neighbors of the ends of an edge are
the triangles that contain it, so one count of triangles serves all edges of an undirected graph.

    up      each edge from its end of lower degree to the other (ties by id)
    down    the same edges reversed

Jaccard, "The Distribution of the Flora in the Alpine Zone", New Phytologist 1912; Sorensen, "A Method of Establishing
Groups of Equal Amplitude in Plant Sociology", Biologiske Skrifter 1948; Salton and McGill, "Introduction to Modern
Information Retrieval", McGraw-Hill 1983 (cosine); Simpson, "Mammals and the Nature of Continents", American Journal of
Science 1943 (overlap).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._subgraph import sorted_edges
from .result import Result


@dataclass(frozen=True, repr=False)
class SimilarityResult(Result):
    """Result of `jaccard`, `sorensen`, `cosine` and `overlap`. Arrays are on the graph's device.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (m,)
        The given pairs, or all edges, each once, sorted, in undirected graphs as ``src < dst``.
    coefficient : array of float64, shape (m,)
        From 0 to 1, and 0 where neither has a neighbor.

    See Also
    --------
    cosine : Computes it.
    jaccard : Computes it.
    overlap : Computes it.
    sorensen : Computes it.
    """

    src: Any
    dst: Any
    coefficient: Any


class Measure(NamedTuple):
    """A coefficient of two sets.

    `score` computes it from arrays of common neighbors and of both degrees. `xp` is their module. `share` bounds sets
    that reach a coefficient t: the common neighbors, and the degree of either vertex, are at least share(t) times the
    degree of the other.
    """

    score: Callable[[Any, Any, Any, Any], Any]
    share: Callable[[float], float]


JACCARD = Measure(lambda xp, common, one, other: common / xp.maximum(one + other - common, 1), lambda t: t)
SORENSEN = Measure(lambda xp, common, one, other: 2 * common / xp.maximum(one + other, 1), lambda t: t / (2 - t))
COSINE = Measure(  # squares, as the root of each product would round equal coefficients to different numbers
    lambda xp, common, one, other: xp.sqrt(1.0 * common * common / xp.maximum(1.0 * one * other, 1)), lambda t: t * t
)
OVERLAP = Measure(lambda xp, common, one, other: common / xp.maximum(xp.minimum(one, other), 1), lambda t: 0.0)


@fr.advanced.reads
def jaccard(graph: fr.Graph, src: Any = None, dst: Any = None) -> SimilarityResult:
    """The Jaccard coefficients of pairs of vertices.

    Parameters
    ----------
    graph : Graph
        In a directed graph, neighbors are successors. Weights are ignored.
    src, dst : array-like of int, shape (m,), optional
        The pairs, by default the ends of every edge.

    Raises
    ------
    TypeError, ValueError
        Only one of `src` and `dst` is given, they differ in length, or an id is not a vertex of the graph.

    See Also
    --------
    all_pairs_jaccard : The most similar of all pairs.

    Notes
    -----
    O(E^1.5) work for the edges of an undirected graph, the work of `intersect` for given pairs. O(V + E) memory.

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
    return _similarity(graph, src, dst, JACCARD)


@fr.advanced.reads
def sorensen(graph: fr.Graph, src: Any = None, dst: Any = None) -> SimilarityResult:
    """The Sorensen coefficients (Sorensen and Dice) of pairs of vertices.

    Parameters
    ----------
    graph, src, dst
        As in `jaccard`, like the errors.

    See Also
    --------
    all_pairs_sorensen : The most similar of all pairs.

    Notes
    -----
    The same work as `jaccard`.

    Examples
    --------
    >>> from algorithms import sorensen
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> sorensen(graph, [0], [3]).coefficient
    array([0.5])
    """
    return _similarity(graph, src, dst, SORENSEN)


@fr.advanced.reads
def cosine(graph: fr.Graph, src: Any = None, dst: Any = None) -> SimilarityResult:
    """The cosine coefficients (Salton and Ochiai) of pairs of vertices.

    Parameters
    ----------
    graph, src, dst
        As in `jaccard`, like the errors.

    See Also
    --------
    all_pairs_cosine : The most similar of all pairs.

    Notes
    -----
    The cosine of the angle between the rows of the adjacency matrix. cuGraph's coefficient of a graph without weights
    is 1 for all pairs with a common neighbor. The same work as `jaccard`.

    Examples
    --------
    >>> from algorithms import cosine
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> cosine(graph, [0], [3]).coefficient
    array([0.5])
    """
    return _similarity(graph, src, dst, COSINE)


@fr.advanced.reads
def overlap(graph: fr.Graph, src: Any = None, dst: Any = None) -> SimilarityResult:
    """The overlap coefficients (Szymkiewicz and Simpson) of pairs of vertices.

    Parameters
    ----------
    graph, src, dst
        As in `jaccard`, like the errors.

    See Also
    --------
    all_pairs_overlap : The most similar of all pairs.

    Notes
    -----
    The same work as `jaccard`.

    Examples
    --------
    >>> from algorithms import overlap
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> overlap(graph, [0], [3]).coefficient
    array([0.5])
    """
    return _similarity(graph, src, dst, OVERLAP)


def _similarity(graph: fr.Graph, src: Any, dst: Any, measure: Measure) -> SimilarityResult:
    fr.advanced.arguments.check_graph(graph)
    if (src is None) != (dst is None):
        raise TypeError("src and dst must be given together, or neither")
    degrees = graph.degrees()
    if src is None and not (graph.directed or graph.in_parts):
        src, dst, common = _triangles_of_edges(graph)
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
    return SimilarityResult(src, dst, measure.score(graph.xp, common, degrees[src], degrees[dst]))


def _triangles_of_edges(graph: fr.Graph) -> tuple[Any, Any, Any]:
    """All edges, sorted, and the number of triangles that contain each."""
    up, down, order, _ = fr.advanced.Orientation(graph).copy()
    ends = (order[ids] for ids in up.to_coo()[:2])
    src, dst, support = sorted_edges(graph, *ends, fr.advanced.edge_support(up, down))
    return src, dst, support.astype(np.int64)
