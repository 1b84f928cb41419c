"""Components as sets, in the order of their first nodes. Strong components come after all that they reach, as in
NetworkX. Trees and forests.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np

import algorithms
from algorithms import UNREACHED

from ..holders import mirror_of, source_of
from ..mirror import Mirror
from .table import function
from .traversal import distances_from


def grouped(mirror: Mirror, labels: Any) -> list[set[Any]]:
    """The sets of nodes with equal labels, in the order of their first nodes."""
    groups: defaultdict[int, set[Any]] = defaultdict(set)
    for node, label in zip(mirror.names, mirror.values(labels).tolist(), strict=True):
        groups[label].add(node)
    return list(groups.values())


@function("connected_components", undirected=True, parallel=True)
@function("weakly_connected_components", parallel=True)
def _components(G: Any) -> Iterator[set[Any]]:
    mirror = mirror_of(G)
    yield from grouped(mirror, algorithms.connected_components(mirror.graph).labels)


def _add_counts(kind: str, find: Callable[[Any], Any], *, undirected: bool = False) -> None:
    """Add the two functions that count components of a kind, whose names NetworkX forms alike."""

    @function(f"number_{kind}_components", undirected=undirected, parallel=True)
    def number(G: Any) -> int:
        return find(mirror_of(G).graph).count

    @function(f"is_{kind}", undirected=undirected, parallel=True)
    def is_one(G: Any) -> bool:
        mirror = mirror_of(G)
        if not len(mirror):
            raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
        return find(mirror.graph).count == 1


_add_counts("connected", algorithms.connected_components, undirected=True)
_add_counts("weakly_connected", algorithms.connected_components)
_add_counts("strongly_connected", algorithms.strongly_connected_components)


@function(undirected=True, parallel=True)
def node_connected_component(G: Any, n: Any) -> set[Any]:
    mirror = mirror_of(G)
    v = mirror.vertex(n, KeyError(n))
    return {mirror.nodes[w] for w in np.flatnonzero(distances_from(mirror, [v]) < UNREACHED).tolist()}


def _lacks_cycles(graph: Any, most: float) -> bool:
    """Whether the graph has at most this number of components, in any direction, and none has a cycle.

    Parallel edges and self-loops form one.
    """
    mirror = mirror_of(graph)
    if not len(mirror):
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    components = len(mirror) - source_of(graph).number_of_edges()  # of a graph without cycles
    return 0 < components <= most and algorithms.connected_components(mirror.graph).count == components


@function(parallel=True)
def is_tree(G: Any) -> bool:
    return _lacks_cycles(G, 1)


@function(parallel=True)
def is_forest(G: Any) -> bool:
    return _lacks_cycles(G, math.inf)


def _enters_once(mirror: Mirror) -> bool:
    return int(mirror.graph.in_degrees().max()) <= 1


@function(parallel=True)
def is_arborescence(G: Any) -> bool:
    return is_tree(G) and _enters_once(mirror_of(G))


@function(parallel=True)
def is_branching(G: Any) -> bool:
    return is_forest(G) and _enters_once(mirror_of(G))


# ---- directed graphs ------------------------------------------------------------------------------------------------


@function(parallel=True)
def is_directed_acyclic_graph(G: Any) -> bool:
    mirror = mirror_of(G)
    if not mirror.directed or mirror.loops:
        return False
    return algorithms.strongly_connected_components(mirror.graph).count == len(mirror)


@function(parallel=True)
def lowest_common_ancestor(G: Any, node1: Any, node2: Any, default: Any) -> Any:
    """The first in the graph, if several qualify."""
    if not is_directed_acyclic_graph(G):
        raise nx.NetworkXError("LCA only defined on directed acyclic graphs.")
    mirror = mirror_of(G)
    if not len(mirror):
        raise nx.NetworkXPointlessConcept("LCA meaningless on null graphs.")
    missing = {node for node in (node1, node2) if mirror.find(node) is None}
    if missing:
        raise nx.NodeNotFound(f"Node(s) {missing} from pair {(node1, node2)} not in G.")
    above = [distances_from(mirror, [mirror.ids[node]], backward=True) < UNREACHED for node in (node1, node2)]
    common = above[0] & above[1]
    src, dst = mirror.arcs()
    common[src[common[src] & common[dst]]] = False  # these have a successor that is one, too
    lowest = np.flatnonzero(common)
    return mirror.nodes[lowest[np.argmin(mirror.places()[lowest])]] if lowest.size else default


@function(parallel=True)
def strongly_connected_components(G: Any) -> Iterator[set[Any]]:
    mirror = mirror_of(G)
    labels = algorithms.strongly_connected_components(mirror.graph).labels
    components = grouped(mirror, labels)
    if len(components) > 1:
        components = [components[place] for place in _last_first(*_arcs_between(mirror, labels), len(components))]
    yield from components


def _arcs_between(mirror: Mirror, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """The arcs between components, each once, sorted. `grouped` numbers the components."""
    _, first, of_node = np.unique(mirror.values(labels), return_index=True, return_inverse=True)
    number = np.empty_like(first)
    number[np.argsort(first)] = np.arange(first.size)
    component = np.zeros(len(mirror.nodes), np.int64)
    component[slice(None) if mirror.order is None else mirror.order] = number[of_node.ravel()]
    src, dst = (component[ends] for ends in mirror.arcs())
    between = src != dst
    return np.divmod(np.unique(src[between] * first.size + dst[between]), first.size)


def _last_first(src: np.ndarray, dst: np.ndarray, count: int) -> list[int]:
    """The vertices of an acyclic graph, given by its sorted arcs, as a depth-first search finishes them."""
    starts = np.searchsorted(src, np.arange(count + 1)).tolist()
    heads, following, seen = dst.tolist(), starts[:-1], [False] * count
    finished: list[int] = []
    for root in range(count):
        path = [] if seen[root] else [root]
        seen[root] = True
        while path:
            v = path[-1]
            arc, end = following[v], starts[v + 1]
            while arc < end and seen[heads[arc]]:
                arc += 1
            following[v] = arc + 1
            if arc < end:
                seen[heads[arc]] = True
                path.append(heads[arc])
            else:
                finished.append(path.pop())
    return finished
