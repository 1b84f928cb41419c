"""Communities by the Louvain method: modularity is raised by moving vertices, then communities become vertices.

The modularity of communities is the fraction of the edges' weight inside of them, less what it would be if ends were
joined at random. On each level, every vertex starts as a community of its own. In each round half of the vertices,
drawn at random, look at their neighbors' communities at the same time, and move to the one that raises modularity most,
the lowest of several. (If all moved at once, two neighbors might swap their communities forever.) A vertex is looked at
again once a neighbor has joined another community than its own. Once few move, communities become the vertices of the
next level, joined by the sums of their edges. The last level is one that raises modularity no further.

    degree[v]       weight of v's edges, those inside of v included twice
    community[v]    the community of v
    total[c]        sum of the degrees in community c
    chosen[v]       the community in which v raises modularity most
    gain[v]         by how much more than in a community of its own, times the weight of all edges over degree[v]
    pending[v]      1 if v is to be looked at

Blondel, Guillaume, Lambiotte and Lefebvre, "Fast unfolding of communities in large networks", J. Stat. Mech. 2008;
Traag, Waltman and van Eck, "From Louvain to Leiden", Sci. Rep. 2019 (only vertices whose neighbors have moved).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._priorities import as_int64, check_undirected
from .result import Result

FEW = 50
"""A level ends when fewer than one in so many of its vertices has moved in two rounds."""
MOST_ROUNDS = 40
PASSES = 6
"""About how many times as many arcs as there are will be looked at on the first level."""


@dataclass(frozen=True, repr=False)
class LouvainCommunities(Result):
    """Result of `louvain`.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The smallest vertex of each vertex's community, on the graph's device; -1 for deleted vertices.
    count : int
        Number of communities.
    modularity : float
    levels : int
    """

    labels: Any
    count: int
    modularity: float
    levels: int


@fr.reads
def louvain(
    graph: fr.Graph, *, resolution: float = 1.0, max_level: int = 100, threshold: float = 1e-7, seed: int = 0
) -> LouvainCommunities:  # fmt: skip
    """Communities of high modularity.

    Parameters
    ----------
    graph : Graph
        Undirected. Weights must not be negative.
    resolution : float
        Higher values give smaller communities.
    max_level : int
        Maximum number of levels.
    threshold : float
        Stop once a level raises modularity by no more than this.
    seed : int
        Communities depend on it and the edges alone; with float weights also on rounding.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, a weight is negative or infinite, or an argument is invalid.

    Notes
    -----
    O(V + E) work for each round, at most 40 of them on each level; levels shrink fast. O(V + E) memory, for graphs of
    communities, and for a copy of graphs that are walked much slower than CSR.

    Examples
    --------
    >>> from algorithms import louvain
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], device="cpu")
    >>> found = louvain(graph)
    >>> found.labels
    array([0, 0, 0, 3, 3, 3], dtype=int32)
    >>> round(found.modularity, 3)
    0.357
    """
    check_undirected(graph, "louvain")
    fr.arguments.check_one_device(graph, "louvain")
    for name, value in (("resolution", resolution), ("threshold", threshold)):
        if not 0 <= fr.arguments.number(value, name) < np.inf:
            raise ValueError(f"{name} must be finite and not negative, got {value}")
    fr.arguments.integer(max_level, "max_level", 1)
    seed = as_int64(seed)
    xp, n = graph.xp, graph.num_vertices
    existing = fr.Frontier.all(graph)
    if graph.is_weighted and n and not float(fr.neighbor_reduce(graph, None, _weight, reduce="min").min()) >= 0:
        raise ValueError("louvain needs weights that are not negative")
    degree = fr.neighbor_reduce(graph, None, _weight)
    double = float(degree.sum())
    if not double < np.inf:
        raise ValueError("louvain needs weights that are finite")
    held = fr.snapshot_for_passes(graph, PASSES)
    labels, members, loops = xp.arange(n), fr.Frontier.all(held), xp.zeros(n)
    modularity, levels = _modularity(loops, degree, double, resolution), 0
    while double and levels < max_level:
        community = _move(held, members, degree, double / resolution if resolution else np.inf, seed + levels)
        names, community = xp.unique(community, return_inverse=True)
        merged, inside, degree = _merge(held, community.ravel(), names.size, loops, degree)
        found = _modularity(inside, degree, double, resolution)
        if not found > modularity + threshold:
            break
        labels = community.ravel()[labels]
        modularity, levels, held, loops, members = found, levels + 1, merged, inside, fr.Frontier.all(merged)
    smallest = xp.full(n, n, graph.vertex_dtype)
    fr.compute(existing, _find_smallest, labels, smallest)
    labels = smallest[labels]
    if graph.absent_mask is not None:
        labels[graph.absent_mask] = -1
    return LouvainCommunities(labels, int((labels == xp.arange(n)).sum()), modularity, levels)


def _modularity(inside: Any, degree: Any, double: float, resolution: float) -> float:
    """Of communities that have this weight inside, counted twice, and these degrees; `double` is that of all edges."""
    if not double:
        return 0.0
    return float(inside.sum()) / double - resolution * float(((degree / double) ** 2).sum())


def _move(graph: fr.Graph, members: fr.Frontier, degree: Any, double: float, seed: int) -> Any:
    """The communities of one level."""
    xp, n = graph.xp, graph.num_vertices
    community, total = xp.arange(n, dtype=graph.vertex_dtype), degree.copy()
    chosen, pending = community.copy(), xp.zeros(n, np.int32)
    candidates = fr.filter(members, _begin, degree, pending)
    moved = [n]
    while sum(moved[-2:]) * FEW > n and len(moved) < MOST_ROUNDS:
        drawn = fr.filter(candidates, _is_drawn, pending, seed, len(moved))
        _, gain = fr.neighbor_reduce(
            graph, drawn, _community_of, community, degree, total, double, reduce="mode", score=_gain, values=True,
            out=chosen,
        )  # fmt: skip
        changed = fr.filter(drawn, _moves, community, chosen, gain)
        fr.compute(changed, _join, degree, community, total, chosen)
        fr.advance(graph, changed, _call, community, pending)
        moved.append(len(changed))
    return community


def _merge(graph: fr.Graph, community: Any, count: int, loops: Any, degree: Any) -> tuple[fr.Graph, Any, Any]:
    """The graph of the next level: communities, the weight inside of each, counted twice, and their degrees."""
    xp = graph.xp
    src, dst, weights = graph.to_coo()
    src, dst = community[src], community[dst]
    apart = xp.flatnonzero(src != dst)
    low, high = xp.minimum(src[apart], dst[apart]), xp.maximum(src[apart], dst[apart])
    keys, joined = fr.keys.sums(
        graph, fr.keys.pack(graph, low, high), None if weights is None else weights[apart].astype(np.float64)
    )  # fmt: skip
    merged = fr.snapshot_structure().from_edges(
        *fr.keys.unpack(graph, keys), joined, num_vertices=count, device=graph.device
    )  # fmt: skip
    within = xp.flatnonzero(src == dst)
    inside = xp.bincount(src[within], None if weights is None else weights[within].astype(np.float64), count)
    return merged, xp.bincount(community, loops, count) + 2 * inside, xp.bincount(community, degree, count)


def _weight(src, dst, edge, weight):
    return weight


def _begin(v, degree, pending):
    pending[v] = degree[v] > 0
    return degree[v] > 0


def _is_drawn(v, pending, seed, step):
    if pending[v] == 0 or fr.random_bits(seed, v, step) & 1 == 0:
        return False
    pending[v] = 0
    return True


def _community_of(src, dst, edge, weight, community, degree, total, double):
    return community[dst]


def _gain(src, value, joined, community, degree, total, double):
    """What v gains in a community that edges of this weight join it to."""
    own = degree[src]
    others = total[value] - own if value == community[src] else total[value]
    return joined / own - others / double


def _moves(v, community, chosen, gain):
    return gain[v] > 0 and chosen[v] != community[v]


def _join(v, degree, community, total, chosen):
    fr.atomic_add(total, community[v], -degree[v])
    fr.atomic_add(total, chosen[v], degree[v])
    community[v] = chosen[v]


def _call(src, dst, edge, weight, community, pending):
    if community[dst] != community[src]:
        pending[dst] = 1
    return False


def _find_smallest(v, labels, smallest):
    fr.atomic_min(smallest, labels[v], v)
