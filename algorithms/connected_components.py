"""Connected components, by sampling.

Every vertex points to a smaller one of its component, or to itself. This forms a forest, with the smallest vertex of
each tree as its root. An edge between two trees links the larger root to the smaller. Linking each vertex to two of its
neighbors usually connects most of the largest component. Its vertices are then skipped, since each of their edges is
also visited from its other end.

In a distributed graph, each partition does this with its own vertices, and the partitions exchange their forests at the
end. All skip the vertices that they have connected with the same one.

    labels[v]    a vertex of v's component, v or smaller, finally the smallest

Sutton, Ben-Nun and Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", IPDPS 2018
(Afforest).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._union_find import join
from .result import Result

SAMPLED_NEIGHBORS = 2
DENSE, MOST_OUTSIDE = 16, 1 / 16
"""A CPU first links each vertex to one neighbor. This is enough if the arcs per vertex exceed the first number, unless
vertices outside of the largest component have more than the second fraction of the arcs."""
SAMPLED_LABELS = np.random.default_rng(0).random(1024)  # sampled positions, as fractions of the number of members

MAX_VERTICES = 2**48  # a label and its count fit in one number


@dataclass(frozen=True, repr=False)
class ConnectedComponentsResult(Result):
    """Result of `connected_components`.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The smallest vertex of each vertex's component, on the graph's device, -1 for deleted vertices.
    count : int
        Number of components. Each isolated vertex is one.

    See Also
    --------
    connected_components : Computes it.
    strongly_connected_components : Computes it.
    """

    labels: Any
    count: int


@fr.advanced.reads
def connected_components(graph: fr.Graph) -> ConnectedComponentsResult:
    """Connected components, labeled by their smallest vertex.

    Parameters
    ----------
    graph : Graph
        For a directed graph, the weakly connected components: edge directions are ignored.

    See Also
    --------
    DynamicConnectedComponents : Maintains the result while the graph changes.

    Notes
    -----
    O(V + E) work. About O(V) for graphs with one large component that are undirected or have in-edges. O(V) memory.

    Examples
    --------
    >>> from algorithms import connected_components
    >>> from structures import CSR
    >>> graph = CSR.from_edges([0, 1, 3], [1, 2, 4], device="cpu")
    >>> connected_components(graph).labels
    array([0, 0, 0, 3, 3], dtype=int32)
    """
    members = fr.Frontier.all(graph)
    own = range(graph.num_vertices)
    labels = graph.vertex_array(graph.vertex_dtype, own, combine=unite, normal=_shorten)
    absent = graph.absent_mask
    if absent is not None:
        labels[absent] = -1
    rest = members
    with graph.locally(labels):
        for count in _sampled_neighbors(graph):
            fr.sample_neighbors(graph, rest, _link, labels, count=count)
            fr.reduce(members, _compress, labels, out=graph.results(dtype=np.int64))  # which no vertex needs
            if graph.has_in_edges:  # otherwise an edge is stored, and visited, at one end only
                is_outside = _is_outside_in_part if graph.in_parts else _is_outside
                rest = fr.filter(members, is_outside, labels, most_common_label(members, labels)[0])
            if count < SAMPLED_NEIGHBORS and rest.num_arcs < MOST_OUTSIDE * graph.num_arcs:
                break
        fr.advance(graph, rest, _link, labels, edges="both" if graph.has_in_edges else "out", output=None)
    count = fr.reduce(members, _compress, labels, dtype=np.int64)
    return ConnectedComponentsResult(labels, int(count[0]))


def connected_sets(graph: fr.Graph, sets: Any, *, weighted: bool = True) -> Any:
    """For each vertex a vertex of its connected component within its set, along edges of weights above 0.

    Without `weighted`, along all edges. Vertices of a component have the same one. O(V + E) work.
    """
    labels = graph.vertex_array(graph.vertex_dtype, range(graph.num_vertices), combine=unite, normal=_shorten)
    members = fr.Frontier.all(graph)
    with graph.locally(labels):
        fr.advance(graph, members, _link_inside, labels, sets, weighted, output=None)
    fr.reduce(members, _compress, labels, out=graph.results(dtype=np.int64))
    return labels


def _sampled_neighbors(graph: fr.Graph) -> tuple[int, ...]:
    """The number of neighbors to link each vertex to, one attempt after another."""
    one_first = graph.has_in_edges and not (graph.device.is_gpu or graph.in_parts)
    return (1, SAMPLED_NEIGHBORS)[not (one_first and graph.num_arcs > DENSE * graph.num_vertices) :]


def most_common_label(members: fr.Frontier, labels: Any) -> tuple[int, int]:
    """The most common label among the members, and its size, estimated from a sample. Zeros without members.

    If partitions differ, the label found most often on one partition is chosen: all return the same.
    """
    if not members:
        return 0, 0
    graph = members.graph
    ids = graph.xp.asarray((SAMPLED_LABELS * len(members)).astype(np.int64))
    if len(members) < graph.num_vertices:
        ids = members.vertices[ids]
    values, counts = np.unique(graph.device.to_host(graph.entries(labels, ids)), return_counts=True)
    best = counts.argmax()
    label = graph.max_over_parts(int(counts[best]) * MAX_VERTICES + int(values[best])) % MAX_VERTICES
    return label, int(counts[best] / counts.sum() * len(members))


def _link(src, dst, edge, weight, labels):
    join(labels, labels[src], labels[dst])
    return False


def _link_inside(src, dst, edge, weight, labels, sets, weighted):
    if (weight > 0 or not weighted) and src < dst and sets[src] == sets[dst]:
        join(labels, labels[src], labels[dst])
    return False


def unite(v, labels, theirs):
    """Link v to the vertex to which another partition has linked it, if any."""
    own = labels[v]
    other = theirs[v]
    if own != other and other != v and other >= 0:
        join(labels, own, other)


def _compress(v, labels):
    """Point v to its root. Return whether v is a root.

    Every step is written back, and vertices below v in deep trees use the shortcut too.
    """
    parent = labels[v]
    grandparent = labels[parent]
    while parent != grandparent:
        labels[v] = grandparent
        parent = grandparent
        grandparent = labels[parent]
    return parent == v


def _shorten(v, labels):
    if labels[v] >= 0:
        _compress(v, labels)


def _is_outside(v, labels, label):
    return labels[v] != label


def _is_outside_in_part(v, labels, label):
    root = label  # possibly of another partition's tree
    while labels[root] != root:
        root = labels[root]
    return labels[v] != root
