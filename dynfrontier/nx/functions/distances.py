"""Eccentricities, and sums of the distances of all pairs.

In undirected graphs with integer lengths few searches decide most eccentricities. The eccentricities of v and w differ
by at most the distance between them, so a search from v bounds the eccentricities of all nodes. Each round searches
from undecided nodes with the highest upper and the lowest lower bounds. In other graphs every node is searched from.

    lower[w], upper[w]    bounds of the eccentricity of the node at position w, equal once it is known

Takes and Kosters, "Determining the Diameter of Small World Networks", CIKM 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np

import algorithms

from ..holders import Unsupported, mirror_of, source_of
from ..mirror import Mirror
from .table import function
from .trees import AT_ONCE, check_all_weights, searches, unreached_of


def _distances(mirror: Mirror, places: np.ndarray, weight: Any) -> Iterator[Any]:
    """Distances on the device from the nodes at these positions to all nodes, 64 rows at a time, if all are reached."""
    order = None if mirror.order is None else mirror.graph.xp.asarray(mirror.order)
    roots = places if mirror.order is None else mirror.order[places]
    for distance, _ in searches(mirror, roots.tolist(), weight):
        found = distance if order is None else distance[:, order]
        if found.size and found.max() == unreached_of(found):
            kind = "digraph is not strongly connected" if mirror.directed else "graph is not connected"
            raise nx.NetworkXError(f"Found infinite path length because the {kind}")
        yield found


def _eccentricities(graph: Any, weight: Any, undecided: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """Eccentricities by position: exact where `undecided`, of both bounds, ends as False, else lower bounds."""
    mirror = mirror_of(graph, weight)
    check_all_weights(mirror, weight)
    if not len(mirror):
        raise Unsupported("eccentricities of a graph without nodes are not supported")
    to_host, degrees = mirror.graph.device.to_host, mirror.values(mirror.graph.degrees()).astype(np.int64)
    by_floats = weight is not None and mirror.graph.weight_dtype == np.float64
    lower = np.zeros(len(mirror), np.float64 if by_floats else np.int64)
    upper = np.full_like(lower, unreached_of(lower))
    while (left := np.flatnonzero(undecided(lower, upper))).size:
        if mirror.directed or by_floats:
            chosen = left[:AT_ONCE]
        else:
            left = np.flatnonzero(lower < upper)  # both ends tighten the bounds of all
            ends = (np.lexsort((-degrees[left], bound)) for bound in (-upper[left], lower[left]))
            chosen = left[np.unique(np.concatenate([end[: AT_ONCE // 2] for end in ends]))]
        distance = next(_distances(mirror, chosen, weight))
        highest = distance.max(axis=1)
        if not (mirror.directed or by_floats):
            rest = highest[:, None] - distance
            np.maximum(lower, to_host(mirror.graph.xp.maximum(distance, rest).max(axis=0)), out=lower)
            np.minimum(upper, to_host((highest[:, None] + distance).min(axis=0)), out=upper)
        lower[chosen] = upper[chosen] = to_host(highest)
    return lower


@function(least_nodes=500, parallel=True)
def eccentricity(G: Any, v: Any, weight: Any) -> Any:
    if v is None:
        found = _eccentricities(G, weight, lambda lower, upper: lower < upper).tolist()
        return dict(zip(mirror_of(G, weight).names, found, strict=True))
    mirror, source = mirror_of(G, weight), source_of(G)
    check_all_weights(mirror, weight)
    nodes = list(source.nbunch_iter(v))
    place = mirror.places()
    values: list[Any] = []
    for distance in _distances(mirror, np.array([place[mirror.ids[node]] for node in nodes], np.int64), weight):
        values.extend(mirror.graph.device.to_host(distance.max(axis=1)).tolist())
    return values[0] if v in source else dict(zip(nodes, values, strict=True))


def _add_ends(names: tuple[str, str], of: Callable[..., Any], differs: Callable[..., Any]) -> None:
    """Add the functions of an extreme eccentricity, and of the nodes that have it. Both use bounds in any case."""
    number, nodes = names

    @function(number, least_nodes=500, parallel=True)
    def extreme(G: Any, usebounds: bool, weight: Any) -> Any:
        return of(_eccentricities(G, weight, differs)).item()

    @function(nodes, least_nodes=500, parallel=True)
    def extremes(G: Any, usebounds: bool, weight: Any) -> list[Any]:
        found = _eccentricities(G, weight, lambda lower, upper: (lower < upper) & differs(lower, upper, equal=True))
        names = mirror_of(G, weight).names
        return [names[place] for place in np.flatnonzero(found == of(found)).tolist()]


def _may_be_higher(lower: np.ndarray, upper: np.ndarray, *, equal: bool = False) -> np.ndarray:
    most = lower.max(initial=0)
    return upper >= most if equal else upper > most


def _may_be_lower(lower: np.ndarray, upper: np.ndarray, *, equal: bool = False) -> np.ndarray:
    least = upper.min(initial=np.iinfo(np.int64).max)
    return lower <= least if equal else lower < least


_add_ends(("diameter", "periphery"), np.max, _may_be_higher)
_add_ends(("radius", "center"), np.min, _may_be_lower)


# ---- sums -----------------------------------------------------------------------------------------------------------


def _totals(mirror: Mirror, weight: Any) -> np.ndarray:
    """The sum of the distances from each node of a connected graph, by position."""
    n, graph = len(mirror), mirror.graph
    if weight is None or not graph.is_weighted:  # sums of the searches of closeness, which stores no distances
        backward = graph.reverse if mirror.directed else graph
        closeness = mirror.values(algorithms.closeness_centrality(backward, wf_improved=False).closeness_centrality)
        return np.rint((n - 1) / np.where(closeness > 0, closeness, 1)).astype(np.int64)
    return np.concatenate([graph.device.to_host(rows.sum(axis=1)) for rows in _distances(mirror, np.arange(n), weight)])


def _is_connected(mirror: Mirror) -> bool:
    find = algorithms.strongly_connected_components if mirror.directed else algorithms.connected_components
    return find(mirror.graph).count == 1


def _checked(graph: Any, weight: Any, missing: str) -> Mirror:
    """The mirror. Raises an error with this text if the graph has no nodes."""
    mirror = mirror_of(graph, weight)
    check_all_weights(mirror, weight, added=len(mirror))
    if not len(mirror):
        raise nx.NetworkXPointlessConcept(missing)
    return mirror


def _refuse_method(method: Any, **_: Any) -> str | None:
    known = method is None or method in ("unweighted", "dijkstra", "bellman-ford")
    return None if known else f"method={method!r} is not supported"


@function(least_nodes=500, parallel=True, refuse=_refuse_method)
def average_shortest_path_length(G: Any, weight: Any, method: Any) -> float:
    weight = None if method == "unweighted" else weight
    mirror = _checked(G, weight, "the null graph has no paths, thus there is no average shortest path length")
    n = len(mirror)
    if n > 1 and not _is_connected(mirror):
        raise nx.NetworkXError(f"Graph is not {'strongly ' * mirror.directed}connected.")
    return sum(_totals(mirror, weight).tolist()) / (n * (n - 1)) if n > 1 else 0


@function(least_nodes=500, parallel=True)
def wiener_index(G: Any, weight: Any) -> float:
    mirror = _checked(G, weight, "Connectivity is undefined for the null graph.")
    if not _is_connected(mirror):
        return float("inf")
    total = sum(_totals(mirror, weight).tolist())
    return total if mirror.directed else total / 2


@function(least_nodes=500, parallel=True)
def barycenter(G: Any, weight: Any) -> list[Any]:
    if not len(source_of(G)) and (weight is not None or source_of(G).is_directed()):
        return []
    mirror = _checked(G, weight, "G has no nodes.")
    if not _is_connected(mirror):
        raise nx.NetworkXNoPath(
            f"Input graph {source_of(G)} is disconnected, so every induced subgraph has infinite barycentricity."
        )
    totals = _totals(mirror, weight)
    return [mirror.names[place] for place in np.flatnonzero(totals == totals.min()).tolist()]
