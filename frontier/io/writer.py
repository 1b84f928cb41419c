"""Writing edge lists."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from frontier.runtime.atomic_file import replacing

from .edge_list import FIRST_ID, TIME_UNIT, EdgeList
from .files import bare_name
from .tables import require_pyarrow

_TEXT = {".txt": " ", ".el": " ", ".edges": " ", ".tsv": "\t", ".csv": ","}
_OPENERS: dict[str, Callable[..., Any]] = {
    ".gz": partial(gzip.open, compresslevel=6), ".xz": lzma.open, ".bz2": bz2.open,
}  # fmt: skip
_ROWS = 1 << 16  # lines formatted at a time


def write_edges(path: str | os.PathLike, edges: EdgeList) -> None:
    """Write an edge list in the format that the name asks for.

    The file appears when it is complete: an error, or an interrupt, leaves the old contents.

    Parameters
    ----------
    path : str or path-like
        ``.txt``, ``.el``, ``.edges`` (blanks), ``.tsv``, ``.csv``, ``.mtx`` (Matrix Market), each of them also with
        ``.gz``, ``.xz`` or ``.bz2``. Also ``.parquet``, ``.feather`` or ``.arrow`` (require pyarrow).
    edges : EdgeList
        Written row by row with vertex numbers from `first_id` (``.mtx``: from 1, and of undirected edges the
        larger end first). `ids` are not written, and tables do not store the number of vertices. Text has the columns
        ``src dst weight time``, as present, and comments that let `read_edges` restore the list exactly. CSV and tables
        also have the columns of `data`, by their names.

    Raises
    ------
    ValueError
        If the suffix is unknown, if `edges` has times and the format is ``.mtx``, or if it has data and the format does
        not name columns.
    ImportError
        If the format needs pyarrow and it is not installed.
    OSError
        If the file cannot be written.

    See Also
    --------
    read_edges : Read the file.

    Examples
    --------
    >>> import os, tempfile
    >>> import frontier as fr
    >>> edges = fr.io.from_table({"src": [0, 1], "dst": [1, 2]})
    >>> path = os.path.join(tempfile.mkdtemp(), "edges.csv")
    >>> fr.io.write_edges(path, edges)
    >>> fr.io.read_edges(path).dst
    array([1, 2], dtype=int32)
    """
    name = bare_name(path)
    suffix = Path(name).suffix
    if edges.data and suffix not in (".csv", ".parquet", ".feather", ".arrow"):
        raise ValueError(f"{path}: {suffix} files cannot store data; write CSV or a table")
    if suffix in (".parquet", ".feather", ".arrow"):
        if not name == Path(path).name.lower():
            raise ValueError(f"{path}: {suffix} files are compressed inside; leave out {Path(path).suffix}")
        with replacing(path) as file:
            _write_table(file, suffix, edges)
    elif suffix == ".mtx":
        if edges.times is not None:
            raise ValueError("Matrix Market files cannot store times; write text or a table")
        header = _matrix_market_header(edges)
        if edges.directed is False:  # a symmetric file stores the lower triangle
            edges = replace(edges, src=np.maximum(edges.src, edges.dst), dst=np.minimum(edges.src, edges.dst))
        _write_text(path, header, replace(edges, first_id=1), " ")
    elif suffix in _TEXT:
        header = _text_header(edges, _TEXT[suffix], names_line=suffix == ".csv")
        _write_text(path, header, edges, _TEXT[suffix])
    else:
        known = ", ".join([*_TEXT, ".mtx", ".parquet", ".feather", ".arrow"])
        raise ValueError(f"{path}: unknown suffix {suffix!r}; known are {known}, the text formats also compressed")


def _text_header(edges: EdgeList, separator: str, names_line: bool) -> str:
    names = [name for name, _ in _columns(edges[:0])]
    lines = [f"# num_vertices: {edges.num_vertices}"]
    lines += [f"# {name}: {value}" for name, value in _notes(edges).items()]
    if edges.directed is not None:
        lines.append("# Directed graph" if edges.directed else "# Undirected graph")
    lines.append(separator.join(names) if names_line else "# " + " ".join(names))
    return "\n".join(lines) + "\n"


def _notes(edges: EdgeList) -> dict[str, str]:
    """Return the properties of an edge list that columns do not have."""
    notes = {FIRST_ID: edges.first_id or None, TIME_UNIT: None if edges.times is None else edges.time_unit}
    return {name: str(value) for name, value in notes.items() if value is not None}


def _matrix_market_header(edges: EdgeList) -> str:
    field = "pattern" if edges.weights is None else "integer" if edges.weights.dtype.kind in "iu" else "real"
    symmetry = "symmetric" if edges.directed is False else "general"
    size = edges.num_vertices
    return f"%%MatrixMarket matrix coordinate {field} {symmetry}\n{size} {size} {len(edges)}\n"


def _columns(edges: EdgeList) -> list[tuple[str, np.ndarray]]:
    """Return the columns of a file with their names."""
    src, dst = (column if edges.first_id == 0 else column.astype(np.int64) + edges.first_id
                for column in (edges.src, edges.dst))  # fmt: skip
    columns = ("src", src), ("dst", dst), ("weight", edges.weights), ("time", edges.times), *(edges.data or {}).items()
    return [(name, column) for name, column in columns if column is not None]


def _write_text(path: str | os.PathLike, header: str, edges: EdgeList, separator: str) -> None:
    opener = _OPENERS.get(Path(path).suffix.lower())  # compresses by the last suffix
    with replacing(path) as target, nullcontext(target) if opener is None else opener(target, "wb") as file:
        file.write(header.encode())
        for batch in edges.batches(_ROWS):
            # tolist gives Python numbers, whose text is the shortest that reads back as the same number.
            columns = [(c.astype(np.int8) if c.dtype == bool else c).tolist() for _, c in _columns(batch)]
            line = separator.join(["%s"] * len(columns)) + "\n"
            file.write("".join(line % row for row in zip(*columns, strict=True)).encode())


def _write_table(file: BinaryIO, suffix: str, edges: EdgeList) -> None:
    table = require_pyarrow(f"writing {suffix}").table(dict(_columns(edges))).replace_schema_metadata(_notes(edges))
    if suffix == ".parquet":
        import pyarrow.parquet as parquet

        parquet.write_table(table, file, write_page_checksum=True)
    else:
        import pyarrow.feather as feather

        feather.write_feather(table, file)
