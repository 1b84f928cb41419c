"""`DynamicGraph`: the interface of structures with updates."""

from __future__ import annotations

from typing import Any, Self

from frontier.core.batch import check_ids
from frontier.core.dynamic import CoreDynamicGraph
from frontier.core.locking import reads, rearranges
from frontier.core.payload import check_on_existing
from frontier.core.results import UpdateObserver, UpdateResult
from frontier.core.updates import update
from frontier.features.edge_data.record_deletion import delete_records
from frontier.features.mixed import MixedResult, apply_operations
from frontier.features.snapshots import take_snapshot
from frontier.features.times import as_time
from frontier.features.windows.expiry import expire_edges
from frontier.operators.extract import incident_arcs

from .graph import Graph


class DynamicGraph(Graph, CoreDynamicGraph):
    """A graph with batched insertions and deletions of edges and vertices.

    The semantics are the same for every structure on every device:

    * The graph is simple. Self-loops in a batch are dropped. The last of repeated edges counts (or all, with
      ``multi_edges="sum"`` and ``multi_edges="all"``).
    * ``directed=False`` stores both directions. A batch may list an edge in either direction, or in both.
    * Batches are atomic: invalid input raises before anything changes. (`insert_edges` documents an exception for
      exhausted memory.)
    * Deleting an absent edge has no effect.
    * In-edges (`has_in_edges`) follow every successful update.

    See Also
    --------
    Graph : Queries, and the parameters of all structures.
    SlidingWindow : Insertions with deletion by time.
    UpdateObserver : Analytics that follow updates.

    Examples
    --------
    >>> from structures import SlabGraph
    >>> graph = SlabGraph(5, device="cpu")
    >>> graph.insert_edges([0, 1, 2], [1, 2, 2])
    UpdateResult(inserted=2, replaced=0, deleted=0)
    >>> graph.delete_edges([1], [0])
    UpdateResult(inserted=0, replaced=0, deleted=1)
    >>> graph.num_edges
    1
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
            For existing edges: replace the weight, retain it, or add to it. With ``"add"``, an edge whose weight
            becomes 0 or negative is deleted, and an absent edge with such a weight is not inserted.
        **edge_data : array-like, shape (m,)
            Values for each column of a graph with edge data (`Graph.edge_data`). They replace the values of existing
            edges, except with ``"keep"``. A graph with times requires ``time``. Outdated rows replace nothing.

        Returns
        -------
        UpdateResult

        Raises
        ------
        TypeError, ValueError
            An argument is invalid, and the graph is unchanged. The message names the argument. With ``"add"``, also if
            a sum of integer weights overflows, or one of floats is NaN, as of infinity and minus infinity.
        MemoryError
            The device's memory is exhausted, and the graph is unchanged. Exception: if ``"add"`` cannot allocate memory
            for deletions, the edges to delete retain their old weights, and the rest of the batch is applied.
        ObserverError
            The edges were inserted, but an observer failed, as after any update.

        See Also
        --------
        delete_edges : Delete a batch.
        apply : Updates and queries in one batch.
        insert_vertices : Add vertices.
        frontier.SlidingWindow : Insertions with deletion by time.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph(4, weight_dtype="int64", device="cpu")
        >>> graph.insert_edges([0, 1, 0], [1, 2, 1], [5, 6, 7])
        UpdateResult(inserted=2, replaced=0, deleted=0)
        >>> graph.insert_edges([1], [0], [10], on_existing="add")
        UpdateResult(inserted=0, replaced=1, deleted=0)
        >>> graph.edge_weights([0, 1], [1, 2])
        array([17,  6])
        """
        if on_existing != "replace":
            check_on_existing(self, on_existing)
        return self.payload.insert(self, src, dst, weights, on_existing, edge_data)

    @update
    def delete_edges(self, src: Any, dst: Any) -> UpdateResult:
        """Delete a batch of edges. Absent edges are skipped.

        Raises
        ------
        TypeError, ValueError
            An argument is invalid, and the graph is unchanged. The message names the argument.
        MemoryError
            The device's memory is exhausted, and the graph is unchanged.

        See Also
        --------
        insert_edges : Insert a batch.
        delete_records : Delete single records of edges.
        expire : Delete by time.
        delete_vertices : Delete all edges of vertices.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> graph.delete_edges([1, 2], [0, 3])
        UpdateResult(inserted=0, replaced=0, deleted=1)
        >>> graph.num_edges
        2
        """
        return self.payload.delete(self, src, dst)

    @update
    def delete_records(self, ids: Any) -> UpdateResult:
        """Delete a batch of records of a graph with ``multi_edges="all"``, and each edge that loses its last record.

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
            The graph stores no records, an id names no record, or the sum of an edge's remaining integer weights
            overflows. The graph is unchanged.
        MemoryError
            The device's memory is exhausted, and the graph is unchanged.

        See Also
        --------
        delete_edges : Delete edges with all records.
        expire : Delete records by time.

        Notes
        -----
        O(m log m) work. Float weights of the remaining records of an affected edge are summed again. The first call
        after a copy or load scans the graph. Observers are notified of deleted edges, then of affected ones, as of
        edges that an insertion changes.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0], [1, 1], multi_edges="all", device="cpu")
        >>> _, ids = graph.records([0], [1])
        >>> graph.delete_records(ids[:1])
        RecordsResult(inserted=0, replaced=0, deleted=0, records_inserted=0, records_deleted=1)
        >>> graph.num_edges, graph.num_records
        (1, 1)
        """
        return delete_records(self, self._distinct_record_ids(ids))

    @update
    def expire(self, before: Any) -> UpdateResult:
        """Delete the edges of a graph with times that are older than `before`.

        With ``multi_edges="all"``, each record has its own time: old records are deleted, as by `delete_records`.

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
            `before` is no time, the graph has no times, or, with ``multi_edges="all"``, the sum of an edge's remaining
            integer weights overflows. The graph is unchanged.
        MemoryError
            The device's memory is exhausted, and the graph is unchanged.

        See Also
        --------
        frontier.SlidingWindow : Insertions that expire old edges.
        delete_edges : Delete listed edges.

        Notes
        -----
        The first call starts a log of insertions, so later calls cost work in proportion to the expired records. The
        first call, and the first after a copy, a load, or many repeated insertions of the same edges, sorts all edges.
        Times assigned to the column are not logged.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges(
        ...     [0, 1], [1, 2], time=[10, 20], time_unit="s", device="cpu"
        ... )
        >>> graph.expire(15)
        UpdateResult(inserted=0, replaced=0, deleted=1)
        >>> graph.to_coo()[:2]
        (array([1], dtype=int32), array([2], dtype=int32))
        """
        if self.time_unit is None:
            raise ValueError("this graph has no times; make it with time_unit=")
        return expire_edges(self, as_time(before, "before", self.time_unit))

    @update
    def apply(self, ops: Any, src: Any, dst: Any, weights: Any = None, **edge_data: Any) -> MixedResult:
        """Apply a mixed batch of updates and queries, as if they had run one by one.

        Parameters
        ----------
        ops : array-like of `Operation`, shape (m,)
            ``INSERT`` (as `insert_edges` does by default), ``DELETE``, ``HAS_EDGE``, ``WEIGHT``, ``DEGREE`` or
            ``NEIGHBORS``, or their numbers.
        src, dst : array-like of int, shape (m,)
            The edge. ``DEGREE`` and ``NEIGHBORS`` ask for vertex `src` and ignore `dst`.
        weights, **edge_data : array-like, shape (m,)
            As in `insert_edges`, for ``INSERT`` only. Batches without it need none.

        Returns
        -------
        MixedResult
            The answers, by operation.

        Raises
        ------
        TypeError, ValueError
            An argument is invalid, and the graph is unchanged. The message names the argument.
        MemoryError
            The device's memory is exhausted, and the graph is unchanged. Exception: if the final deletion of edges
            fails, the insertions have been applied.

        See Also
        --------
        insert_edges : Insert a batch.
        delete_edges : Delete a batch.
        frontier.Operation : The kinds of operations.

        Notes
        -----
        Sorts the operations, for degrees also the effects at each vertex, and for neighbors also the answers. On a GPU
        the host synchronizes once, and once for each of the two updates, more often for neighbors. Observers are
        notified of the net effect only: an edge that is both inserted and deleted by the batch causes no notification.
        An edge that is deleted and inserted retains its id.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> op = fr.Operation
        >>> found = graph.apply([op.HAS_EDGE, op.DELETE, op.HAS_EDGE], [0, 0, 0], [1, 1, 1])
        >>> found.answers
        array([1, 1, 0])
        """
        return apply_operations(self, ops, src, dst, weights, edge_data)

    # ---- vertices ----------------------------------------------------------------------------------------------------

    @update
    def insert_vertices(self, count_or_ids: Any) -> Any:
        """Add vertices.

        Parameters
        ----------
        count_or_ids : int or array-like of int
            A number of vertices: deleted ids are reallocated first, in ascending order, then the id space grows. Or
            ids: deleted ones become valid again, and the id space grows to contain larger ones.

        Returns
        -------
        array of int64, on the graph's device
            The ids of the vertices.

        Raises
        ------
        TypeError, ValueError
            A negative count or id, and the graph is unchanged.

        See Also
        --------
        delete_vertices : Delete vertices.
        has_vertices : Whether ids name vertices.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> graph.delete_vertices([1])
        UpdateResult(inserted=0, replaced=0, deleted=2)
        >>> graph.insert_vertices(2)
        array([1, 4])
        """
        return self._insert_vertices(count_or_ids)

    @update
    def delete_vertices(self, ids: Any) -> UpdateResult:
        """Delete vertices and all incident edges.

        The ids are invalid until `insert_vertices` reallocates them. Only neighborhoods of the vertices are visited,
        but directed graphs without in-edges (`has_in_edges`) are scanned for incoming edges.

        Returns
        -------
        UpdateResult
            With the number of deleted edges.

        Raises
        ------
        TypeError, ValueError
            An id is out of range or already deleted, and the graph is unchanged.
        MemoryError
            The device's memory is exhausted, and the graph is unchanged.

        See Also
        --------
        insert_vertices : Add vertices, or reuse deleted ids.
        absent_mask : The mask of deleted vertices.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> graph.delete_vertices([0])
        UpdateResult(inserted=0, replaced=0, deleted=2)
        >>> graph.to_coo()[:2]
        (array([1], dtype=int32), array([3], dtype=int32))
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
        """Return a read-only snapshot of the graph, which later updates do not change.

        Operators, algorithms and look-ups accept it, from any thread. Updating it raises TypeError, but its `copy` can
        be updated. Taking a snapshot is O(1): the first read copies the graph, in the reading thread. Until the next
        update, the result is the same object.

        Returns
        -------
        DynamicGraph
            A graph of the same structure, on the same device. Its memory is freed with the last reference, or reused
            by the next snapshot.

        Raises
        ------
        MemoryError
            In the first read: memory for a copy was not available, then or during an update.
        RuntimeError
            An observer of the graph is being notified of an update.

        See Also
        --------
        copy : A copy that can be updated.
        reading : Block updates for a while.

        Notes
        -----
        If an earlier copy exists and replaying the updates since then is cheaper than copying the graph, they are
        replayed, which blocks no updates. Otherwise the graph is copied by the first read, or by an update before it,
        which then costs O(V + E) work. Updates store their batches while replaying is cheaper. `memory_usage` counts
        copies and batches.

        With edge data, all snapshots are copied from the graph. Values written to a column by functors or assignments
        may appear in snapshots that were not read before. Do not write to the columns of a snapshot.

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
        """Rearrange storage as if the graph had just been built, and free unused memory.

        Call it after a graph has shrunk much, or before many reads without updates. Slots change. Vertices, edges and
        weights do not, and observers are not notified.

        Raises
        ------
        MemoryError
            The device's memory is exhausted, and the graph is unchanged.

        See Also
        --------
        statistics : Tombstones and gaps.
        memory_usage : The size in bytes.

        Notes
        -----
        O(V + E) work, or a sort of all arcs. Needs up to the memory of a second graph while it runs.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> graph.delete_edges([0, 0], [1, 2])
        UpdateResult(inserted=0, replaced=0, deleted=2)
        >>> graph.compact()
        >>> graph.num_edges
        1
        """
        super().compact()

    # ---- observers ---------------------------------------------------------------------------------------------------

    @reads
    def attach(self, observer: UpdateObserver, *, instead_of: UpdateObserver | None = None) -> None:
        """Notify `observer` of updates, and store a weak reference to it. Attaching it again has no effect.

        Parameters
        ----------
        observer : UpdateObserver
            `UpdateObserver` documents the effect of its exceptions.
        instead_of : UpdateObserver, optional
            An attached observer to replace, to which the new one forwards notifications.

        Raises
        ------
        TypeError
            It is not an `UpdateObserver`.
        ValueError
            It is attached to another graph, or rejects this one, or `instead_of` is not attached.

        See Also
        --------
        detach : Stop the notifications.
        frontier.UpdateObserver : The methods that are called.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> class Printer(fr.UpdateObserver):
        ...     def edges_inserted(self, src, dst):
        ...         print("inserted", src, dst)
        >>> printer = Printer()
        >>> graph.attach(printer)
        >>> graph.insert_edges([1, 0], [2, 1])  # the second exists
        inserted [1] [2]
        UpdateResult(inserted=1, replaced=1, deleted=0)
        """
        self._observers.attach(observer, instead_of)

    @reads
    def detach(self, observer: UpdateObserver) -> None:
        """Stop notifying `observer` of updates, if it is attached.

        Raises
        ------
        TypeError
            It is not an `UpdateObserver`.

        See Also
        --------
        attach : Start the notifications.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph(3, device="cpu")
        >>> observer = fr.UpdateObserver()
        >>> graph.attach(observer)
        >>> graph.detach(observer)
        """
        self._observers.detach(observer)
