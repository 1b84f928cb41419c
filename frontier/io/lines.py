"""Records of a text: where they end, what separates their fields, and which lines are comments."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .errors import ParseError

COMMENTS = "#%"
LONGEST_RECORD = 1 << 20
"""Most bytes of a record, unless more are asked for: readers keep a record in memory until it ends, and a quote that
nothing closes must not make one record of all that follows."""
BLANKS = -1
_MANY = 4096  # bytes of a first line to look at when separators are guessed


@dataclass(frozen=True)
class Syntax:
    """How a text is cut into records and fields.

    A record is a line. A field that begins with a double quote ends with the next one that is not doubled, which may
    be on another line. Elsewhere in a field a quote is a character like any other.

    Parameters
    ----------
    separator : int
        Byte that separates fields; -1 for blanks.
    comments : frozenset of int
        First bytes of comment lines.
    operations : bool
        Whether lines start with ``+`` or ``-``.
    longest : int
        Most bytes of a record.
    multiline : bool
        Whether a field in quotes may hold line ends; it is an error otherwise.
    """

    separator: int = BLANKS
    comments: frozenset[int] = frozenset(COMMENTS.encode())
    operations: bool = False
    longest: int = LONGEST_RECORD
    multiline: bool = True

    @property
    def too_long(self) -> str:
        """What is wrong with a longer record."""
        return f"a record of more than {self.longest:,} bytes; max_record_bytes= allows longer ones"


class Scanner:
    """Finds the ends of records in a text that comes in pieces. Each byte is looked at once."""

    def __init__(self, syntax: Syntax):
        self._is_comment = np.zeros(256, dtype=bool)
        self._is_comment[list(syntax.comments)] = True
        self._syntax, self._state = syntax, 0

    @property
    def in_quotes(self) -> bool:
        """Whether the text so far ends within quotes, so that the next line end may end no record."""
        from . import tokenizer as tk

        return self._state == tk.IN_QUOTES

    def after_record(self, piece: bytes | memoryview) -> int:
        """Position behind the last record that ends in the next piece; 0 if none does."""
        from . import tokenizer as tk  # here, so that what needs no parsing does not load the compiler

        syntax = self._syntax
        end, self._state = tk.after_records(
            np.frombuffer(piece, np.uint8), self._state, syntax.separator, self._is_comment, syntax.operations
        )
        return end


def record_at(data: bytes, start: int, syntax: Syntax) -> tuple[int, int, str]:
    """The first record from a position on, after blank lines and comments.

    Returns
    -------
    begin, after : int
        Its position, and that of the record behind it; the length of `data` if there is none.
    text : str
        The record without its line end, cut behind ``syntax.longest`` bytes.
    """
    while start < len(data):
        after = data.find(b"\n", start) + 1 or len(data)
        line = data[start : min(after, start + syntax.longest + 2)].strip(b" \t\r\n")
        if line and line[0] not in syntax.comments:
            if syntax.multiline and b'"' in line:
                after = _after_quotes(data, start, syntax)
            record = data[start : min(after, start + syntax.longest + 2)].removesuffix(b"\n").removesuffix(b"\r")
            return start, after, record.decode("utf-8", "replace")
        start = after
    return len(data), len(data), ""


def _after_quotes(data: bytes, start: int, syntax: Syntax) -> int:
    """Position behind a record that has a quote; behind its first line if the quote is not closed."""
    first = after = data.find(b"\n", start) + 1 or len(data)
    scanner, begin = Scanner(syntax), start
    while not scanner.after_record(memoryview(data)[begin:after]):
        if after == len(data) or after - start > syntax.longest:
            return first
        begin, after = after, data.find(b"\n", after) + 1 or len(data)
    return after


def fields_of(record: str, separator: int) -> list[str]:
    """The fields of a record, as the kernel splits it, without empty ones at the end."""
    if separator < 0:
        fields = re.findall(r'"(?:[^"]|"")*"|[^ \t]+', record)
    else:
        mark = re.escape(chr(separator))
        field, fields, at = re.compile(rf'[ \t]*(?:"(?:[^"]|"")*")?[^{mark}]*'), [], 0
        while at <= len(record):
            match = field.match(record, at)
            assert match is not None
            fields.append(match[0].strip(" \t"))
            at = match.end() + 1
    while fields and not fields[-1]:
        fields.pop()
    quoted = (len(field) > 1 and field[0] == field[-1] == '"' for field in fields)
    return [field[1:-1].replace('""', '"') if q else field for field, q in zip(fields, quoted, strict=True)]


def separator_of(delimiter: str | None, line: str, table: bool) -> int:
    """The byte that separates columns, -1 for blanks: what was said, else a comma if the first line holds one."""
    if delimiter is None:
        if "," in line[:_MANY]:
            return ord(",")
        return ord("\t") if table and "\t" in line[:_MANY].strip() else BLANKS
    if len(delimiter.encode()) != 1 or delimiter in '\n\r"+-.' or delimiter.isalnum():
        raise ValueError(
            f"delimiter must be one ASCII character that is in no number and ends no line, got {delimiter!r}"
        )
    return BLANKS if delimiter == " " else ord(delimiter)


def is_operation_stream(data: bytes, comments: str = COMMENTS) -> bool:
    """Whether the first record of a text starts with ``+`` or ``-`` as a word of its own."""
    record = _first_line(data, comments)
    return re.match(r"[+-](?:[ \t,;|]|$)", record.strip(" \t")) is not None


def first_words(data: bytes, comments: str, delimiter: str | None) -> list[str]:
    """The words of the first line that is neither blank nor a comment."""
    record = _first_line(data, comments)
    return fields_of(record, separator_of(delimiter, record, False))


def _first_line(data: bytes, comments: str) -> str:
    """The first line that is neither blank nor a comment; of a record of several lines, whose fields are not known."""
    return record_at(data, 0, Syntax(comments=frozenset(comments.encode()), multiline=False))[2]


def check_ended(data: bytes, source: str, stream: str, lines: int = 0) -> None:
    """Raise if the last line of what has come through a stream has no end: its last field may be incomplete.

    A file ends where it was meant to; a stream also ends where whoever writes to it fails. `stream` says what has
    ended, and `lines` how many lines were before.
    """
    begin = data.rfind(b"\n") + 1
    if not data[begin:].strip():
        return
    text = data[begin : begin + 200].decode("utf-8", "replace")
    reason = f"{stream} ended within a line; the last one needs a line end, too"
    raise ParseError(reason, source, lines + data.count(b"\n") + 1, text)


def count_lines(data: bytes) -> int:
    """How many lines end in a text; NumPy takes a fraction of the time of `bytes.count`, and lets other threads run."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))
