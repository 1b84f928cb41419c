"""Edge lists from tables: Parquet, Feather and Arrow files, pyarrow Tables, data frames, mappings of arrays."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from frontier.io.columns import Columns, check_roles, looks_like_times, roles_from_mapping, roles_from_names
from frontier.io.edge_list import EdgeList
from frontier.io.errors import ParseError

_NANOSECONDS = np.dtype("datetime64[ns]")


def from_table(
    table: Any,
    *,
    columns: Columns = None,
    weighted: bool | None = None,
    compact: bool = False,
    directed: bool | None = None,
    source: str = "table",
) -> EdgeList:
    """Take an edge list from a table in memory.

    Parameters
    ----------
    table : pyarrow.Table, pandas.DataFrame, mapping of str to array, or structured ndarray
        Anything with named columns. The ends of edges are integers, or words of any kind, which are then numbered.
    columns : mapping of str to str, or sequence of (str or None), optional
        Which column is what: ``{"src": "sender", "dst": "receiver"}``, or roles by position. By default columns are
        recognised by their names (``src``/``source``/``from``, ``dst``/``target``/``to``, ``weight``, ``time``/
        ``timestamp``, ...), and where those do not name both ends, the first two columns are the ends and a third is
        the weight or, if it is a date or holds integers that are all at least 10**8, the time.
    weighted : bool, optional
        True makes an unnamed third column the weight, False leaves weights out.
    compact : bool
        Renumber the vertices that occur to 0..n-1. Always done for ids that are not integers.
    directed : bool, optional
        What to note in the result.
    source : str
        Name of the table in errors.

    Returns
    -------
    EdgeList
        Dates become int64 nanoseconds since 1970-01-01; weights and other times are int64, or float64 if the column
        holds floats.

    Raises
    ------
    ParseError
        If there are fewer than two columns, or a vertex id, weight or time is missing, negative, NaN or infinite; with
        the 1-based row.
    ValueError
        If `columns` makes no sense for the table.
    TypeError
        If `table` is not a table.
    """
    names, get = _access(table)
    roles = _roles(columns, weighted, names, source)
    picked = {role: get(k) for k, role in enumerate(roles) if role is not None}
    weights, times = picked.get("weight"), picked.get("time")
    if "unknown" in picked:
        third = picked["unknown"]
        if weighted is None and (third.dtype.kind == "M" or looks_like_times(third)):
            times = third
        else:
            weights = third
    if weighted is False:
        weights = None
    src, dst, ids = _ends(picked["src"], picked["dst"], source)
    edges = EdgeList(
        src,
        dst,
        weights=None if weights is None else _numbers(weights, "weight", source),
        times=None if times is None else _numbers(times, "time", source),
        num_vertices=None if ids is None else len(ids),
        directed=directed,
    )
    if ids is not None:
        return replace(edges, ids=ids)
    return edges.compact() if compact else edges


def read_arrow_file(data: bytes, source: str) -> Any:
    """Read a Parquet, Feather or Arrow IPC file with pyarrow.

    Parameters
    ----------
    data : bytes
        The file.
    source : str
        Its name, for errors.

    Returns
    -------
    pyarrow.Table
        The whole table.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    ParseError
        If pyarrow rejects the file.
    """
    pa = require_pyarrow("this file")
    try:
        if data.startswith(b"PAR1"):
            import pyarrow.parquet as parquet

            return parquet.read_table(io.BytesIO(data))
        import pyarrow.feather as feather

        return feather.read_table(io.BytesIO(data))
    except pa.ArrowException as error:
        raise ParseError(f"pyarrow cannot read it ({error})", source) from error


def read_quoted_csv(data: bytes, source: str, delimiter: str | None) -> Any:
    """Read a CSV file that has quoted fields with pyarrow.

    Parameters
    ----------
    data : bytes
        The file, with a first line of names.
    source : str
        Its name, for errors.
    delimiter : str, optional
        One character; a comma by default.

    Returns
    -------
    pyarrow.Table
        The whole table.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    ParseError
        If pyarrow rejects the file.
    """
    pa = require_pyarrow("CSV with quoted fields")
    import pyarrow.csv as csv

    try:
        return csv.read_csv(io.BytesIO(data), parse_options=csv.ParseOptions(delimiter=delimiter or ","))
    except pa.ArrowException as error:
        raise ParseError(f"pyarrow cannot read it ({error})", source) from error


def require_pyarrow(what: str) -> Any:
    """Import pyarrow.

    Parameters
    ----------
    what : str
        What needs it, for the error.

    Returns
    -------
    module
        pyarrow.

    Raises
    ------
    ImportError
        If it is not installed; the text names the extra that brings it.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(f"{what} needs pyarrow: pip install 'dynfrontier[parquet]'") from error
    return pyarrow


def _access(table: Any) -> tuple[list[str], Any]:
    """Names of the columns, and a function from position to NumPy column."""
    if hasattr(table, "column_names") and hasattr(table, "column"):  # pyarrow
        return list(table.column_names), lambda k: _from_arrow(table.column(k))
    if isinstance(table, np.ndarray) and table.dtype.names:
        return list(table.dtype.names), lambda k: table[table.dtype.names[k]]
    if isinstance(table, Mapping):
        names = list(table)
        return [str(name) for name in names], lambda k: np.asarray(table[names[k]])
    if hasattr(table, "columns") and hasattr(table, "__getitem__"):  # pandas and its like
        names = list(table.columns)
        return [str(name) for name in names], lambda k: np.asarray(table[names[k]])
    raise TypeError(f"expected a table with named columns, got {type(table).__name__}")


def _from_arrow(column: Any) -> np.ndarray:
    """NumPy column of an Arrow one; integers with nulls become float with NaN, which the checks then report."""
    try:
        return column.to_numpy()
    except TypeError:  # RecordBatch columns refuse to copy unless told
        return column.to_numpy(zero_copy_only=False)


def _roles(columns: Columns, weighted: bool | None, names: list[str], source: str) -> list[str | None]:
    """Roles of the columns in order."""
    if len(names) < 2:
        raise ParseError(f"missing column: a table of edges needs two, this one has {len(names)}", source)
    if columns is not None:
        roles = roles_from_mapping(columns, names) if isinstance(columns, Mapping) else check_roles(columns)
        if len(roles) > len(names):
            raise ParseError(f"missing column: {len(roles)} named, the table has {len(names)}", source)
        return roles
    named = roles_from_names(names)
    if named is not None:
        return named
    third = "weight" if weighted else "unknown"
    return ["src", "dst", third, None][: min(len(names), 3)]


def _ends(src: np.ndarray, dst: np.ndarray, source: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Both ends as integers; and the ids where they had to be numbered."""
    columns = {"src": src, "dst": dst}
    if all(c.dtype.kind in "iu" or len(c) == 0 for c in columns.values()):
        for name, column in columns.items():
            _report(column < 0, f"negative vertex id in {name}", column, source)
            if column.dtype == np.uint64:
                _report(column > np.uint64(2**63 - 2), f"vertex id in {name} is over the int64 range", column, source)
        return src.astype(np.int64, copy=False), dst.astype(np.int64, copy=False), None
    for name, column in columns.items():
        if column.dtype.kind == "f":
            _report(np.isnan(column), f"missing or NaN vertex id in {name}", column, source)
            raise ParseError(f"{name} holds {column.dtype}, not integers", source)
        if column.dtype.kind not in "OUSTiu":
            raise ParseError(f"{name} holds {column.dtype}, not vertex ids", source)
        if column.dtype.kind == "O":
            absent = np.fromiter((v is None or v != v for v in column), dtype=bool, count=len(column))
            _report(absent, f"missing vertex id in {name}", column, source)
    words = np.concatenate([src.astype(object), dst.astype(object)])
    try:
        ids, inverse = np.unique(words, return_inverse=True)
    except TypeError as error:
        raise ParseError("vertex ids mix words and numbers", source) from error
    return inverse.reshape(-1)[: len(src)], inverse.reshape(-1)[len(src) :], ids


def _numbers(column: np.ndarray, name: str, source: str) -> np.ndarray:
    """Check a weight or time column; dates become int64 nanoseconds."""
    if column.dtype.kind == "M":
        _report(np.isnat(column), f"the {name} is missing", column, source)
        return column.astype(_NANOSECONDS).astype(np.int64)
    if column.dtype.kind == "O" and all(isinstance(value, int | np.integer) for value in column):
        column = np.asarray(column.tolist())
    if column.dtype.kind == "u":
        _report(column > np.iinfo(np.int64).max, f"the {name} is over the int64 range", column, source)
    if column.dtype.kind in "bu":
        return column.astype(np.int64)
    if column.dtype.kind == "i":
        return column.astype(np.int64, copy=False)
    try:
        column = column.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ParseError(f"the column of {name}s holds {column.dtype}, not numbers", source) from error
    _report(np.isnan(column), f"the {name} is NaN or missing", column, source)
    _report(np.isinf(column), f"the {name} is infinite", column, source)
    return column


def _report(bad: np.ndarray, reason: str, column: np.ndarray, source: str) -> None:
    """Raise for the first row that is bad, if any."""
    if bad.any():
        row = int(np.argmax(bad))
        raise ParseError(reason, source, row + 1, str(column[row]))
