"""Graph algorithms, each a short loop of operators in a file of its own; they run on every structure and device.

`analytics` lists them, with both forms of each, and `register` adds a user's own.
"""

from . import catalogue, comparators
from .analytic import Analytic, analytics, find_analytic, register
from .bfs import UNREACHED, BFSResult, bfs
from .connected_components import Components, connected_components
from .dynamic_bfs import DynamicBFS
from .dynamic_components import DynamicComponents
from .dynamic_k_truss import DynamicKTruss
from .dynamic_pagerank import DynamicPageRank
from .dynamic_sssp import DynamicSSSP
from .dynamic_triangle_count import DynamicTriangleCount
from .incremental import AnalyticFailedError, IncrementalAlgorithm
from .k_truss import KTruss, TrussNumbers, k_truss, truss_numbers
from .pagerank import ConvergenceError, PageRank, pagerank
from .result import Result
from .sssp import Distances, sssp
from .triangle_count import TriangleCount, triangle_count

__all__ = [
    "UNREACHED",
    "Analytic",
    "AnalyticFailedError",
    "BFSResult",
    "Components",
    "ConvergenceError",
    "Distances",
    "DynamicBFS",
    "DynamicComponents",
    "DynamicKTruss",
    "DynamicPageRank",
    "DynamicSSSP",
    "DynamicTriangleCount",
    "IncrementalAlgorithm",
    "KTruss",
    "PageRank",
    "Result",
    "TriangleCount",
    "TrussNumbers",
    "analytics",
    "bfs",
    "catalogue",
    "comparators",
    "connected_components",
    "find_analytic",
    "k_truss",
    "pagerank",
    "register",
    "sssp",
    "triangle_count",
    "truss_numbers",
]
