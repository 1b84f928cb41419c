"""Breadth-first distances that are maintained incrementally: `dynamic_distances`, with edges of length 1."""

from __future__ import annotations

import frontier as fr

from .bfs import bfs
from .dynamic_distances import DynamicDistances


class DynamicBFS(DynamicDistances):
    """Breadth-first distances and tree from a source, exact after every batch.

    Searches once when it is made; from then on they are maintained incrementally, until it is closed.

    Parameters
    ----------
    graph : DynamicGraph
        In a directed graph edges are followed forward. Weights do not matter.
    source : int

    Attributes
    ----------
    distance : array of int32, shape (num_vertices,)
        On the graph's device; the largest int32 for vertices that cannot be reached: all, while the source is deleted.
    predecessor : array of the graph's vertex dtype, shape (num_vertices,)
        -1 for the source and for vertices that cannot be reached.

    Raises
    ------
    TypeError, ValueError
        `source` is no vertex of the graph.

    Notes
    -----
    Both arrays are read-only: on the CPU views, which later batches may change, on the GPU copies.

    A batch takes work in the number of its edges, of the vertices whose distances change or whose edge of the tree
    goes, and of their edges, and for deletions a pass over one byte per vertex. On directed graphs it is O(V + E) for a
    batch that changes anything.
    """

    def __init__(self, graph: fr.DynamicGraph, source: int):
        super().__init__(graph, source, bfs, weighted=False)
