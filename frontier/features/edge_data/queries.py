"""What users ask about the data of edges."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from frontier.core.locking import reads
from frontier.runtime.arrays import as_ids

from .ends import ends_by_id
from .record_queries import HasRecords, check_used

if TYPE_CHECKING:
    from frontier.core.payload import Payload

    from .columns import EdgeData


class HasEdgeData(HasRecords):
    """The part of a graph that answers questions about ids and columns of edges."""

    xp: Any
    device: Any
    directed: bool
    vertex_dtype: Any
    find_edges: Any
    payload: Payload
    _weights: Any

    @property
    @reads
    def edge_data(self) -> Mapping[str, Any] | None:
        """The columns of a graph with edge data, by name; None in other graphs.

        Each is an array on the graph's device of at least `edge_capacity` entries, by the id of an edge: what operators
        see as `edge`. Weights are the column ``"weight"``. An array may be read and written to, also in functors, until
        the next insertion, which may replace it by a longer one. Entries that are no edge's may be anything.
        """
        return None if self.payload.table is None else MappingProxyType(self.payload.table.columns)

    @reads
    def edge_ids(self, src: Any, dst: Any) -> Any:
        """The id of each edge of a graph with edge data, or -1 where there is no such edge.

        An edge keeps its id as long as it exists. Both directions of an undirected edge have the same, as have the
        edges of `reverse`. Ids are below `edge_capacity`; those of deleted edges are given to new ones.

        Parameters
        ----------
        src, dst : array-like of int, shape (m,)

        Returns
        -------
        array of int64, shape (m,), on the graph's device

        Raises
        ------
        ValueError
            The graph has no edge data; or a vertex is out of range, or was deleted.
        """
        self._require_edge_data()
        return self.find_edges(src, dst)

    @reads
    def edge_endpoints(self, ids: Any) -> tuple[Any, Any]:
        """The ends of edges of a graph with edge data, the reverse of `edge_ids`.

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
            The graph has no edge data, or an id is that of no edge.

        Notes
        -----
        A pass over the graph, for any number of edges.
        """
        data = self._require_edge_data()
        ids = as_ids(self.device, ids, "ids")
        src, dst = ends_by_id(self, data.top)  # type: ignore[arg-type]
        inside = (ids >= 0) & (ids < data.top)
        check_used(self.xp, ids, inside & (src[self.xp.where(inside, ids, 0)] >= 0) if data.top else inside, "edge")
        return src[ids], dst[ids]

    @property
    def time_unit(self) -> str | None:
        """The unit of the times of edges, ``"ns"``, ``"us"``, ``"ms"`` or ``"s"``; None in graphs without times."""
        times = None if self.payload.table is None else self.payload.table.times
        return None if times is None else times.unit

    @property
    def keep_time(self) -> str | None:
        """Which record of an edge counts, ``"latest"`` or ``"first"``; None in graphs without times."""
        times = None if self.payload.table is None else self.payload.table.times
        return None if times is None else times.keep

    @property
    def multi_edges(self) -> str:
        """The meaning of several records of an edge: ``"last"``, ``"sum"`` or ``"all"``."""
        return "last" if self.payload.table is None else self.payload.table.multi_edges

    def _require_edge_data(self) -> EdgeData:
        if self.payload.table is None:
            raise ValueError("this graph has no edge data; make it with edge_data={} for ids, or with columns")
        return self.payload.table
