"""Text edge lists: one record per line, columns separated by blanks or by a delimiter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from frontier.io.columns import (
    Columns,
    check_roles,
    looks_like_times,
    role_of,
    roles_from_mapping,
    roles_from_names,
)
from frontier.io.edge_list import EdgeList
from frontier.io.errors import line_error

COMMENTS = "#%"
_LARGEST_ID = 2**63 - 2  # so that the number of vertices fits in int64 as well
_UNKNOWN = "unknown"  # the role of a third column that nothing names


@dataclass(frozen=True)
class Layout:
    """What a format fixes about its lines.

    Parameters
    ----------
    start : int
        Offset of the first line of records.
    base : int
        The number that the file gives to the first vertex.
    num_vertices : int, optional
        Number of vertices that the file announces; larger ids are an error.
    roles : list of (str or None), optional
        Roles of the columns, where the format names them.
    directed : bool, optional
        Whether the file says that records are directed.
    real_weights : bool
        Whether the format says that weights are reals: they are float64 then, even where all are written as integers.
    """

    start: int = 0
    base: int = 0
    num_vertices: int | None = None
    roles: list[str | None] | None = None
    directed: bool | None = None
    real_weights: bool = False


def read_text(
    data: bytes,
    source: str,
    *,
    layout: Layout | None = None,
    columns: Columns = None,
    weighted: bool | None = None,
    comments: str = COMMENTS,
    delimiter: str | None = None,
    operations: bool = False,
    any_header: bool = False,
) -> tuple[EdgeList, np.ndarray]:
    """Parse a text edge list.

    Parameters
    ----------
    data : bytes
        The decompressed file.
    source : str
        Its name, for errors.
    layout : Layout, optional
        What the format fixes; by default it is read off the comments and names at the top of the file.
    columns, weighted, comments, delimiter
        See `frontier.io.read_edges`.
    operations : bool
        Whether every line starts with ``+`` or ``-``.
    any_header : bool
        Whether a first line of words is a header even if it names neither source nor destination.

    Returns
    -------
    edges : EdgeList
        The records.
    ops : ndarray of int8, shape (m,)
        The operation character of each record; empty without `operations`.

    Raises
    ------
    ParseError
        At the first malformed line.
    ValueError
        If `columns` or `delimiter` make no sense.
    """
    given = layout is not None
    if layout is None:
        layout = _preamble(data, source, comments)
    separator = _separator(delimiter)
    comment_set = frozenset(comments.encode())
    at, words = _first_record(data, layout.start, comment_set, separator, operations)
    names = None
    if words and not given and not operations and not re.match(r"[-+.]?\d", words[0]) and not _is_operation(words):
        names = words
        named = roles_from_names(words)
        if named or any_header or (columns is not None and _names_known(columns, words)):
            end = data.find(b"\n", at)
            layout = replace(layout, start=len(data) if end < 0 else end + 1, roles=named)
            _, words = _first_record(data, layout.start, comment_set, separator, operations)
    roles, exact = _roles(columns, weighted, layout.roles, len(words), names, data, at, source)
    table = _tokenize(data, source, layout, roles, comment_set, separator, operations, exact)
    return _assemble(table, layout, weighted), table["ops"]


def is_operation_stream(data: bytes, comments: str = COMMENTS) -> bool:
    """Whether the first record of a text starts with ``+`` or ``-`` as a word of its own."""
    return _is_operation(_first_record(data, 0, frozenset(comments.encode()), 44, False)[1])


def first_line(data: bytes) -> tuple[str, int]:
    """First line of `data` without its line end, and the offset of the second line."""
    end = data.find(b"\n")
    end = len(data) if end < 0 else end
    return data[:end].decode("utf-8", "replace").rstrip("\r"), min(end + 1, len(data))


def _is_operation(words: Sequence[str]) -> bool:
    return bool(words) and words[0] in ("+", "-")


def _separator(delimiter: str | None) -> int:
    """The byte that may separate columns besides blanks."""
    if delimiter is None:
        return ord(",")
    if len(delimiter.encode()) != 1:
        raise ValueError(f"delimiter must be one ASCII character, got {delimiter!r}")
    return -1 if delimiter.isspace() else ord(delimiter)


def _first_record(
    data: bytes, start: int, comments: frozenset[int], separator: int, operations: bool
) -> tuple[int, list[str]]:
    """Offset and words of the first line that is neither blank nor a comment; of the first insertion in a stream."""
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = data[start:end].strip()
        if line and line[0] not in comments:
            text = line.decode("utf-8", "replace")
            if separator >= 0:
                text = text.rstrip(chr(separator))
                words = [w for part in text.split(chr(separator)) for w in (part.split() or [""])]
            else:
                words = text.split()
            if not operations:
                return start, words
            if words[0] != "-":  # deletions may lack the weight, so they do not tell the width
                return start, words[1:]
        start = end + 1
    return len(data), []


def _preamble(data: bytes, source: str, comments: str) -> Layout:
    """What the comments at the top of a file say: direction, number of vertices, names of columns, KONECT's base."""
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    layout = Layout(start=start)
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = data[start:end].decode("utf-8", "replace").strip()
        if line and line[0] not in comments:
            break
        text = line[1:].strip()
        if konect := re.match(r"(sym|asym|bip)\s+(un)?(weighted|positive|posweighted|signed|multi\w*|dynamic)", text):
            if konect[1] == "bip":
                raise line_error("bipartite KONECT graphs number their two sides separately", source, data, start)
            layout = replace(layout, base=1, directed=konect[1] == "asym")
        elif direction := re.match(r"(directed|undirected)\s+graph\b", text, re.IGNORECASE):
            layout = replace(layout, directed=direction[1].lower() == "directed")
        elif count := re.match(r"num_vertices:\s*(\d+)$", text):
            layout = replace(layout, num_vertices=int(count[1]))
        elif len(text.split()) >= 2 and all(role_of(word) for word in text.split()):
            layout = replace(layout, roles=roles_from_names(text.split()))
        start = end + 1
    return layout


def _names_known(columns: Columns, words: Sequence[str]) -> bool:
    return isinstance(columns, Mapping) and set(columns.values()) <= set(words)


def _roles(
    columns: Columns,
    weighted: bool | None,
    named: list[str | None] | None,
    width: int,
    names: Sequence[str] | None,
    data: bytes,
    at: int,
    source: str,
) -> tuple[list[str | None], bool]:
    """Roles of the columns to parse, and whether more columns than these are an error."""
    if columns is not None:
        if isinstance(columns, Mapping):
            if names is None:
                raise ValueError(f"{source}: columns is a mapping of names, but the file has no line of names")
            return roles_from_mapping(columns, names), False
        return check_roles(columns), False
    if named is not None:
        named = list(named)
        while named[-1] is None:
            named.pop()
        # The comment of SNAP's temporal files may name fewer columns than there are.
        if len(named) >= width or names is not None:
            return named, names is None
    if width <= 2:
        return ["src", "dst"], True
    if width == 3:
        return ["src", "dst", "weight" if weighted else _UNKNOWN], True
    if width == 4:
        return ["src", "dst", "weight", "time"], True
    raise line_error(f"{width} columns; say which is which with columns=('src', 'dst', ...)", source, data, at)


def _tokenize(
    data: bytes,
    source: str,
    layout: Layout,
    roles: Sequence[str | None],
    comments: frozenset[int],
    separator: int,
    operations: bool,
    exact: bool,
) -> dict[str, np.ndarray]:
    """Run the kernel; return a column for each role, and ``ops``."""
    from frontier.io import tokenizer as tk  # here, so that what needs no parsing does not load the compiler

    kept = [role for role in roles if role is not None]
    number = tk.OPTIONAL_NUMBER if operations else tk.NUMBER
    kind_of = {None: tk.SKIP, "src": tk.ID, "dst": tk.ID, "time": tk.NUMBER}
    kinds = np.array([kind_of.get(role, number) for role in roles])
    slots = np.array([0 if role is None else kept.index(role) for role in roles])
    rows = data.count(b"\n", layout.start) + 1
    out = np.empty((len(kept), rows), dtype=np.int64)
    is_real = np.zeros(len(kept), dtype=bool)
    hard = np.empty((rows * (len(kept) - 2), 4), dtype=np.int64)
    ops = np.empty(rows if operations else 0, dtype=np.int8)
    is_comment = np.zeros(256, dtype=bool)
    is_comment[list(comments)] = True
    lowest = layout.base
    highest = _LARGEST_ID if layout.num_vertices is None else min(layout.num_vertices - 1 + layout.base, _LARGEST_ID)
    status, position, column, count, hards = tk.tokenize(
        np.frombuffer(data, dtype=np.uint8),
        layout.start,
        is_comment,
        separator,
        kinds,
        slots,
        lowest,
        highest,
        operations,
        exact,
        out,
        out.view(np.float64),
        is_real,
        hard,
        ops,
    )
    if status != tk.OK:
        reason = _reason(status, _word(data, position, separator), roles, column, layout, tk)
        raise line_error(reason, source, data, position)
    for row, slot, begin, end in hard[:hards].tolist():
        value = float(data[begin:end])
        if abs(value) == float("inf"):
            raise line_error(f"the {kept[slot]} {data[begin:end].decode()} overflows float64", source, data, begin)
        out.view(np.float64)[slot, row] = value
    table = {
        role: (out[slot].view(np.float64) if is_real[slot] else out[slot])[:count] for slot, role in enumerate(kept)
    }
    table["ops"] = ops[:count]
    return table


def _assemble(table: dict[str, np.ndarray], layout: Layout, weighted: bool | None) -> EdgeList:
    """Turn parsed columns into an edge list, vertices counted from 0."""
    weights, times = table.get("weight"), table.get("time")
    if _UNKNOWN in table:
        if weighted is None and looks_like_times(table[_UNKNOWN]):
            times = table[_UNKNOWN]
        else:
            weights = table[_UNKNOWN]
    if weighted is False:
        weights = None
    src, dst = table["src"], table["dst"]
    if layout.base:
        src -= layout.base
        dst -= layout.base
    # Copies, so that the list does not keep the kernel's whole buffer alive; int32 makes its own.
    edges = EdgeList(
        src,
        dst,
        weights=None if weights is None else weights.astype(np.float64) if layout.real_weights else weights.copy(),
        times=None if times is None else times.copy(),
        num_vertices=layout.num_vertices,
        directed=layout.directed,
    )
    return replace(edges, src=edges.src.copy(), dst=edges.dst.copy()) if edges.src.dtype == np.int64 else edges


def _word(data: bytes, position: int, separator: int) -> str:
    """The word that starts at `position`."""
    stop = re.compile(rb"[\s%s]" % (re.escape(bytes([separator])) if separator >= 0 else b""))
    match = stop.search(data, position + 1)
    word = data[position : match.start() if match else len(data)].decode("utf-8", "replace")
    return word if len(word) <= 60 else word[:60] + "…"


def _reason(status: int, word: str, roles: Sequence[str | None], column: int, layout: Layout, tk) -> str:
    """Say in words what the kernel found."""
    role = roles[column] if 0 <= column < len(roles) else None
    name = "third column" if role == _UNKNOWN else str(role)
    if status == tk.WORD:
        return f"stray word {word!r} where the {name} should be"
    if status == tk.NEGATIVE:
        return f"negative vertex id {word}"
    if status == tk.OVER_INT64 or (status == tk.ABOVE and layout.num_vertices is None):
        return f"vertex id {word} is over the int64 range"
    if status == tk.MISSING:
        return f"missing column: the {name} (column {column + 1} of {len(roles)})"
    if status == tk.NAN:
        return f"the {name} is NaN"
    if status == tk.INFINITE:
        return f"the {name} is infinite"
    if status == tk.EXTRA:
        return f"stray word {word!r} after the last of {len(roles)} columns"
    if status == tk.NOT_INTEGER:
        return f"vertex id {word} is not an integer"
    if status == tk.BAD_OPERATION:
        return f"{word!r} is not an operation; lines start with '+' or '-'"
    if status == tk.EMPTY_FIELD:
        return f"missing column: the {name} is empty"
    if status == tk.BELOW:
        return f"vertex id {word} in a format that counts from {layout.base}"
    return f"vertex id {word} is over the announced number of vertices, {layout.num_vertices}"
