"""intersect_arcs: the common neighbors of the two ends of every arc, in total or for each vertex."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.arguments import check_graph, check_output
from frontier.core.base import BaseGraph
from frontier.core.locking import reads_both, workspace_of
from frontier.core.registry import csr_structure
from frontier.runtime.memory import elementwise

from ..degree_order import places_by_degree, schedule
from ..dispatch.gpu_balance import resident_blocks, workers_for
from ..dispatch.kernels import cpu_kernel_for, cuda_kernels_for, run_cpu
from ..orientation import Orientation, count_triangles
from .cpu import make_intersect_arcs

HEADER = "frontier/operators/intersect_arcs/intersect_arcs.cuh"
PIECE = 4096  # neighbors and partners of a vertex for a thread block at a time
SMALL_LIST = 128  # at most, of a vertex for one warp (as in intersect_arcs.cuh)
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
    O(sum over arcs x -> y of the degree of y) work. Each x's neighbors are put into a set once: marks on the CPU, bits
    or a hash table in shared memory on the GPU. The neighbors of its partners are looked up in this set. Sorted lists
    are read only up to the last neighbor of x. Works on static copies, which it makes of graphs of other structures. An
    `Orientation` is walked in place, in any structure, in O(V) memory. For each x, all neighbors of its partners are
    looked up, including the neighbors below them.
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
        launch(graph, pairs, HEADER, tally)
        return counters.read()[0]
    kernel = cpu_kernel_for(graph.package, make_intersect_arcs, ())
    views = graph.store.bare_view(), pairs.store.bare_view()
    workers, n = workers_for(graph.num_vertices), graph.num_vertices
    marks = np.zeros((workers, n), graph.vertex_dtype)
    tallies, tickets = np.zeros((workers, 0 if tally is None else n), np.int64), np.zeros(1, np.int64)
    run_cpu(
        kernel, (), workers, n, graph.store.has_sorted_lists, *views, marks, tallies, tally, tickets, counters.array
    )
    return counters.read()[0]


def launch(graph: Any, pairs: Any, header: str, tally: Any = None, support: Any = None) -> None:
    """Launch the CUDA kernels for static copies. Each common neighbor counts in the graph's counters, which are zero,
    and is added to `tally`, or to the `support` of its three arcs."""
    partners, above = pairs.store.degrees(), graph.store.degrees()
    order = places_by_degree(graph, partners, 0).order
    above_each = elementwise.take(graph.device, above, order)
    plan = schedule(graph, order, above_each, above + partners, piece=PIECE, small=SMALL_LIST)
    kernels = cuda_kernels_for(graph, header, (), (), () if tally is None else (("HAS_TALLY", "1"),))
    args = graph.store.has_sorted_lists, tally, support, workspace_of(graph).counters.array
    large = int(plan.order.size) - plan.small
    tickets = int(plan.first_piece[-1]) + large - plan.hubs
    kernels.intersect_arcs(
        tickets, graph.view(), pairs.view(), plan.order, *args, np.int64(plan.hubs), plan.first_piece,
        blocks=min(tickets, resident_blocks()),
    )  # fmt: skip
    kernels.intersect_arcs_of_small(plan.small, graph.view(), pairs.view(), plan.order[large:], *args, tile=32)
