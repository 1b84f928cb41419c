"""A graph as a dict of dicts that follows the rules of `DynamicGraph`, compared with graphs of a structure."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frontier import Graph
from frontier.core.results import UpdateResult

NEIGHBORS_CHECKED = 48  # vertices whose neighbors are asked for one by one, in graphs with more than this many
ABSENT_PAIRS = 500


class Model:
    """The same graph, stored in the plainest way: ``adjacency[u][v]`` is the weight of the arc u -> v.

    Each method has the effect on the model, and the result, of the graph's method of that name.
    """

    def __init__(self, num_vertices: int = 0, *, directed: bool = False, weight_dtype: Any = None):
        self.num_vertices = num_vertices
        self.directed = directed
        self.weight_dtype = None if weight_dtype is None else np.dtype(weight_dtype)
        self.adjacency: list[dict[int, Any]] = [{} for _ in range(num_vertices)]
        self.absent: set[int] = set()

    def insert_edges(self, src: Any, dst: Any, weights: Any = None, *, on_existing: str = "replace") -> UpdateResult:
        last: dict[tuple[int, int], Any] = {}
        kind = np.dtype(np.float32) if self.weight_dtype is None else self.weight_dtype
        given = np.ones(len(src), kind) if weights is None else np.asarray(weights).astype(kind)
        for u, v, w in zip(src, dst, given, strict=True):
            if u != v:
                last[self._key(int(u), int(v))] = w
        inserted = replaced = deleted = 0
        for (u, v), w in last.items():
            old = self.adjacency[u].get(v)
            if old is None:
                if on_existing == "add" and not w > 0:
                    continue
                self._set(u, v, w)
                inserted += 1
            elif on_existing == "replace":
                self._set(u, v, w)
                replaced += 1
            elif on_existing == "add":
                if old + w > 0:
                    self._set(u, v, kind.type(old + w))
                    replaced += 1
                else:
                    self._remove(u, v)
                    deleted += 1
        return UpdateResult(inserted, replaced, deleted)

    def delete_edges(self, src: Any, dst: Any) -> UpdateResult:
        there = {self._key(int(u), int(v)) for u, v in zip(src, dst, strict=True) if int(v) in self.adjacency[int(u)]}
        for u, v in there:
            self._remove(u, v)
        return UpdateResult(deleted=len(there))

    def insert_vertices(self, count_or_ids: Any) -> list[int]:
        if isinstance(count_or_ids, int):
            ids = sorted(self.absent)[:count_or_ids]
            fresh = count_or_ids - len(ids)
            ids += range(self.num_vertices, self.num_vertices + fresh)
        else:
            ids = [int(v) for v in count_or_ids]
        self.num_vertices = max([self.num_vertices, *(v + 1 for v in ids)])
        self.adjacency += [{} for _ in range(self.num_vertices - len(self.adjacency))]
        self.absent -= set(ids)
        return ids

    def delete_vertices(self, ids: Any) -> UpdateResult:
        gone = {int(v) for v in ids}
        touching = {
            self._key(u, v)
            for u, row in enumerate(self.adjacency)
            for v in row
            if u in gone or v in gone
        }  # fmt: skip
        for u, v in touching:
            self._remove(u, v)
        self.absent |= gone
        return UpdateResult(deleted=len(touching))

    @property
    def present(self) -> list[int]:
        """Ids that name a vertex."""
        return [v for v in range(self.num_vertices) if v not in self.absent]

    def arcs(self) -> list[tuple[int, int, Any]]:
        """All arcs, sorted. Weights are None in models without."""
        weighted = self.weight_dtype is not None
        return [(u, v, row[v] if weighted else None) for u, row in enumerate(self.adjacency) for v in sorted(row)]

    def edges(self) -> list[tuple[int, int, Any]]:
        """All edges, sorted, with undirected ones once, the smaller id first."""
        return [(u, v, w) for u, v, w in self.arcs() if self.directed or u < v]

    def twin(self) -> Model:
        """A copy. Its rows are dicts of numbers."""
        twin = type(self)(self.num_vertices, directed=self.directed, weight_dtype=self.weight_dtype)
        twin.adjacency = [dict(row) for row in self.adjacency]
        twin.absent = set(self.absent)
        return twin

    def _key(self, u: int, v: int) -> tuple[int, int]:
        return (u, v) if self.directed or u < v else (v, u)

    def _set(self, u: int, v: int, w: Any) -> None:
        self.adjacency[u][v] = w
        if not self.directed:
            self.adjacency[v][u] = w

    def _remove(self, u: int, v: int) -> None:
        del self.adjacency[u][v]
        if not self.directed:
            del self.adjacency[v][u]


class Pair:
    """A graph and its model: each update goes to both, and must report the same."""

    def __init__(self, graph: Any, model: Model):
        self.graph = graph
        self.model = model

    def insert(self, src: Any, dst: Any, weights: Any = None, **options: Any) -> UpdateResult:
        expected = self.model.insert_edges(src, dst, weights, **options)
        return self._same(self.graph.insert_edges(src, dst, weights, **options), expected)

    def delete(self, src: Any, dst: Any) -> UpdateResult:
        expected = self.model.delete_edges(src, dst)
        return self._same(self.graph.delete_edges(src, dst), expected)

    def insert_vertices(self, count_or_ids: Any) -> list[int]:
        expected = self.model.insert_vertices(count_or_ids)
        ids = to_host(self.graph, self.graph.insert_vertices(count_or_ids))
        assert ids.dtype == np.int64
        assert ids.tolist() == expected
        return expected

    def delete_vertices(self, ids: Any) -> UpdateResult:
        expected = self.model.delete_vertices(ids)
        return self._same(self.graph.delete_vertices(ids), expected)

    def check(self) -> None:
        assert_same(self.graph, self.model)

    @staticmethod
    def _same(result: UpdateResult, expected: UpdateResult) -> UpdateResult:
        assert result == expected, f"the update reports {result}, the model {expected}"
        return result


def make(
    structure: Any, device: str, src: Any = (), dst: Any = (), weights: Any = None, *, num_vertices: int | None = None,
    directed: bool = False, weight_dtype: Any = None, **options: Any,
) -> Pair:  # fmt: skip
    """A graph of `structure` on `device` with these edges, and its model. Skips the test if it cannot store weights."""
    if weight_dtype is None and weights is not None:
        weight_dtype = np.asarray(weights).dtype
    if weight_dtype is not None:
        if not structure.can_store_weights:
            pytest.skip(f"{structure.name} stores no weights")
        options["weight_dtype"] = weight_dtype
    graph = structure.from_edges(src, dst, weights, num_vertices, directed, device, **options)
    if num_vertices is None:
        num_vertices = 1 + max((int(v) for part in (src, dst) for v in part), default=-1)
    model = Model(num_vertices, directed=directed, weight_dtype=weight_dtype)
    model.insert_edges(src, dst, weights)
    return Pair(graph, model)


def to_host(graph: Any, array: Any) -> np.ndarray:
    """A NumPy array with the contents of a graph's `array`. Arrays of the host, and None, are returned unchanged."""
    return array.get() if hasattr(array, "get") else array


def edge_key(pair: Any, u: int, v: int) -> tuple[int, int]:
    """The ends of an edge of a pair's graph, in an undirected graph the smaller one first."""
    return (u, v) if pair.graph.directed or u < v else (v, u)


def twin_of(graph: Any, way: int, path: Path) -> Any:
    """A copy of a graph, which is also saved: in one of four ways, the last of which loads the file."""
    graph.save(path)
    return [
        graph.copy, lambda: copy.deepcopy(graph), lambda: pickle.loads(pickle.dumps(graph)),
        lambda: Graph.load(path, device=graph.device.kind),
    ][way % 4]()  # fmt: skip


def edges_of(graph: Any) -> list[tuple[int, int, Any]]:
    """The result of `to_coo`, in the form of `Model.edges`."""
    src, dst, weights = graph.to_coo()
    src, dst = to_host(graph, src).tolist(), to_host(graph, dst).tolist()
    values = [None] * len(src) if weights is None else list(to_host(graph, weights))
    return list(zip(src, dst, values, strict=True))


def snapshot(graph: Any) -> tuple:
    """All that must be as it was after a batch that raises."""
    host = graph.device.to_host
    vertices = host(graph.has_vertices(np.arange(graph.num_vertices))).tolist()
    return graph.version, graph.num_vertices, graph.num_arcs, host(graph.degrees()).tolist(), vertices, edges_of(graph)


def assert_same(graph: Any, model: Model, seed: int = 0) -> None:
    """Raise AssertionError unless every way to read `graph` shows the contents of `model`."""
    _assert_same_size(graph, model)
    _assert_same_lists(graph, model)
    _assert_same_neighbors(graph, model)
    _assert_same_answers(graph, model, np.random.default_rng(seed))


def _assert_same_size(graph: Any, model: Model) -> None:
    assert graph.directed == model.directed
    assert graph.weight_dtype == model.weight_dtype
    assert graph.is_weighted == (model.weight_dtype is not None)
    assert graph.num_vertices == len(graph) == model.num_vertices
    assert graph.num_edges == len(model.edges())
    assert graph.num_arcs == len(model.arcs())
    degrees = to_host(graph, graph.degrees())
    assert degrees.dtype == np.int64
    assert degrees.tolist() == [len(row) for row in model.adjacency]
    ids = np.arange(-1, model.num_vertices + 1)
    assert np.flatnonzero(to_host(graph, graph.has_vertices(ids))).tolist() == [v + 1 for v in model.present]


def _assert_same_lists(graph: Any, model: Model) -> None:
    assert edges_of(graph) == model.edges()
    src, dst, weights = graph.to_coo()
    assert src.dtype == dst.dtype == graph.vertex_dtype
    assert (weights is None) == (model.weight_dtype is None)
    assert weights is None or weights.dtype == model.weight_dtype
    csr = graph.to_csr()
    arcs = model.arcs()
    offsets, indices = to_host(graph, csr.offsets), to_host(graph, csr.indices)
    assert offsets.tolist() == np.cumsum([0] + [len(row) for row in model.adjacency]).tolist()
    assert indices.tolist() == [v for _, v, _ in arcs]
    assert indices.dtype == graph.vertex_dtype
    assert (csr.num_edges, csr.num_vertices, csr.directed) == (graph.num_edges, graph.num_vertices, graph.directed)
    assert (csr.weights is None) == (model.weight_dtype is None)
    if csr.weights is not None:
        assert csr.weights.dtype == model.weight_dtype
        assert to_host(graph, csr.weights).tolist() == [w for _, _, w in arcs]


def _assert_same_neighbors(graph: Any, model: Model) -> None:
    """Neighbors one vertex at a time: of all in small graphs, of the largest and of some others in large ones."""
    vertices = model.present
    if len(vertices) > NEIGHBORS_CHECKED:
        half = NEIGHBORS_CHECKED // 2
        by_degree = sorted(vertices, key=lambda v: -len(model.adjacency[v]))
        vertices = by_degree[:half] + by_degree[half :: len(by_degree) // half]
    for v in vertices:
        found = to_host(graph, graph.neighbors(v))
        assert found.dtype == graph.vertex_dtype
        assert found.tolist() == sorted(model.adjacency[v]), f"neighbors of {v}"


def _assert_same_answers(graph: Any, model: Model, rng: np.random.Generator) -> None:
    """Questions about all existing arcs, and about some absent pairs."""
    arcs = model.arcs()
    src, dst = [u for u, _, _ in arcs], [v for _, v, _ in arcs]
    assert to_host(graph, graph.has_edges(src, dst)).all()
    slots = to_host(graph, graph.find_edges(src, dst))
    assert slots.dtype == np.int64
    distinct, limit = len(arcs), graph.slot_capacity
    if graph.edge_data is not None:  # ids of edges, which both directions share
        distinct, limit = graph.num_edges, graph.edge_capacity
    assert len(set(slots.tolist())) == distinct, "two arcs in one slot"
    assert not arcs or (slots.min() >= 0 and slots.max() < limit)
    weights = to_host(graph, graph.edge_weights(src, dst))
    assert weights.dtype == (model.weight_dtype or np.float32)
    assert weights.tolist() == [1 if w is None else w for _, _, w in arcs]
    present = model.present
    if present:
        pairs = rng.choice(np.asarray(present), (2, ABSENT_PAIRS)).tolist()
        pairs = [(u, v) for u, v in zip(*pairs, strict=True) if v not in model.adjacency[u]]
        src, dst = [u for u, _ in pairs], [v for _, v in pairs]
        assert not to_host(graph, graph.has_edges(src, dst)).any()
        assert (to_host(graph, graph.find_edges(src, dst)) == -1).all()


def edge_set(graph: Any) -> set[tuple[int, int]]:
    """The ends of the edges."""
    return {(u, v) for u, v, _ in edges_of(graph)}


def work_through_batches(pair: Pair, check: Any, rng: np.random.Generator, largest: float) -> None:
    """Insert and delete batches of up to ``10**largest`` edges, into random places and hubs, and `check` the graph."""
    n, weight_dtype = pair.graph.num_vertices, pair.graph.weight_dtype
    for round_ in range(12):
        src, dst, weights = random_batch(rng, n, int(10 ** rng.uniform(0, largest)), weight_dtype)
        if round_ % 3 == 0:
            src[: src.size // 2] = rng.integers(n)
        pair.insert(src, dst, weights)
        check(pair.graph)
        edges = pair.model.edges()
        low, size = rng.integers(n), rng.integers(n)
        gone = [(u, v) for u, v, _ in edges if low <= u < low + size or rng.random() < 0.2]
        pair.delete([u for u, _ in gone], [v for _, v in gone])
        check(pair.graph)
        if round_ == 7:
            pair.delete_vertices(rng.permutation(n)[: n // 10])
            check(pair.graph)
            pair.insert_vertices(n // 10)
    pair.graph.compact()
    check(pair.graph)
    pair.check()


def random_batch(
    rng: np.random.Generator, num_vertices: int, size: int, weight_dtype: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Random edges with loops and duplicates among them. Weights are whole numbers from -3 to 9, exact in any dtype."""
    src, dst = rng.integers(0, num_vertices, (2, size))
    weights = None if weight_dtype is None else rng.integers(-3, 10, size).astype(weight_dtype)
    return src, dst, weights


def random_change(graph: Any, rng: np.random.Generator) -> None:
    """Insert or delete up to 20 edges, or one vertex, of a graph that retains a vertex."""
    ids = np.arange(graph.num_vertices)
    is_there = graph.device.to_host(graph.has_vertices(ids))
    there, gone = ids[is_there], ids[~is_there]
    step, size = int(rng.integers(10)), int(rng.choice([1, 2, 5, 20]))
    src, dst, _ = graph.to_coo()
    if step < 4:
        graph.insert_edges(*rng.choice(there, (2, size)))
    elif step < 8 and src.size:
        some = graph.xp.asarray(rng.integers(0, src.size, size))
        graph.delete_edges(src[some], dst[some])
    elif step == 8 and there.size > 1:
        graph.delete_vertices(rng.choice(there, 1))
    else:
        graph.insert_vertices(gone[:1] if gone.size and rng.random() < 0.5 else 1)


def transposed(model):
    """The model of the reverse."""
    twin = Model(model.num_vertices, directed=True, weight_dtype=model.weight_dtype)
    for u, row in enumerate(model.adjacency):
        for v, w in row.items():
            twin.adjacency[v][u] = w
    twin.absent = set(model.absent)
    return twin
