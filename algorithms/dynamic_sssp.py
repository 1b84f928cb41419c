"""Lengths of shortest paths that are maintained incrementally: `dynamic_distances`, with weights for lengths."""

from __future__ import annotations

import frontier as fr

from .dynamic_distances import DynamicDistances
from .sssp import sssp


class DynamicSSSP(DynamicDistances):
    """Shortest-path lengths and tree from a source, correct after every batch.

    Searches once when it is made; from then on they are maintained incrementally, until it is closed.

    Parameters
    ----------
    graph : DynamicGraph
        Weights must not be negative. In a directed graph edges are followed forward; without weights every edge counts
        1.
    source : int

    Attributes
    ----------
    distance : array, shape (num_vertices,)
        On the graph's device, as `sssp` gives it. While the source is deleted, no vertex can be reached.
    predecessor : array of the graph's vertex dtype, shape (num_vertices,)
        -1 for the source and for vertices that cannot be reached.

    Raises
    ------
    TypeError, ValueError
        As `sssp`. A batch with a negative weight is carried out all the same, but to ask for `distance` or
        `predecessor` raises for as long as the graph holds it.

    Notes
    -----
    Both arrays are read-only: on the CPU views, which later batches may change, on the GPU copies.

    Work is that of `DynamicBFS`; edges of length zero add O(V + E).
    """

    def __init__(self, graph: fr.DynamicGraph, source: int):
        super().__init__(graph, source, sssp, weighted=graph.is_weighted)
