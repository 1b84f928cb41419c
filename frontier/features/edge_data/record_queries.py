"""What users ask about the records of edges."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from frontier.core.locking import reads
from frontier.core.payload import Payload
from frontier.core.sort import last_of_runs
from frontier.runtime.arrays import as_ids

from .columns import COUNT
from .ends import kept_ends
from .records import EDGE, FIRST, RecordTable


class HasRecords:
    """The part of a graph that answers questions about the records of edges, which it has with
    ``multi_edges="all"``."""

    xp: Any
    device: Any
    vertex_dtype: Any
    find_edges: Any
    payload: Payload

    @property
    @reads
    def record_data(self) -> Mapping[str, Any] | None:
        """The columns of the records of a graph with ``multi_edges="all"``, by name; None in other graphs.

        Each is an array on the graph's device of at least `record_capacity` entries, by the id of a record: the weights
        (``"weight"``), the times (``"time"``), and the columns of edge data. Besides, ``"edge"`` is the id of the
        record's edge, -1 where there is no such record, and ``"next"`` and ``"previous"`` are the records of that edge
        after it and before it, or -1.

        Arrays may be read, also in functors, until the next insertion, which may replace them by longer ones. Those of
        edge data may also be written to. The others must not be: the weights and the times of edges are made from them,
        and links are followed without checks.
        """
        data = self.payload.table
        return None if data is None or data.records is None else MappingProxyType(data.records.columns)

    @property
    def num_records(self) -> int | None:
        """Number of records of all edges, in a graph with ``multi_edges="all"``; None in other graphs."""
        data = self.payload.table
        return None if data is None or data.records is None else data.records.size

    @property
    def record_capacity(self) -> int | None:
        """An exclusive upper bound on the ids of records, which may grow with every insertion; None without records."""
        data = self.payload.table
        return None if data is None or data.records is None else data.records.capacity

    @reads
    def records(self, src: Any, dst: Any) -> tuple[Any, Any]:
        """The ids of the records of each edge of a graph with ``multi_edges="all"``.

        Parameters
        ----------
        src, dst : array-like of int, shape (m,)

        Returns
        -------
        offsets : array of int64, shape (m + 1,), on the graph's device
            The records of edge i are ``ids[offsets[i]:offsets[i + 1]]``; there are none of an edge that is not in the
            graph.
        ids : array of int64, shape (offsets[-1],)
            Oldest first: by time, and of equal times, or without times, in the order of insertion.

        Raises
        ------
        ValueError
            The graph keeps no records; or a vertex is out of range, or was deleted.

        Notes
        -----
        O(m + k) work, for k results.
        """
        records, data = self._require_records(), self.payload.table
        edges = self.find_edges(src, dst)
        found = edges >= 0
        if not data.top:  # type: ignore[union-attr]
            return self.xp.zeros(edges.size + 1, np.int64), self.xp.empty(0, np.int64)
        places = self.xp.where(found, edges, 0)
        counts = self.xp.where(found, data.columns[COUNT][places], 0)  # type: ignore[union-attr]
        offsets, ids = records.of(data.columns[FIRST][places], counts)  # type: ignore[union-attr]
        return offsets, ids.astype(np.int64)

    @reads
    def record_endpoints(self, ids: Any) -> tuple[Any, Any]:
        """The ends of the edges of records.

        Parameters
        ----------
        ids : array-like of int, shape (m,)
            In any order, with duplicates.

        Returns
        -------
        src, dst : arrays of `vertex_dtype`, shape (m,), on the graph's device
            ``src < dst`` in undirected graphs.

        Raises
        ------
        ValueError
            The graph keeps no records, or an id is that of no record.

        Notes
        -----
        O(m) work; the first call after the graph was copied or loaded takes a pass over it.
        """
        edges = self._require_records().columns[EDGE][self._record_ids(ids)]
        src, dst = kept_ends(self)  # type: ignore[arg-type]
        return src[edges], dst[edges]

    def _record_ids(self, given: Any) -> Any:
        """A user's ids of records, checked."""
        records = self._require_records()
        ids = as_ids(self.device, given, "ids")
        check_used(self.xp, ids, records.is_used(ids), "record")
        return ids

    def _distinct_record_ids(self, given: Any) -> Any:
        """The same, ascending and each once, as an array of the graph's vertex dtype."""
        ids = self._record_ids(given).astype(self.vertex_dtype)
        ids.sort()
        return ids[last_of_runs(self.device, ids)]

    def _require_records(self) -> RecordTable:
        if self.payload.table is None or self.payload.table.records is None:
            raise ValueError("this graph keeps no records; make it with multi_edges='all'")
        return self.payload.table.records


def check_used(xp: Any, ids: Any, used: Any, kind: str) -> None:
    """Raise ValueError, which names the first, unless all ids are `used`."""
    bad = xp.flatnonzero(~used)
    if bad.size:
        raise ValueError(f"ids[{int(bad[0])}] is {int(ids[bad[0]])}, the id of no {kind} ({bad.size} such ids)")
