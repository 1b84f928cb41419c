"""Isolated nodes, self-loops, and signs of weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..holders import mirror_of
from .table import function


def _isolated(graph: Any) -> list[Any]:
    mirror = mirror_of(graph)
    degrees = mirror.graph.degrees() + mirror.graph.in_degrees() if mirror.directed else mirror.graph.degrees()
    looping = {mirror.nodes[v] for v in mirror.loops}
    places = np.flatnonzero(mirror.values(degrees) == 0).tolist()
    return [node for node in (mirror.names[place] for place in places) if node not in looping]


@function(parallel=True)
def isolates(G: Any) -> Iterator[Any]:
    return (node for node in _isolated(G))


@function(parallel=True)
def number_of_isolates(G: Any) -> int:
    return len(_isolated(G))


@function()
def number_of_selfloops(G: Any) -> int:
    return len(mirror_of(G).loops)


@function(parallel=True, refuse=lambda weight, **_: "weight must be given" if weight is None else None)
def is_negatively_weighted(G: Any, weight: Any) -> bool:
    mirror = mirror_of(G, weight)
    if any(length is not None and length < 0 for length in mirror.loops.values()):
        return True
    if not mirror.graph.is_weighted or not mirror.graph.num_edges:
        return False
    return bool(mirror.graph.to_coo()[2].min() < 0)
