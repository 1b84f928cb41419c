"""Graph algorithms, one file each, as short loops of operators. They run on every structure and device.

`analytics` lists them, with both forms of each, and `register` adds a user's own.
"""

from . import catalogue, comparators
from ._communities import CommunitiesResult
from .all_pairs_similarity import (
    AllPairsSimilarityResult,
    all_pairs_cosine,
    all_pairs_jaccard,
    all_pairs_overlap,
    all_pairs_sorensen,
)
from .analytic import Analytic, analytics, find_analytic, register
from .betweenness_centrality import BetweennessCentralityResult, betweenness_centrality
from .bfs import UNREACHED, BFSResult, bfs
from .biased_random_walks import biased_random_walks, node2vec_random_walks
from .cdlp import CDLPResult, cdlp
from .closeness_centrality import ClosenessCentralityResult, closeness_centrality
from .coloring import ColoringResult, coloring
from .connected_components import ConnectedComponentsResult, connected_components
from .core_number import CoreNumberResult, KCoreResult, core_number, k_core
from .degree_centrality import DegreeCentralityResult, degree_centrality
from .dynamic_betweenness_centrality import DynamicBetweennessCentrality
from .dynamic_bfs import DynamicBFS
from .dynamic_coloring import DynamicColoring
from .dynamic_connected_components import DynamicConnectedComponents
from .dynamic_core_number import DynamicCoreNumber
from .dynamic_k_truss import DynamicKTruss
from .dynamic_katz_centrality import DynamicKatzCentrality
from .dynamic_label_propagation import DynamicLabelPropagation
from .dynamic_local_clustering import DynamicLocalClustering
from .dynamic_louvain import DynamicLouvain
from .dynamic_pagerank import DynamicPageRank
from .dynamic_sssp import DynamicSSSP
from .dynamic_strongly_connected_components import DynamicStronglyConnectedComponents
from .dynamic_temporal_motifs import DynamicTemporalMotifs
from .dynamic_temporal_triangle_count import DynamicTemporalTriangleCount
from .dynamic_triangle_count import DynamicTriangleCount
from .earliest_arrival import EarliestArrivalResult, earliest_arrival
from .ecg import ecg
from .edge_betweenness_centrality import EdgeBetweennessCentralityResult, edge_betweenness_centrality
from .ego_graph import EgoGraphResult, ego_graph
from .eigenvector_centrality import EigenvectorCentralityResult, eigenvector_centrality
from .force_atlas2 import ForceAtlas2Result, force_atlas2
from .hits import HITSResult, hits
from .incremental import AnalyticFailedError, IncrementalAlgorithm, maintained
from .k_truss import KTrussResult, TrussNumbersResult, k_truss, truss_numbers
from .katz_centrality import KatzCentralityResult, katz_centrality
from .label_propagation import LabelPropagationResult, label_propagation
from .leiden import leiden
from .local_clustering import LocalClusteringResult, local_clustering
from .louvain import louvain
from .maximal_independent_set import MaximalIndependentSetResult, maximal_independent_set
from .minimum_spanning_forest import MinimumSpanningForestResult, maximum_spanning_forest, minimum_spanning_forest
from .pagerank import ConvergenceError, PageRankResult, pagerank
from .personalized_pagerank import PersonalizedPageRankResult, personalized_pagerank
from .random_walks import RandomWalksResult, random_walks
from .result import Result
from .shortest_path import ShortestPathResult, shortest_path
from .similarity import SimilarityResult, cosine, jaccard, overlap, sorensen
from .sssp import SSSPResult, sssp
from .strongly_connected_components import strongly_connected_components
from .temporal_cycles import TemporalCycleCountResult, TemporalCyclesResult, temporal_cycle_count, temporal_cycles
from .temporal_motifs import TemporalMotifsResult, temporal_motifs
from .temporal_pagerank import temporal_pagerank
from .temporal_random_walks import TemporalRandomWalksResult, temporal_random_walks
from .temporal_triangle_count import TemporalTriangleCountResult, temporal_triangle_count
from .triangle_count import TriangleCountResult, triangle_count

__all__ = [
    "UNREACHED", "AllPairsSimilarityResult", "Analytic", "AnalyticFailedError", "BFSResult",
    "BetweennessCentralityResult", "CDLPResult", "ClosenessCentralityResult", "ColoringResult", "CommunitiesResult",
    "ConnectedComponentsResult", "ConvergenceError", "CoreNumberResult", "DegreeCentralityResult", "DynamicBFS",
    "DynamicBetweennessCentrality", "DynamicColoring", "DynamicConnectedComponents", "DynamicCoreNumber",
    "DynamicKTruss", "DynamicKatzCentrality", "DynamicLabelPropagation", "DynamicLocalClustering", "DynamicLouvain",
    "DynamicPageRank", "DynamicSSSP", "DynamicStronglyConnectedComponents", "DynamicTemporalMotifs",
    "DynamicTemporalTriangleCount", "DynamicTriangleCount", "EarliestArrivalResult", "EdgeBetweennessCentralityResult",
    "EgoGraphResult", "EigenvectorCentralityResult", "ForceAtlas2Result", "HITSResult", "IncrementalAlgorithm",
    "KCoreResult", "KTrussResult", "KatzCentralityResult", "LabelPropagationResult", "LocalClusteringResult",
    "MaximalIndependentSetResult", "MinimumSpanningForestResult", "PageRankResult", "PersonalizedPageRankResult",
    "RandomWalksResult", "Result", "SSSPResult", "ShortestPathResult", "SimilarityResult", "TemporalCycleCountResult",
    "TemporalCyclesResult", "TemporalMotifsResult", "TemporalRandomWalksResult", "TemporalTriangleCountResult",
    "TriangleCountResult", "TrussNumbersResult", "all_pairs_cosine", "all_pairs_jaccard", "all_pairs_overlap",
    "all_pairs_sorensen", "analytics", "betweenness_centrality", "bfs", "biased_random_walks", "catalogue", "cdlp",
    "closeness_centrality", "coloring", "comparators", "connected_components", "core_number", "cosine",
    "degree_centrality", "earliest_arrival", "ecg", "edge_betweenness_centrality", "ego_graph",
    "eigenvector_centrality", "find_analytic", "force_atlas2", "hits", "jaccard", "k_core", "k_truss",
    "katz_centrality", "label_propagation", "leiden", "local_clustering", "louvain", "maintained",
    "maximal_independent_set", "maximum_spanning_forest", "minimum_spanning_forest", "node2vec_random_walks", "overlap",
    "pagerank", "personalized_pagerank", "random_walks", "register", "shortest_path", "sorensen", "sssp",
    "strongly_connected_components", "temporal_cycle_count", "temporal_cycles", "temporal_motifs", "temporal_pagerank",
    "temporal_random_walks", "temporal_triangle_count", "triangle_count", "truss_numbers",
]  # fmt: skip
