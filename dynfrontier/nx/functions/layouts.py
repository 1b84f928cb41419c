"""Layouts: positions of nodes. They differ from NetworkX's, which chooses other speeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import algorithms

from ..holders import Unsupported, mirror_of, source_of
from ..mirror import Mirror
from .table import FEW, function, refused, without_loops


def _refuse_forces(G: Any, pos: Any, max_iter: Any, **given: Any) -> str | None:
    if pos is not None and not (isinstance(pos, Mapping) and pos and pos.keys() <= set(source_of(G))):
        return "pos must be a dict of nodes"
    for name in ("jitter_tolerance", "scaling_ratio", "gravity"):
        if not isinstance(given[name], int | float) or not 0 <= given[name] < np.inf:
            return f"{name}={given[name]!r} is not supported; it must be a number that is not negative"
    return None if isinstance(max_iter, int) and max_iter > 0 else f"max_iter={max_iter!r} is not supported"


@function(least_nodes=FEW, undirected=True, refuse=_refuse_forces)
def forceatlas2_layout(
    G: Any, pos: Any, max_iter: int, jitter_tolerance: float, scaling_ratio: float, gravity: float,
    distributed_action: bool, strong_gravity: bool, weight: Any, linlog: bool, seed: Any,
) -> dict[Any, np.ndarray]:  # fmt: skip
    mirror = mirror_of(G, weight)
    without_loops(mirror, "forceatlas2_layout")
    with refused(ValueError):  # negative weights
        found = algorithms.force_atlas2(
            mirror.graph, max_iter=max_iter, positions=_initial(mirror, pos, seed), lin_log_mode=bool(linlog),
            outbound_attraction_distribution=bool(distributed_action), jitter_tolerance=float(jitter_tolerance),
            edge_weight_influence=float(weight is not None), scaling_ratio=float(scaling_ratio),
            strong_gravity_mode=bool(strong_gravity), gravity=float(gravity),
        )  # fmt: skip
    return dict(zip(mirror.names, mirror.values(found.positions), strict=True))


def _initial(mirror: Mirror, pos: Mapping[Any, Any] | None, seed: Any) -> np.ndarray:
    """Positions by vertex: NetworkX's random ones for nodes without a position."""
    given = np.array(list(pos.values()), float) if pos else np.array([[0.0, 0.0], [1.0, 1.0]])
    if given.ndim != 2 or given.shape[1] != 2:
        raise Unsupported("pos must have two coordinates for each node")
    low, high = given.min(axis=0), given.max(axis=0)
    drawn = low + seed.rand(len(mirror), 2) * (high - low)
    found = np.zeros((len(mirror.nodes), 2))
    for place, node in enumerate(mirror.names):
        found[mirror.ids[node]] = drawn[place] if pos is None else pos.get(node, drawn[place])
    return found
