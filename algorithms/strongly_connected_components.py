"""Strongly connected components: vertices that reach each other along directed edges.

Vertices that no other remaining vertex points to, or that point to none, are components of their own, and are trimmed
off one after another. Then every remaining vertex gets a color: the smallest vertex that reaches it. A vertex with its
own color is the smallest of its component, which consists of those with its color that reach it. Components found in
this way are removed, and the rest is colored again. The first time only one vertex of many neighbors spreads its color,
which finds the largest component of most graphs in two traversals.

    labels[v]    the component of v; -1 before it is known
    color[v]     the smallest starting vertex that reaches v; the number of vertices if none does
    count[v]     neighbors before v (behind it) that are not trimmed

McLendon, Hendrickson, Plimpton and Rauchwerger, "Finding strongly connected components in distributed graphs", J.
Parallel Distrib. Comput. 2005 (trimming); Slota, Rajamanickam and Madduri, "BFS and Coloring-Based Parallel Algorithms
for Strongly Connected Components and Related Problems", IPDPS 2014 (Multistep).
"""

from __future__ import annotations

from typing import Any

import frontier as fr

from .connected_components import Components


@fr.reads
def strongly_connected_components(graph: fr.Graph) -> Components:
    """Strongly connected components, labeled by their smallest vertex.

    Parameters
    ----------
    graph : Graph
        A directed graph without in-edges is copied to one with them. In an undirected graph these are the connected
        components.

    Notes
    -----
    O(V + E) work for trimming and the first component; for the rest, O(V + E) for each round, of which there are few
    unless many components form long chains.

    Examples
    --------
    >>> from algorithms import strongly_connected_components
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=True, device="cpu")
    >>> strongly_connected_components(graph).labels
    array([0, 0, 0, 3], dtype=int32)
    """
    fr.arguments.check_graph(graph)
    fr.arguments.check_one_device(graph, "strongly_connected_components")
    if not graph.has_in_edges:
        graph = graph.to_csr(in_edges=True)
    xp, n, everyone = graph.xp, graph.num_vertices, fr.Frontier.all(graph)
    labels = xp.full(n, -1, graph.vertex_dtype)
    for count, edges in ((graph.in_degrees(), "out"), (graph.degrees(), "in")):
        fr.traverse(graph, fr.filter(everyone, _is_end, count, labels), _trim, count, labels, edges=edges)
    rest = fr.filter(everyone, _is_open, labels)
    if rest:
        inner = rest.vertices
        pivot = int(inner[(graph.in_degrees()[inner] * graph.degrees()[inner]).argmax()])
        _find(graph, fr.Frontier(graph, [pivot]), labels)
        members = labels == pivot
        labels[members] = int(members.argmax())  # the first of them
        rest = fr.filter(rest, _is_open, labels)
    while rest:
        _find(graph, rest, labels)
        rest = fr.filter(rest, _is_open, labels)
    return Components(labels, int((labels == xp.arange(n)).sum()))


def _find(graph: fr.Graph, start: fr.Frontier, labels: Any) -> None:
    """Color from some vertices, and label the components of those that keep their own color."""
    color = graph.xp.full(graph.num_vertices, graph.num_vertices, graph.vertex_dtype)
    fr.compute(start, _give_own, color)
    fr.traverse(graph, start, _spread, color, labels)
    roots = fr.filter(start, _is_root, color, labels)
    fr.traverse(graph, roots, _collect, color, labels, edges="in")


def _is_end(v, count, labels):
    if labels[v] >= 0 or count[v] > 0:
        return False
    labels[v] = v
    return True


def _trim(src, dst, edge, weight, count, labels):
    if fr.atomic_add(count, dst, -1) == 1 and labels[dst] < 0:
        labels[dst] = dst
        return True
    return False


def _is_open(v, labels):
    return labels[v] < 0


def _give_own(v, color):
    color[v] = v


def _spread(src, dst, edge, weight, color, labels):
    found = color[src]
    return labels[dst] < 0 and color[dst] > found and fr.atomic_min(color, dst, found) > found


def _is_root(v, color, labels):
    if color[v] != v:
        return False
    labels[v] = v
    return True


def _collect(src, dst, edge, weight, color, labels):
    return color[dst] == color[src] and labels[dst] < 0 and fr.atomic_cas(labels, dst, -1, color[src]) < 0
