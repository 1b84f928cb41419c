"""igraph graphs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from frontier.core.arguments import check_graph
from frontier.core.base import BaseGraph
from frontier.core.locking import reads
from frontier.core.structures import G, structure_class
from frontier.runtime import Device

from .common import host_edges, names_by_id, require
from .foreign import DEFAULT_STRUCTURE, ForeignEdges, build, host_columns


@reads
def to_igraph(graph: BaseGraph, names: Sequence[Any] | None = None, weight: str = "weight") -> Any:
    """Convert a graph to an ``igraph.Graph`` with the same ids.

    Parameters
    ----------
    graph : Graph
    names : sequence, length num_vertices, optional
        Names of the vertices, as `from_igraph` returns them, for ``vs["name"]``.
    weight : str
        The edge attribute for the weights of a weighted graph, as Python numbers.

    Returns
    -------
    igraph.Graph
        Deleted ids are vertices without edges, as igraph numbers without gaps. Edge data are attributes of their names.

    Raises
    ------
    ImportError
        igraph is not installed.
    ValueError
        `names` has the wrong length, or `weight` is the name of a column of edge data.

    See Also
    --------
    from_igraph : The other direction.
    """
    check_graph(graph)
    igraph = require("igraph", "igraph", "to_igraph")
    named = {} if names is None else {"name": list(names_by_id(graph, names))}
    src, dst, attributes = host_edges(graph, weight)
    return igraph.Graph(
        n=graph.num_vertices, edges=zip(src, dst, strict=True), directed=graph.directed, vertex_attrs=named,
        edge_attrs=attributes,
    )  # fmt: skip


def from_igraph(
    ig_graph: Any,
    weight: str | None = "weight",
    *,
    data: Sequence[str] = (),
    time: str | None = None,
    structure: str | type[G] = DEFAULT_STRUCTURE,
    device: str | Device = "auto",
    **structure_options: Any,
) -> tuple[G, list[Any]]:
    """Make a graph of an igraph graph, directed if that one is, with the same ids.

    Parameters
    ----------
    ig_graph : igraph.Graph
        The last of parallel edges counts.
    weight : str or None
        The edge attribute of weights, 1 where it is None. The graph has no weights without this attribute, or with
        None.
    data : sequence of str
        Edge attributes for edge data: numbers or truth values, one for each edge.
    time : str, optional
        The edge attribute of times, integers or ``datetime``, for a graph with times.
    structure : str or class
        Name in the registry, or class.
    device, **structure_options
        Options of `Graph.from_edges`, such as ``weight_dtype`` and ``in_edges``, and of the structure.

    Returns
    -------
    graph : Graph
        int64 weights if all are integers, otherwise float64.
    names : list, length num_vertices
        ``vs["name"]`` if present, otherwise the ids.

    Raises
    ------
    TypeError
        `ig_graph` is no igraph graph, or a weight or a value of edge data is no number.
    ValueError
        `ig_graph` has no attribute that `data` or `time` names, or an edge has no value for it.

    See Also
    --------
    to_igraph : The other direction.
    """
    kind = structure_class(structure)
    if not (hasattr(ig_graph, "vs") and hasattr(ig_graph, "es")):
        raise TypeError(f"ig_graph must be an igraph.Graph, not {type(ig_graph).__name__}")
    count = ig_graph.ecount()
    ends = np.fromiter((v for edge in ig_graph.get_edgelist() for v in edge), np.int64, 2 * count).reshape(count, 2)
    size = ig_graph.vcount()
    columns = host_columns(partial(_attribute, ig_graph), weight, data, time)
    edges = ForeignEdges(ends[:, 0], ends[:, 1], **columns, num_vertices=size, directed=ig_graph.is_directed())
    graph = build(kind, edges, device, structure_options)
    return graph, ig_graph.vs["name"] if "name" in ig_graph.vs.attributes() else list(range(size))


def _attribute(ig_graph: Any, name: str, argument: str) -> list[Any]:
    """Return an edge attribute. It must exist unless it is the weight's."""
    if name in ig_graph.es.attributes():
        return ig_graph.es[name]
    if argument == "weight":
        return []
    raise ValueError(f"ig_graph has no edge attribute {name!r}, which {argument} names")
