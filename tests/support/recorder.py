"""An observer that records its notifications."""

from __future__ import annotations

from model import to_host

import frontier as fr


class Recorder(fr.UpdateObserver):
    """Maintains a set of edges from its notifications, and nothing else."""

    def __init__(self, graph, edges=()):
        self.graph = graph
        self.edges = set(edges)
        self.vertex_changes = 0
        self.leaving = None
        graph.attach(self)

    def _pairs(self, src, dst):
        src, dst = to_host(self.graph, src).tolist(), to_host(self.graph, dst).tolist()
        pairs = list(zip(src, dst, strict=True))
        assert len(set(pairs)) == len(pairs), "an edge is named twice"
        assert self.graph.directed or all(u < v for u, v in pairs)
        return set(pairs)

    def edges_inserted(self, src, dst):
        new = self._pairs(src, dst)
        assert not new & self.edges, "an edge is new that was there"
        assert to_host(self.graph, self.graph.has_edges(src, dst)).all(), "an edge is new that is not there"
        self.edges |= new

    def edges_deleting(self, src, dst):
        assert self.leaving is None
        self.leaving = self._pairs(src, dst)
        assert self.leaving <= self.edges, "an edge leaves that was not there"
        assert to_host(self.graph, self.graph.has_edges(src, dst)).all(), "an edge can no longer be seen"

    def edges_deleted(self, src, dst):
        assert self._pairs(src, dst) == self.leaving
        self.edges -= self.leaving
        self.leaving = None

    def vertices_changed(self):
        self.vertex_changes += 1
