"""pylibcugraph's ``SGGraph``, which cuGraph's algorithms run on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.core.arguments import check_graph
from frontier.core.graph import Graph
from frontier.core.locking import reads
from frontier.core.structures import structure_class
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_ids
from frontier.runtime.values import kind_of

from .common import CUPY, arcs, as_floats, existing_ids, keep_only, require

if TYPE_CHECKING:
    from frontier.core.structures import G

PACKAGE = "pylibcugraph-cu13 (or pylibcugraph-cu12)"


@reads
def to_pylibcugraph(graph: Graph, handle: Any = None, *, store_transposed: bool = False, renumber: bool = True) -> Any:
    """A ``pylibcugraph.SGGraph``: both directions of undirected edges, and every vertex named, isolated ones too.

    Parameters
    ----------
    graph : Graph
        On the GPU it is not copied through the host; a graph on the CPU is copied to the GPU.
    handle : pylibcugraph.ResourceHandle, optional
        By default one is made; algorithms can be called with any.
    store_transposed : bool
        What PageRank and other algorithms that pull want.
    renumber : bool
        Let cuGraph sort vertices by degree inside, which makes its algorithms faster; results name the graph's ids all
        the same. Without it deleted ids are vertices without edges, otherwise they are no vertices.

    Returns
    -------
    pylibcugraph.SGGraph
        Integer weights as float64, since cuGraph takes none.

    Raises
    ------
    ImportError
        pylibcugraph is not installed.
    ValueError
        An integer weight is beyond 2**53, which float64 would round.
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
    structure: str | type[G],
    plc_graph: Any,
    handle: Any = None,
    *,
    weighted: bool = True,
    num_vertices: int | None = None,
    directed: bool = False,
    store_transposed: bool = False,
    device: str | Device = "auto",
    weight_dtype: Any = None,
    vertex_dtype: Any = None,
    in_edges: bool = False,
    **structure_options: Any,
) -> G:
    """A graph made of a ``pylibcugraph.SGGraph``, whose vertices keep their ids.

    Parameters
    ----------
    structure : str or class
        Name in the registry, or class.
    plc_graph : pylibcugraph.SGGraph
    handle : pylibcugraph.ResourceHandle, optional
        By default one is made.
    weighted : bool
        False leaves weights behind.
    num_vertices : int, optional
        Size of the id space; by default the largest id plus one. Ids that are no vertices of `plc_graph` are deleted
        ones.
    directed : bool
        The SGGraph does not tell; it must be symmetric if this is False.
    store_transposed : bool
        Nor does it tell how it was made; cuGraph gives the arcs of a transposed one in the other direction.
    device : {"auto", "cpu", "gpu"}
    weight_dtype, vertex_dtype, in_edges, **structure_options
        As in `Graph.from_edges`.

    Raises
    ------
    ImportError
        pylibcugraph is not installed.
    TypeError
        `plc_graph` is no SGGraph.
    ValueError
        `num_vertices` is too small.
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
    graph = kind.from_edges(
        src, dst, weights if weighted else None, num_vertices=num_vertices, directed=directed, device=place,
        weight_dtype=weight_dtype, vertex_dtype=vertex_dtype, in_edges=in_edges, **structure_options,
    )  # fmt: skip
    if vertices.size < num_vertices:
        keep_only(graph, vertices)
    return graph
