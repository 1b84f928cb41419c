"""Snapshots: a state of a graph that can be read while the graph is updated (`DynamicGraph.snapshot`).

A new snapshot has no arrays. Its first read copies the graph if that was not updated, or replays the updates since then
on an older copy. The first update after a snapshot makes such a copy if none exists. Later updates are only logged. The
copy of an unused snapshot serves the next one, while replaying the updates is cheaper than copying the graph.

As GPMA's dynamic query buffer (Sha et al., VLDB 2017, section 3), this separates queries from updates. Here each query
chooses its state, and its own thread does the work.
"""

from .history import History
from .snapshot import REFUSAL, REFUSAL_OF_OBSERVERS, read_now, take_snapshot

__all__ = ["REFUSAL", "REFUSAL_OF_OBSERVERS", "History", "read_now", "take_snapshot"]
