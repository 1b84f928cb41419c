"""Reading an edge list of any supported format."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import numpy as np

from .archives import Directory, Files, open_archive
from .columns import Columns
from .edge_list import EdgeList, remaining
from .errors import ParseError
from .files import bare_name, decompress, read_raw, unpacked_limit, without_suffixes
from .konect import INSERT, is_konect
from .ldbc import beside, edge_file_of, read_ldbc
from .lines import COMMENTS, LONGEST_RECORD, check_ended, first_words, is_operation_stream
from .matrix_market import MAGIC, read_headerless, read_jlg, read_matrix_market
from .options import ReadOptions
from .tables import from_table, read_arrow_file
from .text import read_text

_EDGE_SUFFIXES = (".e", ".mtx", ".jlg", ".txt", ".csv", ".tsv", ".edges", ".el", ".parquet", ".feather", ".arrow")
_TABLES = (b"PAR1", b"ARROW1", b"FEA1")  # the starts of Parquet, Arrow and Feather files
_TEMPORAL = ("src", "dst", "time")
_OPEN_FILE = "input"  # the name of an open file without one


def read_edges(
    path: str | os.PathLike | BinaryIO,
    *,
    columns: Columns = None,
    weighted: bool | None = None,
    compact: bool = False,
    comments: str = COMMENTS,
    delimiter: str | None = None,
    header: bool | None = None,
    named: bool | None = None,
    member: str | None = None,
    data: Sequence[str] = (),
    max_record_bytes: int = LONGEST_RECORD,
) -> EdgeList:
    """Read a graph file of any supported format.

    The format follows from the content and the name:

    - **text** ``u v``, ``u v w``, ``u v t`` or ``u v w t`` (SNAP, KONECT): one row per line, blanks between columns
      or commas, an optional first line of names, ``#`` and ``%`` comments.
    - **CSV** and TSV (by suffix): the same, but vertices may have names instead of numbers, and fields may be quoted.
    - **Matrix Market** coordinate files (content), and without header (``*.noheader.mtx``), counted from 1.
    - ``.jlg``: a line ``n,m,u,name``, then ``u,v`` counted from 1.
    - **LDBC Graphalytics** ``.e`` with the ``.v`` and ``.properties`` files next to it, any of which may be named.
    - **Parquet, Feather, Arrow** (by content, requires pyarrow).
    - each of them compressed with gzip, xz or bzip2, or as a member of a tar or zip archive.

    The first line of a KONECT network defines its third column: a weight, or with ``% sym dynamic`` and ``% asym
    dynamic`` an operation, 1 for an insertion and -1 for a deletion. `read_stream` retains these in order. Bipartite
    networks (``% bip``) raise an error.

    A time is a number, or a date of ISO 8601 such as ``2020-01-31T10:00:00Z``, which becomes nanoseconds since 1970.

    Parameters
    ----------
    path : str, path-like or binary file
        The file, or an open one, which is read to its end. An uncompressed pipe must end with a line end. A file need
        not.
    columns : sequence of (str or None), or mapping of str to str, optional
        Roles of the columns by position, such as ``("src", "dst", "time")`` or ``("src", "dst", None, "weight")``, None
        for a skipped one. If columns have names, a mapping such as ``{"src": "sender", "dst": "receiver"}``. A mapping
        without an end, such as ``{"weight": "score"}``, adds to the roles by name. With `columns`, rows may have more
        fields than there are names: the last name stands for the rest.
        By default columns have the roles of their names, if any, in a first line or in a comment. Names of sources are
        ``src``, ``source``, ``from``, ..., and of destinations ``dst``, ``target``, ``to``, ... Names of weights are
        ``weight``, ``value``, ``amount``, ``cost``, ..., and of times ``time``, ``timestamp``, ``date``, ``when``, ...
        If two or three columns have no such name, these are the ends, and a third column. Other columns are ignored
        with an `IgnoredColumnsWarning`, which names them.
        A third column without a name is the time if the file's name contains ``temporal``, or if it has dates, or
        integers of at least 10**8 only. Otherwise it is the weight, and a fourth column is the time.
    weighted : bool, optional
        True makes an unnamed third column the weight and requires weights. False ignores weights.
    compact : bool
        Renumber the vertices of rows to 0..n-1, with `ids` the ids of the file. By default the first possible id (0, or
        1 in formats that count from 1) is vertex 0. ``num_vertices`` is then the number in the file, or includes the
        largest id. LDBC graphs are always renumbered, as their ids are sparse.
    comments : str
        Characters that start a comment line. A line of a file of names may look like both: it starts with such a
        character directly before a word, and is as wide as the rows. By default it is a row if other names start so,
        and an error otherwise: pass ``comments="#"`` or ``comments=""``.
    delimiter : str, optional
        One character that separates columns, or ``" "`` for blanks and tabs in any number. By default a comma if the
        first line has one, else a tab in CSV and TSV files with one, else blanks. Blanks around fields are dropped.
    header : bool, optional
        Whether the first line of a text has the names of the columns. By default it does if these name the ends. It
        also does, with a `ReaderWarning`, if in a CSV or TSV file words stand above two integers, and no number in the
        line. It also warns of ends that are letters, such as ``u,v``, above words.
    named : bool, optional
        Whether ids are names, which are then numbered, with `ids` the names. In a text these are words of any kind,
        such as ``ann``, ``-1`` and ``12e4``. For tables see `from_table`. By default they are if an end is a word in
        the first row of a CSV or TSV file, or of a file with names of columns. Such a text may contain comments only
        at the top, unless `comments` names their first characters. Ids such as ``007`` and ``+7`` are the integer 7,
        with a `ReaderWarning`, unless they are names.
    member : str, optional
        The file of an archive with several graphs: its name, or the end of its path with or without suffix.
    data : sequence of str
        Columns of numbers for edge data (`EdgeList.data`), of a text with a line of names, or of a table. This
        overrides roles by name.
    max_record_bytes : int
        Maximum bytes of a row of a text, 1 MiB by default. A row is a line, or several if a field starts with a double
        quote. Such a field ends with the next quote that is not doubled, and may contain line ends if the column is of
        words, or skipped. So a stray quote at the start of a field is an error that names its line.

    Returns
    -------
    EdgeList
        Every row, self-loops and duplicates included, in the order of the file. For a dynamic network of KONECT, the
        rows that no deletion follows, in time order. Vertices are counted from 0.
        KONECT, Matrix Market and ``.jlg`` files count from 1: `first_id` is then 1, and `EdgeList.original_ids` and
        `EdgeList.vertex_of` translate ids.
        Weights and times are int64, or float64 if one has a fraction. If times were dates, `time_unit` is "ns".

    Raises
    ------
    ParseError
        The content is malformed, truncated, or in an unknown format. The message names file, line and text.
    OSError
        The file cannot be read.
    ImportError
        The format needs pyarrow, which is not installed.
    ValueError
        An argument does not suit the file.

    See Also
    --------
    read_stream : The same as a stream of batches.
    from_table : Read a table in memory.
    write_edges : Write an edge list.

    Examples
    --------
    >>> edges = read_edges("sx-mathoverflow.txt.gz", compact=True)  # doctest: +SKIP
    >>> edges.src, edges.dst, edges.times, edges.ids  # doctest: +SKIP
    """
    options = ReadOptions(columns, weighted, comments, delimiter, header, named, data, max_record_bytes, False)
    edges, ops = read_records(path, options, member)
    edges = edges.compact() if compact else edges
    return edges if ops is None else remaining(edges, ops == INSERT)


def read_records(
    path: str | os.PathLike | BinaryIO, options: ReadOptions, member: str | None = None
) -> tuple[EdgeList, np.ndarray | None]:
    """Read a file that may be a stream of insertions and deletions. Parameters and errors as in `read_edges`.

    If the options exclude lines that start with ``+`` or ``-``, such a file is an error. KONECT's dynamic networks
    always have operations. Returns the rows, not compacted, and the operation character of each (int8), or None.
    """
    edges, ops = _read(path, options, member)
    if options.weighted and edges.weights is None and len(edges):
        raise ParseError("missing column: weights are asked for and there are none", _source_of(path))
    return edges, ops


def _source_of(path: Any) -> str:
    """Return the name of a file in errors."""
    if isinstance(path, str | os.PathLike):
        return str(Path(path))
    name = getattr(path, "name", None)
    return name if isinstance(name, str) else _OPEN_FILE


def _read(path: Any, options: ReadOptions, member: str | None) -> tuple[EdgeList, np.ndarray | None]:
    """Find the format and read."""
    (raw, piped), source = read_raw(path), _source_of(path)
    limit, name, key = unpacked_limit(raw), bare_name(source), Path(source).name
    data = decompress(raw, source, limit)
    archive = open_archive(data, name, source, limit)
    files: Files | Directory = Directory(Path(source).parent) if archive is None else archive
    if archive is not None:
        key = _choose(archive, member, source)
        data, name, source = archive[key], bare_name(key), f"{source}:{key}"
    elif member is not None:
        raise ValueError(f"{source} is not an archive, so it has no member {member!r}")
    elif piped and data is raw and not data.startswith(_TABLES):  # compressed data has an end mark
        check_ended(data, source, "the pipe")
    if name.endswith((".e", ".v", ".properties")):
        key = _edge_file(key, data, files, source)
        folder = source.removesuffix(key) if source.endswith(key) else source[: source.rfind("/") + 1]
        return read_ldbc(key, files, f"{folder}{key}", _numbers_only(options, source)), None
    return _read_single(data, name, source, options)


def _numbers_only(options: ReadOptions, source: str) -> ReadOptions:
    """Return the options of a format with integer ids and unnamed columns. ValueError for other requests."""
    for name in ("header", "named"):
        if getattr(options, name):
            raise ValueError(f"{source}: {name}= is for text and CSV; this format leaves no choice")
    if options.data:
        raise ValueError(f"{source}: data= is for text and tables whose columns have names")
    return options


def _read_single(data: bytes, name: str, source: str, options: ReadOptions) -> tuple[EdgeList, np.ndarray | None]:
    """Read a format that is one file."""
    if data.startswith(_TABLES) or name.endswith((".parquet", ".feather", ".arrow")):
        _numbers_only(replace(options, data=(), named=None), source)
        return from_table(
            read_arrow_file(data, source), columns=options.columns, weighted=options.weighted, source=source,
            data=options.data, named=options.named,
        ), None  # fmt: skip
    if data.startswith(MAGIC) or (name.endswith(".mtx") and ".noheader." not in name):
        return read_matrix_market(data, source, _numbers_only(options, source)), None
    if name.endswith(".mtx"):
        return read_headerless(data, source, _numbers_only(options, source)), None
    if name.endswith(".jlg"):
        return read_jlg(data, source, _numbers_only(options, source)), None
    known = text_options(data, name, options)
    if known.operations and options.operations is False:
        raise ParseError("lines start with '+' or '-'; read such a stream with read_stream", source)
    edges, ops = read_text(data, source, known)
    return edges, ops if known.operations or len(ops) else None


def text_options(data: bytes, name: str, options: ReadOptions) -> ReadOptions:
    """Return the options, extended by the name of a text and its first lines."""
    if options.columns is None and options.weighted is None and "temporal" in name and not is_konect(data):
        words = first_words(data, options.comments, options.delimiter)
        if len(words) == 3 and words[0].isdecimal():
            options = replace(options, columns=_TEMPORAL)
    operations = options.operations or is_operation_stream(data, options.comments)
    # Input from a pipe has no suffix.
    return replace(options, operations=operations, table=name.endswith((".csv", ".tsv")) or "." not in name)


def _choose(files: Files, member: str | None, source: str) -> str:
    """Return the member of an archive to read."""
    # macOS puts a companion of each file into zip archives.
    graphs = [name for name in files if bare_name(name).endswith(_EDGE_SUFFIXES) and not name.startswith("__MACOSX/")]
    if member is not None:
        wanted = "/" + member.strip("/")
        exact = [name for name in files if ("/" + name).endswith(wanted)]
        stems = [name for name in graphs if ("/" + without_suffixes(name)).endswith(wanted)]
        found = exact or stems
        if len(found) == 1:
            return found[0]
        if not found and any(("/" + name).endswith(wanted) for name in files.links):
            raise ParseError(f"{member!r} is a link, which is not followed; name the file itself", source)
        problem = "matches several members" if found else "is not in the archive"
        raise ParseError(f"{member!r} {problem}; it contains the graphs {', '.join(found or graphs)}", source)
    if len(graphs) != 1:
        held = ", ".join(graphs) if graphs else "none"
        raise ParseError(f"choose one graph of the archive with member=; it contains {held}", source)
    return graphs[0]


def _edge_file(key: str, data: bytes, files: Mapping[str, bytes], source: str) -> str:
    """Return the name of the ``.e`` file that belongs to a ``.e``, ``.v`` or ``.properties`` file."""
    if bare_name(key).endswith(".e"):
        return key
    stem = without_suffixes(key)
    wanted = edge_file_of(data, f"{stem}.e") if bare_name(key).endswith(".properties") else f"{stem}.e"
    there = beside(wanted.removesuffix(".e"), ".e", files)
    if there is not None:
        return there
    # Archives put properties and data into different folders.
    found = [name for name in files if PurePosixPath(name).name == PurePosixPath(wanted).name]
    if len(found) != 1:
        raise ParseError(f"the edge file {wanted} that belongs to it is not there", source)
    return found[0]
