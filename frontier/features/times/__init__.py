"""Time in a graph: a column of edge data that decides which row of an edge counts, and which edges expire.

The column ``"time"`` accepts timestamps of any kind (`as_times`). If an edge has several rows the latest counts, or
the first (`TimeColumn`). Insertions are logged by time (`Arrivals`), so old edges are deleted without reading the
remaining ones (`expire_edges`).

Algorithms that read times walk events (`events`): records in a graph that stores them, otherwise edges, with a warning
if times were replaced (`replaced`).
"""

from .arrivals import Arrivals
from .column import KEEP_TIMES, TIME, TimeColumn
from .units import UNITS, as_span, as_time, as_times

__all__ = ["KEEP_TIMES", "TIME", "UNITS", "Arrivals", "TimeColumn", "as_span", "as_time", "as_times"]
