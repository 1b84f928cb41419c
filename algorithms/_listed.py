"""Vertices that functors list, so that what follows need not look through all vertices for them."""

from __future__ import annotations

import numpy as np

import frontier as fr


class Listed:
    """A list of vertices of a graph.

    Attributes
    ----------
    arguments : tuple
        Of `enlist`, behind the vertex; and of `fr.Frontier.listed`, the last one aside.
    """

    def __init__(self, graph: fr.Graph):
        ids, number = graph.xp.empty(graph.num_vertices, graph.vertex_dtype), graph.xp.zeros(1, np.int64)
        self.arguments = ids, number, ids.size


def enlist(v, listed, number, room):
    """List v. Where that is asked for more often than there is room, all vertices will be taken."""
    listed[fr.atomic_add(number, 0, 1) % room] = v
