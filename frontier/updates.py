"""What updates report, and how analytics are notified of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class UpdateResult:
    """What an update did, in edges (an undirected edge counts once).

    Attributes
    ----------
    inserted : int
        Edges that were not there before.
    replaced : int
        Edges that were there already; in graphs with weights, theirs was set anew.
    deleted : int
        Edges that are gone.
    """

    inserted: int = 0
    replaced: int = 0
    deleted: int = 0


class UpdateObserver:
    """An analytic that is maintained incrementally: a base class whose methods do nothing.

    All arrays are on the graph's device, of its vertex dtype. Copies and pickles of a graph have no observers, and
    observers can be neither copied nor pickled (TypeError): another one is made for the copy.

    An observer watches one graph at a time. To attach it twice is to attach it once; a copy of a graph has no
    observers. The methods are called in the order in which observers were attached, and must not change the graph.

    An observer never stands in the way of an update. If any of the four methods that the graph calls raises, the
    observer is detached, and `failed` is called, since it may no longer agree with the graph. The update is made, all
    other observers are notified as usual, and then the caller of the update gets an `ObserverError`.

    Attributes
    ----------
    exact : bool
        If true (the default), methods are given effective edges only, each once: edges that were absent before an
        insertion, or present before a deletion; undirected edges as ``src < dst``. If false, they are given the arcs of
        the batch as they came, which costs nothing: both directions of undirected edges, duplicates, arcs that were
        there already or never, and entries that were dropped, with a negative `src`. `visit_edges` takes them as they
        are, and skips those. Before a deletion the batch may yet turn out to be bad.
    """

    exact: ClassVar[bool] = True
    _watched: Any = None  # weak reference to the graph, kept by it

    def __reduce__(self) -> Any:
        """Raise TypeError: a copy would be attached to no graph, and be wrong after the next update."""
        raise TypeError(
            f"a {type(self).__name__} follows the updates of one graph and can be neither copied nor pickled; "
            f"make another {type(self).__name__} for the copy of the graph"
        )

    def find_edges(self, find: Callable[[], tuple[Any, Any]]) -> tuple[Any, Any]:
        """Called for the effective edges of a batch, which `find` finds: of the exact observers, the first.

        They are found for observers alone; who measures them measures this, too. If it raises, the update is not made.
        """
        return find()

    def edges_inserted(self, src: Any, dst: Any) -> None:
        """Called after edges were inserted, or given other weights (which only those who are not exact are told)."""

    def edges_deleting(self, src: Any, dst: Any) -> None:
        """Called before edges are deleted, while they can still be seen.

        The deletion may fail after that (a bad batch, no memory). Then `edges_deleted` does not follow, and the edges
        stay: what is computed here counts only once `edges_deleted` is called.
        """

    def edges_deleted(self, src: Any, dst: Any) -> None:
        """Called after they were; not called if the deletion failed."""

    def vertices_changed(self) -> None:
        """Called after vertices were added, brought back or deleted; the edges of deleted ones are gone by then."""

    def attaching(self, graph: Any) -> None:
        """Called before the observer is attached to a graph; raises to refuse."""

    def detached(self) -> None:
        """Called after `DynamicGraph.detach` has detached the observer."""

    def failed(self, method: str, error: BaseException) -> None:
        """Called after one of its methods raised `error`, and the observer was detached."""


class ObserverError(RuntimeError):
    """An update was made, but observers of the graph failed at it; they were detached.

    ``__cause__`` is what the observer raised, or an ``ExceptionGroup`` if there were several.

    Attributes
    ----------
    result : UpdateResult or array
        What the update would have returned.
    failures : list of (UpdateObserver, BaseException)
        The observers, and what they raised.
    """

    def __init__(self, result: Any, failures: list[tuple[UpdateObserver, BaseException]]):
        self.result = result
        self.failures = failures
        made = f" ({result!r})" if isinstance(result, UpdateResult) else ""
        reasons = "; ".join(
            f"{type(observer).__name__} raised {type(error).__name__}: {error}" for observer, error in failures
        )
        super().__init__(f"the update was made{made}, but observers failed and were detached: {reasons}")


@dataclass(frozen=True)
class MemoryUsage:
    """Bytes of a graph.

    Attributes
    ----------
    used : int
        Bytes that hold the graph, with the gaps its structure needs, without room set aside for growth.
    reserved : int
        Bytes allocated, scratch memory included.
    csr : int
        Bytes that the same graph would take as CSR.
    arcs : int
        Stored arcs (two for each undirected edge).
    """

    used: int
    reserved: int
    csr: int
    arcs: int

    @property
    def bytes_per_arc(self) -> float:
        """`used` for each stored arc."""
        return self.used / max(self.arcs, 1)
