"""PyTorch Geometric's ``Data``: a graph with the data of its edges, for a model to be trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from frontier.core.arguments import check_graph
from frontier.core.base import BaseGraph
from frontier.core.locking import reads
from frontier.core.structures import G, structure_class
from frontier.io.columns import check_data
from frontier.runtime import Device, resolve_device

from .common import arc_columns, require
from .edge_index import as_tensor, edges_of_index, stacked
from .foreign import DEFAULT_STRUCTURE, build, named_columns

PACKAGE = "torch-geometric"
PREFIX = "edge_"
TAKEN = ("index", "attr")
"""Excluded names of columns: ``edge_index`` and ``edge_attr`` have another meaning in PyTorch Geometric."""


@reads
def to_pyg(graph: BaseGraph, *, edge_attr: Sequence[str] = ()) -> Any:
    """Convert a graph to ``torch_geometric.data.Data``.

    Parameters
    ----------
    graph : Graph
    edge_attr : sequence of str
        Columns of edge data (also ``"weight"`` and ``"time"``) to combine into ``edge_attr``, as float32.

    Returns
    -------
    torch_geometric.data.Data
        On the graph's device, without a copy through the host:

        * ``edge_index``: the arcs, sorted, of undirected edges both directions. And ``num_nodes``.
        * ``edge_weight`` of a weighted graph, ``edge_time`` of one with times (int64, in the graph's unit), and each
          other column of edge data as ``edge_<name>``, of its type.
        * ``edge_attr`` of shape (num_arcs, len(edge_attr)), if columns are named, instead of their tensors.
        * ``e_id``, of a graph with edge data: ``graph.edge_data[name][e_id]`` are its values now, ``= ...`` sets them.

        With ``multi_edges="all"``, each record is an edge, and ``e_id`` its id: ``graph.record_data[name][e_id]``.
        Deleted ids are nodes without edges.

    Raises
    ------
    ImportError
        PyTorch Geometric is not installed.
    ValueError
        The graph has no such column, or one is called ``"index"`` or ``"attr"``, which PyTorch Geometric reserves.

    See Also
    --------
    from_pyg : The other direction.

    Notes
    -----
    O(num_vertices + num_arcs) work, and a sort of unsorted rows.
    """
    check_graph(graph)
    library = require("torch_geometric", PACKAGE, "to_pyg")
    columns, ids = arc_columns(graph)
    return library.data.Data(num_nodes=graph.num_vertices, **edge_tensors(graph, columns, ids, edge_attr))


def edge_tensors(
    graph: BaseGraph, columns: Mapping[str, Any], ids: Any, edge_attr: Sequence[str] = ()
) -> dict[str, Any]:
    """Return PyTorch Geometric's tensors of edges: `edge_index`, other columns by PyG's names, ``e_id`` for ids."""
    torch = require("torch", "torch", "PyTorch Geometric")
    xp, size = graph.xp, int(columns["src"].size)
    values = {name: column for name, column in columns.items() if name not in ("src", "dst")}
    for name in check_data(edge_attr, "edge_attr"):
        if name not in values:
            known = ", ".join(map(repr, values)) or "there are none"
            raise ValueError(f"edge_attr names {name!r}, which is no column of the graph's edge data ({known})")
    found = {"edge_index": stacked(xp, columns["src"], columns["dst"])}
    if len(edge_attr):
        matrix = xp.empty((size, len(edge_attr)), np.float32)
        for i, name in enumerate(edge_attr):
            matrix[:, i] = values.pop(name)
        found["edge_attr"] = matrix
    for name, column in values.items():
        if name in TAKEN:
            raise ValueError(f"the column {name!r} would be called edge_{name}, which means something else there")
        found[PREFIX + name] = column
    if ids is not None:
        found["e_id"] = ids.astype(np.int64)
    return {name: as_tensor(torch, array) for name, array in found.items()}


def from_pyg(
    data: Any,
    *,
    weight: str | None = "edge_weight",
    edge_data: Mapping[str, str] | Sequence[str] = (),
    edge_attr: Sequence[str] = (),
    time: str | None = None,
    directed: bool | None = None,
    structure: str | type[G] = DEFAULT_STRUCTURE,
    device: str | Device = "auto",
    **structure_options: Any,
) -> G:
    """Make a graph of a ``torch_geometric.data.Data``, with vertex v for node v.

    Parameters
    ----------
    data : torch_geometric.data.Data
        With an ``edge_index``. Node features are ignored.
    weight : str or None
        The attribute of weights. The graph has none without this attribute, or with None.
    edge_data : sequence of str, or mapping of str to str
        Attributes of edges for edge data, under their names without ``edge_``, or, for a mapping, under its keys.
    edge_attr : sequence of str
        Names for the columns of ``data.edge_attr``, which become edge data.
    time : str, optional
        The attribute of times, integers in ``time_unit``, for a graph with times.
    directed : bool, optional
        By default False if all edges are listed in both directions, with the same data (``is_undirected``). An
        undirected edge may be listed in either direction, or in both.
    structure : str or class
        Name in the registry, or class.
    device : {"auto", "cpu", "gpu"}
        Tensors on this device are not copied through the host.
    **structure_options
        Further options of `Graph.from_edges`, such as ``weight_dtype`` and ``in_edges``, and of the structure.

    Raises
    ------
    ImportError
        PyTorch Geometric is not installed.
    TypeError
        `data` has no ``edge_index``, or an attribute is not numeric.
    ValueError
        `data` has no such attribute, or one of another length.

    See Also
    --------
    to_pyg : The other direction.
    """
    kind = structure_class(structure)
    if getattr(data, "edge_index", None) is None:
        raise TypeError(f"data must be a torch_geometric.data.Data with an edge_index, not {type(data).__name__}")
    weights = None if weight is None else attribute(data, weight)
    columns = stored_columns(data, edge_data, edge_attr, time)
    if directed is None:
        held = [weights, columns["time"], *(columns["data"] or {}).values()]
        held = [values for values in held if values is not None]
        utils = require("torch_geometric", PACKAGE, "from_pyg").utils
        directed = not utils.is_undirected(data.edge_index, held or None, num_nodes=data.num_nodes)
    place = resolve_device(device)
    edges = edges_of_index(place, data.edge_index, weights, num_vertices=data.num_nodes, directed=directed, **columns)
    return build(kind, edges, place, structure_options)


def attribute(data: Any, name: str) -> Any:
    """Return an attribute of ``Data`` or of a store of ``HeteroData``, or None without one."""
    return data[name] if name in data else None  # noqa: SIM401  # stores have no `get` in all versions


def stored_columns(
    data: Any, edge_data: Mapping[str, str] | Sequence[str], edge_attr: Sequence[str], time: str | None
) -> dict[str, Any]:  # fmt: skip
    """Return the fields `data` and `time` of `ForeignEdges` from the attributes that are edge data or times."""
    edge_data = attributes_by_name(edge_data)
    if len(edge_attr):
        columns = _columns_of(attribute(data, "edge_attr"), check_data(edge_attr, "edge_attr"))
        twice = sorted(columns.keys() & edge_data.keys())
        if twice:
            raise ValueError(f"edge_attr and edge_data both name {twice[0]!r}")
    else:
        columns = {}
    return named_columns(partial(_named, data, columns, edge_data), [*edge_data, *columns], time)


def attributes_by_name(edge_data: Mapping[str, str] | Sequence[str]) -> Mapping[str, str]:
    """Return the attributes that `edge_data` lists, by the names of their columns."""
    if isinstance(edge_data, Mapping):
        return edge_data
    return {name.removeprefix(PREFIX): name for name in check_data(edge_data, "edge_data")}


def _columns_of(matrix: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the columns of ``edge_attr`` by names."""
    if matrix is None:
        raise ValueError("edge_attr has names for the columns of data.edge_attr, which there is not")
    width = 1 if matrix.ndim == 1 else matrix.shape[1]
    if width != len(names):
        raise ValueError(f"edge_attr has {len(names)} names, but data.edge_attr {width} columns")
    return {name: matrix if matrix.ndim == 1 else matrix[:, i] for i, name in enumerate(names)}


def _named(data: Any, columns: Mapping[str, Any], edge_data: Mapping[str, str], name: str, argument: str) -> Any:
    """Return the tensor of a column of edge data, or of times."""
    if argument == "data" and name in columns:
        return columns[name]
    key = edge_data[name] if argument == "data" else name
    found = attribute(data, key)
    if found is None:
        raise ValueError(f"data has no {key!r}, which {'edge_data' if argument == 'data' else argument} names")
    return found
