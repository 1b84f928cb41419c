"""Checks of arguments, as operators and algorithms make them. Each error names the argument and the problem."""

from frontier.core.arguments import (
    check_array,
    check_dynamic_graph,
    check_graph,
    check_one_device,
    check_output,
    flag,
    integer,
    number,
    numbers,
    one_of,
    sample_size,
    vertex_id,
    vertex_ids,
)
from frontier.features.times.arguments import decay_rate, edge_times, span, time, times, warn_of_replaced_times
from frontier.features.times.units import as_span
from frontier.names.arguments import check_vertex_names
from frontier.runtime.arrays import one_dtype

__all__ = [
    "as_span", "check_array", "check_dynamic_graph", "check_graph", "check_one_device", "check_output",
    "check_vertex_names", "decay_rate", "edge_times", "flag", "integer", "number", "numbers", "one_dtype", "one_of",
    "sample_size", "span", "time", "times", "vertex_id", "vertex_ids", "warn_of_replaced_times",
]  # fmt: skip
