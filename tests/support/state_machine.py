"""Sequences of operations on a graph and its model, for Hypothesis."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from model import Pair, make, random_batch, snapshot

MAX_VERTICES = 160  # beyond the neighbors that any structure stores in one piece
seeds = st.integers(0, 2**16)
numbers = st.integers(0, MAX_VERTICES)
batches = st.lists(st.tuples(numbers, numbers, st.integers(-3, 9)), max_size=25)
on_existing = st.sampled_from(["replace", "keep", "add"])


class GraphMachine(RuleBasedStateMachine):
    """Small batches that Hypothesis writes (and shortens), and large ones from seeds that make structures grow."""

    structure: type
    device: str
    pair: Pair

    @initialize(vertices=st.integers(0, MAX_VERTICES // 2), edges=st.sampled_from([0, 5, 200, 3000]),
                directed=st.booleans(), weighted=st.booleans(), seed=seeds)  # fmt: skip
    def build(self, vertices, edges, directed, weighted, seed):
        dtype = "float32" if weighted and self.structure.can_store_weights else None
        batch = random_batch(np.random.default_rng(seed), max(vertices, 1), edges if vertices else 0, dtype)
        self.pair = make(self.structure, self.device, *batch, num_vertices=vertices, directed=directed,
                         weight_dtype=dtype)  # fmt: skip

    def has_vertices(self):
        return bool(self.pair.model.present)

    def has_absent_vertices(self):
        return bool(self.pair.model.absent)

    def has_room(self):
        return self.pair.model.num_vertices < MAX_VERTICES

    def names(self, numbers):
        """Ids of existing vertices, for numbers that are independent of the graph."""
        present = self.pair.model.present
        return [present[i % len(present)] for i in numbers]

    def insert_batch(self, src, dst, weights, on_existing):
        if self.pair.model.weight_dtype is None:
            on_existing = "replace" if on_existing == "add" else on_existing
            weights = None
        self.pair.insert(src, dst, weights, on_existing=on_existing)

    @precondition(has_vertices)
    @rule(batch=batches, on_existing=on_existing)
    def insert(self, batch, on_existing):
        src, dst = self.names(u for u, _, _ in batch), self.names(v for _, v, _ in batch)
        self.insert_batch(src, dst, np.array([w for _, _, w in batch], np.float32), on_existing)

    @precondition(has_vertices)
    @rule(batch=batches)
    def delete(self, batch):
        self.pair.delete(self.names(u for u, _, _ in batch), self.names(v for _, v, _ in batch))

    @precondition(has_vertices)
    @rule(seed=seeds, size=st.sampled_from([100, 1000, 4000]), on_existing=on_existing)
    def insert_many(self, seed, size, on_existing):
        src, dst, weights = random_batch(np.random.default_rng(seed), MAX_VERTICES, size, "float32")
        self.insert_batch(self.names(src.tolist()), self.names(dst.tolist()), weights, on_existing)

    @precondition(has_vertices)
    @rule(seed=seeds, size=st.sampled_from([100, 1000, 4000]))
    def delete_many(self, seed, size):
        src, dst, _ = random_batch(np.random.default_rng(seed), MAX_VERTICES, size)
        self.pair.delete(self.names(src.tolist()), self.names(dst.tolist()))

    @precondition(has_vertices)
    @rule(number=numbers, into=st.booleans())
    def fill_row(self, number, into):
        (hub,) = self.names([number])
        others = self.pair.model.present
        batch = (others, [hub] * len(others))
        self.pair.insert(*(batch if into else batch[::-1]))

    @precondition(has_vertices)
    @rule(number=numbers, keep=st.integers(0, 3))
    def empty_row(self, number, keep):
        (hub,) = self.names([number])
        others = sorted(self.pair.model.adjacency[hub])[keep:]
        self.pair.delete([hub] * len(others), others)

    @rule()
    def delete_everything(self):
        edges = self.pair.model.edges()
        self.pair.delete([u for u, _, _ in edges], [v for _, v, _ in edges])

    @precondition(has_room)
    @rule(count=st.integers(0, 12))
    def insert_vertices(self, count):
        self.pair.insert_vertices(count)

    @precondition(has_room)
    @rule(ids=st.lists(numbers, max_size=4))
    def insert_vertices_by_id(self, ids):
        self.pair.insert_vertices(ids)

    @precondition(has_vertices)
    @rule(numbers=st.lists(numbers, max_size=5))
    def delete_vertices(self, numbers):
        self.pair.delete_vertices(self.names(numbers))

    @precondition(has_vertices)
    @rule(batch=batches, kind=st.sampled_from(["insert_edges", "delete_edges", "has_edges"]), wrong=st.booleans())
    def name_a_vertex_that_is_not_there(self, batch, kind, wrong):
        absent = self.pair.model.absent
        bad = min(absent) if absent and wrong else self.pair.model.num_vertices
        src, dst = self.names(u for u, _, _ in batch), self.names(v for _, v, _ in batch)
        before = snapshot(self.pair.graph)
        with pytest.raises(ValueError, match=f"is {bad},"):
            getattr(self.pair.graph, kind)([*src, bad], [*dst, 0])
        assert snapshot(self.pair.graph) == before

    @rule()
    def go_on_with_a_copy(self):
        self.pair.graph = self.pair.graph.copy()

    @rule()
    def go_on_with_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            self.pair.graph.save(Path(folder) / "graph")
            self.pair.graph = type(self.pair.graph).load(Path(folder) / "graph", device=self.device)

    @invariant()
    def same(self):
        if hasattr(self, "pair"):
            self.pair.check()
