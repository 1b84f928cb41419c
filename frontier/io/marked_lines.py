"""Lines at the top of a file of names that may be comments, or records of names that begin with ``#`` or ``%``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from .columns import roles_from_names
from .lines import COMMENTS, Syntax, fields_of, record_at
from .words import is_number


class Marked(NamedTuple):
    """A line whose mark stands directly before a word.

    Attributes
    ----------
    position : int
        Its offset.
    words : list of str
        Its fields.
    fits : bool
        Whether it is as wide as the records.
    """

    position: int
    words: list[str]
    fits: bool

    def is_record(self, first: Sequence[str]) -> bool:
        """Whether it is one for sure: names begin like that elsewhere in it, or in the first record below."""
        return self.fits and any(word[:1] and word[0] in COMMENTS for word in (*self.words[1:], *first))


def marked_lines(data: bytes, start: int, end: int, width: int, syntax: Syntax) -> list[Marked]:
    """The lines of a text from `start` to `end` that may be records, of `width` fields, as well as comments.

    Their mark stands directly before a word. They hold neither known names of columns nor numbers only, which would be
    a record that somebody has put out of use. A `width` of 0 says that there is no record.
    """
    syntax, found = replace(syntax, comments=frozenset()), []
    while True:
        position, start, line = record_at(data, start, syntax)
        if position >= end:
            return found
        words = fields_of(line, syntax.separator)
        bare = [words[0].lstrip(COMMENTS), *words[1:]]
        is_comment = not bare[0] or line.strip(" \t")[1:2] in (" ", "\t", *COMMENTS)
        if not is_comment and not all(map(is_number, bare)) and roles_from_names(bare) is None:
            found.append(Marked(position, words, len(words) == (width or max(len(words), 2))))
