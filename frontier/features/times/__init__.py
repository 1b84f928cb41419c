"""Time in a graph: a column of edge data that decides which record of an edge counts, and which edges expire.

The column ``"time"`` accepts timestamps of any kind (`as_times`). Of several records of an edge the latest counts, or
the first (`TimeColumn`). Insertions are logged by time (`Arrivals`), so old edges are deleted without a look at the
others (`expire_edges`).

Algorithms that read times walk events (`events`): records in a graph that keeps them, otherwise edges, with a warning
if times were replaced (`replaced`).
"""

from .arrivals import Arrivals
from .column import KEEP_TIMES, TIME, TimeColumn
from .units import UNITS, as_span, as_time, as_times

__all__ = ["KEEP_TIMES", "TIME", "UNITS", "Arrivals", "TimeColumn", "as_span", "as_time", "as_times"]
