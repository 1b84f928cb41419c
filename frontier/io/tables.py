"""Edge lists from tables: Parquet, Feather and Arrow files, pyarrow Tables, data frames, mappings of arrays."""

from __future__ import annotations

import datetime
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np

from frontier.runtime.arrays import is_cudf

from . import words as wd
from .columns import DATA, Columns, data_of, looks_like_times, measures_of, resolve_roles
from .edge_list import FIRST_ID, TIME_UNIT, EdgeList
from .errors import NAMED_HINT, ParseError
from .files import unpacked_limit
from .text_columns import LARGEST_ID

_NANOSECONDS = np.dtype("datetime64[ns]")
_NUMBERS = {"int", "float", "Decimal"}  # types that compare: 1 and 1.0 are one id
NESTED = list | tuple | dict | np.ndarray


def from_table(
    table: Any,
    *,
    columns: Columns = None,
    weighted: bool | None = None,
    compact: bool = False,
    directed: bool | None = None,
    source: str = "table",
    data: Sequence[str] = (),
    named: bool | None = None,
) -> EdgeList:
    """Read an edge list from a table in memory.

    Parameters
    ----------
    table : pyarrow.Table, DataFrame of pandas, Polars or cuDF, mapping of str to array, or structured ndarray
        Anything with named columns, or with Arrow's ``__arrow_c_stream__``, such as a relation of DuckDB. The ends of
        edges are integers, in columns of integers or of decimals, or words, which are then numbered.
    columns : mapping of str to str, or sequence of (str or None), optional
        The roles of columns: see `read_edges`. By default columns go by their names, and remaining ones are ignored
        with an `IgnoredColumnsWarning`. A third column without a name is the time if it has dates, or integers of at
        least 10**8 only, else the weight.
    weighted : bool, optional
        True makes an unnamed third column the weight. False ignores weights.
    compact : bool
        Renumber the vertices of rows to 0..n-1. Always done for ids that are not integers.
    directed : bool, optional
        `EdgeList.directed` of the result.
    source : str
        Name of the table in errors.
    data : sequence of str
        Columns for edge data (`EdgeList.data`), which overrides roles by name.
    named : bool, optional
        True numbers ids as names, with `ids` the names: words, dates, numbers of any kind and size. Ids of several
        kinds become text, but 1 and 1.0 are one id. By default only words are numbered.

    Returns
    -------
    EdgeList
        Edge data have the types of the columns, while 16-bit integers and floats get the next larger type.
        Dates, also as text of ISO 8601, become int64 nanoseconds since 1970-01-01. Weights and other times are int64,
        or float64 in columns of floats.

    Raises
    ------
    ParseError
        The table has fewer than two columns, or a vertex id, weight or time is missing, negative, NaN or infinite. The
        error names the 1-based row. ``named=True`` accepts any ids.
    ValueError
        `columns` does not suit the table.
    TypeError
        `table` is not a table.

    See Also
    --------
    read_edges : Read a file.
    frontier.Graph.from_edges : A graph of arrays.

    Examples
    --------
    >>> import frontier as fr
    >>> edges = fr.io.from_table({"src": [0, 1], "dst": [1, 2], "weight": [0.5, 2.0]})
    >>> edges.src, edges.weights
    (array([0, 1], dtype=int32), array([0.5, 2. ]))
    """
    first_id, time_unit = _notes(table)
    names, get = _access(table)
    roles = resolve_roles(names, columns, weighted, source, data, fits=lambda k: _fits(get(k)))
    picked = {role: get(k) for k, role in enumerate(roles) if role is not None}
    _check_lengths(picked, source)
    weights, times = measures_of(picked, weighted, lambda third: _holds_dates(third) or looks_like_times(third))
    ends = _named_ends if named else _ends
    src, dst, ids = ends(_ints(picked["src"], scaled=True), _ints(picked["dst"], scaled=True), source)
    if ids is None and first_id:
        for name, column in (("src", src), ("dst", dst)):
            _report(column < first_id, f"vertex id in {name} is below {FIRST_ID} = {first_id}", column, source)
        src, dst = src - first_id, dst - first_id
    edges = EdgeList(
        src,
        dst,
        first_id=first_id if ids is None else 0,
        weights=None if weights is None else _numbers(weights, "weight", source),
        times=None if times is None else _numbers(times, "time", source),
        time_unit="ns" if times is not None and _holds_dates(times) else time_unit,
        num_vertices=None if ids is None else len(ids),
        directed=directed,
        data=data_of({role: _values(column, role, source) for role, column in picked.items() if role.startswith(DATA)}),
    )
    if ids is not None:
        return replace(edges, ids=ids)
    return edges.compact() if compact else edges


def _notes(table: Any) -> tuple[int, str | None]:
    """Return the id of the first vertex and the unit of times that `write_edges` notes in a table of Arrow."""
    metadata = getattr(getattr(table, "schema", None), "metadata", None)
    if not isinstance(metadata, Mapping):
        return 0, None
    first, unit = metadata.get(FIRST_ID.encode(), b""), metadata.get(TIME_UNIT.encode(), b"")
    known = unit in (b"ns", b"us", b"ms", b"s")
    return int(first) if first.isdigit() and len(first) < 19 else 0, unit.decode() if known else None


def read_arrow_file(data: bytes, source: str) -> Any:
    """Read a Parquet, Feather or Arrow IPC file with pyarrow.

    Raises ImportError if pyarrow is not installed, and ParseError if it rejects the file.
    """
    require_pyarrow("this file")
    try:
        table = _read_parquet(data, source) if data.startswith(b"PAR1") else _read_feather(data, source)
        table.validate(full=True)  # invalid offsets would be followed
    except (ParseError, ImportError):
        raise
    except Exception as error:  # pyarrow raises OSError, ValueError, UnicodeDecodeError and more for damaged files
        words = " ".join(str(error).split()) or type(error).__name__
        raise ParseError(f"pyarrow cannot read it ({words})", source) from error
    return table


def _read_parquet(data: bytes, source: str) -> Any:
    import pyarrow.parquet as parquet

    file = parquet.ParquetFile(io.BytesIO(data), page_checksum_verification=True)
    groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
    if sum(group.num_rows for group in groups) != file.metadata.num_rows:
        raise ParseError("the row groups do not contain as many rows as the file announces", source)
    # A run of one value is a few bytes, however long it is.
    if 8 * file.metadata.num_rows * file.metadata.num_columns > unpacked_limit(data):
        raise ParseError(f"{file.metadata.num_rows:,} rows in a file of {len(data):,} bytes are too many", source)
    return file.read()


def _read_feather(data: bytes, source: str) -> Any:
    import pyarrow.feather as feather

    table = feather.read_table(io.BytesIO(data), memory_map=False)
    if table.nbytes > unpacked_limit(data):
        raise ParseError(f"{table.nbytes:,} bytes in a file of {len(data):,} are too many", source)
    return table


def require_pyarrow(what: str) -> Any:
    """Import pyarrow for `what`. Raises an ImportError that names the extra."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(f"{what} needs pyarrow: pip install 'dynfrontier[parquet]'") from error
    return pyarrow


def _access(table: Any) -> tuple[list[str], Any]:
    """Return the names of the columns, and a function from position to NumPy column."""
    if is_cudf(table):
        table = table.to_arrow(preserve_index=False)
    if hasattr(table, "column_names") and hasattr(table, "column"):  # pyarrow
        return list(table.column_names), lambda k: _from_arrow(table.column(k))
    if isinstance(table, np.ndarray) and table.dtype.names:
        return list(table.dtype.names), lambda k: table[table.dtype.names[k]]
    if isinstance(table, Mapping):
        names = list(table)
        return [str(name) for name in names], lambda k: _from_values(table[names[k]])
    if hasattr(table, "collect"):  # Polars' LazyFrame
        raise TypeError(f"a {type(table).__name__} is a query, not a table: pass the result of its collect()")
    if hasattr(table, "__arrow_c_stream__") and not (hasattr(table, "iloc") or hasattr(table, "get_column")):
        return _access(require_pyarrow("this table").table(table))  # queries of DuckDB, readers of record batches
    if hasattr(table, "columns") and hasattr(table, "__getitem__"):  # pandas, Polars and their like
        names = list(table.columns)
        # By position where possible, as names may occur twice.
        pick = (lambda k: table.iloc[:, k]) if hasattr(table, "iloc") else (lambda k: table[names[k]])
        return [str(name) for name in names], lambda k: _from_series(pick(k))
    raise TypeError(f"expected a table with named columns, got {type(table).__name__}")


def _from_values(values: Any) -> np.ndarray:
    """Return the NumPy column of an array or a list. Integers that NumPy would round stay Python's."""
    column = np.asarray(values)
    if column.dtype.kind == "f" and isinstance(values, list | tuple) and all(isinstance(v, int) for v in values):
        return np.array(values, object)
    return column


def _from_series(column: Any) -> np.ndarray:
    """Return the NumPy column of a pandas or Polars one. Nulls among integers are None, which the checks report."""
    if hasattr(column, "replace_strict") and column.null_count() and column.dtype.is_integer():
        return np.array(column.to_list(), object)
    try:
        return np.asarray(column)
    except ValueError:  # Polars' lists are not of one length
        return np.fromiter(column, object, len(column))


def _from_arrow(column: Any) -> np.ndarray:
    """Return the NumPy column of an Arrow one, as `_from_series`."""
    if column.null_count and str(column.type).startswith(("int", "uint")):
        return np.array(column.to_pylist(), object)
    try:
        return column.to_numpy()
    except TypeError:  # RecordBatch columns refuse to copy unless asked to
        return column.to_numpy(zero_copy_only=False)


def _fits(column: np.ndarray) -> str | None:
    """Return the possible role of a column: ``"weight"`` or ``"time"``, or None without numbers and dates."""
    if _holds_dates(column):
        return "time"
    return "weight" if _ints(column).dtype.kind in "biuf" else None


def _check_lengths(picked: dict[str, np.ndarray], source: str) -> None:
    """Raise unless the columns have one dimension and equal lengths."""
    for role, column in picked.items():
        if column.ndim != 1:
            raise ParseError(f"the column of {role} has {column.ndim} dimensions", source)
        if len(column) != len(picked["src"]):
            raise ParseError(f"{role} has {len(column)} rows, src has {len(picked['src'])}", source)


def _ints(column: np.ndarray, *, scaled: bool = False) -> np.ndarray:
    """Return a column of Python integers, such as pandas' nullable ones, or of decimals, as int64. Any other column is
    returned unchanged.

    `scaled` also accepts decimals whose digits after the point are all 0.
    """
    if column.dtype.kind != "O" or not len(column) or not all(_is_whole(v, scaled) for v in column):
        return column
    column = np.array([int(v) for v in column], object)
    if all(-(2**63) <= v < 2**63 for v in column):
        return column.astype(np.int64)
    return column.astype(np.uint64) if all(0 <= v < 2**64 for v in column) else column


def _is_whole(value: Any, scaled: bool) -> bool:
    if isinstance(value, Decimal):
        if not value.is_finite():
            return False
        return value == value.to_integral_value() if scaled else value.as_tuple().exponent >= 0  # type: ignore[operator]
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _holds_dates(column: np.ndarray) -> bool:
    """Return whether a column has dates: of NumPy, as text or Python's."""
    if column.dtype.kind == "M":
        return True
    first = column[0] if column.dtype.kind in "OU" and len(column) else None
    return isinstance(first, datetime.date) or (isinstance(first, str) and wd.is_date(first))


def _ends(src: np.ndarray, dst: np.ndarray, source: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return both ends as integers, and the ids if they had to be numbered."""
    columns = {"src": src, "dst": dst}
    if all(c.dtype.kind in "iu" or len(c) == 0 for c in columns.values()):
        for name, column in columns.items():
            _report(column < 0, f"negative vertex id in {name}", column, source, NAMED_HINT)
            if column.dtype.kind in "iu" and column.dtype.itemsize == 8:
                reason = f"vertex id in {name} is over the int64 range"
                _report(column > np.uint64(LARGEST_ID), reason, column, source, NAMED_HINT)
        return src.astype(np.int64, copy=False), dst.astype(np.int64, copy=False), None
    _check_present(columns, source)
    for name, column in columns.items():
        if column.dtype.kind == "f":
            raise ParseError(f"{name} contains {column.dtype}, not integers", source, hint=NAMED_HINT)
        if column.dtype.kind not in "OUSTiu":
            raise ParseError(f"{name} contains {column.dtype}, not vertex ids", source, hint=NAMED_HINT)
        if column.dtype.kind == "O":
            _refuse_numbers(column, name, source)
    try:
        ids, (src, dst) = wd.number_words([src.tolist(), dst.tolist()])
    except TypeError as error:
        kinds = _kinds(src, dst)
        reason = f"vertex ids mix {' and '.join(kinds)}; they must be all words or all integers"
        raise ParseError(reason, source, hint=NAMED_HINT) from error
    return src, dst, ids


def _named_ends(src: np.ndarray, dst: np.ndarray, source: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return both ends, numbered, and the ids."""
    _check_present({"src": src, "dst": dst}, source)
    if src.dtype == dst.dtype and src.dtype.kind in "iufbM":
        ids, numbers = np.unique(np.concatenate([src, dst]), return_inverse=True)
        return numbers[: len(src)], numbers[len(src) :], ids
    columns = [src.tolist(), dst.tolist()]
    kinds = _kinds(src, dst)
    if len(kinds) > 1 and not _NUMBERS.issuperset(kinds):
        columns = [list(map(str, column)) for column in columns]
    try:
        ids, (src, dst) = wd.number_words(columns)
    except TypeError as error:
        raise ParseError(f"vertices are called by objects of type {_kinds(src, dst)[0]}", source) from error
    return src, dst, ids


def _kinds(*columns: np.ndarray) -> list[str]:
    return sorted({type(v).__name__ for column in columns for v in column.tolist()})


def _check_present(columns: Mapping[str, np.ndarray], source: str) -> None:
    """Raise unless every row has both ends."""
    for name, column in columns.items():
        if column.dtype.kind == "f":
            _report(np.isnan(column), f"missing or NaN vertex id in {name}", column, source)
        elif column.dtype.kind == "M":
            _report(np.isnat(column), f"missing vertex id in {name}", column, source)
        elif column.dtype.kind == "O":
            absent = np.fromiter(map(_is_missing, column), dtype=bool, count=len(column))
            _report(absent, f"missing vertex id in {name}", column, source)


def _refuse_numbers(column: np.ndarray, name: str, source: str) -> None:
    """Raise for the first number that is no id: it is not a word to be numbered."""
    for row, value in enumerate(column):
        if isinstance(value, int | Decimal) and not (_is_whole(value, scaled=True) and abs(value) <= LARGEST_ID):
            reason = "over the int64 range" if _is_whole(value, scaled=True) else "no integer"
            raise ParseError(f"vertex id in {name} is {reason}", source, row + 1, str(value), NAMED_HINT)


def _numbers(column: np.ndarray, name: str, source: str) -> np.ndarray:
    """Check a weight or time column. Dates become int64 nanoseconds."""
    if column.dtype.kind in "mM":
        _report(np.isnat(column), f"the {name} is missing", column, source)
        found = column.astype(_NANOSECONDS if column.dtype.kind == "M" else "timedelta64[ns]")
        _report(found.astype(column.dtype) != column, f"the {name} is out of the range of nanoseconds", column, source)
        return found.astype(np.int64)
    if column.dtype.kind == "u":
        _report(column > np.uint64(2**63 - 1), f"the {name} is over the int64 range", column, source)
        return column.astype(np.int64)
    if column.dtype.kind in "bi":
        return column.astype(np.int64, copy=False)
    if column.dtype.kind in "OSU":
        column = _from_objects(column, name, source)
    if column.dtype.kind not in "fi":
        raise ParseError(f"the column of {name}s contains {column.dtype}, not numbers", source)
    if column.dtype.kind == "f":
        column = column.astype(np.float64)
        _report(np.isnan(column), f"the {name} is NaN or missing", column, source)
        _report(np.isinf(column), f"the {name} is infinite", column, source)
    return column


def _values(column: np.ndarray, role: str, source: str) -> np.ndarray:
    """Check a column of edge data."""
    kind, size = column.dtype.kind, column.dtype.itemsize
    if kind not in "biuf" or size > 8:
        return _numbers(column, role.removeprefix(DATA), source)
    return column.astype(f"{kind}4") if size == 2 else column


def _from_objects(column: np.ndarray, name: str, source: str) -> np.ndarray:
    """Convert a column of Python objects to numbers: text is read strictly, missing values are NaN."""
    column = _ints(column)
    if column.dtype.kind in "iu":
        return _numbers(column, name, source)
    values = column.tolist()
    if values and all(isinstance(v, str) for v in values):

        def fault(row: int, reason: str) -> ParseError:
            return ParseError(
                f"the column of {name}s contains text, not numbers: {reason}", source, row + 1, values[row]
            )

        return wd.dates(values, fault) if name == "time" and wd.is_date(values[0]) else wd.numbers(values, fault)
    if any(isinstance(v, NESTED | str | bytes | complex) for v in values):
        raise ParseError(f"the column of {name}s contains {column.dtype}, not numbers", source)
    missing = np.fromiter(map(_is_missing, values), dtype=bool, count=len(values))
    _report(missing, f"the {name} is NaN or missing", column, source)
    if all(isinstance(v, datetime.date) for v in values):
        return _numbers(column.astype(_NANOSECONDS), name, source)
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParseError(f"the column of {name}s contains {type(values[0]).__name__}, not numbers", source) from error


def _is_missing(value: Any) -> bool:
    """Return whether a Python object is None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return not isinstance(value, NESTED) and bool(value != value)


def _report(bad: np.ndarray, reason: str, column: np.ndarray, source: str, hint: str | None = None) -> None:
    """Raise for the first row that is bad, if any."""
    if bad.any():
        row = int(np.argmax(bad))
        raise ParseError(reason, source, row + 1, str(column[row]), hint)
