"""Connected components that are maintained incrementally.

A spanning forest is maintained along with the labels. Every vertex except the roots has a parent, a neighbor of smaller
level. A vertex whose path to the root is intact is known to be connected, without a search of the component.

    labels[v]    the smallest vertex of v's component
    parent[v]    the parent of v in the spanning forest; -1 for the root of each component
    level[v]     larger than the parent's. While a batch is processed: DETACHED if v has no parent, and ``-1 - level``
                 (negative) if v is tentative, because an edge to its parent or to another ancestor was deleted
    link[v]      a union-find forest: over labels while edges are inserted, over detached vertices after deletions;
                 link[v] == v for every v that is a label

Vertices that become tentative, or get another label, are listed.

Insertions union labels, which takes one pass over the batch and no wait. Before the labels are read, or edges are
deleted, vertices are relabeled: of the components that have merged by then, one keeps its spanning tree; the vertices
of the others, found from the ends of the inserted edges, are attached to it level by level. Deletions cost nothing
unless they cut an edge of the forest. The lower end of such an edge becomes tentative: it attaches to any neighbor of
smaller level that is not tentative, or else makes its children tentative. Vertices that are still tentative at the end
are detached. They attach to any settled neighbor, and those that cannot reach one form new components.

McColl, Green and Bader, "A New Parallel Algorithm for Connected Components in Dynamic Graphs", HiPC 2013 (parents and
levels; here all neighbors are candidate parents, instead of a fixed number).
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from ._listed import Listed, enlist
from ._union_find import join, root_of
from .connected_components import connected_components, most_common_label, unite
from .incremental import IncrementalAlgorithm, maintained

DETACHED = np.int32(np.iinfo(np.int32).max)
JOINED, LOST, MOVED = range(3)
"""Indices into the tally: components merged into others; labels that left their component; and a number that grows
where a component keeps its tree and gets another label, so that all of its vertices do."""
FEW_ENDS, FEW_BATCHES = 1 / 8, 256
"""With more ends of inserted edges for each vertex, or from more batches, all vertices are looked through for those of
other labels."""
TORN = -1  # vertices were being relabeled when memory ran out: only recomputing helps
MAX_HEIGHT = 2**30
"""Levels only grow; before they overflow, they are recomputed from scratch."""
MANY_DETACHED = 1 / 8
"""If more than this fraction of the vertices was attached again, another component may be the largest now."""


class DynamicComponents(IncrementalAlgorithm):
    """Connected components, exact after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        For a directed graph, weakly connected components. If it keeps no in-edges (``in_edges=True``), or consists of
        several parts, deletions cannot be repaired: after a batch that deletes any edge, the components are recomputed
        from scratch.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The smallest vertex of each vertex's component, on the graph's device; -1 for deleted vertices. Read-only: on
        the CPU a view, which later batches may change, on the GPU a copy.
    count : int
        Number of components; each isolated vertex is one.

    Notes
    -----
    An insertion takes O(batch) work; on a GPU the host does not wait for it. After insertions that merged components,
    the first reading of the labels, or the first deletion, takes O(arcs of the smaller components), and O(V) more if
    the largest gets another label, or many edges were inserted. A deletion takes O(batch) work, plus O(arcs of the
    vertices disconnected from their root) if it cuts the forest. The components are recomputed from scratch if the
    smallest vertex of one has left it and the root of its tree has not, which is rare except for the largest.

    Examples
    --------
    >>> from algorithms import DynamicComponents
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1, 3], [1, 2, 4], device="cpu")
    >>> components = DynamicComponents(graph)
    >>> components.count
    2
    >>> graph.insert_edges([2], [3])
    UpdateResult(inserted=1, replaced=0, deleted=0)
    >>> components.count
    1
    """

    exact = False
    over_parts = True
    _labels: Any
    _link: Any
    _level: Any
    _parent: Any
    _largest: Any

    def __init__(self, graph: fr.DynamicGraph):
        super().__init__(graph)
        self._num_arcs = graph.num_arcs
        self._joining = False  # whether edges were inserted since the labels were those of the components
        self._ends: list[tuple[Any, Any]] | None = []  # of these edges, by batch; None if they are many
        self._num_ends = 0
        self._joins = fr.BatchStep(graph, _join_all)
        self._recompute()
        self._attach()

    @maintained
    def labels(self) -> Any:
        """The smallest vertex of each vertex's component: a read-only array."""
        self._relabel()
        return self.graph.device.read_only(self._labels)

    @maintained
    def count(self) -> int:
        """Number of components."""
        return self._count - int(self._tally[JOINED])

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Merge components."""
        self._joins(src, dst, self._labels, self._link, self._tally)
        self._joining = True
        if self._ends is not None:
            self._ends.append((src, dst))
            self._num_ends += src.size
            if len(self._ends) > FEW_BATCHES or self._num_ends > FEW_ENDS * self.graph.num_vertices:
                self._ends = None

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Bring the spanning forest up to date, and record the number of arcs."""
        self._relabel()
        self._num_arcs = self.graph.num_arcs

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Split components."""
        graph = self.graph
        if graph.num_arcs == self._num_arcs:
            return
        if not graph.has_in_edges:
            self._recompute()
            return
        if graph.directed:  # either end may be the parent
            src, dst = graph.xp.concatenate([src, dst]), graph.xp.concatenate([dst, src])
        lists = self._listed.arguments
        tentative = fr.visit_edges(graph, src, dst, _cut, self._parent, self._level, *lists)
        if not tentative:
            return
        fr.traverse(graph, tentative, _reattach, self._parent, self._level, *lists, edges="both")
        listed = self._listed.take()
        detached = fr.visit_edges(graph, listed, listed, _detach, self._link, self._level)
        if not detached:
            return
        self._spread(detached, linking=1, first_step=1)
        if self._form_components(detached) and int(self._tally[LOST]):
            self._recompute()
        else:
            self._tidy(detached)

    def vertices_changed(self) -> None:
        """Add new vertices as components, and remove deleted vertices, which are isolated by now."""
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
        self._listed = Listed(graph)
        self._members = fr.Frontier.all(graph)
        self._relabel()
        self._count = int(xp.flatnonzero(self._labels == ids).size)
        self._tally[JOINED] = 0
        self._relabeled = 0
        self._find_largest()

    def detached(self) -> None:
        """Finish the labels."""
        if not self.closed:
            self._relabel()
        super().detached()

    def _relabel(self) -> None:
        """Give the vertices of components that merged their label, and attach them to one spanning tree."""
        if not self._joining:
            return
        if self._relabeled == TORN:
            self._recompute()
            return
        joined = int(self._tally[JOINED])
        if joined > self._relabeled:
            self._relabeled = TORN
            detached = self._rename()
            self._largest = self._labels[self._largest]
            if self.graph.has_in_edges:
                self._spread(detached, linking=0, first_step=1)
            self._relabeled = joined
            self._tidy(detached)
        self._joining = False
        self._ends, self._num_ends = [], 0

    def _rename(self) -> fr.Frontier:
        """Give the vertices of components that merged their label; returns those to be attached to another tree."""
        graph, xp = self.graph, self.graph.xp
        arrays = self._labels, self._link, self._level, self._largest
        if self._ends and graph.has_in_edges:
            src, dst = (xp.concatenate(ids) for ids in zip(*self._ends, strict=True))
            if graph.directed:
                src, dst = xp.concatenate([src, dst]), xp.concatenate([dst, src])
            lists = self._listed.arguments
            renamed = fr.visit_edges(graph, src, dst, _rename_end, *arrays, self._tally, *lists)
            if renamed:
                fr.traverse(graph, renamed, _rename_end, *arrays, self._tally, *lists, edges="both")
            listed = self._listed.take()
            before, self._moved = self._moved, int(self._tally[MOVED])
            if self._moved == before:
                return fr.visit_edges(graph, listed, listed, _is_detached, self._level)
        return fr.filter(self._members, _rename, *arrays)

    def _recompute(self) -> None:
        """Compute the components, and a spanning tree of each, from scratch."""
        graph, xp = self.graph, self.graph.xp
        labels = connected_components(graph).labels
        self._link = xp.where(labels < 0, xp.arange(labels.size, dtype=labels.dtype), labels)
        self._labels = xp.full_like(labels, -1)
        self._level = xp.full(graph.num_vertices, DETACHED, np.int32)
        self._parent = xp.full(graph.num_vertices, -1, graph.vertex_dtype)
        self._listed = Listed(graph)
        self._tally = xp.zeros(3, np.int64)
        self._moved = 0  # what the tally said when vertices were last relabeled
        self._relabeled = 0  # components that had been merged when vertices were last relabeled
        self._joining = False
        self._ends, self._num_ends = [], 0
        self._count = 0
        self._height = 0  # upper bound on levels
        self._form_components(fr.Frontier.all(graph))
        self._find_largest()

    def _form_components(self, detached: fr.Frontier) -> fr.Frontier:
        """Turn the vertices still detached into components, according to their links; returns the new roots."""
        roots = fr.filter(detached, _form_components, self._labels, self._link, self._parent, self._level, self._tally)
        self._count += len(roots)
        if roots and self.graph.has_in_edges:
            self._spread(roots, linking=0, first_step=2)
        return roots

    def _spread(self, start: fr.Frontier, linking: int, first_step: int) -> None:
        """Attach the detached vertices that can be reached."""
        self._height += fr.traverse(
            self.graph, start, _attach_to_parent, self._parent, self._level, self._link, linking, fr.Step(first_step),
            edges="both",
        )  # fmt: skip

    def _find_largest(self) -> None:
        """Record which vertices exist, and the label of the largest component."""
        graph = self.graph
        self._members = fr.Frontier.all(graph)
        self._largest = graph.xp.full(1, most_common_label(self._members, self._labels), graph.vertex_dtype)

    def _tidy(self, detached: fr.Frontier) -> None:
        """Periodic maintenance, after a batch that attached the vertices in `detached`."""
        if self._height > MAX_HEIGHT:
            self._recompute()
        elif len(detached) > MANY_DETACHED * self.graph.num_vertices:
            self._find_largest()


class _OverParts(DynamicComponents):
    """The same for a graph in several parts, without a spanning forest.

    Each part unites the labels of the edges it is notified of in a union-find forest of its own. These are united when
    the labels are read, if any part has joined two components, so that insertions exchange nothing. After deletions the
    components are recomputed then.
    """

    @maintained
    def count(self) -> int:
        """Number of components."""
        self._relabel()
        return self._count

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Record the number of arcs."""
        self._num_arcs = self.graph.num_arcs

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Have the components recomputed when they are read, if there is an edge less."""
        self._outdated |= self.graph.num_arcs != self._num_arcs

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Merge components."""
        if not self._outdated:
            super().edges_inserted(src, dst)

    def vertices_changed(self) -> None:
        """Have the components recomputed when they are read."""
        self._outdated = True

    def _relabel(self) -> None:
        if self._outdated:
            self._recompute()
        elif self._joining and self.graph.max_over_parts(int(self._tally[JOINED])):
            self._tally.fill(0)
            self._count = int(fr.reduce(self._members, _take_root, self._labels, self._link, dtype=np.int64)[0])
            self.graph.complete(self._labels)
        self._joining = False

    def _recompute(self) -> None:
        graph, xp = self.graph, self.graph.xp
        found = connected_components(graph)
        ids = xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
        self._labels, self._count = graph.vertex_array(graph.vertex_dtype, found.labels), found.count
        forest = xp.where(found.labels < 0, ids, found.labels)
        self._link = graph.vertex_array(graph.vertex_dtype, forest, combine=unite)
        self._tally = graph.flags(2)
        self._members = fr.Frontier.all(graph)
        self._joining = self._outdated = False
        self._ends = None  # labels are all looked at


DynamicComponents.form_over_parts = _OverParts


def _take_root(v, labels, link):
    """Give v the label that its component has now; returns whether v is that label."""
    labels[v] = root_of(link, labels[v])
    return labels[v] == v


def _join_all(graph, src, dst, labels, link, tally):
    fr.visit_edges(graph, src, dst, _join, labels, link, tally, output=False)


def _join(src, dst, edge, weight, labels, link, tally):
    """Link the components of an edge's ends, the larger label to the smaller."""
    a = root_of(link, labels[src])
    b = root_of(link, labels[dst])
    if a != b and join(link, a, b):
        fr.atomic_add(tally, JOINED, 1)


def _rename(v, labels, link, level, largest):
    """Give v the label its component has now; true if v must be attached again.

    Of the components that merged, one keeps its spanning tree: the largest, or else the one whose label stays.
    """
    label = labels[v]
    root = root_of(link, label)
    kept = root
    if root_of(link, largest[0]) == root:
        kept = largest[0]
    if root != label:
        labels[v] = root
    if label != kept or level[v] == DETACHED:  # by `_rename_end`
        level[v] = DETACHED
        return True
    return False


def _rename_end(src, dst, edge, weight, labels, link, level, largest, tally, listed, number, room):
    """`_rename`, of a vertex at an edge that was inserted, or next to one that was renamed."""
    label = labels[dst]
    root = root_of(link, label)
    kept = root
    if root_of(link, largest[0]) == root:
        kept = largest[0]
    if root != kept:
        fr.atomic_add(tally, MOVED, 1)
    height = level[dst]
    if label == kept or height == DETACHED or fr.atomic_cas(level, dst, height, DETACHED) != height:
        return False
    labels[dst] = root
    enlist(dst, listed, number, room)
    return True


def _is_detached(src, dst, edge, weight, level):
    return level[dst] == DETACHED


def _cut(src, dst, edge, weight, parent, level, listed, number, room):
    """Make dst tentative if src was its parent, since the edge was deleted."""
    if parent[dst] != src:
        return False
    height = level[dst]
    if height >= 0 and fr.atomic_cas(level, dst, height, -1 - height) == height:
        parent[dst] = -1
        enlist(dst, listed, number, room)
        return True
    return False


def _reattach(src, dst, edge, weight, parent, level, listed, number, room):
    """Attach a tentative src to dst if dst is settled and of smaller level; make dst tentative if it is a child of src.

    A new parent may become tentative in the same step. It is then processed in the next step, and makes all its
    children of that time tentative.
    """
    tentative = level[src]
    if tentative >= 0:
        return False
    own = -1 - tentative
    above = parent[src]
    if above >= 0 and level[above] >= 0:
        fr.atomic_cas(level, src, tentative, own)
        return False
    other = level[dst]
    if other < 0:
        return False
    if other < own:
        if fr.atomic_cas(level, src, tentative, own) == tentative:
            parent[src] = dst
        return False
    if parent[dst] != src or fr.atomic_cas(level, dst, other, -1 - other) != other:
        return False
    enlist(dst, listed, number, room)
    return True


def _detach(src, dst, edge, weight, link, level):
    """Detach dst, once, if it is still tentative."""
    height = level[dst]
    if height >= 0 or fr.atomic_cas(level, dst, height, DETACHED) != height:
        return False
    link[dst] = dst
    return True


def _attach_to_parent(src, dst, edge, weight, parent, level, link, linking, step):
    """Attach dst to src, or in the first step src to dst, if exactly one of them is detached.

    In the first step all detached vertices look for settled neighbors. A detached neighbor joins the frontier of the
    second step, since it may be attached by then. Later frontiers hold the newly attached vertices only. If `linking`
    is 1, detached neighbors are linked.
    """
    here = level[src]
    there = level[dst]
    if here != DETACHED:
        if there == DETACHED and fr.atomic_cas(level, dst, DETACHED, here + 1) == DETACHED:
            parent[dst] = src
            return True
        return False
    if step > 1:
        return False
    if there != DETACHED:
        if fr.atomic_cas(level, src, DETACHED, there + 1) == DETACHED:
            parent[src] = dst
        return False
    if linking:
        join(link, link[src], link[dst])
    return True


def _form_components(v, labels, link, parent, level, tally):
    """Label a detached v with its new component; true for the smallest vertex, which becomes the root."""
    if level[v] != DETACHED:
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
