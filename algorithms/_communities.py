"""Communities of high modularity: levels of a graph, moves of their vertices, and merges into the next level.

`louvain`, `leiden` and `DynamicLouvain` are made of them. A level is a graph whose vertices are sets of vertices of the
level below.

    degree[v]       weight of v's edges, those inside of v included twice
    community[v]    the community of v
    total[c]        sum of the degrees in community c
    size[c]         number of vertices in community c
    chosen[v]       the community in which v raises modularity most
    gain[v]         by how much more than in a singleton community, times the weight of all
                    edges over degree[v]
    pending[v]      1 if v must be visited
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ._arguments import check_undirected, check_weights
from ._edge_sums import graph_of_sums, own_edges
from ._functors import weight_of
from ._labels import existing_sets, smallest_vertices
from .result import Result

COARSENING_SWEEPS = 4
"""A large level ends after at most this number of sweeps. Coarsening too far at once costs modularity."""
MAX_SWEEPS = 30
FEW = 20
"""A level ends when a sweep visited fewer than one in this number of its vertices."""
PASSES = 6
"""Expected arc visits on the first level, as a multiple of the number of arcs."""
SMALL = 100
"""Smaller levels end when no vertex is pending, as each vertex matters in them."""
GROUPS, GROUPS_IF_SMALL = 2, 4
"""Groups of a sweep. In small levels few vertices are not neighbors, so fewer move at the same time."""
ALIKE = 1.5
"""On the way down, a level is left as it is if the next one has at most this many times as many vertices."""


@dataclass(frozen=True, repr=False)
class CommunitiesResult(Result):
    """Result of `louvain`, `leiden` and `ecg`.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The smallest vertex of each vertex's community, on the graph's device, -1 for deleted vertices.
    count : int
        Number of communities.
    modularity : float
        With the weights of the graph.
    levels : int
        Number of levels on which vertices were merged. `ecg` counts the levels of its last run.

    See Also
    --------
    ecg : Computes it.
    leiden : Computes it.
    louvain : Computes it.
    """

    labels: Any
    count: int
    modularity: float
    levels: int


class Level(NamedTuple):
    """A graph whose vertices are communities of the graph below.

    Attributes
    ----------
    degree, loops : array of float64, shape (num_vertices,)
        Weight of the edges of each vertex, and of the edges inside it. `degree` includes the latter, counted twice.
    """

    graph: fr.Graph
    degree: Any
    loops: Any

    @property
    def has_edges(self) -> bool:
        """Whether any edge has a weight above 0."""
        return float(self.degree.sum()) > 0

    def modularity(self, resolution: float) -> float:
        """Return the modularity of its vertices as communities."""
        double = float(self.degree.sum())
        if not double:
            return 0.0
        return float(self.loops.sum()) / double - resolution * float(((self.degree / double) ** 2).sum())


def first_level(graph: fr.Graph, name: str, resolution: float, max_level: int) -> tuple[Level, float]:
    """The level of the graph itself, for the algorithm of this name, and the argument `share` of `move`.

    Raises
    ------
    TypeError, ValueError
        The graph is directed, a weight is negative or infinite, or an argument is invalid.
    """
    check_undirected(graph, name)
    if not 0 <= fr.advanced.arguments.number(resolution, "resolution") < np.inf:
        raise ValueError(f"resolution must be finite and not negative, got {resolution}")
    fr.advanced.arguments.integer(max_level, "max_level", 1)
    if graph.is_weighted:
        check_weights(graph, name)
    degree = fr.neighbor_reduce(graph, None, weight_of)
    double = float(degree.sum())
    if not double < np.inf:
        raise ValueError(f"{name} needs weights that are finite")
    held = fr.advanced.copy_for_passes(graph, PASSES)
    return Level(held, degree, graph.xp.zeros(graph.num_vertices)), share_of(double, resolution)


def share_of(double: float, resolution: float) -> float:
    """The argument `share` of `move`, from the weight of all edges, counted twice."""
    return double / resolution if resolution else np.inf


def move(
    level: Level, start: Any, share: float, seed: np.int64, turn: int, sweeps: int = COARSENING_SWEEPS,
    pending: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """The communities of one level, and the sums of their degrees.

    Vertices start in singleton communities, unless `start` specifies communities. `share` is the weight of all edges,
    counted twice, over the resolution. `turn` is the number of such calls before. With `pending`, only its vertices are
    visited at first, and vertices move until none is pending. It is updated.
    """
    graph, degree = level.graph, level.degree
    xp, n, everyone = graph.xp, graph.num_vertices, fr.Frontier.all(graph)
    few, groups = n // FEW, GROUPS
    if n < SMALL:
        few, groups, sweeps = 0, GROUPS_IF_SMALL, MAX_SWEEPS
    few = few if pending is None else 0
    community = xp.arange(n, dtype=graph.vertex_dtype)
    chosen = xp.empty_like(community)
    total = graph.vertex_array(np.float64, degree, combine="add")
    size = graph.vertex_array(graph.vertex_dtype, 1, combine="add")
    if start is not None:
        fr.compute(everyone, _join, degree, community, total, size, chosen, start)
        community = start.copy()
    if pending is None:
        apart = fr.neighbor_reduce(graph, None, _is_apart, community, reduce="any")
        pending = graph.vertex_array(np.int32, apart, combine="add")
    looked, sweep = n, 0
    while looked > few and sweep < sweeps:
        looked = 0
        for group in range(groups):
            drawn = fr.filter(everyone, _is_drawn, pending, seed, turn * MAX_SWEEPS + sweep, group, groups)
            if not drawn:
                continue
            looked += len(drawn)
            _, gain = fr.neighbor_reduce(
                graph, drawn, _community_of, community, degree, total, share, reduce="mode", score=_gain, values=True,
                out=chosen,
            )  # fmt: skip
            changed = fr.filter(drawn, _moves, community, chosen, gain, size)
            fr.compute(changed, _join, degree, community, total, size, pending, chosen)
            graph.sync(community, of=changed)
            fr.advance(graph, changed, _call, community, pending, output=None)
        sweep += 1
    graph.sync(total)
    return community, total


def climb(
    first: Level, share: float, resolution: float, max_level: int, threshold: float, seed: np.int64, start: Any = None
) -> tuple[Any, int]:  # fmt: skip
    """Communities of the first level by the Louvain method, and the number of levels on which vertices were merged.

    `move` finds the communities of the first level, and the sums of their degrees, unless `start` specifies both.
    `share` is an argument of `move`. `louvain` has the remaining arguments.
    """
    levels, joined = [first], []
    modularity = first.modularity(resolution)
    while first.has_edges and len(joined) < max_level:
        level, turn = levels[-1], len(joined)
        community, total = move(level, None, share, seed, turn) if start is None or joined else start
        community, used = numbered(level, community)
        merged = merge(level, community, total[used])
        found = merged.modularity(resolution)
        if not first.graph.max_over_parts(found > modularity + threshold):  # partitions may round differently
            break
        modularity = found
        levels.append(merged)
        joined.append(community)
    labels = first.graph.xp.arange(levels[-1].graph.num_vertices, dtype=first.graph.vertex_dtype)
    return (move_on_all(levels, joined, labels, share, seed) if joined else labels), len(joined)


def move_on_all(levels: list[Level], joined: list[Any], labels: Any, share: float, seed: np.int64) -> Any:
    """Communities of the first level, computed from the communities of the last by moving the vertices of each level.

    `joined` has, for each level but the last, the vertex of the next level that each vertex became.
    """
    sizes = [level.graph.num_vertices for level in levels]
    for i in reversed(range(len(joined))):
        labels = labels[joined[i]]
        alike = i > 0 and sizes[i - 1] <= ALIKE * sizes[i]
        if not alike and (i + 1 < len(joined) or sizes[i] >= SMALL):  # small ones have converged
            labels, _ = move(levels[i], labels, share, seed, len(joined) + i, MAX_SWEEPS)
    return labels


def numbered(level: Level, community: Any) -> tuple[Any, Any]:
    """Communities by consecutive numbers, in the same order, and the numbers that they had."""
    xp = level.graph.xp
    is_used = xp.zeros(level.graph.num_vertices, bool)
    is_used[community] = True
    used = xp.flatnonzero(is_used)
    number = xp.empty_like(community)
    number[used] = xp.arange(used.size, dtype=community.dtype)
    return number[community], used


def merge(level: Level, community: Any, degree: Any) -> Level:
    """The next level, whose vertices are the communities of this one, with these sums of degrees."""
    src, dst, weights = own_edges(level.graph)
    src, dst = community[src], community[dst]
    apart = level.graph.xp.flatnonzero(src != dst)
    merged = graph_of_sums(
        level.graph, degree.size, src[apart], dst[apart], None if weights is None else weights[apart].astype(np.float64)
    )  # fmt: skip
    return Level(merged, degree, degree - fr.neighbor_reduce(merged, None, weight_of))


def quality(first: Level, labels: Any, resolution: float) -> float:
    """The modularity of communities of the first level."""
    inside = fr.neighbor_reduce(first.graph, None, weight_within, labels)
    return Level(first.graph, totals(first, labels), inside).modularity(resolution)


def totals(level: Level, labels: Any) -> Any:
    """The sum of the degrees in each community."""
    total = level.graph.vertex_array(np.float64, combine="add")
    fr.compute(fr.Frontier.all(level.graph), _add_degree, labels, level.degree, total)
    level.graph.sync(total)
    return total


def by_smallest(graph: fr.Graph, labels: Any) -> tuple[Any, int]:
    """Communities by their smallest vertices, -1 for deleted vertices, and their number."""
    return existing_sets(graph, smallest_vertices(graph, labels))


def weight_within(src, dst, edge, weight, labels):
    """The weight of an edge inside of a community. A functor."""
    return weight if labels[src] == labels[dst] else 0.0


def _is_apart(src, dst, edge, weight, community):
    return weight > 0 and community[src] != community[dst]


def _is_drawn(v, pending, seed, sweep, group, groups):
    if pending[v] == 0 or fr.advanced.random_bits(seed, v, sweep) % groups != group:
        return False
    pending[v] = 0
    return True


def _community_of(src, dst, edge, weight, community, degree, total, double):
    return community[dst]


def _gain(src, value, joined, community, degree, total, double):
    """The gain of v in a community that edges of this weight join it to."""
    own = degree[src]
    others = total[value] - own if value == community[src] else total[value]
    return joined / own - others / double


def _moves(v, community, chosen, gain, size):
    if gain[v] < 0 and size[v] == 0:
        chosen[v] = v
        return True
    return gain[v] > 0 and chosen[v] != community[v]


def _join(v, degree, community, total, size, pending, chosen):
    fr.atomic_add(total, community[v], -degree[v])
    fr.atomic_add(total, chosen[v], degree[v])
    fr.atomic_add(size, community[v], -1)
    fr.atomic_add(size, chosen[v], 1)
    community[v] = chosen[v]
    pending[v] = 1


def _call(src, dst, edge, weight, community, pending):
    if weight > 0 and community[dst] != community[src]:
        pending[dst] = 1
    return False


def _add_degree(v, labels, degree, total):
    fr.atomic_add(total, labels[v], degree[v])
