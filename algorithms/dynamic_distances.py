"""Distances that are maintained incrementally: the repair of a tree of shortest paths.

Distances and a tree that proves them are kept. What a batch makes shorter is relaxed, from its edges on. Where it takes
an edge of the tree away, or makes it longer, the vertex behind it is a suspect: it looks for another tight edge, from a
strictly nearer vertex that is no suspect, and adopts that vertex; if there is none, its children in the tree are the
next suspects. Those to whom nothing is left are cut off: they forget their distances, pull new ones from their
neighbors, and relax.

    distance[v]      as in `sssp` and `bfs`
    predecessor[v]   the tree; -1 for the source, unreached vertices, and those whose edge of the tree is gone
    state[v]         SUSPECT while v may be cut off, otherwise SETTLED (as all are between batches)
    flat[0]          1 after a vertex was reached over an edge that added nothing to the distance
    bad[0]           1 after a negative weight was seen, or the length of a path did not fit in the distances' type

A distance is the least sum along any path, added from the source on in the type of the distances, whatever the order in
which paths are tried: what is repaired equals what is computed anew, to the last bit of a float.

A directed graph keeps no edges that enter a vertex. There nothing is adopted, all vertices push new distances, and the
tree is made anew: O(V + E) for a batch that changes anything, where an undirected graph pays for what changes.

Ramalingam and Reps, "An Incremental Algorithm for a Generalization of the Shortest-Path Problem", J. Algorithms 1996;
Even and Shiloach, "An On-Line Edge-Deletion Problem", J. ACM 1981.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from .incremental import IncrementalAlgorithm, maintained
from .shortest_path_tree import shortest_path_tree, unit_length, unreached_of, weight_length

SETTLED = 0
SUSPECT = 1
ANEW_ABOVE = 1 / 4
"""If more than this part of the vertices is cut off, all is computed anew: that relaxes fewer edges in vain."""


class DynamicDistances(IncrementalAlgorithm):
    """What `DynamicBFS` and `DynamicSSSP` share.

    Parameters
    ----------
    graph : DynamicGraph
    source : int
    static : function
        `bfs` or `sssp`: computes the same from scratch.
    weighted : bool
        Whether the length of an edge is its weight; otherwise it is 1.
    """

    exact = False

    def __init__(self, graph: fr.DynamicGraph, source: int, static: Callable, weighted: bool):
        super().__init__(graph)
        found = static(graph, source)
        self.source = int(source)
        self._static = static
        self._weighted = weighted
        self._unreached = unreached_of(found.distance.dtype)
        self._has_integers = weighted and graph.weight_dtype is not None and graph.weight_dtype.kind == "i"
        self._length = weight_length if weighted else unit_length
        self._flat = graph.xp.zeros(1, np.int32)
        self._bad = graph.xp.zeros(1, np.int32)
        self._take(found.distance, found.predecessor)
        self._attach()

    @maintained
    def distance(self) -> Any:
        """Distances from the source, as the static form gives them: a read-only array on the graph's device."""
        return self.graph.device.read_only(self._distance)

    @maintained
    def predecessor(self) -> Any:
        """The vertex before each on a shortest path, -1 for none: a read-only array on the graph's device."""
        return self.graph.device.read_only(self._predecessor)

    # ---- what the graph tells ---------------------------------------------------------------------------------------

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Relax from a batch of edges that are new or have other weights."""
        # What is longer than it was is repaired first: nothing may be relaxed from a distance that no longer holds.
        if not self._known or (self._weighted and not self._repair(src, dst)):
            return
        improved = fr.visit_edges(self.graph, src, dst, self._functors.relax, *self._arguments)
        if improved:
            fr.traverse(self.graph, improved, self._functors.relax, *self._arguments)
            self._mend_tree()
        self._note_bad()

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Find other paths to what a batch of deleted edges has cut off."""
        if self._known:
            self._repair(src, dst)

    def vertices_changed(self) -> None:
        """Make room for new vertices; a source that was deleted reaches nothing, one that is back reaches itself."""
        if not self._known:
            return
        xp = self.graph.xp
        fresh = self.graph.num_vertices - self._distance.size
        if fresh:
            self._take(
                xp.concatenate([self._distance, xp.full(fresh, self._unreached, self._distance.dtype)]),
                xp.concatenate([self._predecessor, xp.full(fresh, -1, self._predecessor.dtype)]),
            )
        self._distance[self.source] = 0 if self._has_source() else self._unreached

    # ---- repair -----------------------------------------------------------------------------------------------------

    def _repair(self, src: Any, dst: Any) -> bool:
        """Settle what lies behind edges of the tree that are gone or longer; False if there is no more to be done."""
        graph, arguments = self.graph, self._arguments
        suspects = fr.visit_edges(graph, src, dst, self._functors.suspect, *arguments)
        if not suspects:
            return True
        if self._weighted and int(self._bad[0]):
            self._known = False
            return False
        fr.traverse(graph, suspects, self._functors.adopt_or_pass_on, *arguments)
        cut_off = fr.filter(fr.Frontier.all(graph), _forget, *arguments)
        if len(cut_off) > ANEW_ABOVE * graph.num_vertices:
            self._known = False  # until it is asked for: that a distance does not fit must not stop an update
            return False
        if cut_off:
            if not graph.directed:
                fr.advance(graph, cut_off, self._functors.pull, *arguments)
            fr.traverse(graph, fr.Frontier.all(graph) if graph.directed else cut_off, self._functors.relax, *arguments)
            self._mend_tree()
            self._note_bad()
        return True

    def _note_bad(self) -> None:
        """Compute everything anew, when it is asked for, if a distance may be too large for its type."""
        if self._has_integers and int(self._bad[0]):
            self._known = False

    def _mend_tree(self) -> None:
        """Make the tree anew where relaxing has not kept it."""
        if self.graph.directed or (self._weighted and int(self._flat[0])):
            self._flat.fill(0)
            self._predecessor = shortest_path_tree(
                self.graph, self.source, self._distance, self._unreached, self._length
            )

    def _compute_anew(self) -> None:
        """Start over, with what the graph holds now."""
        if self._has_source():
            found = self._static(self.graph, self.source)
            self._take(found.distance, found.predecessor)
        else:
            xp, n = self.graph.xp, self.graph.num_vertices
            self._take(xp.full(n, self._unreached, self._unreached.dtype), xp.full(n, -1, self.graph.vertex_dtype))

    def _take(self, distance: Any, predecessor: Any) -> None:
        """Keep these from now on."""
        self._distance = distance
        self._predecessor = predecessor
        self._state = self.graph.xp.full(distance.size, SETTLED, np.uint8)
        self._bad.fill(0)
        self._flat.fill(0)
        self._known = True

    def _bring_up(self) -> None:
        if not self._known:
            self._compute_anew()

    def _has_source(self) -> bool:
        return bool(self.graph.has_vertices([self.source])[0])

    @property
    def _functors(self) -> RepairFunctors:
        """Those for lengths of this kind."""
        return repair_functors(self._length)

    @property
    def _arguments(self) -> tuple:
        """What all functors take."""
        return (
            self._distance, self._predecessor, self._state, self._flat, self._bad, self._unreached,
            np.int32(not self.graph.directed),
        )  # fmt: skip


def _forget(v, distance, predecessor, state, flat, bad, unreached, both_ways):
    if state[v] == SETTLED:
        return False
    state[v] = SETTLED
    distance[v] = unreached
    predecessor[v] = -1
    return True


class RepairFunctors(NamedTuple):
    """The functors that look at the lengths of edges."""

    relax: Callable
    suspect: Callable
    adopt_or_pass_on: Callable
    pull: Callable


@functools.cache
def repair_functors(length_of: Callable) -> RepairFunctors:
    """The functors for edges of this length."""

    def relax(src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways):
        length = length_of(weight)
        own = distance[src]
        other = distance[dst]
        # A vertex is advanced after its distance has changed for the last time, and then finds who gave it.
        if both_ways and other < own < unreached and other + length == own:
            predecessor[src] = dst
        if not 0 <= length < unreached - own:  # nothing leads on from unreached vertices, and no sum may overflow
            if own < unreached and 0 <= length < math.inf:
                bad[0] = 1
            return False
        through = own + length
        if through < other and fr.atomic_min(distance, dst, through) > through:
            if through == own:
                flat[0] = 1
            return True
        return False

    def suspect(src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways):
        length = length_of(weight)
        if not length >= 0:
            bad[0] = 1
            return True
        if predecessor[dst] != src:
            return False
        if edge < 0 or not length < unreached - distance[src] or distance[src] + length > distance[dst]:
            predecessor[dst] = -1
            state[dst] = SUSPECT
            return True
        return False

    # Several threads decide on one vertex, and what they see may change under them. But a vertex that is made a suspect
    # looks at all of its edges in the next step, and makes suspects of all that have it for predecessor by then: also
    # of those that adopted it before they could know. So none is left settled behind a suspect.
    def adopt_or_pass_on(src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways):
        before = predecessor[src]
        if before >= 0 and state[before] == SETTLED:
            state[src] = SETTLED
            return False
        length = length_of(weight)
        is_tight = distance[dst] < distance[src] and distance[dst] + length == distance[src]
        if both_ways and is_tight and state[dst] == SETTLED:
            predecessor[src] = dst
            state[src] = SETTLED
            return False
        if predecessor[dst] == src and state[dst] == SETTLED:
            state[dst] = SUSPECT
            return True
        return False

    def pull(src, dst, edge, weight, distance, predecessor, state, flat, bad, unreached, both_ways):
        length = length_of(weight)
        other = distance[dst]
        if not 0 <= length < unreached - other:
            if other < unreached and 0 <= length < math.inf:
                bad[0] = 1
            return False
        through = other + length
        if through < distance[src] and fr.atomic_min(distance, src, through) > through and through == other:
            flat[0] = 1
        return False

    return RepairFunctors(relax, suspect, adopt_or_pass_on, pull)
