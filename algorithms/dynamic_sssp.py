"""Lengths of shortest paths that are maintained incrementally: `dynamic_distances`, with weights for lengths."""

from __future__ import annotations

import frontier as fr

from ._distances_over_parts import DistancesOverParts
from .dynamic_distances import DynamicDistances
from .sssp import sssp


class DynamicSSSP(DynamicDistances):
    """Shortest-path lengths and tree from a source, correct after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        Weights must not be negative, and edges without weights have length 1. In a directed graph edges are followed
        forward.
    source : int

    Attributes
    ----------
    distance : array, shape (num_vertices,)
        On the graph's device, as in `sssp`. While the source is deleted, no vertex is reachable.
    predecessor : array of the graph's vertex dtype, shape (num_vertices,)
        -1 for the source and for unreachable vertices.

    Raises
    ------
    TypeError, ValueError
        As `sssp`. A batch with a negative weight is applied, but reading `distance` or `predecessor` raises while the
        graph contains such a weight.

    See Also
    --------
    sssp : Computes the result for the current graph.

    Notes
    -----
    Both arrays are read-only: on the CPU views, which later batches may change, on the GPU copies.

    The work is as for `DynamicBFS`. Edges of length zero add O(V + E).

    Examples
    --------
    >>> from algorithms import DynamicSSSP
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 0, 1], [1, 2, 2], [1, 4, 2], weight_dtype="float32", device="cpu"
    ... )
    >>> paths = DynamicSSSP(graph, 0)
    >>> paths.distance
    array([0., 1., 3.], dtype=float32)
    >>> graph.delete_edges([1], [2])
    UpdateResult(inserted=0, replaced=0, deleted=1)
    >>> paths.distance
    array([0., 1., 4.], dtype=float32)
    """

    def __init__(self, graph: fr.DynamicGraph, source: int):
        fr.advanced.arguments.check_dynamic_graph(graph)
        super().__init__(graph, source, sssp, weighted=graph.is_weighted)


class _OverParts(DynamicSSSP, DistancesOverParts):
    """The same for a distributed graph."""


DynamicSSSP.form_over_parts = _OverParts
