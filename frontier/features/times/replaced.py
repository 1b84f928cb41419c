"""The warning that a graph has replaced times of its edges."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from frontier.core.base import BaseGraph

PACKAGES = ("frontier", "algorithms", "dynfrontier")
"""The warning names the line of the program that called into these."""


class ReplacedTimesWarning(UserWarning):
    """A function reads the times of a graph that has replaced some of them.

    See Also
    --------
    Graph.from_edges : With ``keep_time``, states which time of an edge counts.
    """


def warn_once(graph: BaseGraph) -> None:
    """Warn if a graph with times has replaced some, once for it, its copies, and the parts of a distributed graph."""
    of_parts: Any = graph if graph.in_parts else None
    data: Any = graph.payload.table if of_parts is None else of_parts.local.payload.table
    replaced, warned = data.has_replaced, data.warned.is_set()
    if of_parts is not None:
        replaced, warned = of_parts.comm.reduce_numbers([int(replaced), int(warned)])
    if not replaced or warned:
        return
    data.warned.set()
    if of_parts is None or of_parts.comm.rank == 0:
        _warn(data, "make the graph" if of_parts is None else "make the graph on one device,")


def _warn(data: Any, advice: str) -> None:
    level, frame = 3, sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in PACKAGES:
        level, frame = level + 1, frame.f_back
    kept = "first" if data.times.earliest else "latest"
    warnings.warn(
        f"edges of this graph were inserted several times, and only the {kept} time of each is stored "
        f"(multi_edges={data.multi_edges!r}), the only one that functions see: {advice} with multi_edges='all' to "
        "store every event",
        ReplacedTimesWarning,
        stacklevel=level,
    )
