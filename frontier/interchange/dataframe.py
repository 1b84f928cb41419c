"""Data frames: pandas on the CPU, cuDF on the GPU."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..access import reads
from ..arguments import check_graph
from ..arrays import as_ids, as_weights
from ..edge_data import COUNT
from ..edge_data.records import FIRST
from ..graph import Graph
from ..io.columns import check_data
from ..registry import structure_class
from ..runtime import Device, resolve_device
from ..sort import row_ids
from ..values import flag
from .common import require

if TYPE_CHECKING:
    from ..registry import G


@reads
def to_dataframe(graph: Graph, *, records: bool | None = None) -> Any:
    """Edges as a data frame: columns ``src``, ``dst``, of weighted graphs ``weight``, and edge data by their names.

    Parameters
    ----------
    graph : Graph
    records : bool, optional
        Of a graph that keeps its records (``multi="keep"``), whether there is a row for each record, which is the
        default, or for each edge, with the sum of its weights and the number of its records (``count``).

    Returns
    -------
    DataFrame
        Sorted; undirected edges once, as ``src < dst``; records of one edge oldest first. pandas; of a graph on the GPU
        cuDF, without a copy through the host, where that is installed.

    Raises
    ------
    ImportError
        pandas is not installed.
    ValueError
        `records` is true, and the graph keeps none.
    """
    check_graph(graph)
    keeps = graph.num_records is not None
    if records is not None and flag(records, "records") and not keeps:
        raise ValueError("records: this graph keeps none; make it with multi='keep'")
    columns = record_columns(graph) if keeps and records is not False else edge_columns(graph)
    if graph.device.is_gpu:
        try:
            return importlib.import_module("cudf").DataFrame(columns)
        except ImportError:
            columns = {name: graph.device.to_host(column) for name, column in columns.items()}
    return require("pandas", "pandas", "to_dataframe").DataFrame(columns)


def edge_columns(graph: Graph) -> dict[str, Any]:
    """The columns of `to_dataframe`, on the graph's device."""
    src, dst, stored = graph._sorted_edges()
    data = graph._edge_data
    if data is not None:
        named = [name for name in data.dtypes if name not in data.links]
        return {"src": src, "dst": dst} | {name: data.columns[name][stored] for name in named}
    return {"src": src, "dst": dst} | ({} if stored is None else {"weight": stored})


def record_columns(graph: Graph) -> dict[str, Any]:
    """The columns of `to_dataframe` with a row for each record, on the graph's device."""
    src, dst, edges = graph._sorted_edges()
    data: Any = graph._edge_data
    offsets, ids = data.records.of(data.columns[FIRST][edges], data.columns[COUNT][edges])
    rows = row_ids(graph.device, offsets, np.dtype(np.int64))
    columns = {name: data.records.columns[name][ids] for name in data.records.given}
    return {"src": src[rows], "dst": dst[rows]} | columns


def from_dataframe(
    structure: str | type[G],
    frame: Any,
    source: str = "src",
    destination: str = "dst",
    weight: str | None = None,
    *,
    data: Sequence[str] = (),
    num_vertices: int | None = None,
    directed: bool = False,
    device: str | Device = "auto",
    weight_dtype: Any = None,
    vertex_dtype: Any = None,
    in_edges: bool = False,
    **structure_options: Any,
) -> G:
    """A graph made of a data frame, each row of which is an edge.

    Parameters
    ----------
    structure : str or class
        Name in the registry, or class.
    frame : DataFrame of pandas or cuDF, or anything else that gives columns by name
        For columns of words see `frontier.io.from_table`, which numbers them.
    source, destination : str
        Names of the columns of integer ids.
    weight : str, optional
        Name of the column of weights; the graph has none by default.
    data : sequence of str
        Names of columns to keep as edge data, of their types.
    num_vertices : int, optional
        Size of the id space; by default the largest id plus one.
    directed : bool
    device : {"auto", "cpu", "gpu"}
    weight_dtype, vertex_dtype, in_edges, **structure_options
        As in `Graph.from_edges`.

    Raises
    ------
    TypeError, ValueError
        `frame` has no such column, or a column cannot be read as ids or weights; naming it.
    """
    kind = structure_class(structure)
    place = resolve_device(device)
    src = as_ids(place, _column(frame, source, "source"), f"column {source!r} of frame")
    dst = as_ids(place, _column(frame, destination, "destination"), f"column {destination!r} of frame")
    weights = None
    if weight is not None:
        weights = as_weights(place, _column(frame, weight, "weight"), f"column {weight!r} of frame")
    if data:
        structure_options["edge_data"] = {name: _column(frame, name, "data") for name in check_data(data)}
    return kind.from_edges(
        src, dst, weights, num_vertices=num_vertices, directed=directed, device=place,
        weight_dtype=weight_dtype, vertex_dtype=vertex_dtype, in_edges=in_edges, **structure_options,
    )  # fmt: skip


def _column(frame: Any, name: str, argument: str) -> Any:
    """The column that an argument names."""
    try:
        return frame[name]
    except KeyError:
        raise ValueError(f"{argument}={name!r} is no column of frame") from None
    except (TypeError, IndexError):
        raise TypeError(f"frame must be a data frame, not {type(frame).__name__}") from None
