"""A feature of graphs that is no part of the library: how often the edges of each vertex were updated."""

import numpy as np
import pytest
from model import to_host

from frontier.advanced import Component, add_component, component_of


class UpdateCount(Component):
    """The number of arcs at each vertex that batches have listed."""

    def __init__(self, counts):
        self.counts = counts

    def apply(self, graph, change):
        listed = change.arcs.src
        self.counts += graph.xp.bincount(listed[listed >= 0], minlength=self.counts.size)

    def vertices_changed(self, graph):
        more = graph.num_vertices - self.counts.size
        self.counts = graph.xp.concatenate([self.counts, graph.xp.zeros(more, np.int64)])

    def copied_to(self, twin):
        return UpdateCount(self.counts.copy())


def counts_of(graph):
    return to_host(graph, component_of(graph, UpdateCount).counts).tolist()


OPTIONS = {"plain": {}, "in_edges": {"directed": True, "in_edges": True}, "edge_data": {"edge_data": {}}}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_component_follows_every_update(structure, device, options):
    graph = structure(4, device=device, **options)
    add_component(graph, UpdateCount(graph.xp.zeros(4, np.int64)))
    graph.insert_edges([0, 1], [1, 2])
    before = graph.copy()
    graph.delete_edges([1], [2])
    graph.insert_vertices(1)
    with pytest.raises(ValueError, match="dst"):
        graph.insert_edges([3], [9])
    graph.insert_edges([4], [0])
    directed = graph.directed
    assert counts_of(graph) == ([1, 2, 0, 0, 1] if directed else [2, 3, 2, 0, 1])
    assert counts_of(before) == ([1, 1, 0, 0] if directed else [1, 2, 1, 0])
