"""Checks of arguments that are times, and of graphs that must have some."""

from __future__ import annotations

import math
from typing import Any

from frontier.core.arguments import check_graph
from frontier.core.base import BaseGraph
from frontier.runtime.values import number

from .column import TIME
from .replaced import warn_once
from .units import as_span, as_time, as_times


def edge_times(graph: BaseGraph) -> Any:
    """The times of the edges of `graph`, by the `edge` of functors: int64, in its unit (`Graph.time_unit`).

    Raises TypeError if it is no graph, and ValueError if it has no times.
    """
    check_graph(graph)
    if graph.time_unit is None:
        raise ValueError("graph must have times; make it with time_unit=")
    return graph.edge_data[TIME]  # type: ignore[index]


def warn_of_replaced_times(graph: BaseGraph) -> None:
    """Warn, once for a graph, if it has replaced times of edges that were inserted again.

    For algorithms that read one time for each edge. A graph that stores all records replaces no times. Raises TypeError
    or ValueError if `graph` is no graph, or has no times.
    """
    edge_times(graph)
    warn_once(graph)


def time(graph: BaseGraph, value: Any, name: str) -> int:
    """`value`, an integer or a timestamp, in the unit of the times of `graph`.

    Raises TypeError or ValueError if it is neither, or no whole number of units, or if `graph` has no times.
    """
    edge_times(graph)
    return as_time(value, name, graph.time_unit)  # type: ignore[arg-type]


def times(graph: BaseGraph, values: Any, name: str) -> Any:
    """`values`, integers or timestamps, as an int64 array on the device of `graph`, in the unit of its times.

    Raises TypeError or ValueError if they are neither, or no whole numbers of units, or if `graph` has no times.
    """
    edge_times(graph)
    return as_times(graph.device, values, name, graph.time_unit)  # type: ignore[arg-type]


def span(graph: BaseGraph, value: Any, name: str) -> int:
    """`value`, a length of time such as ``"10min"`` or a number of units, in the unit of the times of `graph`.

    Raises TypeError or ValueError if it is none, or negative, or no whole number of units, or if `graph` has no times.
    """
    edge_times(graph)
    return as_span(value, name, graph.time_unit)  # type: ignore[arg-type]


def decay_rate(graph: BaseGraph, decay: Any, half_life: Any) -> float:
    """The rate at which weights fade with age, per unit of the times of `graph`: `decay`, or the rate by `half_life`.

    Raises TypeError or ValueError if not just one of them is given, or it is negative or not finite, or if `graph` has
    no times.
    """
    edge_times(graph)
    if (decay is None) == (half_life is None):
        raise TypeError("give one of decay and half_life")
    if half_life is not None:
        length = span(graph, half_life, "half_life")
        if not length:
            raise ValueError("half_life must be positive, got 0")
        return math.log(2) / length
    rate = number(decay, "decay")
    if not 0 <= rate < math.inf:
        raise ValueError(f"decay must be finite and not negative, got {decay}")
    return rate
