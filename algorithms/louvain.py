"""Communities by the Louvain method: modularity is raised by moving vertices, then communities become vertices.

The modularity of communities is the fraction of the edges' weight inside of them, less what it would be if ends were
joined at random. On each level, every vertex starts as a community of its own. In each round half of the vertices,
drawn at random, look at their neighbors' communities at the same time, and move to the one that raises modularity most,
the lowest of several. (If all moved at once, two neighbors might swap their communities forever.) Once few move,
communities become the vertices of the next level, joined by the sums of their edges. The last level is one that raises
modularity no further.

    degree[v]       weight of v's edges, those inside of v included twice
    community[v]    the community of v
    total[c]        sum of the degrees in community c
    first[v]        where v's hash table starts; it has a power of two of entries, twice as many as neighbors or more
    key[...]        community of an entry; -1 if it is free
    weight[...]     weight of v's edges to that community
    best[v]         the highest of: v's gain if it is in a community, and that community; both in one number

Blondel, Guillaume, Lambiotte and Lefebvre, "Fast unfolding of communities in large networks", J. Stat. Mech. 2008;
Naim, Manne, Halappanavar and Tumeo, "Community Detection on the GPU", IPDPS 2017 (hash tables).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._priorities import as_int64, check_undirected
from .result import Result

FEW = 100
"""A level ends when fewer than one in so many of its vertices has moved in two rounds."""
MOST_ROUNDS = 40


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
        Communities depend on it and the edges alone; with float weights on a GPU also on rounding.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, a weight is negative or infinite, or an argument is invalid.

    Notes
    -----
    O(V + E) work for each round, at most 40 of them on each level; levels shrink fast. O(V + E) memory.

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
    labels, members, held, loops = xp.arange(n), existing, graph, xp.zeros(n)
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
    width = 2 << xp.ceil(xp.log2(xp.maximum(graph.degrees(), 1))).astype(np.int64)
    first = xp.zeros(n + 1, np.int64)
    xp.cumsum(width, out=first[1:])
    key, weight = xp.empty(int(first[-1]), graph.vertex_dtype), xp.empty(int(first[-1]))
    community, total, best = xp.arange(n, dtype=graph.vertex_dtype), degree.copy(), xp.zeros(n, np.int64)
    label_bits = n.bit_length()
    unit = float(1 << 61 - label_bits)  # of gains, which are from -1 to 1 times a vertex's degree
    moved = [n]
    while sum(moved[-2:]) * FEW > n and len(moved) < MOST_ROUNDS:
        key.fill(-1)
        weight.fill(0)
        best.fill(0)
        drawn = fr.filter(members, _is_drawn, degree, seed, len(moved))
        fr.advance(
            graph, drawn, _gather, degree, community, total, first, key, weight, best, double, unit, label_bits
        )  # fmt: skip
        changed = fr.filter(drawn, _moves, degree, community, total, best, double, unit, label_bits)
        fr.compute(changed, _settle, degree, community, total, best, label_bits)
        moved.append(len(changed))
    return community


def _merge(graph: fr.Graph, community: Any, count: int, loops: Any, degree: Any) -> tuple[fr.Graph, Any, Any]:
    """The graph of the next level: communities, the weight inside of each, counted twice, and their degrees."""
    xp = graph.xp
    src, dst, weights = graph.to_coo()
    src, dst = community[src], community[dst]
    weights = xp.ones(src.size) if weights is None else weights.astype(np.float64)
    within = src == dst
    inside = xp.bincount(community, loops, count) + 2 * xp.bincount(src[within], weights[within], count)
    low, high, weights = xp.minimum(src, dst)[~within], xp.maximum(src, dst)[~within], weights[~within]
    keys, which = xp.unique(low.astype(np.int64) * count + high, return_inverse=True)
    merged = fr.snapshot_structure().from_edges(
        keys // count, keys % count, xp.bincount(which.ravel(), weights, keys.size), num_vertices=count,
        device=graph.device,
    )  # fmt: skip
    return merged, inside, xp.bincount(community, degree, count)


def _weight(src, dst, edge, weight):
    return weight


def _is_drawn(v, degree, seed, step):
    return degree[v] > 0 and fr.random_bits(seed, v, step) & 1 == 1


def _gather(src, dst, edge, weight, degree, community, total, first, key, sums, best, double, unit, label_bits):
    found = community[dst]
    low = first[src]
    mask = first[src + 1] - low - 1
    # Ids of neighbors are alike in their low bits, so that those of a product are taken from its middle.
    place = int(np.uint64(found) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) & mask
    entry = key[low + place]
    while entry != found:
        if entry < 0:
            entry = fr.atomic_cas(key, low + place, -1, found)
            if entry < 0:
                break
        else:
            place = place + 1 & mask
            entry = key[low + place]
    own = degree[src]
    joined = fr.atomic_add(sums, low + place, float(weight)) + weight
    others = total[found] - own if found == community[src] else total[found]
    gain = joined / own - others / double
    score = int((gain + 1) * unit) << label_bits | (1 << label_bits) - 1 - found
    if score > best[src]:
        fr.atomic_max(best, src, score)
    return False


def _moves(v, degree, community, total, best, double, unit, label_bits):
    """Whether v moves: to another community, and better than to one of its own."""
    chosen = (1 << label_bits) - 1 - (best[v] & (1 << label_bits) - 1)
    return best[v] != 0 and chosen != community[v] and best[v] >> label_bits > int(unit)


def _settle(v, degree, community, total, best, label_bits):
    chosen = (1 << label_bits) - 1 - (best[v] & (1 << label_bits) - 1)
    fr.atomic_add(total, community[v], -degree[v])
    fr.atomic_add(total, chosen, degree[v])
    community[v] = chosen


def _find_smallest(v, labels, smallest):
    fr.atomic_min(smallest, labels[v], v)
