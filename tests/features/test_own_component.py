"""A feature of graphs outside of the library: it counts the updates of the edges of each vertex."""

import pickle

import numpy as np
import pytest
from model import to_host

from frontier.advanced import Component, add_component, component_of
from frontier.core import registry
from structures import SlabGraph


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

    def arrays(self):
        return {"updates": self.counts}

    def array_types(self):
        return {"updates": (np.dtype(np.int64), (None,))}

    def fill(self, header, arrays):
        self.counts = arrays["updates"]


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


def test_a_component_is_saved_with_its_graph(device, tmp_path, monkeypatch):
    monkeypatch.setitem(registry._structures, Counted.name, Counted)
    graph = Counted(3, device=device)
    graph.insert_edges([0, 1], [1, 2])
    graph.save(tmp_path / "graph")
    for other in (Counted.load(tmp_path / "graph", device=device), pickle.loads(pickle.dumps(graph))):
        other.delete_edges([0], [1])
        assert counts_of(other) == [2, 3, 1] and counts_of(graph) == [1, 2, 1]


class Counted(SlabGraph):
    """Slab graphs that count updates."""

    name = "counted"

    def __init__(self, num_vertices=0, **options):
        super().__init__(num_vertices, **options)
        add_component(self, UpdateCount(self.xp.zeros(self.num_vertices, np.int64)))
