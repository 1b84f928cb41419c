"""Graph analytics on graphs that change: the frontier engine.

Analytics are loops of a few operators over a `Frontier`, a set of vertices: `advance` along edges, `filter` and
`compute` over vertices, `neighbor_reduce` over the edges of each, `intersect` pairs of neighbor lists, `traverse` to
the end. What is done on the way is said in plain Python functions, which are compiled for the graph's device, CPU or
GPU.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .advanced import arguments
from .core import keys
from .core.dynamic import DynamicGraph
from .core.graph import Graph
from .core.locking import reads
from .core.registry import snapshot_structure
from .core.results import MemoryUsage, ObserverError, UpdateObserver, UpdateResult
from .core.statistics import StorageStatistics
from .core.structures import structure_class, structures
from .features.edge_data import RecordsResult
from .features.mixed import MixedResult, Op
from .features.temporal_sampling import sample_temporal_neighbors
from .features.temporal_sampling.latest import latest_neighbors
from .features.times.events import event_graph
from .features.times.replaced import ReplacedTimesWarning
from .features.windows.window import SlidingWindow, WindowResult
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
from .functor.intrinsics.random import random, random_bits
from .names import Names
from .operators import (
    Orientation,
    PriorityFrontier,
    SpMV,
    Step,
    advance,
    common_neighbors,
    compute,
    defer,
    edge_support,
    extract_neighbors,
    extract_oriented,
    extract_subgraph,
    filter,
    intersect,
    intersect_arcs,
    neighbor_reduce,
    reduce,
    sample_neighbors,
    snapshot_for_passes,
    snapshot_if_faster,
    traverse,
    visit_edges,
)
from .operators.batch_step import BatchStep, clear
from .operators.capture import Recorded, record
from .operators.frontiers.edge_frontier import EdgeFrontier
from .operators.frontiers.frontier import Frontier
from .operators.layout import Form, choose_form
from .runtime import Device, display, gpu_available, loading_alternatives, on_compile, resolve_device
from .runtime.compile.caches import clear_caches
from .runtime.memory.transfer import Fetched, fetch

if TYPE_CHECKING:

    from . import distributed, interchange, io

__all__ = [
    "BatchStep",
    "Device",
    "DynamicGraph",
    "EdgeFrontier",
    "Fetched",
    "Form",
    "Frontier",
    "FunctorError",
    "FunctorIndexError",
    "Graph",
    "MemoryUsage",
    "MixedResult",
    "Names",
    "ObserverError",
    "Op",
    "Orientation",
    "PriorityFrontier",
    "Recorded",
    "RecordsResult",
    "ReplacedTimesWarning",
    "SlidingWindow",
    "SpMV",
    "Step",
    "StorageStatistics",
    "UpdateObserver",
    "UpdateResult",
    "WindowResult",
    "advance",
    "arguments",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_exch",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "checking",
    "choose_form",
    "clear",
    "clear_caches",
    "common_neighbors",
    "compute",
    "defer",
    "degree",
    "display",
    "distributed",
    "edge_support",
    "event_graph",
    "extract_neighbors",
    "extract_oriented",
    "extract_subgraph",
    "fetch",
    "filter",
    "find_edge",
    "gpu_available",
    "interchange",
    "interpreted",
    "intersect",
    "intersect_arcs",
    "io",
    "keys",
    "latest_neighbors",
    "loading_alternatives",
    "neighbor_reduce",
    "neighbors",
    "on_compile",
    "random",
    "random_bits",
    "reads",
    "record",
    "reduce",
    "resolve_device",
    "sample_neighbors",
    "sample_temporal_neighbors",
    "snapshot_for_passes",
    "snapshot_if_faster",
    "snapshot_structure",
    "structure_class",
    "structures",
    "traverse",
    "visit_edges",
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
