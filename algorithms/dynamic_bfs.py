"""Breadth-first distances that are maintained incrementally: `dynamic_distances`, with edges of length 1."""

from __future__ import annotations

import frontier as fr

from ._distances_over_parts import DistancesOverParts
from .bfs import bfs
from .dynamic_distances import DynamicDistances


class DynamicBFS(DynamicDistances):
    """Breadth-first distances and tree from a source, exact after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        In a directed graph edges are followed forward. Weights are ignored.
    source : int

    Attributes
    ----------
    distance : array of int32, shape (num_vertices,)
        On the graph's device, the largest int32 for unreachable vertices. All are unreachable while the source is
        deleted.
    predecessor : array of the graph's vertex dtype, shape (num_vertices,)
        -1 for the source and for unreachable vertices.

    Raises
    ------
    TypeError, ValueError
        `source` is not a vertex of the graph.

    See Also
    --------
    bfs : Computes the result for the current graph.

    Notes
    -----
    Both arrays are read-only: on the CPU views, which later batches may change, on the GPU copies.

    The work of a batch is linear in its edges, the vertices whose distance or tree edge changes, and their edges. On
    directed graphs without in-edges (``in_edges=True``) a batch that changes anything costs O(V + E). On a GPU with
    in-edges, small batches of deletions also visit all vertices below a vertex that lost its tree edge and found no
    replacement at once.

    Examples
    --------
    >>> from algorithms import DynamicBFS
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], device="cpu")
    >>> search = DynamicBFS(graph, 0)
    >>> search.distance
    array([0, 1, 2, 3, 4], dtype=int32)
    >>> graph.insert_edges([0], [3])
    UpdateResult(inserted=1, replaced=0, deleted=0)
    >>> search.distance
    array([0, 1, 2, 1, 2], dtype=int32)
    """

    def __init__(self, graph: fr.DynamicGraph, source: int):
        super().__init__(graph, source, bfs, weighted=False)


class _OverParts(DynamicBFS, DistancesOverParts):
    """The same for a distributed graph."""


DynamicBFS.form_over_parts = _OverParts
