"""Connected components, by sampling.

Every vertex points to a smaller one of its component, or to itself: a forest, in which the smallest vertex of a tree is
its root. An edge between two trees links the larger root to the smaller. Linking each vertex to two of its neighbors
joins nearly all of a graph's largest component; the vertices found in it by then need not be looked at again, since
every edge that leaves them is also seen from its other end.

    labels[v]    a vertex of v's component, v or smaller; its smallest, in the end

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
SAMPLED_LABELS = np.random.default_rng(0).random(1024)  # where to look, as parts of the number of members


@dataclass(frozen=True)
class Components(Result):
    """What `connected_components` finds.

    Attributes
    ----------
    labels : array of the graph's vertex dtype, shape (num_vertices,)
        The smallest vertex of each vertex's component, on the graph's device; -1 for deleted vertices.
    count : int
        Number of components; isolated vertices are components of their own.
    """

    labels: Any
    count: int


@fr.reads
def connected_components(graph: fr.Graph) -> Components:
    """Connected components, labeled by their smallest vertex.

    Parameters
    ----------
    graph : Graph
        Of a directed graph, the weakly connected components are found: those of the same edges without direction.

    Notes
    -----
    O(V + E) work, of which undirected graphs with one large component need only about O(V).
    """
    members = fr.Frontier.all(graph)
    labels = graph.xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
    absent = graph.absent_mask
    if absent is not None:
        labels[absent] = -1
    fr.sample_neighbors(graph, members, _link, labels, count=SAMPLED_NEIGHBORS)
    fr.reduce(members, _compress, labels, dtype=np.int64)
    rest = members
    if not graph.directed:  # a directed edge is kept, and seen, at one end only
        rest = fr.filter(members, _is_outside, labels, most_common_label(members, labels))
    fr.advance(graph, rest, _link, labels)
    count = fr.reduce(members, _compress, labels, dtype=np.int64)
    return Components(labels, int(count[0]))


def most_common_label(members: fr.Frontier, labels: Any) -> int:
    """The label that most members have, judged by a sample; 0 if there are none."""
    if not members:
        return 0
    places = (SAMPLED_LABELS * len(members)).astype(np.int64)
    sample = labels[members.vertices[members.graph.xp.asarray(places)]]
    values, counts = np.unique(members.graph.device.to_host(sample), return_counts=True)
    return int(values[counts.argmax()])


def _link(src, dst, edge, weight, labels):
    join(labels, labels[src], labels[dst])
    return False


def _compress(v, labels):
    """Point v to its root; returns whether it is one.

    Every step is written back: where trees are deep, the vertices below skip what v has skipped.
    """
    parent = labels[v]
    grandparent = labels[parent]
    while parent != grandparent:
        labels[v] = grandparent
        parent = grandparent
        grandparent = labels[parent]
    return parent == v


def _is_outside(v, labels, label):
    return labels[v] != label
