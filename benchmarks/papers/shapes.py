"""Graphs of the papers' shapes, of 2**scale vertices, where the papers' have 1 to 50 million.

========== ============================================================== =============================================
name       what it is                                                     stands for
========== ============================================================== =============================================
scale-free RMAT, 16 edges for each vertex                                 soc-LiveJournal1, Pokec, Reddit, Graph500
dense      RMAT, a quarter of the vertices, 64 edges for each             soc-orkut, hollywood-2009, co-papers, kron
uniform    16 uniform random edges for each vertex                        Erdos-Renyi graphs
road       crossings and chains of degree 2, average degree 2.25          road_usa, germany_osm, europe_osm, hugetrace
mesh       a lattice of triangles, degree 6                               delaunay_n20, delaunay_n24
solid      a quarter of the vertices in three dimensions, 18 neighbors    ldoor, channel-500, cage15, rgg, FEM matrices
========== ============================================================== =============================================

All are simple and undirected.
"""

from __future__ import annotations

import numpy as np

import frontier as fr

from ..defaults import EDGE_FACTOR, GRAPH_SEED
from ..graphs import BenchmarkGraph, GraphSource, simplify

DENSE_FACTOR = 64  # edges for each vertex of the graphs with a quarter of the vertices


class Shapes(GraphSource):
    """Makes graphs by the name of their shape, at the first scale of the axes. Each is generated once.

    ``road / 4`` is a road network with a quarter of the vertices (`smaller_name`), whose own name is ``road``.
    """

    def _make(self, name: str) -> BenchmarkGraph:
        name, _, divisor = name.partition(" / ")
        scale = self.axes.scales[0] - int(divisor or 1).bit_length() + 1
        fewer = max(scale - 2, 3)
        rmat_scale = None
        if name == "scale-free":
            rmat_scale, edges, text = scale, fr.io.rmat(scale, EDGE_FACTOR, seed=GRAPH_SEED), f"RMAT {scale}/16"
        elif name == "dense":
            edges, text = fr.io.rmat(fewer, DENSE_FACTOR, seed=GRAPH_SEED), f"RMAT {fewer}/{DENSE_FACTOR}"
            rmat_scale = fewer
        elif name == "uniform":
            edges = fr.io.uniform(2**scale, EDGE_FACTOR * 2**scale, seed=GRAPH_SEED)
            text = f"{EDGE_FACTOR} uniform random edges a vertex"
        elif name == "road":
            edges, text = fr.io.road_like(2**scale, seed=GRAPH_SEED), "road-like network"
        elif name == "mesh":
            edges = triangles(2 ** (scale // 2), 2 ** (scale - scale // 2))
            text = "lattice of triangles"
        elif name == "solid":
            edges = solid(round(2 ** (fewer / 3)))
            text = "lattice in three dimensions, 18 neighbors"
        else:
            raise ValueError(f"there is no shape {name!r}")
        src, dst = simplify(self.device.xp, edges.src, edges.dst, edges.num_vertices)
        return BenchmarkGraph(name, text, edges.num_vertices, src, dst, self.device, rmat_scale)


def smaller_name(shape: str, powers: int) -> str:
    """The name of a graph of a shape with this many fewer powers of two of vertices."""
    return f"{shape} / {2**powers}" if powers else shape


def triangles(rows: int, cols: int) -> fr.io.EdgeList:
    """A grid of squares, each cut in two by a diagonal: inner vertices have 6 neighbors, as in Delaunay meshes."""
    squares = fr.io.grid(rows, cols)
    number = np.arange(rows * cols).reshape(rows, cols)
    src = np.concatenate([squares.src, number[:-1, :-1].ravel()])
    dst = np.concatenate([squares.dst, number[1:, 1:].ravel()])
    return fr.io.EdgeList(src, dst, num_vertices=rows * cols, directed=False)


def solid(side: int) -> fr.io.EdgeList:
    """A cube of side**3 vertices, each joined to the 18 that are at most the diagonal of a face away."""
    number = np.arange(side**3).reshape(side, side, side)
    steps = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if 0 < x * x + y * y + z * z < 3]
    src, dst = [], []
    for step in (step for step in steps if step > (0, 0, 0)):
        here = tuple(slice(max(-d, 0), side - max(d, 0)) for d in step)
        there = tuple(slice(max(d, 0), side - max(-d, 0)) for d in step)
        src.append(number[here].ravel())
        dst.append(number[there].ravel())
    return fr.io.EdgeList(np.concatenate(src), np.concatenate(dst), num_vertices=side**3, directed=False)
