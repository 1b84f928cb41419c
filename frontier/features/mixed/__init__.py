"""Opera: a batch of updates and queries, answered as if each operation had run in its order.

After the paper of LPMA (section 6), which calls that streaming consistence. There, updates are applied with timestamps
beside the edges that they replace, queries filter what they find, and a pass at the end merges. Here nothing is stored
that does not stay, so that it works on every structure:

* Operations on pairs of vertices (insertions, deletions, look-ups) are sorted by pair, and each pair's are gone through
  in order, from what the graph has before the batch. That answers look-ups, tells which updates had an effect, and what
  is to be done for the pair in the end.
* A degree is that before the batch, plus the sum of the effects at this vertex before the query: prefix sums of effects
  sorted by vertex and position.
* A neighbor is in a list for an interval of positions, from an effective insertion to the next effective deletion. The
  queries of a vertex that an interval covers are consecutive, so each interval is written as often as it is an answer.

Only then are the net updates applied, as one insertion and one deletion. On a GPU the values of a batch are checked
while it is taken apart: the host waits once, for what is wrong, for what is asked and for the numbers of net updates.
"""

from .apply import MixedResult, apply_operations
from .on_gpu import mixed_kernels
from .operations import Operation

__all__ = ["MixedResult", "Operation", "apply_operations", "mixed_kernels"]
