"""The ``.jlg`` format: a line ``n,m,u,name``, then lines ``u,v`` counted from 1."""

from __future__ import annotations

from .edge_list import EdgeList
from .errors import ParseError
from .options import ReadOptions
from .text import read_text
from .text_columns import Layout, first_line, is_count


def read_jlg(data: bytes, source: str, options: ReadOptions) -> EdgeList:
    """Read a ``.jlg`` file; the parameters are those of `read_text`.

    Vertices are counted from 0, with `first_id` 1 and the announced number. The graph is undirected if the header's
    third field is ``u``. Raises ParseError if the header or a line is malformed, or the number of lines is not the
    announced one.
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
