"""Reading a file part by part, in the order of its records and in bounded memory."""

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

PART_BYTES = 1 << 22  # of text; about 300,000 records
PART_ROWS = 1 << 18  # of a table
PARSERS = max(1, min(4, (os.cpu_count() or 1) // 2))
"""Threads that parse parts of a text: a part takes about twice as long to parse as to decompress."""
_INSERT = ord("+")
_BLANKS = Syntax()  # that of a text whose columns are separated by blanks
_DEFAULTS = ReadOptions()
_WHOLE = (".mtx", ".jlg", ".e", ".v", ".properties")
"""Formats that consist of several files, or announce what can only be checked in the end."""


def read_parts(
    path: str | os.PathLike[str],
    options: ReadOptions = _DEFAULTS,
    *,
    part_bytes: int = PART_BYTES,
    ahead: Callable[[Iterator[bytes]], Iterable[bytes]] = iter,
) -> Iterator[EdgeList]:
    """Read a graph file part by part.

    Text, compressed or not, Parquet and Arrow files are read in bounded memory. All other files, archives among them,
    and texts in which vertices have names, are read as a whole, as `read_stream` does.

    Parameters
    ----------
    path : str or path-like
    options : ReadOptions
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
    parts = None
    if options.named:  # numbers of names depend on all of them
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
    """The records of a file that is not read part by part."""
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
    """The same bytes in parts of about `size` that end with a record, none within quotes: in linear time.

    At most a part, a piece and a record that is too long are in memory. The beginning of such a record is the last
    part, which whoever parses it refuses, naming the line. A last record without a line end is whole.

    `syntax` says how records end, or finds that out from the beginning of the text, which holds a line that is no
    comment, unless the comments are long.
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
    """Pieces up to one with which a line has ended that is neither blank nor a comment, or with which they are long."""
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
    """Pieces of a text: whole records, and the beginning of another.

    Attributes
    ----------
    whole, open : int
        Their bytes.
    """

    def __init__(self, syntax: Syntax):
        self.whole = self.open = 0
        self._syntax = syntax
        self._records: list[bytes | memoryview] = []
        self._begun: list[bytes | memoryview] = []
        self._scanner: Scanner | None = None  # if quotes have to be followed

    def add(self, piece: bytes) -> None:
        """Add the next piece."""
        if not piece:
            return
        end = self._after_record(piece)
        if not end:
            self._begun.append(piece)
            self.open += len(piece)
            return
        view = memoryview(piece)  # of which no copy is made before `take`
        self._records += [*self._begun, view[:end]]
        self.whole += self.open + end
        self._begun, self.open = [view[end:]] if end < len(piece) else [], len(piece) - end

    def take(self) -> bytes:
        """Hand over the whole records."""
        records, self._records, self.whole = b"".join(self._records), [], 0
        return records

    def rest(self) -> bytes:
        """What is there of a record that has not ended."""
        return b"".join(self._begun)

    def _after_record(self, piece: bytes) -> int:
        """Position behind the last record that ends in a piece; 0 if none does."""
        if self._scanner is None:
            if b'"' not in piece or not self._syntax.multiline:
                return piece.rfind(b"\n") + 1
            self._scanner = Scanner(self._syntax)
            for begun in self._begun:
                self._scanner.after_record(begun)
        end = self._scanner.after_record(piece)
        if end and not self._scanner.in_quotes:  # what has begun is in this piece: it is scanned at most once more
            self._scanner = None
        return end


def _syntax(begin: bytes, path: str | os.PathLike[str], options: ReadOptions) -> Syntax:
    """How the records of a file end that begins like this."""
    return text_options(begin, bare_name(path), options).syntax(begin)


def _of_text(
    parts: Iterator[bytes], path: str | os.PathLike[str], options: ReadOptions
) -> Iterator[EdgeList] | None:  # fmt: skip
    """The records of a text; None if it is none, or must be read as a whole."""
    first, name = next(parts, b""), bare_name(path)
    if is_archive(first, name) or first.startswith((b"%%MatrixMarket", b"FEA1")):
        return None
    text = TextParts(first, str(Path(path)), text_options(first, name, options))
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


def _of_table(batches: Iterator[Any], options: ReadOptions, source: str) -> Iterator[EdgeList]:
    """The records of a table that comes in batches of rows."""
    for batch in batches:
        edges = from_table(
            batch, source=source, columns=options.columns, weighted=options.weighted, data=options.data
        )  # fmt: skip
        if edges.ids is not None:
            raise ValueError(f"{source}: ids that are words cannot be numbered part by part; use read_stream")
        yield edges
