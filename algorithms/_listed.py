"""Vertices that functors list, which spares a pass over all vertices."""

from __future__ import annotations

import numpy as np

import frontier as fr


class Listed:
    """A list of vertices. `arguments` follow the vertex in `enlist`. `fr.Frontier.listed` accepts all but the last."""

    def __init__(self, graph: fr.Graph):
        ids, number = graph.xp.empty(graph.num_vertices, graph.vertex_dtype), graph.xp.zeros(1, np.int64)
        self.arguments = ids, number, ids.size


def enlist(v, listed, number, room):
    """List v. If the list overflows, its count shows it, and all vertices are processed."""
    listed[fr.atomic_add(number, 0, 1) % room] = v
