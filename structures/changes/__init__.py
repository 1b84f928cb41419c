"""From a batch to its changes, grouped by source: the pipeline that structures of neighbor lists share.

A batch is sorted (`frontier.core.sort.sorted_keys`). The structure looks up each key, of which equal ones count once,
in its own kernel or by `match_keys`. The keys that change the graph are compacted, with the groups of arcs that share a
source. The host does not synchronize. On the GPU that is three launches and a sort if one kernel looks up and counts
(ordered lists), and six if `match_keys` walks lists.

A structure has the kernels here as its own: its ``kernels.cuh`` includes ``structures/changes/changes.cuh``, and its
``cpu.py`` imports the kernels of `structures.changes.cpu`.
"""

from .cpu import CHANGES, GROUPS, OTHERS
from .find import Changes, changes_of_keys, chunks_for, find_changes

__all__ = ["CHANGES", "GROUPS", "OTHERS", "Changes", "changes_of_keys", "chunks_for", "find_changes"]
