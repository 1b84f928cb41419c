"""Shared parts of the tests of conversions: a small graph, its edges, and the conversions to and from each library."""

from __future__ import annotations

import numpy as np
from verifiers import host

from frontier import interchange
from structures import CSR

SRC, DST, N = [0, 3, 1, 2, 5], [1, 0, 2, 0, 6], 8
WEIGHTS = {"int32": [5, -2, 3, 4, 7], "int64": [2**40, -2, 3, 4, 7], "float32": [0.5, -2, 3, 0, 7],
           "float64": [0.1, -2, 3, 0, 7]}  # fmt: skip


def make(structure, device="cpu", directed=False, weight_dtype=None):
    """A small graph with isolated vertices."""
    weights = None if weight_dtype is None else np.array(WEIGHTS[weight_dtype], weight_dtype)
    return structure.from_edges(SRC, DST, weights, num_vertices=N, directed=directed, device=device)


def holed(device):
    """A graph whose ids 2 and 7 are deleted, and whose id 4 has no edges."""
    graph = make(CSR, device, weight_dtype="float64")
    graph.delete_vertices([2, 7])
    return graph


DATA = {"amount": np.array([0.5, 1, 2, 4, 8], np.float32), "flag": np.array([True, False, True, True, False]),
        "step": np.array([2**60, -1, 0, 3, 9])}  # fmt: skip
TIMES = [50, 10, 2**40, 20, 30]


def with_data(structure, device="cpu", directed=False, times=True):
    """The small graph with weights, edge data and times in seconds."""
    time = {"time": TIMES, "time_unit": "s"} if times else {}
    weights = np.array(WEIGHTS["float64"])
    return structure.from_edges(
        SRC, DST, weights, num_vertices=N, directed=directed, device=device, edge_data=DATA, **time
    )  # fmt: skip


def rows_of(graph):
    """Each edge's values by its ends: weight, times, edge data."""
    src, dst, _ = graph.to_coo()
    ids = host(graph.edge_ids(src, dst))
    columns = {name: host(column)[ids].tolist() for name, column in sorted(graph.edge_data.items())}
    ends = zip(host(src).tolist(), host(dst).tolist(), strict=True)
    return {edge: {name: column[i] for name, column in columns.items()} for i, edge in enumerate(ends)}


def assert_equal(graph, other, *, vertices=True):
    """Same edges, weights and their dtype, direction, and the same vertices."""
    assert graph.directed == other.directed
    assert graph.weight_dtype == other.weight_dtype
    assert graph.num_vertices == other.num_vertices
    for a, b in zip(graph.to_coo(), other.to_coo(), strict=True):
        assert (a is None and b is None) or (host(a) == host(b)).all()
    if vertices:
        ids = np.arange(graph.num_vertices)
        assert (host(graph.has_vertices(ids)) == host(other.has_vertices(ids))).all()


def edges_of(graph):
    src, dst, weights = graph.to_coo()
    values = [None] * src.size if weights is None else host(weights).tolist()
    return dict(zip(zip(host(src).tolist(), host(dst).tolist(), strict=True), values, strict=True))


ROUND_TRIPS = {
    "networkx": lambda kind, graph, device: interchange.from_networkx(
        interchange.to_networkx(graph), structure=kind, device=device, num_vertices=graph.num_vertices,
        weight_dtype=graph.weight_dtype,
    )[0],
    "igraph": lambda kind, graph, device: interchange.from_igraph(
        interchange.to_igraph(graph), structure=kind, device=device, weight_dtype=graph.weight_dtype
    )[0],
    "edge_index": lambda kind, graph, device: interchange.from_edge_index(
        *interchange.to_edge_index(graph), structure=kind, num_vertices=graph.num_vertices, directed=graph.directed,
        device=device,
    ),
    "dataframe": lambda kind, graph, device: interchange.from_dataframe(
        interchange.to_dataframe(graph), structure=kind, weight="weight" if graph.is_weighted else None,
        num_vertices=graph.num_vertices, directed=graph.directed, device=device,
    ),
    "polars": lambda kind, graph, device: interchange.from_dataframe(
        interchange.to_dataframe(graph, "polars"), structure=kind, weight="weight" if graph.is_weighted else None,
        num_vertices=graph.num_vertices, directed=graph.directed, device=device,
    ),
    "pyg": lambda kind, graph, device: interchange.from_pyg(
        interchange.to_pyg(graph), structure=kind, directed=graph.directed, device=device
    ),
    "scipy": lambda kind, graph, device: interchange.from_scipy(
        interchange.to_scipy(graph), structure=kind, weighted=graph.is_weighted, directed=graph.directed, device=device,
        weight_dtype=graph.weight_dtype,
    ),
}  # fmt: skip
NEEDS = {"networkx": "networkx", "igraph": "igraph", "dataframe": "pandas", "polars": "polars",
         "pyg": "torch_geometric"}  # fmt: skip
