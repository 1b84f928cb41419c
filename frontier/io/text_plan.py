"""The plan for reading a text edge list, from its first lines and the caller's options.

Lines at the top of a file of names may be comments, or rows of names that start with ``#`` or ``%`` (`Marked`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from . import konect
from . import words as wd
from .columns import (
    UNKNOWN,
    ReaderWarning,
    check_roles,
    names_columns,
    resolve_roles,
    role_of,
    roles_from_names,
    surely_names_columns,
    tell,
)
from .edge_list import FIRST_ID, TIME_UNIT
from .errors import NAMED_HINT, ParseError, line_error
from .lines import COMMENTS, Syntax, fields_of, record_at
from .options import ReadOptions
from .text_columns import ColumnReading, Layout, is_count, tokenize
from .words import is_number

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def plan_text(data: bytes, source: str, options: ReadOptions, layout: Layout | None = None) -> ColumnReading:
    """Plan how to read the lines of a text. The parameters are as in `read_text`."""
    if data.startswith(_UTF16):
        raise ParseError("this is UTF-16 text, which is not supported; save it as UTF-8", source)
    given = layout is not None
    if layout is None:
        layout = _preamble(data, source, options.comments)
    elif options.named or options.header:
        raise ValueError(f"{source}: a file of this format has no names; leave out header= and named=")
    syntax, named = options.syntax(data, layout.start, layout.delimiter), options.named
    plan = ColumnReading(data, source, layout, syntax, weighted=options.weighted, free=not given and named is None)
    at, after, record = plan.record(layout.start)
    words = plan.fields(record)
    names, own_comments = None, options.comments != COMMENTS
    marked: list[Marked] = []
    if (options.table or named) and not (given or options.operations or options.header or own_comments):
        marked = marked_lines(data, layout.start, at, len(words), syntax)
    if any(each.is_record(words) for each in marked):
        at, words, _ = next(each for each in marked if each.fits)
        plan = replace(plan, layout=replace(layout, start=at), syntax=replace(syntax, comments=frozenset()))
        marked = []
    elif not given and not options.operations:
        names, layout, words = _header(plan, at, after, words, options)
        plan = replace(plan, layout=layout)
    if options.operations:
        words = _first_insertion(plan, at)
    if layout.dynamic or (layout.third_is_weight and options.weighted is None):
        options = replace(options, weighted=True)
    roles, exact = _roles(plan, names, words, at, options)
    if layout.dynamic and words and "weight" not in roles:
        raise plan.error("a dynamic KONECT network needs its weights: 1 inserts an edge, and -1 deletes it", at)
    allowed = not given and (options.table or names is not None) if named is None else named
    roles, in_words, guessed = _words_of(roles, words, allowed, options)
    maybe_named = "src" in in_words or (allowed and not words)
    if maybe_named and names is None:
        for line in marked:
            if line.fits:
                raise plan.error("is this line a comment, or a row of names? Say comments='#' or comments=''",
                                 line.position)  # fmt: skip
        if marked:
            tell(ReaderWarning(source, f"skipped a line as a comment, {' '.join(marked[0].words)[:60]!r}",
                               "a record of names has as many columns as the others"))  # fmt: skip
        plan = replace(plan, layout=replace(plan.layout, start=at))  # behind the comments at the top
    return replace(
        plan, roles=roles, exact=exact, words=in_words, guessed=guessed, nameable=not given,
        inner_comments=not maybe_named or own_comments,
    )  # fmt: skip


def _first_insertion(plan: ColumnReading, at: int) -> list[str]:
    """Return the words of the first insertion of a stream, since deletions may lack the weight."""
    while at < len(plan.data):
        _, at, record = plan.record(at)
        record = record.strip(" \t")
        if not record.startswith("-"):
            rest = record[1:].strip(" \t")
            separator = plan.syntax.separator
            separated = separator >= 0 and rest.startswith(chr(separator))
            return plan.fields(rest[1:] if separated else rest)
    return []


def _preamble(data: bytes, source: str, comments: str) -> Layout:
    """Return the facts in the comments at the top of a file: direction, number and base of vertices, column names."""
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    layout = Layout(start=start)
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = data[start:end].decode("utf-8", "replace").strip()
        if line and line[0] not in comments:
            break
        text = line[1:].strip()
        if header := konect.parse_header(text):
            if header.bipartite:
                raise line_error(
                    "bipartite KONECT networks number their two sides separately, so one id is two vertices; write ids "
                    "that differ, such as 'left_1' and 'right_1'", source, data, start, NAMED_HINT,
                )  # fmt: skip
            layout = replace(layout, base=1, directed=header.directed, third_is_weight=True, dynamic=header.dynamic)
        elif direction := re.match(r"(directed|undirected)\s+graph\b", text, re.IGNORECASE):
            layout = replace(layout, directed=direction[1].lower() == "directed")
        elif count := re.match(r"num_vertices:\s*(.*)$", text):
            if not is_count(count[1]):
                raise line_error("the number of vertices must be an integer of int64", source, data, start)
            layout = replace(layout, num_vertices=int(count[1]))
        elif first := re.match(rf"{FIRST_ID}:\s*([0-9]{{1,18}})$", text):
            layout = replace(layout, base=int(first[1]))
        elif unit := re.match(rf"{TIME_UNIT}:\s*(ns|us|ms|s)$", text):
            layout = replace(layout, time_unit=unit[1])
        elif len(text.split()) >= 2 and all(role_of(word) for word in text.split()):
            layout = replace(layout, roles=roles_from_names(text.split()))
        start = end + 1
    return layout


def _header(
    plan: ColumnReading, at: int, after: int, words: list[str], options: ReadOptions
) -> tuple[list[str] | None, Layout, list[str]]:  # fmt: skip
    """Return the first line's names of columns, if any, the layout without it, and the first row's words."""
    layout, columns, header = plan.layout, options.columns, options.header
    if not words or header is False:
        return None, layout, words
    below = replace(layout, start=after)
    following = plan.fields(plan.record(after)[2])
    said = [*options.data, *(map(str, columns.values()) if isinstance(columns, Mapping) else ())]
    known = bool(said) and set(said) <= set(words)
    found = True if header or known else names_columns(words, following, options.table)
    if found:
        # The kernel finds errors in the names themselves.
        tokenize(replace(plan, data=plan.data[:after], layout=replace(layout, start=at), roles=[None] * len(words)))
        if not header and not known and not surely_names_columns(words, following):
            line = plan.data.count(b"\n", 0, at) + 1
            tell(ReaderWarning(plan.source, f"took line {line} for the names of the columns, {', '.join(words)[:100]}",
                               "say header=True or header=False"))  # fmt: skip
        return words, below, following
    if found is None:
        raise plan.error("does this line contain the names of the columns, or the first row? "
                         "Say header=True or header=False", at)  # fmt: skip
    return None, layout, words


def _roles(
    plan: ColumnReading, names: Sequence[str] | None, words: Sequence[str], at: int, options: ReadOptions
) -> tuple[list[str | None], bool]:  # fmt: skip
    """Return the roles of the columns to parse, and whether more columns are an error."""
    columns, weighted, data, width = options.columns, options.weighted, options.data, len(words)
    if names is not None:
        # With `columns`, rows may be wider than the names, the last of which may stand for many fields.
        roles = resolve_roles(
            names, columns, weighted, plan.source, data, fits=lambda k: wd.fits(words[k] if k < width else "")
        )  # fmt: skip
        return roles, columns is None
    if data:
        raise ValueError(f"{plan.source}: data names columns, but the file has no line of names")
    if columns is not None:
        if isinstance(columns, Mapping):
            raise ValueError(f"{plan.source}: columns is a mapping of names, but the file has no line of names")
        return check_roles(columns), False
    if plan.layout.roles is not None and len(plan.layout.roles) >= width:
        # The comment of SNAP's temporal files may name fewer columns than there are.
        return list(plan.layout.roles), True
    if width <= 2:
        return ["src", "dst"], True
    if width == 3:
        return ["src", "dst", "weight" if weighted else UNKNOWN], True
    if width == 4:
        return ["src", "dst", "weight", "time"], True
    raise plan.error(f"{width} columns; name them with columns=('src', 'dst', ...)", at)


def _words_of(
    roles: list[str | None], words: Sequence[str], allowed: bool, options: ReadOptions
) -> tuple[list[str | None], frozenset[str], bool]:
    """Return the roles, the roles of columns of words, and whether the first row shows that ends are words."""
    first = {role: word for role, word in zip(roles, words, strict=False) if role is not None}
    if UNKNOWN in first and options.weighted is None and wd.is_date(first[UNKNOWN]):
        roles = ["time" if role == UNKNOWN else role for role in roles]
        first["time"] = first[UNKNOWN]
    found = {"time"} if wd.is_date(first.get("time", "")) else set()
    guessed = allowed and not options.named and any(
        first.get(end) and not wd.starts_like_number(first[end]) for end in ("src", "dst")
    )  # fmt: skip
    if options.named or guessed:
        found |= {"src", "dst"}
    return roles, frozenset(found), guessed


class Marked(NamedTuple):
    """A line whose mark stands directly before a word. It `fits` if it is as wide as the rows."""

    position: int
    words: list[str]
    fits: bool

    def is_record(self, first: Sequence[str]) -> bool:
        """Return whether it is a row for sure: other names in it, or in the first row below, start with marks."""
        return self.fits and any(word[:1] and word[0] in COMMENTS for word in (*self.words[1:], *first))


def marked_lines(data: bytes, start: int, end: int, width: int, syntax: Syntax) -> list[Marked]:
    """Return the lines from `start` to `end` that may be rows, of `width` fields, as well as comments.

    Their mark stands directly before a word. They have neither known names of columns nor only numbers, as a disabled
    row would. Without rows, `width` is 0.
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
