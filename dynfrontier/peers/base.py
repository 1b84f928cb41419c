"""The interface of a peer."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

NO_TASKS = ("prepare", "build", "synchronize", "task")  # methods of a peer that are not tasks

TASKS = {
    "bfs": "Breadth-first search, edges followed forward: distances as int32, -1 where there is no path.",
    "bfs_direction_optimizing": "As `bfs`, direction-optimizing, where that is a choice.",
    "triangle_count": "Triangles of an undirected graph: of each vertex as int64, or the total where there is no more.",
    "spmv": "The sum of a vector over the neighbors of each vertex, weighted: float64.",
    "connected_components": "Connected components of an undirected graph: a label for each vertex, equal within a "
    "component.",
    "pagerank": "PageRank until a step changes it by less than `tol` (the sum of absolute differences), or exactly: "
    "float64. Dangling mass is spread evenly; the weights of a weighted graph are used.",
    "pagerank_steps": "As `pagerank`, after exactly so many steps from equal ranks.",
    "k_truss": "Edges of an undirected graph's k-truss, in any order: two arrays, each edge once or in both "
    "directions.",
    "sssp": "Shortest paths along weighted edges: distances as float64, infinite where there is no path.",
    "core_number": "The core number of each vertex as int64; in directed graphs by degrees in both directions.",
    "k_core": "Edges of the k-core, in any order, as `k_truss`.",
    "label_propagation": "A label for each vertex of an undirected graph that is one of the most frequent among its "
    "neighbors.",
    "coloring": "A greedy coloring of an undirected graph: of each vertex a number from 0 on.",
    "maximal_independent_set": "Which vertices of an undirected graph are in a maximal independent set, as bool.",
    "local_clustering": "Clustering coefficients of the vertices of an undirected graph: float64, 0 with fewer than "
    "two neighbors.",
    "jaccard": "Jaccard coefficients of the ends of every edge: sources, destinations and float64, in any order.",
    "overlap": "Overlap coefficients, as `jaccard`.",
    "sorensen": "Sorensen coefficients, as `jaccard`.",
    "all_pairs_jaccard": "The `topk` highest Jaccard coefficients of all pairs of vertices: sources, destinations and "
    "float64, in any order.",
    "all_pairs_sorensen": "The highest Sorensen coefficients, as `all_pairs_jaccard`.",
    "all_pairs_overlap": "The highest overlap coefficients, as `all_pairs_jaccard`.",
    "betweenness_centrality": "Betweenness centrality estimated from these sources, normalized: float64. The sum over "
    "the sources, times the number of vertices over that of sources, divided by the number of pairs of other vertices.",
    "edge_betweenness_centrality": "Betweenness centrality of the edges estimated from these sources, normalized: "
    "sources, destinations and float64, in any order. The sum over the sources is divided by their number, and by that "
    "of other vertices.",
    "minimum_spanning_forest": "A spanning forest of lowest weight of an undirected graph: sources, destinations and "
    "weights as float64.",
    "maximum_spanning_forest": "A spanning forest of highest weight, as `minimum_spanning_forest`.",
    "shortest_path": "As `sssp`, with the tree of paths.",
    "ego_graph": "Edges between vertices within `radius` edges of the source, in any order, as `k_truss`.",
    "biased_random_walks": "As `random_walks`, in proportion to the weights of edges.",
    "node2vec_random_walks": "As `biased_random_walks`, with the parameters p and q of node2vec.",
    "random_walks": "A uniform random walk from every vertex: the edges of each walk and where it ends, two arrays of "
    "integers.",
    "strongly_connected_components": "A label for each vertex, equal within a component.",
    "louvain": "Communities of an undirected graph by the Louvain method, weighted if it is: a label for each vertex.",
    "leiden": "Communities of an undirected graph by the Leiden method, as `louvain`.",
    "ecg": "Communities of an undirected graph by ensemble clustering, as `louvain`.",
    "personalized_pagerank": "PageRank of a walker that jumps to the source alone, also from where no edge leads on; "
    "without weights.",
    "hits": "Hub and authority scores of each vertex, which add up to 1: two arrays of float64.",
    "katz_centrality": "Katz centrality for an alpha of 1 / (largest out-degree + 1), to a Euclidean norm of 1: "
    "float64.",
    "force_atlas2": "Positions of the vertices of an undirected graph by ForceAtlas2: two arrays of float64.",
    "degree_centrality": "The degree of each vertex, in both directions, over the number of other vertices: float64.",
    "eigenvector_centrality": "Eigenvector centrality to a Euclidean norm of 1, iterated until a step changes a vertex "
    "by less than `tol` on average, or exactly: float64. The weights of a weighted graph are used.",
}
"""The result of each task, by its name."""


@dataclass(frozen=True)
class Task:
    """Work on a peer's graph: `run` is timed and returns the library's result, which `read` converts as in `TASKS`."""

    run: Callable[[], Any]
    read: Callable[[Any], Any]


class BasePeer(ABC):
    """A library.

    A peer has `prepare`, `build`, and a method for each of the `TASKS` that it can do. The method returns a `Task`, or
    None for graphs that the library does not support. A task has the name of its analytic in the catalogue, and
    parameters with the names of the analytic's. Per-vertex results have an entry for every vertex, isolated ones
    included, and mean the same for all peers.

    Peers `on_gpu` accept arrays there. `rank_rounding` bounds the sum of absolute differences between their ranks and
    exact ones due to rounding. `notes` explain the results of tasks.
    """

    version = ""
    on_gpu = False
    rank_rounding = 1e-9
    notes: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def prepare(self, num_vertices: int, src: Any, dst: Any, weights: Any = None, *, directed: bool = False) -> Any:
        """An edge list in the form of `build`: each edge once, in any order, undirected ones in one direction.

        Arrays are on the host, or on the GPU where the peer is `on_gpu`.
        """

    @abstractmethod
    def build(self, prepared: Any) -> Any:
        """The library's graph."""

    def synchronize(self) -> None:
        """Synchronize the device, if any."""
        return None

    def task(self, name: str, graph: Any, settings: Mapping[str, Any]) -> Task | None:
        """The task of this name with its settings, or None if the library lacks it."""
        method = None if name in NO_TASKS else getattr(self, name, None)
        if not callable(method):
            return None
        _, *parameters = inspect.signature(method).parameters
        return method(graph, **{name: settings[name] for name in parameters})


def with_sources(settings: Mapping[str, Any], vertices: np.ndarray) -> dict[str, Any]:
    """Replace a number of sources by the vertices that algorithms draw."""
    if "seed" not in settings or settings.get("k") is None:
        return dict(settings)
    import frontier as fr  # which loads Numba

    given = {name: value for name, value in settings.items() if name != "k"}
    return given | {"sources": fr.advanced.draw_vertices(vertices, settings["k"], settings["seed"]).tolist()}


def integers(values: Any) -> np.ndarray:
    return np.array(values, np.int64)


def floats(values: Any) -> np.ndarray:
    return np.array(values, np.float64)


def both_directions(*ends: Any) -> tuple[np.ndarray, ...]:
    """Return ``src, dst`` and perhaps ``weights`` with each edge in both directions."""
    src, dst, *weights = ends
    return (np.concatenate([src, dst]), np.concatenate([dst, src]), *(np.concatenate([w, w]) for w in weights))


def betweenness_scale(num_vertices: int, sources: np.ndarray) -> np.ndarray:
    """For each vertex the factor from its sum over sources to an estimate of its normalized betweenness centrality.

    A source does not count for itself: the only source has NaN.
    """
    if num_vertices < 3:
        return np.zeros(num_vertices)
    searches = np.full(num_vertices, float(len(sources)))
    searches[sources] = len(sources) - 1 or np.nan
    return 1 / (searches * (num_vertices - 2))


def degree_shares(degrees: Any) -> np.ndarray:
    """Degrees over the number of other vertices, 1 for the only vertex of a graph."""
    found = floats(degrees)
    return np.ones(1) if found.size == 1 else found / max(found.size - 1, 1)


def as_int32_distances(distances: Any) -> np.ndarray:
    """Distances in edges, -1 for infinite ones."""
    found = np.array(distances, np.float64)
    found[found > np.iinfo(np.int32).max] = -1
    return found.astype(np.int32)
