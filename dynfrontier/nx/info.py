"""The description of the backend for NetworkX: the entry point ``networkx.backend_info``.

NetworkX reads it whenever it is imported, so nothing is imported here.
"""

from __future__ import annotations

from typing import Any

NAME = "dynfrontier"

SUPPORTED = {
    "all_pairs_bellman_ford_path": "Weights must be finite numbers that are not negative.",
    "all_pairs_bellman_ford_path_length": "Weights must be finite numbers that are not negative.",
    "all_pairs_dijkstra": "Weights must be finite numbers that are not negative.",
    "all_pairs_dijkstra_path": "Weights must be finite numbers that are not negative.",
    "all_pairs_dijkstra_path_length": "Weights must be finite numbers that are not negative.",
    "all_pairs_shortest_path": "Paths may differ from those of `single_source_shortest_path`.",
    "all_pairs_shortest_path_length": "From 64 nodes at a time.",
    "ancestors": "",
    "asyn_lpa_communities": "Undirected graphs without self-loops. `weight` must be None. Communities depend on `seed`"
    " as theirs do, but differ.",
    "average_clustering": "Undirected graphs. `weight` must be None.",
    "average_shortest_path_length": "`method` must not be one of Floyd and Warshall's. Weights must be finite numbers"
    " that are not negative.",
    "barycenter": "`attr` and `sp` must be None. Weights must be finite numbers that are not negative.",
    "bellman_ford_path": "Weights must be finite numbers that are not negative.",
    "bellman_ford_path_length": "Weights must be finite numbers that are not negative.",
    "betweenness_centrality": "`weight` must be None. `k` is supported from NetworkX 3.6 on.",
    "bfs_edges": "`sort_neighbors` must be None. Children of a node come in the order of the graph's nodes.",
    "bfs_layers": "Nodes of a layer come in the order of their parents, then of the graph's nodes.",
    "bfs_predecessors": "As `bfs_edges`.",
    "bfs_successors": "As `bfs_edges`.",
    "bfs_tree": "As `bfs_edges`.",
    "bidirectional_dijkstra": "Weights must be finite numbers that are not negative.",
    "bidirectional_shortest_path": "",
    "center": "`e` must be None. Weights must be finite numbers that are not negative.",
    "closeness_centrality": "`distance` and `sp` must be None.",
    "clustering": "Undirected graphs. `weight` must be None.",
    "connected_components": "",
    "core_number": "",
    "degree_centrality": "",
    "descendants": "",
    "descendants_at_distance": "",
    "diameter": "`e` must be None. Weights must be finite numbers that are not negative.",
    "dijkstra_path": "Weights must be finite numbers that are not negative.",
    "dijkstra_path_length": "Weights must be finite numbers that are not negative.",
    "eccentricity": "`sp` must be None. Weights must be finite numbers that are not negative.",
    "edge_betweenness_centrality": "`weight` must be None. `k` is supported from NetworkX 3.6 on.",
    "ego_graph": "`undirected` must be False for directed graphs, and `radius` an int, or any number if `distance` is"
    " given. Distances must be finite numbers that are not negative.",
    "eigenvector_centrality": "Graphs without self-loops. `nstart` must be None or have all nodes, without negative"
    " numbers. Weights must be finite numbers that are not negative.",
    "forceatlas2_layout": "Undirected graphs without self-loops. `node_mass`, `node_size` and `store_pos_as` must be"
    " None, `dim` 2. Positions depend on `seed` as theirs do, but differ.",
    "generic_bfs_edges": "`neighbors` must be None. Children of a node come in the order of the graph's nodes.",
    "greedy_color": 'Strategy "largest_first" on undirected graphs. `interchange` must be False.',
    "has_path": "",
    "hits": "Graphs without weights and self-loops. `nstart` must be None, `normalized` True, `method` the default.",
    "in_degree_centrality": "",
    "is_arborescence": "",
    "is_branching": "",
    "is_connected": "",
    "is_directed_acyclic_graph": "",
    "is_forest": "",
    "is_negatively_weighted": "`edge` must be None and `weight` given. Weights must be finite numbers.",
    "is_strongly_connected": "",
    "is_tree": "",
    "is_weakly_connected": "",
    "isolates": "",
    "jaccard_coefficient": "Graphs without self-loops.",
    "k_core": "`core_number` must be None.",
    "k_corona": "`core_number` must be None.",
    "k_crust": "`core_number` must be None.",
    "k_shell": "`core_number` must be None.",
    "k_truss": "",
    "katz_centrality": "Graphs without self-loops. `nstart` and `weight` must be None, `alpha` and `beta` numbers that"
    " are not negative.",
    "leiden_communities": "Undirected graphs without self-loops. NetworkX has no implementation.",
    "louvain_communities": "Undirected graphs without self-loops. Communities depend on `seed` as theirs do, but"
    " differ.",
    "lowest_common_ancestor": "If several exist, it is the first in the order of the graph's nodes.",
    "maximal_independent_set": "Graphs without self-loops. `nodes` must be None.",
    "maximum_spanning_edges": "Among edges of equal weight, the choice may differ.",
    "maximum_spanning_tree": "Among edges of equal weight, the choice may differ.",
    "minimum_spanning_edges": "Among edges of equal weight, the choice may differ.",
    "minimum_spanning_tree": "Among edges of equal weight, the choice may differ.",
    "multi_source_dijkstra": "Weights must be finite numbers that are not negative.",
    "multi_source_dijkstra_path": "Weights must be finite numbers that are not negative.",
    "multi_source_dijkstra_path_length": "Weights must be finite numbers that are not negative.",
    "node_connected_component": "",
    "number_connected_components": "",
    "number_of_isolates": "",
    "number_of_selfloops": "",
    "number_strongly_connected_components": "",
    "number_weakly_connected_components": "",
    "out_degree_centrality": "",
    "overall_reciprocity": "",
    "pagerank": "Graphs without self-loops. `dangling` must be None.",
    "periphery": "`e` must be None. Weights must be finite numbers that are not negative.",
    "radius": "`e` must be None. Weights must be finite numbers that are not negative.",
    "reciprocity": "",
    "shortest_path": "Weights must be finite numbers that are not negative.",
    "shortest_path_length": "Weights must be finite numbers that are not negative.",
    "single_source_bellman_ford": "Weights must be finite numbers that are not negative.",
    "single_source_bellman_ford_path": "Weights must be finite numbers that are not negative.",
    "single_source_bellman_ford_path_length": "Weights must be finite numbers that are not negative.",
    "single_source_dijkstra": "Weights must be finite numbers that are not negative.",
    "single_source_dijkstra_path": "Weights must be finite numbers that are not negative.",
    "single_source_dijkstra_path_length": "Weights must be finite numbers that are not negative.",
    "single_source_shortest_path": "",
    "single_source_shortest_path_length": "",
    "single_target_shortest_path": "",
    "single_target_shortest_path_length": "",
    "strongly_connected_components": "Each comes after all that it reaches.",
    "transitivity": "Undirected graphs.",
    "triangles": "Of multigraphs, `nodes` must be None.",
    "weakly_connected_components": "",
    "wiener_index": "Weights must be finite numbers that are not negative.",
}
"""Each function of NetworkX that the backend has, and its restrictions. A test compares this with the functions."""

CLASSES = {
    "graph__new__": "``nx.Graph(backend='dynfrontier')`` is a `dynfrontier.nx.Graph`.",
    "digraph__new__": "``nx.DiGraph(backend='dynfrontier')`` is a `dynfrontier.nx.DiGraph`.",
}

DEFAULTS = {"device": "auto", "structure": "csr"}
"""``nx.config.backends.dynfrontier``: where graphs of NetworkX are converted to. `dynfrontier.nx.Graph` has its own."""


def get_info() -> dict[str, Any]:
    """The entry point."""
    return {
        "backend_name": NAME,
        "project": NAME,
        "package": NAME,
        "short_summary": "Graphs that change, on GPUs and CPUs.",
        "description": "Runs on the CPU or an NVIDIA GPU. A dynfrontier.nx.Graph is not converted again after it was "
        "changed.",
        "functions": {
            name: {"additional_docs": docs} if docs else {} for name, docs in {**SUPPORTED, **CLASSES}.items()
        },
        "default_config": dict(DEFAULTS),
    }
