"""Strongly connected components by one depth-first search, in linear time whatever the shape of the graph.

Vertices are numbered in the order in which they are found. A vertex is left when its arcs have been followed. By then
the lowest number is known that it reaches over vertices whose components are not complete. If that is its own, its
component is complete: it consists of the vertex and of those that were left since it was found, and are in no other.

    number[v]   0 before v is found; then its number; the lowest that it reaches once it is left; that of its component
                once that is complete
    path        at the front, the vertices from the start to the current one; at the back, those that were left and
                whose components are not complete
    low, least, arc, end   of the vertices of the path: the lowest number and the smallest vertex that are known so far
                of what they reach; the next of their arcs, and the end of their arcs

Components are complete after all those that they point to: counted in this order they are in reverse topological order.
Their numbers descend from the number of vertices, so that none is below that of a vertex whose component is not.

Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM J. Comput. 1972; Pearce, "A Space-Efficient Algorithm for
Finding Strongly Connected Components", Inf. Process. Lett. 2016 (one number for each vertex, and one array for two
stacks).
"""

from __future__ import annotations

import numpy as np

import frontier as fr


def search(offsets: np.ndarray, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The strongly connected components of a graph on the host.

    Parameters
    ----------
    offsets : array of int64, shape (n + 1,)
    heads : array of int32 or int64
        The arcs of v lead to ``heads[offsets[v] : offsets[v + 1]]``, in any order.

    Returns
    -------
    smallest : array like `heads`, shape (n,)
        The smallest vertex of each vertex's component.
    order : array like `heads`, shape (n,)
        The place of its component, from 0, in reverse topological order: no arc leads to a component further on.

    Notes
    -----
    O(n + arcs) work, by one thread.
    """
    n, kind = offsets.size - 1, heads.dtype
    number, smallest = np.zeros(n, kind), np.empty(n, kind)
    path, low, least = (np.empty(n, kind) for _ in range(3))
    arc, end = np.empty(n, np.int64), np.empty(n, np.int64)
    once = fr.Frontier.all(fr.advanced.csr_structure()(1, device="cpu"))
    fr.compute(once, _search, offsets, heads, n, number, smallest, path, low, least, arc, end)
    return smallest, n - number


def _search(_, offsets, heads, n, number, smallest, path, low, least, arc, end):
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
                path[at] = v
                low[at] = found
                least[at] = v
                arc[at] = offsets[v]
                end[at] = offsets[v + 1]
                found += 1
                v = -1
            lowest = low[at]
            place = arc[at]
            while place < end[at] and v < 0:
                w = heads[place]
                place += 1
                if number[w] == 0:
                    v = w
                elif number[w] < lowest:
                    lowest = number[w]
            low[at] = lowest
            arc[at] = place
            if v >= 0:
                continue
            last = path[at]
            first = least[at]
            own = number[last]
            at -= 1
            if lowest < own:
                number[last] = lowest
                behind -= 1
                path[behind] = last
                low[at] = min(low[at], lowest)
                least[at] = min(least[at], first)
                continue
            found -= 1
            number[last] = component
            smallest[last] = first
            while behind < n and number[path[behind]] >= own:
                found -= 1
                number[path[behind]] = component
                smallest[path[behind]] = first
                behind += 1
            component -= 1
