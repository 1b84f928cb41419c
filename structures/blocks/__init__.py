"""Unordered lists without gaps, in blocks of one pool: updates that several structures share.

A list of n neighbors fills its positions 0 .. n - 1, and the structure maps positions to slots. New neighbors go behind
the last one, and neighbors from the end fill the holes of deletions. In addition to the neighbor iterator
(`frontier.core.view`), such a structure supplies one function of its view:

``slot_of(view, v, p)`` in its ``cpu.py``, ``View::slot_of(v, p)`` in its ``view.cuh``
    The slot of position p of v's list, for positions below the degree.

Its ``kernels.cuh`` includes ``structures/blocks/kernels.cuh`` after its view, its ``cpu.py`` makes the kernels with
`structures.blocks.cpu`, and its store is a `ListStore`. An update

1. matches the batch's distinct arcs against the graph, walking each source's list once, and groups the arcs that change
   it by source (`structures.changes`), without synchronization.
2. sums up the blocks that each source needs or frees, in the structure, and synchronizes once, for the counters.
3. to insert, allocates blocks, sets the new degrees and appends. To delete, fills the holes, frees blocks and sets the
   new degrees.

All work is balanced over the arcs of the batch, not over lists, so a hub costs no more per arc.
"""

from .store import ListStore

__all__ = ["ListStore"]
