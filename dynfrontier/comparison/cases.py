"""For each algorithm, the calls on both sides, and how differing definitions are reconciled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from algorithms import UNREACHED, bfs, connected_components, k_truss, pagerank, sssp, triangle_count

from ..peers import BasePeer, Task
from .checks import Verdict, close_lengths, close_ranks, same_counts, same_edges, same_partition, same_values
from .snapshot import Snapshot

MOST_STEPS = 1000
LENGTH_ERROR = {"float32": 1e-4, "float64": 1e-9}
"""Relative error of path lengths, whose sums are rounded in different orders. Integers have none."""
EXACT_LENGTH = 2**53
"""Integer lengths are exact up to this bound, since peers use float64."""


@dataclass(frozen=True)
class Setting:
    """The graph and the parameters of the algorithms.

    Attributes
    ----------
    snapshot : Snapshot
    source : int
        A vertex of the graph.
    ks : tuple of int
    alpha, tol : float
    """

    snapshot: Snapshot
    source: int
    ks: tuple[int, ...]
    alpha: float
    tol: float

    @property
    def directed(self) -> bool:
        return self.snapshot.graph.directed

    @property
    def start(self) -> int:
        """The id of the source in the snapshot."""
        return self.snapshot.number(self.source)


@dataclass(frozen=True)
class Case:
    """An algorithm to run on both sides.

    Attributes
    ----------
    label : str
    task : str
        Its name in a peer's notes.
    ours, theirs : callable
        Our call, and the peer's task on its graph.
    compare : callable
        Compares our result with the arrays of the peer.
    weighted, directed : bool
        The form of the peer's graph.
    notes : tuple of str
    obstacle : str
        Why it is skipped, or "".
    """

    label: str
    task: str
    ours: Callable[[], Any]
    theirs: Callable[[BasePeer, Any], Task | None]
    compare: Callable[[BasePeer, Any, Any], Verdict]
    weighted: bool = False
    directed: bool = False
    notes: tuple[str, ...] = ()
    obstacle: str = ""


def _bfs(s: Setting) -> Iterator[Case]:
    def compare(peer: BasePeer, ours: Any, theirs: np.ndarray) -> Verdict:
        distance = s.snapshot.per_vertex(ours.distance)
        return same_values(np.where(distance == UNREACHED, -1, distance), theirs)

    yield Case(
        "bfs", "bfs", partial(bfs, s.snapshot.graph, s.source), lambda peer, theirs: peer.bfs(theirs, s.start), compare,
        directed=s.directed, notes=_forward(s),
    )  # fmt: skip


def _connected_components(s: Setting) -> Iterator[Case]:
    def compare(peer: BasePeer, ours: Any, theirs: np.ndarray) -> Verdict:
        return same_partition(s.snapshot.per_vertex(ours.labels), theirs)

    yield Case(
        "connected_components", "components", partial(connected_components, s.snapshot.graph),
        lambda peer, theirs: peer.components(theirs), compare,
        notes=("weakly connected components; theirs ignore edge directions",) if s.directed else (),
    )  # fmt: skip


def _pagerank(s: Setting) -> Iterator[Case]:
    # A step that changes ranks by less than tol leaves them within tol alpha / (1 - alpha) of the exact ones.
    allowed = 2 * s.tol * s.alpha / (1 - s.alpha)

    def compare(peer: BasePeer, ours: Any, theirs: np.ndarray) -> Verdict:
        return close_ranks(s.snapshot.per_vertex(ours.pagerank), theirs, allowed + peer.rank_rounding)

    yield Case(
        "pagerank", "pagerank", partial(pagerank, s.snapshot.graph, s.alpha, MOST_STEPS, s.tol),
        lambda peer, theirs: peer.pagerank(theirs, s.alpha, s.tol), compare, weighted=True, directed=s.directed,
        notes=(f"iterative methods stop at an iteration that changes ranks by less than {s.tol:g} in total",),
        obstacle=_good_weights_only(s),
    )  # fmt: skip


def _sssp(s: Setting) -> Iterator[Case]:
    allowed = LENGTH_ERROR.get(str(s.snapshot.graph.weight_dtype), 0.0)

    def compare(peer: BasePeer, ours: Any, theirs: np.ndarray) -> Verdict:
        lengths = _lengths(s.snapshot.per_vertex(ours.distance))
        rounded = bool((lengths[np.isfinite(lengths)] > EXACT_LENGTH).any())
        return close_lengths(lengths, theirs, max(allowed, LENGTH_ERROR["float64"]) if rounded else allowed)

    yield Case(
        "sssp", "sssp", partial(sssp, s.snapshot.graph, s.source), lambda peer, theirs: peer.sssp(theirs, s.start),
        compare, weighted=True, directed=s.directed, notes=_forward(s), obstacle=_good_weights_only(s),
    )  # fmt: skip


def _triangle_count(s: Setting) -> Iterator[Case]:
    def compare(peer: BasePeer, ours: Any, theirs: np.ndarray | int) -> Verdict:
        return same_counts(s.snapshot.per_vertex(ours.per_vertex), theirs)

    yield Case(
        "triangle_count", "triangles", partial(triangle_count, s.snapshot.graph),
        lambda peer, theirs: peer.triangles(theirs), compare, obstacle=_undirected_only(s),
    )  # fmt: skip


def _k_truss(s: Setting) -> Iterator[Case]:
    def compare(peer: BasePeer, ours: Any, theirs: tuple[np.ndarray, np.ndarray]) -> Verdict:
        return same_edges(s.snapshot.edges(ours.src, ours.dst), theirs)

    for k in s.ks:
        yield Case(
            f"k_truss({k})", "k_truss", partial(k_truss, s.snapshot.graph, k),
            lambda peer, theirs, k=k: peer.k_truss(theirs, k),  # type: ignore[misc]
            compare, obstacle=_undirected_only(s),
        )  # fmt: skip


CASES: dict[str, Callable[[Setting], Iterator[Case]]] = {
    "bfs": _bfs,
    "connected_components": _connected_components,
    "pagerank": _pagerank,
    "sssp": _sssp,
    "triangle_count": _triangle_count,
    "k_truss": _k_truss,
}
"""By the name of our algorithm."""


def _forward(s: Setting) -> tuple[str, ...]:
    return ("edges are followed forward",) if s.directed else ()


def _undirected_only(s: Setting) -> str:
    return "it is defined for undirected graphs" if s.directed else ""


def _good_weights_only(s: Setting) -> str:
    return "" if s.snapshot.has_good_weights() else "weights must be finite and not negative"


def _lengths(distance: np.ndarray) -> np.ndarray:
    """Distances as float64, infinite where there is no path."""
    if distance.dtype.kind == "f":
        return distance.astype(np.float64)
    return np.where(distance == np.iinfo(distance.dtype).max, np.inf, distance)
