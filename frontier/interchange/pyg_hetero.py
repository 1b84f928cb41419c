"""PyTorch Geometric's ``HeteroData``: vertices and edges of several types.

Here a type of edges is a separate graph, or a value in a column of edge data, and vertices of all types share the ids.
PyTorch Geometric numbers the vertices of each type from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from frontier.core.arguments import check_graph
from frontier.core.base import BaseGraph
from frontier.core.locking import reads
from frontier.core.structures import G, structure_class
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_ids
from frontier.runtime.values import kind_of

from .common import arc_columns, plain_columns, require
from .edge_index import as_tensor, edges_of_index
from .foreign import DEFAULT_STRUCTURE, build
from .pyg import PACKAGE, attribute, attributes_by_name, edge_tensors, stored_columns

EdgeType = tuple[str, str, str]
REVERSE = "rev_"  # the prefix of PyTorch Geometric's ``ToUndirected`` for the other direction of a relation
UNNAMED = "to"  # PyTorch Geometric's name of an unnamed relation


def to_pyg_hetero(
    graphs: BaseGraph | Mapping[Any, BaseGraph], node_types: Mapping[str, Any], *, edge_type: str | None = None,
    edge_type_names: Mapping[int, str] | None = None,
) -> Any:  # fmt: skip
    """Convert graphs on the same ids, one for each type of edges, or a single graph to ``HeteroData``.

    Parameters
    ----------
    graphs : mapping of str, or of (str, str, str), to Graph; or Graph
        The graph of each relation, such as ``"buys"`` or ``("user", "buys", "item")``, all on one device. A name
        without types is split by the types of the ends of edges. A single graph is the relation ``"to"``.
    node_types : mapping of str to array-like of int
        The ids of the vertices of each type, in the order of nodes.
    edge_type : str, optional
        For a single graph, the column of integers of edge data with the type of each edge.
    edge_type_names : mapping of int to str, optional
        Names for the values in this column, by default the values.

    Returns
    -------
    torch_geometric.data.HeteroData
        For each type of nodes ``num_nodes`` and ``n_id``, the ids of its vertices. For each type of edges the tensors
        of `to_pyg`. In an undirected graph, the relation is the direction of the triple, or the direction from the type
        that `node_types` lists first. The opposite one between vertices of different types is ``rev_<name>``.

    Raises
    ------
    ImportError
        PyTorch Geometric is not installed.
    TypeError, ValueError
        An id has two types, a vertex with edges has none, or the ends of an edge have other types than its triple. The
        message names the argument.

    See Also
    --------
    from_pyg_hetero : The other direction.
    """
    given = _relations(graphs, node_types, edge_type, edge_type_names)
    library = require("torch_geometric", PACKAGE, "to_pyg_hetero")
    torch = require("torch", "torch", "to_pyg_hetero")
    first = next(iter(given.values()))
    for relation, graph in given.items():
        if graph.device != first.device:
            raise ValueError(f"graphs must be on one device, but {relation!r} is on another")
    vertices = _Vertices(first.device, max(graph.num_vertices for graph in given.values()), node_types)
    result = library.data.HeteroData()
    for name, ids in vertices.ids.items():
        result[name].num_nodes = int(ids.size)
        result[name].n_id = as_tensor(torch, ids)
    for relation, graph in given.items():
        for triple, store in _stores(graph, relation, vertices, edge_type, edge_type_names).items():
            if triple in result.edge_types:
                raise ValueError(f"two of the graphs have edges of the type {triple}")
            for name, tensor in store.items():
                result[triple][name] = tensor
    return result


class _Vertices:
    """The type of each vertex, and its number within the type."""

    def __init__(self, device: Device, size: int, node_types: Mapping[str, Any]):
        if not isinstance(node_types, Mapping) or not all(isinstance(name, str) for name in node_types):
            raise TypeError(f"node_types must be a dict of names to ids, not {kind_of(node_types)}")
        xp = device.xp
        self.names = tuple(node_types)
        self.ids = {name: as_ids(device, _listed(ids), f"node_types[{name!r}]") for name, ids in node_types.items()}
        self.ids = {name: ids.astype(np.int64) for name, ids in self.ids.items()}
        self.type = xp.full(size, -1, np.int64)
        self.number = xp.empty(size, np.int64)
        for place, (name, ids) in enumerate(self.ids.items()):
            if ids.size and not 0 <= int(ids.min()) <= int(ids.max()) < size:
                raise ValueError(f"node_types[{name!r}] contains an id that is none of the graphs' {size}")
            before = xp.flatnonzero(self.type[ids] >= 0)
            if before.size:
                raise ValueError(f"node_types has two types for the vertex {int(ids[before[0]])}")
            self.type[ids] = place
            self.number[ids] = xp.arange(ids.size)
            if bool((self.number[ids] != xp.arange(ids.size)).any()):
                raise ValueError(f"node_types[{name!r}] contains an id twice")

    def look_up(self, ids: Any) -> tuple[Any, Any]:
        """Return the number and the type of each vertex with edges."""
        types = self.type[ids]
        if types.size and int(types.min()) < 0:
            raise ValueError(f"the vertex {int(ids[types.argmin()])} has edges, but is of none of the node_types")
        return self.number[ids], types


def _listed(ids: Any) -> Any:
    return np.arange(ids.start, ids.stop, ids.step) if isinstance(ids, range) else ids


def _relations(graphs: Any, node_types: Any, edge_type: str | None, names: Any) -> dict[str | EdgeType, BaseGraph]:
    """Check the argument `graphs`, and return it as a dict of at least one graph."""
    if not isinstance(graphs, Mapping):
        check_graph(graphs, "graphs")
        columns = plain_columns(graphs)
        if edge_type is not None and (edge_type not in columns or columns[edge_type].dtype.kind not in "iub"):
            raise ValueError(f"edge_type={edge_type!r} is no column of integers of the graph's edge data")
        return {UNNAMED: graphs}
    if not graphs:
        raise ValueError("graphs must contain at least one graph")
    if edge_type is not None or names is not None:
        raise TypeError("edge_type and edge_type_names are for a single graph, not for one of each type")
    for relation, graph in graphs.items():
        if not isinstance(relation, str) and not (
            isinstance(relation, tuple) and len(relation) == 3 and all(isinstance(part, str) for part in relation)
        ):
            raise TypeError(f"graphs has the key {relation!r}, which is neither a name nor three names")
        if not isinstance(relation, str) and not {relation[0], relation[2]} <= set(node_types):
            raise ValueError(f"graphs has the key {relation!r}, and node_types has no vertices of one of its types")
        check_graph(graph, f"graphs[{relation!r}]")
    return dict(graphs)


@reads
def _stores(
    graph: BaseGraph,
    relation: str | EdgeType,
    vertices: _Vertices,
    edge_type: str | None,
    names: Mapping[int, str] | None,
) -> dict[EdgeType, dict[str, Any]]:
    """Return the edges of a graph by type, as PyTorch Geometric stores them."""
    xp, count = graph.xp, len(vertices.names)
    columns, ids = arc_columns(graph)
    source, source_type = vertices.look_up(columns["src"])
    target, target_type = vertices.look_up(columns["dst"])
    columns |= {"src": source, "dst": target}
    codes = source_type * count + target_type
    if edge_type is not None:
        values, places = xp.unique(columns.pop(edge_type), return_inverse=True)
        codes = codes + places * count**2

    def held(rows: Any) -> dict[str, Any]:
        return edge_tensors(
            graph, {name: column[rows] for name, column in columns.items()}, None if ids is None else ids[rows]
        )

    found = {}
    for code in graph.device.to_host(xp.unique(codes)).tolist():
        place, pair = divmod(code, count**2)
        if edge_type is not None:
            value = int(values[place])
            relation = str(value) if names is None else names.get(value, str(value))
        triple = _triple(graph, relation, vertices.names, *divmod(pair, count))
        found[triple] = held(xp.flatnonzero(codes == code))
    if not isinstance(relation, str) and relation not in found:
        found[relation] = held(xp.empty(0, np.int64))
    return found


def _triple(graph: BaseGraph, relation: str | EdgeType, names: Sequence[str], source: int, target: int) -> EdgeType:
    """Return the type of a relation's arcs from vertices of one type to vertices of another."""
    ends = names[source], names[target]
    if isinstance(relation, str):
        forward = graph.directed or source <= target
        return ends[0], relation if forward else REVERSE + relation, ends[1]
    if ends == (relation[0], relation[2]):
        return relation
    if not graph.directed and ends == (relation[2], relation[0]):
        return ends[0], REVERSE + relation[1], ends[1]
    raise ValueError(f"graphs[{relation!r}] has an edge from a vertex of type {ends[0]!r} to one of type {ends[1]!r}")


def from_pyg_hetero(
    data: Any,
    *,
    weight: str | None = "edge_weight",
    edge_data: Mapping[str, str] | Sequence[str] = (),
    time: str | None = None,
    directed: bool = True,
    structure: str | type[G] = DEFAULT_STRUCTURE,
    device: str | Device = "auto",
    **structure_options: Any,
) -> tuple[dict[EdgeType, G], dict[str, range]]:
    """Make a graph of each type of edges of a ``torch_geometric.data.HeteroData``, all on the same ids.

    Parameters
    ----------
    data : torch_geometric.data.HeteroData
    weight, edge_data, time
        As in `from_pyg`, for the types of edges with these attributes.
    directed : bool
        If False, drop each relation ``rev_<name>`` whose forward relation exists.
    structure : str or class
        Name in the registry, or class.
    device, **structure_options
        Options of `Graph.from_edges`, such as ``weight_dtype`` and ``in_edges``, and of the structure.

    Returns
    -------
    graphs : dict of (str, str, str) to Graph
    node_types : dict of str to range
        The ids of each type of vertices, as for `to_pyg_hetero`.

    Raises
    ------
    TypeError
        `data` is no ``HeteroData``.
    ValueError
        No type of edges has an attribute of some name.

    See Also
    --------
    to_pyg_hetero : The other direction.
    """
    kind, place = structure_class(structure), resolve_device(device)
    if not (hasattr(data, "edge_types") and hasattr(data, "node_types")):
        raise TypeError(f"data must be a torch_geometric.data.HeteroData, not {type(data).__name__}")
    torch = require("torch", "torch", "from_pyg_hetero")
    sizes = [int(data[name].num_nodes) for name in data.node_types]
    ends = list(accumulate(sizes, initial=0))
    ranges = {name: range(begin, begin + size) for name, begin, size in zip(data.node_types, ends, sizes, strict=False)}
    edge_data = attributes_by_name(edge_data)
    for key in (*edge_data.values(), *([] if time is None else [time])):
        if not any(key in data[triple] for triple in data.edge_types):
            raise ValueError(f"no type of edges has the attribute {key!r}")
    graphs: dict[EdgeType, G] = {}
    for triple in data.edge_types:
        source, name, target = triple
        forward = (target, name.removeprefix(REVERSE), source)
        if not directed and name.startswith(REVERSE) and forward in data.edge_types:
            continue
        store = data[triple]
        there = {name: key for name, key in edge_data.items() if key in store}
        columns = stored_columns(store, there, (), time if time in store else None)
        shifted = torch.stack([store.edge_index[0] + ranges[source].start, store.edge_index[1] + ranges[target].start])
        weights = None if weight is None else attribute(store, weight)
        edges = edges_of_index(place, shifted, weights, num_vertices=ends[-1], directed=directed, **columns)
        graphs[triple] = build(kind, edges, place, structure_options)
    return graphs, ranges
