"""Reading an edge list of any supported format."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import numpy as np

from frontier.io.columns import Columns
from frontier.io.edge_list import EdgeList
from frontier.io.errors import ParseError
from frontier.io.files import bare_name, is_tar, read_bytes, read_tar
from frontier.io.jlg import read_jlg
from frontier.io.ldbc import Directory, edge_file_of, read_ldbc
from frontier.io.matrix_market import MAGIC, read_headerless, read_matrix_market
from frontier.io.tables import from_table, read_arrow_file, read_quoted_csv
from frontier.io.text import COMMENTS, is_operation_stream, read_text

_EDGE_SUFFIXES = (".e", ".mtx", ".jlg", ".txt", ".csv", ".tsv", ".edges", ".el", ".parquet", ".feather", ".arrow")
_TEMPORAL = ("src", "dst", "time")


def read_edges(
    path: str | os.PathLike,
    *,
    columns: Columns = None,
    weighted: bool | None = None,
    compact: bool = False,
    comments: str = COMMENTS,
    delimiter: str | None = None,
    member: str | None = None,
) -> EdgeList:
    """Read a graph file of any supported format.

    The format follows from the content and the name:

    - **text** ``u v``, ``u v w``, ``u v t`` or ``u v w t`` (SNAP, KONECT): one record per line, blanks, tabs or commas
      between columns, an optional first line of names, ``#`` and ``%`` comments;
    - **Matrix Market** coordinate files (content), and without header (``*.noheader.mtx``), counted from 1;
    - ``.jlg``: a line ``n,m,u,name``, then ``u,v`` counted from 1;
    - **LDBC Graphalytics** ``.e`` with the ``.v`` and ``.properties`` files beside it; any of the three may be named;
    - **Parquet, Feather, Arrow** (content; needs pyarrow);
    - each of them compressed with gzip, xz or bzip2, or as a member of a tar archive.

    Parameters
    ----------
    path : str or path-like
        The file.
    columns : sequence of (str or None), or mapping of str to str, optional
        Roles of the columns by position, such as ``("src", "dst", "time")`` or ``("src", "dst", None, "weight")``, None
        for one to skip; or, where columns have names, a mapping such as ``{"src": "sender", "dst": "receiver"}``.
        By default columns go by their names, if any, in a first line or in a comment. Otherwise a third column is the
        time if the file's name says ``temporal``, or if it holds integers that are all at least 10**8; else it is the
        weight; and a fourth column is the time after a weight.
    weighted : bool, optional
        True makes an unnamed third column the weight and insists on weights; False leaves weights out; None decides
        as above.
    compact : bool
        Renumber the vertices that occur in a record to 0..n-1, with `ids` the numbers before that (for formats
        that count from 1: counted from 0). By default numbers are kept and ``num_vertices`` is the announced number
        or one more than the largest. LDBC graphs are always renumbered, as their ids are sparse by definition.
    comments : str
        Characters that start a comment line.
    delimiter : str, optional
        One character that separates columns besides blanks; a comma by default.
    member : str, optional
        Which file of an archive to read: its name, or the end of its path with or without suffix. Needed where the
        archive holds more than one graph.

    Returns
    -------
    EdgeList
        Every record, self-loops and duplicates included, in the order of the file; vertices counted from 0.
        Weights and times are int64, or float64 if one has a fraction.

    Raises
    ------
    ParseError
        If the content is malformed, truncated, or in an unknown format. The message names file, line and text.
    OSError
        If the file cannot be read.
    ImportError
        If the format needs pyarrow and it is not installed.
    ValueError
        If the arguments make no sense for the file.

    Examples
    --------
    >>> edges = read_edges("sx-mathoverflow.txt.gz", compact=True)  # doctest: +SKIP
    >>> edges.src, edges.dst, edges.times, edges.ids  # doctest: +SKIP
    """
    options = {"columns": columns, "weighted": weighted, "comments": comments, "delimiter": delimiter}
    edges, _ = read_records(path, options, member=member, operations=False)
    return edges.compact() if compact else edges


def read_records(
    path: str | os.PathLike, options: dict, *, member: str | None = None, operations: bool | None = None
) -> tuple[EdgeList, np.ndarray | None]:
    """Read a file that may be a stream of insertions and deletions.

    Parameters
    ----------
    path : str or path-like
        The file.
    options : dict
        `columns`, `weighted`, `comments` and `delimiter` of `read_edges`.
    member : str, optional
        See `read_edges`.
    operations : bool, optional
        Whether lines start with ``+`` or ``-``; None to find out. With False such a file is an error.

    Returns
    -------
    edges : EdgeList
        The records, not compacted.
    ops : ndarray of int8, shape (m,), or None
        The operation character of each record, None if lines have none.

    Raises
    ------
    ParseError, OSError, ImportError, ValueError
        See `read_edges`.
    """
    edges, ops = _read(Path(path), options, member, operations)
    if options["weighted"] and edges.weights is None and len(edges):
        raise ParseError("missing column: weights are asked for and there are none", str(path))
    return edges, ops


def _read(path: Path, options: dict, member: str | None, operations: bool | None) -> tuple[EdgeList, np.ndarray | None]:
    """Find the format and read."""
    data, name, source = read_bytes(path), bare_name(path), str(path)
    files: Mapping[str, bytes] = Directory(path.parent)
    key = path.name
    if is_tar(data, name):
        files = read_tar(data, source)
        key = _choose(files, member, source)
        data, name, source = files[key], bare_name(key), f"{source}:{key}"
    elif member is not None:
        raise ValueError(f"{source} is not a tar archive, so it has no member {member!r}")
    if name.endswith((".e", ".v", ".properties")):
        key = _edge_file(key, data, files, source)
        return read_ldbc(key, files, source if name.endswith(".e") else key, **options), None
    return _read_single(data, name, source, options, operations)


def _read_single(
    data: bytes, name: str, source: str, options: dict, operations: bool | None
) -> tuple[EdgeList, np.ndarray | None]:
    """Read a format that is one file."""
    table_options = {"columns": options["columns"], "weighted": options["weighted"], "source": source}
    if data.startswith((b"PAR1", b"ARROW1", b"FEA1")) or name.endswith((".parquet", ".feather", ".arrow")):
        return from_table(read_arrow_file(data, source), **table_options), None
    if data.startswith(MAGIC) or (name.endswith(".mtx") and ".noheader." not in name):
        return read_matrix_market(data, source, columns=options["columns"], weighted=options["weighted"]), None
    if name.endswith(".mtx"):
        return read_headerless(data, source, **options), None
    if name.endswith(".jlg"):
        return read_jlg(data, source, **options), None
    csv = name.endswith(".csv")
    if csv and b'"' in data:  # quoted fields may hold the delimiter, which the kernel does not know about
        return from_table(read_quoted_csv(data, source, options["delimiter"]), **table_options), None
    if operations is not True and is_operation_stream(data, options["comments"]):
        if operations is False:
            raise ParseError("lines start with '+' or '-'; read such a stream with read_stream", source)
        operations = True
    if options["columns"] is None and options["weighted"] is None and "temporal" in name:
        options = {**options, "columns": _temporal_columns(data, options)}
    edges, ops = read_text(data, source, operations=bool(operations), any_header=csv, **options)
    return edges, ops if operations else None


def _temporal_columns(data: bytes, options: dict) -> tuple[str, ...] | None:
    """Columns of a text whose file name says that it has times; None unless there are three."""
    for line in data[: 1 << 16].splitlines():
        text = line.strip().decode("utf-8", "replace")
        if text and text[0] not in options["comments"]:
            words = text.replace(options["delimiter"] or ",", " ").split()
            return _TEMPORAL if len(words) == 3 and words[0].isdigit() else None
    return None


def _choose(files: Mapping[str, bytes], member: str | None, source: str) -> str:
    """The member of an archive to read."""
    graphs = [name for name in files if bare_name(name).endswith(_EDGE_SUFFIXES)]
    if member is not None:
        wanted = "/" + member.strip("/")
        exact = [name for name in files if ("/" + name).endswith(wanted)]
        stems = [name for name in graphs if ("/" + str(PurePosixPath(name).with_suffix(""))).endswith(wanted)]
        found = exact or stems
        if len(found) == 1:
            return found[0]
        problem = "matches several members" if found else "is not in the archive"
        raise ParseError(f"{member!r} {problem}; it holds the graphs {', '.join(found or graphs)}", source)
    if len(graphs) != 1:
        held = ", ".join(graphs) if graphs else "none"
        raise ParseError(f"choose one graph of the archive with member=; it holds {held}", source)
    return graphs[0]


def _edge_file(key: str, data: bytes, files: Mapping[str, bytes], source: str) -> str:
    """Name of the ``.e`` file that belongs to a ``.e``, ``.v`` or ``.properties`` file."""
    if key.endswith(".e"):
        return key
    stem = key.removesuffix(".v").removesuffix(".properties")
    wanted = edge_file_of(data, f"{stem}.e") if key.endswith(".properties") else f"{stem}.e"
    if wanted in files:
        return wanted
    # Archives keep properties and data in different folders.
    found = [name for name in files if PurePosixPath(name).name == PurePosixPath(wanted).name]
    if len(found) != 1:
        raise ParseError(f"the edge file {wanted} that belongs to it is not there", source)
    return found[0]
