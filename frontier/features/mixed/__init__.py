"""Opera: a batch of updates and queries, answered as if each operation had run in its order.

The LPMA paper (section 6) calls this streaming consistence. Its updates with timestamps are stored next to the edges
that they replace, queries filter them, and a final pass merges. Here nothing temporary is stored, so every structure
can do it:

* Operations on pairs of vertices (insertions, deletions, look-ups) are sorted by pair and walked in order, from the
  graph's state before the batch. That answers look-ups, and finds effective updates and the net update of the pair.
* A degree is the one before the batch plus the sum of the effects at this vertex before the query: prefix sums of
  effects sorted by vertex and position.
* A neighbor is in a list for an interval of positions, from an effective insertion to the next effective deletion. The
  queries of a vertex in an interval are consecutive, so each interval is written as often as it is an answer.

Then the net updates are applied, as one insertion and one deletion. On a GPU, values of a batch are checked meanwhile:
the host synchronizes once, for errors, answers and the numbers of net updates.
"""

from .apply import MixedResult, apply_operations
from .on_gpu import mixed_kernels
from .operations import Operation

__all__ = ["MixedResult", "Operation", "apply_operations", "mixed_kernels"]
