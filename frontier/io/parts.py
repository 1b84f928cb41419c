"""Readers that yield a file part by part, in the order of its rows and in bounded memory."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from .archives import is_archive
from .edge_list import EdgeList
from .errors import ParseError
from .files import bare_name, decompressed_pieces
from .lines import COMMENTS, LONGEST_RECORD, Scanner, Syntax, count_lines
from .options import ReadOptions
from .reader import read_records, text_options
from .stream import EdgeStream
from .tables import from_table, require_pyarrow
from .text import TextParts

PART_BYTES = 1 << 22  # of text, about 300,000 rows
PART_ROWS = 1 << 18  # of a table
PARSERS = max(1, min(4, (os.cpu_count() or 1) // 2))
"""Threads that parse parts of a text: parsing a part lasts about twice as long as decompressing it."""
_INSERT = ord("+")
_BLANKS = Syntax()
_DEFAULTS = ReadOptions()
_WHOLE = (".mtx", ".jlg", ".e", ".v", ".properties")
"""Formats of several files, or with numbers that can only be checked in the end."""


def read_parts(
    path: str | os.PathLike[str],
    options: ReadOptions = _DEFAULTS,
    *,
    part_bytes: int = PART_BYTES,
    ahead: Callable[[Iterator[bytes]], Iterable[bytes]] = iter,
) -> Iterator[EdgeList]:
    """Yield the edges of a graph file part by part, in the order and with the ids of the file.

    Text, compressed or not, Parquet and Arrow files are read in bounded memory. Other files, such as archives, and
    texts whose vertices have names, are read as a whole, like by `read_stream`. A part has about `part_bytes` bytes of
    text, and either insertions or deletions. `ahead` may wrap the iterator of decompressed pieces, for example to run
    it in another thread. Errors are as in `read_edges`, raised when the faulty part is requested.
    """
    parts = None
    if options.named:  # the numbering depends on all names
        yield from _whole(path, options)
        return
    with open(path, "rb") as file:
        begin = file.read(8)
        file.seek(0)
        if begin.startswith((b"PAR1", b"ARROW1")):
            parts = _of_table(_parquet(path) if begin.startswith(b"PAR1") else _arrow(path), options, str(Path(path)))
        elif not bare_name(path).endswith(_WHOLE):
            pieces, source = decompressed_pieces(file, str(Path(path))), str(Path(path))
            syntax = partial(_syntax, path=path, options=options)
            texts = ahead(whole_lines(pieces, part_bytes, syntax, source, options.comments))
            try:
                parts = _of_text(iter(texts), path, options)
                if parts is not None:
                    yield from parts
            finally:
                if hasattr(texts, "close"):
                    texts.close()
            if parts is not None:
                return
    yield from _whole(path, options) if parts is None else parts


def _whole(path: str | os.PathLike[str], options: ReadOptions) -> Iterator[EdgeList]:
    """Read a file as a whole."""
    edges, ops = read_records(path, options)
    return iter(EdgeStream(edges, PART_ROWS, None if ops is None else ops == _INSERT))


# ---- text -----------------------------------------------------------------------------------------------------------


def whole_lines(
    pieces: Iterable[bytes],
    size: int,
    syntax: Syntax | Callable[[bytes], Syntax] = _BLANKS,
    source: str = "text",
    comments: str = COMMENTS,
) -> Iterator[bytes]:
    """Yield the same bytes in parts of about `size` that end with a row, in linear time. The last may lack a newline.

    The memory is at most a part, a piece and the start of an overlong row, which is the last part: the parser
    refuses it. `syntax` is the syntax of the rows, or a function of the start of the text, up to a row unless
    comments are long.
    """
    pieces = iter(pieces)
    if not isinstance(syntax, Syntax):
        begin = _beginning(pieces, size, comments)
        pieces, syntax = chain([begin], pieces), syntax(begin)
    cutter = _Cutter(syntax)
    for piece in pieces:
        cutter.add(piece)
        if cutter.whole >= size:
            yield cutter.take()
        if cutter.open > syntax.longest:
            break
    if cutter.open > syntax.longest:
        if cutter.whole:
            yield cutter.take()
        yield cutter.rest()
        raise ParseError(syntax.too_long, source)
    if cutter.whole or cutter.open:
        yield cutter.take() + cutter.rest()


def _beginning(pieces: Iterator[bytes], size: int, comments: str) -> bytes:
    """Return pieces up to the first end of a line that is neither blank nor a comment, or up to a length limit."""
    begin, line = bytearray(), 0
    for piece in pieces:
        searched = len(begin)
        begin += piece
        while end := begin.find(b"\n", searched) + 1:
            text = begin[line:end].strip()
            if text and text[0] not in comments.encode():
                return bytes(begin)
            line = searched = end
        if len(begin) >= max(size, LONGEST_RECORD):
            break
    return bytes(begin)


class _Cutter:
    """Pieces of a text: `whole` bytes of rows, and `open` bytes of another."""

    def __init__(self, syntax: Syntax):
        self.whole = self.open = 0
        self._syntax = syntax
        self._records: list[bytes | memoryview] = []
        self._begun: list[bytes | memoryview] = []
        self._scanner: Scanner | None = None  # with quotes only

    def add(self, piece: bytes) -> None:
        if not piece:
            return
        end = self._after_record(piece)
        if not end:
            self._begun.append(piece)
            self.open += len(piece)
            return
        view = memoryview(piece)  # copied by `take` only
        self._records += [*self._begun, view[:end]]
        self.whole += self.open + end
        self._begun, self.open = [view[end:]] if end < len(piece) else [], len(piece) - end

    def take(self) -> bytes:
        """Return the whole rows."""
        records, self._records, self.whole = b"".join(self._records), [], 0
        return records

    def rest(self) -> bytes:
        """Return the start of a row that has not ended."""
        return b"".join(self._begun)

    def _after_record(self, piece: bytes) -> int:
        """Return the position behind the last row that ends in a piece, or 0 if none does."""
        if self._scanner is None:
            if b'"' not in piece or not self._syntax.multiline:
                return piece.rfind(b"\n") + 1
            self._scanner = Scanner(self._syntax)
            for begun in self._begun:
                self._scanner.after_record(begun)
        end = self._scanner.after_record(piece)
        if end and not self._scanner.in_quotes:  # this piece has the open row, which is scanned at most once more
            self._scanner = None
        return end


def _syntax(begin: bytes, path: str | os.PathLike[str], options: ReadOptions) -> Syntax:
    """Return the syntax of the rows of a file that starts with these bytes."""
    return text_options(begin, bare_name(path), options).syntax(begin)


def _of_text(parts: Iterator[bytes], path: str | os.PathLike[str], options: ReadOptions) -> Iterator[EdgeList] | None:
    """Return the rows of a text, or None if it is none, or must be read as a whole."""
    first, name = next(parts, b""), bare_name(path)
    if is_archive(first, name) or first.startswith((b"%%MatrixMarket", b"FEA1")):
        return None
    text = TextParts(first, str(Path(path)), text_options(first, name, options))
    return None if text.has_names else _parsed(text, first, parts)


def _parsed(text: TextParts, first: bytes, parts: Iterator[bytes]) -> Iterator[EdgeList]:
    """Yield the rows of all parts in order. Several parts are parsed at the same time."""
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
                except Exception as error:  # raised after the previous parts
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
            batch.validate(full=True)  # invalid offsets would be followed
            yield batch


def _of_table(batches: Iterator[Any], options: ReadOptions, source: str) -> Iterator[EdgeList]:
    """Yield a table that comes in batches of rows."""
    for batch in batches:
        edges = from_table(batch, source=source, columns=options.columns, weighted=options.weighted, data=options.data)
        if edges.ids is not None:
            raise ValueError(f"{source}: ids that are words cannot be numbered part by part; use read_stream")
        yield edges
