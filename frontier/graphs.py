"""`Graph` and `DynamicGraph`: what users see of every structure."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from frontier.core.batch import check_id, check_ids
from frontier.core.component import Component, component_of
from frontier.core.dynamic import CoreDynamicGraph
from frontier.core.files import read_graph, write_graph
from frontier.core.graph import CoreGraph
from frontier.core.locking import reads, rearranges
from frontier.core.payload import check_on_existing
from frontier.core.registry import csr_structure
from frontier.core.results import MemoryUsage, UpdateObserver, UpdateResult
from frontier.core.statistics import StorageStatistics
from frontier.core.updates import update
from frontier.features.building import build_graph
from frontier.features.edge_data.queries import HasEdgeData
from frontier.features.edge_data.record_deletion import delete_records
from frontier.features.edge_payload import EdgePayload, payload_for
from frontier.features.in_edges import InEdges
from frontier.features.mixed import MixedResult, apply_operations
from frontier.features.snapshots import take_snapshot
from frontier.features.times import as_time
from frontier.features.windows.expiry import expire_edges
from frontier.operators.degrees import degrees_of
from frontier.operators.extract import (
    count_predecessors,
    extract_predecessors,
    extract_successors,
    incident_arcs,
    sorted_arcs,
    sorted_edges,
)
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_ids
from frontier.runtime.display import html_table
from frontier.runtime.values import flag, one_of


class Graph(HasEdgeData, CoreGraph):
    """A simple graph on one device, whose vertices are ``0 .. num_vertices - 1``.

    The base of all structures, most of which support updates and derive from `DynamicGraph`. All of them share what is
    here, on both devices; `Store` lists what each must provide.

    Parameters
    ----------
    num_vertices : int
    directed : bool
    device : {"auto", "cpu", "gpu"}
    weight_dtype : {None, int32, int64, float32, float64}
        None for a graph without weights.
    vertex_dtype : {None, int32, int64}
        By default int32, if as many vertices fit.
    in_edges : bool
        Whether a directed graph also keeps its transpose, `reverse`, in step with it: updates then take about twice the
        time and memory, and whatever needs the edges that enter a vertex no longer takes a pass over the graph. Has no
        effect on undirected graphs, which are their own reverse.
    edge_data : dict of str to dtype, optional
        Columns with an entry for each edge (`Graph.edge_data`), besides the weights if there are any: of type bool,
        int8, uint8, int32, uint32, int64, uint64, float32 or float64. Insertions then take a value for each, by
        keyword. With an empty dict, edges have ids (`Graph.edge_ids`) and no data.
    time_unit : {None, "ns", "us", "ms", "s"}
        Whether edges have times: a column of edge data called ``"time"``, of int64 in this unit since 1970-01-01 UTC
        (``"int64"`` is ``"ns"``). Insertions then take ``time=``: integers, which are taken as they are, or timestamps
        of NumPy, pandas or Arrow, which are converted exactly. Edges can expire (`DynamicGraph.expire`).
    keep_time : {"latest", "first"}
        Which of several records of an edge counts, in whatever order they are inserted: its time is that of the edge,
        and so are its weight and other data. Of equal times, the later record counts with ``"latest"``.
    multi : {"last", "sum", "all"}
        What several records of an edge mean, in one batch or in several: the last counts (or what the time says); or
        they add up. With ``"sum"``, edges have a column of edge data called ``"count"``, of int64, the number of their
        records, and their weights are sums; their other data are those of the record that counts. ``"all"`` does the
        same, and keeps all records, with ids and data of their own (`Graph.record_data`).

    Attributes
    ----------
    name : str
        Name of the structure in the registry, on the command line and in files.
    directed : bool
    device : Device
    vertex_dtype : dtype
        int32, or int64 for larger ids.
    weight_dtype : dtype or None
        None in unweighted graphs.
    version : int
        Incremented by every update and by compaction: results for one version may be outdated in the next.
    vertex_version : int
        Incremented only when vertices are added, reinserted or deleted.
    """

    read_only: ClassVar[bool] = False
    """Whether updates raise, since this is the reverse of another graph."""
    component_types: ClassVar[tuple[type[Component], ...]] = (EdgePayload, InEdges)
    """Classes of components that files hold."""

    def __init__(
        self,
        num_vertices: int = 0,
        *,
        directed: bool = False,
        device: str | Device = "auto",
        weight_dtype: Any = None,
        vertex_dtype: Any = None,
        in_edges: bool = False,
        edge_data: Any = None,
        time_unit: str | None = None,
        keep_time: str = "latest",
        multi_edges: str = "last",
        **structure_options: Any,
    ):
        super().__init__(
            num_vertices, directed=directed, device=device, weight_dtype=weight_dtype, vertex_dtype=vertex_dtype,
            make_payload=partial(payload_for, type(self), edge_data, time_unit, keep_time, multi_edges),
            **structure_options,
        )  # fmt: skip
        if isinstance(self.payload, EdgePayload):
            self._components.append(self.payload)
        if flag(in_edges, "in_edges") and self.directed:
            self._components.append(InEdges())
        self._constructed()

    # ---- construction ------------------------------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        src: Any,
        dst: Any,
        weights: Any = None,
        num_vertices: int | None = None,
        directed: bool = False,
        device: str | Device = "auto",
        edge_data: Any = None,
        time: Any = None,
        time_unit: str = "ns",
        *,
        keep_time: str = "latest",
        weight_dtype: Any = None,
        vertex_dtype: Any = None,
        in_edges: bool = False,
        **structure_options: Any,
    ) -> Self:
        """A graph with these edges.

        Self-loops are dropped; if an edge is listed several times, the last occurrence counts.

        Parameters
        ----------
        src, dst : array-like of int, shape (m,)
            NumPy or CuPy arrays, lists, columns of pandas, Polars, Arrow or cuDF, or PyTorch tensors. Edges of
            undirected graphs may be listed in either direction, or in both.
        weights : array-like of numbers, shape (m,), optional
            int32, int64, float32 or float64, which becomes the weight type of the graph.
        num_vertices : int, optional
            Size of the id space; by default the largest id plus one.
        directed : bool
        device : {"auto", "cpu", "gpu"}
        edge_data : dict of str to array-like, shape (m,), optional
            Columns with an entry for each edge, of the arrays' types.
        time : array-like of int or of timestamps, shape (m,), optional
            The time of each edge, which makes a graph with times.
        time_unit : {"ns", "us", "ms", "s"}
            The unit of the times.
        keep_time : {"latest", "first"}
            Which of several records of an edge counts, in a graph with times.
        weight_dtype : {None, int32, int64, float32, float64}
            By default that of `weights`.
        vertex_dtype : {None, int32, int64}
            By default int32, if as many vertices fit.
        in_edges : bool
            Whether a directed graph also keeps its transpose.
        **structure_options
            Options of the structure's constructor, such as ``load_factor`` of `SlabGraph`.

        Raises
        ------
        TypeError, ValueError
            Naming the argument and what is wrong with it.
        MemoryError
            The device's memory is exhausted. The usual cause is sparse ids, since every id up to the largest takes
            memory; ``frontier.io.from_table({"src": src, "dst": dst}, compact=True)`` renumbers them.

        Notes
        -----
        Sorts the edges: O(m log m) work.
        """
        options = {
            "directed": directed, "device": device, "weight_dtype": weight_dtype, "vertex_dtype": vertex_dtype,
            "in_edges": in_edges, "time_unit": time_unit, "keep_time": keep_time, **structure_options,
        }  # fmt: skip
        return build_graph(cls, src, dst, weights, num_vertices, edge_data, time, options)

    def copy(self) -> Self:
        """An independent graph with the same contents on the same device, without observers.

        Equivalent to `copy.copy` and `copy.deepcopy`.
        """
        return super().copy()

    @reads
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a file, in its memory layout.

        The file is an uncompressed NumPy ``.npz`` followed by a checksum. Writing is atomic: an existing file is
        replaced only once the new one is complete and on disk, and survives an error or a killed process.

        Parameters
        ----------
        path : str or os.PathLike

        Raises
        ------
        OSError
            Naming the file; an existing file is unchanged.
        """
        write_graph(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], device: str | Device = "auto") -> Self:
        """Load a graph written by `save`.

        Parameters
        ----------
        path : str or os.PathLike
        device : {"auto", "cpu", "gpu"}
            Target device, which may differ from the one it was saved from.

        Raises
        ------
        ValueError
            The file does not hold a graph of this structure, or it is corrupt: kernels rely on the invariants checked.

        Notes
        -----
        All arrays are validated, which sorts all arcs.
        """
        return cast(Self, read_graph(path, cls, device))

    # ---- queries -----------------------------------------------------------------------------------------------------

    def reading(self) -> AbstractContextManager[Any]:
        """A context during which no other thread updates the graph: updates wait until it ends.

        Each operator and look-up blocks updates by other threads while it runs. Use this to make several calls on the
        same state of a graph that threads share. Updating the graph inside the block raises RuntimeError.

        Examples
        --------
        >>> from structures import CSR
        >>> g = CSR.from_edges([0, 1], [1, 2], device="cpu")
        >>> with g.reading():
        ...     degrees, (src, dst, _) = g.degrees(), g.to_coo()
        """
        lock = self._access.share().lock
        if self._access.broken is not None:
            raise RuntimeError(self._access.broken)
        return lock

    if TYPE_CHECKING:  # of its store

        @property
        def num_vertices(self) -> int:
            """Size of the id space, and length of every per-vertex result; deleted and isolated vertices count."""

        @property
        def num_arcs(self) -> int:
            """Number of stored arcs: two per edge in undirected graphs."""

    @property
    def num_edges(self) -> int:
        """Number of edges; an undirected edge counts once."""
        return self.num_arcs if self.directed else self.num_arcs // 2

    @property
    def is_weighted(self) -> bool:
        """Whether edges have weights, of type `weight_dtype`."""
        return self.weight_dtype is not None

    @property
    def has_in_edges(self) -> bool:
        """Whether `reverse` is there: in undirected graphs, and directed ones made with ``in_edges=True``."""
        return not self.directed or component_of(self, InEdges) is not None

    @property
    @reads
    def reverse(self) -> Graph:
        """The graph with every edge reversed, which operators and algorithms take like any other; O(1).

        It is a read-only view: updates of this graph show in it, and raise TypeError if called on it. Its slots, which
        operators see as `edge`, are its own. Its `reverse` is this graph, its `copy` an independent graph that can be
        updated. An undirected graph is its own reverse.

        Raises
        ------
        ValueError
            A directed graph was made without ``in_edges=True``.
        """
        if not self.directed:
            return self
        in_edges = component_of(self, InEdges)
        if in_edges is None:
            raise ValueError("this graph keeps no in-edges; make it with in_edges=True")
        return in_edges.view(self)

    @reads
    def has_vertices(self, ids: Any) -> Any:
        """Whether each id names a vertex: inside the id space and not deleted.

        Returns
        -------
        array of bool, on the graph's device
        """
        # A few ids of the host are compared there, for which CuPy would compile kernels.
        on_host = isinstance(ids, np.ndarray | list | tuple | range) and self.store.absent is None
        ids = as_ids(resolve_device("cpu") if on_host else self.device, ids, "ids")
        found = (ids >= 0) & (ids < self.num_vertices)
        if on_host:
            return self.xp.asarray(found)
        if self.store.absent is not None:
            inside = self.xp.where(found, ids, 0)
            found &= ~self.store.absent[inside]
        return found

    def has_edges(self, src: Any, dst: Any) -> Any:
        """Whether each edge is in the graph.

        Returns
        -------
        array of bool, shape (m,), on the graph's device

        Raises
        ------
        ValueError
            An id is out of range or names a deleted vertex.
        """
        return self.find_edges(src, dst) >= 0

    @property
    @reads
    def absent_mask(self) -> Any:
        """Which ids name no vertex, as theirs was deleted: None while there are none.

        A read-only array of bool, shape (num_vertices,), on the graph's device, valid until the next update. On a GPU
        it is a copy, since CuPy has no read-only arrays.
        """
        return None if self.store.absent is None else self.device.read_only(self.store.absent)

    @property
    @reads
    def slot_weights(self) -> Any:
        """The weight of each edge, indexed by what operators see as `edge` (`find_edges`); None without weights.

        An array of `weight_dtype` on the graph's device, valid until the next update, or as long as a snapshot is
        referred to. It is the graph's own and must not be changed. Entries that are no edge's may be anything.
        """
        return self.payload.weights_by_edge(self)

    @reads
    def find_edges(self, src: Any, dst: Any, *, checked: bool = True) -> Any:
        """What operators see as `edge` of each arc ``src[i] -> dst[i]``, or -1 for arcs that are not in the graph.

        These are slots, which hold until the next update, or, in graphs with edge data, ids (`edge_ids`).

        Parameters
        ----------
        src, dst : array-like of int, shape (m,)
        checked : bool
            False where they are arrays of the graph's vertex dtype, on its device, that are known to hold ids of its
            vertices. Then the host does not wait for the device to check them. What arrays that are not so lead to is
            undefined.

        Returns
        -------
        array of int64, shape (m,), on the graph's device
        """
        if not checked:
            return self.payload.edges_at(self, self.store.find(src, dst)) if src.size else self.xp.empty(0, np.int64)
        arcs = self.store.make_arcs(src, dst, directed=True, drop_loops=False)
        if not len(arcs):
            return self.xp.empty(0, np.int64)
        edges = self.payload.edges_at(self, self.store.find(arcs.src, arcs.dst))
        arcs.check()
        return edges

    @reads
    def edge_weights(self, src: Any, dst: Any) -> Any:
        """The weight of each edge.

        Returns
        -------
        array of `weight_dtype`, shape (m,), on the graph's device
            1 (float32) for every edge of an unweighted graph.

        Raises
        ------
        ValueError
            An id is invalid, or an edge is not in the graph.
        """
        edges = self._present_edges(src, dst)
        if self.weight_dtype is None:
            return self.xp.ones(edges.size, np.float32)
        return self.slot_weights[edges]

    @reads
    def edge_values(self, name: str, src: Any, dst: Any) -> Any:
        """The values of edges in a column of edge data: ``edge_data[name]`` at their ids.

        Parameters
        ----------
        name : str
            Of the column; ``"weight"`` for the weights.
        src, dst : array-like of int, shape (m,)

        Returns
        -------
        array of the column's type, shape (m,), on the graph's device

        Raises
        ------
        ValueError
            There is no such column, an id is invalid, or an edge is not in the graph.
        """
        columns = self._require_edge_data().columns
        return columns[one_of(name, "name", tuple(columns))][self._present_edges(src, dst)]

    def _present_edges(self, src: Any, dst: Any) -> Any:
        """`find_edges`, of edges that must be there."""
        edges = self.find_edges(src, dst)
        missing = self.xp.flatnonzero(edges < 0)
        if missing.size:
            i = int(missing[0])
            u, v = (int(self.xp.asarray(as_ids(self.device, x, "ids"))[i]) for x in (src, dst))
            raise ValueError(f"edge {i} of the list, {u} - {v}, is not in the graph ({missing.size} such edges)")
        return edges

    @reads
    def degrees(self) -> Any:
        """Number of neighbors of every vertex (out-degree in directed graphs).

        Returns
        -------
        array of int64, shape (num_vertices,), on the graph's device
        """
        return degrees_of(self)

    @reads
    def in_degrees(self) -> Any:
        """Number of edges that enter every vertex; in undirected graphs, that of `degrees`.

        Returns
        -------
        array of int64, shape (num_vertices,), on the graph's device

        Notes
        -----
        O(V) work; in directed graphs without in-edges (`has_in_edges`), a pass over all arcs.
        """
        return self.reverse.degrees() if self.has_in_edges else count_predecessors(self)

    @reads
    def neighbors(self, v: int) -> Any:
        """The neighbors of `v` (successors, in directed graphs), in ascending order.

        Returns
        -------
        array of `vertex_dtype`, on the graph's device
        """
        v = check_id(v, "v", self.num_vertices, self.store.absent)
        return extract_successors(self, self.xp.asarray([v], self.vertex_dtype), weighted=False)[1]

    @reads
    def successors(self, vertices: Any) -> tuple[Any, Any, Any]:
        """The successors of each of a list of vertices: a batched 1-hop query.

        Parameters
        ----------
        vertices : array-like of int, shape (m,)
            In any order, with duplicates.

        Returns
        -------
        offsets : array of int64, shape (m + 1,), on the graph's device
            The successors of ``vertices[i]`` are ``ids[offsets[i]:offsets[i + 1]]``.
        ids : array of `vertex_dtype`, shape (offsets[-1],)
            In ascending order for each vertex.
        weights : array of `weight_dtype`, shape (offsets[-1],), or None
            None in unweighted graphs.

        Raises
        ------
        ValueError
            An id is out of range or names a deleted vertex.

        Notes
        -----
        O(k log k) work, for k results; O(k) in structures that store neighbors in order (`is_sorted`).
        """
        ids = check_ids(self.device, vertices, "vertices", self.num_vertices, self.store.absent)
        return extract_successors(self, ids.astype(self.vertex_dtype))

    @reads
    def predecessors(self, vertices: Any) -> tuple[Any, Any, Any]:
        """The predecessors of each of a list of vertices; arguments and results are those of `successors`.

        Equivalent to `successors` in undirected graphs, and to those of `reverse` in directed graphs that keep
        in-edges (`has_in_edges`). In other directed graphs it takes one pass over all arcs, for any number of vertices:
        O(E + k log k) work, for k results.
        """
        ids = check_ids(self.device, vertices, "vertices", self.num_vertices, self.store.absent)
        return extract_predecessors(self, ids.astype(self.vertex_dtype))

    @reads
    def to_coo(self) -> tuple[Any, Any, Any]:
        """All edges as ``(src, dst, weights)`` on the graph's device, sorted; undirected ones once, as ``src < dst``.

        `weights` is None in unweighted graphs.
        """
        src, dst, stored = sorted_edges(self)
        return src, dst, self.payload.weights_of(stored)

    @reads
    def to_csr(self, *, in_edges: bool = False) -> Graph:
        """A sorted static copy on the same device: a graph of structure ``csr`` with arrays of its own.

        Its `offsets`, `indices` and `weights` are the usual CSR arrays, as in SciPy. It has no edge data but weights.

        Parameters
        ----------
        in_edges : bool
            Whether that of a directed graph keeps in-edges.
        """
        offsets, dst, stored = sorted_arcs(self)
        return csr_structure().from_csr(  # type: ignore[attr-defined]
            offsets, dst, self.payload.weights_of(stored), directed=self.directed, device=self.device,
            absent=self.store.absent, in_edges=flag(in_edges, "in_edges"),
        )  # fmt: skip

    def memory_usage(self) -> MemoryUsage:
        """Memory used by the graph, compared with CSR; that of in-edges and edge data included, on both sides.

        CSR would have the weights of arcs, and the other data of edges. What is reserved includes the copies that
        snapshots have (`DynamicGraph.snapshot`), and lists that are kept for samples (`sample_temporal_neighbors`).
        """
        return super().memory_usage()

    @reads
    def statistics(self) -> StorageStatistics:
        """How the graph is stored: slots, tombstones, bytes by array, and what is particular to the structure.

        O(V + slots) work at most. In-edges have statistics of their own, those of `reverse`.
        """
        return super().statistics()

    def _repr_html_(self) -> str:
        data = self.payload.table
        rows = {
            "vertices": self.num_vertices, "edges": self.num_edges, "directed": self.directed,
            "in-edges": (self.directed and self.has_in_edges) or None, "weights": self.weight_dtype,
            "edge data": None if data is None else ", ".join(data.names), "times": self.time_unit,
            "device": self.device.kind,
        }  # fmt: skip
        return html_table(type(self).__name__, {name: value for name, value in rows.items() if value is not None})

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        if self.directed and self.has_in_edges:
            kind += " with in-edges"
        weights = "" if self.weight_dtype is None else f", {self.weight_dtype} weights"
        data = self.payload.table
        if data is not None:
            weights += f", edge data ({', '.join(data.names)})"
        if self.time_unit is not None:
            weights += f", times in {self.time_unit}, {self.keep_time} kept"
        if self.multi_edges != "last":
            weights += f", multi_edges={self.multi_edges!r}"
        return (
            f"{type(self).__name__}({self.num_vertices:,} vertices, {self.num_edges:,} edges, {kind}{weights}, "
            f"{self.device.kind})"
        )


class DynamicGraph(Graph, CoreDynamicGraph):
    """A graph that supports batched insertions and deletions of edges and vertices.

    The semantics are the same for every structure on every device:

    * The graph is simple. Self-loops in a batch are dropped; if an edge is listed several times, the last counts (or
      all, with ``multi_edges="sum"`` and ``multi_edges="all"``).
    * ``directed=False`` stores both directions; a batch may list an edge in either direction, or in both.
    * Batches are atomic: invalid input raises before anything changes. (`insert_edges` documents the one exception,
      for exhausted memory.)
    * Deleting an absent edge has no effect.
    * In-edges, if the graph keeps any (`has_in_edges`), follow every update, and none that fails.
    """

    # ---- edges -------------------------------------------------------------------------------------------------------

    @update
    def insert_edges(
        self, src: Any, dst: Any, weights: Any = None, *, on_existing: str = "replace", **edge_data: Any
    ) -> UpdateResult:  # fmt: skip
        """Insert a batch of edges.

        Parameters
        ----------
        src, dst : array-like of int, shape (m,)
        weights : array-like of numbers, shape (m,), optional
            1 by default, in weighted graphs.
        on_existing : {"replace", "keep", "add"}
            How to treat existing edges: replace the weight, keep it, or add to it. With ``"add"``, edges whose weight
            becomes 0 or negative are deleted, and absent edges with such weights are never inserted. Infinity and
            minus infinity have no sum.
        **edge_data : array-like, shape (m,)
            A value of each edge for each column of a graph with edge data (`Graph.edge_data`). Those of existing edges
            are replaced, or kept with ``"keep"``. In a graph with times, ``time`` is among them, and decides which
            record of an edge counts: one that is outdated replaces nothing.

        Returns
        -------
        UpdateResult

        Raises
        ------
        TypeError, ValueError
            Naming the argument and what is wrong with it; the graph is unchanged. With ``"add"``, also if a sum of
            integer weights overflows, or one of floats is NaN.
        MemoryError
            The device's memory is exhausted; the graph is unchanged. The exception is ``on_existing="add"`` with edges
            to delete, since memory for deletions is allocated last. If that fails, all other edges of the batch are
            inserted or have their new weights, and the edges to delete remain with their old weights.
        ObserverError
            The edges were inserted, but an observer failed. This applies to all updates.
        """
        if on_existing != "replace":
            check_on_existing(self, on_existing)
        return self.payload.insert(self, src, dst, weights, on_existing, edge_data)

    @update
    def delete_edges(self, src: Any, dst: Any) -> UpdateResult:
        """Delete a batch of edges; absent edges are skipped.

        Raises
        ------
        TypeError, ValueError
            Naming the argument and what is wrong with it; the graph is unchanged.
        MemoryError
            The device's memory is exhausted; the graph is unchanged.
        """
        return self.payload.delete(self, src, dst)

    @update
    def delete_records(self, ids: Any) -> UpdateResult:
        """Delete a batch of records of a graph with ``multi_edges="all"``, and the edges of which no record is left.

        Parameters
        ----------
        ids : array-like of int, shape (m,)
            In any order, with duplicates.

        Returns
        -------
        RecordsResult

        Raises
        ------
        TypeError, ValueError
            The graph keeps no records, or an id is that of no record; the graph is unchanged. Also if an edge is left
            with records of integer weights whose sum overflows.
        MemoryError
            The device's memory is exhausted; the graph is unchanged.

        Notes
        -----
        O(m log m) work; if weights are floats, also the records that are left of edges that lose some, whose weights
        are summed again. The first call after the graph was copied or loaded takes a pass over it. Observers are
        notified of the edges that are deleted, and then of those that stay, as of edges that an insertion changes.
        """
        return delete_records(self, self._distinct_record_ids(ids))

    @update
    def expire(self, before: Any) -> UpdateResult:
        """Delete the edges of a graph with times whose time is less than `before`.

        With ``multi_edges="all"``, each record has its own time: such records are deleted, as by `delete_records`.

        Parameters
        ----------
        before : int or timestamp
            In the unit of the graph's times, or a ``datetime``, or a timestamp of NumPy or pandas.

        Returns
        -------
        UpdateResult
            With the number of deleted edges.

        Raises
        ------
        TypeError, ValueError
            `before` is no time, or the graph has none; or, with ``multi_edges="all"``, the integer weights of the
            records that are left of an edge have a sum that does not fit. The graph is unchanged.
        MemoryError
            The device's memory is exhausted; the graph is unchanged.

        Notes
        -----
        Work in proportion to the records that were inserted with such times, not to the graph: each insertion is
        logged, from the first call on. That call, and the first after the graph was copied or loaded, or after many
        edges were inserted again and again, sorts all edges. Times that are assigned to the column are not logged.
        """
        if self.time_unit is None:
            raise ValueError("this graph has no times; make it with time_unit=")
        return expire_edges(self, as_time(before, "before", self.time_unit))

    @update
    def apply(self, ops: Any, src: Any, dst: Any, weights: Any = None, **edge_data: Any) -> MixedResult:
        """Apply a mixed batch of updates and queries, as if each operation had run in its order.

        Parameters
        ----------
        ops : array-like of `Operation`, shape (m,)
            ``INSERT`` (as `insert_edges` does by default), ``DELETE``, ``HAS_EDGE``, ``WEIGHT``, ``DEGREE`` or
            ``NEIGHBORS``, or their numbers.
        src, dst : array-like of int, shape (m,)
            The edge; for ``DEGREE`` and ``NEIGHBORS``, which `dst` has no meaning for, the vertex is `src`.
        weights, **edge_data : array-like, shape (m,)
            As in `insert_edges`. They have a meaning for ``INSERT`` only, and may be left out if there is none.

        Returns
        -------
        MixedResult
            The answers, by operation.

        Raises
        ------
        TypeError, ValueError
            Naming the argument and what is wrong with it; the graph is unchanged.
        MemoryError
            The device's memory is exhausted; the graph is unchanged, but if it happens at the end, in the deletion of
            edges: then the insertions of the batch have been applied.

        Notes
        -----
        A sort of the operations; for degrees one more, of the effects at each vertex; for neighbors several, of the
        answers too. On a GPU the host waits once, and once more for each of the two updates, unless neighbors are asked
        for. Observers are notified of the net effect: of an edge that is
        inserted and deleted, or deleted and inserted, in one batch they are not. An edge that is deleted and inserted
        keeps its id.
        """
        return apply_operations(self, ops, src, dst, weights, edge_data)

    # ---- vertices ----------------------------------------------------------------------------------------------------

    @update
    def insert_vertices(self, count_or_ids: Any) -> Any:
        """Add vertices.

        Parameters
        ----------
        count_or_ids : int or array-like of int
            A number of vertices: deleted ids are reallocated first, in ascending order, then the id space grows. Or the
            ids themselves: deleted ones become valid again, and the id space is extended to hold larger ones.

        Returns
        -------
        array of int64, on the graph's device
            The ids of the vertices.

        Raises
        ------
        TypeError, ValueError
            A negative count or id; the graph is unchanged.
        """
        return self._insert_vertices(count_or_ids)

    @update
    def delete_vertices(self, ids: Any) -> UpdateResult:
        """Delete vertices and all incident edges.

        The ids become invalid: a batch that names one raises, until `insert_vertices` allocates it again. Only the
        neighborhoods of the vertices are visited, except in directed graphs without in-edges (`has_in_edges`), where
        finding the incoming edges takes a pass over the graph.

        Returns
        -------
        UpdateResult
            With the number of deleted edges.

        Raises
        ------
        TypeError, ValueError
            An id is out of range or already deleted; the graph is unchanged.
        MemoryError
            The device's memory is exhausted; the graph is unchanged.
        """
        ids = check_ids(self.device, ids, "ids", self.num_vertices, self.store.absent)
        if not ids.size:
            return UpdateResult()
        marked = self.xp.zeros(self.num_vertices, bool)
        marked[ids] = True
        return self._delete_vertices(marked, *incident_arcs(self, marked))

    # ---- snapshots, storage ------------------------------------------------------------------------------------------

    @reads
    def snapshot(self) -> Self:
        """The graph as it is now, which stays so while the graph is updated.

        It is a graph that operators, algorithms and look-ups take, from any thread; updates of it raise TypeError, and
        its `copy` can be updated. Taking one is O(1): the graph is copied when the snapshot is first read, by the
        thread that does. Until the next update, the result is the same object.

        Returns
        -------
        DynamicGraph
            Of the same structure, on the same device. Its memory is freed with the last reference, or serves the next
            snapshot.

        Raises
        ------
        MemoryError
            By the first read: there is no memory for a copy, or there was none when the graph was updated.
        RuntimeError
            An observer of the graph is being notified of an update.

        Notes
        -----
        Where an earlier copy exists, the updates since then are repeated on it if that takes less time than to copy
        the graph; that blocks no updates. Otherwise the graph is copied: by the first read, or, if an update comes
        before, by that update, which then takes O(V + E) work. Updates keep copies of their batches as long as to
        repeat them would take less time than to copy the graph. Copies and batches are counted by `memory_usage`.

        In graphs with edge data all snapshots are copied from the graph. Values that functors or assignments write to a
        column of the graph may be seen in snapshots that were not read before; the columns of a snapshot must not be
        written to, by functors either; NumPy refuses to.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 1], [1, 2], device="cpu")
        >>> before = graph.snapshot()
        >>> graph.delete_edges([0], [1])
        UpdateResult(inserted=0, replaced=0, deleted=1)
        >>> before.num_edges, graph.num_edges
        (2, 1)
        """
        return take_snapshot(self)

    @rearranges
    def compact(self) -> None:
        """Rearrange storage as if the graph had just been built, and free what is not needed.

        Updates keep storage in order by themselves; this is for graphs that have shrunk much, or will not change for
        long. Vertices, edges and weights stay as they are, slots change, and observers are not notified.

        Raises
        ------
        MemoryError
            There is not enough memory to work with; the graph is unchanged.

        Notes
        -----
        O(V + E) work, or a sort of all arcs; up to the memory of a second graph while it runs.
        """
        super().compact()

    # ---- observers ---------------------------------------------------------------------------------------------------

    @reads
    def attach(self, observer: UpdateObserver, *, instead_of: UpdateObserver | None = None) -> None:
        """Notify `observer` of updates. The graph holds only a weak reference to it.

        Attaching an attached observer again has no effect. See `UpdateObserver` for what happens if it raises.

        Parameters
        ----------
        observer : UpdateObserver
        instead_of : UpdateObserver, optional
            An attached observer to replace: for observers that forward notifications to another.

        Raises
        ------
        TypeError
            It is not an `UpdateObserver`.
        ValueError
            It is attached to another graph, or rejects this one; or `instead_of` is not attached.
        """
        self._observers.attach(observer, instead_of)

    @reads
    def detach(self, observer: UpdateObserver) -> None:
        """Stop notifying `observer` of updates; has no effect if it is not attached.

        Raises
        ------
        TypeError
            It is not an `UpdateObserver`.
        """
        self._observers.detach(observer)
