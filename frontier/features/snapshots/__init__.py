"""Snapshots: a graph as it was, to be read while it is updated (`DynamicGraph.snapshot`).

A snapshot is taken in no time, since it has no arrays. When it is read for the first time, it gets a copy of the graph:
made from the graph itself, if that was not updated since, or from an older copy, on which the updates since then are
repeated. So that there is one, the first update after a snapshot copies the graph, if nothing has yet; later updates
are only logged. The copy of a snapshot that nothing refers to any more is kept and serves the next one, as long as it
takes less time to repeat the updates than to copy the graph.

As GPMA's dynamic query buffer does (Sha et al., VLDB 2017, section 3), this separates queries from updates; but each
query chooses its state, and pays for it in its own thread.
"""

from .history import History
from .snapshot import REFUSAL, REFUSAL_OF_OBSERVERS, read_now, take_snapshot

__all__ = ["REFUSAL", "REFUSAL_OF_OBSERVERS", "History", "read_now", "take_snapshot"]
