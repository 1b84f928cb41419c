"""Sums of a graph's weights and a batch's weights, for ``on_existing="add"``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import BaseGraph


def add_weights(graph: BaseGraph, added: Any, held: Any, *, copies: int) -> Any:
    """Add weights to existing edges' weights, each listed `copies` times. ValueError if a sum is NaN or overflows."""
    with np.errstate(invalid="ignore", over="ignore"):
        sums = added + held
    refuse_sums(graph, int(_fails(graph.xp, added, held, sums).sum()) // copies)
    return sums


def _fails(xp: Any, added: Any, held: Any, sums: Any) -> Any:
    if sums.dtype.kind == "f":
        return xp.isnan(sums)
    return (added ^ sums) & (held ^ sums) < 0  # the sign of an overflowed sum differs from both operands


def refuse_sums(graph: BaseGraph, bad: int) -> None:
    """Raise ValueError if the sums of so many edges are no weights."""
    if not bad:
        return
    what = f"weights: on_existing='add' makes {bad} sum{'s' * (bad > 1)}"
    if graph.weight_dtype.kind == "f":  # type: ignore[union-attr]
        raise ValueError(
            f"{what} that {'is' if bad == 1 else 'are'} NaN, of infinities of both signs; delete such edges first, or "
            "replace their weights (on_existing='replace')"
        )
    raise ValueError(f"{what} that do{'es' * (bad == 1)} not fit in {graph.weight_dtype}")
