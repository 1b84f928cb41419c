"""Components, as sets, in the order of their first nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

import algorithms
from algorithms import UNREACHED

from ..holders import mirror_of
from ..mirror import Mirror
from .table import function
from .traversal import distances_from


def grouped(mirror: Mirror, labels: Any) -> list[set[Any]]:
    """The nodes with each label, by the first of them."""
    groups: dict[int, set[Any]] = {}
    for node, label in zip(mirror.names, mirror.values(labels).tolist(), strict=True):
        group = groups.get(label)
        if group is None:
            groups[label] = {node}
        else:
            group.add(node)
    return list(groups.values())


def _not_null(mirror: Mirror) -> None:
    if not len(mirror):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")


@function(undirected=True)
def connected_components(G: Any) -> Iterator[set[Any]]:
    mirror = mirror_of(G)
    yield from grouped(mirror, algorithms.connected_components(mirror.graph).labels)


@function(undirected=True)
def number_connected_components(G: Any) -> int:
    return algorithms.connected_components(mirror_of(G).graph).count


@function(undirected=True)
def is_connected(G: Any) -> bool:
    mirror = mirror_of(G)
    _not_null(mirror)
    return algorithms.connected_components(mirror.graph).count == 1


@function(undirected=True)
def node_connected_component(G: Any, n: Any) -> set[Any]:
    mirror = mirror_of(G)
    v = mirror.find(n)
    if v is None:
        raise KeyError(n)
    return {mirror.nodes[w] for w in np.flatnonzero(distances_from(mirror, [v]) < UNREACHED).tolist()}


@function()
def weakly_connected_components(G: Any) -> Iterator[set[Any]]:
    mirror = mirror_of(G)
    yield from grouped(mirror, algorithms.connected_components(mirror.graph).labels)


@function()
def number_weakly_connected_components(G: Any) -> int:
    return algorithms.connected_components(mirror_of(G).graph).count


@function()
def is_weakly_connected(G: Any) -> bool:
    mirror = mirror_of(G)
    _not_null(mirror)
    return algorithms.connected_components(mirror.graph).count == 1


@function()
def strongly_connected_components(G: Any) -> Iterator[set[Any]]:
    mirror = mirror_of(G)
    yield from grouped(mirror, algorithms.strongly_connected_components(mirror.graph).labels)


@function()
def number_strongly_connected_components(G: Any) -> int:
    return algorithms.strongly_connected_components(mirror_of(G).graph).count


@function()
def is_strongly_connected(G: Any) -> bool:
    mirror = mirror_of(G)
    _not_null(mirror)
    return algorithms.strongly_connected_components(mirror.graph).count == 1
