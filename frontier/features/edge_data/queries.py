"""Questions of users about the data of edges, and about the records of edges."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from frontier.core.locking import reads
from frontier.core.payload import Payload
from frontier.core.sort import last_of_runs
from frontier.runtime.arrays import as_ids
from frontier.runtime.values import one_of

from .columns import COUNT, EdgeData
from .ends import ends_by_id, kept_ends
from .records import EDGE, FIRST, RecordTable


class HasEdgeData:
    """The part of a graph that answers questions about ids and columns of edges, and of their records."""

    xp: Any
    device: Any
    vertex_dtype: Any
    find_edges: Any
    payload: Payload

    @property
    @reads
    def edge_data(self) -> Mapping[str, Any] | None:
        """The columns of a graph with edge data, by name, or None in other graphs.

        Each is an array on the graph's device of at least `edge_capacity` entries, indexed by edge id (`edge` in
        operators). Weights are the column ``"weight"``. Read and write an array, also in functors, until the next
        insertion, which may replace it. Entries of unused ids are undefined.

        See Also
        --------
        edge_ids : The ids of listed edges.
        edge_values : The values of listed edges.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> amounts = {"amount": [10, 20, 30]}
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], edge_data=amounts, device="cpu")
        >>> ids = graph.edge_ids([0, 1], [1, 3])
        >>> graph.edge_data["amount"][ids]
        array([10, 30])
        >>> graph.edge_data["amount"][ids] += 1
        >>> graph.edge_values("amount", [1], [3])
        array([31])
        """
        return None if self.payload.table is None else MappingProxyType(self.payload.table.columns)

    @reads
    def edge_ids(self, src: Any, dst: Any) -> Any:
        """Return the id of each edge of a graph with edge data, or -1 for an absent edge.

        The id of an edge never changes. Both directions of an undirected edge share it, as does the edge in `reverse`.
        Ids are below `edge_capacity`, and new edges reuse the ids of deleted ones.

        Parameters
        ----------
        src, dst : array-like of int, shape (m,)

        Returns
        -------
        array of int64, shape (m,), on the graph's device

        Raises
        ------
        ValueError
            The graph has no edge data, or a vertex is out of range, or was deleted.

        See Also
        --------
        edge_endpoints : The ends of listed ids.
        find_edges : The id, or the slot in graphs without edge data.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> amounts = {"amount": [10, 20, 30]}
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], edge_data=amounts, device="cpu")
        >>> ids = graph.edge_ids([0, 1], [1, 0])
        >>> bool(ids[0] == ids[1])
        True
        >>> graph.edge_ids([2], [3])
        array([-1])
        """
        self._require_edge_data()
        return self.find_edges(src, dst)

    @reads
    def edge_endpoints(self, ids: Any) -> tuple[Any, Any]:
        """Return the ends of edges of a graph with edge data, the reverse of `edge_ids`.

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
            The graph has no edge data, or an id names no edge.

        See Also
        --------
        edge_ids : The ids of listed edges.

        Notes
        -----
        Scans the graph once, for any number of edges.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> amounts = {"amount": [10, 20, 30]}
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], edge_data=amounts, device="cpu")
        >>> graph.edge_endpoints(graph.edge_ids([3, 0], [1, 2]))
        (array([1, 0], dtype=int32), array([3, 2], dtype=int32))
        """
        data = self._require_edge_data()
        ids = as_ids(self.device, ids, "ids")
        src, dst = ends_by_id(self, data.top)  # type: ignore[arg-type]
        inside = (ids >= 0) & (ids < data.top)
        check_used(self.xp, ids, inside & (src[self.xp.where(inside, ids, 0)] >= 0) if data.top else inside, "edge")
        return src[ids], dst[ids]

    @reads
    def edge_values(self, name: str, src: Any, dst: Any) -> Any:
        """Return the values of edges in a column of edge data: ``edge_data[name]`` at their ids.

        Parameters
        ----------
        name : str
            The column. ``"weight"`` returns the weights.
        src, dst : array-like of int, shape (m,)

        Returns
        -------
        array of the column's type, shape (m,), on the graph's device

        Raises
        ------
        ValueError
            No such column exists, an id is invalid, or an edge is not in the graph.

        See Also
        --------
        edge_weights : The weight of each edge.
        find_edges : The slot or id of each edge, or -1.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> amounts = {"amount": [10, 20, 30]}
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], edge_data=amounts, device="cpu")
        >>> graph.edge_values("amount", [1, 0], [3, 1])
        array([30, 10])
        """
        columns = self._require_edge_data().columns
        return columns[one_of(name, "name", tuple(columns))][self._present_edges(src, dst)]

    def _present_edges(self, src: Any, dst: Any) -> Any:
        """`find_edges`, which raises for absent edges."""
        edges = self.find_edges(src, dst)
        missing = self.xp.flatnonzero(edges < 0)
        if missing.size:
            i = int(missing[0])
            u, v = (int(self.xp.asarray(as_ids(self.device, x, "ids"))[i]) for x in (src, dst))
            raise ValueError(f"edge {i} of the list, {u} - {v}, is not in the graph ({missing.size} such edges)")
        return edges

    @property
    def time_unit(self) -> str | None:
        """The unit of the times of edges, ``"ns"``, ``"us"``, ``"ms"`` or ``"s"``, or None in graphs without times."""
        times = None if self.payload.table is None else self.payload.table.times
        return None if times is None else times.unit

    @property
    def keep_time(self) -> str | None:
        """The row that defines an edge, ``"latest"`` or ``"first"``, or None in graphs without times.

        See Also
        --------
        time_unit : The unit of times.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> SlabGraph(3, time_unit="s", device="cpu").keep_time
        'latest'
        """
        times = None if self.payload.table is None else self.payload.table.times
        return None if times is None else times.keep

    @property
    def multi_edges(self) -> str:
        """The meaning of several rows of an edge: ``"last"``, ``"sum"`` or ``"all"``.

        See Also
        --------
        num_records : The number of records.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges(
        ...     [0, 0, 1], [1, 1, 2], [5, 6, 7], multi_edges="all", device="cpu"
        ... )
        >>> graph.multi_edges
        'all'
        """
        return "last" if self.payload.table is None else self.payload.table.multi_edges

    def _require_edge_data(self) -> EdgeData:
        if self.payload.table is None:
            raise ValueError("this graph has no edge data; make it with edge_data={} for ids, or with columns")
        return self.payload.table

    # ---- records (``multi_edges="all"``) -----------------------------------------------------------------------------

    @property
    @reads
    def record_data(self) -> Mapping[str, Any] | None:
        """The columns of the records of a graph with ``multi_edges="all"``, by name, or None in other graphs.

        Each is an array on the graph's device of at least `record_capacity` entries, indexed by record id: the weights
        (``"weight"``), the times (``"time"``), and the columns of edge data. Column ``"edge"`` is the id of the
        record's edge, or -1 for unused ids. Columns ``"next"`` and ``"previous"`` are the records of that edge after
        and before it, or -1.

        Read arrays, also in functors, until the next insertion, which may replace them. Write only to columns of edge
        data: edges derive their weights and times from the remaining columns, and links are followed without checks.

        See Also
        --------
        records : The ids of the records of edges.
        edge_data : The columns of edges.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges(
        ...     [0, 0, 1], [1, 1, 2], [5, 6, 7], multi_edges="all", device="cpu"
        ... )
        >>> _, ids = graph.records([0], [1])
        >>> graph.record_data["weight"][ids], graph.edge_weights([0], [1])
        (array([5, 6]), array([11]))
        """
        data = self.payload.table
        return None if data is None or data.records is None else MappingProxyType(data.records.columns)

    @property
    def num_records(self) -> int | None:
        """Number of records of all edges, in a graph with ``multi_edges="all"``, or None in other graphs.

        See Also
        --------
        records : The ids of the records of edges.
        num_edges : The number of edges.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges(
        ...     [0, 0, 1], [1, 1, 2], [5, 6, 7], multi_edges="all", device="cpu"
        ... )
        >>> graph.num_records, graph.num_edges
        (3, 2)
        """
        data = self.payload.table
        return None if data is None or data.records is None else data.records.size

    @property
    def record_capacity(self) -> int | None:
        """An exclusive upper bound on the ids of records, which may grow with every insertion. None without records."""
        data = self.payload.table
        return None if data is None or data.records is None else data.records.capacity

    @reads
    def records(self, src: Any, dst: Any) -> tuple[Any, Any]:
        """Return the ids of the records of each edge of a graph with ``multi_edges="all"``.

        Parameters
        ----------
        src, dst : array-like of int, shape (m,)

        Returns
        -------
        offsets : array of int64, shape (m + 1,), on the graph's device
            The records of edge i are ``ids[offsets[i]:offsets[i + 1]]``. An absent edge has none.
        ids : array of int64, shape (offsets[-1],)
            Oldest first: by time, and of equal times, or without times, in the order of insertion.

        Raises
        ------
        ValueError
            The graph stores no records, or a vertex is out of range or deleted.

        See Also
        --------
        record_data : The columns of records.
        record_endpoints : The ends of listed records.
        DynamicGraph.delete_records : Delete listed records.

        Notes
        -----
        O(m + k) work, for k results.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges(
        ...     [0, 0, 1], [1, 1, 2], [5, 6, 7], multi_edges="all", device="cpu"
        ... )
        >>> offsets, ids = graph.records([0, 1], [1, 2])
        >>> offsets, graph.record_data["weight"][ids]
        (array([0, 2, 3]), array([5, 6, 7]))
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
        """Return the ends of the edges of records.

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
            The graph stores no records, or an id names no record.

        See Also
        --------
        records : The ids of the records of edges.

        Notes
        -----
        O(m) work. The first call after a copy or load scans the graph.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges(
        ...     [0, 0, 1], [1, 1, 2], [5, 6, 7], multi_edges="all", device="cpu"
        ... )
        >>> _, ids = graph.records([1], [2])
        >>> graph.record_endpoints(ids)
        (array([1], dtype=int32), array([2], dtype=int32))
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
            raise ValueError("this graph stores no records; make it with multi_edges='all'")
        return self.payload.table.records


def check_used(xp: Any, ids: Any, used: Any, kind: str) -> None:
    """Raise ValueError, which names the first, unless all ids are `used`."""
    bad = xp.flatnonzero(~used)
    if bad.size:
        raise ValueError(f"ids[{int(bad[0])}] is {int(ids[bad[0]])}, the id of no {kind} ({bad.size} such ids)")
