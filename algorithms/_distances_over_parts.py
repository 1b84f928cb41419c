"""`DynamicBFS` and `DynamicSSSP` of distributed graphs: `dynamic_distances`, repaired by the owners of vertices.

Every partition stores the distances and the tree of all vertices. Only the owner of a vertex changes it, by visiting
the edges that enter it. It then sends the changes to the other partitions, which apply them before the next read.

    distance[v], predecessor[v]   as in `dynamic_distances`
    tentative[v]                  1 while v may be cut off
    bad[0]                        1 after a negative weight was seen, or a path length
                                  overflowed the distances' type

After a deletion, the vertices whose tree edge is gone are tentative. In each round, tentative vertices look for a
parent that is nearer and not tentative. Vertices that find none make their children tentative. Vertices that remain
tentative are cut off. They are pulled from their neighbors, and relaxed. Vertices with new distances look for their
parents at the end.

In directed graphs without in-edges, which have no such edges to look along, distances are recomputed after deletions,
and the tree after insertions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from . import dynamic_distances
from ._distance_functors import extends
from .dynamic_distances import DynamicDistances
from .incremental import maintained
from .shortest_path_tree import has_none, shortest_path_tree


class DistancesOverParts(DynamicDistances):
    """The implementation of `DynamicDistances` for distributed graphs."""

    over_parts = True

    @maintained
    def predecessor(self) -> Any:
        """Each vertex's predecessor on a shortest path, -1 for none: a read-only array on the graph's device."""
        if self._tree_is_old:
            self._rebuild_tree()
        return self.graph.device.read_only(self._predecessor)

    # ---- updates ----------------------------------------------------------------------------------------------------

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Relax from a batch of edges that are new or have changed weights."""
        if not self._known or (self._weighted and not self._repair(src, dst)):
            return
        near: Any = fr.visit_edges(self.graph, src, dst, self._steps.relax, self._distance, self._unreached, self._bad)
        self._relax_from(near, near)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Find other paths to vertices that lost their tree edge. All partitions decide the same."""
        if self._known and not self._affects_much(src.size):
            self._repair(src, dst)

    def vertices_changed(self) -> None:
        """Allocate entries for new vertices. An old tree cannot be rebuilt without them."""
        is_old = self._tree_is_old
        super().vertices_changed()
        self._tree_is_old = is_old

    # ---- repair -----------------------------------------------------------------------------------------------------

    def _repair(self, src: Any, dst: Any, changed_weights: bool = False) -> bool:
        """Repair the subtrees below deleted or longer tree edges. Return False if distances must be recomputed."""
        graph, steps = self.graph, self._steps
        distance, predecessor, tentative = self._distance, self._predecessor, self._tentative
        if not graph.has_in_edges:
            self._known = False
            return False
        doubtful: Any = fr.visit_edges(
            graph, src, dst, steps.mark, distance, predecessor, tentative, self._unreached, self._bad
        )
        if not doubtful:
            return True
        fr.compute(doubtful, _leave_parent, predecessor)
        if doubtful.num_arcs > dynamic_distances.RECOMPUTE_ABOVE * graph.num_arcs:
            self._known = False
            return False
        touched = doubtful
        while doubtful:
            fr.advance(graph, doubtful, steps.adopt, distance, predecessor, tentative, edges="in", output=None)
            graph.sync(predecessor, tentative, of=doubtful)
            doubtful = fr.advance(graph, doubtful, _pass_on, predecessor, tentative)
            touched = touched | doubtful
        cut_off = fr.filter(touched, _forget, distance, predecessor, tentative, self._unreached)
        if len(cut_off) > dynamic_distances.RECOMPUTE_ABOVE * graph.num_vertices:
            self._known = False
            return False
        graph.sync(distance, predecessor, tentative, of=cut_off)
        fr.advance(graph, cut_off, steps.pull, distance, self._unreached, self._bad, edges="in", output=None)
        self._relax_from(cut_off, cut_off)
        return True

    def _relax_from(self, near: fr.Frontier, changed: fr.Frontier) -> None:
        """Relax edges, starting from the out-edges of some vertices, and find the parents of changed vertices."""
        graph = self.graph
        while near:
            near = fr.advance(graph, near, self._steps.relax, self._distance, self._unreached, self._bad)
            changed = changed | near
        self._is_checked = False
        graph.sync(self._distance, of=changed)
        if not graph.has_in_edges:
            self._tree_is_old |= bool(changed)
            return
        fr.compute(changed, _leave_parent, self._predecessor)
        fr.advance(graph, changed, self._steps.find_parent, self._distance, self._predecessor, self._unreached,
                   edges="in", output=None)  # fmt: skip
        graph.sync(self._predecessor, of=changed)
        if self._weighted and fr.filter(
            changed, has_none, self._distance, self._predecessor, self._unreached, self.source
        ):  # reached over edges of length 0
            self._rebuild_tree()

    def _rebuild_tree(self) -> None:
        tree = shortest_path_tree(self.graph, self.source, self._distance, self._unreached, self._length)
        self.graph.sync(tree)
        self._predecessor = self.graph.vertex_array(tree.dtype, tree)
        self._tree_is_old = False

    def _check_sums(self) -> None:
        if self._known and self._weighted and not self._is_checked:
            self.graph.sync(self._bad)
            if int(self._bad[0]):
                self._known = False
        self._is_checked = True

    def _take(self, distance: Any, predecessor: Any) -> None:
        """Adopt these arrays, and reset all state."""
        graph = self.graph
        graph.sync(distance, predecessor)
        self._distance = graph.vertex_array(distance.dtype, distance, combine="min")
        self._predecessor = graph.vertex_array(predecessor.dtype, predecessor)
        self._tentative = graph.vertex_array(np.uint8, combine="max")
        self._bad = graph.flags()
        self._known = self._is_checked = True
        self._tree_is_old = False

    @property
    def _steps(self) -> Steps:
        return steps_of(self._length)


def _forget(v, distance, predecessor, tentative, unreached):
    if tentative[v] == 0:
        return False
    tentative[v] = 0
    distance[v] = unreached
    predecessor[v] = -1
    return True


def _leave_parent(v, predecessor):
    predecessor[v] = -1


def _pass_on(src, dst, edge, weight, predecessor, tentative):
    if tentative[src] == 1 and predecessor[dst] == src and tentative[dst] == 0:
        tentative[dst] = 1
        return True
    return False


class Steps(NamedTuple):
    """The functors that depend on edge lengths. The last three are called along the edges that enter `src`."""

    relax: Callable
    mark: Callable
    adopt: Callable
    pull: Callable
    find_parent: Callable


@functools.cache
def steps_of(length_of: Callable) -> Steps:
    """The functors for this edge length."""

    def relax(src, dst, edge, weight, distance, unreached, bad):
        length = length_of(weight)
        own = distance[src]
        if not extends(own, length, unreached, bad):
            return False
        through = own + length
        return through < distance[dst] and fr.atomic_min(distance, dst, through) > through

    def mark(src, dst, edge, weight, distance, predecessor, tentative, unreached, bad):
        length = length_of(weight)
        if not length >= 0:
            bad[0] = 1
        if predecessor[dst] != src:
            return False
        own = distance[src]
        if edge < 0 or not length < unreached - own or own + length > distance[dst]:
            tentative[dst] = 1
            return True
        return False

    # A vertex that another partition owns may have become tentative in this round, unknown to this partition. It then
    # visits its children later, including any that have just adopted it.
    def adopt(src, dst, edge, weight, distance, predecessor, tentative):
        is_tight = distance[dst] < distance[src] and distance[dst] + length_of(weight) == distance[src]
        if is_tight and tentative[src] == 1 and tentative[dst] == 0:
            predecessor[src] = dst
            tentative[src] = 0
        return False

    def pull(src, dst, edge, weight, distance, unreached, bad):
        length = length_of(weight)
        other = distance[dst]
        if not extends(other, length, unreached, bad):
            return False
        through = other + length
        if through < distance[src]:
            fr.atomic_min(distance, src, through)
        return False

    def find_parent(src, dst, edge, weight, distance, predecessor, unreached):
        if distance[dst] < distance[src] < unreached and distance[dst] + length_of(weight) == distance[src]:
            predecessor[src] = dst
        return False

    return Steps(relax, mark, adopt, pull, find_parent)
