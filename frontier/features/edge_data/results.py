"""Results of updates of a graph that stores its records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from frontier.core.results import UpdateResult


@dataclass(frozen=True)
class RecordsResult(UpdateResult):
    """Effects of an update of a graph with ``multi_edges="all"``, in edges and in records.

    Attributes
    ----------
    inserted : int
        New edges.
    replaced : int
        Existing edges that have more records now.
    deleted : int
        Deleted edges.
    records_inserted, records_deleted : int
    record_ids : array of int64, shape (m,), or None
        For an insertion: the id of each record of the batch, on the graph's device, or -1 for dropped rows, such as
        self-loops.

    See Also
    --------
    DynamicGraph.delete_records : Returns it.
    """

    records_inserted: int = 0
    records_deleted: int = 0
    record_ids: Any = field(default=None, compare=False, repr=False)
