"""The error that every reader raises for input it cannot accept."""

from __future__ import annotations


class ParseError(ValueError):
    """A file or table does not hold what its format promises.

    Parameters
    ----------
    reason : str
        What is wrong, in words.
    source : str
        Name of the file (``archive:member`` inside an archive) or of the table.
    line : int, optional
        1-based number of the offending line; for tables, of the offending row.
    text : str, optional
        The text of that line.

    Attributes
    ----------
    reason, source, line, text
        The parameters, as given.
    """

    def __init__(self, reason: str, source: str, line: int | None = None, text: str | None = None) -> None:
        self.reason = reason
        self.source = source
        self.line = line
        self.text = text
        where = source if line is None else f"{source}, line {line}"
        super().__init__(f"{where}: {reason}" + ("" if text is None else f": {text!r}"))

    def __reduce__(self) -> tuple:
        return type(self), (self.reason, self.source, self.line, self.text)


def line_error(reason: str, source: str, data: bytes, position: int) -> ParseError:
    """Build the error for the line of `data` that holds the byte at `position`.

    Parameters
    ----------
    reason : str
        What is wrong.
    source : str
        Name of the file.
    data : bytes
        The whole decompressed file.
    position : int
        Offset of a byte of the offending line.

    Returns
    -------
    ParseError
        With the 1-based line number and the text of the line, cut at 200 characters.
    """
    position = min(position, len(data))
    begin = data.rfind(b"\n", 0, position) + 1
    end = data.find(b"\n", position)
    text = data[begin : len(data) if end < 0 else end].rstrip(b"\r").decode("utf-8", "replace")
    return ParseError(reason, source, data.count(b"\n", 0, begin) + 1, text if len(text) <= 200 else text[:200] + "…")
