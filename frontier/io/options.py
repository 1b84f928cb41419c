"""The options of `read_edges`, and the additions of a text's name and first lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .columns import Columns, check_data
from .lines import COMMENTS, LONGEST_RECORD, Syntax, record_at, separator_of


@dataclass(frozen=True)
class ReadOptions:
    """The options of a reader: the options of `frontier.io.read_edges`, and more.

    Raises TypeError or ValueError if `data` does not name columns, or names one twice.
    """

    columns: Columns = None
    weighted: bool | None = None
    comments: str = COMMENTS
    delimiter: str | None = None
    header: bool | None = None
    named: bool | None = None
    data: Sequence[str] = ()
    max_record_bytes: int = LONGEST_RECORD
    operations: bool | None = None  # lines of a text start with ``+`` or ``-``. None to detect it
    table: bool = False  # a text of the kinds (CSV, TSV) that mostly have a first line of names, and words
    multiline: bool = True  # quoted fields of a text may contain line ends

    def __post_init__(self) -> None:
        check_data(self.data)

    def syntax(self, data: bytes, start: int = 0, delimiter: str | None = None) -> Syntax:
        """Return the syntax of a text, by its first line from `start` on, and the `delimiter` of its format, if any."""
        syntax = Syntax(
            comments=frozenset(self.comments.encode()), operations=bool(self.operations),
            longest=self.max_record_bytes, multiline=self.multiline,
        )  # fmt: skip
        line = replace(syntax, multiline=False)  # quotes are not known yet
        first = record_at(data, start, line)[2] or record_at(data, start, replace(line, comments=frozenset()))[2]
        return replace(syntax, separator=separator_of(self.delimiter or delimiter, first, self.table))
