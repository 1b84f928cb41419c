"""How a file is to be read: the options of `read_edges`, and for a text what its name and its first lines add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .columns import Columns, check_data
from .lines import COMMENTS, LONGEST_RECORD, Syntax, record_at, separator_of


@dataclass(frozen=True)
class ReadOptions:
    """How a file is to be read.

    Parameters
    ----------
    columns, weighted, comments, delimiter, header, named, data, max_record_bytes
        See `frontier.io.read_edges`.
    operations : bool, optional
        Whether the lines of a text start with ``+`` or ``-``; None to find out.
    table : bool
        Whether a text is one of the kind (CSV, TSV) that has a first line of names more often than not, and words.
    multiline : bool
        Whether fields of a text in quotes may hold line ends.

    Raises
    ------
    TypeError, ValueError
        `data` names no columns, or one twice.
    """

    columns: Columns = None
    weighted: bool | None = None
    comments: str = COMMENTS
    delimiter: str | None = None
    header: bool | None = None
    named: bool | None = None
    data: Sequence[str] = ()
    max_record_bytes: int = LONGEST_RECORD
    operations: bool | None = None
    table: bool = False
    multiline: bool = True

    def __post_init__(self) -> None:
        check_data(self.data)

    def syntax(self, data: bytes, start: int = 0, delimiter: str | None = None) -> Syntax:
        """How a text is cut into records and fields, as its first line from `start` on tells.

        Parameters
        ----------
        delimiter : str, optional
            What the format says that separates columns.
        """
        syntax = Syntax(
            comments=frozenset(self.comments.encode()), operations=bool(self.operations),
            longest=self.max_record_bytes, multiline=self.multiline,
        )  # fmt: skip
        line = replace(syntax, multiline=False)  # where a quote opens is not known yet
        first = record_at(data, start, line)[2] or record_at(data, start, replace(line, comments=frozenset()))[2]
        return replace(syntax, separator=separator_of(self.delimiter or delimiter, first, self.table))
