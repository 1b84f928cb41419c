"""cuGraph's ``Graph``, made of a cuDF data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.core.arguments import check_graph
from frontier.core.graph import Graph
from frontier.core.locking import reads
from frontier.core.structures import structure_class
from frontier.runtime import Device

from .common import CUPY, as_floats, existing_ids, require
from .pylibcugraph_graph import from_pylibcugraph

if TYPE_CHECKING:
    from frontier.core.structures import G


@reads
def to_cugraph(graph: Graph, *, store_transposed: bool = False) -> Any:
    """A ``cugraph.Graph`` in which every vertex is named, isolated ones too.

    Parameters
    ----------
    graph : Graph
        On the GPU it is not copied through the host; a graph on the CPU is copied to the GPU.
    store_transposed : bool
        What PageRank and other algorithms that pull want.

    Returns
    -------
    cugraph.Graph
        Its vertices are the graph's ids, without deleted ones. Integer weights are float64, since cuGraph computes with
        floats.

    Raises
    ------
    ImportError
        cuGraph or cuDF is not installed.
    ValueError
        An integer weight is beyond 2**53, which float64 would round.
    """
    check_graph(graph)
    cugraph = require("cugraph", "cugraph-cu13 (or cugraph-cu12)", "to_cugraph")
    cudf = require("cudf", "cudf-cu13 (or cudf-cu12)", "to_cugraph")
    cupy = require("cupy", CUPY, "to_cugraph")
    src, dst, stored = graph._sorted_edges()
    weights = graph._weights_of(stored)
    columns = {"src": src, "dst": dst} | ({} if weights is None else {"weight": as_floats(weights)})
    columns = {name: cupy.asarray(column) for name, column in columns.items()}
    result = cugraph.Graph(directed=graph.directed)
    result.from_cudf_edgelist(
        cudf.DataFrame(columns), source="src", destination="dst", edge_attr="weight" if graph.is_weighted else None,
        vertices=cudf.Series(cupy.asarray(existing_ids(graph))), store_transposed=store_transposed,
    )  # fmt: skip
    return result


def from_cugraph(
    structure: str | type[G],
    cu_graph: Any,
    *,
    num_vertices: int | None = None,
    device: str | Device = "auto",
    weight_dtype: Any = None,
    vertex_dtype: Any = None,
    in_edges: bool = False,
    **structure_options: Any,
) -> G:
    """A graph made of a ``cugraph.Graph``, directed and weighted if that is; vertices keep their ids.

    Parameters
    ----------
    structure : str or class
        Name in the registry, or class.
    cu_graph : cugraph.Graph
        Whose vertices are integers. Of the parallel edges of a ``MultiGraph`` any one counts.
    num_vertices : int, optional
        Size of the id space; by default the largest id plus one. Ids that are no vertices of `cu_graph` are deleted
        ones.
    device : {"auto", "cpu", "gpu"}
    weight_dtype, vertex_dtype, in_edges, **structure_options
        As in `Graph.from_edges`.

    Raises
    ------
    ImportError
        pylibcugraph is not installed.
    TypeError
        `cu_graph` is no cuGraph graph.
    ValueError
        Its vertices are no integers, or it is spread over several GPUs.
    """
    kind = structure_class(structure)
    if not hasattr(cu_graph, "_plc_graph"):
        raise TypeError(f"cu_graph must be a cugraph.Graph with edges, not {type(cu_graph).__name__}")
    if cu_graph.is_multi_gpu():
        raise ValueError("cu_graph is spread over several GPUs; graphs here are on one")
    if cu_graph.is_renumbered():
        raise ValueError("cu_graph numbers its vertices itself, since they are no integers; number them first")
    # The engine's own edges, since cuGraph's views of them differ between versions in columns and in weights.
    return from_pylibcugraph(
        kind, cu_graph._plc_graph, weighted=cu_graph.is_weighted(), num_vertices=num_vertices,
        directed=cu_graph.is_directed(), store_transposed=cu_graph.store_transposed, device=device,
        weight_dtype=weight_dtype, vertex_dtype=vertex_dtype, in_edges=in_edges, **structure_options,
    )  # fmt: skip
