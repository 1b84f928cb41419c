"""Communities by the Leiden method: as Louvain's, but only connected subsets of communities become vertices.

Vertices of a level move between communities as in Louvain's method (`_communities`). Each community is then refined:
its vertices start as singletons and merge into connected subcommunities of the same community (called parts below). The
parts become the vertices of the next level, which starts with the communities of this one. A part may leave its
community there. The last level is the one at which no vertices merge.

In refinement, singletons join parts, and no vertex leaves a part, which preserves connectivity. A sweep draws two of
three pending vertices. A drawn vertex chooses a part. If the part is a drawn vertex, which may leave, the vertex looks
again in the next sweep. A vertex without a part that raises modularity stays a singleton. Vertices join, and parts are
joined, only if they are well connected to the rest of their community: by at least the weight that is expected between
random ends.

Finally vertices move once more on all levels, from the last to the first, as in `louvain`. A vertex that leaves may
disconnect its community. Communities are therefore divided into their connected components, which raises modularity.

    degree[v]       weight of v's edges, those inside of v included twice
    sets[v]         the community of v
    whole[s]        sum of the degrees in community s
    part[v]         the part of v, named by the vertex that the rest joined
    total[p]        sum of the degrees in part p
    size[p]         number of vertices in part p
    cut[p]          weight of the edges from part p to the rest of its community
    chosen[v]       the part that v joins, v if it looks again, -1 if it stays a singleton
    gain[v]         the modularity that v gains there, times the weight of all edges
    inner[v]        the decrease of the cut of its part by joining, compared with the cut of
                    v

Deviations from the paper: vertices choose at the same time. They join the best part by default, as in GVE-Leiden, and
draw one as in the paper with `theta` above 0. Vertices move on all levels at the end, which makes up for the few sweeps
of each level.

Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing well-connected communities", Sci. Rep. 2019; Sahu,
Kothapalli and Banerjee, "GVE-Leiden: Fast Leiden Algorithm for Community Detection in Shared Memory Setting", ICPP
2024; Rotta and Noack, "Multilevel local search algorithms for modularity clustering", J. Exp. Algorithmics 2011 (moves
from the last level to the first).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import as_int64
from ._communities import (
    MAX_SWEEPS,
    CommunitiesResult,
    Level,
    by_smallest,
    first_level,
    merge,
    move,
    move_on_all,
    numbered,
    quality,
    weight_within,
)
from .connected_components import connected_sets

DRAWN = 3
"""All but one in this number of pending vertices are drawn in a sweep."""
REFINEMENT_SWEEPS = 8
"""Half of the pending vertices are left after each sweep, so few are left after these."""
TINY = 2.0**-64
"""Replaces a random number of 0, which has no logarithm."""


@fr.advanced.reads
def leiden(
    graph: fr.Graph, *, resolution: float = 1.0, max_level: int = 100, theta: float = 0.0, seed: int = 0
) -> CommunitiesResult:  # fmt: skip
    """Connected communities of high modularity.

    Parameters
    ----------
    graph : Graph
        Undirected. Weights must not be negative.
    resolution : float
        Higher values give smaller communities.
    max_level : int
        Maximum number of levels.
    theta : float
        Randomness of the refinement. A vertex joins a subcommunity that gains modularity with a probability in
        proportion to ``exp(gain / theta)``, for the gain times the weight of all edges. 0 selects the best one.
    seed : int
        Communities depend only on it and the edges, and with float weights or `theta` on rounding.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, a weight is negative or infinite, or an argument is invalid.

    See Also
    --------
    louvain : Faster, and communities may be disconnected.

    Notes
    -----
    O(V + E) work for each sweep, at most 42 of them on each level. Levels shrink fast. O(V + E) memory, for graphs of
    communities, and for a copy of graphs that are walked much slower than CSR. Each community is connected by edges
    with weights above 0. Each level of a distributed graph is distributed over the same partitions.

    Examples
    --------
    >>> from algorithms import leiden
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], device="cpu")
    >>> found = leiden(graph)
    >>> found.labels
    array([0, 0, 0, 3, 3, 3], dtype=int32)
    >>> round(found.modularity, 3)
    0.357
    """
    first, share = first_level(graph, "leiden", resolution, max_level)
    if not 0 <= fr.advanced.arguments.number(theta, "theta") < np.inf:
        raise ValueError(f"theta must be finite and not negative, got {theta}")
    theta, mixed, levels = float(theta), as_int64(seed), [first]
    joined: list[Any] = []
    labels = sets = graph.xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
    while first.has_edges:
        level, turn = levels[-1], len(joined)
        sets, whole = move(level, sets if joined else None, share, mixed, turn)
        part, total = _refine(level, sets, whole, share, theta, mixed, turn)
        part, used = numbered(level, part)
        labels, _ = numbered(level, sets)
        if used.size == level.graph.num_vertices or len(levels) == max_level:
            break
        sets = labels[used]
        levels.append(merge(level, part, total[used]))
        joined.append(part)
    if first.has_edges:
        labels = connected_sets(first.graph, move_on_all(levels, joined, labels, share, mixed))
    modularity = quality(first, labels, resolution)
    labels, count = by_smallest(graph, labels)
    return CommunitiesResult(labels, count, modularity, len(levels) if first.has_edges else 0)


def _refine(
    level: Level, sets: Any, whole: Any, share: float, theta: float, seed: np.int64, turn: int
) -> tuple[Any, Any]:  # fmt: skip
    """The parts of the communities of one level, and the sums of their degrees."""
    graph, degree = level.graph, level.degree
    xp, n, everyone = graph.xp, graph.num_vertices, fr.Frontier.all(graph)
    part = xp.arange(n, dtype=graph.vertex_dtype)
    chosen, inner = part.copy(), xp.empty(n)
    total = graph.vertex_array(np.float64, degree, combine="add")
    size = graph.vertex_array(graph.vertex_dtype, 1, combine="add")
    cut = graph.vertex_array(np.float64, fr.neighbor_reduce(graph, None, weight_within, sets), combine="add")
    parts = Parts(part, sets, degree, total, cut, whole, share, theta, seed)
    waiting, sweep = fr.filter(everyone, _is_well_connected, sets, degree, cut, whole, share), 0
    while waiting and sweep < REFINEMENT_SWEEPS:
        step = -1 - turn * MAX_SWEEPS - sweep  # no move uses these numbers
        drawn = fr.filter(waiting, is_drawn, seed, step)
        _, gain = fr.neighbor_reduce(
            graph, drawn, _part_of, *parts, reduce="mode", score=_gain, values=True, out=chosen
        )  # fmt: skip
        joining = fr.filter(drawn, _joins, chosen, gain, size, theta, seed, step)
        graph.sync(chosen, of=drawn)
        fr.neighbor_reduce(graph, joining, _weight_into, part, chosen, out=inner)
        fr.compute(joining, _join, degree, part, total, size, cut, inner, chosen)
        graph.sync(part, of=joining)
        waiting = fr.filter(waiting, _is_waiting, chosen, size)
        sweep += 1
    graph.sync(total)
    return part, total


def _is_well_connected(v, sets, degree, cut, whole, share):
    return cut[v] > 0 and cut[v] >= degree[v] * (whole[sets[v]] - degree[v]) / share


def is_drawn(v, seed, step):
    """Whether the sweep of this step draws v, if it is pending, for use in functors."""
    return fr.advanced.random_bits(seed, v, step) % DRAWN != 0


def noise(theta, seed, v, p):
    """A number added to v's gain in part p: the largest sum is then drawn with the paper's probability.

    It has a Gumbel distribution of scale theta.
    """
    if theta == 0:
        return 0.0
    return -theta * math.log(-math.log(max(fr.random(seed, v, p), TINY)))


class Parts(NamedTuple):
    """The parts of communities, by vertex, and the `sets` of vertices that are the communities."""

    part: Any
    sets: Any
    degree: Any
    total: Any
    cut: Any
    whole: Any
    share: Any
    theta: Any
    seed: Any


def _part_of(src, dst, edge, weight, *args):
    parts = Parts(*args)
    return parts.part[dst] if parts.sets[dst] == parts.sets[src] else -1


def _gain(src, value, joined, *args):
    """The gain of v by joining a part to which edges of this weight lead. No number if v may not join it."""
    if value < 0:
        return -np.inf
    parts = Parts(*args)
    total = parts.total[value]
    if parts.cut[value] < total * (parts.whole[parts.sets[src]] - total) / parts.share:
        return -np.inf
    gain = joined - parts.degree[src] * total / parts.share
    return gain + noise(parts.theta, parts.seed, src, value) if gain > 0 else -np.inf


def _joins(v, chosen, gain, size, theta, seed, step):
    """Whether v joins the part that it has chosen now."""
    p = chosen[v]
    if gain[v] <= noise(theta, seed, v, v):
        chosen[v] = -1
        return False
    if size[p] == 1 and is_drawn(p, seed, step):
        chosen[v] = v
        return False
    return True


def _weight_into(src, dst, edge, weight, part, chosen):
    """The weight of edges into the part: twice to its members, once to vertices that join it in the same step. In the
    second case both ends add the weight.
    """
    p = chosen[src]
    return weight * (2 if part[dst] == p else 1 if chosen[dst] == p else 0)


def _join(v, degree, part, total, size, cut, inner, chosen):
    p = chosen[v]
    fr.atomic_add(total, v, -degree[v])
    fr.atomic_add(total, p, degree[v])
    fr.atomic_add(size, v, -1)
    fr.atomic_add(size, p, 1)
    fr.atomic_add(cut, p, cut[v] - inner[v])
    part[v] = p


def _is_waiting(v, chosen, size):
    return chosen[v] == v and size[v] == 1
