"""Rows of a text: their ends, the separator of their fields, and comment lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .errors import ParseError

COMMENTS = "#%"
LONGEST_RECORD = 1 << 20
"""Default limit of the bytes of a row: readers store a row until it ends, and an unclosed quote must not join all
following lines."""
BLANKS = -1
_MANY = 4096  # bytes of a first line to look at when separators are guessed


@dataclass(frozen=True)
class Syntax:
    """The way a text is cut into rows and fields.

    A row is a line. A field that starts with a double quote ends with the next one that is not doubled, which may be
    on another line. Elsewhere in a field a quote is an ordinary character.
    """

    separator: int = BLANKS  # the byte that separates fields, -1 for blanks
    comments: frozenset[int] = frozenset(COMMENTS.encode())  # first bytes of comment lines
    operations: bool = False  # lines start with ``+`` or ``-``
    longest: int = LONGEST_RECORD  # bytes of a row
    multiline: bool = True  # whether quoted fields may contain line ends, otherwise an error

    @property
    def too_long(self) -> str:
        return f"a record of more than {self.longest:,} bytes; max_record_bytes= allows longer ones"


class Scanner:
    """Finds the ends of rows in a text that comes in pieces. Each byte is read once."""

    def __init__(self, syntax: Syntax):
        self._is_comment = np.zeros(256, dtype=bool)
        self._is_comment[list(syntax.comments)] = True
        self._syntax, self._state = syntax, 0

    @property
    def in_quotes(self) -> bool:
        """Whether the text so far ends within quotes, so the next line end may end no row."""
        from . import tokenizer as tk

        return self._state == tk.IN_QUOTES

    def after_record(self, piece: bytes | memoryview) -> int:
        """Return the position behind the last row that ends in the next piece, or 0 if none does."""
        from . import tokenizer as tk  # here: only parsing loads the compiler

        syntax = self._syntax
        end, self._state = tk.after_records(
            np.frombuffer(piece, np.uint8), self._state, syntax.separator, self._is_comment, syntax.operations
        )
        return end


def record_at(data: bytes, start: int, syntax: Syntax) -> tuple[int, int, str]:
    """Return the first row from a position on, after blank lines and comments.

    Returns its start, its end (both ``len(data)`` without one), and its text, cut behind ``syntax.longest`` bytes.
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
    """Return the position behind a row with a quote, or behind its first line if the quote is not closed."""
    first = after = data.find(b"\n", start) + 1 or len(data)
    scanner, begin = Scanner(syntax), start
    while not scanner.after_record(memoryview(data)[begin:after]):
        if after == len(data) or after - start > syntax.longest:
            return first
        begin, after = after, data.find(b"\n", after) + 1 or len(data)
    return after


def fields_of(record: str, separator: int) -> list[str]:
    """Return the fields of a row, split as by the kernel, without empty ones at the end."""
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
    """Return the byte that separates columns, -1 for blanks: the given one, else a comma if the first line has one."""
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
    """Return whether the first row of a text starts with ``+`` or ``-`` as a separate word."""
    return re.match(r"[+-](?:[ \t,;|]|$)", _first_line(data, comments).strip(" \t")) is not None


def first_words(data: bytes, comments: str, delimiter: str | None) -> list[str]:
    """Return the words of the first line that is neither blank nor a comment."""
    record = _first_line(data, comments)
    return fields_of(record, separator_of(delimiter, record, False))


def _first_line(data: bytes, comments: str) -> str:
    """Return the first line that is neither blank nor a comment, although its row may span several."""
    return record_at(data, 0, Syntax(comments=frozenset(comments.encode()), multiline=False))[2]


def check_ended(data: bytes, source: str, stream: str, lines: int = 0) -> None:
    """Raise if a `stream`'s last line, after `lines` previous ones, has no end: its writer may have failed midway."""
    begin = data.rfind(b"\n") + 1
    if not data[begin:].strip():
        return
    text = data[begin : begin + 200].decode("utf-8", "replace")
    reason = f"{stream} ended within a line; the last one needs a line end, too"
    raise ParseError(reason, source, lines + data.count(b"\n") + 1, text)


def count_lines(data: bytes) -> int:
    """Return the number of line ends. NumPy is several times faster than `bytes.count`, and releases the GIL."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))
