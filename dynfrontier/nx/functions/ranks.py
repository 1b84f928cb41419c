"""PageRank and centralities, with NetworkX's starting values, tolerances and errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

import algorithms
from algorithms import UNREACHED, ConvergenceError

from ..holders import Unsupported, mirror_of, source_of
from ..mirror import Mirror
from .table import FEW, function, refused, without_loops
from .traversal import distances_from

PRODUCTS = 20  # products with a vector in an iteration of NetworkX's solver for HITS, while ours needs one


NUMBERS = int | float | np.integer | np.floating


def _number(name: str, value: Any) -> str | None:
    if not isinstance(value, NUMBERS) or not 0 <= value < np.inf:
        return f"{name}={value!r} is not supported; it must be a number that is not negative"
    return None


def _by_vertex(mirror: Mirror, given: Mapping[Any, Any], name: str) -> np.ndarray:
    """Convert numbers by node to an array by vertex, 0 where none is given. Unknown nodes are ignored."""
    found = np.zeros(len(mirror.nodes))
    for node, v in mirror.ids.items():
        value = given.get(node, 0)
        if not isinstance(value, NUMBERS) or not 0 <= value < np.inf:
            raise Unsupported(f"{name} contains {value!r}, which is not supported")
        found[v] = value
    return found


def _refuse_pagerank(alpha: Any, tol: Any, max_iter: Any, nstart: Any, personalization: Any, **_: Any) -> str | None:
    for name, mapping in (("nstart", nstart), ("personalization", personalization)):
        if mapping is not None and not isinstance(mapping, Mapping):
            return f"{name} must be a dict"
    if _number("alpha", alpha) or alpha > 1:
        return f"alpha={alpha!r} is not supported; it must be between 0 and 1"
    return _number("tol", tol) or (None if isinstance(max_iter, int) else "max_iter must be an int")


@function(least_nodes=FEW, refuse=_refuse_pagerank)
def pagerank(
    G: Any, alpha: float, personalization: Any, max_iter: int, tol: float, nstart: Any, weight: Any
) -> dict[Any, float]:
    mirror = mirror_of(G, weight)
    without_loops(mirror, "pagerank")
    if not len(mirror):
        return {}
    target = None
    if personalization is not None:
        target = _by_vertex(mirror, personalization, "personalization")
        if target.sum() == 0:
            raise ZeroDivisionError
    start = np.zeros(len(mirror.nodes)) if nstart is None else _by_vertex(mirror, nstart, "nstart")
    if nstart is None:
        start[slice(None) if mirror.order is None else mirror.order] = 1
    elif start.sum() == 0:
        raise Unsupported("nstart adds up to 0")
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    xp = mirror.graph.xp
    with refused(ValueError):  # weights that are negative
        try:
            found = algorithms.pagerank(
                mirror.graph, float(alpha), max_iter, float(tol) * len(mirror),
                None if target is None else xp.asarray(target), xp.asarray(start),
                weighted=weight is not None and mirror.graph.is_weighted,
            )  # fmt: skip
        except ConvergenceError as error:
            raise nx.PowerIterationFailedConvergence(max_iter) from error
    return mirror.by_node(found.pagerank)


@function(least_nodes=FEW, refuse=lambda tol, **_: _number("tol", tol))
def hits(G: Any, max_iter: int, tol: float) -> tuple[dict[Any, float], dict[Any, float]]:
    mirror = mirror_of(G, "weight")
    without_loops(mirror, "hits")
    if not len(mirror):
        return {}, {}
    if mirror.is_distinct():
        raise Unsupported("hits of graphs with weights is not supported")
    if not mirror.graph.num_edges:
        raise Unsupported("hits of graphs without edges is not supported")
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    with refused(ConvergenceError):  # longer computations are left to NetworkX's solver
        found = algorithms.hits(mirror.graph, max_iter=PRODUCTS * int(max_iter), tol=float(tol))
    return mirror.by_node(found.hubs), mirror.by_node(found.authorities)


def _refuse_katz(alpha: Any, beta: Any, tol: Any, max_iter: Any, **_: Any) -> str | None:
    if not isinstance(max_iter, int) or max_iter < 2:
        return f"max_iter={max_iter!r} is not supported; it must be at least 2"
    return _number("alpha", alpha) or _number("beta", beta) or _number("tol", tol)


@function(least_nodes=FEW, refuse=_refuse_katz)
def katz_centrality(G: Any, alpha: float, beta: float, max_iter: int, tol: float, normalized: bool) -> dict[Any, float]:
    mirror = mirror_of(G)
    without_loops(mirror, "katz_centrality")
    if not len(mirror):
        return {}
    try:  # NetworkX's first iteration is from 0 to beta, where ours start
        found = algorithms.katz_centrality(
            mirror.graph, float(alpha), float(beta), max_iter=max_iter - 1, tol=float(tol) * len(mirror)
            / len(mirror.nodes), normalized=bool(normalized),
        )  # fmt: skip
    except ConvergenceError as error:
        raise nx.PowerIterationFailedConvergence(max_iter) from error
    return mirror.by_node(found.katz_centrality)


def _refuse_eigenvector(G: Any, nstart: Any, tol: Any, max_iter: Any, **_: Any) -> str | None:
    if nstart is not None and not (isinstance(nstart, Mapping) and nstart.keys() == set(source_of(G))):
        return "nstart must be a dict with all nodes"
    return _number("tol", tol) or (None if isinstance(max_iter, int) else "max_iter must be an int")


@function(least_nodes=FEW, refuse=_refuse_eigenvector)
def eigenvector_centrality(G: Any, max_iter: int, tol: float, nstart: Any, weight: Any) -> dict[Any, float]:
    mirror = mirror_of(G, weight)
    without_loops(mirror, "eigenvector_centrality")
    if not len(mirror):
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    start = None if nstart is None else _by_vertex(mirror, nstart, "nstart")
    if start is not None and not start.any():
        raise nx.NetworkXError("initial vector cannot have all zero values")
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    with refused(ValueError):  # weights that are negative
        try:
            found = algorithms.eigenvector_centrality(
                mirror.graph, max_iter, float(tol), None if start is None else mirror.graph.xp.asarray(start),
                weighted=weight is not None and mirror.graph.is_weighted,
            )  # fmt: skip
        except ConvergenceError as error:
            raise nx.PowerIterationFailedConvergence(max_iter) from error
    return mirror.by_node(found.eigenvector_centrality)


def _degree_shares(graph: Any, leaving: bool, entering: bool) -> dict[Any, float]:
    """Degrees over the number of other nodes. A self-loop counts once in each direction."""
    mirror = mirror_of(graph)
    if len(mirror) <= 1:
        return dict.fromkeys(mirror.names, 1)
    degrees = sum([mirror.graph.degrees()] * leaving + [mirror.graph.in_degrees()] * (entering and mirror.directed))
    if mirror.loops:
        degrees[mirror.graph.xp.asarray(list(mirror.loops))] += leaving + entering
    return mirror.by_node(degrees * (1.0 / (len(mirror) - 1.0)))


@function()
def degree_centrality(G: Any) -> dict[Any, float]:
    return _degree_shares(G, True, True)


@function()
def in_degree_centrality(G: Any) -> dict[Any, float]:
    return _degree_shares(G, False, True)


@function()
def out_degree_centrality(G: Any) -> dict[Any, float]:
    return _degree_shares(G, True, False)


SCALES_OTHERWISE = nx.__version__.startswith("3.5")


def _refuse_sample(G: Any, k: Any, **_: Any) -> str | None:
    if k is None or k == len(source_of(G)):
        return None
    if not isinstance(k, int) or k < 1:
        return f"k={k!r} is not supported; it must be a positive int"
    return "k is not supported with NetworkX before 3.6, which scales samples otherwise" if SCALES_OTHERWISE else None


@function(least_nodes=500, parallel=True, refuse=_refuse_sample)
def betweenness_centrality(G: Any, k: Any, normalized: bool, endpoints: bool, seed: Any) -> dict[Any, float]:
    mirror = mirror_of(G)
    found = algorithms.betweenness_centrality(
        mirror.graph, _sample(mirror, k, seed), normalized=bool(normalized), endpoints=bool(endpoints)
    )
    return mirror.by_node(found.betweenness_centrality)


def _sample(mirror: Mirror, k: int | None, seed: Any) -> list[int] | None:
    """Vertices of k nodes, drawn as in NetworkX. None for all."""
    if k is None or k == len(mirror):
        return None
    return [mirror.ids[node] for node in seed.sample(list(mirror.names), k)]


@function(least_nodes=500, refuse=_refuse_sample)
def edge_betweenness_centrality(G: Any, k: Any, normalized: bool, seed: Any) -> dict[tuple[Any, Any], float]:
    mirror = mirror_of(G)
    found = algorithms.edge_betweenness_centrality(mirror.graph, _sample(mirror, k, seed), normalized=bool(normalized))
    to_host, nodes = mirror.graph.device.to_host, mirror.nodes
    src, dst, values = (to_host(x).tolist() for x in (found.src, found.dst, found.betweenness_centrality))
    shares = {(nodes[i], nodes[j]): value for i, j, value in zip(src, dst, values, strict=True)}
    return {(u, v): shares.get((u, v), shares.get((v, u), 0.0)) for u, v in source_of(G).edges()}


@function(least_nodes=500, parallel=True)
def closeness_centrality(G: Any, u: Any, wf_improved: bool) -> Any:
    mirror = mirror_of(G)
    if u is None:
        found = algorithms.closeness_centrality(mirror.graph, wf_improved=bool(wf_improved))
        return mirror.by_node(found.closeness_centrality)
    v = mirror.vertex(u, nx.NodeNotFound(f"Source {u} is not in G"))
    distances = distances_from(mirror, [v], backward=mirror.directed)
    lengths = distances[distances < UNREACHED]
    total, others = int(lengths.sum()), len(mirror) - 1
    if not total:
        return 0.0
    closeness = (lengths.size - 1.0) / total
    return closeness * ((lengths.size - 1.0) / others) if wf_improved else closeness
