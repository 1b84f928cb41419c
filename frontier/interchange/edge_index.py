"""PyTorch Geometric's ``edge_index``, passed through DLPack. Other modules use `as_tensor` and `stacked`, too."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from frontier.core.arguments import check_graph
from frontier.core.base import BaseGraph
from frontier.core.locking import reads
from frontier.core.structures import G, structure_class
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_ids, as_weights

from .common import arcs
from .foreign import DEFAULT_STRUCTURE, ForeignEdges, build


@reads
def to_edge_index(graph: BaseGraph) -> tuple[Any, Any]:
    """Return arcs for PyTorch Geometric: ``Data(edge_index=..., edge_weight=..., num_nodes=graph.num_vertices)``.

    Parameters
    ----------
    graph : Graph

    Returns
    -------
    edge_index : tensor of int64, shape (2, num_arcs)
        Sources and destinations, sorted, on the graph's device, in both directions of undirected edges.
    edge_weight : tensor of weight_dtype, shape (num_arcs,), or None
        None for unweighted graphs.

    See Also
    --------
    from_edge_index : The other direction.

    Notes
    -----
    Both are PyTorch tensors if PyTorch is installed, otherwise arrays of NumPy or CuPy.
    """
    check_graph(graph)
    src, dst, weights = arcs(graph)
    edge_index = stacked(graph.xp, src, dst)
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return edge_index, weights
    return as_tensor(torch, edge_index), None if weights is None else as_tensor(torch, weights)


def from_edge_index(
    edge_index: Any,
    edge_weight: Any = None,
    *,
    num_vertices: int | None = None,
    directed: bool = False,
    structure: str | type[G] = DEFAULT_STRUCTURE,
    device: str | Device = "auto",
    **structure_options: Any,
) -> G:
    """Make a graph of PyTorch Geometric's ``edge_index``.

    Parameters
    ----------
    edge_index : tensor or array of int, shape (2, m)
        PyTorch, NumPy, CuPy, or nested lists.
    edge_weight : tensor or array of numbers, shape (m,), optional
    num_vertices : int, optional
        ``data.num_nodes``, by default the largest id plus one.
    directed : bool
        If False, an edge may be listed in either direction, or in both.
    structure : str or class
        Name in the registry, or class.
    device, **structure_options
        Options of `Graph.from_edges`, such as ``weight_dtype`` and ``in_edges``, and of the structure.

    Raises
    ------
    TypeError, ValueError
        The message names the argument and its fault.

    See Also
    --------
    to_edge_index : The other direction.
    """
    kind, place = structure_class(structure), resolve_device(device)
    edges = edges_of_index(place, edge_index, edge_weight, num_vertices=num_vertices, directed=directed)
    return build(kind, edges, place, structure_options)


def edges_of_index(place: Device, edge_index: Any, edge_weight: Any, **known: Any) -> ForeignEdges:
    """Return the checked edges of an ``edge_index``, on a device. `known` are further fields."""
    if not hasattr(edge_index, "shape"):
        try:
            edge_index = np.asarray(edge_index)
        except ValueError:
            raise ValueError("edge_index must be two lists of one length") from None
    shape = tuple(edge_index.shape)
    if len(shape) != 2 or shape[0] != 2:
        raise ValueError(f"edge_index must have shape (2, m), not {shape}")
    src, dst = (as_ids(place, edge_index[i], "edge_index") for i in (0, 1))
    if edge_weight is not None:
        edge_weight = as_weights(place, edge_weight, "edge_weight")
        if edge_weight.size != shape[1]:
            raise ValueError(f"edge_weight has {edge_weight.size} entries, but edge_index {shape[1]} edges")
    return ForeignEdges(src, dst, edge_weight, both_directions=True, **known)


MANAGED = 13  # DLPack's number of managed memory


def as_tensor(torch: Any, array: Any) -> Any:
    """Return a tensor that shares an array's memory. For managed memory, PyTorch's interface needs a
    synchronization."""
    if array.__dlpack_device__()[0] != MANAGED:
        return torch.from_dlpack(array)
    import cupy

    cupy.cuda.get_current_stream().synchronize()
    return torch.as_tensor(array, device=f"cuda:{array.device.id}")


def stacked(xp: Any, src: Any, dst: Any) -> Any:
    """Return sources and destinations as an array of int64, shape (2, m): PyTorch Geometric's ``edge_index``."""
    ends = xp.empty((2, int(src.size)), np.int64)
    ends[0], ends[1] = src, dst
    return ends
