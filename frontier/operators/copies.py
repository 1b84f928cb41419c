"""Static copies of a graph: of all its arcs, or of the arcs that a functor chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from frontier.core.arguments import check_graph, flag, number
from frontier.core.locking import reads
from frontier.core.registry import csr_structure

from .dispatch.kernels import A_TRUTH, check_op, functor_args
from .dispatch.signatures import OP_PARAMETERS
from .extract import collect_arcs
from .layout import choose_layout

if TYPE_CHECKING:
    from frontier.core.base import BaseGraph
    from frontier.core.structures import Graph

COPY_PASSES = {"cpu": 3.0, "gpu": 3.0}
COPY_START = {"cpu": 0.0, "gpu": 4e7}
"""The cost of a static copy, in passes over all arcs of a graph that is walked as fast as CSR, and a constant added to
it for any size of graph, in arcs. On a GPU the host synchronizes several times: of RMAT 16/16 a copy costs 0.9 ms, a
pass 0.03 ms."""


@reads
def extract_subgraph(graph: BaseGraph, op: Callable[..., Any], *args: Any) -> Graph:
    """Copy the arcs for which `op` is true to a static graph over the same vertices.

    Parameters
    ----------
    graph : Graph
    op : function ``op(src, dst, edge, weight, *args) -> bool``
        Called more than once per arc, so it must have no side effects.
    *args : arrays and numbers
        As in `advance`.

    Returns
    -------
    Graph
        A graph of structure ``csr``, directed, on the same device, unweighted. Rows are not sorted, so look-ups
        (`find`) do not work.

    Raises
    ------
    FunctorError
        `op` cannot be compiled. The message shows the line.

    See Also
    --------
    filter : Select members of a frontier.
    Graph.to_csr : A static copy of all edges.

    Notes
    -----
    O(V + E) work: a counting pass and a writing pass.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 2], [5, 1, 7], device="cpu")
    >>> def is_heavy(src, dst, edge, weight):
    ...     return weight > 4 and src < dst
    >>> heavy = fr.extract_subgraph(graph, is_heavy)
    >>> heavy.offsets, heavy.indices
    (array([0, 1, 2, 2]), array([1, 2], dtype=int32))
    """
    check_graph(graph)
    check_op(op, "op", OP_PARAMETERS, args, A_TRUTH)
    offsets, dst, _ = collect_arcs(graph, None, op, functor_args(graph, op, args), slots=False)
    part = static_rows(graph, offsets, dst)
    part.store.has_sorted_lists = False
    return part


def static_rows(graph: BaseGraph, offsets: Any, dst: Any) -> Any:
    """A directed static graph of CSR arrays. If rows are not sorted, the caller clears `has_sorted_lists`."""
    return csr_structure().from_csr(offsets, dst, directed=True, device=graph.device)  # type: ignore[attr-defined]


@reads
def copy_for_passes(graph: BaseGraph, passes: float, *, look_ups: bool = False) -> Any:
    """Return a static copy of a graph if copying and `passes` passes over all arcs are faster than on the graph.

    The copy has its own slots and no in-edges. Its neighbor lists are in the graph's order, so look-ups do not work,
    unless `look_ups` sorts them.

    Parameters
    ----------
    graph : Graph
    passes : float
        The expected number of passes.
    look_ups : bool
        Sort the neighbor lists of the copy.

    Returns
    -------
    Graph
        `graph` itself if its structure is walked as fast as CSR, or if it is distributed.

    See Also
    --------
    choose_layout : The decision alone.
    copy_if_faster : A copy for intersections.
    """
    check_graph(graph)
    passes, look_ups, kind = number(passes, "passes"), flag(look_ups, "look_ups"), graph.device.kind
    if graph.walk_cost[kind] <= 1:
        return graph
    costs = passes * graph.walk_cost[kind], passes + passes_of_copy(graph)
    if not choose_layout(graph, "auto", lambda: costs, copy_bytes(graph)).is_copy:
        return graph
    return graph.to_csr() if look_ups else copy_as_stored(graph)


def passes_of_copy(graph: BaseGraph) -> float:
    """The expected cost of a static copy, in passes over all arcs of a graph that is walked as fast as CSR."""
    kind = graph.device.kind
    return COPY_PASSES[kind] + COPY_START[kind] / max(graph.num_arcs, 1)


def copy_as_stored(graph: BaseGraph, weighted: bool = True) -> Any:
    """A static copy with its lists in the order in which `graph` has them."""
    weighted = weighted and graph.is_weighted
    offsets, dst, slots = collect_arcs(graph, slots=weighted)
    weights = graph.payload.weights_at(graph, slots) if weighted else None
    made: Any = csr_structure().from_csr(  # type: ignore[attr-defined]
        offsets, dst, weights, directed=graph.directed, device=graph.device, absent=graph.store.absent
    )
    made.store.has_sorted_lists = False
    return made


def copy_bytes(graph: BaseGraph, weighted: bool = True) -> int:
    """Memory of such a copy."""
    weight = graph.weight_dtype.itemsize if weighted and graph.weight_dtype is not None else 0
    return graph.num_arcs * (graph.vertex_dtype.itemsize + weight) + 8 * graph.num_vertices
