"""Updates of graphs that have all features at once, drawn at random and compared with a dictionary."""

import numpy as np
import pytest
from model import to_host

import frontier as fr
from frontier.advanced import Component, add_component, component_of
from frontier.features.in_edges import InEdges

N = 40
STEPS = 60


class Version(Component):
    """Counts the updates, and the changes of arcs that are no refusals."""

    def __init__(self):
        self.begun = self.ended = self.inserted = self.deleted = 0

    def begin(self, graph):
        self.begun += 1

    def end(self, graph, call, *, changed):
        self.ended += 1

    def apply(self, graph, change):
        if change.kind == "insert":
            self.inserted += change.changed
        else:
            self.deleted += change.changed


class Listener(fr.UpdateObserver):
    """Stores the edges that it was notified of."""

    def __init__(self, graph):
        self.edges = set()
        self.graph = graph

    def edges_inserted(self, src, dst):
        new = set(pairs(self.graph, src, dst))
        assert not new & self.edges
        self.edges |= new

    def edges_deleted(self, src, dst):
        gone = set(pairs(self.graph, src, dst))
        assert gone <= self.edges
        self.edges -= gone


def pairs(graph, src, dst):
    return list(zip(to_host(graph, src).tolist(), to_host(graph, dst).tolist(), strict=True))


def contents(graph):
    """Each edge with its weight, and its data and time if it has any."""
    src, dst, weights = graph.to_coo()
    columns = [to_host(graph, weights).tolist()]
    if graph.edge_data is not None:
        columns += [to_host(graph, graph.edge_values(name, src, dst)).tolist() for name in ("fee", "time")]
    return dict(zip(pairs(graph, src, dst), zip(*columns, strict=True), strict=True))


class Drawn:
    """A graph with all features, and a dictionary of its expected contents."""

    def __init__(self, structure, device, rng, with_data):
        self.rng, self.with_data, self.model, self.taken, self.clock = rng, with_data, {}, [], 0
        self.absent = set()
        options = {"edge_data": {"fee": "int64"}, "time_unit": "ns"} if with_data else {}
        self.graph = structure(N, directed=True, in_edges=True, weight_dtype="float64", device=device, **options)
        self.follow()

    def follow(self):
        self.listener = Listener(self.graph)
        self.listener.edges = set(self.model)
        self.graph.attach(self.listener)
        add_component(self.graph, Version())
        self.before = len(self.model)

    def batch(self, size):
        there = [v for v in range(N) if v not in self.absent]
        src, dst = (self.rng.choice(there, size).astype(np.int32) for _ in range(2))
        return src, dst, self.rng.integers(1, 100, size).astype(np.float64)

    def insert(self):
        src, dst, weights = self.batch(int(self.rng.integers(0, 60)))
        data = {}
        if self.with_data:
            self.clock += 10
            data = {"fee": np.arange(src.size), "time": self.clock - self.rng.integers(0, 30, src.size)}
        self.graph.insert_edges(*self.given(src, dst, weights), **self.given_data(data))
        rows = zip(src.tolist(), dst.tolist(), weights.tolist(), *(c.tolist() for c in data.values()), strict=True)
        for u, v, *values in rows:
            held = self.model.get((u, v))
            if u != v and (held is None or not self.with_data or values[-1] >= held[-1]):
                self.model[u, v] = tuple(values)

    def delete(self):
        src, dst, _ = self.batch(int(self.rng.integers(0, 200)))
        self.graph.delete_edges(*self.given(src, dst))
        for edge in zip(src.tolist(), dst.tolist(), strict=True):
            self.model.pop(edge, None)

    def expire(self):
        if self.with_data:
            self.graph.expire(self.clock - 100)
            self.model = {edge: values for edge, values in self.model.items() if values[-1] >= self.clock - 100}

    def vertices(self):
        if self.absent:
            self.graph.insert_vertices(sorted(self.absent))
            self.absent = set()
        else:
            self.absent = set(self.rng.choice(N, 3, replace=False).tolist())
            self.graph.delete_vertices(sorted(self.absent))
            self.model = {(u, v): values for (u, v), values in self.model.items() if not {u, v} & self.absent}

    def refused(self):
        src, dst, weights = self.batch(20)
        data = {"fee": np.arange(20), "time": np.full(20, self.clock)} if self.with_data else {}
        dst[11] = N
        with pytest.raises(ValueError, match=r"dst\[11\]"):
            self.graph.insert_edges(*self.given(src, dst, weights), **self.given_data(data))
        with pytest.raises(ValueError, match=r"dst\[11\]"):
            self.graph.delete_edges(*self.given(src, dst))

    def snapshot(self):
        self.taken = [*self.taken[-2:], (self.graph.snapshot(), dict(self.model))]

    def copy(self):
        assert component_of(self.graph, Version).begun == component_of(self.graph, Version).ended
        self.graph = self.graph.copy()
        self.follow()

    def compact(self):
        self.graph.compact()

    def forget_reverse(self):
        component_of(self.graph, InEdges).stale = True

    def given(self, *arrays):
        return [self.graph.xp.asarray(array) for array in arrays]

    def given_data(self, data):
        return {name: self.graph.xp.asarray(values) for name, values in data.items()}

    def check(self):
        graph, counted = self.graph, component_of(self.graph, Version)
        assert contents(graph) == self.model and self.listener.edges == set(self.model)
        assert contents(graph.reverse) == {(v, u): values for (u, v), values in self.model.items()}
        assert self.before + counted.inserted - counted.deleted == graph.num_arcs == len(self.model)
        if self.taken:
            shown, model = self.taken[int(self.rng.integers(len(self.taken)))]
            assert contents(shown) == model
            assert contents(shown.reverse) == {(v, u): values for (u, v), values in model.items()}


ODDS = {"insert": 8, "delete": 4, "expire": 2, "vertices": 2, "refused": 2, "snapshot": 3, "copy": 1, "compact": 1,
        "forget_reverse": 1}  # fmt: skip


@pytest.mark.parametrize("with_data", [False, True], ids=["weights", "data"])
def test_all_features_at_once(structure, device, rng, with_data):
    drawn = Drawn(structure, device, rng, with_data)
    names, odds = list(ODDS), np.array(list(ODDS.values()), float)
    for step in range(STEPS):
        getattr(drawn, "insert" if step < 3 else rng.choice(names, p=odds / odds.sum()))()
        drawn.check()
