"""The neighborhood of vertices: a subgraph of all vertices that few edges lead to.

A breadth-first search of `radius` levels finds the vertices, and one visit of their edges selects the edges inside.

    distance[v]    edges on a shortest path from the nearest source, UNREACHED beyond the
                   radius

Freeman, "Centered Graphs and the Structure of Ego Networks", Mathematical Social Sciences 1982.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._arguments import several_sources
from ._subgraph import SubgraphResult, sorted_edges
from .bfs import UNREACHED, search_levels


@dataclass(frozen=True, repr=False)
class EgoGraphResult(SubgraphResult):
    """Result of `ego_graph`: the edges between vertices of the neighborhood. Arrays are on the graph's device.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (num_edges,)
        The edges, each once, sorted, in undirected graphs as ``src < dst``.
    weight : array, shape (num_edges,), or None
        Their weights, if the graph has weights.
    k : int
        The radius.
    distance : array of int32, shape (num_vertices,)
        Edges from the nearest source, the largest int32 for vertices outside.
    num_edges : int
    num_vertices : int
        The number of vertices of the graph, and of the result of `to_graph`.

    See Also
    --------
    ego_graph : Computes it.
    """

    distance: Any = None

    @property
    def vertices(self) -> Any:
        """The vertices of the neighborhood, ascending."""
        return (self.distance < UNREACHED).nonzero()[0]

    def _columns(self, *args: Any, **options: Any) -> dict[str, Any]:
        """The columns of `to_dataframe`: a row per edge."""
        return {name: values for name, values in super()._columns(*args, **options).items() if name != "distance"}


@fr.advanced.reads
def ego_graph(
    graph: fr.Graph, source: int | None = None, radius: int = 1, *, sources: Any = None
) -> EgoGraphResult:  # fmt: skip
    """The subgraph of all vertices within `radius` edges of `source`.

    Parameters
    ----------
    graph : Graph
        In a directed graph edges are followed forward.
    source : int
    radius : int
        Not negative.
    sources : array-like of int, instead of `source`
        Several vertices, whose neighborhoods are united.

    Raises
    ------
    TypeError, ValueError
        `source` is not a vertex of the graph, `radius` is not an integer or is negative, or not exactly one of `source`
        and `sources` is given.
    NotImplementedError
        The graph is distributed.

    See Also
    --------
    shortest_path : One path to one target.

    Notes
    -----
    O(edges of the neighborhood) work, and O(V) for an array of distances. O(V) memory in addition to the result.

    Examples
    --------
    >>> from algorithms import ego_graph
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 0, 1, 2, 3], [1, 2, 2, 3, 4], device="cpu")
    >>> found = ego_graph(graph, 0)
    >>> found.vertices, found.src, found.dst
    (array([0, 1, 2]), array([0, 0, 1], dtype=int32), array([1, 2, 2], dtype=int32))
    """
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.check_one_device(graph, "ego_graph")
    starts = several_sources(graph, source, sources)
    if starts is None:
        starts = [fr.advanced.arguments.vertex_id(graph, source, "source")]
    radius = fr.advanced.arguments.integer(radius, "radius", 0)
    distance = graph.xp.full(graph.num_vertices, UNREACHED, np.int32)
    predecessor = graph.xp.empty(graph.num_vertices, graph.vertex_dtype)
    distance[starts] = 0
    search_levels(graph, fr.Frontier(graph, starts), distance, predecessor, min(radius, int(UNREACHED) - 1))
    inside = fr.Frontier(graph, distance < UNREACHED)
    edges = fr.advance(graph, inside, _is_inside, distance, 0 if graph.directed else 1, output="edges")
    src, dst, *weight = sorted_edges(graph, edges.src, edges.dst, edges.weights if graph.is_weighted else None)
    return EgoGraphResult(
        src, dst, radius, graph.num_vertices, type(graph), graph.directed, *(weight or [None]), distance
    )


def _is_inside(src, dst, edge, weight, distance, once):
    return distance[dst] != UNREACHED and (once == 0 or src < dst)
