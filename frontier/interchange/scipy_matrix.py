"""Adjacency matrices: SciPy's on the CPU, CuPy's on the GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.core.arguments import check_graph
from frontier.core.base import BaseGraph
from frontier.core.graph import MAX_INT32_VERTICES
from frontier.core.locking import reads
from frontier.core.sort import row_ids
from frontier.core.structures import G, structure_class
from frontier.operators.extract import sorted_arcs
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_ids, as_weights

from .common import CUPY, as_floats, plain_columns, require
from .foreign import DEFAULT_STRUCTURE, ForeignEdges, build


@reads
def to_scipy(graph: BaseGraph, *, data: str | None = None) -> Any:
    """Return the adjacency matrix: entry (u, v) is the weight of the arc u -> v.

    Parameters
    ----------
    graph : Graph
    data : str, optional
        A column of edge data for the entries, instead of the weights.

    Returns
    -------
    scipy.sparse.csr_array, or cupyx.scipy.sparse.csr_matrix of a graph on the GPU, of shape (num_vertices,
    num_vertices)
        Symmetric for undirected graphs, with sorted indices, in new arrays. Weights retain their dtype, but integers in
        CuPy's matrices become float64, and entries of unweighted graphs are 1 (float32). Deleted ids are empty rows.

    Raises
    ------
    ValueError
        The graph has no such column. A graph on the GPU has more arcs than CuPy's 32-bit indices can address, or
        integer weights beyond 2**53.

    See Also
    --------
    from_scipy : The other direction.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
    >>> fr.interchange.to_scipy(graph).toarray()
    array([[0., 1., 1., 0.],
           [1., 0., 0., 1.],
           [1., 0., 0., 0.],
           [0., 1., 0., 0.]], dtype=float32)
    """
    check_graph(graph)
    offsets, indices, stored = sorted_arcs(graph)
    weights = graph.payload.weights_of(stored) if data is None else _column(graph, data)[stored]
    if weights is None:
        weights = graph.xp.ones(indices.size, np.float32)
    shape = (graph.num_vertices, graph.num_vertices)
    if not graph.device.is_gpu:
        return require("scipy.sparse", "scipy", "to_scipy").csr_array((weights, indices, offsets), shape=shape)
    sparse = require("cupyx.scipy.sparse", CUPY, "to_scipy")
    if max(graph.num_arcs, graph.num_vertices) > MAX_INT32_VERTICES:
        raise ValueError(f"graph has {graph.num_arcs} arcs, more than CuPy's sparse matrices can address")
    return sparse.csr_matrix((as_floats(weights), indices.astype(np.int32), offsets.astype(np.int32)), shape=shape)


def from_scipy(
    matrix: Any,
    *,
    weighted: bool = True,
    data: str | None = None,
    directed: bool = False,
    structure: str | type[G] = DEFAULT_STRUCTURE,
    device: str | Device = "auto",
    **structure_options: Any,
) -> G:
    """Make a graph of an adjacency matrix, with an edge for each stored entry, zeros included.

    Parameters
    ----------
    matrix : sparse array or matrix of scipy.sparse or cupyx.scipy.sparse, in any format; shape (n, n)
        Duplicate entries are added up, as in SciPy. The diagonal is dropped.
    weighted : bool
        False ignores the values. Matrices of bool never give weights.
    data : str, optional
        The column of edge data for the values, instead of weights.
    directed : bool
        If False, the matrix may contain either triangle or both. If (u, v) and (v, u) have entries, the one in the
        later row counts.
    structure : str or class
        Name in the registry, or class.
    device, **structure_options
        Options of `Graph.from_edges`, such as ``weight_dtype`` and ``in_edges``, and of the structure.

    Returns
    -------
    Graph
        With n vertices.

    Raises
    ------
    TypeError
        `matrix` is not sparse, or its values are no weights (complex).
    ValueError
        It is not square.

    See Also
    --------
    to_scipy : The other direction.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> import frontier as fr
    >>> graph = fr.interchange.from_scipy(sp.eye_array(3, k=1), directed=True, device="cpu")
    >>> graph.to_coo()[:2]
    (array([0, 1], dtype=int32), array([1, 2], dtype=int32))
    """
    kind = structure_class(structure)
    if not hasattr(matrix, "tocsr"):
        raise TypeError(f"matrix must be a sparse matrix of SciPy or CuPy, not {type(matrix).__name__}")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix must be square, not of shape {matrix.shape}")
    rows = matrix.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    place = resolve_device(device)
    has_weights = data is None and weighted and rows.data.dtype.kind != "b"
    dst = as_ids(place, rows.indices, "matrix.indices")
    edges = ForeignEdges(
        src=row_ids(place, as_ids(place, rows.indptr, "matrix.indptr"), dst.dtype),
        dst=dst,
        weights=as_weights(place, rows.data, "matrix.data") if has_weights else None,
        data=None if data is None else {data: rows.data},
        num_vertices=int(matrix.shape[0]),
        directed=directed,
        both_directions=True,
    )
    return build(kind, edges, place, structure_options)


def _column(graph: BaseGraph, name: str) -> Any:
    """Return a column of edge data by id."""
    columns = plain_columns(graph)
    if name not in columns:
        known = ", ".join(map(repr, columns)) or "there are none"
        raise ValueError(f"data={name!r} is no column of the graph's edge data ({known})")
    return columns[name]
