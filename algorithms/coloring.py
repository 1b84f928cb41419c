"""Greedy coloring: neighbors get different colors.

Vertices are colored by decreasing priority, each with the smallest color that no neighbor before it has. The priority
is the degree, unless the caller gives another. In parallel, a vertex is colored as soon as all neighbors before it are
(`_priorities`): one traversal that starts from the vertices without such neighbors. A vertex with w neighbors before it
gets a color of at most w, so it needs w + 1 bits for the colors in use among them.

In a distributed graph, bits would travel in messages of any size. So colors are sent to all partitions, and a vertex
looks up the colors of its earlier neighbors once it is ready.

    color[v]      the color of v, -1 before it has one
    first[v]      the first word of v's bits, which end at first[v + 1]
    taken[...]    bits of the colors that neighbors of a vertex have, 32 in a word

Jones and Plassmann, "A Parallel Graph Coloring Heuristic", SIAM J. Sci. Comput. 1993; Hasenplaugh, Kaler, Schardl and
Leiserson, "Ordering Heuristics for Parallel Graph Coloring", SPAA 2014 (largest degree first).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import check_undirected
from ._priorities import comes_before, earlier_neighbors, given_priority, random_priority
from .result import Result

ALL_TAKEN = 2**32 - 1
COLORS = 62
"""In a distributed graph, a vertex tests this number of colors at a time. An int64 has a bit for each."""


@dataclass(frozen=True, repr=False)
class ColoringResult(Result):
    """Result of `coloring`.

    Attributes
    ----------
    color : array of int32, shape (num_vertices,)
        From 0 on, on the graph's device, -1 for deleted vertices.
    count : int
        Number of colors.

    See Also
    --------
    coloring : Computes it.
    """

    color: Any
    count: int


@fr.advanced.reads
def coloring(graph: fr.Graph, priority: Any = None, *, seed: int = 0) -> ColoringResult:
    """A coloring of the vertices in which neighbors have different colors, and no vertex a color above its degree.

    Parameters
    ----------
    graph : Graph
        Undirected.
    priority : array-like of int, shape (num_vertices,), optional
        Vertices with higher ones are colored first, of equal ones the one with the lower id. By default the degrees, in
        random order where they are equal.
    seed : int
        The seed of that random order. Without `priority`, the coloring depends only on it and the edges.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, `priority` is not an integer for each vertex, or `seed` is not an integer.

    See Also
    --------
    DynamicColoring : Maintains the result while the graph changes.

    Notes
    -----
    The colors equal the result of the serial greedy algorithm, which colors one vertex after another in this order.
    With ``priority=graph.degrees()`` it is the strategy ``"largest_first"`` of NetworkX, whose nodes are the vertices.
    O(V + E) work and O(V + E / 32) memory. The number of steps is the number of vertices on the longest path of
    decreasing priorities. A random order makes such paths short, even if degrees are equal. In a distributed graph,
    memory is O(V), and the arcs of a vertex are visited once more for every 62 colors of its neighbors.

    Examples
    --------
    >>> from algorithms import coloring
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> found = coloring(graph)
    >>> found.color
    array([2, 1, 0, 1, 0], dtype=int32)
    >>> found.count
    3
    >>> coloring(graph, priority=[4, 3, 2, 1, 0]).color  # from the first vertex to the last
    array([0, 1, 2, 0, 1], dtype=int32)
    """
    check_undirected(graph, "coloring")
    chosen = random_priority(graph, graph.degrees(), seed) if priority is None else given_priority(graph, priority)
    find = _look_up if graph.in_parts else _pass_on
    color = find(graph, chosen, earlier_neighbors(graph, chosen))
    return ColoringResult(color, int(color.max()) + 1 if color.size else 0)


def _pass_on(graph: fr.Graph, priority: Any, waiting: Any) -> Any:
    """The colors, which vertices pass on to their later neighbors."""
    xp = graph.xp
    first = xp.zeros(graph.num_vertices + 1, np.int64)
    xp.cumsum((waiting >> 5) + 1, out=first[1:])
    taken = xp.zeros(int(first[-1]), np.uint32)
    color = xp.full(graph.num_vertices, -1, np.int32)
    start = fr.filter(fr.Frontier.all(graph), _is_ready, waiting)
    fr.traverse(graph, start, _pass_color, *Colors(priority, waiting, first, taken, color), prepare=_choose_color)
    return color


def _look_up(graph: fr.Graph, priority: Any, waiting: Any) -> Any:
    """Color a distributed graph: all partitions receive the colors, and vertices look them up at earlier neighbors."""
    waiting = graph.vertex_array(np.int32, waiting, combine="countdown")
    color, lowest = graph.vertex_array(np.int32, -1), graph.vertex_array(np.int32)
    color_in_order(fr.Frontier.all(graph), priority, waiting, color, lowest, graph.vertex_array(np.int64))
    return color


def color_in_order(uncolored: fr.Frontier, priority: Any, waiting: Any, color: Any, lowest: Any, taken: Any) -> None:
    """Color vertices in the order of their priorities. Each looks up the colors of its neighbors.

    Parameters
    ----------
    uncolored : Frontier
        All existing vertices whose color is -1.
    waiting : array of int32
        How many of them, among a vertex's neighbors, come before it.
    lowest, taken : arrays of int32 and int64
        The lowest color that a vertex tests next, at first 0, and bits of the tested colors that its neighbors have.
    """
    graph = uncolored.graph
    ready = fr.filter(uncolored, _is_ready, waiting)
    while ready:
        choosing = ready
        while choosing:  # among the next COLORS
            fr.neighbor_reduce(graph, choosing, _color_bit, color, lowest, reduce="or", out=taken)
            choosing = fr.filter(choosing, _finds_none, lowest, taken)
        fr.compute(ready, _take_color, color, lowest, taken)
        graph.sync(color, of=ready)
        ready = fr.advance(graph, ready, _count_down, priority, waiting, color)


def _is_ready(v, waiting):
    return waiting[v] == 0


class Colors(NamedTuple):
    """Colors, and the bits of neighbors' colors: see the top of the file."""

    priority: Any
    waiting: Any
    first: Any
    taken: Any
    color: Any


def _choose_color(src, *args):
    colors = Colors(*args)
    first = colors.first[src]
    word = first
    while colors.taken[word] == ALL_TAKEN:
        word += 1
    bits = colors.taken[word]
    free = 0
    while bits >> free & 1:
        free += 1
    colors.color[src] = (word - first) * 32 + free


def _pass_color(src, dst, edge, weight, *args):
    colors = Colors(*args)
    if not comes_before(src, dst, colors.priority):
        return False
    color = colors.color[src]
    word = colors.first[dst] + (color >> 5)
    if word < colors.first[dst + 1]:
        fr.atomic_or(colors.taken, word, np.uint32(1) << np.uint32(color & 31))
    return fr.atomic_add(colors.waiting, dst, -1) == 1


def _color_bit(src, dst, edge, weight, color, lowest):
    """The bit of a neighbor's color, if it has one, and in the tested range."""
    place = color[dst] - lowest[src]
    return 1 << place if 0 <= place < COLORS else 0


def _first_free(bits):
    """The first of the tested colors that is free, or `COLORS` if none is."""
    place = 0
    while place < COLORS and bits >> place & 1:
        place += 1
    return place


def _finds_none(v, lowest, taken):
    """Whether no tested color is free. The search then continues with the next colors."""
    if _first_free(taken[v]) < COLORS:
        return False
    lowest[v] += COLORS
    return True


def _take_color(v, color, lowest, taken):
    color[v] = lowest[v] + _first_free(taken[v])


def _count_down(src, dst, edge, weight, priority, waiting, color):
    return color[dst] < 0 and comes_before(src, dst, priority) and fr.atomic_add(waiting, dst, -1) == 1
