"""The definition of a workload: a stream, its batches, and the analytics after each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

import frontier as fr

from .analytics import Chosen, choose_analytic

DELETE_ORDERS = ("random", "oldest")
RESERVED = ("insert", "delete", "query")
"""Names of a batch's operations in reports. No analytic can have such a name."""


class WorkloadOptions(TypedDict, total=False):
    """The arguments that make a `Workload` of a stream, which describes them: for type checkers."""

    batch_size: int | Sequence[int]
    deletes: float
    queries: float
    delete_order: str
    preload: float
    batches: int
    analytics: str | Callable[..., Any] | Sequence[str | Callable[..., Any]]
    directed: bool
    weighted: bool | None
    seed: int
    name: str


@dataclass(frozen=True, eq=False)
class Workload:
    """A stream of edges and its use, batch by batch.

    A prefix of the stream is loaded first. Then each batch inserts the next rows of the stream, deletes existing
    edges, and queries edges, about half of which exist. Finally every analytic runs.

    Parameters
    ----------
    source : str, path-like, EdgeList or EdgeStream
        A graph file, in order of time if it has times, or the result of a reader or generator of `frontier.io`. A
        stream that contains deletions (lines ``+ u v`` and ``- u v``) is applied unchanged: of the operations of a
        batch on one edge the last counts, which leaves the same edges.
    batch_size : int or sequence of int
        Operations in a batch: insertions, deletions and queries together. Each of several sizes is measured. A stream
        too short for one batch has one smaller batch.
    deletes, queries : float
        Their shares of a batch, from 0 to 1. The rest are insertions. Rounding is balanced by later batches.
    delete_order : {"random", "oldest"}
        The deleted edges: random ones, or those inserted first, as from a sliding window.
    preload : float
        Share of the stream that is loaded before the first batch, from 0 to 1.
    batches : int
        The largest number of batches. The stream may end earlier.
    analytics : str or callable, or sequence of them
        Run after each batch: names of the catalogue (`algorithms.analytics`), such as ``"bfs"``, are recomputed from
        scratch. With the prefix ``"dynamic_"`` they are maintained incrementally. Functions of a graph are also
        accepted. Results that are numbers or arrays of one dimension are compared between structures.
    directed : bool
        Whether ``u v`` and ``v u`` are different edges.
    weighted : bool, optional
        Whether the graph has the stream's weights, by default if it has any.
    seed : int
        Seed of the choice of deleted and queried edges.
    name : str
        The name of the stream, by default the source's.

    Attributes
    ----------
    batch_sizes : tuple of int
        `batch_size` as a tuple, ascending.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the error.
    """

    source: Any
    batch_size: int | Sequence[int] = 4096
    deletes: float = 0.0
    queries: float = 0.0
    delete_order: str = "random"
    preload: float = 0.5
    batches: int = 50
    analytics: str | Callable | Sequence[str | Callable] = ()
    directed: bool = False
    weighted: bool | None = None
    seed: int = 1
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.source, str | os.PathLike | fr.io.EdgeList | fr.io.EdgeStream):
            raise TypeError(
                f"source must be a file, an EdgeList or an EdgeStream of frontier.io, not {type(self.source).__name__}"
            )
        for share in ("deletes", "queries", "preload"):
            value = getattr(self, share)
            if not isinstance(value, int | float | np.number) or isinstance(value, bool) or not 0 <= value <= 1:
                raise ValueError(f"{share} must be a share from 0 to 1, got {value!r}")
        if self.deletes + self.queries > 1 + 1e-9:
            raise ValueError(f"deletes and queries must add up to at most 1, got {self.deletes} and {self.queries}")
        fr.advanced.arguments.one_of(self.delete_order, "delete_order", DELETE_ORDERS)
        for size in (self.batches, *self.batch_sizes):
            if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
                what = "batches" if size is self.batches else "batch_size"
                raise ValueError(f"{what} must be a positive integer, got {size!r}")
        names = [chosen.name for chosen in self.chosen]
        for chosen in self.chosen:
            if chosen.name in RESERVED:
                raise ValueError(f"analytics: a function must have another name than {chosen.name!r}")
            if names.count(chosen.name) > 1:
                raise ValueError(f"analytics: {chosen.name!r} is listed twice")
            if self.directed and chosen.analytic.directions == "refused":
                raise ValueError(f"analytics: {chosen.name} is defined for undirected graphs, and directed is True")

    @property
    def batch_sizes(self) -> tuple[int, ...]:
        """Every batch size, ascending."""
        sizes: Any = self.batch_size if isinstance(self.batch_size, Sequence | np.ndarray) else [self.batch_size]
        if not len(sizes):
            raise ValueError("batch_size must not be empty")
        return tuple(sorted(set(sizes)))

    @property
    def chosen(self) -> tuple[Chosen, ...]:
        """The analytics, found by their names."""
        one = isinstance(self.analytics, str) or callable(self.analytics)
        names: Any = (self.analytics,) if one else self.analytics
        return tuple(choose_analytic(name) for name in names)

    def to_dict(self) -> dict[str, Any]:
        """The workload as values for JSON, with the name of the stream."""
        return {
            "stream": self.name or (str(self.source) if isinstance(self.source, str | os.PathLike) else "in memory"),
            "batch_sizes": [int(size) for size in self.batch_sizes],
            "deletes": float(self.deletes),
            "queries": float(self.queries),
            "delete_order": self.delete_order,
            "preload": float(self.preload),
            "batches": int(self.batches),
            "analytics": [chosen.name for chosen in self.chosen],
            "directed": bool(self.directed),
            "weighted": self.weighted,
            "seed": int(self.seed),
        }
