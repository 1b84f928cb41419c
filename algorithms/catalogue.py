"""The analytics of this package, each with its static and its incremental form. Users add theirs with `register`."""

from __future__ import annotations

from typing import Any

from .all_pairs_similarity import all_pairs_cosine, all_pairs_jaccard, all_pairs_overlap, all_pairs_sorensen
from .analytic import Analytic, register
from .betweenness_centrality import betweenness_centrality
from .bfs import bfs
from .biased_random_walks import biased_random_walks, node2vec_random_walks
from .cdlp import cdlp
from .closeness_centrality import closeness_centrality
from .coloring import coloring
from .comparators import (
    Best,
    Counts,
    Distances,
    Distribution,
    Edges,
    Exact,
    Forests,
    Partition,
    Quality,
    Scores,
    Valid,
    Values,
    Walks,
    dominant_labels,
    maximal_independent,
    modularity,
    nearness,
    proper_coloring,
    stationary_centrality,
)
from .connected_components import connected_components
from .core_number import core_number, k_core
from .degree_centrality import degree_centrality
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
from .earliest_arrival import earliest_arrival
from .ecg import ecg
from .edge_betweenness_centrality import edge_betweenness_centrality
from .ego_graph import ego_graph
from .eigenvector_centrality import eigenvector_centrality
from .force_atlas2 import force_atlas2
from .hits import hits
from .k_truss import k_truss, truss_numbers
from .katz_centrality import katz_centrality
from .label_propagation import label_propagation
from .leiden import leiden
from .local_clustering import local_clustering
from .louvain import louvain
from .maximal_independent_set import maximal_independent_set
from .minimum_spanning_forest import maximum_spanning_forest, minimum_spanning_forest
from .pagerank import pagerank
from .personalized_pagerank import personalized_pagerank
from .random_walks import random_walks
from .shortest_path import shortest_path
from .similarity import cosine, jaccard, overlap, sorensen
from .sssp import sssp
from .strongly_connected_components import strongly_connected_components
from .temporal_cycles import temporal_cycle_count, temporal_cycles
from .temporal_motifs import temporal_motifs
from .temporal_pagerank import temporal_pagerank
from .temporal_random_walks import temporal_random_walks
from .temporal_triangle_count import temporal_triangle_count
from .triangle_count import triangle_count

__all__ = ["GALLERY"]


def _ranks(alpha: float, tol: float, **_: Any) -> Distribution:
    """A step that changes ranks by less than tol leaves them within tol alpha / (1 - alpha) of the exact ones."""
    return Distribution(2 * tol * alpha / (1 - alpha))


register(Analytic(
    "bfs", bfs, DynamicBFS, values=("distance",), vertex_values=("predecessor",), comparator=Distances(),
))  # fmt: skip
register(Analytic(
    "connected_components", connected_components, DynamicConnectedComponents, values=("labels",),
    vertex_values=("labels",), comparator=Partition(), directions="ignored", headline=("count", "component"),
))  # fmt: skip
register(Analytic(
    "pagerank", pagerank, DynamicPageRank, values=("pagerank",), comparator=_ranks,
    parameters={"alpha": 0.85, "tol": 1e-6, "max_iter": 1000}, weights="optional", negative_weights=False,
    note="iterative methods stop at an iteration that changes ranks by less than {tol:g} in total",
))  # fmt: skip
register(Analytic(
    "triangle_count", triangle_count, DynamicTriangleCount, values=("total", "per_vertex"), comparator=Counts(3),
    directions="refused", headline=("total", "triangle"),
))  # fmt: skip
register(Analytic(
    "sssp", sssp, DynamicSSSP, values=("distance",), vertex_values=("predecessor",), comparator=Distances(),
    weights="expected", negative_weights=False,
))  # fmt: skip
register(Analytic(
    "k_truss", k_truss, DynamicKTruss, values=("src", "dst"), per="edge", comparator=Edges(), parameters={"k": 4},
    varied="k", directions="refused", headline=("num_edges", "truss edge"),
))  # fmt: skip
register(Analytic(
    "truss_numbers", truss_numbers, values=("src", "dst", "truss"), per="edge", comparator=Edges(),
    directions="refused",
))  # fmt: skip
# ---- the gallery ----------------------------------------------------------------------------------------------------

GALLERY = (
    "core_number", "k_core", "label_propagation", "cdlp", "coloring", "maximal_independent_set", "local_clustering",
    "jaccard", "sorensen", "cosine", "overlap", "all_pairs_jaccard", "all_pairs_sorensen", "all_pairs_cosine",
    "all_pairs_overlap", "strongly_connected_components", "betweenness_centrality", "closeness_centrality", "hits",
    "katz_centrality", "degree_centrality", "eigenvector_centrality", "edge_betweenness_centrality",
    "minimum_spanning_forest", "maximum_spanning_forest", "louvain", "leiden", "ecg", "personalized_pagerank",
    "random_walks", "biased_random_walks", "node2vec_random_walks", "shortest_path", "ego_graph", "force_atlas2",
)  # fmt: skip
"""Static algorithms that demonstrate the operators. Tests and benchmarks cover them on fewer structures."""

register(Analytic(
    "core_number", core_number, DynamicCoreNumber, values=("core_number",), comparator=Exact(),
    headline=("degeneracy", "core"),
))  # fmt: skip
register(Analytic(
    "k_core", k_core, values=("src", "dst"), per="edge", comparator=Edges(), parameters={"k": 4}, varied="k",
    headline=("num_edges", "core edge"),
))  # fmt: skip
register(Analytic(
    "label_propagation", label_propagation, DynamicLabelPropagation, values=("labels",), vertex_values=("labels",),
    comparator=Valid(dominant_labels), parameters={"max_iter": 100, "seed": 0}, directions="refused",
    headline=("count", "community"), note="communities may differ: each vertex must have a label that is most frequent",
))  # fmt: skip
register(Analytic(
    "cdlp", cdlp, values=("labels",), vertex_values=("labels",), comparator=Exact(), parameters={"max_iter": 10},
))  # fmt: skip
register(Analytic(
    "coloring", coloring, DynamicColoring, values=("color",), comparator=Valid(proper_coloring),
    parameters={"seed": 0}, directions="refused", headline=("count", "color"),
    note="greedy colorings may differ in their number of colors",
))  # fmt: skip
register(Analytic(
    "maximal_independent_set", maximal_independent_set, values=("members",), comparator=Valid(maximal_independent),
    parameters={"seed": 0}, directions="refused", headline=("count", "member"),
    note="maximal independent sets may differ in size",
))  # fmt: skip
register(Analytic(
    "local_clustering", local_clustering, DynamicLocalClustering, values=("clustering",),
    comparator=Values(rtol=1e-9), directions="refused",
))  # fmt: skip
for similarity in (jaccard, sorensen, cosine, overlap):
    register(Analytic(
        similarity.__name__, similarity, values=("src", "dst", "coefficient"), per="edge",
        comparator=Edges(Values(rtol=1e-6)),
    ))  # fmt: skip
for similarity in (all_pairs_jaccard, all_pairs_sorensen, all_pairs_cosine, all_pairs_overlap):
    register(Analytic(
        similarity.__name__, similarity, values=("src", "dst", "coefficient"), per="edge",
        comparator=Best(Values(rtol=1e-6)), parameters={"topk": 100}, varied="topk",
        note="of pairs with equal coefficients others may be chosen",
    ))  # fmt: skip
register(Analytic(
    "strongly_connected_components", strongly_connected_components, DynamicStronglyConnectedComponents,
    values=("labels",), vertex_values=("labels",),
    comparator=Partition(), headline=("count", "component"),
))  # fmt: skip
register(Analytic(
    "betweenness_centrality", betweenness_centrality, DynamicBetweennessCentrality,
    values=("betweenness_centrality",), comparator=Values(atol=1e-12),
    parameters={"k": 16, "seed": 0},
))  # fmt: skip
register(Analytic(
    "closeness_centrality", closeness_centrality, values=("closeness_centrality",), comparator=Values(rtol=1e-9),
    parameters={"k": 64, "seed": 0},
))  # fmt: skip
register(Analytic(
    "hits", hits, values=("hubs", "authorities"), comparator=lambda tol, **_: Scores(tol),
    parameters={"max_iter": 10000, "tol": 1e-7},
))  # fmt: skip
register(Analytic(
    "katz_centrality", katz_centrality, DynamicKatzCentrality, values=("katz_centrality",),
    comparator=Values(rtol=1e-3), parameters={"beta": 1.0, "max_iter": 1000, "tol": 1e-6},
))  # fmt: skip
register(Analytic(
    "degree_centrality", degree_centrality, values=("degree_centrality",), comparator=Values(rtol=1e-9),
))  # fmt: skip
register(Analytic(
    "eigenvector_centrality", eigenvector_centrality, values=("eigenvector_centrality",),
    comparator=lambda tol, **_: Scores(tol, stationary_centrality), parameters={"max_iter": 10000, "tol": 1e-6},
    weights="optional", negative_weights=False,
))  # fmt: skip
register(Analytic(
    "edge_betweenness_centrality", edge_betweenness_centrality, values=("src", "dst", "betweenness_centrality"),
    per="edge", comparator=Edges(Values(atol=1e-12)), parameters={"k": 16, "seed": 0},
))  # fmt: skip
for forest in (minimum_spanning_forest, maximum_spanning_forest):
    register(Analytic(
        forest.__name__, forest, values=("src", "dst", "weight"), per="edge", comparator=Forests(),
        directions="refused", weights="expected", headline=("num_edges", "forest edge"),
        note="of several forests of the same weight it is that of the lowest edges in order of their ends",
    ))  # fmt: skip
register(Analytic(
    "louvain", louvain, DynamicLouvain, values=("labels",), vertex_values=("labels",),
    comparator=Quality(modularity, slack=0.05), parameters={"seed": 0}, directions="refused", weights="optional",
    negative_weights=False, headline=("count", "community"), note="communities are compared by their modularity",
))  # fmt: skip
for method, slack in ((leiden, 0.05), (ecg, 0.1)):
    register(Analytic(
        method.__name__, method, values=("labels",), vertex_values=("labels",),
        comparator=Quality(modularity, slack=slack), parameters={"seed": 0}, directions="refused", weights="optional",
        negative_weights=False, headline=("count", "community"), note="communities are compared by their modularity",
    ))  # fmt: skip
register(Analytic(
    "personalized_pagerank", personalized_pagerank, values=("pagerank",), parameters={"alpha": 0.85, "tol": 1e-4},
    comparator=lambda tol, **_: Distribution(2 * tol),
    note="ranks of either side may be {tol:g} from the exact ones in total",
))  # fmt: skip
register(Analytic(
    "random_walks", random_walks, values=("steps", "ends"), vertex_values=("ends",),
    comparator=lambda length, **_: Walks(length), parameters={"length": 10, "seed": 0},
))  # fmt: skip
register(Analytic(
    "biased_random_walks", biased_random_walks, values=("steps", "ends"), vertex_values=("ends",),
    comparator=lambda length, **_: Walks(length, "weighted"), parameters={"length": 10, "seed": 0}, weights="optional",
    negative_weights=False,
))  # fmt: skip
register(Analytic(
    "node2vec_random_walks", node2vec_random_walks, values=("steps", "ends"), vertex_values=("ends",),
    comparator=lambda length, p, q, **_: Walks(length, "weighted" if p == q == 1 else "any"), weights="optional",
    parameters={"length": 10, "p": 1.0, "q": 1.0, "seed": 0}, negative_weights=False,
))  # fmt: skip
register(Analytic(
    "shortest_path", shortest_path, values=("distance",), vertex_values=("predecessor",), comparator=Distances(),
    weights="expected", negative_weights=False,
))  # fmt: skip
register(Analytic(
    "ego_graph", ego_graph, values=("src", "dst"), per="edge", comparator=Edges(), parameters={"radius": 1},
    varied="radius", weights="optional", headline=("num_edges", "edge"),
))  # fmt: skip
register(Analytic(
    "force_atlas2", force_atlas2, values=("x", "y"), comparator=Quality(nearness, slack=0.05),
    parameters={"max_iter": 100, "seed": 0}, directions="ignored", weights="optional", negative_weights=False,
    note="layouts are compared by the share of pairs of vertices that are farther apart than neighbors",
))  # fmt: skip
# ---- graphs with times ----------------------------------------------------------------------------------------------

register(Analytic(
    "earliest_arrival", earliest_arrival, values=("arrival",), vertex_values=("predecessor",), time_values=("arrival",),
    comparator=Exact(), times=True,
))  # fmt: skip
register(Analytic(
    "temporal_pagerank", temporal_pagerank, values=("pagerank",), comparator=_ranks, weights="optional",
    parameters={"alpha": 0.85, "tol": 1e-6, "max_iter": 1000, "half_life": 1}, negative_weights=False, times=True,
    note="iterative methods stop at an iteration that changes ranks by less than {tol:g} in total",
))  # fmt: skip
register(Analytic(
    "temporal_triangle_count", temporal_triangle_count, DynamicTemporalTriangleCount, values=("total", "per_vertex"),
    comparator=Counts(3), parameters={"delta": 1}, varied="delta", directions="refused",
    headline=("total", "triangle"), times=True,
))  # fmt: skip
register(Analytic(
    "temporal_motifs", temporal_motifs, DynamicTemporalMotifs, values=("total", "counts"), per="graph",
    comparator=Exact(), parameters={"delta": 1}, varied="delta", headline=("total", "motif"), times=True,
))  # fmt: skip
register(Analytic(
    "temporal_cycle_count", temporal_cycle_count, values=("total", "per_vertex"), comparator=Exact(),
    parameters={"delta": 1, "length_bound": 4}, varied="delta", headline=("total", "cycle"), times=True,
))  # fmt: skip
register(Analytic(
    "temporal_cycles", temporal_cycles, values=("src", "dst", "time", "cycle"), per="edge", time_values=("time",),
    comparator=Exact(), parameters={"delta": 1, "length_bound": 4}, varied="delta", times=True,
))  # fmt: skip
register(Analytic(
    "temporal_random_walks", temporal_random_walks, values=("paths", "times", "steps", "ends"),
    vertex_values=("paths", "ends"), parameters={"length": 10, "seed": 0, "half_life": 1}, times=True,
))  # fmt: skip
