"""A random walk through the operations of a graph, each of which is compared with the model's."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from model import Pair, edges_of, make, snapshot, to_host

from algorithms import UNREACHED, bfs

OPERATORS = ("bfs", "triangles")
VERTICES = 90  # ids that a walk uses at most
WIDE = 0.15  # share of batches whose weights are as wide as their dtype allows
BIG = 0.02  # of batches that are far larger than the graph
# How often each operation comes up.
WEIGHTS = {
    "insert": 24, "delete": 18, "fill_row": 2, "empty_row": 3, "insert_vertices": 2, "insert_by_id": 1,
    "delete_vertices": 2, "has_edges": 12, "find_edges": 8, "edge_weights": 8, "neighbors": 8, "successors": 3,
    "degrees": 2, "has_vertices": 2, "edges": 2, "csr": 1, "bad_id": 3, "copy": 1, "file": 0.3, "compact": 1, "bfs": 2,
    "clear": 0.2,
}  # fmt: skip


class Walk:
    """Operations drawn from a seed, on a graph and its model.

    Parameters
    ----------
    structure : type
    device : str
    seed : int
        The same seed gives the same operations.
    operators : bool
        Draw steps that run operators, too, whose kernels must be compiled.
    """

    def __init__(self, structure: Any, device: str, seed: int, *, directed: bool, vertex_dtype: str,
                 weight_dtype: str | None, operators: bool = True):  # fmt: skip
        self.rng = np.random.default_rng(seed)
        self.device = device
        self.dtype = None if weight_dtype is None else np.dtype(weight_dtype)
        count = int(self.rng.integers(1, VERTICES))
        self.pair = self.make_pair(structure, count, directed=directed, weight_dtype=weight_dtype,
                                   vertex_dtype=vertex_dtype)  # fmt: skip
        weights = self.weights_of_operations()
        self.names = [name for name in weights if operators or name not in OPERATORS]
        shares = np.array([weights[name] for name in self.names])
        self.shares = shares / shares.sum()
        self.done: Counter[str] = Counter()
        self.last: list[str] = []

    def run(self, steps: int, check_every: int = 40) -> None:
        """Make `steps` steps, and every now and then compare all visible contents of the graph."""
        drawn = self.rng.choice(len(self.names), steps, p=self.shares)
        for step, chosen in enumerate(drawn):
            name = self.names[chosen]
            try:
                getattr(self, f"do_{name}")()
                if step % check_every == check_every - 1 or step == steps - 1:
                    self.pair.check()
            except BaseException as error:
                error.add_note(f"step {step} of the walk, after {', '.join(self.last[-8:])}, {name}")
                raise
            self.done[name] += 1
            self.last = [*self.last[-8:], name]

    def make_pair(self, structure: Any, num_vertices: int, **options: Any) -> Pair:
        """The graph that the walk starts with, and its model."""
        return make(structure, self.device, num_vertices=num_vertices, **options)

    def weights_of_operations(self) -> dict[str, float]:
        """How often each operation comes up."""
        return WEIGHTS

    def update(self, name: str, *args: Any, **options: Any) -> Any:
        """Update the graph and the model, which must report the same."""
        expected = getattr(self.model, name)(*args, **options)
        result = getattr(self.graph, name)(*args, **options)
        found = to_host(self.graph, result).tolist() if name == "insert_vertices" else result
        assert found == expected, f"{name} reports {found}, the model {expected}"
        return result

    def insert(self, src: Any, dst: Any, weights: Any, **options: Any) -> None:
        """Insert a batch."""
        self.update("insert_edges", src, dst, weights, **options)

    def replace(self, graph: Any) -> None:
        """Go on with another graph that is the same."""
        self.pair.graph = graph

    # ---- random values ----------------------------------------------------------------------------------------------

    @property
    def graph(self) -> Any:
        return self.pair.graph

    @property
    def model(self) -> Any:
        return self.pair.model

    def vertices(self, count: int) -> np.ndarray:
        """Ids of existing vertices, few of them more often than others."""
        present = np.array(self.model.present, np.int64)
        if not present.size:
            return present
        skew = self.rng.choice([1, 1, 3])
        return present[(present.size * self.rng.random(count) ** skew).astype(np.int64)]

    def size(self) -> int:
        return int(self.rng.integers(300, 3000) if self.rng.random() < BIG else self.rng.integers(0, 25))

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Any pairs, and some that are edges."""
        size = self.size()
        src, dst = self.vertices(size), self.vertices(size)
        if size and self.rng.random() < 0.5:
            for i in range(0, min(src.size, 25), 2):
                row = self.model.adjacency[src[i]]
                if row:
                    dst[i] = list(row)[int(self.rng.integers(len(row)))]
        return src, dst

    def weights(self, size: int, *, wide: bool) -> Any:
        """Weights of the graph's dtype: small whole numbers, or any."""
        if self.dtype is None:
            return None
        if not wide:
            return self.rng.integers(-3, 10, size).astype(self.dtype)
        if self.dtype.kind == "f":
            return (self.rng.standard_normal(size) * 10.0 ** self.rng.integers(-12, 12, size)).astype(self.dtype)
        top = np.iinfo(self.dtype).max
        return self.rng.integers(-top - 1, top, size, dtype=self.dtype, endpoint=True)

    # ---- updates ----------------------------------------------------------------------------------------------------

    def do_insert(self) -> None:
        src, dst = self.pairs()
        how = ["replace", "keep", "replace", "add"][int(self.rng.integers(3 if self.dtype is None else 4))]
        # A sum must not overflow: adding to wide weights is undefined.
        wide = self.rng.random() < WIDE and self.dtype is not None
        if how == "add" and self.dtype is not None and self.dtype.kind == "i" and self.has_wide():
            how = "replace"
        self.insert(src, dst, self.weights(src.size, wide=wide and how != "add"), on_existing=how)

    def has_wide(self) -> bool:
        return any(abs(int(w)) > 1 << 20 for row in self.model.adjacency for w in row.values())

    def do_delete(self) -> None:
        self.update("delete_edges", *self.pairs())

    def do_fill_row(self) -> None:
        others = np.array(self.model.present, np.int64)
        hub = np.full(others.size, self.vertices(1)[0] if others.size else 0)
        batch = (hub, others) if self.rng.random() < 0.5 else (others, hub)
        self.insert(*batch, self.weights(others.size, wide=False))

    def do_empty_row(self) -> None:
        for hub in self.vertices(1):
            others = sorted(self.model.adjacency[hub])[int(self.rng.integers(3)) :]
            self.update("delete_edges", [int(hub)] * len(others), others)

    def do_clear(self) -> None:
        edges = self.model.edges()
        self.update("delete_edges", [u for u, _, _ in edges], [v for _, v, _ in edges])

    def do_insert_vertices(self) -> None:
        if len(self.model.present) < VERTICES - 8:
            self.update("insert_vertices", int(self.rng.integers(8)))

    def do_insert_by_id(self) -> None:
        self.update("insert_vertices", self.rng.integers(0, VERTICES, int(self.rng.integers(4))).tolist())

    def do_delete_vertices(self) -> None:
        self.update("delete_vertices", self.vertices(int(self.rng.integers(4))).tolist())

    def do_copy(self) -> None:
        self.replace(self.graph.copy())

    def do_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.graph.save(Path(folder) / "graph")
            self.replace(type(self.graph).load(Path(folder) / "graph", device=self.device))

    def do_compact(self) -> None:
        self.graph.compact()

    # ---- queries ----------------------------------------------------------------------------------------------------

    def do_has_edges(self) -> None:
        src, dst = self.pairs()
        found = to_host(self.graph, self.graph.has_edges(src, dst))
        assert found.tolist() == [v in self.model.adjacency[u] for u, v in zip(src.tolist(), dst.tolist(), strict=True)]

    def do_find_edges(self) -> None:
        src, dst = self.pairs()
        slots = to_host(self.graph, self.graph.find_edges(src, dst))
        arcs = list(zip(src.tolist(), dst.tolist(), strict=True))
        assert (slots >= 0).tolist() == [v in self.model.adjacency[u] for u, v in arcs]
        if self.graph.edge_data is not None:
            arcs = [self.model._key(u, v) for u, v in arcs]  # which have one id
        there = {arc: slot for arc, slot in zip(arcs, slots.tolist(), strict=True) if slot >= 0}
        assert len(set(there.values())) == len(there), "two arcs in one slot"

    def do_edge_weights(self) -> None:
        arcs = [(u, v) for u, v in zip(*self.pairs(), strict=True) if v in self.model.adjacency[u]]
        found = to_host(self.graph, self.graph.edge_weights([u for u, _ in arcs], [v for _, v in arcs]))
        assert found.tolist() == [1 if self.dtype is None else self.model.adjacency[u][v] for u, v in arcs]

    def do_neighbors(self) -> None:
        for v in self.vertices(2).tolist():
            assert to_host(self.graph, self.graph.neighbors(v)).tolist() == sorted(self.model.adjacency[v])

    def do_successors(self) -> None:
        asked = self.vertices(int(self.rng.integers(6)))
        offsets, ids, weights = (
            None if array is None else to_host(self.graph, array) for array in self.graph.successors(asked)
        )
        rows = [self.model.adjacency[v] for v in asked]
        assert offsets.tolist() == np.cumsum([0, *(len(row) for row in rows)]).tolist()
        assert ids.tolist() == [v for row in rows for v in sorted(row)]
        if self.dtype is not None:
            assert weights.tolist() == [row[v] for row in rows for v in sorted(row)]

    def do_degrees(self) -> None:
        assert to_host(self.graph, self.graph.degrees()).tolist() == [len(row) for row in self.model.adjacency]

    def do_has_vertices(self) -> None:
        ids = self.rng.integers(-3, self.model.num_vertices + 3, 12)
        assert to_host(self.graph, self.graph.has_vertices(ids)).tolist() == [v in set(self.model.present) for v in ids]

    def do_edges(self) -> None:
        assert edges_of(self.graph) == self.model.edges()

    def do_csr(self) -> None:
        assert to_host(self.graph, self.graph.to_csr().indices).tolist() == [v for _, v, _ in self.model.arcs()]

    def do_bad_id(self) -> None:
        """An id that is no vertex's, somewhere in a batch: it raises, and nothing has changed."""
        if not self.model.present:
            return
        bad = int(self.rng.choice([*self.model.absent, -1, self.model.num_vertices, 2**40]))
        ids = [self.vertices(5), self.vertices(5)]
        ids[int(self.rng.integers(2))][int(self.rng.integers(5))] = bad
        name = str(self.rng.choice(["insert_edges", "delete_edges", "has_edges", "find_edges"]))
        before = snapshot(self.graph)
        try:
            getattr(self.graph, name)(*ids)
        except ValueError as error:
            assert f"is {bad}" in str(error), str(error)
        else:
            raise AssertionError(f"{name} takes the id {bad}")
        assert snapshot(self.graph) == before

    def do_bfs(self) -> None:
        for source in self.vertices(1).tolist():
            levels, reached, members = {source: 0}, 0, [source]
            while members:
                reached += 1
                members = list({v for u in members for v in self.model.adjacency[u] if v not in levels})
                levels |= dict.fromkeys(members, reached)
            expected = [levels.get(v, int(UNREACHED)) for v in range(self.model.num_vertices)]
            assert to_host(self.graph, bfs(self.graph, source).distance).tolist() == expected
