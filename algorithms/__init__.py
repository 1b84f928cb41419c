"""Graph algorithms, each a short loop of operators in a file of its own; they run on every structure and device.

`analytics` lists them, with both forms of each, and `register` adds a user's own.
"""

from . import catalogue, comparators
from .analytic import Analytic, analytics, find_analytic, register
from .betweenness_centrality import Betweenness, betweenness_centrality
from .bfs import UNREACHED, BFSResult, bfs
from .closeness_centrality import Closeness, closeness_centrality
from .coloring import Coloring, coloring
from .connected_components import Components, connected_components
from .core_number import CoreNumbers, KCore, core_number, k_core
from .dynamic_bfs import DynamicBFS
from .dynamic_components import DynamicComponents
from .dynamic_core import DynamicCore
from .dynamic_k_truss import DynamicKTruss
from .dynamic_pagerank import DynamicPageRank
from .dynamic_sssp import DynamicSSSP
from .dynamic_temporal_triangle_count import DynamicTemporalTriangleCount
from .dynamic_triangle_count import DynamicTriangleCount
from .earliest_arrival import EarliestArrival, earliest_arrival
from .hits import Hits, hits
from .incremental import AnalyticFailedError, IncrementalAlgorithm, maintained
from .k_truss import KTruss, TrussNumbers, k_truss, truss_numbers
from .katz_centrality import Katz, katz_centrality
from .label_propagation import Communities, label_propagation
from .local_clustering import Clustering, local_clustering
from .louvain import LouvainCommunities, louvain
from .maximal_independent_set import IndependentSet, maximal_independent_set
from .minimum_spanning_forest import SpanningForest, minimum_spanning_forest
from .pagerank import ConvergenceError, PageRank, pagerank
from .personalized_pagerank import PersonalizedPageRank, personalized_pagerank
from .random_walks import RandomWalks, random_walks
from .result import Result
from .similarity import Similarity, jaccard, overlap
from .sssp import Distances, sssp
from .strongly_connected_components import strongly_connected_components
from .temporal_pagerank import temporal_pagerank
from .temporal_random_walks import TemporalRandomWalks, temporal_random_walks
from .temporal_triangle_count import TemporalTriangleCount, temporal_triangle_count
from .triangle_count import TriangleCount, triangle_count

__all__ = [
    "UNREACHED",
    "Analytic",
    "AnalyticFailedError",
    "BFSResult",
    "Betweenness",
    "Closeness",
    "Clustering",
    "Coloring",
    "Communities",
    "Components",
    "ConvergenceError",
    "CoreNumbers",
    "Distances",
    "DynamicBFS",
    "DynamicComponents",
    "DynamicCore",
    "DynamicKTruss",
    "DynamicPageRank",
    "DynamicSSSP",
    "DynamicTemporalTriangleCount",
    "DynamicTriangleCount",
    "EarliestArrival",
    "Hits",
    "IncrementalAlgorithm",
    "IndependentSet",
    "KCore",
    "KTruss",
    "Katz",
    "LouvainCommunities",
    "PageRank",
    "PersonalizedPageRank",
    "RandomWalks",
    "Result",
    "Similarity",
    "SpanningForest",
    "TemporalRandomWalks",
    "TemporalTriangleCount",
    "TriangleCount",
    "TrussNumbers",
    "analytics",
    "betweenness_centrality",
    "bfs",
    "catalogue",
    "closeness_centrality",
    "coloring",
    "comparators",
    "connected_components",
    "core_number",
    "earliest_arrival",
    "find_analytic",
    "hits",
    "jaccard",
    "k_core",
    "k_truss",
    "katz_centrality",
    "label_propagation",
    "local_clustering",
    "louvain",
    "maintained",
    "maximal_independent_set",
    "minimum_spanning_forest",
    "overlap",
    "pagerank",
    "personalized_pagerank",
    "random_walks",
    "register",
    "sssp",
    "strongly_connected_components",
    "temporal_pagerank",
    "temporal_random_walks",
    "temporal_triangle_count",
    "triangle_count",
    "truss_numbers",
]
