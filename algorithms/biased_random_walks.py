"""Random walks whose steps depend on weights, and on the step before: biased walks and node2vec.

A walk is one call of a functor, which goes along the lists of a sorted static copy. A step in proportion to the weights
is a binary search in the running sums of a list's weights.

node2vec multiplies the weights by a bias: 1/p for the way back, 1 for neighbors of the vertex before, 1/q for all other
vertices. Steps are drawn by rejection, so a walk costs no pass over lists: a draw by weights is accepted with the
probability bias / bound. The bound is the largest bias of edges that do not lead back. If 1/p is above it, the excess
of the way back is a separate area that is drawn directly. So a small p rejects no more draws than a large one. After
`MAX_REJECTED` draws the step is chosen exactly, by passes over the list.

    sums[e]        the weights of a vertex's arcs up to and including arc e
    paths[i, j]    vertex of walk i after j steps, -1 once the walk has ended

Grover and Leskovec, "node2vec: Scalable Feature Learning for Networks", KDD 2016; Yang, Zhang, Chen, Zheng and Yang,
"KnightKing: A Fast Distributed Graph Random Walk Engine", SOSP 2019.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import as_int64, check_weights, places, walk_starts
from ._events import first_from
from ._functors import weight_of
from .random_walks import RandomWalksResult

BLOCK = 256
"""Arcs whose weights one call of a functor adds up."""
MAX_REJECTED = 64
"""Rejected draws after which a step is chosen exactly."""


@fr.advanced.reads
def biased_random_walks(graph: fr.Graph, starts: Any = None, length: int = 10, *, seed: int = 0) -> RandomWalksResult:
    """Random walks whose steps are drawn in proportion to the weights of edges.

    Parameters
    ----------
    graph : Graph
        In a directed graph edges are followed forward. Edges of weight 0 are never followed. Without weights, all edges
        of a vertex are equally likely.
    starts, length, seed
        As in `random_walks`.

    Raises
    ------
    TypeError, ValueError
        `starts` contains other things than vertices of the graph, or another argument is invalid. A weight is negative,
        or the sum of a vertex's weights is not finite.

    See Also
    --------
    random_walks : Steps with equal probabilities.

    Notes
    -----
    O(length log(degree)) work per walk, and O(V + E) work and memory for a static copy and its running sums.

    Examples
    --------
    >>> from algorithms import biased_random_walks
    >>> from structures import CSR
    >>> graph = CSR.from_edges(
    ...     [0, 0, 1], [1, 2, 2], [0.5, 0.0, 2.0], directed=True, device="cpu"
    ... )
    >>> biased_random_walks(graph, [0, 1], length=2).paths
    array([[ 0,  1,  2],
           [ 1,  2, -1]], dtype=int32)
    """
    return _walks(graph, starts, length, seed, _walk_by_weight, "biased_random_walks")


@fr.advanced.reads
def node2vec_random_walks(
    graph: fr.Graph, starts: Any = None, length: int = 10, p: float = 1.0, q: float = 1.0, *, seed: int = 0
) -> RandomWalksResult:
    """Random walks of second order, as node2vec draws them.

    Parameters
    ----------
    graph : Graph
        As for `biased_random_walks`.
    starts, length, seed
        As in `random_walks`.
    p : float
        Return parameter, above 0: the weight of the edge back to the vertex before is divided by it.
    q : float
        In-out parameter, above 0: the weights of edges to vertices to which no edge leads from the vertex before are
        divided by it.

    Raises
    ------
    TypeError, ValueError
        As for `biased_random_walks`, or `p` or `q` is not finite or not above 0.

    See Also
    --------
    biased_random_walks : Steps weighted by edges alone.
    random_walks : Uniform steps.

    Notes
    -----
    The first step is drawn as in `biased_random_walks`. A further step is expected to need at most max(1, 1/q) / min(1,
    1/p, 1/q) draws, each O(log(degree)) work. A step that rejects 64 draws costs O(degree log(degree)) work. O(V + E)
    work and memory before.

    Examples
    --------
    >>> from algorithms import node2vec_random_walks
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 1, 2], [1, 2, 3], device="cpu")
    >>> node2vec_random_walks(graph, [0, 3], length=3, p=1e6).paths
    array([[0, 1, 2, 3],
           [3, 2, 1, 0]], dtype=int32)
    """
    back, away = (_inverse(value, name) for value, name in ((p, "p"), (q, "q")))
    return _walks(graph, starts, length, seed, _walk_in_second_order, "node2vec_random_walks", back, away)


def _inverse(value: Any, name: str) -> float:
    value = fr.advanced.arguments.number(value, name)
    if not (0 < value < math.inf and 0 < 1 / value < math.inf):
        raise ValueError(f"{name} must be finite and above 0, not {value}")
    return 1 / value


def _walks(
    graph: fr.Graph, starts: Any, length: Any, seed: Any, walk: Any, name: str, *biases: float
) -> RandomWalksResult:  # fmt: skip
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.check_one_device(graph, name)
    length, seed = fr.advanced.arguments.integer(length, "length", 0), as_int64(seed)
    xp, ends = graph.xp, walk_starts(graph, starts)
    if graph.is_weighted:
        check_weights(graph, name)
        totals = fr.neighbor_reduce(graph, None, weight_of, dtype=np.float64)
        if totals.size and not float(totals.max()) * (1 + sum(biases)) < math.inf:
            raise ValueError(f"{name} needs weights whose sums are finite")
    copy = graph.to_csr()
    sums = _running_sums(copy)
    paths, steps = xp.full((ends.size, length + 1), -1, ends.dtype), xp.zeros(ends.size, np.int32)
    walks = Walks(copy.offsets, copy.indices, sums, paths.reshape(-1), steps, ends, length, seed)
    fr.compute(places(graph, int(ends.size)), walk, *biases, *walks)
    return RandomWalksResult(paths, steps, ends)


def _running_sums(copy: Any) -> Any:
    """`sums`: within blocks of arcs first, then over the blocks of each vertex, then both together."""
    xp, arcs = copy.xp, int(copy.indices.size)
    weights = xp.ones(arcs) if copy.weights is None else copy.weights.astype(np.float64)
    sums, src = weights.copy(), fr.EdgeFrontier.all(copy).src
    blocks = places(copy, -(-arcs // BLOCK))
    fr.compute(blocks, _sum_in_block, src, sums, arcs)
    fr.compute(places(copy, copy.num_vertices), _sum_over_blocks, copy.offsets, sums)
    fr.compute(blocks, _sum_beyond_block, src, copy.offsets, sums, arcs)
    return sums


def _sum_in_block(block, src, sums, arcs):
    begin = block * BLOCK
    for at in range(begin + 1, min(begin + BLOCK, arcs)):
        if src[at] == src[at - 1]:
            sums[at] += sums[at - 1]


def _sum_over_blocks(v, offsets, sums):
    at = (offsets[v] // BLOCK + 2) * BLOCK - 1
    while at < offsets[v + 1]:
        sums[at] += sums[at - BLOCK]
        at += BLOCK


def _sum_beyond_block(block, src, offsets, sums, arcs):
    begin = block * BLOCK
    for at in range(begin, min(begin + BLOCK - 1, arcs)):
        if offsets[src[at]] < begin:
            sums[at] += sums[begin - 1]


def _draw(sums, low, high, value):
    """The first position of a list whose running sum is above a value below the last."""
    while low < high - 1:
        middle = (low + high - 1) >> 1
        if sums[middle] > value:
            high = middle + 1
        else:
            low = middle + 1
    return low


class Walks(NamedTuple):
    """The graph, as offsets, destinations, and running sums of weights, and the walks."""

    offsets: Any
    indices: Any
    sums: Any
    paths: Any
    steps: Any
    ends: Any
    length: Any
    seed: Any


def _find(walks, u, v):
    """The arc from u to v, -1 if it does not exist."""
    indices = walks.indices
    end = walks.offsets[u + 1]
    arc = first_from(indices, walks.offsets[u], end, v, False)
    return arc if arc < end and indices[arc] == v else -1


def _leads_on(walks, at):
    """Whether an edge of a weight above 0 leaves a vertex, -1 for none."""
    offsets = walks.offsets
    return at >= 0 and offsets[at + 1] > offsets[at] and walks.sums[offsets[at + 1] - 1] > 0


def _choose(walks, before, at, back, away, value):
    """The arc of a step of second order for a number below 1: one pass adds up weights times biases, one chooses."""
    indices = walks.indices
    sums = walks.sums
    low = walks.offsets[at]
    high = walks.offsets[at + 1]
    total = 0.0
    chosen = low
    for turn in range(2):
        until = value * total
        total = 0.0
        for i in range(low, high):
            weight = sums[i] - sums[i - 1] if i > low else sums[i]
            if indices[i] == before:
                weight *= back
            elif _find(walks, before, indices[i]) < 0:
                weight *= away
            if turn == 1 and total <= until and weight > 0:
                chosen = i
            total += weight
    return chosen


def _walk_by_weight(walk, *args):
    walks = Walks(*args)
    offsets = walks.offsets
    at = walks.ends[walk]
    place = walk * (walks.length + 1)
    walks.paths[place] = at
    step = 0
    while step < walks.length and _leads_on(walks, at):
        value = fr.random(walks.seed, walk, step) * walks.sums[offsets[at + 1] - 1]
        at = walks.indices[_draw(walks.sums, offsets[at], offsets[at + 1], value)]
        step += 1
        walks.paths[place + step] = at
    walks.steps[walk] = step
    walks.ends[walk] = at


def _walk_in_second_order(walk, back, away, *args):
    walks = Walks(*args)
    indices = walks.indices
    sums = walks.sums
    seed = walks.seed
    bound = max(1.0, away)
    sure = min(1.0, back, away)
    at = walks.ends[walk]
    before = at
    place = walk * (walks.length + 1)
    walks.paths[place] = at
    step = 0
    draws = 0
    last = 0  # draw of this step by rejection
    while step < walks.length and _leads_on(walks, at):
        low = walks.offsets[at]
        high = walks.offsets[at + 1]
        total = bound * sums[high - 1]
        rest = 0.0  # of the area of the way back, above the bound
        if step > 0 and back > bound:
            home = _find(walks, at, before)
            if home >= 0:
                rest = (back - bound) * (sums[home] - sums[home - 1] if home > low else sums[home])
        chosen = before
        searching = True
        last = draws + 2 * MAX_REJECTED
        while searching and draws < last:
            value = fr.random(seed, walk, draws) * (total + rest)
            if value < total:
                chosen = indices[_draw(sums, low, high, value / bound)]
                height = fr.random(seed, walk, draws + 1) * bound
                if step == 0 or high - low == 1 or height < sure:
                    searching = False
                elif chosen == before:
                    searching = not height < back
                elif away != 1.0 and _find(walks, before, chosen) < 0:
                    searching = not height < away
                else:
                    searching = not height < 1.0
            else:
                chosen = before
                searching = False
            draws += 2
        if searching:
            value = fr.random(seed, walk, draws)
            draws += 2
            chosen = indices[_choose(walks, before, at, back, away, value)]
        before = at
        at = chosen
        step += 1
        walks.paths[place + step] = at
    walks.steps[walk] = step
    walks.ends[walk] = at
