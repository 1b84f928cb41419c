"""Results that are a subset of a graph's edges: their base class, and the order of their edges."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import frontier as fr

from .result import Result


@dataclass(frozen=True, repr=False)
class SubgraphResult(Result):
    """A subgraph of a graph for some k. Arrays are on the graph's device.

    Attributes
    ----------
    src, dst : arrays of the graph's vertex dtype, shape (num_edges,)
        The edges of the subgraph, each once, sorted, in undirected graphs as ``src < dst``.
    k : int
    num_vertices : int
        The vertices of the graph, and of the result of `to_graph`.
    structure : type
        The structure of the graph.
    directed : bool
        Whether the graph is directed.
    weight : array, shape (num_edges,), or None
        The weights of the edges, if the subgraph has them.
    """

    src: Any
    dst: Any
    k: int
    num_vertices: int
    structure: type[fr.Graph] = field(repr=False)
    directed: bool = field(default=False, repr=False)
    weight: Any = None

    @property
    def num_edges(self) -> int:
        """Number of edges of the subgraph."""
        return int(self.src.size)

    def to_graph(self, structure: str | type[fr.Graph] | None = None) -> fr.Graph:
        """Make a graph of the subgraph, with the same vertex ids, on the same device.

        It has weights if the result has them.

        Parameters
        ----------
        structure : str or class, optional
            By default the structure of the input graph.
        """
        kind = self.structure if structure is None else fr.advanced.structure_class(structure)
        device = "gpu" if hasattr(self.src, "get") else "cpu"
        return kind.from_edges(
            self.src, self.dst, self.weight, num_vertices=self.num_vertices, directed=self.directed, device=device,
            vertex_dtype=self.src.dtype, weight_dtype=None if self.weight is None else self.weight.dtype,
        )  # fmt: skip


def sorted_edges(graph: fr.Graph, src: Any, dst: Any, values: Any = None) -> tuple[Any, ...]:
    """Sort the edges of a graph, and their values, if given. Edges of undirected graphs become ``src < dst``."""
    if not graph.directed:
        src, dst = graph.xp.minimum(src, dst), graph.xp.maximum(src, dst)
    keys = fr.advanced.keys.pack(graph, src, dst)
    if values is None:
        return fr.advanced.keys.unpack(graph, fr.advanced.keys.sort(graph, keys))
    keys, values = fr.advanced.keys.sort(graph, keys, values)
    return *fr.advanced.keys.unpack(graph, keys), values
