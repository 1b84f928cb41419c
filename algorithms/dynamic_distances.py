"""Distances that are maintained incrementally: the repair of a shortest-path tree.

Distances and a shortest-path tree are maintained. Edges that shorten a path are relaxed, starting from the batch. If a
tree edge is deleted or becomes longer, its lower end is tentative. It looks for another tight edge, from a strictly
nearer settled vertex, which it adopts as its parent. If no such vertex exists, its children in the tree become
tentative in turn. Vertices that remain tentative are cut off: their distances are reset, pulled from their neighbors,
and relaxed.

    distance[v]      as in `sssp` and `bfs`
    predecessor[v]   the tree, -1 for the source, unreached vertices, and vertices whose
                     tree edge was deleted
    state[v]         TENTATIVE while v may be cut off, otherwise SETTLED (as all are between
                     batches). In directed graphs CHANGED if v has a new distance, and must
                     find its predecessor. Each state has a list of the vertices that got it
    flat[0]          1 after a vertex was reached over an edge that did not increase the
                     distance
    bad[0]           1 after a negative weight was seen, a path length overflowed the
                     distances' type, or a repair was given up
    bad[1], bad[2]   levels of repairs since results were last read: so far, and before the
                     current traversal

A distance is the smallest sum along any path, added in order from the source in the type of the distances. It does not
depend on the order in which paths are tried, so repaired distances equal recomputed ones to the last bit of a float.

In a directed graph with in-edges, a tentative vertex first looks along these for a parent, and then passes on to its
children. Vertices that were cut off or came nearer find their predecessors at the end. In a directed graph without
in-edges, vertices adopt no parents, all vertices push new distances, and the tree is rebuilt: any batch that changes
something costs O(V + E). With in-edges the cost follows the change.

Ramalingam and Reps, "An Incremental Algorithm for a Generalization of the Shortest-Path Problem", J. Algorithms 1996;
Even and Shiloach, "An On-Line Edge-Deletion Problem", J. ACM 1981.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import frontier as fr

from ._distance_functors import (
    SETTLED,
    STEPS,
    Repair,
    RepairFunctors,
    batch_steps,
    forget,
    is_in_tree,
    mark_without_looking,
    repair_functors,
    settle,
    take_changed,
)
from ._listed import Listed
from ._trials import Trials
from .incremental import IncrementalAlgorithm, maintained
from .shortest_path_tree import shortest_path_tree, unit_length, unreached_of, weight_length
from .sssp import bucket_width

SMALL_ARCS, MAX_ARCS = 2**13, 2**18
"""Limits on the arcs of a batch that a GPU processes in captured steps: the first always applies, the second if the
graph has many times as many arcs."""
RECOMPUTE_ABOVE = 1 / 4
"""Distances are recomputed from scratch, which wastes fewer relaxations, if more than this fraction of the vertices
becomes tentative. The same applies if the vertices that lost their tree edges have more than this fraction of all arcs,
along which they would look for parents: a search from scratch visits fewer."""
SMALL = 256
"""This number of arcs, and of tentative vertices, is always visited."""
NO_LIMIT = 2**62
LOOK_UP = 8
"""The cost of visiting an edge of a batch, relative to an arc in a search from scratch."""
SAMPLED = np.random.default_rng(0).random(256)
MOST_IMPROVED = 1 / 4
"""If a larger fraction of the sampled reached vertices has come nearer, a recomputation would have cost as much:
relaxing an edge of theirs costs 3.5 times as much as in a search from scratch (R-MAT 15/16, grid 128 x 128). Vertices
are sampled as fractions of the number of all."""
MOST_LEVELS, SMALL_LEVELS = 3 / 4, 64
"""Limits on the levels of repairs on a GPU, without weights: this fraction of the levels of the last search from
scratch, plus a constant. All repairs since results were last read count. A level costs a little more than a level of a
search (1,024 x 1,024 grid: 7 and 6 microseconds on an H200)."""
PULLED = 1 / 8
"""These fractions are multiplied by this where a search from scratch pulls, without weights on a CPU."""


class DynamicDistances(IncrementalAlgorithm):
    """Base class of `DynamicBFS` and `DynamicSSSP`.

    Parameters
    ----------
    graph : DynamicGraph
    source : int
    static : function
        `bfs` or `sssp`: the same distances, computed from scratch.
    weighted : bool
        Whether edge lengths are the weights. Otherwise they are 1.
    """

    exact = False

    def __init__(self, graph: fr.DynamicGraph, source: int, static: Callable, weighted: bool):
        super().__init__(graph)
        found = static(graph, source)
        self.source = int(source)
        self._static = static
        self._weighted = weighted
        self._unreached = unreached_of(found.distance.dtype)
        self._length = weight_length if weighted else unit_length
        self._flags = graph.xp.zeros(4, np.int32)
        self._flat, self._bad = self._flags[:1], self._flags[1:]
        self._has_lengths = weighted and graph.weight_dtype is not None
        self._width: Any = None
        self._arcs_measured = 0
        self._insertions, self._deletions = Trials(), Trials()
        self._distance: Any = None
        self._queue: fr.PriorityFrontier | None = None
        # On a GPU small batches are steps without a host synchronization. The host reads their flags later.
        self._has_steps = graph.device.is_gpu and graph.has_in_edges and not graph.in_parts
        self._unread: set[Trials] = set()  # of repairs since flags were read
        improve, repair = batch_steps(self._length, graph.directed)
        self._improves, self._repairs = (
            fr.capture(graph, step, batches=True, max_batch=MAX_ARCS) for step in (improve, repair)
        )
        self._take_found(found)
        if self._has_steps:
            self._improves.prepare(self._levels, *self._step_arguments)
            self._repairs.prepare(self._levels, self._most_tentative, *self._step_arguments)
        self._attach()

    @maintained
    def distance(self) -> Any:
        """Distances from the source, as in the static algorithm: a read-only array on the graph's device."""
        return self.graph.device.read_only(self._distance)

    @maintained
    def predecessor(self) -> Any:
        """Each vertex's predecessor on a shortest path, -1 for none: a read-only array on the graph's device."""
        return self.graph.device.read_only(self._predecessor)

    # ---- updates ----------------------------------------------------------------------------------------------------

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Relax from a batch of edges that are new or have changed weights."""
        if not self._known:
            return
        if self._is_few(src):
            if self._weighted:
                self._repair_few(src, dst)
            if self._known and self._tries(self._insertions, src):
                self._improves(src, dst, self._levels, *self._step_arguments)
                self._unread.add(self._insertions)
            return
        self._read_flags()
        if not self._known or self._affects_much(src.size) or not self._tries(self._insertions, src):
            return
        graph = self.graph
        # Edges that became longer are repaired first: outdated distances must not be relaxed.
        if self._weighted and fr.visit_edges(graph, src, dst, is_in_tree, self._predecessor):
            self._repair(src, dst, changed_weights=True)
        if not self._known:
            return
        improved = fr.visit_edges(graph, src, dst, self._functors.relax_listed, *self._changing)
        if self._weighted and self._is_bad():
            return
        wasted = 0.0
        if improved and self._affects_much(improved.num_arcs):
            wasted = self._part_of(src)
        elif improved:
            before = self._sampled()
            self._relax(improved)
            if not self._known:
                wasted = MOST_LEVELS
            elif before is not None:
                now = self._sampled()
                wasted = float(
                    np.count_nonzero(now != before) > MOST_IMPROVED * np.count_nonzero(now < self._unreached)
                )
        self._note(self._insertions, wasted)
        self._is_checked = False

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Find other paths to vertices that lost their tree edge."""
        if not self._known:
            return
        if self._is_few(src):
            self._repair_few(src, dst)
            return
        self._read_flags()
        if self._known and not self._affects_much(src.size) and self._tries(self._deletions, src):
            self._note(self._deletions, self._repair(src, dst))

    def vertices_changed(self) -> None:
        """Allocate entries for new vertices. A deleted source reaches nothing. A reinserted one reaches itself."""
        if not self._known:
            return
        xp = self.graph.xp
        fresh = self.graph.num_vertices - self._distance.size
        if fresh:
            self._read_flags()
            self._check_sums()
            if not self._known:
                return
            self._take(
                xp.concatenate([self._distance, xp.full(fresh, self._unreached, self._distance.dtype)]),
                xp.concatenate([self._predecessor, xp.full(fresh, -1, self._predecessor.dtype)]),
            )
        self._queue = None
        self._distance[self.source] = 0 if self._has_source() else self._unreached

    # ---- repair -----------------------------------------------------------------------------------------------------

    def _is_few(self, src: Any) -> bool:
        """Whether a batch is processed in steps, which do not check whether a recomputation is cheaper."""
        return self._has_steps and 0 < src.size <= max(SMALL_ARCS, min(self.graph.num_arcs // 16, MAX_ARCS))

    def _repair_few(self, src: Any, dst: Any) -> None:
        """`_repair`, after a small batch, without estimating the work."""
        if self._weighted:
            self._read_flags()
        if self._known and self._tries(self._deletions, src):
            self._repairs(src, dst, self._levels, self._most_tentative, *self._step_arguments)
            self._unread.add(self._deletions)

    def _read_flags(self, *, in_update: bool = True) -> None:
        """Process flags that steps have set without a host synchronization.

        In an update it is too late to mend the tree: the graph has changed, and deleted edges that belong to the tree
        cannot be found any more. Distances are then recomputed from scratch when they are read.
        """
        if not self._unread:
            return
        flat, bad, levels, _ = self.graph.device.to_host(self._flags).tolist()
        if bad or (flat and in_update):
            self._known = False
        elif flat:
            self._mend_tree()
        # If a later batch is not repaired, the work is wasted, too.
        wasted = bad or (not self._known and MOST_LEVELS * levels / self._levels)
        saved = max(1 - levels / self._searched, 0) if self._levels < NO_LIMIT and not wasted else 0
        for trials in self._unread:
            trials.note(wasted, saved)
        self._unread.clear()
        self._flags[2:].fill(0)

    def _tries(self, trials: Trials, src: Any) -> bool:
        """Whether to repair the changes of a batch. Otherwise distances are recomputed when they are read."""
        self._known = trials.pays(src.size)
        return self._known

    def _note(self, trials: Trials, wasted: float) -> None:
        """Learn the outcome of a repair. A success may still be wasted by a later batch, which the next read shows."""
        trials.note(wasted)
        if self._known and not wasted:
            self._unread.add(trials)

    def _is_bad(self) -> bool:
        """Whether a weight is negative, a path too long, or a repair was given up. A recomputation then reports it when
        results are read."""
        self._known = not int(self._bad[0])
        return not self._known

    def _part_of(self, src: Any) -> float:
        """The visit of a batch as a fraction of a recomputation."""
        return LOOK_UP * src.size / max(self.graph.num_arcs, 1)

    def _sampled(self) -> Any:
        """The distances of some vertices, on a CPU."""
        if self.graph.device.is_gpu:
            return None
        return self._distance[self._sample]

    def _repair(self, src: Any, dst: Any, changed_weights: bool = False) -> float:
        """Repair the subtrees below deleted or longer tree edges, unless a recomputation is cheaper. Return the wasted
        fraction of a recomputation.

        With `changed_weights` some edges may not be relaxed yet, so all vertices may come nearer. After deletions only
        the vertices that were cut off have new distances.
        """
        self._read_flags()
        if not self._known:
            return 0.0
        graph, tree, most = self.graph, self._tree, self._most_tentative
        fr.advanced.clear(tree.number)
        mark = self._functors.mark_tentative if changed_weights else mark_without_looking
        tentative = fr.visit_edges(graph, src, dst, mark, *tree)
        if not tentative:
            return 0.0
        if self._affects_much(tentative.num_arcs):
            return self._part_of(src)
        if self._weighted and self._is_bad():
            return 0.0
        levels, steps = self._levels, 0
        if graph.directed and graph.has_in_edges:
            while tentative:
                steps += 1
                fr.advance(graph, tentative, self._functors.adopt, *tree, edges="in", output=None)
                tentative = fr.advance(graph, tentative, self._functors.pass_on, np.int32(steps), levels, most, *tree)
        else:
            fr.traverse(graph, tentative, self._functors.adopt_or_pass_on, STEPS, levels, most, *tree)
        if self._is_bad():
            return MOST_LEVELS
        if int(tree.number[0]) > most:
            self._known = False  # deferred until read: an overflowing distance must not make an update fail
            return 1.0
        changing = self._changing
        cut_off = fr.filter(fr.Frontier.listed(graph, tree.listed, tree.number), forget, tree.number, most, *changing)
        if cut_off:
            if self._affects_much(cut_off.num_arcs):
                return cut_off.num_arcs / graph.num_arcs
            if graph.has_in_edges:
                fr.advance(graph, cut_off, self._functors.pull, *changing, edges="in", output=None)
                self._relax(cut_off, changed=None if changed_weights else cut_off)
            else:
                self._relax(fr.Frontier.all(graph))
            self._is_checked = False
        return 0.0 if self._known else MOST_LEVELS

    def _relax(self, start: fr.Frontier, changed: fr.Frontier | None = None) -> None:
        """Relax edges, starting from the out-edges of some vertices, and maintain the tree. After too many levels give
        up: distances are then recomputed when they are read.

        In a directed graph vertices with new distances find their predecessors afterwards. `changed`, if known,
        contains them, which saves a pass over the vertices.
        """
        graph, changing = self.graph, self._changing
        if self._has_lengths:
            self._relax_nearest_first(start)
        else:
            fr.traverse(graph, start, self._functors.relax_levels, STEPS, self._levels, *changing)
            if self._is_bad():
                return
        if graph.directed:
            if changed is None:
                changed = fr.filter(fr.Frontier.listed(graph, *self._changed_list[:2]), take_changed, self._state)
            else:
                fr.compute(changed, settle, self._state)
            fr.advanced.clear(self._changed_list[1])
            if graph.has_in_edges:
                fr.advance(graph, changed, self._functors.find_parent, *changing, edges="in", output=None)
        self._mend_tree()

    def _relax_nearest_first(self, start: fr.Frontier) -> None:
        """Relax bucket by bucket, as `sssp` does: in any other order, distances would improve again and again."""
        graph = self.graph
        if self._width is None:  # a pass over all weights, of which later batches change few
            self._width = bucket_width(graph, self._distance.dtype, self._unreached)
        if self._queue is None:
            self._queue = fr.PriorityFrontier(graph, self._distance, self._width, monotone=True)
        queue = self._queue
        queue.clear()
        queue.push(start)
        queue.traverse(self._functors.relax, *self._changing)

    def _check_sums(self) -> None:
        """Have distances recomputed from scratch if one may have overflowed since this was last asked.

        Relaxation skips an edge whose sum would overflow, so updates continue without waiting for the device.
        """
        if self._known and self._weighted and not self._is_checked and int(self._bad[0]):
            self._known = False
        self._is_checked = True

    def _mend_tree(self) -> None:
        """Rebuild the tree where relaxation did not maintain it."""
        if not self.graph.has_in_edges or (self._weighted and int(self._flat[0])):
            self._predecessor = shortest_path_tree(
                self.graph, self.source, self._distance, self._unreached, self._length
            )
            self._flat.fill(0)

    def _recompute(self) -> None:
        """Recompute from scratch."""
        if self._has_source():
            found = self._static(self.graph, self.source)
            if not self._arcs_measured <= 2 * self.graph.num_arcs <= 4 * self._arcs_measured:
                self._arcs_measured, self._width = self.graph.num_arcs, None
            self._take_found(found)
        else:
            xp, n = self.graph.xp, self.graph.num_vertices
            self._take(xp.full(n, self._unreached, self._unreached.dtype), xp.full(n, -1, self.graph.vertex_dtype))

    def _take_found(self, found: Any) -> None:
        """Adopt the result of a search from scratch."""
        self._take(found.distance, found.predecessor)
        self._searched = getattr(found, "levels", NO_LIMIT)

    def _take(self, distance: Any, predecessor: Any) -> None:
        """Adopt these arrays, and reset all state. Captures stay valid unless the number of vertices grows."""
        fresh = self._distance is None or self._distance.size != distance.size
        if self._has_steps and not fresh:
            self._distance[:], self._predecessor[:] = distance, predecessor
        else:
            self._distance, self._predecessor, self._queue = distance, predecessor, None
        if fresh:
            self._state = self.graph.vertex_array(np.uint8, SETTLED)
            self._tentative_list = self._changed_list = Listed(self.graph).arguments
            if self.graph.directed:
                self._changed_list = Listed(self.graph).arguments
            self._sample = (SAMPLED * distance.size).astype(np.intp)
        self._state.fill(SETTLED)
        fr.advanced.clear(self._changed_list[1])
        self._bad.fill(0)
        self._flat.fill(0)
        self._known = self._is_checked = True
        self._unread.clear()

    def _bring_up(self) -> None:
        self._read_flags(in_update=False)
        self._check_sums()
        if not self._known:
            self._recompute()

    def _has_source(self) -> bool:
        return bool(self.graph.has_vertices([self.source])[0])

    def _affects_much(self, arcs: int) -> bool:
        """Whether a repair would visit too many arcs. Distances are then recomputed when they are read."""
        self._known = arcs <= self._limit * self.graph.num_arcs + SMALL
        return not self._known

    @property
    def _limit(self) -> float:
        """Up to which fraction of the graph may be affected without a recomputation."""
        return RECOMPUTE_ABOVE * (1 if self._has_lengths or self.graph.device.is_gpu else PULLED)

    @property
    def _levels(self) -> int:
        """The largest number of levels of a traversal. A search by weights does not count its levels."""
        if self._has_lengths or self._searched == NO_LIMIT or not self.graph.device.is_gpu:
            return NO_LIMIT
        return int(MOST_LEVELS * self._searched) + SMALL_LEVELS

    @property
    def _most_tentative(self) -> int:
        """The largest number of tentative vertices. Levels limit steps without weights instead."""
        if self._has_steps and not self._weighted:
            return NO_LIMIT
        return int(self._limit * self.graph.num_vertices) + SMALL

    @property
    def _functors(self) -> RepairFunctors:
        return repair_functors(self._length)

    @property
    def _tree(self) -> Repair:
        """The arguments of functors that list vertices which become tentative."""
        return Repair(
            self._distance, self._predecessor, self._state, self._flat, self._bad, self._unreached,
            np.int32(not self.graph.directed), *self._tentative_list,
        )  # fmt: skip

    @property
    def _changing(self) -> Repair:
        """The arguments of functors that list vertices with new distances."""
        return self._tree.listing(*self._changed_list)

    @property
    def _step_arguments(self) -> tuple:
        """The arguments of steps, with both lists, which in undirected graphs are one."""
        return *self._changed_list, *self._tree
