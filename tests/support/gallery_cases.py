"""Graphs of the shapes that matter to algorithms of the gallery, and the check of a result."""

from __future__ import annotations

import networkx as nx
import numpy as np
from graphs import GRAPHS
from verifiers import VERIFIERS, host

import frontier as fr
from algorithms import analytics

CSR = fr.structures()["csr"]
SHAPES = {
    **{name: GRAPHS[name] for name in ("empty", "one-vertex", "one-edge", "path", "clique", "rmat")},
    "none": (np.zeros(0, np.int64), np.zeros(0, np.int64), 0),
    "star": (np.zeros(300, np.int64), np.arange(1, 301), 301),
    "disconnected": ([0, 1, 2, 5, 6, 7, 7], [1, 2, 0, 6, 7, 5, 8], 11),  # triangles, a tail, isolated vertices
}


def check(name, graph, **settings):
    known = analytics()[name]
    settings = known.settings(graph, **settings)
    found = known.compute(graph, **settings)
    VERIFIERS[name](graph, found, **settings)
    return found


def build(shape, device="cpu", **options):
    src, dst, n = SHAPES[shape]
    return CSR.from_edges(src, dst, num_vertices=n, device=device, **options)


def networkx_graph(graph):
    src, dst, _ = (None if part is None else host(part).tolist() for part in graph.to_coo())
    found = (nx.DiGraph if graph.directed else nx.Graph)()
    found.add_nodes_from(range(graph.num_vertices))
    found.add_edges_from(zip(src, dst, strict=True))
    return found
