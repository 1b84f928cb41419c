"""`Graph`: the interface of every structure."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from frontier.core.batch import check_id, check_ids
from frontier.core.component import Component, component_of
from frontier.core.files import read_graph, write_graph
from frontier.core.graph import CoreGraph
from frontier.core.locking import reads
from frontier.core.registry import csr_structure
from frontier.core.results import MemoryUsage
from frontier.core.statistics import StorageStatistics
from frontier.features.building import build_graph
from frontier.features.description import Described
from frontier.features.edge_data.queries import HasEdgeData
from frontier.features.edge_payload import EdgePayload, payload_for
from frontier.features.in_edges import InEdges
from frontier.operators.degrees import degrees_of
from frontier.operators.extract import (
    count_predecessors,
    extract_predecessors,
    extract_successors,
    sorted_arcs,
    sorted_edges,
)
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_ids
from frontier.runtime.values import flag


class Graph(Described, HasEdgeData, CoreGraph):
    """A simple graph on one device, with vertices ``0 .. num_vertices - 1``.

    The base of all structures. Most support updates and derive from `DynamicGraph`. A structure implements `Store`.

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
        Whether a directed graph also maintains its transpose, `reverse`. Updates then cost about twice the time and
        memory, and reading incoming edges no longer scans the graph. Undirected graphs are their own reverse.
    edge_data : dict of str to dtype, optional
        Columns with a value for each edge (`Graph.edge_data`), in addition to weights: of type bool, int8, uint8,
        int32, uint32, int64, uint64, float32 or float64. Insertions then require them by keyword. With an empty dict,
        edges have ids (`Graph.edge_ids`) and no data.
    time_unit : {None, "ns", "us", "ms", "s"}
        Give edges times: an edge data column ``"time"`` of int64, in this unit since 1970-01-01 UTC (``"int64"`` is
        ``"ns"``). Insertions then require ``time=``: integers in this unit, or timestamps of NumPy, pandas or Arrow,
        which are converted exactly. Edges can expire (`DynamicGraph.expire`).
    keep_time : {"latest", "first"}
        The row that defines an edge's time, weight and other data, whatever the order of insertions. If several
        rows have equal times with ``"latest"``, the row inserted last.
    multi_edges : {"last", "sum", "all"}
        The meaning of several rows of an edge. ``"last"``: the last one (or the one that `keep_time` chooses) defines
        the edge. ``"sum"``: weights add up, an edge data column ``"count"`` of int64 counts the rows, and other data
        are as with ``"last"``. ``"all"``: as ``"sum"``, and every row is stored as a record, with its own id and data
        (`Graph.record_data`).

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
        Incremented by every update and by compaction.
    vertex_version : int
        Incremented only when vertices are added, reinserted or deleted.

    See Also
    --------
    DynamicGraph : A graph that can be updated.
    structures : All structures by name.

    Examples
    --------
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
    >>> graph
    SlabGraph(4 vertices, 3 edges, undirected, cpu)
    >>> graph.num_vertices, graph.num_edges, graph.num_arcs
    (4, 3, 6)
    """

    read_only: ClassVar[bool] = False
    """Whether updates raise, as for the reverse of a graph."""
    component_types: ClassVar[tuple[type[Component], ...]] = (EdgePayload, InEdges)
    """Classes of the components in files."""

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
        """Build a graph from edges.

        Self-loops are dropped. The last of repeated edges counts.

        Parameters
        ----------
        src, dst : array-like of int, shape (m,)
            NumPy or CuPy arrays, lists, columns of pandas, Polars, Arrow or cuDF, or PyTorch tensors. Edges of
            undirected graphs may be listed in either direction, or in both.
        weights : array-like of numbers, shape (m,), optional
            int32, int64, float32 or float64, which becomes the weight type of the graph.
        num_vertices : int, optional
            Size of the id space, by default the largest id plus one.
        directed : bool
        device : {"auto", "cpu", "gpu"}
        edge_data : dict of str to array-like, shape (m,), optional
            Columns of edge data, of the arrays' types.
        time : array-like of int or of timestamps, shape (m,), optional
            The time of each edge, for a graph with times.
        time_unit : {"ns", "us", "ms", "s"}
        keep_time : {"latest", "first"}
            The row that defines an edge, in a graph with times.
        weight_dtype : {None, int32, int64, float32, float64}
            By default the dtype of `weights`.
        vertex_dtype : {None, int32, int64}
            By default int32, if as many vertices fit.
        in_edges : bool
            Whether a directed graph also maintains its transpose.
        **structure_options
            Options of the structure's constructor, such as ``load_factor`` of `SlabGraph`.

        Raises
        ------
        TypeError, ValueError
            An argument is invalid. The message names it and its fault.
        MemoryError
            The device's memory is exhausted. Every id up to the largest costs memory. Renumber sparse ids:
            ``frontier.io.from_table({"src": src, "dst": dst}, compact=True)``.

        See Also
        --------
        DynamicGraph.insert_edges : Add edges to a graph.
        load : Read a graph from a file.
        frontier.io.read_edges : Read edges from a file.

        Notes
        -----
        Sorts the edges: O(m log m) work.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1, 0], [1, 2, 2, 0], device="cpu")
        >>> graph.num_edges  # without the self-loop
        3
        >>> weighted = SlabGraph.from_edges([0, 1], [1, 2], [0.5, 2.0], device="cpu")
        >>> weighted.num_vertices, weighted.weight_dtype
        (3, dtype('float64'))
        """
        options = {
            "directed": directed, "device": device, "weight_dtype": weight_dtype, "vertex_dtype": vertex_dtype,
            "in_edges": in_edges, "time_unit": time_unit, "keep_time": keep_time, **structure_options,
        }  # fmt: skip
        return build_graph(cls, src, dst, weights, num_vertices, edge_data, time, options)

    def copy(self) -> Self:
        """Return an independent copy on the same device, without observers, as `copy.copy` and `copy.deepcopy` do.

        See Also
        --------
        DynamicGraph.snapshot : A read-only state, copied only if it is read.
        to_csr : A static copy.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> twin = graph.copy()
        >>> twin.insert_edges([2], [3])
        UpdateResult(inserted=1, replaced=0, deleted=0)
        >>> graph.num_edges, twin.num_edges
        (3, 4)
        """
        return super().copy()

    @reads
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a file, in its memory layout: an uncompressed NumPy ``.npz``, then a checksum.

        Writing is atomic: an existing file is replaced once the new one is on disk, and survives errors and crashes.

        Parameters
        ----------
        path : str or os.PathLike

        Raises
        ------
        OSError
            The message names the file. An existing file is unchanged.

        See Also
        --------
        load : Read the file.

        Examples
        --------
        >>> import os, tempfile
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> path = os.path.join(tempfile.mkdtemp(), "graph.npz")
        >>> graph.save(path)
        >>> SlabGraph.load(path, device="cpu").num_edges
        3
        """
        write_graph(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], device: str | Device = "auto") -> Self:
        """Load a graph written by `save`.

        Parameters
        ----------
        path : str or os.PathLike
        device : {"auto", "cpu", "gpu"}
            The device of the graph, which may differ from the saved graph's.

        Raises
        ------
        ValueError
            The file contains no graph of this structure, or is corrupt.

        See Also
        --------
        save : Write the file.

        Notes
        -----
        Validates all arrays, as kernels rely on their invariants, and sorts all arcs for that.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> from tempfile import TemporaryDirectory
        >>> g = SlabGraph.from_edges([0, 1], [1, 2], device="cpu")
        >>> with TemporaryDirectory() as folder:
        ...     g.save(f"{folder}/graph.npz")
        ...     loaded = SlabGraph.load(f"{folder}/graph.npz", device="cpu")
        >>> loaded.num_edges
        2
        """
        return cast(Self, read_graph(path, cls, device))

    # ---- queries -----------------------------------------------------------------------------------------------------

    def reading(self) -> AbstractContextManager[Any]:
        """Return a context in which updates by other threads block, for several calls on one state of a shared graph.

        A single operator or look-up needs none. Updating the graph inside the context raises RuntimeError.

        See Also
        --------
        DynamicGraph.snapshot : A state that later updates do not change.

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
            """Size of the id space, deleted and isolated vertices included, and length of every per-vertex result."""

        @property
        def num_arcs(self) -> int:
            """Number of stored arcs: two per edge in undirected graphs."""

    @property
    def num_edges(self) -> int:
        """Number of edges. An undirected edge counts once.

        See Also
        --------
        num_arcs : Two per edge in undirected graphs.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> graph.num_edges, graph.num_arcs
        (3, 6)
        """
        return self.num_arcs if self.directed else self.num_arcs // 2

    @property
    def is_weighted(self) -> bool:
        """Whether edges have weights, of type `weight_dtype`.

        See Also
        --------
        slot_weights : The weights.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> graph.is_weighted
        False
        """
        return self.weight_dtype is not None

    @property
    def has_in_edges(self) -> bool:
        """Whether the graph has a `reverse`: it is undirected, or was made with ``in_edges=True``.

        See Also
        --------
        reverse : The transpose.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 2], directed=True, device="cpu")
        >>> graph.has_in_edges
        False
        >>> SlabGraph(3, directed=True, in_edges=True, device="cpu").has_in_edges
        True
        """
        return not self.directed or component_of(self, InEdges) is not None

    @property
    @reads
    def reverse(self) -> Graph:
        """The graph with every edge reversed, as a read-only view for operators and algorithms. O(1).

        The view follows updates of this graph. It numbers its slots (`edge` in operators) independently. Its `reverse`
        is this graph, and its `copy` can be updated. An undirected graph is its own reverse.

        Raises
        ------
        ValueError
            A directed graph was made without ``in_edges=True``.

        See Also
        --------
        has_in_edges : Whether there is one.
        predecessors : Incoming edges of listed vertices.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges(
        ...     [0, 0, 1], [1, 2, 2], directed=True, in_edges=True, device="cpu"
        ... )
        >>> graph.reverse.neighbors(2)
        array([0, 1], dtype=int32)
        """
        if not self.directed:
            return self
        in_edges = component_of(self, InEdges)
        if in_edges is None:
            raise ValueError("this graph stores no in-edges; make it with in_edges=True")
        return in_edges.view(self)

    @reads
    def has_vertices(self, ids: Any) -> Any:
        """Whether each id names a vertex: it is in the id space and not deleted.

        Returns
        -------
        array of bool, on the graph's device

        See Also
        --------
        has_edges : The same for edges.
        absent_mask : The mask of deleted vertices.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> graph.delete_vertices([3])
        UpdateResult(inserted=0, replaced=0, deleted=1)
        >>> graph.has_vertices([0, 3, 9])
        array([ True, False, False])
        """
        # A few ids of the host are compared there, for which CuPy would compile kernels.
        on_host = isinstance(ids, np.ndarray | list | tuple | range) and self.store.absent is None
        ids = as_ids(resolve_device("cpu") if on_host else self.device, ids, "ids")
        found = (ids >= 0) & (ids < self.num_vertices)
        if on_host:
            return self.xp.asarray(found)
        if self.store.absent is not None:
            found &= ~self.store.absent[self.xp.where(found, ids, 0)]
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

        See Also
        --------
        find_edges : The slot or id of each edge, or -1.
        edge_weights : The weights of existing edges.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> graph.has_edges([0, 1], [1, 2])
        array([ True, False])
        """
        return self.find_edges(src, dst) >= 0

    @property
    @reads
    def absent_mask(self) -> Any:
        """Whether each id names a deleted vertex, or None if no vertex is deleted.

        A read-only array of bool, shape (num_vertices,), on the graph's device, valid until the next update. On a GPU
        it is a copy, since CuPy has no read-only arrays.

        See Also
        --------
        has_vertices : Whether listed ids name vertices.
        DynamicGraph.delete_vertices : Delete vertices.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> graph.absent_mask is None
        True
        >>> graph.delete_vertices([3])
        UpdateResult(inserted=0, replaced=0, deleted=1)
        >>> graph.absent_mask
        array([False, False, False,  True])
        """
        return None if self.store.absent is None else self.device.read_only(self.store.absent)

    @property
    @reads
    def slot_weights(self) -> Any:
        """The weights, indexed by `edge` in operators and by results of `find_edges`. None without weights.

        An array of `weight_dtype` on the graph's device, valid until the next update, or during the lifetime of a
        snapshot. Do not write to it. Entries without an edge are undefined.

        See Also
        --------
        find_edges : The index of each edge.
        edge_weights : The weights of listed edges.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], [5, 6, 7], device="cpu")
        >>> graph.slot_weights[graph.find_edges([0, 3], [2, 1])]
        array([6, 7])
        """
        return self.payload.weights_by_edge(self)

    @reads
    def find_edges(self, src: Any, dst: Any, *, checked: bool = True) -> Any:
        """Return `edge`, as operators see it, of each arc ``src[i] -> dst[i]``, or -1 for an absent arc.

        In graphs with edge data it is an id (`edge_ids`), otherwise a slot, valid until the next update.

        Parameters
        ----------
        src, dst : array-like of int, shape (m,)
        checked : bool
            False skips the check of the ids, for which the host synchronizes. Results are undefined unless both arrays
            are on the graph's device, of its vertex dtype, and contain ids of vertices only.

        Returns
        -------
        array of int64, shape (m,), on the graph's device

        See Also
        --------
        has_edges : Whether each edge exists.
        edge_values : The data of each edge.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], [5, 6, 7], device="cpu")
        >>> found = graph.find_edges([0, 1], [1, 2])
        >>> found >= 0
        array([ True, False])
        >>> graph.slot_weights[found[:1]]
        array([5])
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
        """Return the weight of each edge.

        Returns
        -------
        array of `weight_dtype`, shape (m,), on the graph's device
            1 (float32) for each edge of an unweighted graph.

        Raises
        ------
        ValueError
            An id is invalid, or an edge is not in the graph.

        See Also
        --------
        edge_values : Other data of edges.
        has_edges : Whether each edge exists.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], [5, 6, 7], device="cpu")
        >>> graph.edge_weights([2, 1], [0, 3])
        array([6, 7])
        """
        edges = self._present_edges(src, dst)
        if self.weight_dtype is None:
            return self.xp.ones(edges.size, np.float32)
        return self.slot_weights[edges]

    @reads
    def degrees(self) -> Any:
        """Count the neighbors of every vertex (out-degrees in directed graphs).

        Returns
        -------
        array of int64, shape (num_vertices,), on the graph's device

        See Also
        --------
        in_degrees : Edges that enter each vertex.
        neighbors : The neighbors of one vertex.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> graph.degrees()
        array([2, 2, 1, 1])
        """
        return degrees_of(self)

    @reads
    def in_degrees(self) -> Any:
        """Count the edges that enter every vertex. In undirected graphs, these are `degrees`.

        Returns
        -------
        array of int64, shape (num_vertices,), on the graph's device

        See Also
        --------
        degrees : Edges that leave each vertex.
        reverse : The transpose, of a directed graph with in-edges.

        Notes
        -----
        O(V) work. A directed graph without in-edges (`has_in_edges`) scans all arcs.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 2], directed=True, device="cpu")
        >>> graph.in_degrees()
        array([0, 1, 2])
        """
        return self.reverse.degrees() if self.has_in_edges else count_predecessors(self)

    @reads
    def neighbors(self, v: int) -> Any:
        """Return the neighbors of `v` (successors, in directed graphs), in ascending order.

        Returns
        -------
        array of `vertex_dtype`, on the graph's device

        See Also
        --------
        successors : The neighbors of many vertices, with weights.
        frontier.common_neighbors : The common neighbors of pairs.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> graph.neighbors(0)
        array([1, 2], dtype=int32)
        """
        v = check_id(v, "v", self.num_vertices, self.store.absent)
        return extract_successors(self, self.xp.asarray([v], self.vertex_dtype), weighted=False)[1]

    @reads
    def successors(self, vertices: Any) -> tuple[Any, Any, Any]:
        """Return the successors of each listed vertex: a batched 1-hop query.

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

        See Also
        --------
        predecessors : The same for incoming edges.
        neighbors : The neighbors of one vertex.
        frontier.sample_neighbors : A few neighbors of each vertex.

        Notes
        -----
        O(k log k) work for k results, or O(k) in structures with sorted neighbors (`is_sorted`).

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], [5, 6, 7], device="cpu")
        >>> offsets, ids, weights = graph.successors([1, 3])
        >>> ids[offsets[0] : offsets[1]], weights[offsets[0] : offsets[1]]
        (array([0, 3], dtype=int32), array([5, 7]))
        """
        ids = check_ids(self.device, vertices, "vertices", self.num_vertices, self.store.absent)
        return extract_successors(self, ids.astype(self.vertex_dtype))

    @reads
    def predecessors(self, vertices: Any) -> tuple[Any, Any, Any]:
        """Return the predecessors of each listed vertex. Arguments and results as in `successors`.

        Equivalent to ``successors`` of `reverse`. A directed graph without in-edges (`has_in_edges`) scans all arcs
        once, for any number of vertices: O(E + k log k) work for k results.

        See Also
        --------
        successors : The same for outgoing edges.
        in_degrees : The number of incoming edges of each vertex.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 2], directed=True, device="cpu")
        >>> offsets, ids, _ = graph.predecessors([2, 0])
        >>> offsets, ids
        (array([0, 2, 2]), array([0, 1], dtype=int32))
        """
        ids = check_ids(self.device, vertices, "vertices", self.num_vertices, self.store.absent)
        return extract_predecessors(self, ids.astype(self.vertex_dtype))

    @reads
    def to_coo(self) -> tuple[Any, Any, Any]:
        """Return all edges, sorted, as ``(src, dst, weights)`` on the graph's device: undirected ones as ``src < dst``.

        `weights` is None in unweighted graphs.

        See Also
        --------
        to_csr : A graph of structure ``csr``.
        successors : The edges of listed vertices.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], [5, 6, 7], device="cpu")
        >>> src, dst, weights = graph.to_coo()
        >>> src, dst, weights
        (array([0, 0, 1], dtype=int32), array([1, 2, 3], dtype=int32), array([5, 6, 7]))
        """
        src, dst, stored = sorted_edges(self)
        return src, dst, self.payload.weights_of(stored)

    @reads
    def to_csr(self, *, in_edges: bool = False) -> Graph:
        """Return a sorted static copy on the same device, of structure ``csr``, without edge data except weights.

        Its `offsets`, `indices` and `weights` are CSR arrays as in SciPy.

        Parameters
        ----------
        in_edges : bool
            Whether the copy of a directed graph has in-edges.

        See Also
        --------
        to_coo : The edges as arrays.
        copy : A copy of the same structure.
        frontier.extract_subgraph : A static copy of selected edges.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> static = graph.to_csr()
        >>> static.offsets, static.indices
        (array([0, 2, 4, 5, 6]), array([1, 2, 0, 3, 0, 1], dtype=int32))
        """
        offsets, dst, stored = sorted_arcs(self)
        return csr_structure().from_csr(  # type: ignore[attr-defined]
            offsets, dst, self.payload.weights_of(stored), directed=self.directed, device=self.device,
            absent=self.store.absent, in_edges=flag(in_edges, "in_edges"),
        )  # fmt: skip

    def memory_usage(self) -> MemoryUsage:
        """Measure the memory of the graph and of the same CSR arrays, both with in-edges and edge data.

        CSR stores weights by arc and other data by edge. Reserved memory includes the copies of snapshots
        (`DynamicGraph.snapshot`) and the lists of `sample_temporal_neighbors`.

        See Also
        --------
        statistics : The use of slots.
        DynamicGraph.compact : Free unused memory.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> usage = graph.memory_usage()
        >>> usage.csr < usage.used <= usage.reserved
        True
        """
        return super().memory_usage()

    @reads
    def statistics(self) -> StorageStatistics:
        """Describe the storage: slots, tombstones, bytes by array, and properties of the structure.

        O(V + slots) work at most. For in-edges, ask `reverse`.

        See Also
        --------
        memory_usage : The size in bytes.
        DynamicGraph.compact : Remove tombstones and gaps.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> found = graph.statistics()
        >>> found.structure, found.used  # two arcs for each edge
        ('slab', 6)
        """
        return super().statistics()
