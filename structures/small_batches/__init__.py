"""Small batches on a GPU as chains of launches, for structures whose updates take several kernels.

The kernels of an update of thousands of edges take microseconds, and so does each launch; it is to find out what to
launch that takes the host hundreds of them. A chain is recorded once: its kernels run on the grid of the largest batch
of its size, and learn from memory how many items there are. It ends with a report to the host, which says whether the
batch was applied. An invalid one, and one for which memory has to be added first, change nothing, and go the general
way.
"""

from .sequences import DELETE, FIND, INSERT, MAX_ARCS, LaunchSequence

__all__ = ["DELETE", "FIND", "INSERT", "MAX_ARCS", "LaunchSequence"]
