"""`Mirror`: the contents of a NetworkX graph in a structure: nodes as vertices, edges, and an attribute as weights.

Structures store simple graphs of numbers, without self-loops. Parallel edges become one edge with their lowest weight.
The mirror stores the rest:

    ids[node]        the vertex of a node
    nodes[v]         the node of a vertex, HOLE for a deleted vertex
    loops[v]         the weight of a self-loop, or None if it is no number
    unsuitable       pairs of vertices whose edge has no finite number as weight. The structure has 1 there
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np

import frontier as fr

EXACT = 2**53  # integers up to here are floats too
LARGEST = 2**63 - 1


def plain(value: Any) -> int | float | None:
    """A weight as a Python number, or None if it is no number, not finite, or an integer beyond int64."""
    kind = type(value)
    if kind is not int and kind is not float:
        if isinstance(value, bool | np.bool_ | np.integer | int):
            value = int(value)
        elif isinstance(value, np.floating | float):
            value = float(value)
        else:
            return None
    if type(value) is float:
        return value if math.isfinite(value) else None
    return value if -LARGEST <= value <= LARGEST else None


def type_of(weights: Sequence[int | float]) -> np.dtype | None:
    """The narrowest type of a structure for `plain` weights: None if all are the integer 1, else int64 or float64."""
    if float in set(map(type, weights)):
        return np.dtype(np.float64)
    return np.dtype(np.int64) if any(weight != 1 for weight in weights) else None


def fits(weight: int | float, dtype: np.dtype | None) -> bool:
    """Whether a structure of this type, at least as narrow as the weight's own, preserves a `plain` weight."""
    return dtype != np.float64 or type(weight) is float or -EXACT <= weight <= EXACT


HOLE = object()


class Mirror:
    """The contents of a NetworkX graph, or a view of one, in a structure.

    `weight` is the edge attribute of the weights, or None. Edges without it have 1. `make` is the structure's
    `from_edges`. `graph` has no weights while all are the integer 1, int64 while all are integers, else float64.
    `names` are the nodes in NetworkX's order. `order` has their vertices, or is None for 0, 1, 2, ... `batches` counts
    updates.
    """

    def __init__(self, source: nx.Graph, weight: Any, make: Callable[..., fr.DynamicGraph]):
        self.weight, self.make, self.directed, self.batches = weight, make, source.is_directed(), 0
        self.nodes = list(source)
        self.ids = {node: v for v, node in enumerate(self.nodes)}
        self.order: np.ndarray | None = None
        self.names = self.nodes
        self.loops: dict[int, int | float | None] = {}
        self.unsuitable: set[tuple[int, int]] = set()
        self._read(source)

    # ---- reading everything -----------------------------------------------------------------------------------------

    def _read(self, source: nx.Graph) -> None:
        adjacency = dict(source.adjacency())
        rows = [list(adjacency[node]) for node in self.nodes]
        counts = np.fromiter(map(len, rows), np.int64, len(rows))
        src = np.repeat(np.arange(counts.size), counts)
        dst = np.fromiter(map(self.ids.__getitem__, chain.from_iterable(rows)), np.int64, src.size)
        keep = src != dst if self.directed else src < dst
        values = None
        if self.weight is not None:
            edges = (data for node in self.nodes for data in adjacency[node].values())
            values = [*map(self._lowest, edges)] if source.is_multigraph() else [e.get(self.weight, 1) for e in edges]
        for place in np.flatnonzero(src == dst).tolist():
            self.loops[int(src[place])] = 1 if values is None else plain(values[place])
        src, dst = src[keep], dst[keep]
        kept = None if values is None else [values[place] for place in np.flatnonzero(keep).tolist()]
        self._make(src, dst, None if kept is None else self._weights(src, dst, kept))

    def _lowest(self, parallel: Any) -> int | float | None:
        """The lowest weight of parallel edges, given with their keys, or None if some weight is not supported."""
        weights = []
        for data in parallel.values():
            weight = plain(data.get(self.weight, 1))
            if weight is None:
                return None
            weights.append(weight)
        return min(weights)

    def _weights(self, src: np.ndarray, dst: np.ndarray, values: list[Any]) -> np.ndarray | None:
        """The weights of edges, of the narrowest type. Edges with unsuitable weights are noted."""
        held = [plain(value) for value in values]
        dtype = type_of([weight for weight in held if weight is not None])
        for place, weight in enumerate(held):
            if weight is None or not fits(weight, dtype):
                self.unsuitable.add(self._pair(int(src[place]), int(dst[place])))
                held[place] = 1
        return None if dtype is None else np.array(held, dtype)

    def _make(self, src: Any, dst: Any, weights: Any) -> None:
        self.graph = self.make(
            src, dst, weights, num_vertices=len(self.nodes), directed=self.directed, in_edges=self.directed
        )

    def _pair(self, i: int, j: int) -> tuple[int, int]:
        return (i, j) if self.directed or i < j else (j, i)

    # ---- reading changes --------------------------------------------------------------------------------------------

    def update(self, source: nx.Graph, nodes: Iterable[Any], edges: set[tuple[Any, Any]], removed: bool) -> None:
        """Apply the changes of these nodes and edges, as the dicts are now. An exception leaves the mirror unusable.

        The structure gets at most one batch of insertions and one of deletions.
        """
        ids = self.ids
        new = [node for node in nodes if node in source and node not in ids]
        gone = [node for node in nodes if node not in source and node in ids]
        if new:
            self._add(new)
        self._update_edges(source, edges)
        if gone:
            self._remove(gone)
        if new or removed:
            self._reorder(source, removed or self.order is not None)

    def _add(self, new: list[Any]) -> None:
        before = len(self.nodes)
        ids = self.graph.device.to_host(self.graph.insert_vertices(len(new))).tolist()
        self.nodes.extend([HOLE] * (self.graph.num_vertices - before))
        for node, v in zip(new, ids, strict=True):
            self.ids[node], self.nodes[v] = v, node
        if ids[0] < before and self.order is None:
            self.order = np.arange(before)  # new nodes reuse vertices of deleted ones: `_reorder` looks them up

    def _remove(self, gone: list[Any]) -> None:
        ids = [self.ids.pop(node) for node in gone]
        self.graph.delete_vertices(np.array(ids, np.int64))
        for v in ids:
            self.nodes[v] = HOLE
            self.loops.pop(v, None)

    def _reorder(self, source: nx.Graph, mixed: bool) -> None:
        if not mixed:
            self.names = self.nodes
            return
        self.names = list(source)
        order = np.fromiter(map(self.ids.__getitem__, self.names), np.int64, len(self.names))
        in_place = order.size == len(self.nodes) and bool((order == np.arange(order.size)).all())
        self.order = None if in_place else order
        if in_place:
            self.names = self.nodes

    def _update_edges(self, source: nx.Graph, edges: set[tuple[Any, Any]]) -> None:
        ids = self.ids
        there: list[tuple[int, int]] = []
        values: list[int | float] = []
        gone: list[tuple[int, int]] = []
        for u, v in edges:
            i, j = ids.get(u), ids.get(v)
            if i is None or j is None:  # of a node that came and went
                continue
            if not self.directed and i > j and (v, u) in edges:
                continue
            data = source.get_edge_data(u, v)
            if data is None:
                if i == j:
                    self.loops.pop(i, None)
                else:
                    self.unsuitable.discard(self._pair(i, j))
                    gone.append((i, j))
                continue
            weight = 1 if self.weight is None else plain(data.get(self.weight, 1))
            if i == j:
                self.loops[i] = weight
                continue
            pair = self._pair(i, j)
            self.unsuitable.discard(pair)
            if weight is None:
                self.unsuitable.add(pair)
                weight = 1
            there.append((i, j))
            values.append(weight)
        if gone:
            src, dst = np.array(gone, np.int64).T
            self.graph.delete_edges(src, dst)
            self.batches += 1
        if there:
            self._insert(there, values)

    def _insert(self, pairs: list[tuple[int, int]], values: list[int | float]) -> None:
        dtype, before = type_of(values), self.graph.weight_dtype
        if dtype is not None and (before is None or (before == np.int64 and dtype == np.float64)):
            self._widen(dtype)
        dtype = self.graph.weight_dtype
        for place, weight in enumerate(values):
            if not fits(weight, dtype):
                self.unsuitable.add(self._pair(*pairs[place]))
                values[place] = 1
        src, dst = np.array(pairs, np.int64).T
        self.graph.insert_edges(src, dst, None if dtype is None else np.array(values, dtype))
        self.batches += 1

    def _widen(self, dtype: np.dtype) -> None:
        """Give the structure weights of another type, from its own arrays. It happens at most twice."""
        before = self.graph
        src, dst, weights = before.to_coo()
        if weights is None:
            weights = before.xp.ones(src.size, dtype)
        elif dtype == np.float64:
            wide = before.device.to_host(abs(weights) > 2**53)
            for i, j in zip(*(before.device.to_host(ends)[wide].tolist() for ends in (src, dst)), strict=True):
                self.unsuitable.add(self._pair(i, j))
        absent = before.absent_mask
        self._make(src, dst, weights.astype(dtype))
        if absent is not None:
            self.graph.delete_vertices(before.xp.flatnonzero(absent))

    # ---- for functions ----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.names)

    def find(self, node: Any) -> int | None:
        """The vertex of a node, or None if the graph lacks it."""
        try:
            return self.ids.get(node)
        except TypeError:  # not hashable
            return None

    def vertex(self, node: Any, missing: Exception) -> int:
        """The vertex of a node. Raises `missing` if the graph lacks it."""
        v = self.find(node)
        if v is None:
            raise missing
        return v

    def values(self, array: Any) -> np.ndarray:
        """Convert an array by vertex to one by node, on the host."""
        host = self.graph.device.to_host(array)
        return host if self.order is None else host[self.order]

    def by_node(self, array: Any) -> dict[Any, Any]:
        """Convert an array by vertex to a dict by node, of Python numbers."""
        return dict(zip(self.names, self.values(array).tolist(), strict=True))

    def places(self) -> np.ndarray:
        """The position of each vertex in the order of nodes."""
        if self.order is None:
            return np.arange(len(self.nodes))
        found = np.full(len(self.nodes), len(self.names))
        found[self.order] = np.arange(self.order.size)
        return found

    def arcs(self) -> tuple[np.ndarray, np.ndarray]:
        """All arcs on the host, with both directions of undirected edges."""
        src, dst, _ = self.graph.to_coo()
        src, dst = (self.graph.device.to_host(ends).astype(np.int64) for ends in (src, dst))
        return (src, dst) if self.directed else (np.concatenate([src, dst]), np.concatenate([dst, src]))

    def is_distinct(self) -> bool:
        """Whether any edge, self-loops included, has a weight other than the integer 1."""
        return self.graph.is_weighted or any(weight is None or weight != 1 for weight in self.loops.values())
