"""cuGraph, through its engine pylibcugraph, with renumbering."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import cupy as cp
import numpy as np
import pylibcugraph as plc

from .base import BasePeer, Task, betweenness_scale, degree_shares

NEVER = 1e-30  # a tolerance that no step stays below. Zero would stand for a default.
MAX_STEPS = 1000
MAX_LEVELS = 100
LEAST_GAIN = 1e-7
"""Limits of Louvain: the number of coarsenings, and the modularity that each must gain."""


class Built(NamedTuple):
    """A graph, its number of vertices, and the ends of its arcs: both directions of undirected edges."""

    graph: Any
    num_vertices: int
    directed: bool
    weighted: bool
    src: Any
    dst: Any


class Peer(BasePeer):
    """See `BasePeer`. Isolated vertices are named, as they would not exist otherwise.

    PageRank and its like transpose the graph at their first call. Ranks without weights are float32.
    """

    version = plc.__version__
    on_gpu = True
    rank_rounding = 1e-5
    notes: ClassVar[Mapping[str, str]] = {
        "betweenness_centrality": "cuGraph is asked for one source at a time: of several at once its sums are wrong",
        "connected_components": "cuGraph's own labels",
        "pagerank": "cuGraph computes in float32 where there are no weights",
        "hits": "cuGraph stops once an iteration changes scores of at most 1 by less than the tolerance on average",
        "force_atlas2": "cuGraph approximates repulsion with its default, barnes_hut_theta=0.5",
        "minimum_spanning_forest": "of several forests of the same weight either may be found",
        "random_walks": "walks differ; their ends are compared with the expected distribution",
        "biased_random_walks": "walks differ; their ends are compared with the expected distribution",
        "all_pairs_jaccard": "cuGraph returns pairs in both directions, so it is asked for twice as many",
    }

    def __init__(self) -> None:
        self.handle = plc.ResourceHandle()

    def prepare(self, num_vertices: int, src: Any, dst: Any, weights: Any = None, *, directed: bool = False) -> Any:
        ids = np.int32 if num_vertices <= np.iinfo(np.int32).max else np.int64
        src, dst = cp.asarray(src).astype(ids, copy=False), cp.asarray(dst).astype(ids, copy=False)
        if weights is not None:
            weights = cp.asarray(weights)
            if weights.dtype.kind != "f":  # it knows no weights of other kinds
                weights = weights.astype(np.float64)
        if not directed:
            src, dst = cp.concatenate([src, dst]), cp.concatenate([dst, src])
            weights = None if weights is None else cp.concatenate([weights, weights])
        return cp.arange(num_vertices, dtype=ids), src, dst, weights, directed

    def build(self, prepared: Any) -> Built:
        vertices, src, dst, weights, directed = prepared
        properties = plc.GraphProperties(is_symmetric=not directed, is_multigraph=False)
        graph = plc.SGGraph(
            self.handle, properties, src, dst, weight_array=weights, store_transposed=False, renumber=True,
            do_expensive_check=False, input_array_format="COO", vertices_array=vertices,
        )  # fmt: skip
        return Built(graph, int(vertices.size), directed, weights is not None, src, dst)

    def synchronize(self) -> None:
        cp.cuda.Device().synchronize()

    def _values(self, graph: Built, find: Any, *args: Any, dtype: Any, default: Any, **options: Any) -> Task:
        """The task of a function that returns vertices and a value for each, and maybe more."""
        return Task(
            lambda: find(self.handle, graph.graph, *args, **options),
            lambda result: _by_vertex(graph, result[0], result[1].astype(dtype), default),
        )

    def _search(self, graph: Built, source: int, direction_optimizing: bool) -> Task:
        sources = cp.array([source], cp.int32)

        def read(result: Any) -> np.ndarray:
            distances, _, vertices = result
            distances = cp.where(distances == np.iinfo(distances.dtype).max, -1, distances)
            return _by_vertex(graph, vertices, distances.astype(np.int32), -1)

        return Task(lambda: plc.bfs(self.handle, graph.graph, sources, direction_optimizing, -1, True, False), read)

    def bfs(self, graph: Built, source: int) -> Task:
        return self._search(graph, source, False)

    def bfs_direction_optimizing(self, graph: Built, source: int) -> Task:
        return self._search(graph, source, True)

    def triangle_count(self, graph: Built) -> Task:
        return self._values(graph, plc.triangle_count, None, False, dtype=np.int64, default=0)

    def connected_components(self, graph: Built) -> Task:
        find = plc.weakly_connected_components
        return self._values(graph, find, None, None, None, None, False, dtype=np.int64, default=-1)

    def _rank(self, graph: Built, alpha: float, tol: float, steps: int) -> Task:
        return self._values(
            graph, plc.pagerank, None, None, None, None, alpha, tol, steps, False, fail_on_nonconvergence=False,
            dtype=np.float64, default=0.0,
        )  # fmt: skip

    def pagerank(self, graph: Built, alpha: float, tol: float) -> Task:
        return self._rank(graph, alpha, tol, MAX_STEPS)

    def pagerank_steps(self, graph: Built, alpha: float, steps: int) -> Task:
        return self._rank(graph, alpha, NEVER, steps)

    def k_truss(self, graph: Built, k: int) -> Task:
        return Task(
            lambda: plc.k_truss_subgraph(self.handle, graph.graph, k, False),
            lambda result: (result[0].get(), result[1].get()),
        )

    def sssp(self, graph: Built, source: int) -> Task:
        def read(result: Any) -> np.ndarray:
            vertices, distances, _ = result
            unreached = distances == np.finfo(distances.dtype).max
            return _by_vertex(graph, vertices, cp.where(unreached, np.inf, distances.astype(np.float64)), np.inf)

        return Task(lambda: plc.sssp(self.handle, graph.graph, source, np.inf, True, False), read)

    def core_number(self, graph: Built) -> Task | None:
        if graph.directed:
            return None
        return self._values(graph, plc.core_number, "incoming", False, dtype=np.int64, default=0)

    def k_core(self, graph: Built, k: int) -> Task | None:
        if graph.directed:
            return None

        def run() -> Any:
            vertices, numbers = plc.core_number(self.handle, graph.graph, "incoming", False)
            known = {"vertex": vertices, "values": numbers}  # it must be given these
            return plc.k_core(self.handle, graph.graph, k, "incoming", known, False)

        return Task(run, lambda result: (result[0].get(), result[1].get()))

    def _similarity(self, graph: Built, compute: Any) -> Task | None:
        if graph.directed:
            return None
        once = graph.src < graph.dst
        src, dst = graph.src[once], graph.dst[once]
        return Task(
            lambda: compute(self.handle, graph.graph, src, dst, False, False),
            lambda result: (result[0].get(), result[1].get(), result[2].astype(np.float64).get()),
        )

    def jaccard(self, graph: Built) -> Task | None:
        return self._similarity(graph, plc.jaccard_coefficients)

    def overlap(self, graph: Built) -> Task | None:
        return self._similarity(graph, plc.overlap_coefficients)

    def sorensen(self, graph: Built) -> Task | None:
        return self._similarity(graph, plc.sorensen_coefficients)

    def _all_pairs(self, graph: Built, compute: Any, topk: int) -> Task | None:
        if graph.directed:
            return None

        def read(result: Any) -> tuple[np.ndarray, ...]:
            src, dst, coefficient = (part.get() for part in result[:3])
            pairs = np.sort(np.stack([src, dst]), axis=0)  # it returns each in both directions
            _, once = np.unique(pairs, axis=1, return_index=True)
            once = once[np.argsort(-coefficient[once], kind="stable")[:topk]]
            return *pairs[:, once], coefficient[once].astype(np.float64)

        return Task(lambda: compute(self.handle, graph.graph, None, False, 2 * topk, False), read)

    def all_pairs_jaccard(self, graph: Built, topk: int) -> Task | None:
        return self._all_pairs(graph, plc.all_pairs_jaccard_coefficients, topk)

    def all_pairs_sorensen(self, graph: Built, topk: int) -> Task | None:
        return self._all_pairs(graph, plc.all_pairs_sorensen_coefficients, topk)

    def all_pairs_overlap(self, graph: Built, topk: int) -> Task | None:
        return self._all_pairs(graph, plc.all_pairs_overlap_coefficients, topk)

    def ego_graph(self, graph: Built, source: int, radius: int) -> Task:
        sources = cp.array([source], graph.src.dtype)
        return Task(
            lambda: plc.ego_graph(self.handle, graph.graph, sources, radius, False),
            lambda result: (result[0].get(), result[1].get()),
        )

    def betweenness_centrality(self, graph: Built, sources: np.ndarray) -> Task:
        # One source at a time: with several at once, its result depends on their choice, and may be negative.
        chosen, n = [cp.array([source], cp.int32) for source in sources], graph.num_vertices

        def read(results: Any) -> np.ndarray:
            total = np.zeros(n)
            for source, result in zip(sources, results, strict=True):
                found = _by_vertex(graph, result[0], result[1].astype(np.float64), 0.0)
                found[source] = 0  # where it divides by the number of other sources
                total += found
            return total * max(n - 2, 1) * betweenness_scale(n, sources)

        return Task(
            lambda: [
                plc.betweenness_centrality(self.handle, graph.graph, each, None, True, False, False) for each in chosen
            ],
            read,
        )

    def hits(self, graph: Built, tol: float, max_iter: int) -> Task:
        return Task(
            lambda: plc.hits(self.handle, graph.graph, tol, max_iter, None, None, True, False),
            lambda result: tuple(
                _by_vertex(graph, result[0], scores.astype(np.float64), 0.0) for scores in result[1:3]
            ),
        )

    def katz_centrality(self, graph: Built, tol: float, max_iter: int) -> Task:
        alpha = 1 / (int(cp.bincount(graph.src, minlength=1).max()) + 1)
        total = tol * max(graph.num_vertices, 1)  # it compares the sum of the changes
        return self._values(
            graph, plc.katz_centrality, None, alpha, 1.0, total, max_iter, False, dtype=np.float64, default=0.0
        )

    def degree_centrality(self, graph: Built) -> Task:
        def read(result: Any) -> np.ndarray:
            vertices, entering, leaving = result
            degrees = _by_vertex(graph, vertices, leaving.astype(np.int64), 0)
            if graph.directed:
                degrees += _by_vertex(graph, vertices, entering.astype(np.int64), 0)
            return degree_shares(degrees)

        return Task(lambda: plc.degrees(self.handle, graph.graph, None, False), read)

    def eigenvector_centrality(self, graph: Built, tol: float, max_iter: int) -> Task:
        return self._values(graph, plc.eigenvector_centrality, tol, max_iter, False, dtype=np.float64, default=0.0)

    def edge_betweenness_centrality(self, graph: Built, sources: np.ndarray) -> Task:
        chosen, n = cp.array(sources, cp.int32), graph.num_vertices

        def read(result: Any) -> tuple[np.ndarray, ...]:
            src, dst, values = (found.get() for found in result[:3])
            if not graph.directed:  # each direction has a value
                src, dst = np.minimum(src, dst), np.maximum(src, dst)
            edges, number = np.unique(src.astype(np.int64) * n + dst, return_inverse=True)
            return edges // n, edges % n, np.bincount(number, values.astype(np.float64), edges.size)

        return Task(
            lambda: plc.edge_betweenness_centrality(self.handle, graph.graph, chosen, None, True, False), read
        )  # fmt: skip

    def personalized_pagerank(self, graph: Built, source: int, alpha: float, tol: float) -> Task:
        vertices, values = cp.array([source], cp.int32), cp.array([1], cp.float32)
        change = tol * (1 - alpha)  # of a step that leaves ranks within tol of the exact ones
        return self._values(
            graph, plc.personalized_pagerank, None, None, None, None, vertices, values, alpha, change, MAX_STEPS, False,
            fail_on_nonconvergence=False, dtype=np.float64, default=0.0,
        )  # fmt: skip

    def louvain(self, graph: Built) -> Task | None:
        if graph.directed:
            return None
        return self._values(graph, plc.louvain, MAX_LEVELS, LEAST_GAIN, 1.0, False, dtype=np.int64, default=-1)

    def leiden(self, graph: Built) -> Task | None:
        if graph.directed:
            return None

        def run(handle: Any, built: Any, *arguments: Any) -> Any:
            return plc.leiden(handle, None, built, *arguments)

        return self._values(graph, run, MAX_LEVELS, 1.0, 1.0, False, dtype=np.int64, default=-1)

    def ecg(self, graph: Built) -> Task | None:
        if graph.directed:
            return None

        def run(handle: Any, built: Any, *arguments: Any) -> Any:
            return plc.ecg(handle, None, built, *arguments)

        return self._values(graph, run, 0.05, 16, MAX_LEVELS, LEAST_GAIN, 1.0, False, dtype=np.int64, default=-1)

    def minimum_spanning_forest(self, graph: Built) -> Task | None:
        if graph.directed:
            return None

        def read(result: Any) -> tuple[np.ndarray, ...]:
            src, dst, weights = result[:3]
            weights = np.ones(src.size) if weights is None else weights.astype(np.float64).get()
            return src.get(), dst.get(), weights

        return Task(lambda: plc.minimum_spanning_tree(self.handle, graph.graph, False), read)

    def force_atlas2(self, graph: Built, max_iter: int, seed: int) -> Task | None:
        if graph.directed:
            return None
        options = {
            "start_vertices": None, "x_start": None, "y_start": None, "outbound_attraction_distribution": False,
            "lin_log_mode": False, "prevent_overlapping": False, "vertex_radius_vertices": None,
            "vertex_radius_values": None, "overlap_scaling_ratio": 100.0, "edge_weight_influence": 1.0,
            "jitter_tolerance": 1.0, "barnes_hut_optimize": True, "barnes_hut_theta": 0.5, "scaling_ratio": 2.0,
            "strong_gravity_mode": False, "gravity": 1.0, "vertex_mobility_vertices": None,
            "vertex_mobility_values": None, "vertex_mass_vertices": None, "vertex_mass_values": None, "verbose": False,
            "do_expensive_check": False,
        }  # fmt: skip

        def read(result: Any) -> tuple[np.ndarray, ...]:
            vertices, *axes = result
            return tuple(_by_vertex(graph, vertices, axis.astype(np.float64), np.nan) for axis in axes)

        return Task(lambda: plc.force_atlas2(self.handle, seed, graph.graph, max_iter, **options), read)

    def _walks(self, graph: Built, walk: Any, *args: Any) -> Task:
        """The task of a function that walks from all vertices."""
        starts = cp.arange(graph.num_vertices, dtype=graph.src.dtype)

        def read(result: Any) -> tuple[np.ndarray, np.ndarray]:
            paths = result[0].get().reshape(graph.num_vertices, -1)  # -1 after a walk has ended
            steps = (paths >= 0).sum(axis=1) - 1
            return steps, paths[np.arange(graph.num_vertices), steps]

        return Task(lambda: walk(self.handle, graph.graph, starts, *args), read)

    def random_walks(self, graph: Built, length: int, seed: int) -> Task:
        return self._walks(graph, plc.uniform_random_walks, length, seed)

    def biased_random_walks(self, graph: Built, length: int, seed: int) -> Task | None:
        return self._walks(graph, plc.biased_random_walks, length, seed) if graph.weighted else None

    def node2vec_random_walks(self, graph: Built, length: int, p: float, q: float, seed: int) -> Task | None:
        return self._walks(graph, plc.node2vec_random_walks, length, p, q, seed) if graph.weighted else None

    def strongly_connected_components(self, graph: Built) -> Task:
        find = plc.strongly_connected_components
        return self._values(graph, find, None, None, None, None, False, dtype=np.int64, default=-1)


def _by_vertex(graph: Built, vertices: Any, values: Any, default: Any) -> np.ndarray:
    found = cp.full(graph.num_vertices, default, values.dtype)
    found[vertices] = values
    return found.get()
