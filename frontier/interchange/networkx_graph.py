"""NetworkX graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from frontier.core.arguments import check_graph
from frontier.core.base import BaseGraph
from frontier.core.locking import reads
from frontier.core.structures import G, structure_class
from frontier.runtime import Device

from .common import existing_ids, host_edges, names_by_id, require
from .foreign import DEFAULT_STRUCTURE, ForeignEdges, build, host_columns


@reads
def to_networkx(graph: BaseGraph, names: Sequence[Any] | None = None, weight: str = "weight") -> Any:
    """Convert a graph to a ``networkx.Graph``, or a directed one to a ``DiGraph``.

    Parameters
    ----------
    graph : Graph
    names : sequence, length num_vertices, optional
        ``names[v]`` is the node of vertex v, as `from_networkx` returns them, by default v itself.
    weight : str
        The edge attribute for the weights of a weighted graph, as Python numbers.

    Returns
    -------
    networkx.Graph or networkx.DiGraph
        Isolated vertices are nodes, deleted ones are not. Edge data are attributes of their names.

    Raises
    ------
    ImportError
        NetworkX is not installed.
    ValueError
        `names` has the wrong length or repeats a name, or `weight` is the name of a column of edge data.

    See Also
    --------
    from_networkx : The other direction.

    Notes
    -----
    About a microsecond per edge, as NetworkX stores Python objects.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
    >>> G = fr.interchange.to_networkx(graph)
    >>> sorted(G.edges)
    [(0, 1), (0, 2), (1, 3)]
    """
    check_graph(graph)
    nx = require("networkx", "networkx", "to_networkx")
    named = names_by_id(graph, names)
    nodes = [named[v] for v in graph.device.to_host(existing_ids(graph)).tolist()]
    if len(set(nodes)) < len(nodes):
        raise ValueError("names must be distinct: two vertices have the same")
    result = nx.DiGraph() if graph.directed else nx.Graph()
    result.add_nodes_from(nodes)
    src, dst, attributes = host_edges(graph, weight)
    if names is not None:
        src, dst = [named[v] for v in src], [named[v] for v in dst]
    if attributes:
        rows = zip(*attributes.values(), strict=True)
        held = (dict(zip(attributes, row, strict=True)) for row in rows)
        result.add_edges_from(zip(src, dst, held, strict=True))
    else:
        result.add_edges_from(zip(src, dst, strict=True))
    return result


def from_networkx(
    nx_graph: Any,
    weight: str | None = "weight",
    *,
    data: Sequence[str] = (),
    time: str | None = None,
    num_vertices: int | None = None,
    structure: str | type[G] = DEFAULT_STRUCTURE,
    device: str | Device = "auto",
    **structure_options: Any,
) -> tuple[G, list[Any]]:
    """Make a graph of a NetworkX graph, directed if that one is.

    Parameters
    ----------
    nx_graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        The last of parallel edges counts.
    weight : str or None
        The edge attribute of weights. Edges without it have weight 1. The graph has no weights if no edge has the
        attribute, or with None.
    data : sequence of str
        Edge attributes for edge data: numbers or truth values, one for each edge.
    time : str, optional
        The edge attribute of times, integers or ``datetime``, for a graph with times.
    num_vertices : int, optional
        Size of the id space. Nodes must be integers below it and retain their numbers. All other ids are deleted.
    structure : str or class
        Name in the registry, or class.
    device, **structure_options
        Options of `Graph.from_edges`, such as ``weight_dtype`` and ``in_edges``, and of the structure.

    Returns
    -------
    graph : Graph
        int64 weights if all are integers, otherwise float64.
    names : list, length num_vertices
        ``names[v]`` is the node that became vertex v. Nodes that are the integers 0..n-1, in any order, retain their
        numbers. Further nodes are numbered in NetworkX's order.

    Raises
    ------
    TypeError
        `nx_graph` is no NetworkX graph, or a weight or a value of edge data is no number.
    ValueError
        A node is no id below `num_vertices`, or an edge has no value for an attribute of `data` or `time`.

    See Also
    --------
    to_networkx : The other direction.

    Examples
    --------
    >>> import networkx as nx
    >>> import frontier as fr
    >>> graph, nodes = fr.interchange.from_networkx(nx.path_graph("abc"), device="cpu")
    >>> graph.num_edges, nodes
    (2, ['a', 'b', 'c'])
    """
    kind = structure_class(structure)
    if not (hasattr(nx_graph, "nodes") and hasattr(nx_graph, "is_multigraph")):
        raise TypeError(f"nx_graph must be a NetworkX graph, not {type(nx_graph).__name__}")
    nodes = list(nx_graph)
    size = len(nodes) if num_vertices is None else num_vertices
    are_ids = all(isinstance(v, int | np.integer) and not isinstance(v, bool) and 0 <= v < size for v in nodes)
    if num_vertices is not None and not are_ids:
        raise ValueError(f"with num_vertices={num_vertices} the nodes of nx_graph must be integers from 0 below it")
    names: list[Any] = list(range(size)) if are_ids else nodes
    number = {name: v for v, name in enumerate(names)}
    edges = list(nx_graph.edges())
    src = np.fromiter((number[u] for u, _ in edges), np.int64, len(edges))
    dst = np.fromiter((number[v] for _, v in edges), np.int64, len(edges))
    columns = host_columns(lambda name, _: (value for *_, value in nx_graph.edges(data=name)), weight, data, time)
    vertices = np.array(nodes, np.int64) if len(nodes) < size else None
    given = ForeignEdges(src, dst, **columns, num_vertices=size, directed=nx_graph.is_directed(), vertices=vertices)
    return build(kind, given, device, structure_options), names
