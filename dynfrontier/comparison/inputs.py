"""Graphs for comparisons on all structures, as sets of edges in files that processes share."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr

MAX_WEIGHT = 255
"""Generated weights are integers from 1 to this. float32 represents them and their sums along paths exactly."""


@dataclass(frozen=True, eq=False)
class GraphInput:
    """A simple graph on the host: each edge once, in ascending order, of an undirected graph as ``src < dst``.

    With `own_weights`, algorithms for which weights are optional use them, too.
    """

    name: str
    num_vertices: int
    src: Any
    dst: Any
    weights: Any = None
    directed: bool = False
    own_weights: bool = False

    @classmethod
    def of(cls, edges: fr.io.EdgeList, name: str, directed: bool | None = None) -> GraphInput:
        """The graph of an edge list, without self-loops. The last of duplicate edges counts. By default it is
        `directed` if the list is."""
        directed = bool(edges.directed) if directed is None else directed
        src, dst = edges.src.astype(np.int64), edges.dst.astype(np.int64)
        if not directed:
            src, dst = np.minimum(src, dst), np.maximum(src, dst)
        kept, first = np.unique((src * edges.num_vertices + dst)[::-1], return_index=True)
        simple = kept // max(edges.num_vertices, 1) != kept % max(edges.num_vertices, 1)
        kept, first = kept[simple], first[simple]
        dtype = edges.src.dtype
        weights = None if edges.weights is None else np.asarray(edges.weights)[::-1][first]
        src, dst = (kept // max(edges.num_vertices, 1)).astype(dtype), (kept % max(edges.num_vertices, 1)).astype(dtype)
        return cls(name, edges.num_vertices, src, dst, weights, directed, weights is not None)

    @property
    def num_edges(self) -> int:
        return int(self.src.size)

    def with_weights(self, seed: int) -> GraphInput:
        """The same graph, with generated weights if it has none."""
        if self.weights is not None:
            return self
        weights = np.random.default_rng(seed).integers(1, MAX_WEIGHT + 1, self.num_edges).astype(np.float32)
        return replace(self, weights=weights)

    def edges(self, weighted: bool) -> fr.io.EdgeList:
        weights = self.weights if weighted else None
        return fr.io.EdgeList(self.src, self.dst, weights, num_vertices=self.num_vertices, directed=self.directed)

    @cached_property
    def hub(self) -> int:
        """The first of the vertices with the most outgoing edges, where searches start."""
        degrees = np.bincount(self.src, minlength=self.num_vertices)
        if not self.directed:
            degrees = degrees + np.bincount(self.dst, minlength=self.num_vertices)
        return int(degrees.argmax()) if self.num_vertices else 0

    def digest(self, weighted: bool) -> int:
        return digest_of(np, self.src, self.dst, self.weights if weighted else None, self.num_vertices, self.directed)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("src", "dst", "weights"):
            if getattr(self, name) is not None:
                np.save(folder / f"{name}.npy", getattr(self, name))
        known = ("name", "num_vertices", "directed", "own_weights")
        (folder / "graph.json").write_text(json.dumps({name: getattr(self, name) for name in known}))

    @classmethod
    def load(cls, folder: Path) -> GraphInput:
        arrays = {name: np.load(folder / f"{name}.npy") for name in ("src", "dst")}
        weights = folder / "weights.npy"
        arrays["weights"] = np.load(weights) if weights.exists() else None
        return cls(**json.loads((folder / "graph.json").read_text()), **arrays)


def both_once(xp: Any, src: Any, dst: Any, num_vertices: int) -> tuple[Any, Any]:
    """The edges of a directed graph as undirected ones, each once, in ascending order."""
    keys = xp.unique(xp.minimum(src, dst).astype(np.int64) * num_vertices + xp.maximum(src, dst))
    return (keys // num_vertices).astype(src.dtype), (keys % num_vertices).astype(src.dtype)


def digest_of(xp: Any, src: Any, dst: Any, weights: Any, num_vertices: int, directed: bool) -> int:
    """A checksum of a set of weighted edges, independent of their order and direction. `xp` is NumPy or CuPy."""
    if not directed:
        src, dst = xp.minimum(src, dst), xp.maximum(src, dst)
    keys = src.astype(np.int64) * num_vertices + dst
    if weights is None:
        columns = [xp.sort(keys)]
    else:
        order = xp.argsort(keys)
        columns = [keys[order], weights[order].astype(np.float64)]
    checksum = zlib.crc32(f"{num_vertices} {directed}".encode())
    for column in columns:
        checksum = zlib.crc32(np.ascontiguousarray(column.get() if hasattr(column, "get") else column).data, checksum)
    return checksum
