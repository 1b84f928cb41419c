"""Measurements of analytics, queries, exports and memory on a graph as it stands, or after each of some batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import cycle, pairwise
from operator import methodcaller
from typing import Any

import numpy as np

import frontier as fr
from algorithms import bfs, connected_components, k_truss, pagerank

from ..defaults import BATCH_SEED, PAGERANK_ALPHA, VECTOR_SEED
from ..graphs import hub_of
from ..timing import Samples, timed
from .cell import Cell
from .inputs import Arcs, random_arcs, shuffled, shuffled_edges

PAGERANK_STEPS = 20
STREAM_TOLERANCE = 1e-3  # of PageRank after each shift, as GPMA's authors set it
TRIANGLE_BATCHES = 5
ROOTS = 64
TRUSSES = (3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)


def triangles(cell: Cell) -> None:
    """Count triangles in the lists as the structure stores them: ms."""
    graph = cell.undirected()
    samples, found = cell.timed(partial(common_neighbors, graph, *cell.edges()))
    cell.agree("triangles", found)
    cell.add_time(samples)


def common_neighbors(graph: fr.DynamicGraph, src: Any, dst: Any) -> int:
    """The number of neighbors that the ends of these edges have in common: three for each triangle if these are all
    edges.

    The papers count triangles this way: by searching for the members of one list in the other, by the structure's own
    look-up.
    """
    return int(fr.intersect(graph, src, dst, checked=False).sum())


def sorting_and_triangles(cell: Cell) -> None:
    """Sort all lists (a sorted CSR copy), and count triangles: ms, and the ratio of the two."""
    graph = cell.undirected()
    sorting, _ = cell.timed(graph.to_csr)
    counting, found = cell.timed(partial(common_neighbors, graph, *cell.edges()))
    cell.agree("triangles", found)
    cell.add_time(sorting, "sorted copy")
    cell.add_time(counting, "triangles")
    cell.add(sorting.median / counting.median, "times", "sorted copy over triangles")


def triangles_after_batches(cell: Cell, size: int) -> None:
    """Insert a batch, count triangles, five times: ms of both, added up."""
    size = cell.size(size)
    src, dst = cell.once("batches", partial(random_arcs, cell.graph, size * TRIANGLE_BATCHES))
    graph = cell.undirected()
    common_neighbors(graph, *cell.edges())
    inserting, counting = Samples(), Samples()
    for step in cell.each(range(1, TRIANGLE_BATCHES + 1)):
        part = slice((step - 1) * size, step * size)
        timed(cell.device, partial(graph.insert_edges, src[part], dst[part]), inserting)
        edges = cell.once(("edges after", step), lambda: graph.to_coo()[:2])
        _, found = timed(cell.device, partial(common_neighbors, graph, *edges), counting)
        cell.agree(f"triangles after batch {step}", found)
        spent = sum(inserting.wall), sum(counting.wall)
        for quantity, seconds in zip(("insertion", "triangles", "together"), (*spent, sum(spent)), strict=True):
            cell.add(1e3 * seconds, "ms", quantity, step)


def breadth_first(cell: Cell) -> None:
    """BFS from the vertex with most neighbors: M arcs/s."""
    graph = cell.undirected()
    source = hub_of(graph)
    samples, found = cell.timed(partial(bfs, graph, source))
    cell.agree("levels", int(found.levels))
    cell.add_rate(samples, graph.num_arcs, "M arcs/s")


def sparse_product(cell: Cell) -> None:
    """A product of the adjacency matrix with a vector: M arcs/s."""
    graph = cell.directed()
    numbers = np.random.default_rng(VECTOR_SEED).random(cell.graph.num_vertices)
    vector = cell.once("vector", lambda: cell.xp.asarray(numbers))
    samples, _ = cell.timed(partial(fr.neighbor_reduce, graph, None, _value, vector))
    cell.add_rate(samples, graph.num_arcs, "M arcs/s")


def ranks(cell: Cell) -> None:
    """Twenty steps of PageRank, from the lists as the structure stores them: ms."""
    graph = cell.undirected()
    steps = partial(
        pagerank, graph, PAGERANK_ALPHA, PAGERANK_STEPS, float(np.finfo(np.float64).tiny), fail_on_nonconvergence=False,
        layout="native",
    )  # fmt: skip
    samples, _ = cell.timed(steps)
    cell.add_time(samples)


def truss_by_deletion(cell: Cell) -> None:
    """Delete from the graph all edges outside its k-truss, for one k after the other, until none is left.

    M edges/s: the deleted edges over the time to find and to delete them, at the peak and in total, and over the time
    of only deleting them.
    """
    graph = cell.undirected()
    _without_truss(graph.copy(), TRUSSES[0], Samples())
    best, deleted, whole, deleting = 0.0, 0, 0.0, Samples()
    for k in TRUSSES:
        if not graph.num_edges:
            break
        if whole > 4 * cell.limit:
            cell.note(f"ends before the {k}-truss, {graph.num_edges:,} edges left, after {whole:.1f} s")
            break
        wall, count = timed(cell.device, partial(_without_truss, graph, k, deleting))
        best = max(best, count / wall / 1e6)
        deleted, whole = deleted + count, whole + wall
        cell.agree(f"edges outside the {k}-truss", count)
    cell.add(best, "M edges/s", "peak of a step")
    cell.add(deleted / whole / 1e6, "M edges/s", "whole", edges=deleted)
    cell.add(deleted / max(sum(deleting.wall), 1e-9) / 1e6, "M edges/s", "deletion alone")


def _without_truss(graph: fr.DynamicGraph, k: int, deleting: Samples) -> int:
    """Delete the edges outside the k-truss, and return their number."""
    truss, (src, dst, _) = k_truss(graph, k), graph.to_coo()
    n = graph.num_vertices
    outside = ~graph.xp.isin(src.astype(np.int64) * n + dst, truss.src.astype(np.int64) * n + truss.dst)
    doomed = graph.xp.flatnonzero(outside)
    if not doomed.size:
        return 0
    return timed(graph.device, partial(graph.delete_edges, src[doomed], dst[doomed]), deleting)[1].deleted


# ---- queries and exports ---------------------------------------------------------------------------------------------


def edge_queries(cell: Cell, sizes: Iterable[int]) -> None:
    """Look up arcs, of which about half exist: M queries/s by batch size."""
    graph = cell.directed()
    for size in cell.each(map(cell.size, sizes)):
        src, dst = cell.once(("edges", size), partial(_half_present, cell, size))
        samples, found = cell.timed(partial(graph.has_edges, src, dst))
        cell.agree(f"edges among {size:,}", int(found.sum()))
        cell.add_rate(samples, size, "M queries/s", "edge", size)


def neighbor_queries(cell: Cell, sizes: Iterable[int]) -> None:
    """Ask for the sorted neighbors of random vertices: M queries/s by batch size."""
    graph = cell.directed()
    rng = np.random.default_rng(BATCH_SEED)
    for size in cell.each(map(cell.size, sizes)):
        drawn = rng.integers(0, cell.graph.num_vertices, size)
        ids = cell.once(("vertices", size), partial(cell.xp.asarray, drawn))
        samples, (offsets, _, _) = cell.timed(partial(graph.successors, ids))
        cell.agree(f"neighbors of {size:,}", int(offsets[-1]))
        cell.add_rate(samples, size, "M queries/s", "sorted neighbors", size)


def queries(cell: Cell, sizes: Iterable[int]) -> None:
    """Both kinds of queries."""
    edge_queries(cell, sizes)
    neighbor_queries(cell, sizes)


def _half_present(cell: Cell, size: int) -> tuple[Any, Any]:
    src, dst = shuffled(cell.graph)
    u, v = random_arcs(cell.graph, size)
    half = min(size // 2, int(src.size))
    return cell.xp.concatenate([src[:half], u[half:]]), cell.xp.concatenate([dst[:half], v[half:]])


def export(cell: Cell) -> None:
    """A copy as CSR with sorted rows: ms."""
    graph = cell.directed()
    samples, found = cell.timed(graph.to_csr)
    cell.agree("arcs", found.num_arcs)
    cell.add_time(samples)


def exports(cell: Cell) -> None:
    """Copies as CSR: rows as they lie, rows sorted on the device, and rows sorted on the host and brought back: ms."""
    graph = cell.directed()
    vertices = cell.xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
    cell.add_time(cell.timed(partial(fr.advanced.extract_neighbors, graph, vertices))[0], "as it lies")
    cell.add_time(cell.timed(graph.to_csr)[0], "sorted")
    on_host = Samples()  # no kernel of it needs warming up
    timed(cell.device, partial(sort_on_the_host, graph, vertices), on_host)
    cell.add_time(on_host, "sorted on the host")


def sort_on_the_host(graph: fr.Graph, vertices: Any) -> Any:
    """The neighbors of these vertices, row by row, each row in order: as one sort of 64-bit keys, by the host."""
    device, shift = graph.device, (graph.num_vertices - 1).bit_length()
    offsets, dst, _ = fr.advanced.extract_neighbors(graph, vertices)
    begin, ids = device.to_host(offsets), device.to_host(dst)
    keys = np.repeat(np.arange(begin.size - 1) << shift, np.diff(begin)) | ids
    keys.sort()
    return device.xp.asarray((keys & ((1 << shift) - 1)).astype(ids.dtype))


# ---- memory ----------------------------------------------------------------------------------------------------------


def memory_over_csr(cell: Cell) -> None:
    """Memory of the graph, 100 % being CSR, and of a list of source, destination and nothing else."""
    memory = cell.directed().memory_usage()
    cell.add(100 * memory.csr / memory.used, "%", "in use", used_bytes=memory.used, csr_bytes=memory.csr)
    cell.add(100 * memory.csr / (8 * memory.arcs), "%", "list of arcs")


def block_utilisation(cell: Cell, sizes: Iterable[int]) -> None:
    """Share of blocks in use by edges, and of block-arrays in blocks: % by edges in a block-array."""
    for size in cell.each(1 << max(cell.size(size).bit_length() - 1, 8) for size in sizes):
        found: Any = cell.directed(block_array_size=size)
        statistics = found.statistics()
        cell.add(100 * statistics["block_utilisation"], "%", "in blocks", size)
        cell.add(100 * statistics["block_array_utilisation"], "%", "in block-arrays", size)


def load_factors(cell: Cell, factors: Iterable[float], size: int, weighted: bool = False) -> None:
    """Build with each load factor: mean chain, use of slabs, memory, and insertion of a random batch."""
    size = cell.size(size)
    src, dst = cell.once("batch", partial(random_arcs, cell.graph, size))
    for factor in cell.each(factors):
        graph: Any = cell.directed(load_factor=factor, weighted=weighted)
        statistics = graph.statistics()
        batch = (src, dst, cell.weights(size)) if weighted else (src, dst)
        samples, _ = cell.timed_on_copies(graph, methodcaller("insert_edges", *batch))
        cell.add_rate(samples, size, quantity="insertion", x=factor)
        cell.add(statistics["mean_chain"], "slabs", "mean chain", factor)
        cell.add(100 * statistics["slab_load"], "%", "use of slabs", factor)
        cell.add(graph.memory_usage().used / graph.num_arcs, "bytes/edge", "memory", factor)


def triangles_by_load_factor(cell: Cell, factors: Iterable[float]) -> None:
    """Count triangles by edge queries in a graph that was built with this load factor: ms by load factor."""
    for factor in cell.each(factors):
        graph = cell.undirected(load_factor=factor)
        samples, found = cell.timed(partial(common_neighbors, graph, *cell.edges()))
        cell.agree("triangles", found)
        cell.add_time(samples, x=factor)


# ---- an analytic after each update -----------------------------------------------------------------------------------

Change = tuple[Arcs, Arcs]
"""Edges that are inserted, and edges that are deleted afterwards."""


def window_changes(cell: Cell, src: Any, dst: Any, size: int, count: int) -> Iterator[Change]:
    """A window over half the edges slides: the next edges come, and the oldest go."""
    half = int(src.size) // 2
    for begin, end in pairwise(range(half, min(half + (count + 1) * size, int(src.size)), size)):
        coming, going = slice(begin, end), slice(begin - half, end - half)
        yield (src[coming], dst[coming]), (src[going], dst[going])


def random_changes(cell: Cell, src: Any, dst: Any, size: int, count: int) -> Iterator[Change]:
    """Random pairs of vertices are inserted, and random edges of the first half deleted, some of them again."""
    new_src, new_dst = cell.once(("random", size), partial(random_arcs, cell.graph, size * count))
    drawn = np.random.default_rng(BATCH_SEED).integers(0, int(src.size) // 2, size * count)
    chosen = cell.once(("chosen", size), lambda: cell.context.device.xp.asarray(drawn))
    for begin in range(0, size * count, size):
        part = slice(begin, begin + size)
        yield (new_src[part], new_dst[part]), (src[chosen[part]], dst[chosen[part]])


def after_each_update(
    cell: Cell, analytics: Iterable[str], shares: Iterable[float], changes: Callable[..., Iterator[Change]]
) -> None:
    """Change a graph of half the edges, and compute: ms of the update, of the analytic, of both.

    Parameters
    ----------
    analytics : iterable of str
        Names of `ANALYTICS`. If they are several, quantities are named after them.
    shares : iterable of float
        Edges that are inserted, and as many deleted, as percent of the edges of the graph. Systems on the host are
        measured only with the last of them.
    changes : function
        Makes the updates: `window_changes` or `random_changes`.
    """
    src, dst = cell.once("edges", partial(shuffled_edges, cell.graph))
    half = int(src.size) // 2
    start = cell.system.load(src[:half], dst[:half], cell.graph.num_vertices, cell.device, directed=False)
    warm_up, names = cell.context.axes.warm_up, list(analytics)
    if cell.system.host is not None:  # whose full set would last long
        shares = list(shares)[-1:]
    for share, analytic in ((share, analytic) for share in cell.each(shares) for analytic in names):
        size = max(int(src.size * share / 100), 1)
        graph = start.copy()
        compute = ANALYTICS[analytic](cell)
        updating, computing = Samples(), Samples()
        for index, change in enumerate(changes(cell, src, dst, size, warm_up + cell.repeat)):
            timed(cell.device, partial(_apply, graph, *change), updating if index >= warm_up else None)
            _, found = timed(cell.device, partial(compute, graph), computing if index >= warm_up else None)
            cell.agree(f"{analytic} after update {index} of {size:,}", found)
            if sum(updating.wall) + sum(computing.wall) > 2 * cell.limit:
                break
        if updating.wall:
            both = Samples([a + b for a, b in zip(updating.wall, computing.wall, strict=True)])
            prefix = f"{analytic}, " if len(names) > 1 else ""
            for quantity, samples in (("update", updating), ("analytic", computing), ("together", both)):
                cell.add_time(samples, prefix + quantity, share)


def _apply(graph: fr.DynamicGraph, coming: Arcs, going: Arcs) -> None:
    graph.insert_edges(*coming)
    graph.delete_edges(*going)


def _bfs_from_random_roots(cell: Cell) -> Callable[[fr.DynamicGraph], int]:
    """The roots are ends of random edges, the same for all."""
    roots = cycle(cell.once("roots", lambda: cell.context.device.to_host(cell.prepared["edges"][0][:ROOTS]).tolist()))
    return lambda graph: int(bfs(graph, next(roots)).levels)


def _components(cell: Cell) -> Callable[[fr.DynamicGraph], int]:
    return lambda graph: int(connected_components(graph).count)


def _ranks_from_the_last(cell: Cell) -> Callable[[fr.DynamicGraph], int]:
    """Each starts from the ranks before it."""
    before: list[Any] = [None]

    def compute(graph: fr.DynamicGraph) -> int:
        found = pagerank(graph, PAGERANK_ALPHA, tol=STREAM_TOLERANCE, nstart=before[0], layout="native")
        before[0] = found.pagerank
        return graph.num_edges

    return compute


ANALYTICS = {"bfs": _bfs_from_random_roots, "components": _components, "pagerank": _ranks_from_the_last}


def _value(src, dst, edge, weight, x):  # type: ignore[no-untyped-def]
    return x[dst]
