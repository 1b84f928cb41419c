"""Graph algorithms, each a short loop of operators in a file of its own; they run on every structure and device."""

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
    "bfs",
    "connected_components",
    "k_truss",
    "pagerank",
    "sssp",
    "triangle_count",
    "truss_numbers",
]
