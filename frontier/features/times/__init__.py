"""Time in a graph: a column of edge data that decides which record of an edge counts, and what expires.

The times of edges are the column ``"time"`` of a graph's edge data. It differs from other columns in three ways. Users
give timestamps of any kind (`as_times`). Of several records of an edge, not the last one given counts but the latest,
or the first (`TimeColumn`). And what was inserted is logged by time (`Arrivals`), so that edges that are too old can be
deleted without looking at the others (`expire_edges`).

Algorithms that read times walk events (`events`): the records of edges in a graph that keeps them, and in others the
edges, with a warning if times were replaced (`replaced`).
"""

from .arrivals import Arrivals
from .column import KEEP_TIMES, TIME, TimeColumn
from .units import UNITS, as_span, as_time, as_times

__all__ = ["KEEP_TIMES", "TIME", "UNITS", "Arrivals", "TimeColumn", "as_span", "as_time", "as_times"]
