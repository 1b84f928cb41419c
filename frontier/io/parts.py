"""Reading a file part by part, in the order of its records and in bounded memory."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from frontier.io.archives import is_archive
from frontier.io.columns import Columns, check_data
from frontier.io.edge_list import EdgeList
from frontier.io.files import bare_name, decompressed_pieces
from frontier.io.reader import text_options
from frontier.io.stream import EdgeStream, read_stream
from frontier.io.tables import from_table, require_pyarrow
from frontier.io.text import COMMENTS, TextParts, count_lines, is_operation_stream

PART_BYTES = 1 << 22  # of text; about 300,000 records
PART_ROWS = 1 << 18  # of a table
PARSERS = max(1, min(4, (os.cpu_count() or 1) // 2))
"""Threads that parse parts of a text: a part takes about twice as long to parse as to decompress."""
_INSERT = ord("+")
_WHOLE = (".mtx", ".jlg", ".e", ".v", ".properties")
"""Formats that consist of several files, or announce what can only be checked in the end."""


def read_parts(
    path: str | os.PathLike[str],
    *,
    columns: Columns = None,
    weighted: bool | None = None,
    comments: str = COMMENTS,
    delimiter: str | None = None,
    header: bool | None = None,
    data: Sequence[str] = (),
    part_bytes: int = PART_BYTES,
    ahead: Callable[[Iterator[bytes]], Iterable[bytes]] = iter,
) -> Iterator[EdgeList]:
    """Read a graph file part by part.

    Text, compressed or not, Parquet and Arrow files are read in bounded memory. All other files, archives among them,
    and texts in which vertices have names, are read as a whole, as `read_stream` does.

    Parameters
    ----------
    path : str or path-like
    columns, weighted, comments, delimiter, header, data
        See `read_edges`.
    part_bytes : int
        About how many bytes of text make a part.
    ahead : callable
        Takes the iterator of decompressed parts of a text and returns another: one that runs it in another thread, say.

    Yields
    ------
    EdgeList
        Records in the order of the file, with the ids of the file. Those of one part are all insertions, or deletions.

    Raises
    ------
    ParseError, OSError, ImportError, ValueError
        See `read_edges`; when the part with the fault is asked for.
    """
    options: dict[str, Any] = {
        "columns": columns, "weighted": weighted, "comments": comments, "delimiter": delimiter, "header": header,
        "data": check_data(data),
    }  # fmt: skip
    parts = None
    with open(path, "rb") as file:
        begin = file.read(8)
        file.seek(0)
        if begin.startswith((b"PAR1", b"ARROW1")):
            parts = _of_table(_parquet(path) if begin.startswith(b"PAR1") else _arrow(path), options, str(Path(path)))
        elif not bare_name(path).endswith(_WHOLE):
            texts = ahead(whole_lines(decompressed_pieces(file, str(Path(path))), part_bytes))
            try:
                parts = _of_text(iter(texts), path, options)
                if parts is not None:
                    yield from parts
            finally:
                if hasattr(texts, "close"):
                    texts.close()
            if parts is not None:
                return
    if parts is None:
        parts = iter(read_stream(path, PART_ROWS, order="file", compact=False, **options))
    yield from parts


# ---- text -----------------------------------------------------------------------------------------------------------


def whole_lines(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in parts of about `size` that end with a line, none of them within quotes."""
    held: list[bytes] = []
    length = 0
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        if length + len(piece) < size or not end:
            held.append(piece)
            length += len(piece)
            continue
        part = b"".join([*held, memoryview(piece)[:end]])  # copied once
        rest = piece[end:]
        if b'"' in part and part.count(b'"') % 2:  # the last line ends within quotes
            end = len(part)
            while end and part.count(b'"', 0, end) % 2:
                end = part.rfind(b"\n", 0, end - 1) + 1
            part, rest = part[:end], part[end:] + rest
        if part:
            yield part
        held, length = [rest], len(rest)
    if length:
        yield b"".join(held)


def _of_text(
    parts: Iterator[bytes], path: str | os.PathLike[str], options: dict[str, Any]
) -> Iterator[EdgeList] | None:  # fmt: skip
    """The records of a text; None if it is none, or must be read as a whole."""
    first, name = next(parts, b""), bare_name(path)
    if is_archive(first, name) or first.startswith((b"%%MatrixMarket", b"FEA1")):
        return None
    options = text_options(first, name, options | {"named": None})
    operations = is_operation_stream(first, options["comments"])
    text = TextParts(first, str(Path(path)), operations=operations, **options)
    if text.has_names:
        return None
    return _parsed(text, first, parts)


def _parsed(text: TextParts, first: bytes, parts: Iterator[bytes]) -> Iterator[EdgeList]:
    """The records of all parts in order, of which several are parsed at the same time."""
    lines = count_lines(first)
    yield from _by_operation(*text.first())
    if PARSERS == 1:
        for part in parts:
            yield from _by_operation(*text.next(part, lines))
            lines += count_lines(part)
        return
    failure: Exception | None = None
    waiting: deque[Future] = deque()
    with ThreadPoolExecutor(PARSERS, thread_name_prefix="dynfrontier-parse") as pool:
        try:
            while True:
                try:
                    part = next(parts, None)
                except Exception as error:  # it comes after the parts before
                    failure, part = error, None
                if part is None:
                    break
                waiting.append(pool.submit(text.next, part, lines))
                lines += count_lines(part)
                if len(waiting) > PARSERS:
                    yield from _by_operation(*waiting.popleft().result())
            while waiting:
                yield from _by_operation(*waiting.popleft().result())
        finally:
            for future in waiting:
                future.cancel()
    if failure is not None:
        raise failure


def _by_operation(edges: EdgeList, ops: np.ndarray) -> Iterable[EdgeList]:
    return EdgeStream(edges, len(edges), ops == _INSERT) if len(ops) else [edges]


# ---- tables ---------------------------------------------------------------------------------------------------------


def _parquet(path: str | os.PathLike[str]) -> Iterator[Any]:
    require_pyarrow("this file")
    import pyarrow.parquet as parquet

    with parquet.ParquetFile(path, page_checksum_verification=True) as file:
        yield from file.iter_batches(PART_ROWS)


def _arrow(path: str | os.PathLike[str]) -> Iterator[Any]:
    pyarrow = require_pyarrow("this file")
    with pyarrow.memory_map(os.fspath(path)) as memory, pyarrow.ipc.open_file(memory) as file:
        for k in range(file.num_record_batches):
            batch = file.get_batch(k)
            batch.validate(full=True)  # offsets that lie outside of their buffers would be followed
            yield batch


def _of_table(batches: Iterator[Any], options: dict[str, Any], source: str) -> Iterator[EdgeList]:
    """The records of a table that comes in batches of rows."""
    chosen = {name: options[name] for name in ("columns", "weighted", "data")}
    for batch in batches:
        edges = from_table(batch, source=source, **chosen)
        if edges.ids is not None:
            raise ValueError(f"{source}: ids that are words cannot be numbered part by part; use read_stream")
        yield edges
