"""Unordered lists without gaps, in blocks of one pool: updates that several structures share.

A list of n neighbors fills its positions 0 .. n - 1; the structure maps positions to slots. New neighbors go behind the
last one; neighbors from the end fill the holes of deletions. Besides the neighbor iterator (`frontier.core.view`), such
a structure supplies one function of its view:

``slot_of(view, v, p)`` in its ``cpu.py``, ``View::slot_of(v, p)`` in its ``view.cuh``
    The slot of position p of v's list, for positions below the degree.

and has the kernels here as its own: its ``kernels.cuh`` includes ``structures/blocks/kernels.cuh`` after its view, and
its ``cpu.py`` makes them with `structures.blocks.cpu`. An update is then

1. `find_changes`: match the batch's distinct arcs against the graph, walking each source's list once, and group the
   arcs that change it by source (`structures.changes`), without synchronization.
2. In the structure: sum up the blocks that each source needs or frees. Then the update's single host synchronization,
   for the counters.
3. To insert: allocate blocks and set the new degrees, then `append_changes`. To delete: `remove_changes`, then set the
   new degrees.

All work is balanced over the arcs of the batch, not over lists, so a hub costs no more per arc.
"""

from .cpu import COUNTERS, PENDING
from .updates import append_changes, changes_of_all, changes_of_keys, find_arcs, find_changes, remove_changes

__all__ = [
    "COUNTERS", "PENDING", "append_changes", "changes_of_all", "changes_of_keys", "find_arcs", "find_changes",
    "remove_changes",
]  # fmt: skip
