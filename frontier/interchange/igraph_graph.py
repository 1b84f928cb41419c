"""igraph graphs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.core.arguments import check_graph
from frontier.core.graph import Graph
from frontier.core.locking import reads
from frontier.core.structures import structure_class
from frontier.runtime import Device

from .common import complete, edge_options, host_edges, host_values, host_weights, names_by_id, require

if TYPE_CHECKING:
    from frontier.core.structures import G


@reads
def to_igraph(graph: Graph, names: Sequence[Any] | None = None, weight: str = "weight") -> Any:
    """An ``igraph.Graph`` whose vertex v is vertex v.

    Parameters
    ----------
    graph : Graph
    names : sequence, length num_vertices, optional
        Names of the vertices, as `from_igraph` returns them, to be kept in ``vs["name"]``.
    weight : str
        The edge attribute that takes the weights of a weighted graph, as Python numbers.

    Returns
    -------
    igraph.Graph
        With all ids, since igraph numbers without gaps: deleted ones are vertices without edges. Edge data are
        attributes of their names.

    Raises
    ------
    ImportError
        igraph is not installed.
    ValueError
        `names` has the wrong length, or `weight` is the name of a column of edge data.
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
    structure: str | type[G],
    ig_graph: Any,
    weight: str | None = "weight",
    device: str | Device = "auto",
    *,
    data: Sequence[str] = (),
    time: str | None = None,
    weight_dtype: Any = None,
    vertex_dtype: Any = None,
    in_edges: bool = False,
    **structure_options: Any,
) -> tuple[G, list[Any]]:
    """A graph made of an igraph graph, directed if that is; its vertex v becomes vertex v.

    Parameters
    ----------
    structure : str or class
        Name in the registry, or class.
    ig_graph : igraph.Graph
        Of parallel edges the last counts.
    weight : str or None
        The edge attribute that holds weights, 1 where it is None. The graph has no weights if there is no such
        attribute, or with None.
    device : {"auto", "cpu", "gpu"}
    data : sequence of str
        Edge attributes to keep as edge data: numbers or truth values, one for each edge.
    time : str, optional
        The edge attribute that holds times, integers or ``datetime``, which makes a graph with times.
    weight_dtype, vertex_dtype, in_edges, **structure_options
        As in `Graph.from_edges`.

    Returns
    -------
    graph : Graph
        int64 weights if all are integers, otherwise float64.
    names : list, length num_vertices
        ``vs["name"]`` where there are such names, otherwise the ids.

    Raises
    ------
    TypeError
        `ig_graph` is no igraph graph, or a weight or a value of edge data is no number.
    ValueError
        It has no attribute that `data` or `time` names, or some edge has no value for it.
    """
    kind = structure_class(structure)
    if not (hasattr(ig_graph, "vs") and hasattr(ig_graph, "es")):
        raise TypeError(f"ig_graph must be an igraph.Graph, not {type(ig_graph).__name__}")
    count = ig_graph.ecount()
    ends = np.fromiter((v for edge in ig_graph.get_edgelist() for v in edge), np.int64, 2 * count).reshape(count, 2)
    weights = None
    if weight is not None and weight in ig_graph.es.attributes():
        weights = host_weights(ig_graph.es[weight], weight)
    options = edge_options(partial(_attribute, ig_graph), data, time, structure_options)
    size = ig_graph.vcount()
    graph = kind.from_edges(
        ends[:, 0], ends[:, 1], weights, num_vertices=size, directed=ig_graph.is_directed(), device=device,
        weight_dtype=weight_dtype, vertex_dtype=vertex_dtype, in_edges=in_edges, **options,
    )  # fmt: skip
    return graph, ig_graph.vs["name"] if "name" in ig_graph.vs.attributes() else list(range(size))


def _attribute(ig_graph: Any, name: str, argument: str) -> Any:
    """What the edges have by a name: times as they are, other data as an array."""
    if name not in ig_graph.es.attributes():
        raise ValueError(f"ig_graph has no edge attribute {name!r}, which {argument} names")
    held = ig_graph.es[name]
    return complete(held, name) if argument == "time" else host_values(held, name)
