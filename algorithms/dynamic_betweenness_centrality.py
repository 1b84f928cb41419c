"""Betweenness centrality from all vertices or some sources, maintained incrementally.

Every source has its distances, numbers of shortest paths, and shares of the paths, as a search from it computes them
(`_shortest_paths`). Up to 32 sources have a column each in arrays, a bit each in words, and are repaired together:

    distance[v, s]   length of a shortest path from s to v, `UNREACHED` for none. While
                     distances are repaired, ``-1 - distance`` (negative) if v has lost its
                     last predecessor
    paths[v, s]      number of shortest paths from s to v
    behind[v, s]     per shortest path from s to v: v itself as a target, and the paths that
                     continue from it
    sums[v, s]       sum of `behind` over the successors of v, so ``paths * sums`` is what s
                     adds to the centrality of v
    gain[v, s]       paths that predecessors of v have gained, less the paths that they have
                     lost
    down[v], up[v]   sources for which the number of paths to v, or of paths behind v, may
                     have changed
    moved[v]         sources whose distance to v has changed, or may have become shorter
    again[v]         sources for which v sums up the paths behind all successors again
    reached[s]       number of vertices that s reaches
    last[v]          the last two bits of all distances, of source s at bits s and s + 32,
                     which show at once which neighbors may be a step nearer
    priority[v]      minus the largest distance of v from sources in `up`: the farthest
                     vertices come first
    total[v]         sum of ``paths * sums`` over all sources

An edge from u to v concerns only the sources for which v is farther than u. If v is one step farther, an inserted or
deleted edge changes the gain of v, and the sum of u, at once. The rest follows when the centralities are read:

1. Vertices that have lost as many paths as they had are cut off, and their successors lose these paths. Vertices that
   were cut off, or have a new edge from a nearer vertex, get the distance of their nearest neighbor plus 1, and shorter
   distances are relaxed. Their numbers of paths and of paths behind them start again from 0.
2. Away from the sources, vertices add their gains, and pass on the changes to their successors.
3. Back to the sources, vertices compute `behind`, and pass on the changes to their predecessors.
4. The centralities of all vertices of the last step are summed up again.

Vertices may pass on changes in any order, but a vertex is visited again for changes that come later. Step 2 is one
traversal. In step 3 changes start at all distances, so it is a traversal for each of several ranges of distances, the
farthest first.

Numbers of paths up to 2**53 are exact. Sums of `behind` get rounding errors. They are summed up again if little of them
is left, or if there are more paths to the vertex, and all sources are searched again after some repairs. A repair is
given up when it has visited too many arcs, or if almost all of more than 2**53 paths have vanished.

Bergamini and Meyerhenke, "Fully-Dynamic Approximation of Betweenness Centrality", ESA 2015; Green, McColl and Bader,
"A Fast Algorithm for Streaming Betweenness Centrality", SocialCom 2012; Jamour, Skiadopoulos and Kalnis, "Parallel
Algorithm for Incremental Betweenness Centrality on Large Graphs", IEEE Trans. Parallel Distrib. Syst. 2018.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from . import _betweenness_functors as functors
from ._arguments import sample_of
from ._betweenness_functors import NONE
from ._betweenness_words import Word
from ._listed import Listed
from ._shortest_paths import WIDTH, add_paths, passes_of
from ._trials import Trials
from .betweenness_centrality import scaled
from .incremental import IncrementalAlgorithm, extended, maintained

MAX_REPAIRS = 256
"""All sources are searched again after this number of repairs."""
MOST, MOST_LONG, EARLY = 3.0, 20.0, 0.4
"""A repair is given up when it has visited the arcs of the graph this number of times for each 32 sources: half of the
work of a search. The second limit applies if a search visits all arcs for each source. Before the last step, which
costs as much as the others, only the third number's fraction may have been visited."""
CALLS = {"cpu": 2**10, "gpu": 2**16}
"""The calls of the operators of a repair count as this number of arcs."""
STAGES = {"cpu": 64, "gpu": 4}
"""The number of stages of the third step. Each costs a GPU two host synchronizations."""
MOST_EDGES, FEW = 1 / 128, 64
"""The edges of a batch of more than this fraction of all arcs, and of more than this number, are not looked at."""


class DynamicBetweennessCentrality(IncrementalAlgorithm):
    """Betweenness centrality, or its estimate from some sources, exact for these after every batch.

    Parameters
    ----------
    graph : DynamicGraph
        In a directed graph edges are followed forward. Without in-edges (``in_edges=True``), all sources are searched
        again after a batch that concerns one. Weights are ignored.
    sources : array-like of int, optional
        The sources, by default all vertices, including later ones, or `k` of them. A source that is deleted does not
        count until it returns.
    k : int, optional
        Draw this number of sources at random, as `betweenness_centrality` does. An inserted vertex may replace a
        source, and a deleted source is replaced. All sources are searched again then.
    normalized, endpoints : bool
        As in `betweenness_centrality`.
    seed : int
        As in `betweenness_centrality`.

    Attributes
    ----------
    betweenness_centrality : array of float64, shape (num_vertices,)
        As in `betweenness_centrality` with the current `sources`, on the graph's device: a new array on each read. Work
        is deferred until it is read, so several batches between two reads cost one repair.
    sources : array of the graph's vertex dtype
        The existing sources, ascending.

    Raises
    ------
    TypeError, ValueError
        `sources` are no vertices of the graph, `k` is not positive, or another argument is invalid.

    See Also
    --------
    betweenness_centrality : Computes the result for the current graph.

    Notes
    -----
    A batch costs a comparison for each edge and source, without a host synchronization on a GPU. The next read costs
    nothing more if both ends of each edge are equally far from every source. Otherwise it costs work proportional to
    the arcs of the vertices whose distances, numbers of paths or paths behind them change, for each 32 sources. At most
    it costs half as much as `betweenness_centrality`, in addition to that, and fewer batches are tried afterwards. On a
    GPU it needs a few launches and host synchronizations for each 32 sources. O(V) memory for each source: 36 bytes a
    vertex.

    In R-MAT 16/16 with 32 sources, one core of a CPU repairs a batch of one edge in 6 ms, and of 64 edges in 140 ms.
    `betweenness_centrality` costs 585 ms. Batches of 1,024 edges concern most paths of this graph, and are recomputed.

    Examples
    --------
    >>> from algorithms import DynamicBetweennessCentrality
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> betweenness = DynamicBetweennessCentrality(graph, normalized=False)
    >>> betweenness.betweenness_centrality
    array([0., 0., 4., 3., 0.])
    >>> graph.insert_edges([1], [3])
    UpdateResult(inserted=1, replaced=0, deleted=0)
    >>> betweenness.betweenness_centrality
    array([0., 1., 1., 3., 0.])
    """

    _stale = True  # whether all sources must be searched again
    _follows = False  # whether arrays have the results of each source
    _tries = False  # whether they will be needed, as a batch like the last one is to be repaired

    def __init__(
        self, graph: fr.DynamicGraph, sources: Any = None, *, k: int | None = None, normalized: bool = True,
        endpoints: bool = False, seed: int = 0,
    ):  # fmt: skip
        super().__init__(graph)
        fr.advanced.arguments.flag(normalized, "normalized")
        fr.advanced.arguments.flag(endpoints, "endpoints")
        self.normalized, self.endpoints = bool(normalized), bool(endpoints)
        chosen, self._existing = sample_of(graph, sources, k, seed)
        self._given = None if sources is None else np.asarray(chosen, np.int64)
        self._k, self._seed = None if k is None else int(k), int(seed)
        self._sources = chosen
        self._trials = Trials()
        self._words: list[Word] = []
        self._bring_up()
        self._attach()

    @maintained
    def betweenness_centrality(self) -> Any:
        """The centralities: a new float64 array on the graph's device."""
        return self._last.copy() if self.closed else self._result()

    @maintained
    def sources(self) -> Any:
        """The existing sources, ascending, on the graph's device."""
        return self.graph.xp.asarray(np.asarray(self._sources, self.graph.vertex_dtype))

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """List the ends of edges to farther vertices, by source."""
        self._list(src, dst, 1.0)

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """List both ends of edges on shortest paths, by source."""
        self._list(src, dst, -1.0)

    def recomputes(self, update: str, edges: int) -> bool:
        """Whether all sources will be searched again."""
        return self._stale or not self._follows or self._is_large(edges)

    def outdated(self, edges: int) -> None:
        """Have all sources searched again when the centralities are read."""
        if edges:
            self._tries = self._trials.pays(edges) and not self._is_large(edges)
            if self._is_large(edges):
                self._trials.note(1.0)
            self._stale = True

    def vertices_changed(self) -> None:
        """Give entries to new vertices, and clear the entries of deleted ones."""
        graph = self.graph
        present = fr.Frontier.all(graph)
        existing = present.vertices
        before, self._existing = self._sources, int(existing.size)
        if self._k is not None:
            chosen = fr.advanced.draw_vertices(existing, self._k, self._seed)
        else:
            there = graph.device.to_host(existing)
            chosen = np.sort(there) if self._given is None else np.intersect1d(self._given, there)
        self._sources = chosen.tolist()
        if self._sources != before:
            self._stale = True
        if self._stale or not self._follows:
            self._stale = True
            return
        self._stale = True  # until all arrays exist
        absent = ~present.mask
        self._total = extended(graph, self._total, 0)
        self._total[absent] = 0
        for word in self._words:
            word.adapt(graph, absent)
        self._make_scratch()
        self._stale = False

    # ---- centralities -----------------------------------------------------------------------------------------------

    def _result(self) -> Any:
        found = self._total.copy()
        return scaled(self.graph, found, self._sources, self._existing, self.normalized, self.endpoints)

    def _finish(self) -> None:
        """Compute the result while the graph has the vertices that belong to it."""
        super()._finish()
        self._last = self._result()

    def _is_large(self, edges: int) -> bool:
        """Whether a batch of this number of edges is not looked at."""
        return edges > max(MOST_EDGES * self.graph.num_arcs, FEW) and not fr.advanced.is_warming_up()

    def _list(self, src: Any, dst: Any, sign: float) -> None:
        """List the ends of the edges of a batch, and change gains and sums."""
        if self.recomputes("", src.size):
            self.outdated(src.size)
            return
        self._size += int(src.size)
        both = np.bool_(not self.graph.directed)
        for word in self._words:
            args = self._spent, sign, both, *word.state
            fr.visit_edges(self.graph, src, dst, functors.list_ends, *args, output=False)

    def _bring_up(self) -> None:
        """Repair what is listed, or search from all sources if that is cheaper."""
        if not self._stale and self._size:
            self._stale = True  # until all of this has worked
            if self._repairs < MAX_REPAIRS:
                self._trials.pays(self._size)
                self._stale = not self._repair()
                self._trials.note(self._stale)
        if self._stale:
            self._recompute()
        self._size = 0

    def _recompute(self) -> None:
        """Search from all sources. If the next batch is not repaired, their results are not stored."""
        graph, sources = self.graph, self._sources
        self._follows, follows = False, self._tries or not self._trials.skips
        if follows:
            self._make_words()
        copied = fr.advanced.copy_for_passes(graph, passes_of(sources))
        self._total = graph.xp.zeros(graph.num_vertices)
        kept = [word.found for word in self._words] if follows else []
        self._in_turn = add_paths(copied, sources, self._total, self.endpoints, kept=kept)
        everyone = fr.Frontier.all(graph)
        for word in self._words if follows else ():
            fr.compute(everyone, functors.set_last, word.found.distance, word.state.last)
            if self.endpoints:
                word.state.reached[:] = (word.found.paths > 0).sum(axis=0)
        if self._words and follows:
            distance = self._words[0].found.distance
            farthest = fr.reduce(everyone, functors.farthest, distance, reduce="max", dtype=np.int64)
            self._width = max(int(farthest[0]), 0) // STAGES[graph.device.kind]
            self._queue = None
        self._follows, self._stale, self._tries, self._repairs = follows, False, False, 0

    def _make_words(self) -> None:
        """Arrays for the results of all sources, without entries."""
        graph, parts = self.graph, [self._sources[i : i + WIDTH] for i in range(0, len(self._sources), WIDTH)]
        shapes = [(graph.num_vertices, len(part)) for part in parts]
        if shapes != [word.shape for word in self._words]:
            self._words = []  # their memory first
            self._words = [Word(graph, *shape) for shape in shapes]
        else:
            for word in self._words:
                word.clear()
        self._spent = graph.xp.zeros(2, np.int64)  # visited arcs, and whether a number of paths is not known any more
        self._make_scratch()

    def _make_scratch(self) -> None:
        """Arrays that all words share."""
        graph, xp, n = self.graph, self.graph.xp, self.graph.num_vertices
        sizes = [n * word.found.paths.shape[1] for word in self._words]
        pulled = xp.empty(max(sizes, default=0))
        for word, size in zip(self._words, sizes, strict=True):
            word.pulled = pulled[:size].reshape(n, -1)
        self._here, self._coming = xp.zeros(n, np.uint64), xp.zeros(2 * n, np.uint64)
        self._queue: fr.PriorityFrontier | None = None
        self._is_altered = xp.zeros(n, np.uint8)
        self._altered = Listed(graph).arguments

    # ---- repair -----------------------------------------------------------------------------------------------------

    def _repair(self) -> bool:
        """Process what is listed. Return whether that was cheaper than to search from all sources."""
        graph = self.graph
        self._repairs += 1
        words = [word for word in self._words if any(graph.device.to_host(word.numbers).tolist())]
        if not words:
            return True
        if not graph.has_in_edges:
            return False
        if self._queue is None:
            self._queue = fr.PriorityFrontier(graph, graph.xp.full(graph.num_vertices, NONE, np.int32), self._width)
        fr.advanced.clear(self._spent[:1])
        most = (MOST_LONG if self._in_turn else MOST) * graph.num_arcs - CALLS[graph.device.kind]
        self._degrees = graph.degrees()
        for done, word in enumerate(words):
            for step, part in ((self._mend_distances, EARLY), (self._count_paths, EARLY), (self._sum_behind, 1)):
                self._most = int((done + part) * most)
                if not step(word):
                    return False
            fr.advanced.clear(word.numbers)
        listed, number, _ = self._altered
        altered = fr.Frontier.listed(graph, listed, number)
        for word in words:
            self._sum_again(fr.filter(altered, functors.has_little, *word.found[1:], word.state.again), word)
        if self.endpoints:
            altered |= fr.Frontier(graph, self._sources)
        fr.compute(altered, functors.clear_total, self._total, self._is_altered)
        for word in self._words:
            state = word.state
            args = state.distance, state.paths, state.sums, state.reached, state.moved
            fr.compute(altered, functors.sum_up, *args, self._total, np.bool_(self.endpoints))
        fr.advanced.clear(number)
        return True

    @property
    def _work(self) -> tuple[Any, ...]:
        """The last fields of a repair, which visits vertices until the limit is reached."""
        return self._here, self._degrees, self._spent, self._most

    def _goes_on(self) -> bool:
        """Whether the limit has not been reached."""
        spent, unknown = self.graph.device.to_host(self._spent).tolist()
        return not unknown and (spent <= self._most or fr.advanced.is_warming_up())

    def _mend_distances(self, word: Word) -> bool:
        """Repair the distances of listed vertices, and list all others that change, unless it is too much work."""
        graph, state = self.graph, word.state
        approach = functors.Approach(
            state.distance, state.paths, state.gain, state.moved, state.down, state.down_list, state.num_down,
            state.n, self._coming, *self._work,
        )  # fmt: skip
        fr.traverse(graph, word.down(graph), functors.suspect, *approach, prepare=functors.cut_off)
        moved = fr.filter(word.down(graph), functors.starts_to_look, state.moved, word.pulled)
        if moved and self._goes_on():
            args = state.distance, state.moved, word.pulled
            fr.advance(graph, moved, functors.find_nearest, *args, edges="in", output=None, direction="push")
            near = fr.filter(moved, functors.come_nearer, *args, self._coming)
            fr.traverse(graph, near, functors.relax, fr.advanced.StepCounter(0), *approach, prepare=functors.arrive)
            moved = fr.filter(word.down(graph), functors.has_any, state.moved)
            fr.advance(graph, moved, functors.list_farther, *state, edges="in", output=None, direction="push")
            fr.compute(moved, functors.start_again, self._is_altered, *self._altered[:2], *state)
            args = state.distance, state.paths, state.gain, state.moved
            fr.advance(graph, moved, functors.gain_all, *args, edges="in", output=None, direction="push")
        return self._goes_on()

    def _count_paths(self, word: Word) -> bool:
        """Pass on changes of the numbers of paths, unless it is too much work."""
        state = word.state
        descent = functors.Descent(
            state.distance, state.paths, state.gain, state.last, state.reached, word.pulled, state.down,
            state.again, state.up, state.up_list, state.num_up, state.n, *self._work,
        )  # fmt: skip
        fr.traverse(self.graph, word.down(self.graph), functors.pass_down, *descent, prepare=functors.settle_paths)
        return self._goes_on()

    def _sum_behind(self, word: Word) -> bool:
        """Pass on changes of the paths behind vertices, unless it is too much work."""
        graph, listed, queue, state = self.graph, word.up(self.graph), self._queue, word.state
        self._sum_again(fr.filter(listed, functors.has_any, state.again), word)
        fr.compute(listed, functors.start_up, state.distance, state.up, queue.priority, queue.deferred)
        ascent = functors.Ascent(
            *word.found, state.last, word.pulled, state.up, self._is_altered, *self._altered, queue.limit,
            queue.priority, queue.deferred, *self._work,
        )  # fmt: skip
        while farthest := queue.pop():
            fr.traverse(graph, farthest, functors.pass_up, *ascent, prepare=functors.settle_behind, edges="in")
            if not self._goes_on():
                return False
        return True

    def _sum_again(self, members: fr.Frontier, word: Word) -> None:
        """Sum up the paths behind some vertices again, for their sources in `again`."""
        again = word.state.again
        fr.compute(members, functors.clear_sums, word.found.sums, again)
        args = word.state.last, again, *word.found
        fr.advance(self.graph, members, functors.add_behind, *args, output=None, direction="push")
        fr.compute(members, functors.clear, again)
