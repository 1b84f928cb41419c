"""What structures share whose lists are in no order and without gaps, in blocks from one pool.

No structure itself. A list of n neighbors fills its positions 0 .. n - 1; where position p lies is for the structure to
say. New neighbors go behind the last one; those at the end fill the holes that deletions leave. A structure that keeps
its lists so supplies, besides the neighbor iterator (`frontier.core.view`), one more function of its view:

``slot_of(view, v, p)`` in its ``cpu.py``, ``View::slot_of(v, p)`` in its ``view.cuh``
    The slot of position p of v's list, for positions below the degree.

and hands on the kernels here as its own: its ``kernels.cuh`` includes ``structures/blocks/kernels.cuh`` behind its
view, and its ``cpu.py`` makes them with `structures.blocks.cpu`. An update is then

1. `find_changes`: the batch's distinct arcs, matched against the graph (each source's list is walked once), and those
   that change it grouped by source (`structures.changes`). There is no host synchronization.
2. The structure's own: how many blocks each source needs or leaves, added up. Then the update's single host
   synchronization, for the counters.
3. To insert: room for the lists and their new degrees, then `append_changes`. To delete: `remove_changes`, then the new
   degrees.

All work is spread over the arcs of the batch, not over lists, so that a hub costs no more than others.
"""

from .cpu import COUNTERS, PENDING
from .updates import append_changes, changes_of_all, changes_of_keys, find_arcs, find_changes, remove_changes

__all__ = [
    "COUNTERS", "PENDING", "append_changes", "changes_of_all", "changes_of_keys", "find_arcs", "find_changes",
    "remove_changes",
]  # fmt: skip
