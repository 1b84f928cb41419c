"""Strongly connected components that are maintained incrementally.

Components are maintained along with a topological order of them. An inserted arc changes nothing within a component, or
if it leads forward in the order. A deleted arc changes nothing between components. All other arcs are listed, and
processed when the components are read. One component, the largest of the last recomputation, has two spanning trees:
paths from its hub to all members, and paths from all members to the hub. It is whole while both are.

    labels[v]    the smallest vertex of v's component
    rank[c]      of the component with label c: smaller than the rank of every component
                 that it points to
    width[c]     c may distribute the ranks ``rank[c]`` to ``rank[c] + width[c] - 1``, and
                 no other component has them
    level[v]     for each tree: larger than the parent's, OUTSIDE if v is not in the
                 component. While the tree is repaired: DETACHED if v has no parent, and
                 ``-1 - level`` (negative) if v is tentative: the arc between v, or an
                 ancestor, and its parent was deleted
    parent[v]    for each tree: the parent of v, -1 for none
    mark[v]      bits: the lists that contain v
    local[v]     the position of v among the vertices that are searched again, -1 for all
                 others

Deletions come first. Vertices whose paths to or from the hub were cut attach to other vertices of the tree, as in
`DynamicConnectedComponents`. Vertices that cannot attach leave the component. Other components with deleted arcs are
searched again as a whole. The components that they split into divide their ranks.

Inserted arcs that lead backward in the order are processed together. A pivot is chosen among the components. Every
cycle that the arcs close consists of the pivot and of vertices on either side of it. On one side, vertices of higher
rank reach the tail of such an arc over vertices of higher rank than the pivot's. On the other side, vertices of lower
rank are likewise reached from a head. These are found by two traversals that leave out the pivot. Then they are
searched again, with the pivot as a single vertex, and divide its ranks in their new order. The pivot is the component
of the hub, whose members are never traversed while it has trees, or else the lowest head or the highest tail. These are
tried in turn with an increasing limit. If all exceed the last limit, the components are recomputed from scratch.

Pearce and Kelly, "A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs", ACM J. Exp. Algorithmics 2006;
Haeupler, Kavitha, Mathew, Sen and Tarjan, "Incremental Cycle Detection, Topological Ordering, and Strong Component
Maintenance", ACM Trans. Algorithms 2012 (searches between two ranks, from both ends); Lacki, "Improved Deterministic
Algorithms for Decremental Reachability and Strongly Connected Components", ACM Trans. Algorithms 2013 (trees to and
from a vertex of each component).
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from . import _strong_functors as functors
from ._labels import existing_sets
from ._strong_functors import OUTSIDE
from ._strong_search import search
from ._trials import Trials
from .bfs import UNREACHED as DETACHED
from .bfs import search_levels
from .connected_components import most_common_label
from .dynamic_connected_components import DynamicConnectedComponents
from .incremental import IncrementalAlgorithm, extended, maintained
from .strongly_connected_components import COLORING_STEPS, strongly_connected_components

RANKS = 2**61
"""Ranks that a recomputation distributes. As many are left for new vertices."""
SMALL_GRAPH = {"cpu": 2**17, "gpu": 2**26}
"""A recomputation of a graph with fewer vertices and arcs costs less than the calls of the operators of a repair: 5 ms
on an H200."""
FEW, MORE = 256, 16
"""The first limit on the vertices that are searched again, and the factor by which it increases."""
ROUNDS = 4
"""Steps in which vertices below a cut of a tree look for other parents. Later ones are detached, and attached again."""
MOST, SMALL = {"cpu": 1 / 128, "gpu": 1 / 2**14}, 256
"""The last limit on the vertices that are listed, become tentative, or are searched again, and on the height of a new
tree: this fraction of all vertices and arcs, plus a constant. A CPU repairs each in some 60 times the time of a
recomputation. A GPU searches them on the host."""
MOST_EDGES = 1 / 16
"""A batch of more than this fraction of all vertices and arcs is not looked at."""
MOST_ARCS = 1 / 16
"""The vertices that are searched again may have this fraction of all arcs, plus a constant, in either direction."""
MAX_HEIGHT = 2**30
"""Levels only grow. Before they overflow, they are recomputed from scratch."""


class DynamicStronglyConnectedComponents(IncrementalAlgorithm):
    """Strongly connected components, exact after every batch.

    Computed once at construction, then maintained incrementally until closed.

    Parameters
    ----------
    graph : DynamicGraph
        If it has no in-edges (``in_edges=True``), the components are recomputed from scratch after a batch that may
        change them. For an undirected graph, the constructor returns a `DynamicConnectedComponents`.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The smallest vertex of each vertex's component, on the graph's device, -1 for deleted vertices. Read-only: on
        the CPU a view, which later batches may change, on the GPU a copy.
    count : int
        Number of components.

    See Also
    --------
    strongly_connected_components : Computes the result for the current graph.

    Notes
    -----
    A batch costs O(batch) work, without a host synchronization on a GPU. The next read costs nothing more under two
    conditions. Inserted arcs are within components or lead forward in the topological order. Deleted arcs are between
    components or not in a spanning tree of the largest. Otherwise a read costs work proportional to the arcs of some
    vertices. They lie between the ends of inserted arcs in that order, their paths in a tree were cut, or they are in
    other components that have lost an arc. It costs O(V) more if a component that is not searched gets another label,
    and O(V + arcs of the component) to grow the trees after a recomputation.

    The components are recomputed from scratch, in O(V + E), if too many vertices must be searched again. The limits are
    (V + E) / 128 vertices (on a GPU one in 16,384), and vertices with a sixteenth of all arcs. Fewer batches are
    repaired afterwards. The same applies to graphs of fewer than 131,072 vertices and arcs on a CPU, or 67 million on a
    GPU, where that is faster than a repair. O(V) memory.

    Examples
    --------
    >>> from algorithms import DynamicStronglyConnectedComponents
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 1, 2], [1, 2, 3], directed=True, in_edges=True, device="cpu"
    ... )
    >>> components = DynamicStronglyConnectedComponents(graph)
    >>> components.count
    4
    >>> graph.insert_edges([2], [0])
    UpdateResult(inserted=1, replaced=0, deleted=0)
    >>> components.labels
    array([0, 0, 0, 3], dtype=int32)
    """

    exact = False
    _labels: Any = None
    _order: Any = None  # on a CPU, the position of each vertex's component in reverse topological order
    _ordered = False  # whether components have ranks
    _needs_order = False  # whether vertices have changed while they had none
    _torn = True  # whether they must be recomputed
    _mark: Any = None

    def __new__(cls, graph: Any = None) -> Any:
        """Make a `DynamicConnectedComponents` of an undirected graph."""
        if isinstance(graph, fr.DynamicGraph) and not graph.directed and not graph.in_parts:
            return DynamicConnectedComponents(graph)
        return super().__new__(cls, graph)

    def __init__(self, graph: fr.DynamicGraph):
        super().__init__(graph)
        self._trials, self._fails_to_split = Trials(), False
        self._recompute()
        self._attach()

    @maintained
    def labels(self) -> Any:
        """The smallest vertex of each vertex's component: a read-only array."""
        return self.graph.device.read_only(self._labels)

    @maintained
    def count(self) -> int:
        """Number of components."""
        return self._count

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """List the tails of arcs that lead backward in the order."""
        if self._follows(src.size):
            self._settled = False
            tails = functors.Listing(self._labels, self._mark, *self._tails)
            fr.visit_edges(self.graph, src, dst, functors.list_tail, self._rank, *tails, output=False)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Cut the trees, and list the ends of arcs within other components."""
        if self._follows(src.size):
            self._settled = False
            away, toward = self._trees
            args = *away.arrays, *toward.arrays, *functors.Listing(self._labels, self._mark, *self._suspects)
            fr.visit_edges(self.graph, src, dst, functors.list_ends, *args, output=False)

    def vertices_changed(self) -> None:
        """Add new vertices as components, and remove deleted vertices, which are isolated."""
        self._needs_order |= not self._ordered
        if self._torn or self._needs_order:
            self._torn = True
            return
        self._torn = True  # until all arrays exist
        graph, xp = self.graph, self.graph.xp
        present = fr.Frontier.all(graph).mask
        if not present[self._hub]:
            return
        if graph.num_vertices > self._labels.size:
            self._extend_arrays()
        for tree in self._trees:
            tree.arrays.level[~present] = OUTSIDE
        self._torn = False
        self._bring_up()
        if not self._ordered:  # they were recomputed
            return
        new = xp.flatnonzero((self._labels < 0) & present)
        self._torn = self._end + new.size * self._unit > 2 * RANKS
        if self._torn:
            return
        self._labels[new] = new
        self._rank[new] = self._end + self._unit * xp.arange(new.size)
        self._width[new] = self._unit
        self._end += new.size * self._unit
        self._labels[~present] = -1
        self._count = int((self._labels == xp.arange(present.size)).sum())

    def _bring_up(self) -> None:
        """Process the listed vertices, or recompute the components if that is cheaper."""
        if not self._torn and not self._settled:
            self._torn = True  # until all of this has worked
            self._torn = not self._repair()
        if self._torn:
            self._recompute()

    def _follows(self, edges: int) -> bool:
        """Whether the changes of a batch are listed. Otherwise the components are recomputed when they are read."""
        graph = self.graph
        if self._torn or edges > MOST_EDGES * (graph.num_vertices + graph.num_arcs) + SMALL:
            self._torn = True
        elif not self._ordered:
            self._torn = not self._trials.pays(edges) or self._order is None
            if not self._torn:
                self._set_order()
        return not self._torn

    def _recompute(self) -> None:
        """Compute the components from scratch. Their order follows with the next batch, but on a GPU at once."""
        self._torn, self._ordered = True, False  # until all arrays exist
        graph = self.graph
        if graph.device.is_gpu:
            found = strongly_connected_components(graph)
            self._labels, self._count = found.labels, found.count
        else:
            offsets, heads, _ = fr.advanced.extract_neighbors(graph, edges=False)
            labels, self._order = search(offsets, heads)
            self._labels, self._count = existing_sets(graph, labels)
        if self._count and (self._needs_order or (graph.device.is_gpu and not self._trials.skips)):
            self._set_order()
        self._settled, self._torn = True, not self._count

    def _set_order(self) -> None:
        """Give ranks to the components."""
        graph, xp, n = self.graph, self.graph.xp, self.graph.num_vertices
        if self._order is None:
            first, size = _places(graph, self._labels, _depths(graph, self._labels))
        else:
            sizes = np.bincount(self._order)
            first, size = (n - sizes.cumsum())[self._order], sizes[self._order]
        self._unit = RANKS // n
        self._end = n * self._unit  # the lowest rank that no component has had
        self._rank, self._width = self._unit * first, self._unit * size
        self._hub, _ = most_common_label(fr.Frontier.all(graph), self._labels)
        if self._mark is None or self._mark.size != n:
            # Lists of vertices, as arguments for `enlist`. Their numbers are one array, which the host reads at once.
            self._numbers = xp.zeros(5, np.int64)
            lists = [(xp.empty(n, graph.vertex_dtype), self._numbers[i : i + 1], n) for i in range(5)]
            self._tails, self._suspects, self._found = lists[:3]
            self._trees = _Tree(graph, lists[3], "in", "out"), _Tree(graph, lists[4], "out", "in")
            self._local = xp.empty(n, graph.vertex_dtype)
            self._mark = xp.empty(n, np.int32)
        self._mark[:], self._local[:] = 0, -1
        fr.advanced.clear(self._numbers)
        for tree in self._trees:
            tree.clear()
        self._grown = False  # whether the component of the hub has trees
        self._ordered, self._needs_order = True, False

    def _extend_arrays(self) -> None:
        """Allocate entries for new vertices."""
        graph = self.graph
        arrays = self._labels, self._rank, self._width, self._mark, self._local
        self._labels, self._rank, self._width, self._mark, self._local = (
            extended(graph, array, value) for array, value in zip(arrays, (-1, 0, 0, 0, -1), strict=True)
        )
        self._tails, self._suspects, self._found = (
            _longer(graph, listed) for listed in (self._tails, self._suspects, self._found)
        )
        for tree in self._trees:
            level, parent, *cut = tree.arrays
            level, parent = extended(graph, level, OUTSIDE), extended(graph, parent, -1)
            tree.arrays = functors.Tree(level, parent, *_longer(graph, cut))

    def _repair(self) -> bool:
        """Process the lists. Return whether that was cheaper than a recomputation."""
        num_tails, num_suspects, _, *cut = self.graph.device.to_host(self._numbers).tolist()
        size = num_tails + num_suspects + sum(cut)
        self._settled = True
        if not size:
            return True
        tails, suspects = self._listed(self._tails, num_tails), self._listed(self._suspects, num_suspects)
        self._trials.pays(size)
        deletes, grown = num_suspects + sum(cut) > 0, self._grown
        done = self._is_few(size) and self._split(suspects, cut) and self._merge(tails)
        # After failed deletions, only deletions are a success, in trees that exist: to grow them may cost as much as a
        # recomputation.
        if not done:
            self._fails_to_split = deletes
        if not done or not self._fails_to_split or (deletes and grown == self._grown):
            self._trials.note(not done)
        return done

    def _is_few(self, size: int) -> bool:
        """Whether a repair of this number of listed vertices may be cheaper than a recomputation."""
        graph = self.graph
        if not graph.has_in_edges or size > self._most:
            return False
        large = graph.num_vertices + graph.num_arcs >= SMALL_GRAPH[graph.device.kind]
        return large or fr.advanced.is_warming_up()

    # ---- deletions --------------------------------------------------------------------------------------------------

    def _split(self, suspects: Any, cut: list[int]) -> bool:
        """Split components that deleted arcs, and cuts of the trees, have cut. Return whether that was worth it."""
        if not suspects.size and not any(cut):
            return True
        graph, xp = self.graph, self.graph.xp
        label = int(self._labels[self._hub])
        inside = self._labels[suspects] == label
        if not self._grown and inside.any():
            if not self._grow(label):
                return False
            lost = [tree.detached(fr.Frontier.all(graph)) for tree in self._trees]
        else:
            lost = []
            for tree, number in zip(self._trees, cut, strict=True):
                if (left := tree.repair(graph, number, self._most)) is None:
                    return False
                lost.append(left)
        if max(map(len, lost)) > self._most:
            return False
        left = xp.unique(xp.concatenate([some.vertices for some in lost]))
        for tree in self._trees:
            tree.arrays.level[left], tree.arrays.parent[left] = OUTSIDE, -1
        if self._grown and self._trees[0].arrays.level[label] == OUTSIDE:
            old, label = label, self._relabel(label, int((self._trees[0].arrays.level != OUTSIDE).argmax()))
            self._rank[label], self._width[label] = self._rank[old], self._width[old]
        others = self._members_of(suspects[~inside])
        if others is None:
            return False
        ids = xp.concatenate([left, others])
        return not ids.size or self._search_again(xp.sort(ids), label, within=True)

    def _members_of(self, ids: Any) -> Any:
        """The members of these vertices' components, None if they are too many."""
        if not ids.size:
            return ids
        graph = self.graph
        fr.advanced.clear(self._found[1])
        found = functors.Listing(self._labels, self._mark, *self._found)
        start = fr.filter(fr.Frontier(graph, ids), functors.is_new, *found)
        fr.traverse(graph, start, functors.gather, self._most, *found, edges="both")
        return self._take_found(self._most)

    def _grow(self, label: int) -> bool:
        """Grow both trees from the hub of the component with this label, breadth first. Return whether they are low."""
        graph = self.graph
        ways = graph.degrees().astype(np.int64) * graph.in_degrees()
        ways[self._hub] += 1  # more than the ways through a deleted vertex
        self._hub = int(graph.xp.where(self._labels == label, ways, -1).argmax())
        start = fr.Frontier(graph, [self._hub])
        for tree in self._trees:
            fr.compute(fr.Frontier.all(graph), functors.plant, self._labels, label, self._hub, *tree.state)
            tree.height = search_levels(graph, start, *tree.state, self._most, edges=tree.away)
            if tree.height >= self._most:
                return False
        self._grown = True
        return True

    def _relabel(self, label: int, new: int) -> int:
        """Give all vertices of a component another label, and return that."""
        fr.compute(fr.Frontier.all(self.graph), functors.give_label, self._labels, label, new)
        return new

    # ---- insertions -------------------------------------------------------------------------------------------------

    def _merge(self, ids: Any) -> bool:
        """Process arcs of these tails that lead backward in the order. Return whether that was worth it."""
        if not ids.size:
            return True
        graph, labels, rank = self.graph, self._labels, self._rank
        tails = fr.Frontier(graph, ids)
        heads = fr.advance(graph, tails, functors.leads_back, labels, rank)
        if not heads:
            return True
        first, last = labels[heads.vertices], labels[ids]
        first, last = int(first[rank[first].argmin()]), int(last[rank[last].argmax()])
        hub = int(labels[self._hub])
        pivots = [first, last]
        if rank[first] <= rank[hub] <= rank[last]:
            pivots.insert(0, hub)
        limit = min(max(FEW, 2 * int(ids.size)), self._most)
        while True:
            for pivot in dict.fromkeys(pivots):
                found = self._between(tails, heads, pivot, hub if self._grown and pivot != hub else -1, limit)
                if found is not None:
                    return self._search_again(found, pivot, within=False)
            if limit >= self._most:
                return False
            limit = min(MORE * limit, self._most)

    def _between(self, tails: fr.Frontier, heads: fr.Frontier, pivot: int, barrier: int, limit: int) -> Any:
        """The vertices that may be on cycles with the pivot, or must change their rank, None if they are too many."""
        fr.advanced.clear(self._found[1])
        middle = int(self._rank[pivot])
        for start, edges, sign in ((tails, "in", 1), (heads, "out", -1)):
            args = self._labels, self._rank, middle, sign, barrier, self._mark, limit, *self._found
            search = functors.Search(*args)
            first = fr.filter(start, functors.is_between, *search)
            fr.traverse(self.graph, first, functors.reach, *search, edges=edges)
        return self._take_found(limit)

    # ---- searches ---------------------------------------------------------------------------------------------------

    def _search_again(self, ids: Any, pivot: int, *, within: bool) -> bool:
        """Find the components of some vertices, and of the component with the label `pivot` as a single vertex.

        With `within`, ignore arcs between components. Return whether all have got ranks.
        """
        graph, xp, host = self.graph, self.graph.xp, self.graph.device.to_host
        size, local, labels = int(ids.size), self._local, self._labels
        local[ids] = xp.arange(size, dtype=local.dtype)
        args = local, labels, pivot, within
        offsets, heads, _ = fr.advanced.extract_neighbors(graph, ids, functors.is_inner, *args, edges=False)
        behind, _, _ = fr.advanced.extract_neighbors(graph.reverse, ids, functors.is_of_pivot, *args, edges=False)
        heads = local[heads]
        heads[heads < 0] = size
        entered = xp.flatnonzero(behind[1:] > behind[:-1]).astype(heads.dtype)
        offsets, heads = xp.append(offsets, heads.size + entered.size), xp.concatenate([heads, entered])
        local[ids] = -1
        smallest, order = search(host(offsets), host(heads))
        vertices, before = host(ids), host(labels[ids])
        number, of_pivot, members = int(order.max()) + 1, order[size], order[:size]
        new = np.empty(number, vertices.dtype)  # labels, by component
        new[order] = np.append(vertices, pivot)[smallest]
        new[of_pivot] = min(new[of_pivot], pivot)
        slot = np.full(number, pivot)  # the labels of components whose ranks they divide
        if within:
            slot[members] = before
            slot[of_pivot] = pivot
        weight = np.bincount(members, minlength=number)
        weight[of_pivot] += max(int(self._width[pivot]) // self._unit, 1)
        first, room = (host(array[xp.asarray(slot)]) for array in (self._rank, self._width))
        sequence, first, room = _shares(first, room, weight)
        if (room < 1).any():
            return False
        if new[of_pivot] != pivot:
            self._relabel(pivot, int(new[of_pivot]))
        labels[ids] = xp.asarray(new[members])
        at = xp.asarray(new[sequence])
        self._rank[at], self._width[at] = xp.asarray(first), xp.asarray(room)
        self._count += number - np.unique(np.append(before, pivot)).size
        if self._grown and not within and self._trees[0].arrays.level[pivot] != OUTSIDE:
            merged = fr.Frontier(graph, ids[xp.asarray(members == of_pivot)])
            for tree in self._trees:
                tree.arrays.level[merged.vertices] = DETACHED
                tree.attach(graph, merged)
        return True

    def _take_found(self, limit: int) -> Any:
        """The vertices that were found, in ascending order, None if they or their arcs are too many."""
        graph, (listed, number, _) = self.graph, self._found
        count = int(number[0])
        if count > limit:
            fr.advanced.clear(self._mark)
            return None
        found = graph.xp.sort(listed[:count])
        self._mark[found] = 0
        arcs = sum(fr.Frontier.listed(each, listed, number).num_arcs for each in (graph, graph.reverse))
        return found if arcs <= 2 * (MOST_ARCS * graph.num_arcs + SMALL) else None

    def _listed(self, arguments: tuple[Any, ...], count: int) -> Any:
        """The listed vertices that exist. They are then no longer listed, or marked."""
        listed, number, _ = arguments
        ids = listed[:count]
        self._mark[ids] = 0
        fr.advanced.clear(number)
        return existing(self.graph, ids)

    @property
    def _most(self) -> int:
        graph = self.graph
        return int(MOST[graph.device.kind] * (graph.num_vertices + graph.num_arcs)) + SMALL


class _Tree:
    """A spanning tree of a component.

    Attributes
    ----------
    arrays : Tree
        The levels and parents by vertex, and the list of tentative vertices.
    toward, away : {"in", "out"}
        The arcs of a vertex that lead to its parent, and to its children.
    height : int
        No level is higher.
    """

    def __init__(self, graph: fr.Graph, cut: tuple[Any, ...], toward: str, away: str):
        n, xp = graph.num_vertices, graph.xp
        self.arrays = functors.Tree(xp.empty(n, np.int32), xp.empty(n, graph.vertex_dtype), *cut)
        self.toward, self.away = toward, away

    def clear(self) -> None:
        """Make it a tree without vertices."""
        self.arrays.level[:], self.arrays.parent[:] = OUTSIDE, -1
        self.height = 0

    @property
    def state(self) -> tuple[Any, Any]:
        return self.arrays[:2]

    def repair(self, graph: fr.Graph, count: int, most: int) -> fr.Frontier | None:
        """Attach vertices that lost their parents, the first `count` of the list, and vertices below them.

        Return the vertices that cannot be attached, None if more than `most` lost their parents.
        """
        _, _, listed, number, room = self.arrays
        if not count:
            return fr.Frontier(graph)
        tentative = fr.Frontier(graph, existing(graph, listed[:count]))
        for _ in range(ROUNDS):
            if not tentative:
                break
            fr.advance(graph, tentative, functors.adopt, *self.state, edges=self.toward, output=None)
            tentative = fr.advance(graph, tentative, functors.pass_on, most, *self.arrays, edges=self.away)
        if tentative:
            fr.traverse(graph, tentative, functors.pass_on, most, *self.arrays, edges=self.away)
        count = int(number[0])
        fr.advanced.clear(number)
        if count > min(most, room) or self.height > MAX_HEIGHT:
            return None
        detached = fr.filter(fr.Frontier(graph, existing(graph, listed[:count])), functors.detach, *self.state)
        self.attach(graph, detached)
        return self.detached(detached)

    def attach(self, graph: fr.Graph, detached: fr.Frontier) -> None:
        """Attach detached vertices to the tree, if a path connects them with it."""
        if not detached:
            return
        fr.advance(graph, detached, functors.attach_to_neighbor, *self.state, edges=self.toward, output=None)
        fr.traverse(graph, detached, functors.attach, *self.state, edges=self.away)
        self.height += len(detached)

    def detached(self, members: fr.Frontier) -> fr.Frontier:
        """The detached vertices of a frontier."""
        return fr.filter(members, functors.is_detached, *self.state)


def existing(graph: fr.Graph, ids: Any) -> Any:
    """A copy of some ids, without deleted vertices."""
    return ids.copy() if graph.absent_mask is None else ids[~graph.absent_mask[ids]]


def _longer(graph: fr.Graph, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """A list with the same vertices, and capacity for all vertices."""
    listed, number, _ = arguments
    longer = extended(graph, listed, 0)
    return longer, number, longer.size


def _depths(graph: fr.Graph, labels: Any) -> Any:
    """For each vertex a number higher than the number of any component that points to its component."""
    depth = graph.xp.zeros(graph.num_vertices, np.int64)
    everyone = fr.Frontier.all(graph)
    if fr.traverse(graph, everyone, functors.deepen, labels, depth, max_steps=COLORING_STEPS) < COLORING_STEPS:
        return depth
    offsets, heads, _ = fr.advanced.extract_neighbors(graph, edges=False)
    _, order = search(graph.device.to_host(offsets), graph.device.to_host(heads))
    return -graph.xp.asarray(order).astype(np.int64)


def _places(graph: fr.Graph, labels: Any, depth: Any) -> tuple[Any, Any]:
    """For each vertex the position of its component among all vertices by depth, and the size of the component."""
    xp = graph.xp
    key = depth * labels.size + labels
    ordered = xp.sort(key)
    first = xp.searchsorted(ordered, key)
    return first, xp.searchsorted(ordered, key, side="right") - first


def _shares(first: np.ndarray, room: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Divide ranks among components, which are numbered in reverse topological order.

    `first` and `room` are the ranks that each shares with all of the same `first`, in proportion to their weights.
    Returns the components in the order of their new ranks, and these ranks.
    """
    sequence = np.lexsort((-np.arange(first.size), first))
    first, room, weight = first[sequence], room[sequence], weight[sequence]
    starts = np.flatnonzero(np.diff(first, prepend=-1))
    below = weight.cumsum() - weight
    count = np.diff(starts, append=first.size)
    share = room // np.repeat(np.add.reduceat(weight, starts), count)
    return sequence, first + share * (below - np.repeat(below[starts], count)), share * weight
