"""The functions of a functor over a graph among its arguments: the neighbors of any vertex, and single edges.

A graph among an operator's arguments is passed to functors in a special form. The functions here accept it: the
functions that users call, and the functions that a loop over `neighbors` is compiled to (``functor/loops.py``), which
are the neighbor iterator of `frontier.core.view`. Python runs these definitions. Compilers have separate
implementations, for CPUs in ``operators/dispatch/graph_arguments.py``, for GPUs in ``cuda/neighbors.cuh``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def neighbors(graph: Any, v: int) -> Iterator[tuple[int, int, Any]]:
    """The neighbors of a vertex, in a functor's loop: ``for u, edge, weight in fr.neighbors(graph, v):``.

    A single thread runs the loop, on a GPU too: whole lists are faster walked by `advance` or `neighbor_reduce`, which
    share long ones among threads. Use it where they do not suffice: to stop early, to read neighbors of several
    vertices at once, or in the order in which values were found.

    Parameters
    ----------
    graph : Graph
        An argument of the functor.
    v : int
        A vertex.

    Yields
    ------
    u : int
        A neighbor: of a directed graph, a successor, or a predecessor, if the argument is the graph's `reverse`. In
        ascending order in structures that are sorted.
    edge, weight : int, number
        As `advance` hands them to functors.

    Raises
    ------
    FunctorError
        The call is not the iterable of a ``for`` statement.

    See Also
    --------
    degree : The number of neighbors.
    find_edge : Look up an edge.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges(
    ...     [0, 0, 1], [1, 2, 3], weights=[1.0, 5.0, 2.0], device="cpu"
    ... )
    >>> heaviest = graph.xp.full(graph.num_vertices, -1)
    >>> def choose(v, graph, heaviest):
    ...     most = 0.0
    ...     for u, edge, weight in fr.neighbors(graph, v):
    ...         if weight > most:
    ...             most = weight
    ...             heaviest[v] = u
    >>> fr.compute(fr.Frontier.all(graph), choose, graph, heaviest)
    >>> heaviest.tolist()
    [2, 3, 0, 1]
    """
    slot, high, run, low, piece = next_place(graph, v, *START)
    while slot >= 0:
        yield vertex_at(graph, slot), edge_in(graph, slot), weight_in(graph, slot)
        slot, high, run, low, piece = next_place(graph, v, slot, high, run, low, piece)


def degree(graph: Any, v: int) -> int:
    """The number of neighbors of a vertex, in a functor.

    Parameters
    ----------
    graph : Graph
        An argument of the functor.
    v : int
        A vertex.

    See Also
    --------
    neighbors : Loop over the neighbors.
    Graph.degrees : The degrees of all vertices, outside of functors.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
    >>> def is_leaf(v, graph):
    ...     return fr.degree(graph, v) == 1
    >>> sorted(fr.filter(fr.Frontier.all(graph), is_leaf, graph))
    [2, 3]
    """
    return graph.degree(v)


def find_edge(graph: Any, u: int, v: int) -> int:
    """The `edge` from `u` to `v`, as `advance` passes it to functors, or -1 if it does not exist. For use in a functor.

    It costs a look-up of the structure: O(1) with hashed neighbors, O(log degree) with sorted ones, otherwise
    O(degree).

    Parameters
    ----------
    graph : Graph
        An argument of the functor.
    u, v : int
        Vertices.

    See Also
    --------
    neighbors : Loop over the neighbors.
    Graph.find_edges : The same outside of functors.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1, 2], [1, 2, 0], directed=True, device="cpu")
    >>> def is_mutual(src, dst, edge, weight, graph):
    ...     return fr.find_edge(graph, dst, src) >= 0
    >>> len(fr.advance(graph, fr.Frontier.all(graph), is_mutual, graph))
    0
    """
    return graph.find_edge(u, v)


START = (-1, 0, -1, 0, 0)
"""The start of a walk: see `next_place`."""


def next_place(
    graph: Any, v: int, slot: int, high: int, run: int, low: int, piece: int
) -> tuple[int, int, int, int, int]:
    """The position after this one of a walk through the neighbors of v. Its slot is negative at the end.

    A position is a slot, the run of slots that contains it (one after its last, its handle, its first), and the number
    of started pieces of v's neighbors.
    """
    slot += 1
    while True:
        while slot < high:
            if vertex_at(graph, slot) >= 0:
                return slot, high, run, low, piece
            slot += 1
        if run >= 0:
            run, low, high = next_run(graph, run, low, high)
        if run < 0:
            if piece >= segments(graph, v):
                return -1, 0, -1, 0, piece
            run, low, high = segment(graph, v, piece)
            piece += 1
        if run < 0:
            high = low
        slot = low


def num_vertices(graph: Any) -> int:
    """The number of vertices."""
    return graph.num_vertices


def segments(graph: Any, v: int) -> int:
    """The number of pieces of v's neighbors."""
    return graph.segments(v)


def segment(graph: Any, v: int, i: int) -> tuple[int, int, int]:
    """The first run of piece i: its handle, its first slot, and the slot after its last."""
    return graph.segment(v, i)


def next_run(graph: Any, run: int, low: int, high: int) -> tuple[int, int, int]:
    """The next run. Its handle is negative at the end."""
    return graph.next_run(run, low, high)


def vertex_at(graph: Any, slot: int) -> int:
    """The neighbor in a slot, or a negative number if it is empty."""
    return graph.vertex_at(slot)


def edge_in(graph: Any, slot: int) -> int:
    """The `edge` in a slot."""
    return graph.edge_in(slot)


def weight_in(graph: Any, slot: int) -> Any:
    """The weight in a slot."""
    return graph.weight_in(slot)
