"""intersect_arcs: the common neighbors of the two ends of every arc, in total or for each vertex."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.arguments import check_graph, check_output
from frontier.core.base import BaseGraph
from frontier.core.locking import reads_both, workspace_of
from frontier.core.registry import csr_structure

from ..dispatch.gpu_balance import resident_blocks, workers_for
from ..dispatch.kernels import cpu_kernel_for, cuda_kernels_for, run_cpu
from ..orientation import Orientation, count_triangles
from .cpu import make_intersect_arcs

HEADER = "frontier/operators/intersect_arcs/intersect_arcs.cuh"
TALLY_DTYPES = (np.dtype(np.int64),)


@reads_both
def intersect_arcs(graph: BaseGraph | Orientation, pairs: BaseGraph | None = None, tally: Any = None) -> int:
    """Over all arcs x -> y of one graph, the number of common neighbors of x and y in another.

    Parameters
    ----------
    graph : Graph or Orientation
        The graph in which neighbors are looked up. If it is an acyclic orientation of an undirected graph, every common
        neighbor is a triangle, found once.
    pairs : Graph, optional
        Its arcs are the pairs, by default the arcs of `graph` itself. Not for an `Orientation`.
    tally : array of int64, shape (num_vertices,), optional
        For each common neighbor w of x and y, one is added to the entries of x, y and w.

    Returns
    -------
    int

    Raises
    ------
    TypeError, ValueError
        An argument is not a graph, the graphs differ in size, or `tally` is not such an array.
    RuntimeError
        The graph has been updated since the `Orientation` was made.

    See Also
    --------
    edge_support : The count for each edge.
    Orientation : Arcs from lower to higher vertices, which count each triangle once.
    frontier.intersect : The same for listed pairs.

    Notes
    -----
    O(sum over arcs x -> y of the degree of y) work. Each x's neighbors are put into a set once: marks on the CPU, a
    hash table in shared memory on the GPU. The neighbors of its partners are looked up in this set. Works on static
    copies, which it makes of graphs of other structures. An `Orientation` is walked in place, in any structure, in O(V)
    memory. For each x, all neighbors of its partners are looked up, including the neighbors below them.
    """
    if isinstance(graph, Orientation):
        if pairs is not None:
            raise ValueError("pairs cannot be given: those of an Orientation are its own arcs")
        graph.check_version()
        if tally is not None:
            check_output(graph.graph, tally, "tally", graph.graph.num_vertices, TALLY_DTYPES)
        return count_triangles(graph, tally)
    check_graph(graph)
    pairs = graph if pairs is None else pairs
    check_graph(pairs, "pairs")
    if pairs.num_vertices != graph.num_vertices or pairs.device != graph.device:
        raise ValueError("graph and pairs must have the same number of vertices, on the same device")
    if tally is not None:
        check_output(graph, tally, "tally", graph.num_vertices, TALLY_DTYPES)
    graph, pairs = (g if isinstance(g, csr_structure()) else g.to_csr() for g in (graph, pairs))
    if not graph.num_arcs or not pairs.num_arcs:
        return 0
    counters = workspace_of(graph).counters
    counters.reset()
    if graph.device.is_gpu:
        options = (("HAS_TALLY", "1"),) if tally is not None else ()
        kernels = cuda_kernels_for(graph, HEADER, (), (), options)
        order = graph.xp.argsort(-pairs.store.degrees()).astype(graph.vertex_dtype)
        kernels.intersect_arcs(
            graph.num_vertices, graph.view(), pairs.view(), order, tally, counters.array,
            blocks=min(graph.num_vertices, resident_blocks()),
        )  # fmt: skip
    else:
        kernel = cpu_kernel_for(graph.package, make_intersect_arcs, ())
        views = graph.store.bare_view(), pairs.store.bare_view()
        workers, n = workers_for(graph.num_vertices), graph.num_vertices
        marks = np.zeros((workers, n), graph.vertex_dtype)
        tallies, tickets = np.zeros((workers, 0 if tally is None else n), np.int64), np.zeros(1, np.int64)
        run_cpu(kernel, (), workers, n, *views, marks, tallies, tally, tickets, counters.array)
    return counters.read()[0]
