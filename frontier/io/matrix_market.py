"""Formats with numbers of vertices and edges: Matrix Market coordinate files, with or without header, and ``.jlg``."""

from __future__ import annotations

from .edge_list import EdgeList
from .errors import ParseError, line_error
from .lines import Syntax, record_at
from .options import ReadOptions
from .text import read_text
from .text_columns import Layout, first_line, is_count

MAGIC = b"%%MatrixMarket"
_LINES = Syntax(comments=frozenset(b"%"), multiline=False)
_DIRECTED = {"general": True, "symmetric": False}


def read_matrix_market(data: bytes, source: str, options: ReadOptions) -> EdgeList:
    """Read a square sparse matrix as a graph with an edge from row to column of each entry.

    The format is coordinate, pattern, real or integer, general or symmetric. Each stored entry is one row, so a
    symmetric file lists each undirected edge once. Vertices are counted from 0, with `first_id` 1. The parameters are
    as in `read_text`. Only the options `columns` and `weighted` count. Raises ParseError if the header is malformed or
    unsupported, the matrix is not square, or an entry is malformed or missing.
    """
    header, start = first_line(data)
    words = header.lower().split()
    if len(words) != 5 or words[0] != "%%matrixmarket" or words[1:3] != ["matrix", "coordinate"]:
        raise ParseError("only '%%MatrixMarket matrix coordinate <field> <symmetry>' is a graph", source, 1, header)
    if words[3] not in ("pattern", "real", "integer"):
        raise ParseError(f"entries of the field {words[3]!r} are no edge weights", source, 1, header)
    if words[4] not in _DIRECTED:
        raise ParseError(f"the symmetry {words[4]!r} has no meaning for a graph", source, 1, header)
    start, size = _size_line(data, start, source)
    rows, cols, entries = size
    if rows != cols:
        raise line_error(f"the matrix is {rows} by {cols}; a graph needs a square one", source, data, start)
    roles: list[str | None] = ["src", "dst"] if words[3] == "pattern" else ["src", "dst", "weight"]
    begin = data.find(b"\n", start) + 1 or len(data)
    layout = Layout(
        start=begin, base=1, num_vertices=rows, roles=roles, directed=_DIRECTED[words[4]], delimiter=" ",
        real_weights=words[3] == "real",
    )  # fmt: skip
    edges, _ = read_text(data, source, ReadOptions(options.columns, options.weighted), layout)
    if len(edges) != entries:
        raise line_error(f"{entries} entries announced, {len(edges)} found", source, data, start)
    return edges


def read_headerless(data: bytes, source: str, options: ReadOptions) -> EdgeList:
    """Read entries ``i j [value]``, counted from 1, as `read_text` does. Vertices count from 0, with `first_id` 1."""
    return read_text(data, source, options, Layout(base=1))[0]


def _size_line(data: bytes, start: int, source: str) -> tuple[int, tuple[int, int, int]]:
    """Return the offset and the numbers of the line ``rows columns entries``."""
    start, _, line = record_at(data, start, _LINES)
    if not line:
        raise ParseError("the file ends before the size line 'rows columns entries'", source)
    words = line.replace("\t", " ").split(" ")
    words = [word for word in words if word]
    if len(words) != 3 or not all(map(is_count, words)):
        raise line_error("expected the size line 'rows columns entries'", source, data, start)
    return start, (int(words[0]), int(words[1]), int(words[2]))


def read_jlg(data: bytes, source: str, options: ReadOptions) -> EdgeList:
    """Read a ``.jlg`` file, a line ``n,m,u,name``, then lines ``u,v`` counted from 1. Parameters as in `read_text`.

    Vertices are counted from 0, with `first_id` 1. The graph is undirected if the third field is ``u``. ParseError for
    malformed lines, or another number of lines than announced.
    """
    header, start = first_line(data)
    fields = [field.strip(" \t") for field in header.split(",")]
    if len(fields) < 3 or not (is_count(fields[0]) and is_count(fields[1])) or fields[2] not in ("u", "d"):
        raise ParseError("expected the header 'vertices,edges,u|d,name'", source, 1, header)
    layout = Layout(start=start, base=1, num_vertices=int(fields[0]), directed=fields[2] == "d", delimiter=",")
    edges, _ = read_text(data, source, options, layout)
    if len(edges) != int(fields[1]):
        raise ParseError(f"{fields[1]} edges announced, {len(edges)} found", source, 1, header)
    return edges
