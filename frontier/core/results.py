"""The results of updates, and the interface through which analytics are notified of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class UpdateResult:
    """Effects of an update, in edges (an undirected edge counts once).

    Attributes
    ----------
    inserted : int
        New edges.
    replaced : int
        Existing edges, whose weights and edge data were replaced. None with ``on_existing="keep"``.
    deleted : int
        Deleted edges.

    See Also
    --------
    DynamicGraph.insert_edges : Returns it, as other updates do.
    """

    inserted: int = 0
    replaced: int = 0
    deleted: int = 0

    @staticmethod
    def of_arcs(directed: bool, inserted: int, replaced: int, deleted: int) -> UpdateResult:
        """The result for numbers of arcs, of which an undirected edge has two."""
        copies = 1 if directed else 2
        return UpdateResult(inserted // copies, replaced // copies, deleted // copies)


class UpdateObserver:
    """Base class of analytics that are maintained incrementally. Its methods do nothing.

    All arrays are on the graph's device and of its vertex dtype. Copies and pickles of a graph have no observers, and
    observers can be neither copied nor pickled (TypeError): create another one for the copy.

    An observer is attached to at most one graph. Attaching it twice has no further effect. Observers are notified in
    the order of attachment, and must not change the graph.

    An observer never prevents an update. If one of the notification methods raises, the observer is detached,
    since it may no longer agree with the graph, and `failed` is called. The update completes, all other observers are
    notified, and then the caller of the update gets an `ObserverError`.

    Attributes
    ----------
    exact : bool
        If true (the default), methods get only effective edges, each once: edges absent before an insertion, or present
        before a deletion. Undirected edges are listed as ``src < dst``. If false, they get the arcs of the batch
        unfiltered, at no cost. These include both directions of undirected edges, duplicates, insertions of existing
        arcs, deletions of absent arcs, and dropped entries, with a negative `src`. `visit_edges` accepts these arrays
        and skips dropped entries. Before a deletion, the batch may still turn out to be invalid.
    sees_changes : bool
        If true, an exact observer of a graph with weights or edge data is also notified of existing edges whose values
        an insertion replaces, by `edges_changing` and `edges_changed`. False by default: finding them costs as much as
        finding new edges.
    sees_records : bool
        If true, an observer of a graph that stores its records (``multi_edges="all"``) is notified of records, by
        `records_inserted`, `records_deleting` and `records_deleted`, and not of edges. False by default.

    See Also
    --------
    DynamicGraph.attach : Notify an observer of updates.
    ObserverError : An observer has failed.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> class Counter(fr.UpdateObserver):
    ...     new = 0
    ...
    ...     def edges_inserted(self, src, dst):
    ...         self.new += src.size
    >>> counter, graph = Counter(), SlabGraph(3, device="cpu")
    >>> graph.attach(counter)
    >>> graph.insert_edges([0, 1, 0], [1, 2, 1])
    UpdateResult(inserted=2, replaced=0, deleted=0)
    >>> counter.new
    2
    """

    exact: ClassVar[bool] = True
    sees_changes: ClassVar[bool] = False
    sees_records: ClassVar[bool] = False
    _watched: Any = None  # weak reference to the graph, set by it

    def __reduce__(self) -> Any:
        """Raise TypeError: a copy would not be attached to a graph, and wrong after the next update."""
        raise TypeError(
            f"a {type(self).__name__} follows the updates of one graph and can be neither copied nor pickled; "
            f"make another {type(self).__name__} for the copy of the graph"
        )

    def find_edges(self, find: Callable[[], tuple[Any, Any]]) -> tuple[Any, Any]:
        """Called on the first exact observer to compute the effective edges of a batch, by `find`.

        They are computed for observers only, and an override can measure their cost. If it raises, the update is not
        applied. It is not called if the kernel of an update also finds them, as kernels of small batches on a GPU do.
        """
        return find()

    def recomputes(self, update: str, edges: int) -> bool:
        """Called before the effective edges of a batch are computed: whether this observer needs none of them.

        An exact observer returns true if it will recompute its result anyway, and is then notified only by `outdated`.
        `update` is ``"insert"`` or ``"delete"``, and `edges` the number of edges of the batch, including duplicates and
        edges without effect. Small batches on a GPU, records, distributed graphs, and updates within
        `frontier.advanced.warming_up`, which load all kernels, do not call it: `edges_inserted` or `edges_deleting`
        follow.
        """
        return False

    def outdated(self, edges: int) -> None:
        """Called after a batch for which `recomputes` returned true, with the number of edges inserted or deleted.

        It may be 0. An insertion may also have replaced values of existing edges.
        """

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Called after edges were inserted, or weights changed (only non-exact observers are notified of those)."""

    def edges_changing(self, src: Any, dst: Any) -> None:
        """Called before the weights or the data of existing edges are replaced, while the old ones can be read.

        Only with `sees_changes`. The insertion may still fail, and then `edges_changed` is not called. Also called
        before edges lose some but not all of their records (``multi_edges="all"``).
        """

    def edges_changed(self, src: Any, dst: Any) -> None:
        """Called after they were replaced, even by equal ones. Only with `sees_changes`, after `edges_inserted`."""

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Called before edges are deleted, while they are still in the graph.

        The deletion may still fail (invalid batch, exhausted memory). Then `edges_deleted` is not called, and the edges
        stay. Results computed here become valid only once `edges_deleted` is called.
        """

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Called after edges were deleted, unless the deletion failed."""

    def records_inserted(self, src: Any, dst: Any, records: Any) -> None:
        """Called after records were inserted, with the ends of each one's edge and its id. Only with `sees_records`.

        An edge is listed as often as it has such records. The ends of undirected edges are in any order.
        """

    def records_deleting(self, src: Any, dst: Any, records: Any) -> None:
        """Called before records are deleted, while they still exist. Otherwise as `edges_deleting`.

        An update that deletes some edges with all records, and records of further edges, notifies of both in turn.
        """

    def records_deleted(self, src: Any, dst: Any, records: Any) -> None:
        """Called after records were deleted, unless the deletion failed."""

    def vertices_changed(self) -> None:
        """Called after vertices were added, reinserted or deleted. The edges of deleted ones are deleted before."""

    def attaching(self, graph: Any) -> None:
        """Called before the observer is attached to a graph. It may raise to reject the graph."""

    def detached(self) -> None:
        """Called after `DynamicGraph.detach` has detached the observer."""

    def failed(self, method: str, error: BaseException) -> None:
        """Called after one of its methods raised `error`, and the observer was detached."""


class ObserverError(RuntimeError):
    """An update was applied, but observers of the graph failed and were detached.

    ``__cause__`` is the observer's exception, or an ``ExceptionGroup`` of several.

    Attributes
    ----------
    result : UpdateResult, WindowResult or array
        The return value of the update.
    failures : list of (UpdateObserver, BaseException)
        The observers and their exceptions.

    See Also
    --------
    UpdateObserver : Describes failures.
    """

    def __init__(self, result: Any, failures: list[tuple[UpdateObserver, BaseException]]):
        self.result = result
        self.failures = failures
        made = f" ({result!r})" if is_dataclass(result) else ""
        reasons = "; ".join(
            f"{type(observer).__name__} raised {type(error).__name__}: {error}" for observer, error in failures
        )
        super().__init__(f"the update was made{made}, but observers failed and were detached: {reasons}")

    def __reduce__(self) -> tuple[Any, ...]:
        """The contents that another process receives: all but the observers, which cannot leave their process."""
        return _unpickled, (self.result, str(self))


def _unpickled(result: Any, message: str) -> ObserverError:
    error = ObserverError(result, [])
    error.args = (message,)
    return error


@dataclass(frozen=True)
class MemoryUsage:
    """Memory usage of a graph, in bytes.

    Attributes
    ----------
    used : int
        Bytes of the graph's contents, including gaps that the structure requires, excluding capacity for growth.
    reserved : int
        Bytes allocated, scratch memory included.
    csr : int
        Bytes of the same graph as CSR.
    arcs : int
        Stored arcs (two per undirected edge).

    See Also
    --------
    Graph.memory_usage : Returns it.
    StorageStatistics : The use of slots.
    """

    used: int
    reserved: int
    csr: int
    arcs: int

    def __add__(self, other: MemoryUsage) -> MemoryUsage:
        """Both together."""
        return MemoryUsage(
            self.used + other.used, self.reserved + other.reserved, self.csr + other.csr, self.arcs + other.arcs
        )

    @property
    def bytes_per_arc(self) -> float:
        """`used` per stored arc."""
        return self.used / max(self.arcs, 1)
