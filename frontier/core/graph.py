"""`Graph`: what users see of every structure: construction, files and queries."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar, Self, cast

import numpy as np

from frontier.features.edge_data import MULTI, EdgeData, build_rows, column_arrays, edge_runs, make_rows, summed_rows
from frontier.features.edge_data.queries import HasEdgeData
from frontier.features.edge_data.record_insertion import build_records
from frontier.features.in_edges import InEdges
from frontier.features.snapshots import History
from frontier.features.times import TIME, TimeColumn
from frontier.operators.degrees import degrees_of
from frontier.operators.extract import count_predecessors, extract_predecessors, extract_successors
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import VERTEX_DTYPES, WEIGHT_DTYPES, as_dtype, as_ids, as_weights, same_length
from frontier.runtime.display import html_table
from frontier.runtime.values import flag, integer, one_of

from .base import BaseGraph
from .batch import Arcs, check_id, check_ids
from .files import graph_header, host_arrays, pickled_graph, read_graph, stored_arrays, write_graph
from .locking import reads
from .registry import csr_structure
from .results import MemoryUsage
from .sort import row_ids, sorted_unique_arcs
from .statistics import StorageStatistics
from .store import Structure
from .vertex_arrays import MakesVertexArrays

MAX_INT32_VERTICES = 2**31 - 1
MAX_VERTICES = 2**48


@contextmanager
def _room_for_ids(num_vertices: int) -> Iterator[None]:
    """Where the number of vertices is that of the largest id: say so if there is no memory for as many."""
    try:
        if num_vertices > MAX_VERTICES:
            raise MemoryError(f"no device has memory for more than {MAX_VERTICES} vertices")
        yield
    except MemoryError as error:
        raise MemoryError(
            f"src and dst hold ids up to {num_vertices - 1}, and there is no memory for as many vertices ({error}); "
            "where ids have gaps, frontier.io.from_table({'src': src, 'dst': dst}, compact=True) renumbers them, as "
            "does read_edges(path, compact=True)"
        ) from None


class Graph(BaseGraph, HasEdgeData, MakesVertexArrays, Structure):
    """A simple graph on one device, whose vertices are ``0 .. num_vertices - 1``.

    The base of all structures, most of which support updates and derive from `DynamicGraph`. All of them share what is
    here, on both devices; `Structure` lists what each must provide.

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
    _in_edges: InEdges | None
    _history: History | None = None
    """What snapshots are made from; None until the first is taken."""

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
    ):
        num_vertices = integer(num_vertices, "num_vertices", 0)
        self.directed = flag(directed, "directed")
        self.device = resolve_device(device)
        self.weight_dtype = None if weight_dtype is None else as_dtype(weight_dtype, "weight_dtype")
        if self.weight_dtype is not None and self.weight_dtype not in WEIGHT_DTYPES:
            names = ", ".join(str(dtype) for dtype in WEIGHT_DTYPES)
            raise TypeError(f"weight_dtype must be one of {names}, not {self.weight_dtype}")
        if self.weight_dtype is not None and not self.can_store_weights:
            raise ValueError(f"{type(self).__name__} stores no weights")
        if vertex_dtype is None:
            vertex_dtype = np.int32 if num_vertices <= MAX_INT32_VERTICES else np.int64
        self.vertex_dtype = as_dtype(vertex_dtype, "vertex_dtype")
        if self.vertex_dtype not in VERTEX_DTYPES:
            raise TypeError(f"vertex_dtype must be int32 or int64, not {self.vertex_dtype}")
        self._edge_data = None
        times = None if time_unit is None else TimeColumn(self.device, self.vertex_dtype, time_unit, keep_time)
        if one_of(multi_edges, "multi_edges", MULTI) != "last" or edge_data is not None or times is not None:
            if not self.can_store_weights:
                raise ValueError(f"{type(self).__name__} stores no edge data" + ", and no times" * (times is not None))
            columns = {} if edge_data is None else edge_data
            self._edge_data = EdgeData(self.device, self.vertex_dtype, self.weight_dtype, columns, times, multi_edges)
        if num_vertices > np.iinfo(self.vertex_dtype).max:
            raise ValueError(f"{num_vertices} vertices do not fit in vertex_dtype={self.vertex_dtype}")
        self._num_vertices = int(num_vertices)
        self._num_arcs = 0
        self._has_sorted_lists, self._shares_edge_data = True, False
        self._absent = None
        self.version = 0
        self.vertex_version = 0
        self._in_edges = InEdges(self) if flag(in_edges, "in_edges") and self.directed else None
        self._attach_runtime()

    # ---- construction -----------------------------------------------------------------------------------------------

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
        place = resolve_device(device)
        src, dst = as_ids(place, src, "src"), as_ids(place, dst, "dst")
        if weights is not None:
            weights = as_weights(place, weights, "weights")
            weight_dtype = weights.dtype if weight_dtype is None else weight_dtype
        same_length(src=src, dst=dst, weights=weights)
        options: dict[str, Any] = {
            "directed": directed, "device": place, "weight_dtype": weight_dtype, "vertex_dtype": vertex_dtype,
            "in_edges": in_edges, "keep_time": keep_time, **structure_options,
        }  # fmt: skip
        if edge_data is not None:
            edge_data = column_arrays(place, edge_data)
            options["edge_data"] = {name: values.dtype for name, values in edge_data.items()}
        if time is not None:
            if isinstance(time, str):
                raise TypeError(f"from_edges() takes the times of the edges as time=; time_unit={time!r} is their unit")
            options["time_unit"] = time_unit
            edge_data = {**(edge_data or {}), TIME: time}
        if num_vertices is None:
            num_vertices = 1 + max(int(src.max()), int(dst.max()), -1) if src.size else 0
            with _room_for_ids(num_vertices):
                graph = cls(num_vertices, **options)
        else:
            graph = cls(num_vertices, **options)
        if graph._edge_data is not None:
            rows = make_rows(graph, src, dst, weights, edge_data or {}, "from_edges")
            if graph.multi_edges == "all":
                build_records(graph, rows)
            else:
                build_rows(
                    graph, rows if graph.multi_edges == "last" else summed_rows(graph, rows, edge_runs(graph, rows))
                )
        elif src.size:
            graph._load(graph._prepare(src, dst, weights, directed=graph.directed, weighted=True))
        if graph._in_edges is not None:
            graph._in_edges.current(graph)
        return graph

    def _load(self, arcs: Arcs) -> None:
        """Fill this empty graph."""
        offsets, dst, weights = sorted_unique_arcs(self.device, arcs.check(), self._num_vertices)
        self._build(offsets, dst, weights)
        self._num_arcs = int(dst.size)
        self.version += 1

    @reads
    def copy(self) -> Self:
        """An independent graph with the same contents on the same device, without observers.

        Equivalent to `copy.copy` and `copy.deepcopy`.
        """
        twin = self._copy_arrays()
        if self._edge_data is not None:
            twin._edge_data = self._edge_data.copy()
        if self._in_edges is not None:
            twin._in_edges = self._in_edges.copied_to(twin)
        return twin

    def _copy_arrays(self) -> Self:
        """A copy that keeps no in-edges, and shares edge data."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._in_edges = None
        twin.__dict__.pop("_history", None)
        for name, array in stored_arrays(self):
            setattr(twin, f"_{name}", array.copy())
        twin._attach_runtime()
        return twin

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        memo[id(self)] = twin = self.copy()
        return twin

    @reads
    def __reduce__(self) -> tuple[Any, ...]:
        """The contents of a pickle, the same as of a file. GPU graphs are copied to the host.

        Loading places them on the GPU again if there is one, otherwise on the CPU. Observers are not included.
        """
        arrays = dict(host_arrays(self))
        if not self.device.is_gpu:  # the arrays are written after this returns, when another thread may update them
            arrays = {name: array.copy() for name, array in arrays.items()}
        return pickled_graph, (type(self), graph_header(self), arrays, self.device, self.version)

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

    # ---- queries ----------------------------------------------------------------------------------------------------

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

    @property
    def num_vertices(self) -> int:
        """Size of the id space, and length of every per-vertex result; deleted and isolated vertices count."""
        return self._num_vertices

    @property
    def num_edges(self) -> int:
        """Number of edges; an undirected edge counts once."""
        return self._num_arcs if self.directed else self._num_arcs // 2

    @property
    def num_arcs(self) -> int:
        """Number of stored arcs: two per edge in undirected graphs."""
        return self._num_arcs

    @property
    def is_weighted(self) -> bool:
        """Whether edges have weights, of type `weight_dtype`."""
        return self.weight_dtype is not None

    @property
    def has_in_edges(self) -> bool:
        """Whether `reverse` is there: in undirected graphs, and directed ones made with ``in_edges=True``."""
        return not self.directed or self._in_edges is not None

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
        if self._in_edges is None:
            raise ValueError("this graph keeps no in-edges; make it with in_edges=True")
        return self._in_edges.view(self)

    @reads
    def has_vertices(self, ids: Any) -> Any:
        """Whether each id names a vertex: inside the id space and not deleted.

        Returns
        -------
        array of bool, on the graph's device
        """
        # A few ids of the host are compared there, for which CuPy would compile kernels.
        on_host = isinstance(ids, np.ndarray | list | tuple | range) and self._absent is None
        ids = as_ids(resolve_device("cpu") if on_host else self.device, ids, "ids")
        found = (ids >= 0) & (ids < self._num_vertices)
        if on_host:
            return self.xp.asarray(found)
        if self._absent is not None:
            inside = self.xp.where(found, ids, 0)
            found &= ~self._absent[inside]
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
        return None if self._absent is None else self.device.read_only(self._absent)

    @property
    @reads
    def slot_weights(self) -> Any:
        """The weight of each edge, indexed by what operators see as `edge` (`find_edges`); None without weights.

        An array of `weight_dtype` on the graph's device, valid until the next update, or as long as a snapshot is
        referred to. It is the graph's own and must not be changed. Entries that are no edge's may be anything.
        """
        if self._edge_data is not None:
            return self._edge_data.weights
        return None if self.weight_dtype is None else self._weights

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
            return self._edges_at(self._find(src, dst)) if src.size else self.xp.empty(0, np.int64)
        arcs = self._prepare(src, dst, directed=True, drop_loops=False)
        if not len(arcs):
            return self.xp.empty(0, np.int64)
        edges = self._edges_at(self._find(arcs.src, arcs.dst))
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
        v = check_id(v, "v", self._num_vertices, self._absent)
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
        ids = check_ids(self.device, vertices, "vertices", self._num_vertices, self._absent)
        return extract_successors(self, ids.astype(self.vertex_dtype))

    @reads
    def predecessors(self, vertices: Any) -> tuple[Any, Any, Any]:
        """The predecessors of each of a list of vertices; arguments and results are those of `successors`.

        Equivalent to `successors` in undirected graphs, and to those of `reverse` in directed graphs that keep
        in-edges (`has_in_edges`). In other directed graphs it takes one pass over all arcs, for any number of vertices:
        O(E + k log k) work, for k results.
        """
        ids = check_ids(self.device, vertices, "vertices", self._num_vertices, self._absent)
        return extract_predecessors(self, ids.astype(self.vertex_dtype))

    @reads
    def to_coo(self) -> tuple[Any, Any, Any]:
        """All edges as ``(src, dst, weights)`` on the graph's device, sorted; undirected ones once, as ``src < dst``.

        `weights` is None in unweighted graphs.
        """
        src, dst, stored = self._sorted_edges()
        return src, dst, self._weights_of(stored)

    def _sorted_edges(self) -> tuple[Any, Any, Any]:
        """All edges, sorted, undirected ones once, with what the structure stores of each (`_stored_dtype`)."""
        offsets, dst, stored = self._sorted_arcs()
        src = row_ids(self.device, offsets, self.vertex_dtype)
        if not self.directed:
            keep = self.xp.flatnonzero(src < dst)
            src, dst = src[keep], dst[keep]
            stored = None if stored is None else stored[keep]
        return src, dst, stored

    @reads
    def to_csr(self, *, in_edges: bool = False) -> Graph:
        """A sorted static copy on the same device: a graph of structure ``csr`` with arrays of its own.

        Its `offsets`, `indices` and `weights` are the usual CSR arrays, as in SciPy. It has no edge data but weights.

        Parameters
        ----------
        in_edges : bool
            Whether that of a directed graph keeps in-edges.
        """
        offsets, dst, stored = self._sorted_arcs()
        return csr_structure().from_csr(  # type: ignore[attr-defined]
            offsets, dst, self._weights_of(stored), directed=self.directed, device=self.device, absent=self._absent,
            in_edges=flag(in_edges, "in_edges"),
        )  # fmt: skip

    @reads
    def memory_usage(self) -> MemoryUsage:
        """Memory used by the graph, compared with CSR; that of in-edges and edge data included, on both sides.

        CSR would have the weights of arcs, and the other data of edges. What is reserved includes the copies that
        snapshots have (`DynamicGraph.snapshot`), and lists that are kept for samples (`sample_temporal_neighbors`).
        """
        reserved = sum(int(array.nbytes) for _, array in stored_arrays(self)) + self._access.scratch_bytes()
        weight = self.weight_dtype.itemsize if self.weight_dtype is not None else 0
        offset = 4 if self._num_arcs < 2**31 else 8
        csr = self._num_arcs * (self.vertex_dtype.itemsize + weight) + (self._num_vertices + 1) * offset
        used, data = self._used_bytes(), self._edge_data
        if data is not None and not self._shares_edge_data:
            used += data.used_bytes()
            reserved += sum(data.reserved_bytes().values())
            csr += data.plain_bytes()
        if self._history is not None:
            reserved += self._history.nbytes()
        usage = MemoryUsage(used=used, reserved=reserved, csr=csr, arcs=self._num_arcs)
        return usage if self._in_edges is None else self._in_edges.add_usage(self, usage)

    @reads
    def statistics(self) -> StorageStatistics:
        """How the graph is stored: slots, tombstones, bytes by array, and what is particular to the structure.

        O(V + slots) work at most. In-edges have statistics of their own, those of `reverse`.
        """
        return self._storage_statistics()

    def _columns_moved(self) -> None:
        super()._columns_moved()
        if self._in_edges is not None:
            self._in_edges.columns_moved()

    def _repr_html_(self) -> str:
        data = self._edge_data
        rows = {
            "vertices": self.num_vertices, "edges": self.num_edges, "directed": self.directed,
            "in-edges": self._in_edges is not None or None, "weights": self.weight_dtype,
            "edge data": None if data is None else ", ".join(data.names), "times": self.time_unit,
            "device": self.device.kind,
        }  # fmt: skip
        return html_table(type(self).__name__, {name: value for name, value in rows.items() if value is not None})

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        if self._in_edges is not None:
            kind += " with in-edges"
        weights = "" if self.weight_dtype is None else f", {self.weight_dtype} weights"
        if self._edge_data is not None:
            weights += f", edge data ({', '.join(self._edge_data.names)})"
        if self.time_unit is not None:
            weights += f", times in {self.time_unit}, {self.keep_time} kept"
        if self.multi_edges != "last":
            weights += f", multi_edges={self.multi_edges!r}"
        return (
            f"{type(self).__name__}({self.num_vertices:,} vertices, {self.num_edges:,} edges, {kind}{weights}, "
            f"{self.device.kind})"
        )
