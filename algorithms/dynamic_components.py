"""Connected components that are maintained incrementally.

A spanning forest is kept beside the labels. Every vertex but the roots has a parent, a neighbor of smaller level, so
that nothing needs to be known of a component to see that a vertex still belongs to it.

    labels[v]    the smallest vertex of v's component
    parent[v]    the neighbor that v hangs on; -1 for the root of each component
    level[v]     larger than the parent's. While a batch is worked in: LOOSE if v hangs on nothing, and ``-1 - level``
                 (negative) if v is in doubt, because an edge to its parent, or to one further up, is gone
    link[v]      a union-find forest: over labels while edges are inserted, over loose vertices after deletions;
                 link[v] == v for every v that is a label

Insertions join labels in the union-find forest, one pass over the vertices renames them, and the vertices of all but
one of the components that became one are hung anew, level by level. Deletions cost nothing unless they cut an edge of
the forest. The lower end of such an edge is in doubt: it hangs itself on any neighbor of smaller level that is not in
doubt, or else puts its children in doubt. Those still in doubt at the end are hung on whatever firm neighbor there is,
and the ones that none can be reached from are components of their own.

The parents and levels are those of McColl, Green and Bader, "A New Parallel Algorithm for Connected Components in
Dynamic Graphs", HiPC 2013, except that their fixed number of candidate parents is replaced by a look at the neighbors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from ._union_find import join, root_of
from .connected_components import connected_components, most_common_label
from .incremental import IncrementalAlgorithm, maintained

LOOSE = np.int32(np.iinfo(np.int32).max)
JOINED, LOST = 0, 1  # places in the tally: components that became part of others, labels that left their component
MAX_HEIGHT = 2**30
"""Levels only grow: before they get too large for their type, they are made anew."""
MANY_LOOSE = 1 / 8
"""When more than this part of all vertices was hung anew, another component may be the largest now."""


class DynamicComponents(IncrementalAlgorithm):
    """Connected components, exact after every batch.

    Finds them once when it is made; from then on they are maintained incrementally, until it is closed.

    Parameters
    ----------
    graph : DynamicGraph
        Of a directed graph, the weakly connected components. It keeps no edges that enter a vertex, so that deletions
        cannot be repaired: batches that delete any edge find the components anew.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The smallest vertex of each vertex's component, on the graph's device; -1 for deleted vertices. Read-only: on
        the CPU a view, which later batches may change, on the GPU a copy.
    count : int
        Number of components; isolated vertices are components of their own.

    Notes
    -----
    An insertion takes O(batch) work, and O(V + arcs of the smaller components) if it joins any. A deletion takes
    O(batch) work, and O(V + arcs of the vertices that lost their connection to the root) if it cuts the forest. The
    components are found anew when the smallest vertex of one has left it and the root of its forest has not, which
    hardly happens to any but the largest.
    """

    exact = False
    _labels: Any
    _link: Any
    _level: Any
    _parent: Any
    _largest: Any

    def __init__(self, graph: fr.DynamicGraph):
        super().__init__(graph)
        self._num_arcs = graph.num_arcs
        self._recompute()
        self._attach()

    @maintained
    def labels(self) -> Any:
        """The smallest vertex of each vertex's component: a read-only array."""
        return self.graph.device.read_only(self._labels)

    @maintained
    def count(self) -> int:
        """Number of components."""
        return self._count - int(self._tally[JOINED])

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Join components."""
        graph = self.graph
        if not fr.visit_edges(graph, src, dst, _join, self._labels, self._link, self._tally):
            return
        loose = fr.filter(self._members, _rename, self._labels, self._link, self._level, self._largest)
        self._largest = self._labels[self._largest]
        if not graph.directed:
            self._spread(loose, linking=0, first_step=1)
        self._tidy(loose)

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Remember how many arcs there were."""
        self._num_arcs = self.graph.num_arcs

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Split components."""
        graph = self.graph
        if graph.num_arcs == self._num_arcs:
            return
        if graph.directed:
            self._recompute()
            return
        doubtful = fr.visit_edges(graph, src, dst, _cut, self._parent, self._level)
        if not doubtful:
            return
        fr.traverse(graph, doubtful, _doubt, self._parent, self._level)
        loose = fr.filter(self._members, _loosen, self._link, self._level)
        if not loose:
            return
        self._spread(loose, linking=1, first_step=1)
        if self._settle(loose) and int(self._tally[LOST]):
            self._recompute()
        else:
            self._tidy(loose)

    def vertices_changed(self) -> None:
        """Make new vertices components of their own, and take deleted ones, which are so by now, off."""
        graph, xp = self.graph, self.graph.xp
        ids = xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
        old = self._labels.size
        labels = xp.full(graph.num_vertices, -1, graph.vertex_dtype)
        labels[:old] = self._labels
        new = labels < 0
        link, level, parent = ids.copy(), xp.zeros(graph.num_vertices, np.int32), xp.full_like(labels, -1)
        for array, kept in ((link, self._link), (level, self._level), (parent, self._parent)):
            array[:old] = xp.where(new[:old], array[:old], kept)
        labels = xp.where(new, ids, labels)
        absent = graph.absent_mask
        if absent is not None:
            labels[absent] = -1
        self._labels, self._link, self._level, self._parent = labels, link, level, parent
        self._count = int(xp.count_nonzero(labels == ids))
        self._tally.fill(0)
        self._look_around()

    def _recompute(self) -> None:
        """Find the components, and a spanning forest of each, from nothing."""
        graph, xp = self.graph, self.graph.xp
        labels = connected_components(graph).labels
        self._link = xp.where(labels < 0, xp.arange(labels.size, dtype=labels.dtype), labels)
        self._labels = xp.full_like(labels, -1)
        self._level = xp.full(graph.num_vertices, LOOSE, np.int32)
        self._parent = xp.full(graph.num_vertices, -1, graph.vertex_dtype)
        self._tally = xp.zeros(2, np.int64)
        self._count = 0
        self._height = 0  # no level is above it
        self._settle(fr.Frontier.all(graph))
        self._look_around()

    def _settle(self, loose: fr.Frontier) -> fr.Frontier:
        """Make components of those that are still loose, by what they are linked to; returns the new roots."""
        roots = fr.filter(loose, _settle, self._labels, self._link, self._parent, self._level, self._tally)
        self._count += len(roots)
        if roots and not self.graph.directed:
            self._spread(roots, linking=0, first_step=2)
        return roots

    def _spread(self, start: fr.Frontier, linking: int, first_step: int) -> None:
        """Hang the loose vertices that can be reached."""
        self._height += fr.traverse(
            self.graph, start, _hang, self._parent, self._level, self._link, linking, fr.Step(first_step)
        )

    def _look_around(self) -> None:
        """Note which vertices there are, and the label of the largest component."""
        graph = self.graph
        self._members = fr.Frontier.all(graph)
        self._largest = graph.xp.full(1, most_common_label(self._members, self._labels), graph.vertex_dtype)

    def _tidy(self, loose: fr.Frontier) -> None:
        """After a batch that hung `loose` anew, do what is due now and then."""
        if self._height > MAX_HEIGHT:
            self._recompute()
        elif len(loose) > MANY_LOOSE * self.graph.num_vertices:
            self._look_around()


def _join(src, dst, edge, weight, labels, link, tally):
    """Link the components of an edge's ends, the larger label to the smaller; true if they were two."""
    a = labels[src]
    b = labels[dst]
    if a == b:
        return False
    if join(link, a, b):
        fr.atomic_add(tally, JOINED, 1)
    return True


def _rename(v, labels, link, level, largest):
    """Give v the label its component has now; true if v is to be hung anew.

    Of the components that became one, the vertices of one stay as they are: the largest, or the one whose label stays.
    """
    label = labels[v]
    root = root_of(link, label)
    kept = root
    if root_of(link, largest[0]) == root:
        kept = largest[0]
    if root != label:
        labels[v] = root
    if label != kept:
        level[v] = LOOSE
        return True
    return False


def _cut(src, dst, edge, weight, parent, level):
    """Put dst in doubt if it hung on src: the edge is gone."""
    if parent[dst] != src:
        return False
    height = level[dst]
    if height >= 0 and fr.atomic_cas(level, dst, height, -1 - height) == height:
        parent[dst] = -1
        return True
    return False


def _doubt(src, dst, edge, weight, parent, level):
    """Hang src, which is in doubt, on dst if that is firm and of smaller level; put dst in doubt if it hangs on src.

    What one vertex hangs on may come into doubt in the same step. Then it is looked at in the next, and puts in doubt
    all that hang on it by then.
    """
    doubt = level[src]
    if doubt >= 0:
        return False
    own = -1 - doubt
    above = parent[src]
    if above >= 0 and level[above] >= 0:
        fr.atomic_cas(level, src, doubt, own)
        return False
    other = level[dst]
    if other < 0:
        return False
    if other < own:
        if fr.atomic_cas(level, src, doubt, own) == doubt:
            parent[src] = dst
        return False
    return parent[dst] == src and fr.atomic_cas(level, dst, other, -1 - other) == other


def _loosen(v, link, level):
    if level[v] >= 0:
        return False
    level[v] = LOOSE
    link[v] = v
    return True


def _hang(src, dst, edge, weight, parent, level, link, linking, step):
    """Hang dst on src, or in the first step src on dst, if the one is loose and the other is not.

    In the first step all loose vertices look for firm neighbors; a loose neighbor is asked to look back in the second,
    since it may have found one by then. From then on only those that were hung look further. If `linking` is 1, loose
    vertices that meet are linked.
    """
    here = level[src]
    there = level[dst]
    if here != LOOSE:
        if there == LOOSE and fr.atomic_cas(level, dst, LOOSE, here + 1) == LOOSE:
            parent[dst] = src
            return True
        return False
    if step > 1:
        return False
    if there != LOOSE:
        if fr.atomic_cas(level, src, LOOSE, there + 1) == LOOSE:
            parent[src] = dst
        return False
    if linking:
        join(link, link[src], link[dst])
    return True


def _settle(v, labels, link, parent, level, tally):
    """Give v the label of its new component if it is loose; true for the smallest vertex, which becomes the root."""
    if level[v] != LOOSE:
        return False
    if labels[v] == v:
        fr.atomic_add(tally, LOST, 1)
    root = root_of(link, v)
    labels[v] = root
    if root != v:
        return False
    parent[v] = -1
    level[v] = 0
    return True
