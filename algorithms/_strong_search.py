"""Strongly connected components by one depth-first search, in linear time for any shape of the graph.

Vertices are numbered in the order of discovery. When all arcs of a vertex have been followed, the lowest number that it
reaches over vertices of incomplete components is known. If that is its own, its component is complete: the vertex, and
the vertices finished since its discovery that are in no other component.

    number[v]   0 before v is found, then its number. Once v is finished, the lowest number
                that it reaches. Once its component is complete, the component's number
    vertex      at the front, the path: the vertices from the start to the current one. At the back, finished vertices
                of incomplete components
    low, least, arc, end
                of the vertices of the path: the lowest number and the smallest vertex that
                they are known to reach, the next of their arcs, and the end of these

A component is complete after all components that it points to, so this order is reverse topological. Component numbers
descend from the number of vertices, so none is below the number of a vertex in an incomplete component.

Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM J. Comput. 1972; Pearce, "A Space-Efficient Algorithm for
Finding Strongly Connected Components", Inf. Process. Lett. 2016 (one number for each vertex, and one array for two
stacks).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import frontier as fr


class Path(NamedTuple):
    """The path of the search, and behind it the finished vertices of incomplete components."""

    vertex: Any
    low: Any
    least: Any
    arc: Any
    end: Any


def search(offsets: np.ndarray, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the components of a graph on the host, whose arcs from v lead to ``heads[offsets[v] : offsets[v + 1]]``.

    Returns, for each vertex, the smallest vertex of its component, and the position of the component, from 0, in
    reverse topological order. O(V + E) work, by one thread.
    """
    n, kind = offsets.size - 1, heads.dtype
    number, smallest = np.zeros(n, kind), np.empty(n, kind)
    path = Path(*(np.empty(n, dtype) for dtype in (kind, kind, kind, np.int64, np.int64)))
    once = fr.Frontier.all(fr.advanced.csr_structure()(1, device="cpu"))
    fr.compute(once, _search, offsets, heads, n, number, smallest, *path)
    return smallest, n - number


def _search(_, offsets, heads, n, number, smallest, *args):
    path = Path(*args)
    found = 1
    component = n
    behind = n
    for start in range(n):
        if number[start] != 0:
            continue
        v = start
        at = -1  # of the current vertex on the path
        while v >= 0 or at >= 0:
            if v >= 0:
                at += 1
                number[v] = found
                path.vertex[at] = v
                path.low[at] = found
                path.least[at] = v
                path.arc[at] = offsets[v]
                path.end[at] = offsets[v + 1]
                found += 1
                v = -1
            lowest = path.low[at]
            place = path.arc[at]
            while place < path.end[at] and v < 0:
                w = heads[place]
                place += 1
                if number[w] == 0:
                    v = w
                elif number[w] < lowest:
                    lowest = number[w]
            path.low[at] = lowest
            path.arc[at] = place
            if v >= 0:
                continue
            last = path.vertex[at]
            first = path.least[at]
            own = number[last]
            at -= 1
            if lowest < own:
                number[last] = lowest
                behind -= 1
                path.vertex[behind] = last
                path.low[at] = min(path.low[at], lowest)
                path.least[at] = min(path.least[at], first)
                continue
            found -= 1
            number[last] = component
            smallest[last] = first
            while behind < n and number[path.vertex[behind]] >= own:
                found -= 1
                number[path.vertex[behind]] = component
                smallest[path.vertex[behind]] = first
                behind += 1
            component -= 1
