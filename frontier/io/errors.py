"""The error of all readers for invalid input."""

from __future__ import annotations

NAMED_HINT = "named=True reads ids that are words or any numbers; in a stream, fr.VertexNames numbers them"
"""Advice on ids that are not integers from 0 on, in readers that have this argument."""


class ParseError(ValueError):
    """The contents of a file or table violate its format.

    Parameters
    ----------
    reason : str
        The fault, in words.
    source : str
        Name of the file (``archive:member`` inside an archive) or of the table.
    line : int, optional
        1-based number of the offending line, or, in tables, of the offending row.
    text : str, optional
        The text of that line.
    hint : str, optional
        Advice to the user.

    Attributes
    ----------
    reason, source, line, text, hint
        The parameters, as given.

    See Also
    --------
    read_edges : Raises it.
    """

    def __init__(
        self, reason: str, source: str, line: int | None = None, text: str | None = None, hint: str | None = None
    ) -> None:
        self.reason = reason
        self.source = source
        self.line = line
        self.text = text
        self.hint = hint
        where = source if line is None else f"{source}, line {line}"
        what = reason if text is None else f"{reason}: {text!r}"
        super().__init__(f"{where}: {what}" + (f" ({hint})" if hint else ""))

    def __reduce__(self) -> tuple:
        return type(self), (self.reason, self.source, self.line, self.text, self.hint)


def line_error(reason: str, source: str, data: bytes, position: int, hint: str | None = None) -> ParseError:
    """Return the error for the line with the byte at `position`: its 1-based number, and its text, cut at 200
    characters."""
    position = min(position, len(data))
    begin = data.rfind(b"\n", 0, position) + 1
    end = data.find(b"\n", position)
    text = data[begin : len(data) if end < 0 else end].rstrip(b"\r").decode("utf-8", "replace")
    line = data.count(b"\n", 0, begin) + 1
    return ParseError(reason, source, line, text if len(text) <= 200 else text[:200] + "…", hint)
