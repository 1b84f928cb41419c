"""The graphs of the benchmarks: generated from seeds, on the host, and therefore the same everywhere."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import frontier as fr

from .defaults import BASELINE, EDGE_FACTOR, GRAPH_SEED, MAX_WEIGHT, WEIGHT_SEED, Axes

LUXEMBOURG = "luxembourg_osm.noheader.mtx.xz"


@dataclass(frozen=True, eq=False)
class BenchmarkGraph:
    """A simple undirected graph on a device.

    Attributes
    ----------
    name, description : str
    num_vertices : int
    src, dst : arrays of int32, shape (num_edges,)
        Each edge once.
    scale : int or None
        Parameters of an RMAT graph. Only such a graph supports batches of the same distribution.
    """

    name: str
    description: str
    num_vertices: int
    src: Any
    dst: Any
    device: fr.advanced.Device
    scale: int | None = None

    @property
    def num_edges(self) -> int:
        return int(self.src.size)

    def arcs(self) -> tuple[Any, Any]:
        """Both directions of every edge."""
        xp = self.device.xp
        return xp.concatenate([self.src, self.dst]), xp.concatenate([self.dst, self.src])

    @cached_property
    def weights(self) -> Any:
        """Whole numbers from 1 to `MAX_WEIGHT` as float32, one for each edge."""
        rng = np.random.default_rng(WEIGHT_SEED)
        return self.device.xp.asarray(rng.integers(1, MAX_WEIGHT + 1, self.num_edges).astype(np.float32))

    def undirected(self, kind: type[fr.Graph], *, weighted: bool = False) -> Any:
        """The graph in a structure."""
        weights = self.weights if weighted else None
        return kind.from_edges(self.src, self.dst, weights, self.num_vertices, device=self.device)


class GraphSource:
    """Makes the graphs of a run. Each is generated once."""

    def __init__(self, device: fr.advanced.Device, axes: Axes):
        self.device = device
        self.axes = axes
        self._made: dict[str, BenchmarkGraph] = {}

    def names(self) -> list[str]:
        """The graphs there are: RMAT, uniform, and the road-like ones."""
        found = [f"rmat{scale}" for scale in self.axes.scales]
        if self.axes.uniform_scale:
            found.append(f"uniform{self.axes.uniform_scale}")
        found.append(f"grid{self.axes.grid_side}")
        if self.axes.luxembourg and published(LUXEMBOURG) is not None:
            found.append("luxembourg_osm")
        return found

    def has(self, name: str) -> bool:
        """Whether the graph of this name has been generated."""
        return name in self._made

    def get(self, name: str) -> BenchmarkGraph:
        """The graph of this name."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> BenchmarkGraph:
        scale = None
        if name.startswith("rmat"):
            scale = int(name.removeprefix("rmat"))
            edges = fr.io.rmat(scale, EDGE_FACTOR, seed=GRAPH_SEED)
            text = f"RMAT {scale}/{EDGE_FACTOR}, a=.57 b=.19 c=.19, symmetrized, simple, seed {GRAPH_SEED}"
        elif name.startswith("uniform"):
            vertices = 2 ** int(name.removeprefix("uniform"))
            edges = fr.io.uniform(vertices, EDGE_FACTOR * vertices, seed=GRAPH_SEED)
            text = f"{EDGE_FACTOR} uniform random edges a vertex, symmetrized, simple, seed {GRAPH_SEED}"
        elif name.startswith("grid"):
            side = int(name.removeprefix("grid"))
            edges = fr.io.grid(side, side)
            text = f"{side} x {side} grid"
        else:
            path = published(LUXEMBOURG)
            assert path is not None
            edges = fr.io.read_edges(path)
            text = "roads of Luxembourg (DIMACS 10)"
        src, dst = simplify(self.device.xp, edges.src, edges.dst, edges.num_vertices)
        return BenchmarkGraph(name, text, edges.num_vertices, src, dst, self.device, scale)


def timed_arcs(scale: int, span: int, seed: int) -> tuple[Any, Any, Any, int]:
    """Directed R-MAT edges, each once and no loops, with random times below `span`, and the number of vertices."""
    edges = fr.io.rmat(scale=scale, edge_factor=EDGE_FACTOR, seed=seed)
    n = edges.num_vertices
    keys = np.unique(edges.src.astype(np.int64) * n + edges.dst)
    keys = keys[keys % (n + 1) != 0]
    src, dst = (part.astype(np.int32) for part in np.divmod(keys, n))
    return src, dst, np.random.default_rng(seed).integers(0, span, src.size), n


def simplify(xp: Any, src: Any, dst: Any, num_vertices: int) -> tuple[Any, Any]:
    """Each undirected edge once, without loops, as int32 arrays."""
    src, dst = xp.asarray(src), xp.asarray(dst)
    keys = xp.minimum(src, dst).astype(np.int64) * num_vertices + xp.maximum(src, dst)
    keys = xp.unique(keys[xp.flatnonzero(src != dst)])
    return (keys // num_vertices).astype(np.int32), (keys % num_vertices).astype(np.int32)


def hub_of(graph: fr.Graph) -> int:
    """The vertex with the most neighbors, the first of them."""
    return int(graph.degrees().argmax())


def baseline() -> type[fr.Graph]:
    """The structure that is rebuilt at every update."""
    return fr.structures()[BASELINE]


def published(name: str) -> Path | None:
    """The path of a file in the folder that `DYNFRONTIER_DATA` names, or None if it is not there."""
    folder = os.environ.get("DYNFRONTIER_DATA")
    path = Path(folder) / name if folder else None
    return path if path is not None and path.exists() else None


def published_events(path: Path) -> tuple[Any, Any, Any, int]:
    """The sources, destinations and times of the events in a file, by time and without loops, and the number of
    vertices."""
    edges = fr.io.read_edges(path, columns=("src", "dst", "time"))
    order = np.argsort(edges.times, kind="stable")
    order = order[edges.src[order] != edges.dst[order]]
    return edges.src[order], edges.dst[order], edges.times[order], edges.num_vertices
