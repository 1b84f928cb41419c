"""Graph analytics on graphs that change: the frontier engine.

Analytics are loops of a few operators over a `Frontier`, a set of vertices. `advance` visits edges, `filter` and
`compute` visit vertices, and `neighbor_reduce` combines the edges of each vertex. `intersect` compares pairs of
neighbor lists, and `traverse` repeats `advance` until the frontier is empty. You write per-edge and per-vertex code as
plain Python functions, which are compiled for the graph's device, CPU or GPU.

The names are listed in groups: graphs and their updates, frontiers and operators, functions for functors, and the
compilation and checks of functors. `advanced` has further functions for authors of algorithms.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import advanced
from .core.results import ObserverError, UpdateObserver
from .core.structures import structures
from .features.mixed import Operation
from .features.temporal_sampling import latest_neighbors, sample_temporal_neighbors
from .features.times.events import event_graph
from .features.times.replaced import ReplacedTimesWarning
from .features.windows.window import SlidingWindow
from .functor import FunctorError, FunctorIndexError, checking, interpreted
from .functor.intrinsics.atomics import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_exch,
    atomic_max,
    atomic_min,
    atomic_or,
)
from .functor.intrinsics.neighbors import degree, find_edge, neighbors
from .functor.intrinsics.random import random
from .graphs import DynamicGraph, Graph
from .names import VertexNames
from .operators import (
    PriorityFrontier,
    SpMV,
    advance,
    common_neighbors,
    compute,
    defer,
    extract_subgraph,
    filter,
    intersect,
    neighbor_reduce,
    reduce,
    sample_neighbors,
    traverse,
    visit_edges,
)
from .operators.capture import capture
from .operators.frontiers.edge_frontier import EdgeFrontier
from .operators.frontiers.frontier import Frontier
from .runtime import gpu_available
from .runtime.compile.caches import clear_caches

if TYPE_CHECKING:
    from . import distributed, interchange, io

__all__ = [  # noqa: RUF022
    # graphs and what happens to them
    "Graph",
    "DynamicGraph",
    "structures",
    "UpdateObserver",
    "ObserverError",
    "Operation",
    "VertexNames",
    "SlidingWindow",
    "event_graph",
    "ReplacedTimesWarning",
    "io",
    "interchange",
    "distributed",
    # frontiers and operators
    "Frontier",
    "EdgeFrontier",
    "PriorityFrontier",
    "advance",
    "filter",
    "compute",
    "reduce",
    "neighbor_reduce",
    "visit_edges",
    "intersect",
    "common_neighbors",
    "traverse",
    "SpMV",
    "capture",
    "extract_subgraph",
    "sample_neighbors",
    "sample_temporal_neighbors",
    "latest_neighbors",
    # in functors
    "neighbors",
    "degree",
    "find_edge",
    "defer",
    "random",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_exch",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    # compilation and its errors
    "gpu_available",
    "clear_caches",
    "checking",
    "interpreted",
    "FunctorError",
    "FunctorIndexError",
    # for authors of algorithms
    "advanced",
]

_LATER = ("distributed", "interchange", "io")
"""Modules that not every program needs, imported when one is first asked for."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found = import_module(f".{name}", __name__)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
