"""Strongly connected components: vertices that reach each other along directed edges.

On a CPU a depth-first search finds them (`_strong_search`). A GPU searches them in parallel, as long as that pays.
Vertices that no remaining vertex points to, or that point to none, form singleton components, and are trimmed off one
after another. Then every remaining vertex gets a color: the smallest vertex that reaches it. A vertex with its own
color is the smallest of its component, which consists of the vertices of its color that reach it. Components found in
this way are removed, and the rest is colored again. The first time only one vertex of many neighbors spreads its color,
which finds the largest component of most graphs in two traversals. Long chains of small components would need many
rounds, and long paths many steps. The rest is then searched on the host, in linear time.

    labels[v]    the component of v, -1 before it is known
    color[v]     the smallest starting vertex that reaches v, the number of vertices if none
                 does
    count[v]     neighbors before v (behind it) that are not trimmed

McLendon, Hendrickson, Plimpton and Rauchwerger, "Finding strongly connected components in distributed graphs", J.
Parallel Distrib. Comput. 2005 (trimming); Slota, Rajamanickam and Madduri, "BFS and Coloring-Based Parallel Algorithms
for Strongly Connected Components and Related Problems", IPDPS 2014 (Multistep: colors, and a search of what is left).
"""

from __future__ import annotations

from typing import Any

import frontier as fr

from ._functors import is_negative
from ._labels import existing_sets
from ._strong_search import search
from .connected_components import ConnectedComponentsResult, connected_components

COLORING_STEPS = 256
"""Steps of a coloring. Each may cost as much as a pass over the graph, and a GPU makes this number of passes while the
host searches the graph."""

STEP_ARCS = 256
"""A step over few vertices costs a GPU as much time as the host needs to search this number of arcs."""


@fr.advanced.reads
def strongly_connected_components(graph: fr.Graph) -> ConnectedComponentsResult:
    """Strongly connected components, labeled by their smallest vertex.

    Parameters
    ----------
    graph : Graph
        In an undirected graph these are the connected components. On a GPU, a directed graph without in-edges is copied
        to one with them.

    See Also
    --------
    DynamicStronglyConnectedComponents : Maintains the result while the graph changes.

    Notes
    -----
    O(V + E) work, on a CPU by one thread. O(V + E) memory.

    Examples
    --------
    >>> from algorithms import strongly_connected_components
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=True, device="cpu")
    >>> strongly_connected_components(graph).labels
    array([0, 0, 0, 3], dtype=int32)
    """
    fr.advanced.arguments.check_graph(graph)
    fr.advanced.arguments.check_one_device(graph, "strongly_connected_components")
    if not graph.directed:
        return connected_components(graph)
    if graph.device.is_gpu:
        labels = find_in_parallel(graph)
    else:
        offsets, heads, _ = fr.advanced.extract_neighbors(graph, edges=False)
        labels, _ = search(offsets, heads)
    return ConnectedComponentsResult(*existing_sets(graph, labels))


def find_in_parallel(graph: fr.Graph) -> Any:
    """The labels of all vertices: by rounds while each labels half of the rest, then by a search on the host."""
    if not graph.has_in_edges:
        graph = graph.to_csr(in_edges=True)
    everyone, most = fr.Frontier.all(graph), COLORING_STEPS + (graph.num_vertices + graph.num_arcs) // STEP_ARCS
    labels = graph.xp.full(graph.num_vertices, -1, graph.vertex_dtype)
    for count, edges in ((graph.in_degrees(), "out"), (graph.degrees(), "in")):
        ends = fr.filter(everyone, _is_end, count, labels)
        fr.traverse(graph, ends, _trim, count, labels, edges=edges, max_steps=most)
    rest = fr.filter(everyone, is_negative, labels)
    if rest:
        inner = rest.vertices
        pivot = int(inner[(graph.in_degrees()[inner] * graph.degrees()[inner]).argmax()])
        found = _find(graph, fr.Frontier(graph, [pivot]), labels, most, most)
        members = found == pivot
        found[members] = int(members.argmax())  # the first of them
        labels = found
        rest = fr.filter(rest, is_negative, labels)
    left = 2 * len(rest)
    while rest and 2 * len(rest) <= left:
        left = len(rest)
        labels = _find(graph, rest, labels, COLORING_STEPS, most)
        rest = fr.filter(rest, is_negative, labels)
    if rest:
        _search_rest(graph, labels)
    return labels


def _find(graph: fr.Graph, start: fr.Frontier, labels: Any, most_out: int, most_in: int) -> Any:
    """Color from some vertices, and label the components of vertices that retain their own color.

    Returns the given labels if coloring needs `most_out` steps, or collecting its components `most_in`.
    """
    color, found = graph.xp.full(graph.num_vertices, graph.num_vertices, graph.vertex_dtype), labels.copy()
    fr.compute(start, _give_own, color)
    if fr.traverse(graph, start, _spread, color, found, max_steps=most_out) == most_out:
        return labels
    roots = fr.filter(start, _is_root, color, found)
    ends = fr.traverse(graph, roots, _collect, color, found, edges="in", max_steps=most_in) < most_in
    return found if ends else labels


def _search_rest(graph: fr.Graph, labels: Any) -> None:
    """Label the remaining vertices by a search on the host."""
    xp, host = graph.xp, graph.device.to_host
    ids = xp.flatnonzero(labels < 0).astype(graph.vertex_dtype)
    if graph.absent_mask is not None:
        ids = ids[~graph.absent_mask[ids]]
    offsets, heads, _ = fr.advanced.extract_neighbors(graph, ids, _is_inner, labels, edges=False)
    place = xp.empty(graph.num_vertices, graph.vertex_dtype)
    place[ids] = xp.arange(ids.size, dtype=graph.vertex_dtype)
    smallest, _ = search(host(offsets), host(place[heads]))
    labels[ids] = ids[xp.asarray(smallest)]


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


def _is_inner(src, dst, edge, weight, labels):
    return labels[dst] < 0


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
