"""Sources of a pipeline: files, arrays, tables, iterators, functions, sockets."""

from __future__ import annotations

import os
import socket as sockets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from frontier.io import EdgeList, EdgeStream
from frontier.io.lines import COMMENTS, LONGEST_RECORD, check_ended, count_lines, first_words
from frontier.io.options import ReadOptions
from frontier.io.parts import read_parts, whole_lines
from frontier.io.text import TextParts
from frontier.runtime.values import integer, kind_of

from .channel import Ahead
from .records import Decoder, RecordColumns, decoded, in_parts, without_first

BATCH_SIZE = 1 << 16
RECEIVED_BYTES = 1 << 20
SOCKET = "socket"  # its name in errors


def is_one_table(source: Any) -> bool:
    """Whether a source contains all of its rows, rather than a series of batches."""
    frame = hasattr(source, "iloc") or hasattr(source, "get_column")  # pandas and cuDF, Polars
    arrow = hasattr(source, "column") and hasattr(source, "schema")  # which a lazy frame of Polars would work out
    return isinstance(source, EdgeList | EdgeStream | tuple | Mapping) or arrow or frame


def usual_batch_size(source: Any) -> int | None:
    """The default batch size, or None if each item is a batch."""
    if isinstance(source, EdgeStream):
        return source.batch_size
    return BATCH_SIZE if isinstance(source, str | os.PathLike) or is_one_table(source) else None


def open_source(
    source: Any, decoder: Decoder, begin: int, size: int | None, columns: Any, ahead: int
) -> Iterator[RecordColumns]:  # fmt: skip
    """The rows of a source from number `begin` on, in parts of whole batches.

    A batch has `size` rows. With None each item is one. `columns` names the columns of a file, and `ahead` bounds
    how far its bytes are decompressed ahead.
    """
    if isinstance(source, EdgeStream):
        items = decoded(_runs(source, decoder), decoder.decode, 0)
    elif isinstance(source, str | os.PathLike):
        unpack = partial(Ahead, depth=ahead, name="dynfrontier-unpack")
        options = ReadOptions(columns, named=decoder.takes_text or None, data=decoder.data_columns)
        items = decoded(read_parts(source, options, ahead=unpack), decoder.decode, 0)
    elif is_one_table(source):
        items = decoded([source], decoder.decode, 0)
    elif callable(source):
        items, begin = decoded(_called(source, begin), decoder.decode, begin), 0
    else:
        items = decoded(_iterable(source), decoder.decode, 0)
    if begin:
        items = without_first(items, begin)
    return items if size is None else in_parts(items, size)


def check_source(source: Any) -> None:
    """Raise TypeError if nothing can be read from it."""
    if not (isinstance(source, str | os.PathLike) or is_one_table(source) or callable(source)):
        _iterable(source)


def _called(source: Any, begin: int) -> Iterator[Any]:
    """Call a function when its first item is read."""
    yield from _iterable(source(begin))


def _iterable(source: Any) -> Any:
    if not hasattr(source, "__iter__"):
        kinds = "a file's name, arrays, a table, an iterable or a function"
        raise TypeError(f"source must be {kinds}, not {kind_of(source)}")
    return source


def _runs(stream: EdgeStream, decoder: Decoder) -> Iterator[RecordColumns]:
    """The rows of a stream, cut where insertions and deletions alternate."""
    edges, inserts = stream.edges, stream.inserts
    if not len(edges):
        return
    whole = decoder.decode(edges)
    if inserts is None:
        yield whole
        return
    for begin, end in pairwise([0, *(np.flatnonzero(np.diff(inserts)) + 1).tolist(), len(edges)]):
        run = whole.cut(begin, end)
        if not inserts[begin]:
            run = RecordColumns({name: run.columns[name] for name in ("src", "dst")}, "delete")
        yield run


class SocketSource:
    """Rows that come through a socket as lines of text: a source whose items are the rows since the previous item.

    Parameters
    ----------
    socket : socket.socket
        Connected. It is not closed.
    columns : sequence of (str or None)
        The meaning of the words of a line, as in `frontier.io.read_edges`: ``("src", "dst", "time")``, for example.
    delimiter : str, optional
        The separator of the words, blanks by default.
    max_record_bytes : int
        Most bytes of a line, 1 MiB by default. A longer one is an error.

    See Also
    --------
    Pipeline : Reads the source.

    Notes
    -----
    Each line is a row. A line that the end of the connection cuts is an error: its last number may lack digits. A field
    may stand in double quotes, which must end on its line. So a stray quote at the start of a field is an error as soon
    as the line is received.

    Examples
    --------
    >>> source = SocketSource(  # doctest: +SKIP
    ...     socket.create_connection(("feed", 7000)), ("src", "dst", "time")
    ... )
    >>> Pipeline(source, graph, window="10min").run(print)  # doctest: +SKIP
    """

    def __init__(
        self,
        socket: sockets.socket,
        columns: Any = ("src", "dst"),
        delimiter: str | None = None,
        max_record_bytes: int = LONGEST_RECORD,
    ):
        self._socket, self._interrupted = socket, False
        longest = integer(max_record_bytes, "max_record_bytes", 1)
        self._options = ReadOptions(
            tuple(columns), delimiter=delimiter or " ", max_record_bytes=longest, multiline=False
        )  # fmt: skip

    def __iter__(self) -> Iterator[EdgeList]:
        text: TextParts | None = None
        lines = 0
        syntax = self._options.syntax(b"")
        for part in whole_lines(iter(partial(self._socket.recv, RECEIVED_BYTES), b""), 1, syntax, SOCKET):
            if not part.endswith(b"\n") and len(part) <= syntax.longest:
                if self._interrupted:
                    return
                check_ended(part, SOCKET, "the connection", lines)
            if text is not None:
                yield text.next(part, lines)[0]
            elif first_words(part, COMMENTS, " "):  # the first row decides the roles of columns
                text = TextParts(part, SOCKET, self._options, lines)
                yield text.first()[0]
            lines += count_lines(part)

    def interrupt(self) -> None:
        """Let whoever reads find the end. The pipeline calls this when it is closed."""
        self._interrupted = True
        with suppress(OSError):
            self._socket.shutdown(sockets.SHUT_RD)
