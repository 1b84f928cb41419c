"""Shortest-path lengths by Dijkstra's algorithm, by one thread, in the same time whatever the weights.

    distance[v]        length of the shortest path found so far; final once v has left the heap
    heap[: size]       vertices that were reached and are not final, the nearest first: a heap of `WAYS` ways
    place[v]           the place of v in the heap, if it is there; -1 before it is reached

Dijkstra, "A Note on Two Problems in Connexion with Graphs", Numer. Math. 1959; Johnson, "Priority Queues with Update
and Finding Minimum Spanning Trees", Inf. Process. Lett. 1975 (heaps of several ways).
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

WAYS = 4


def nearest_first(graph: fr.Graph, source: int, distance: np.ndarray, unreached: Any, too_long: np.ndarray) -> None:
    """Find the lengths of the shortest paths from a vertex, in a graph with weights on a CPU.

    Parameters
    ----------
    distance : array, shape (num_vertices,)
        To be filled; its type is that of `unreached`.
    too_long : array of int32, shape (1,)
        Set to 1 if the length of a path overflows that type.

    Notes
    -----
    O((V + E) log V) work, by one thread, and O(V + E) memory.
    """
    arcs: Any = graph.to_csr()
    heap, place = np.empty(distance.size, graph.vertex_dtype), np.full(distance.size, -1, graph.vertex_dtype)
    distance.fill(unreached)
    distance[source] = 0
    start = fr.Frontier(graph, [source])
    fr.compute(start, _search, arcs.offsets, arcs.indices, arcs.weights, distance, unreached, heap, place, too_long)


def _search(source, offsets, heads, weights, distance, unreached, heap, place, too_long):
    heap[0] = source
    size = 1
    while size > 0:
        v = heap[0]
        own = distance[v]
        size -= 1
        if size > 0:  # the last takes the place of the first, and goes down
            moved = heap[size]
            length = distance[moved]
            at = 0
            child = 1
            while child < size:
                least = child
                for other in range(child + 1, min(child + WAYS, size)):
                    if distance[heap[other]] < distance[heap[least]]:
                        least = other
                if distance[heap[least]] >= length:
                    break
                heap[at] = heap[least]
                place[heap[at]] = at
                at = least
                child = WAYS * at + 1
            heap[at] = moved
            place[moved] = at
        for arc in range(offsets[v], offsets[v + 1]):
            weight = weights[arc]
            if not weight < unreached - own:
                if weight < np.inf:
                    too_long[0] = 1
                continue
            w = heads[arc]
            through = own + weight
            if through < distance[w]:
                distance[w] = through
                at = place[w]
                if at < 0:
                    at = size
                    size += 1
                while at > 0:
                    parent = (at - 1) // WAYS
                    if distance[heap[parent]] <= through:
                        break
                    heap[at] = heap[parent]
                    place[heap[at]] = at
                    at = parent
                heap[at] = w
                place[w] = at
