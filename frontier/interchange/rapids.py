"""RAPIDS: pylibcugraph's ``SGGraph``, which cuGraph's algorithms run on, and cuGraph's ``Graph``, which has one."""

from __future__ import annotations

from typing import Any

from frontier.core.arguments import check_graph
from frontier.core.base import BaseGraph
from frontier.core.locking import reads
from frontier.core.structures import G, structure_class
from frontier.operators.extract import sorted_edges
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_ids
from frontier.runtime.values import kind_of

from .common import CUPY, arcs, as_floats, existing_ids, require
from .foreign import DEFAULT_STRUCTURE, ForeignEdges, build

PACKAGE = "pylibcugraph-cu13 (or pylibcugraph-cu12)"


@reads
def to_pylibcugraph(
    graph: BaseGraph, handle: Any = None, *, store_transposed: bool = False, renumber: bool = True
) -> Any:
    """Convert a graph to a ``pylibcugraph.SGGraph``, with both directions of undirected edges and isolated vertices.

    Parameters
    ----------
    graph : Graph
        A graph on the GPU is not copied through the host. A graph on the CPU is copied to the GPU.
    handle : pylibcugraph.ResourceHandle, optional
        By default a new one. Algorithms accept any.
    store_transposed : bool
        Faster for algorithms that pull, such as PageRank.
    renumber : bool
        Let cuGraph sort vertices by degree internally, for speed. Results contain the graph's ids. Without it, deleted
        ids are vertices without edges, otherwise they are no vertices.

    Returns
    -------
    pylibcugraph.SGGraph
        Integer weights as float64, since cuGraph does not accept integers.

    Raises
    ------
    ImportError
        pylibcugraph is not installed.
    ValueError
        An integer weight is beyond 2**53, which float64 would round.

    See Also
    --------
    from_pylibcugraph : The other direction.
    """
    check_graph(graph)
    plc = require("pylibcugraph", PACKAGE, "to_pylibcugraph")
    cupy = require("cupy", CUPY, "to_pylibcugraph")
    src, dst, weights = arcs(graph)
    if weights is not None:
        weights = cupy.asarray(as_floats(weights))
    vertices = existing_ids(graph) if renumber else graph.xp.arange(graph.num_vertices, dtype=graph.vertex_dtype)
    return plc.SGGraph(
        plc.ResourceHandle() if handle is None else handle,
        plc.GraphProperties(is_symmetric=not graph.directed, is_multigraph=False),
        cupy.asarray(src), cupy.asarray(dst), vertices_array=cupy.asarray(vertices), weight_array=weights,
        store_transposed=store_transposed, renumber=renumber, do_expensive_check=False, input_array_format="COO",
    )  # fmt: skip


def from_pylibcugraph(
    plc_graph: Any,
    handle: Any = None,
    *,
    weighted: bool = True,
    num_vertices: int | None = None,
    directed: bool = False,
    store_transposed: bool = False,
    structure: str | type[G] = DEFAULT_STRUCTURE,
    device: str | Device = "auto",
    **structure_options: Any,
) -> G:
    """Make a graph of a ``pylibcugraph.SGGraph``, with the same ids.

    Parameters
    ----------
    plc_graph : pylibcugraph.SGGraph
    handle : pylibcugraph.ResourceHandle, optional
        By default a new one.
    weighted : bool
        False ignores weights.
    num_vertices : int, optional
        Size of the id space, by default the largest id plus one. Ids that are no vertices of `plc_graph` are deleted.
    directed : bool
        Whether `plc_graph` is directed, which it does not report. It must be symmetric otherwise.
    store_transposed : bool
        Whether `plc_graph` was made transposed, which it does not report: cuGraph then returns reversed arcs.
    structure : str or class
        Name in the registry, or class.
    device, **structure_options
        Options of `Graph.from_edges`, such as ``weight_dtype`` and ``in_edges``, and of the structure.

    Raises
    ------
    ImportError
        pylibcugraph is not installed.
    TypeError
        `plc_graph` is no SGGraph.
    ValueError
        `num_vertices` is too small.

    See Also
    --------
    to_pylibcugraph : The other direction.
    """
    kind = structure_class(structure)
    plc = require("pylibcugraph", PACKAGE, "from_pylibcugraph")
    if not isinstance(plc_graph, plc.SGGraph):
        raise TypeError(f"plc_graph must be a pylibcugraph.SGGraph, not {kind_of(plc_graph)}")
    handle = plc.ResourceHandle() if handle is None else handle
    place = resolve_device(device)
    src, dst, weights = plc.decompress_to_edgelist(handle, plc_graph, False)[:3]
    if store_transposed:
        src, dst = dst, src
    vertices = as_ids(place, plc.extract_vertex_list(handle, plc_graph, False), "plc_graph")
    largest = int(vertices.max()) if vertices.size else -1
    if num_vertices is None:
        num_vertices = largest + 1
    elif num_vertices <= largest:
        raise ValueError(f"num_vertices is {num_vertices}, but plc_graph has a vertex {largest}")
    edges = ForeignEdges(
        src, dst, weights if weighted else None, num_vertices=num_vertices, directed=directed, vertices=vertices,
        both_directions=True,
    )  # fmt: skip
    return build(kind, edges, place, structure_options)


@reads
def to_cugraph(graph: BaseGraph, *, store_transposed: bool = False) -> Any:
    """Convert a graph to a ``cugraph.Graph``, with isolated vertices.

    Parameters
    ----------
    graph : Graph
        A graph on the GPU is not copied through the host. A graph on the CPU is copied to the GPU.
    store_transposed : bool
        Faster for algorithms that pull, such as PageRank.

    Returns
    -------
    cugraph.Graph
        With the graph's ids, except deleted ones. Integer weights become float64.

    Raises
    ------
    ImportError
        cuGraph or cuDF is not installed.
    ValueError
        An integer weight is beyond 2**53, which float64 would round.

    See Also
    --------
    from_cugraph : The other direction.
    """
    check_graph(graph)
    cugraph = require("cugraph", "cugraph-cu13 (or cugraph-cu12)", "to_cugraph")
    cudf = require("cudf", "cudf-cu13 (or cudf-cu12)", "to_cugraph")
    cupy = require("cupy", CUPY, "to_cugraph")
    src, dst, stored = sorted_edges(graph)
    weights = graph.payload.weights_of(stored)
    columns = {"src": src, "dst": dst} | ({} if weights is None else {"weight": as_floats(weights)})
    columns = {name: cupy.asarray(column) for name, column in columns.items()}
    result = cugraph.Graph(directed=graph.directed)
    result.from_cudf_edgelist(
        cudf.DataFrame(columns), source="src", destination="dst", edge_attr="weight" if graph.is_weighted else None,
        vertices=cudf.Series(cupy.asarray(existing_ids(graph))), store_transposed=store_transposed,
    )  # fmt: skip
    return result


def from_cugraph(
    cu_graph: Any,
    *,
    num_vertices: int | None = None,
    structure: str | type[G] = DEFAULT_STRUCTURE,
    device: str | Device = "auto",
    **structure_options: Any,
) -> G:
    """Make a graph of a ``cugraph.Graph``, directed and weighted as that one, with the same ids.

    Parameters
    ----------
    cu_graph : cugraph.Graph
        With integers as vertices. If a ``MultiGraph`` has parallel edges, an arbitrary one counts.
    num_vertices : int, optional
        Size of the id space, by default the largest id plus one. Ids that are no vertices of `cu_graph` are deleted.
    structure : str or class
        Name in the registry, or class.
    device, **structure_options
        Options of `Graph.from_edges`, such as ``weight_dtype`` and ``in_edges``, and of the structure.

    Raises
    ------
    ImportError
        pylibcugraph is not installed.
    TypeError
        `cu_graph` is no cuGraph graph.
    ValueError
        Its vertices are no integers, or it is distributed over several GPUs.

    See Also
    --------
    to_cugraph : The other direction.
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
        cu_graph._plc_graph, weighted=cu_graph.is_weighted(), num_vertices=num_vertices,
        directed=cu_graph.is_directed(), store_transposed=cu_graph.store_transposed, structure=kind, device=device,
        **structure_options,
    )  # fmt: skip
