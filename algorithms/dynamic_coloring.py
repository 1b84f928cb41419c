"""A coloring that is maintained incrementally.

Vertices retain their colors. Exceptions are one end of an inserted edge between vertices of the same color, and a
vertex whose degree fell below its color. They are listed, and lose their colors when the colors are read. Then they are
colored as by `coloring`, one after another in its order: each with the smallest color that no colored neighbor has. In
parallel, a vertex is colored as soon as all neighbors before it are. If many vertices lose their colors, the colors
become many, or many edges are gone, all vertices are colored by `coloring`.

    priority[v]   vertices of higher priority are colored first: by their degrees when all
                  vertices were last colored
    color[v]      the color of v, -1 for a deleted vertex, and while vertices are colored
                  for one that lost its color
    reason[v]     UNLISTED, or why v is listed: LOWERED if its degree may have fallen below
                  its color, LOST if it must get another color
    waiting[v]    neighbors before v that lost their colors and have none yet
    lowest[v]     the lowest color that is tested next
    taken[v]      bits of the tested colors that neighbors have

Jones and Plassmann, "A Parallel Graph Coloring Heuristic", SIAM J. Sci. Comput. 1993; Yuan, Qin, Lin, Chang and Zhang,
"Effective and Efficient Dynamic Graph Coloring", PVLDB 2017; Bhattacharya, Chakrabarty, Henzinger and Nanongkai,
"Dynamic Algorithms for Graph Coloring", SODA 2018 (one color more than the largest degree, after every update).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import as_int64, check_undirected
from ._functors import value_of
from ._listed import Listed, enlist
from ._priorities import comes_before, random_priority
from .coloring import color_in_order, coloring
from .incremental import IncrementalAlgorithm, maintained

UNLISTED, LOWERED, LOST = range(3)

MOST_ARCS, SMALL_ARCS = 1 / 8, 1024
"""All vertices are colored from scratch if the ones that lost their colors have more than this fraction of all arcs,
plus a constant."""

MORE_COLORS, FEW_COLORS = 1 / 4, 8
"""All vertices are colored from scratch, too, if the number of colors exceeds the number of the last such coloring by
this fraction, plus a constant."""

FEWER_ARCS = 1 / 2
"""All vertices are also colored from scratch below this fraction of the last such coloring's arcs, minus a constant."""


class DynamicColoring(IncrementalAlgorithm):
    """A coloring in which neighbors have different colors, and no vertex a color above its degree, after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        Undirected.
    seed : int
        As in `coloring`.

    Attributes
    ----------
    color : array of int32, shape (num_vertices,)
        From 0 on, -1 for deleted vertices. Read-only, on the graph's device: on the CPU a view, which later batches may
        change, on the GPU a copy.
    count : int
        One more than the highest color. At most the largest degree of the current graph plus 1.

    Raises
    ------
    TypeError, ValueError
        `graph` is not a `DynamicGraph`, or is directed, or `seed` is not an integer.

    See Also
    --------
    coloring : Computes the result for the current graph.

    Notes
    -----
    `coloring` makes the first colors. A vertex then changes its color only if an inserted edge connects it with a
    vertex of the same color, or if its color is above its degree. So colors depend on the batches, and on when the
    colors were read. `coloring` may find fewer colors. It colors all vertices again once there are more than 5/4 of its
    last number of colors, plus 8. It also does so once half of the edges are gone, or if an eighth of all arcs leave
    vertices that need a color. In R-MAT 18/16, insertion of about 270,000 edges raised 123 colors to 143, and
    `coloring` then finds 126.

    A batch costs work proportional to its edges, without a host synchronization on a GPU. The next read costs O(V)
    work, and work proportional to the arcs of the vertices that change their colors, once more for every 62 colors of
    their neighbors. At worst it costs as much as `coloring` and a repair. O(V) memory.

    Examples
    --------
    >>> from algorithms import DynamicColoring
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], device="cpu")
    >>> colors = DynamicColoring(graph)
    >>> colors.count
    2
    >>> graph.insert_edges([0], [4])
    UpdateResult(inserted=1, replaced=0, deleted=0)
    >>> colors.count
    3
    """

    exact = False

    def __init__(self, graph: fr.DynamicGraph, *, seed: int = 0):
        super().__init__(graph)
        check_undirected(graph, "DynamicColoring")
        self.seed = int(as_int64(seed))
        self._recolor()
        self._attach()

    @maintained
    def color(self) -> Any:
        """The color of each vertex: a read-only array."""
        return self.graph.device.read_only(self._color)

    @maintained
    def count(self) -> int:
        """One more than the highest color."""
        return int(self._color.max()) + 1 if self._color.size else 0

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """List an end of each edge between vertices of the same color."""
        if not self._torn:
            self._settled = False
            args = Listing(self._priority, self._color, self._reason, *self._listed.arguments)
            fr.visit_edges(self.graph, src, dst, _list_end, *args, output=False)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """List the ends of edges, whose degrees fall."""
        if not self._torn:
            self._settled = False
            args = self._reason, *self._listed.arguments
            fr.visit_edges(self.graph, src, dst, _list_source, *args, output=False)

    def vertices_changed(self) -> None:
        """Give new vertices the first color, and deleted ones none."""
        if self._torn:
            return
        self._torn = True  # until all arrays exist
        graph = self.graph
        present = fr.Frontier.all(graph).mask
        color, reason = graph.xp.zeros(present.size, np.int32), graph.xp.zeros(present.size, np.int32)
        listed, old = Listed(graph), self._color.size
        color[:old], reason[:old] = graph.xp.maximum(self._color, 0), self._reason
        color[~present] = -1
        listed.arguments[0][:old], listed.arguments[1][:] = self._listed.arguments[0], self._listed.arguments[1]
        priority = graph.xp.zeros(present.size, np.int64)
        priority[:old], self._priority = self._priority, priority
        self._make_arrays(color, reason, listed)
        self._torn = False

    def _make_arrays(self, color: Any, reason: Any, listed: Listed) -> None:
        graph = self.graph
        self._color, self._reason, self._listed = color, reason, listed
        self._waiting, self._lowest = (graph.xp.zeros(color.size, np.int32) for _ in range(2))
        self._taken = graph.xp.zeros(color.size, np.int64)

    def _recolor(self) -> None:
        """Color all vertices from scratch."""
        self._torn = True  # until all arrays exist
        graph = self.graph
        self._priority = random_priority(graph, graph.degrees(), self.seed)
        found = coloring(graph, self._priority)
        self._most_colors = int((1 + MORE_COLORS) * found.count) + FEW_COLORS
        self._fewest_arcs = FEWER_ARCS * graph.num_arcs - SMALL_ARCS
        self._make_arrays(found.color, graph.xp.zeros(graph.num_vertices, np.int32), Listed(graph))
        self._torn = False
        self._settled = True

    def _bring_up(self) -> None:
        """Color the listed vertices that need another color."""
        if self._torn:
            self._recolor()
        if self._settled:
            return
        graph, (listed, number, _) = self.graph, self._listed.arguments
        self._torn = True  # until all of this has worked
        candidates = fr.Frontier.listed(graph, listed, number)
        fr.advanced.clear(number)
        needy = candidates and fr.filter(candidates, _needs_color, graph.degrees(), self._color, self._reason)
        most_arcs = MOST_ARCS * graph.num_arcs + SMALL_ARCS
        if graph.num_arcs < self._fewest_arcs or (
            needy and (needy.num_arcs > most_arcs or self._repair(needy) >= self._most_colors)
        ):
            self._recolor()
        self._torn, self._settled = False, True

    def _repair(self, needy: fr.Frontier) -> int:
        """Color vertices that lost their colors, each once all neighbors before it are. Return their highest color."""
        color, priority, waiting = self._color, self._priority, self._waiting
        fr.compute(needy, _lose_color, color, self._lowest)
        fr.neighbor_reduce(self.graph, needy, _is_before, priority, color, out=waiting)
        color_in_order(needy, priority, waiting, color, self._lowest, self._taken)
        return int(fr.reduce(needy, value_of, color, reduce="max", dtype=np.int32)[0])


class Listing(NamedTuple):
    """The arguments of `_list_end`, the last of which are a list of vertices."""

    priority: Any
    color: Any
    reason: Any
    listed: Any
    number: Any
    room: Any


def _list_end(src, dst, edge, weight, *args):
    """List an end of an edge between vertices of the same color, the one that comes later."""
    listing = Listing(*args)
    if listing.color[src] == listing.color[dst]:
        last = dst if comes_before(src, dst, listing.priority) else src
        if fr.atomic_max(listing.reason, last, LOST) == UNLISTED:
            enlist(last, listing.listed, listing.number, listing.room)
    return False


def _list_source(src, dst, edge, weight, reason, listed, number, room):
    """List the source of a deleted arc."""
    if fr.atomic_max(reason, src, LOWERED) == UNLISTED:
        enlist(src, listed, number, room)
    return False


def _needs_color(v, degrees, color, reason):
    why = reason[v]
    reason[v] = UNLISTED
    return color[v] >= 0 and (why == LOST or color[v] > degrees[v])


def _lose_color(v, color, lowest):
    color[v] = -1
    lowest[v] = 0


def _is_before(src, dst, edge, weight, priority, color):
    return 1 if color[dst] < 0 and comes_before(dst, src, priority) else 0
