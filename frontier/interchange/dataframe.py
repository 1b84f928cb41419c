"""Data frames: of pandas, Polars and Arrow on the host, of cuDF on the GPU."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from frontier.core.arguments import check_graph
from frontier.core.base import BaseGraph
from frontier.core.locking import reads
from frontier.core.structures import G, structure_class
from frontier.operators.extract import sorted_edges
from frontier.runtime import Device, resolve_device
from frontier.runtime.arrays import as_ids, as_weights
from frontier.runtime.values import flag, one_of

from .common import edge_columns, records_of, require
from .foreign import DEFAULT_STRUCTURE, ForeignEdges, build, named_columns

FrameLibrary = Literal["cudf", "pandas", "polars", "pyarrow"]
PACKAGES = {"cudf": "cudf-cu13 (or cudf-cu12)", "pandas": "pandas", "polars": "polars", "pyarrow": "pyarrow"}


@reads
def to_dataframe(graph: BaseGraph, library: FrameLibrary | None = None, *, records: bool | None = None) -> Any:
    """Return edges as a data frame: ``src``, ``dst``, of weighted graphs ``weight``, and edge data by their names.

    Parameters
    ----------
    graph : Graph
    library : {"pandas", "polars", "pyarrow", "cudf"}, optional
        The library of the frame, as in `data_frame`.
    records : bool, optional
        With ``multi_edges="all"``: a row for each record, the default, or for each edge, with the sum of its weights
        and the number of its records (``count``).

    Returns
    -------
    DataFrame
        Sorted. Undirected edges once, as ``src < dst``. Records of one edge oldest first.

    Raises
    ------
    ImportError
        The library is not installed.
    ValueError
        `records` is true, and the graph stores none.

    See Also
    --------
    from_dataframe : The other direction.
    """
    check_graph(graph)
    keeps = graph.num_records is not None
    if records is not None and flag(records, "records") and not keeps:
        raise ValueError("records: this graph stores none; make it with multi_edges='all'")
    return data_frame(record_columns(graph) if keeps and records is not False else edge_columns(graph), library)


def record_columns(graph: BaseGraph) -> dict[str, Any]:
    """Return the columns of `to_dataframe` with a row for each record, on the graph's device."""
    src, dst, edges = sorted_edges(graph)
    rows, _, values = records_of(graph, edges)
    return {"src": src[rows], "dst": dst[rows]} | values


def data_frame(columns: Mapping[str, Any], library: FrameLibrary | None = None) -> Any:
    """Make a data frame of columns.

    Parameters
    ----------
    columns : mapping of str to array, shape (n,)
        Arrays of NumPy or CuPy. Text, and integers with None for missing ones, are arrays of objects.
    library : {"pandas", "polars", "pyarrow", "cudf"}, optional
        By default cuDF for arrays on a GPU, if it is installed, otherwise pandas. Except for cuDF, arrays on a GPU are
        copied to the host.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame, pyarrow.Table or cudf.DataFrame

    Raises
    ------
    ImportError
        The library is not installed. The text names its package.
    ValueError
        `library` is none of these.
    """
    if library is None:
        if any(hasattr(column, "__cuda_array_interface__") for column in columns.values()):
            try:
                return _cudf_frame(importlib.import_module("cudf"), columns)
            except ImportError:
                pass
        library = "pandas"
    one_of(library, "library", PACKAGES)
    module = require(library, PACKAGES[library], "to_dataframe")
    if library == "cudf":
        return _cudf_frame(module, columns)
    held = {name: column.get() if hasattr(column, "get") else column for name, column in columns.items()}
    if library == "pandas":
        return module.DataFrame(held)
    if library == "polars":
        return module.DataFrame({name: c.tolist() if c.dtype == object else c for name, c in held.items()})
    return module.table({name: module.array(c, _arrow_type(module, c)) for name, c in held.items()})


def _cudf_frame(cudf: Any, columns: Mapping[str, Any]) -> Any:
    """Return a cuDF frame: of Python's objects cuDF only accepts text, which Arrow, its dependency, converts."""
    held = dict(columns)
    for name, column in columns.items():
        if column.dtype == object:
            pyarrow = importlib.import_module("pyarrow")
            held[name] = pyarrow.array(column, _arrow_type(pyarrow, column))
    return cudf.DataFrame(held)


def _arrow_type(pyarrow: Any, column: np.ndarray) -> Any:
    """Return the type of a column that Arrow does not infer: unsigned integers beyond int64, among None."""
    if column.dtype != object:
        return None
    wide = any(isinstance(value, int | np.integer) and value > np.iinfo(np.int64).max for value in column)
    return pyarrow.uint64() if wide else None


def from_dataframe(
    frame: Any,
    source: str = "src",
    destination: str = "dst",
    weight: str | None = None,
    *,
    data: Sequence[str] = (),
    time: str | None = None,
    num_vertices: int | None = None,
    directed: bool = False,
    structure: str | type[G] = DEFAULT_STRUCTURE,
    device: str | Device = "auto",
    **structure_options: Any,
) -> G:
    """Make a graph of a data frame, with an edge for each row.

    Parameters
    ----------
    frame : DataFrame of pandas, Polars or cuDF, Arrow table, or another mapping of names to columns
        For columns of text, use `frontier.io.from_table`.
    source, destination : str
        The columns of integer ids.
    weight : str, optional
        The column of weights. By default, the graph has none.
    data : sequence of str
        Columns for edge data, of their types.
    time : str, optional
        The column of times, integers in ``time_unit`` or timestamps, for a graph with times.
    num_vertices : int, optional
        Size of the id space, by default the largest id plus one.
    directed : bool
    structure : str or class
        Name in the registry, or class.
    device, **structure_options
        Options of `Graph.from_edges`, such as ``weight_dtype`` and ``in_edges``, and of the structure.

    Raises
    ------
    TypeError, ValueError
        `frame` has no such column, or a column cannot be read as ids or weights. The message names it.

    See Also
    --------
    to_dataframe : The other direction.
    """
    kind = structure_class(structure)
    place = resolve_device(device)
    src = as_ids(place, _column(frame, source, "source"), f"column {source!r} of frame")
    dst = as_ids(place, _column(frame, destination, "destination"), f"column {destination!r} of frame")
    weights = None
    if weight is not None:
        weights = as_weights(place, _column(frame, weight, "weight"), f"column {weight!r} of frame")
    columns = named_columns(partial(_column, frame), data, time)
    edges = ForeignEdges(src, dst, weights, **columns, num_vertices=num_vertices, directed=directed)
    return build(kind, edges, place, structure_options)


def _column(frame: Any, name: str, argument: str) -> Any:
    if hasattr(frame, "collect"):  # Polars' LazyFrame
        raise TypeError(f"frame is a {type(frame).__name__}, a query: pass the result of its collect()")
    try:
        if hasattr(frame, "get_column") and name not in frame.columns:  # Polars raises a different exception
            raise KeyError(name)
        return frame[name]
    except KeyError:
        raise ValueError(f"{argument}={name!r} is no column of frame") from None
    except (TypeError, IndexError):
        raise TypeError(f"frame must be a data frame, not {type(frame).__name__}") from None
