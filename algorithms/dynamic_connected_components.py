"""Connected components that are maintained incrementally.

A spanning forest is maintained along with the labels. Every vertex except the roots has a parent, a neighbor of smaller
level. A vertex whose path to the root is intact is known to be connected, without a search of the component. A
recomputation from scratch finds only labels. The forest is grown again when a deletion needs it.

    labels[v]    the smallest vertex of v's component
    parent[v]    the parent of v in the spanning forest, -1 for the root of each component
    level[v]     larger than the parent's. While a batch is processed: DETACHED if v has no
                 parent, and ``-1 - level`` (negative) if v is tentative, because an edge to
                 its parent or to another ancestor was deleted. Both are undefined without a
                 forest, but no level is DETACHED between batches
    link[v]      a union-find forest: over labels during insertions, over detached vertices
                 after deletions. link[v] == v for every v that is a label

Vertices that become tentative, or get another label, are listed.

Insertions union labels, in one pass over the batch without a host synchronization. Before the labels are read, or edges
are deleted, vertices are relabeled. One of the components that merged preserves its spanning tree. A search from the
ends of the inserted edges attaches the vertices of the rest to it, level by level. Deletions cost nothing unless they
cut an edge of the forest. The lower end of such an edge becomes tentative: it attaches to any neighbor of smaller level
that is not tentative, or else makes its children tentative. Vertices that are still tentative at the end are detached.
They attach to any settled neighbor, and vertices that cannot reach one form new components. If too many become
tentative, the repair is given up, and the labels are recomputed when they are read.

McColl, Green and Bader, "A New Parallel Algorithm for Connected Components in Dynamic Graphs", HiPC 2013 (parents and
levels, with a fixed number of candidate parents, while here all neighbors are candidates).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._listed import Listed, enlist
from ._trials import Trials
from ._union_find import join, root_of
from .bfs import UNREACHED as DETACHED
from .bfs import search_levels
from .connected_components import connected_components, most_common_label, unite
from .incremental import IncrementalAlgorithm, maintained

JOINED, FORMED, REATTACHED, OUTDATED = range(4)
"""Indices into the tally: components merged into another one, components formed by deletions, vertices detached from a
tree, and a number that grows when a label leaves its component, or a level becomes too high. The rest of that component
then has no label, and the components are recomputed from scratch before they are read."""
SMALL_ENDS, SMALL_BATCHES = 1 / 8, 256
"""If inserted edges have more ends than this per vertex, or come from more batches, all vertices are scanned for
outdated labels."""
MAX_ARCS = 2**18
"""The most arcs of a batch that a GPU processes in captured steps: that many are far from keeping it busy."""
MAX_HEIGHT = 2**30
"""Levels only grow. Before they overflow, they are recomputed from scratch."""
MOST_ARCS, SMALL_ARCS = 1 / 16, 256
MOST_VERTICES, SMALL_VERTICES = 1 / 8, 1024
"""Components are recomputed if the tentative vertices exceed this fraction of the vertices, plus a constant. On a CPU,
also if the vertices that lost their parents have more than that fraction of all arcs. A recomputation looks at each
vertex once, a repair at all edges of a tentative one, up to four times."""
RECOMPUTE_LEVELS = 256
"""On a GPU a recomputation lasts about as long as this number of levels of the search that grows a forest."""
LARGE_REATTACHED, LARGE_OF_LARGEST = 1 / 8, 1 / 2
"""Another component may have become the largest if more vertices were attached again than these fractions of all
vertices, and of the vertices of the largest component."""


class _Forest(NamedTuple):
    """The labels, the spanning forest, the counts of changes, and a list of vertices."""

    labels: Any
    link: Any
    level: Any
    parent: Any
    tally: Any
    listed: Any
    number: Any
    room: Any


class _Tree(NamedTuple):
    """The spanning forest, and the list of tentative vertices."""

    parent: Any
    level: Any
    listed: Any
    number: Any
    room: Any


class _Attachment(NamedTuple):
    """The spanning forest, to which detached vertices are attached."""

    parent: Any
    level: Any
    link: Any
    tally: Any


class DynamicConnectedComponents(IncrementalAlgorithm):
    """Connected components, exact after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        For a directed graph, weakly connected components. If it has no in-edges (``in_edges=True``), or is distributed,
        deletions cannot be repaired: after a batch that deletes any edge, the components are recomputed from scratch.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The smallest vertex of each vertex's component, on the graph's device, -1 for deleted vertices. Read-only: on
        the CPU a view, which later batches may change, on the GPU a copy.
    count : int
        Number of components. Each isolated vertex is one.

    See Also
    --------
    connected_components : Computes the result for the current graph.

    Notes
    -----
    An insertion costs O(batch) work, without a host synchronization on a GPU. After insertions that merged components,
    the next read of the labels, or the next deletion, costs O(arcs of the smaller components). It costs O(V) more if
    the largest gets another label, or many edges were inserted. A deletion costs O(batch) work, plus O(arcs of the
    vertices disconnected from their root) if it cuts the forest. The first deletion after a recomputation costs O(V +
    arcs) to grow it. The components are recomputed from scratch if many vertices are disconnected (fewer batches of
    that size are repaired afterwards), and if a label is lost. A label is lost if the smallest vertex of a component
    has left it and the root of its tree has not, which is rare except for the largest component.

    Examples
    --------
    >>> from algorithms import DynamicConnectedComponents
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1, 3], [1, 2, 4], device="cpu")
    >>> components = DynamicConnectedComponents(graph)
    >>> components.count
    2
    >>> graph.insert_edges([2], [3])
    UpdateResult(inserted=1, replaced=0, deleted=0)
    >>> components.count
    1
    """

    exact = False
    over_parts = True
    _labels: Any = None
    _link: Any
    _level: Any
    _parent: Any
    _renames: Any
    _splits: Any

    def __init__(self, graph: fr.DynamicGraph):
        super().__init__(graph)
        self._known_arcs = graph.num_arcs
        self._joins = fr.capture(graph, _join_all, batches=True, max_batch=MAX_ARCS)
        # Either end of an edge may be the parent of its other end. Batches of undirected graphs contain both arcs.
        self._renames, self._splits = (
            fr.capture(graph, step, batches=True, max_batch=MAX_ARCS, both_orders=graph.directed)
            for step in (_rename_components, _split_components)
        )
        self._trials = Trials()
        self._lost = 1  # the cost of a repair that is given up, in recomputations, with its forest
        self._recompute()
        if graph.has_in_edges and not graph.in_parts:
            self._grow_forest()
        self._prepare()
        self._attach()

    def _prepare(self) -> None:
        """Have the steps compiled before the first batch comes."""
        self._joins.prepare(self._labels, self._link, self._tally)
        if self.graph.has_in_edges:
            self._renames.prepare(self.graph.vertex_dtype.type(0), self._moved, *self._forest)
            self._splits.prepare(self._most_tentative, *self._forest)

    @maintained
    def labels(self) -> Any:
        """The smallest vertex of each vertex's component: a read-only array."""
        self._relabel()
        return self.graph.device.read_only(self._labels)

    @maintained
    def count(self) -> int:
        """Number of components."""
        flags = self._read_flags()
        return self._count + flags[FORMED] - flags[JOINED]

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Merge components."""
        if self._torn:
            return
        self._notifications = None
        self._joins(src, dst, self._labels, self._link, self._tally)
        self._joining = True
        if self._ends is not None:
            self._ends.append((src, dst))
            self._num_ends += src.size
            if len(self._ends) > SMALL_BATCHES or self._num_ends > SMALL_ENDS * self.graph.num_vertices:
                self._ends = None

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Bring the spanning forest up to date, or grow it, and store the number of arcs."""
        if self._torn:
            return
        self._known_arcs = self.graph.num_arcs
        self._repairs = self.graph.has_in_edges and self._trials.pays(src.size)
        if not self._repairs:
            return
        self._relabel()
        if not self._has_forest:
            self._grow_forest()

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Split components."""
        if self.graph.num_arcs == self._known_arcs or self._torn:
            return
        self._notifications = None
        self._torn = not self._repairs
        if self._repairs:
            self._splits(src, dst, self._most_tentative, *self._forest)
            self._is_tried = True
            if not self.graph.device.is_gpu:
                self._torn = self._has_given_up()

    def vertices_changed(self) -> None:
        """Add new vertices as components, and remove deleted vertices, which are isolated."""
        if self._torn or self._has_given_up():
            self._recompute()
            return
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
        self._clear_tally()

    def detached(self) -> None:
        """Finish the labels."""
        if not self.closed:
            self._bring_up()
            self._relabel()
        super().detached()

    def _bring_up(self) -> None:
        """Recompute the components, or look for the largest, if deletions have made that necessary."""
        if self._torn or self._has_given_up():
            self._recompute()
        elif self._read_flags()[REATTACHED] > self._many:
            self._largest, self._many = None, math.inf
            fr.advanced.clear(self._tally[REATTACHED : REATTACHED + 1])
            self._notifications = None

    def _has_given_up(self) -> bool:
        """Whether the last repair, if any, found that the components must be recomputed."""
        outdated = self._read_flags()[OUTDATED] > 0
        if self._is_tried:
            self._is_tried = False
            self._trials.note(outdated * self._lost)
        return outdated

    def _read_flags(self) -> list[int]:
        """The tally. The host synchronizes once after an update."""
        if self._notifications is None:
            self._notifications = self.graph.device.to_host(self._tally).tolist()
        return self._notifications

    def _relabel(self) -> None:
        """Give the vertices of components that merged their label, and attach them to one spanning tree."""
        if self._torn:
            self._recompute()
        if not self._joining:
            return
        graph, ends = self.graph, self._ends
        # For few edges a GPU has processed the ends before the host knows whether they have joined anything.
        if not graph.device.is_gpu or not ends:
            joined = self._read_flags()[JOINED]
            if joined == self._relabeled:
                ends = []
            self._relabeled = joined
        self._torn = True
        looks_through = ends is None or not graph.has_in_edges
        if self._largest is None and (looks_through or ends):
            self._find_largest()
        if looks_through:
            self._rename_all()
        elif ends:
            src, dst = ends[0]
            if len(ends) > 1:
                src, dst = (graph.joined(*ids) for ids in zip(*ends, strict=True))
            self._notifications = None
            self._renames(src, dst, self._largest, self._moved, *self._forest)
        self._torn = self._joining = False
        self._ends, self._num_ends = [], 0

    def _rename_all(self) -> None:
        """`_relabel`, of many components or without in-edges: all vertices are looked through."""
        graph = self.graph
        kept = graph.entries(self._labels, graph.xp.asarray(np.array([self._largest])))
        detached = fr.filter(self._members, _rename, self._labels, self._link, self._level, kept, self._tally)
        if graph.has_in_edges:
            _attach(graph, detached, self._forest)
        self._notifications = None

    @property
    def _forest(self) -> _Forest:
        return _Forest(self._labels, self._link, self._level, self._parent, self._tally, *self._listed.arguments)

    @property
    def _most_tentative(self) -> int:
        return int(MOST_VERTICES * self.graph.num_vertices) + SMALL_VERTICES

    def _recompute(self) -> None:
        """Compute the components from scratch."""
        self._torn = True  # until all arrays exist
        graph, xp = self.graph, self.graph.xp
        found = connected_components(graph)
        if self._labels is None or self._labels.size != found.labels.size:
            self._labels, self._link, self._parent = (graph.vertex_array(graph.vertex_dtype, -1) for _ in range(3))
            self._level = graph.vertex_array(np.int32, 0)
            self._listed = Listed(graph)
            self._tally = xp.zeros(4, np.int64)
            self._moved = xp.zeros(1, np.int64)  # whether a component preserved its tree and got another label
        self._labels[:] = self._link[:] = found.labels
        if graph.absent_mask is not None:
            self._link[:] = xp.where(found.labels < 0, xp.arange(found.labels.size), found.labels)
        self._level.fill(0)
        self._has_forest = self._is_tried = False
        self._members = fr.Frontier.all(graph)
        self._count = found.count
        self._clear_tally()
        self._joining = False  # whether edges were inserted since the labels were last exact
        self._ends: list[tuple[Any, Any]] | None = []  # the ends of these edges, by batch, or None if they are many
        self._num_ends = 0
        self._torn = False

    def _clear_tally(self) -> None:
        """Reset the counts of changes, and forget the largest component."""
        fr.advanced.clear(self._tally)
        self._notifications: list[int] | None = None  # the tally, as the host knows it
        self._relabeled = 0  # components that had been merged when vertices were last relabeled, if that was asked
        self._largest: Any = None  # a vertex of the largest component, its label, once computed
        self._many = math.inf  # vertices that are attached again before another component may be the largest

    def _grow_forest(self) -> None:
        """Grow a spanning tree of each component, breadth first."""
        self._torn = True  # until it has grown
        roots = fr.filter(self._members, _plant, self._labels, self._level, self._parent)
        levels = search_levels(self.graph, roots, self._level, self._parent, edges="both")
        if self.graph.device.is_gpu:
            self._lost = 1 + levels // RECOMPUTE_LEVELS
        self._has_forest = True
        self._torn = False

    def _find_largest(self) -> None:
        """Find a vertex of the largest component, its label."""
        label, size = most_common_label(self._members, self._labels)
        self._largest = self.graph.vertex_dtype.type(label)
        self._many = max(LARGE_REATTACHED * self.graph.num_vertices, LARGE_OF_LARGEST * size)


class _OverParts(DynamicConnectedComponents):
    """The same for a distributed graph, without a spanning forest.

    Each partition unites the labels of the edges it is notified of in a local union-find forest. If any partition has
    joined two components, the forests are united when the labels are read, so insertions exchange nothing. After
    deletions the components are recomputed then.
    """

    @maintained
    def count(self) -> int:
        """Number of components."""
        self._relabel()
        return self._count

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Store the number of arcs."""
        self._known_arcs = self.graph.num_arcs

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Recompute the components at the next read, if any edge was deleted."""
        self._outdated |= self.graph.num_arcs != self._known_arcs

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Merge components."""
        if not self._outdated:
            super().edges_inserted(src, dst)

    def vertices_changed(self) -> None:
        """Have the components recomputed when they are read."""
        self._outdated = True

    def _prepare(self) -> None:
        """Nothing is captured for distributed graphs."""

    def _bring_up(self) -> None:
        """Do nothing: reading a result relabels."""

    def _relabel(self) -> None:
        if self._outdated:
            self._recompute()
        elif self._joining and self.graph.max_over_parts(int(self._tally[JOINED])):
            self._tally.fill(0)
            self._count = int(fr.reduce(self._members, _take_root, self._labels, self._link, dtype=np.int64)[0])
            self.graph.sync(self._labels)
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
        self._torn = self._joining = self._outdated = False
        self._notifications = self._ends = None  # all labels are checked


DynamicConnectedComponents.form_over_parts = _OverParts


def _take_root(v, labels, link):
    """Give v the current label of its component. Return whether v is that label."""
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


def _rename_components(graph, src, dst, largest, moved, *args):
    """Relabel, from the ends of inserted edges, the components that have merged, and attach them to one tree."""
    forest = _Forest(*args)
    fr.advanced.clear(moved, forest.number)
    renamed = fr.visit_edges(graph, src, dst, _rename_end, largest, moved, *forest)
    if not renamed:
        return
    fr.traverse(graph, renamed, _rename_end, largest, moved, *forest, edges="both")
    fr.compute(fr.Frontier.listed(graph, forest.listed[:0], moved), _follow, forest.labels, forest.link)
    listed = fr.Frontier.listed(graph, forest.listed, forest.number)
    detached = fr.filter(listed, _is_detached, forest.level, forest.tally)
    _attach(graph, detached, forest)


def _split_components(graph, src, dst, most, *args):
    """Find other paths for the vertices below deleted edges of the forest. Vertices without one form new components."""
    forest = _Forest(*args)
    fr.advanced.clear(forest.number)
    tree = _Tree(forest.parent, forest.level, forest.listed, forest.number, forest.room)
    tentative = fr.visit_edges(graph, src, dst, _cut, *tree)
    if not tentative:
        return
    # The host of a GPU does not synchronize to learn their number.
    if not graph.device.is_gpu and tentative.num_arcs > MOST_ARCS * graph.num_arcs + SMALL_ARCS:
        forest.tally[OUTDATED] += 1
        return
    fr.traverse(graph, tentative, _reattach, most, *tree, edges="both")
    listed = fr.Frontier.listed(graph, forest.listed, forest.number)
    detached = fr.filter(listed, _detach, forest.link, forest.level, forest.tally, most, forest.number)
    if not detached:
        return
    _attach(graph, detached, forest, linking=1)
    roots = fr.filter(detached, _form_component, forest.labels, forest.link, forest.level, forest.parent, forest.tally)
    if roots:
        _attach(graph, roots, forest, first=2)


def _attach(graph, members, forest, linking=0, first=1):
    """Attach vertices to the forest, or others to these, level by level."""
    args = _Attachment(forest.parent, forest.level, forest.link, forest.tally)
    fr.traverse(graph, members, _attach_to_parent, linking, fr.advanced.StepCounter(first), *args, edges="both")


def _rename(v, labels, link, level, largest, tally):
    """Give v the current label of its component. Return whether v must be attached again.

    The largest of the components that merged preserves its spanning tree: its label was ``largest[0]``, or else
    the one whose label stays.
    """
    label = labels[v]
    root = root_of(link, label)
    kept = root
    if root_of(link, largest[0]) == root:
        kept = largest[0]
    if root != label:
        labels[v] = root
    if label != kept:
        level[v] = DETACHED
        fr.atomic_add(tally, REATTACHED, 1)
        return True
    return False


def _rename_end(src, dst, edge, weight, largest, moved, *args):
    """`_rename` for a vertex at an inserted edge, or next to a renamed vertex. `largest` is a vertex."""
    forest = _Forest(*args)
    label = forest.labels[dst]
    root = root_of(forest.link, label)
    kept = root
    if root_of(forest.link, forest.labels[largest]) == root:
        kept = forest.labels[largest]
    if root != kept:
        moved[0] = 1
    height = forest.level[dst]
    if label == kept or height == DETACHED or fr.atomic_cas(forest.level, dst, height, DETACHED) != height:
        return False
    forest.labels[dst] = root
    enlist(dst, forest.listed, forest.number, forest.room)
    return True


def _follow(v, labels, link):
    """Give v, of a component that preserves its tree, its current label."""
    if labels[v] >= 0:
        labels[v] = root_of(link, labels[v])


def _is_detached(v, level, tally):
    if level[v] != DETACHED:
        return False
    fr.atomic_add(tally, REATTACHED, 1)
    return True


def _cut(src, dst, edge, weight, *args):
    """Make dst tentative if src was its parent, since the edge was deleted."""
    tree = _Tree(*args)
    if tree.parent[dst] != src:
        return False
    height = tree.level[dst]
    if height >= 0 and fr.atomic_cas(tree.level, dst, height, -1 - height) == height:
        tree.parent[dst] = -1
        enlist(dst, tree.listed, tree.number, tree.room)
        return True
    return False


def _reattach(src, dst, edge, weight, most, *args):
    """Attach a tentative src to dst if dst is settled and of smaller level. Make dst tentative if it is a child of src.

    Once more than `most` are tentative, no further vertices become so. A new parent may become tentative in the same
    step. It is then processed in the next step, and makes all its children of that time tentative.
    """
    tree = _Tree(*args)
    tentative = tree.level[src]
    if tentative >= 0:
        return False
    own = -1 - tentative
    above = tree.parent[src]
    if above >= 0 and tree.level[above] >= 0:
        fr.atomic_cas(tree.level, src, tentative, own)
        return False
    other = tree.level[dst]
    if other < 0:
        return False
    if other < own:
        if fr.atomic_cas(tree.level, src, tentative, own) == tentative:
            tree.parent[src] = dst
        return False
    if tree.parent[dst] != src or tree.number[0] > most:
        return False
    if fr.atomic_cas(tree.level, dst, other, -1 - other) != other:
        return False
    enlist(dst, tree.listed, tree.number, tree.room)
    return True


def _detach(v, link, level, tally, most, number):
    """Detach v, once, if it is still tentative. Give up if more than `most` were."""
    if number[0] > most:
        tally[OUTDATED] = 1
        return False
    height = level[v]
    if height >= 0 or fr.atomic_cas(level, v, height, DETACHED) != height:
        return False
    link[v] = v
    fr.atomic_add(tally, REATTACHED, 1)
    return True


def _attach_to_parent(src, dst, edge, weight, linking, step, *args):
    """Attach dst to src, or in the first step src to dst, if exactly one of them is detached.

    In the first step all detached vertices look for settled neighbors. A detached neighbor joins the frontier of the
    second step, since it may be attached by then. Later frontiers contain only newly attached vertices. If `linking` is
    1, detached neighbors are linked.
    """
    forest = _Attachment(*args)
    here = forest.level[src]
    there = forest.level[dst]
    if here != DETACHED:
        if there == DETACHED and fr.atomic_cas(forest.level, dst, DETACHED, here + 1) == DETACHED:
            forest.parent[dst] = src
            if here >= MAX_HEIGHT:
                fr.atomic_add(forest.tally, OUTDATED, 1)
            return True
        return False
    if step > 1:
        return False
    if there != DETACHED:
        if fr.atomic_cas(forest.level, src, DETACHED, there + 1) == DETACHED:
            forest.parent[src] = dst
            if there >= MAX_HEIGHT:
                fr.atomic_add(forest.tally, OUTDATED, 1)
        return False
    if linking:
        join(forest.link, forest.link[src], forest.link[dst])
    return True


def _form_component(v, labels, link, level, parent, tally):
    """Label a detached v with its new component. True for the smallest vertex, which becomes the root."""
    if level[v] != DETACHED:
        return False
    if labels[v] == v:
        fr.atomic_add(tally, OUTDATED, 1)
    root = root_of(link, v)
    labels[v] = root
    if root != v:
        return False
    parent[v] = -1
    level[v] = 0
    fr.atomic_add(tally, FORMED, 1)
    return True


def _plant(v, labels, level, parent):
    """Detach v, or make it a root if it is a label."""
    parent[v] = -1
    level[v] = DETACHED
    if labels[v] != v:
        return False
    level[v] = 0
    return True
