"""Small batches on a GPU as chains of launches, for structures whose updates have several kernels.

The kernels of an update of thousands of edges last microseconds, and so does each launch, but choosing the launches
costs the host hundreds. A chain is captured once. Its kernels run on the grid of the largest batch of its size, and
read the number of items from memory. It ends with a report to the host, which includes whether the batch was applied.
An invalid batch, and one that needs more memory first, change nothing and go through the general path.
"""

from .sequences import DELETE, FIND, INSERT, LaunchSequence

__all__ = ["DELETE", "FIND", "INSERT", "LaunchSequence"]
