"""Text edge lists: one record per line, columns separated by blanks or by a delimiter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from frontier.io import konect
from frontier.io import words as wd
from frontier.io.columns import (
    DATA,
    UNKNOWN,
    Columns,
    ReaderWarning,
    check_roles,
    data_of,
    looks_like_times,
    names_columns,
    resolve_roles,
    role_of,
    roles_from_names,
    tell,
)
from frontier.io.edge_list import FIRST_ID, TIME_UNIT, EdgeList
from frontier.io.errors import NAMED_HINT, ParseError, line_error
from frontier.io.lines import COMMENTS, LONGEST_RECORD, Syntax, fields_of, record_at, syntax_of
from frontier.io.marked_lines import Marked, marked_lines

LARGEST_ID = 2**63 - 2  # so that the number of vertices fits in int64 as well
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Layout:
    """What a format fixes about its lines.

    Parameters
    ----------
    start : int
        Offset of the first line of records.
    base : int
        The number that the file gives to the first vertex; `first_id` of the edge list.
    num_vertices : int, optional
        Number of vertices that the file announces; larger ids are an error.
    roles : list of (str or None), optional
        Roles of the columns, where the format names them.
    directed : bool, optional
        Whether the file says that records are directed.
    real_weights : bool
        Whether the format says that weights are reals: they are float64 then, even where all are written as integers.
    delimiter : str, optional
        What separates columns, where the format says so.
    time_unit : str, optional
        The unit of times that were dates, where the file says so.
    third_is_weight : bool
        Whether the format says that a third column is a weight, whatever its values.
    dynamic : bool
        Whether weights are operations, as in KONECT's dynamic networks.
    """

    start: int = 0
    base: int = 0
    num_vertices: int | None = None
    roles: list[str | None] | None = None
    directed: bool | None = None
    real_weights: bool = False
    delimiter: str | None = None
    time_unit: str | None = None
    third_is_weight: bool = False
    dynamic: bool = False


@dataclass(frozen=True)
class _Plan:
    """How the lines of one file are to be read.

    Parameters
    ----------
    data, source : bytes, str
        The file and its name.
    layout : Layout
    syntax : Syntax
    roles : list of (str or None)
        Roles of the columns.
    exact : bool
        Whether further columns are an error.
    words : frozenset of str
        Roles whose columns hold words: ends that are names, times that are dates.
    guessed : bool
        Whether that ends are names was found out from the first record.
    inner_comments : bool
        Whether comments may stand among the records. A name may start like a comment, so that of files of names it is
        not known which of both a line is.
    nameable : bool
        Whether ids could be read as names.
    free : bool
        Whether ids could be words, as neither the format nor the caller says what they are.
    told : list of str
        What the caller was warned of, once for all parts.
    """

    data: bytes
    source: str
    layout: Layout
    syntax: Syntax
    roles: list[str | None] = field(default_factory=list)
    exact: bool = True
    words: frozenset[str] = frozenset()
    guessed: bool = False
    inner_comments: bool = True
    nameable: bool = False
    free: bool = False
    told: list[str] = field(default_factory=list)

    def error(self, reason: str, position: int, hint: str | None = None) -> ParseError:
        """The error for the line at a position."""
        return line_error(reason, self.source, self.data, position, hint)

    def record(self, start: int) -> tuple[int, int, str]:
        """The first record from a position on: its position, that of the record behind it, and its text."""
        begin, after, text = record_at(self.data, start, self.syntax)
        if len(text) > self.syntax.longest:
            raise self.error(self.syntax.too_long, begin)
        return begin, after, text

    def fields(self, record: str) -> list[str]:
        """The fields of a record."""
        return fields_of(record, self.syntax.separator)


def read_text(
    data: bytes,
    source: str,
    *,
    layout: Layout | None = None,
    columns: Columns = None,
    weighted: bool | None = None,
    comments: str = COMMENTS,
    delimiter: str | None = None,
    header: bool | None = None,
    named: bool | None = None,
    operations: bool = False,
    table: bool = False,
    data_columns: Sequence[str] = (),
    max_record_bytes: int = LONGEST_RECORD,
    multiline: bool = True,
) -> tuple[EdgeList, np.ndarray]:
    """Parse a text edge list.

    Parameters
    ----------
    data : bytes
        The decompressed file.
    source : str
        Its name, for errors.
    layout : Layout, optional
        What the format fixes; by default it is read off the comments and names at the top of the file.
    columns, weighted, comments, delimiter, header, named, max_record_bytes
        See `frontier.io.read_edges`.
    operations : bool
        Whether every line starts with ``+`` or ``-``.
    table : bool
        Whether the file is one of the kind (CSV, TSV) that has a first line of names more often than not, and words.
    data_columns : sequence of str
        `data` of `frontier.io.read_edges`.
    multiline : bool
        Whether fields in quotes may hold line ends.

    Returns
    -------
    edges : EdgeList
        The records.
    ops : ndarray of int8, shape (m,)
        The operation character of each record; empty without `operations`, but for dynamic networks of KONECT.

    Raises
    ------
    ParseError
        At the first malformed line.
    ValueError
        If `columns` or `delimiter` make no sense.
    """
    plan = plan_text(
        data, source, layout=layout, columns=columns, weighted=weighted, comments=comments, delimiter=delimiter,
        header=header, named=named, operations=operations, table=table, data_columns=data_columns,
        max_record_bytes=max_record_bytes, multiline=multiline,
    )  # fmt: skip
    found, ops = _tokenize(plan)
    return _assemble(plan, found, weighted), ops


class TextParts:
    """Parses a text that comes in parts, each of whole lines, as `read_text` would the whole of it.

    What columns mean is decided by the first part, which must hold a record unless the text has none.

    Parameters
    ----------
    data : bytes
        The first part.
    lines : int
        How many lines, none of them a record, are before it.
    source, **options
        See `read_text`.

    Attributes
    ----------
    has_names : bool
        Whether ids are words; they cannot be numbered before all are known.
    """

    def __init__(self, data: bytes, source: str, *, lines: int = 0, weighted: bool | None = None, **options: Any):
        self._weighted, self._lines = weighted, lines
        with _after_lines(lines):
            self._plan = plan_text(data, source, weighted=weighted, **options)
        self.has_names = "src" in self._plan.words

    def first(self) -> tuple[EdgeList, np.ndarray]:
        """The records of the first part, and the operations; to be called first, and once."""
        plan = self._plan
        with _after_lines(self._lines):
            found, ops = _tokenize(plan)
        edges = _assemble(plan, found, self._weighted)
        role = "weight" if edges.times is None else "time"  # of a third column, in all parts what it is in the first
        self._plan = replace(
            plan, data=b"", layout=replace(plan.layout, start=0),
            roles=[role if known == UNKNOWN else known for known in plan.roles],
        )  # fmt: skip
        return edges, ops

    def next(self, data: bytes, lines: int) -> tuple[EdgeList, np.ndarray]:
        """The records of a part that follows so many lines, and the operations. Threads may call it at once."""
        plan = replace(self._plan, data=data)
        with _after_lines(lines):
            found, ops = _tokenize(plan)
        return _assemble(plan, found, self._weighted), ops


@contextmanager
def _after_lines(lines: int) -> Iterator[None]:
    """Have errors in a part of a text name the line of the whole."""
    try:
        yield
    except ParseError as error:
        line = None if error.line is None else error.line + lines
        raise ParseError(error.reason, error.source, line, error.text, error.hint) from None


def plan_text(
    data: bytes,
    source: str,
    *,
    layout: Layout | None = None,
    columns: Columns = None,
    weighted: bool | None = None,
    comments: str = COMMENTS,
    delimiter: str | None = None,
    header: bool | None = None,
    named: bool | None = None,
    operations: bool = False,
    table: bool = False,
    data_columns: Sequence[str] = (),
    max_record_bytes: int = LONGEST_RECORD,
    multiline: bool = True,
) -> _Plan:
    """How the lines of a text are to be read, as its first ones tell; the parameters are those of `read_text`."""
    if data.startswith(_UTF16):
        raise ParseError("this is UTF-16 text, which is not supported; save it as UTF-8", source)
    given = layout is not None
    if layout is None:
        layout = _preamble(data, source, comments)
    elif named or header:
        raise ValueError(f"{source}: a file of this format has no names; leave out header= and named=")
    syntax = syntax_of(
        data, comments=comments, delimiter=delimiter or layout.delimiter, table=table, operations=operations,
        max_record_bytes=max_record_bytes, multiline=multiline, start=layout.start,
    )  # fmt: skip
    plan = _Plan(data, source, layout, syntax, free=not given and named is None)
    at, after, record = plan.record(layout.start)
    words = plan.fields(record)
    names = None
    marked: list[Marked] = []
    if (table or named) and not (given or operations or header) and comments == COMMENTS:
        marked = marked_lines(data, layout.start, at, len(words), syntax)
    if any(each.is_record(words) for each in marked):
        at, words, _ = next(each for each in marked if each.fits)
        plan = replace(plan, layout=replace(layout, start=at), syntax=replace(syntax, comments=frozenset()))
        marked = []
    elif not given and not operations:
        names, layout, words = _header(plan, at, after, words, columns, header, table, data_columns)
        plan = replace(plan, layout=layout)
    if operations:
        words = _first_insertion(plan, at)
    if layout.dynamic or (layout.third_is_weight and weighted is None):
        weighted = True
    roles, exact = _roles(columns, weighted, plan, names, words, at, data_columns)
    if layout.dynamic and words and "weight" not in roles:
        raise plan.error("a dynamic KONECT network needs its weights: 1 inserts an edge, and -1 deletes it", at)
    allowed = not given and (table or names is not None) if named is None else named
    roles, in_words, guessed = _words_of(roles, words, allowed, bool(named), weighted)
    maybe_named = "src" in in_words or (allowed and not words)
    if maybe_named and names is None:
        for line in marked:
            if line.fits:
                raise plan.error("is this line a comment, or a record of names? Say comments='#' or comments=''",
                                 line.position)  # fmt: skip
        if marked:
            tell(ReaderWarning(source, f"skipped a line as a comment, {' '.join(marked[0].words)[:60]!r}",
                               "a record of names has as many columns as the others"))  # fmt: skip
        plan = replace(plan, layout=replace(plan.layout, start=at))  # behind the comments at the top
    return replace(
        plan, roles=roles, exact=exact, words=in_words, guessed=guessed, nameable=not given,
        inner_comments=not maybe_named or comments != COMMENTS,
    )  # fmt: skip


def read_column(data: bytes, source: str) -> np.ndarray:
    """Parse the vertex id that each line of a text starts with, and nothing behind it; shape (m,), int64."""
    plan = _Plan(data, source, Layout(), Syntax(comments=frozenset()), ["vertex"], exact=False)
    return _tokenize(plan)[0]["vertex"].copy()


def first_line(data: bytes) -> tuple[str, int]:
    """First line of `data` without its line end, and the offset of the second line."""
    end = data.find(b"\n")
    end = len(data) if end < 0 else end
    return data[:end].decode("utf-8", "replace").rstrip("\r"), min(end + 1, len(data))


def is_count(word: str) -> bool:
    """Whether a word is a number of vertices or edges that an array can have."""
    return re.fullmatch(r"[0-9]{1,19}", word) is not None and int(word) <= LARGEST_ID + 1


def _first_insertion(plan: _Plan, at: int) -> list[str]:
    """Words of the first insertion of a stream; deletions may lack the weight, so they do not tell the width."""
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
    """What the comments at the top of a file say: direction, number and base of vertices, names of columns."""
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
            layout = replace(
                layout, base=1, directed=header.directed, third_is_weight=True, dynamic=header.dynamic
            )  # fmt: skip
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
    plan: _Plan,
    at: int,
    after: int,
    words: list[str],
    columns: Columns,
    header: bool | None,
    table: bool,
    data: Sequence[str],
) -> tuple[list[str] | None, Layout, list[str]]:
    """Names of the columns if the first line holds them, the layout without it, and the words of the first record."""
    layout = plan.layout
    if not words or header is False:
        return None, layout, words
    below = replace(layout, start=after)
    following = plan.fields(plan.record(after)[2])
    said = [*data, *(map(str, columns.values()) if isinstance(columns, Mapping) else ())]
    known = bool(said) and set(said) <= set(words)
    found = True if header or known else names_columns(words, following, table)
    if found:
        # What is wrong with the names themselves, the kernel says.
        names_alone = replace(layout, start=at)
        _tokenize(replace(plan, data=plan.data[:after], layout=names_alone, roles=[None] * len(words)))
        if not header and not known and roles_from_names(words) is None:
            line = plan.data.count(b"\n", 0, at) + 1
            tell(ReaderWarning(plan.source, f"took line {line} for the names of the columns, {', '.join(words)[:100]}",
                               "say header=True or header=False"))  # fmt: skip
        return words, below, following
    if found is None:
        raise plan.error("does this line hold the names of the columns, or the first record? "
                         "Say header=True or header=False", at)  # fmt: skip
    return None, layout, words


def _roles(
    columns: Columns,
    weighted: bool | None,
    plan: _Plan,
    names: Sequence[str] | None,
    words: Sequence[str],
    at: int,
    data: Sequence[str],
) -> tuple[list[str | None], bool]:
    """Roles of the columns to parse, and whether more columns than these are an error."""
    width = len(words)
    if names is not None:
        # Who says which columns count, by position or by name, says that others do not: rows may be wider than the
        # names, of which the last may stand for many fields.
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
    raise plan.error(f"{width} columns; say which is which with columns=('src', 'dst', ...)", at)


def _words_of(
    roles: list[str | None], words: Sequence[str], allowed: bool, named: bool, weighted: bool | None
) -> tuple[list[str | None], frozenset[str], bool]:
    """Roles, those whose columns hold words, and whether it was the first record that said that ends are words."""
    first = {role: word for role, word in zip(roles, words, strict=False) if role is not None}
    if UNKNOWN in first and weighted is None and wd.is_date(first[UNKNOWN]):
        roles = ["time" if role == UNKNOWN else role for role in roles]
        first["time"] = first[UNKNOWN]
    found = {"time"} if wd.is_date(first.get("time", "")) else set()
    guessed = allowed and not named and any(
        first.get(end) and not wd.starts_like_number(first[end]) for end in ("src", "dst")
    )  # fmt: skip
    if named or guessed:
        found |= {"src", "dst"}
    return roles, frozenset(found), guessed


def _tokenize(plan: _Plan) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Run the kernel; return a column for each role, `ids` where ends are words, and the operations."""
    from frontier.io import tokenizer as tk  # here, so that what needs no parsing does not load the compiler

    data, layout, roles, syntax = plan.data, plan.layout, plan.roles, plan.syntax
    kept = [role for role in roles if role is not None]
    number = tk.OPTIONAL_NUMBER if syntax.operations else tk.NUMBER
    kind_of = {None: tk.SKIP, "src": tk.ID, "dst": tk.ID, "vertex": tk.ID, "time": tk.NUMBER}
    kind_of |= dict.fromkeys(plan.words, tk.TEXT)
    kinds = np.array([kind_of.get(role, number) for role in roles])
    slots = np.array([0 if role is None else kept.index(role) for role in roles])
    rows = data.count(b"\n", layout.start) + 1
    out = np.empty((len(kept), rows), dtype=np.int64)
    is_real = np.zeros(len(kept), dtype=bool)
    numbers = int(np.isin(kinds, (tk.NUMBER, tk.OPTIONAL_NUMBER)).sum())
    hard = np.empty((rows * numbers, 4), dtype=np.int64)
    ends = np.empty((len(kept), rows) if plan.words else (0, 0), dtype=np.int64)
    padded = np.array([-1])
    ops = np.empty(rows if syntax.operations else 0, dtype=np.int8)
    is_comment = np.zeros(256, dtype=bool)
    is_comment[list(syntax.comments)] = True
    lowest = layout.base
    highest = LARGEST_ID if layout.num_vertices is None else min(layout.num_vertices - 1 + layout.base, LARGEST_ID)
    status, position, column, count, hards = tk.tokenize(
        np.frombuffer(data, dtype=np.uint8),
        layout.start,
        is_comment,
        plan.inner_comments,
        syntax.separator,
        syntax.multiline,
        syntax.longest,
        kinds,
        slots,
        lowest,
        highest,
        syntax.operations,
        plan.exact,
        padded,
        out,
        out.view(np.float64),
        is_real,
        hard,
        ends,
        ops,
    )
    if status != tk.OK:
        raise plan.error(*_fault_of(plan, status, position, column, count, tk))
    if padded[0] >= 0 and plan.free and not plan.told:
        _tell_of_padding(plan, int(padded[0]))
    for row, slot, begin, end in hard[:hards].tolist():
        value = float(data[begin:end])
        if abs(value) == float("inf"):
            name = kept[slot].removeprefix(DATA)
            raise plan.error(f"the {name} {data[begin:end].decode()} overflows float64", begin)
        out.view(np.float64)[slot, row] = value
    table = {
        role: (out[slot].view(np.float64) if is_real[slot] else out[slot])[:count] for slot, role in enumerate(kept)
    }
    texts = {role: _texts(plan, out[slot, :count], ends[slot, :count])
             for slot, role in enumerate(kept) if role in plan.words}  # fmt: skip
    if "time" in plan.words:
        table["time"] = wd.dates(texts["time"], _fault(plan, table["time"]))
    if layout.dynamic and "weight" in table:
        ops = _operations_of(plan, table.pop("weight"))
    if "src" in plan.words:
        if plan.guessed:
            _check_guess(plan, texts, table)
        table["ids"], (table["src"], table["dst"]) = wd.number_words([texts["src"], texts["dst"]])
    return table, ops[:count]


def _operations_of(plan: _Plan, weights: np.ndarray) -> np.ndarray:
    """The operations of a dynamic network of KONECT."""
    ops = konect.operations_of(weights)
    if not ops.all():
        at, after, _ = plan.record(plan.layout.start)
        for _ in range(int(np.argmin(ops))):
            at, after, _ = plan.record(after)
        raise plan.error("the weight of a record of a dynamic KONECT network is neither 1 nor -1", at)
    return ops


def _tell_of_padding(plan: _Plan, position: int) -> None:
    """Warn that ids which differ as words may be one vertex."""
    word = _word(plan, position).strip('"')
    plan.told.append(word)
    tell(ReaderWarning(
        plan.source, f"ids such as {word!r} are read as integers, so {word.lstrip('+0') or '0'!r} is the same vertex",
        "named=True keeps ids as they are written, named=False says that they are integers",
    ))  # fmt: skip


def _texts(plan: _Plan, begins: np.ndarray, ends: np.ndarray) -> list[str]:
    """The words of a column."""
    found = []
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        word = plan.data[max(begin, ~begin) : end]
        try:
            found.append((word.replace(b'""', b'"') if begin < 0 else word).decode())
        except UnicodeDecodeError as error:
            raise plan.error(f"the word {word!r} is not UTF-8", max(begin, ~begin)) from error
    return found


def _fault(plan: _Plan, begins: np.ndarray) -> Callable[[int, str], Exception]:
    """Makes the error for a row of a column of words."""
    places = begins.copy()
    return lambda row, reason: plan.error(reason, max(int(places[row]), ~int(places[row])))


def _check_guess(plan: _Plan, texts: dict[str, list[str]], table: dict[str, np.ndarray]) -> None:
    """Raise if the first record alone has words for ends, which is a fault in it rather than a file of names."""
    rest = range(1, len(texts["src"]))
    if len(rest) and all(texts[end][k].isdecimal() for end in ("src", "dst") for k in rest):
        begin = int(table["src"][0])
        hint = f"{NAMED_HINT}; header=True makes it the name of a column"
        raise plan.error("stray word in a file of integer ids", max(begin, ~begin), hint)


def _assemble(plan: _Plan, table: dict[str, np.ndarray], weighted: bool | None) -> EdgeList:
    """Turn parsed columns into an edge list, vertices counted from 0."""
    layout, ids = plan.layout, table.get("ids")
    weights, times = table.get("weight"), table.get("time")
    if UNKNOWN in table:
        if weighted is None and looks_like_times(table[UNKNOWN]):
            times = table[UNKNOWN]
        else:
            weights = table[UNKNOWN]
    if weighted is False:
        weights = None
    src, dst = table["src"], table["dst"]
    if layout.base and ids is None:
        src -= layout.base
        dst -= layout.base
    # Copies, so that the list does not keep the kernel's whole buffer alive; int32 makes its own.
    edges = EdgeList(
        src,
        dst,
        weights=None if weights is None else weights.astype(np.float64) if layout.real_weights else weights.copy(),
        times=None if times is None else times.copy(),
        num_vertices=layout.num_vertices if ids is None else len(ids),
        ids=ids,
        directed=layout.directed,
        first_id=0 if ids is not None else layout.base,
        time_unit="ns" if "time" in plan.words else layout.time_unit,
        data=data_of({role: column.copy() for role, column in table.items() if role.startswith(DATA)}),
    )
    return replace(edges, src=edges.src.copy(), dst=edges.dst.copy()) if edges.src.dtype == np.int64 else edges


def _word(plan: _Plan, position: int) -> str:
    """The word that starts at `position`."""
    separator = plan.syntax.separator
    stop = rb"[\n%s]" % (b" \t" if separator < 0 else re.escape(bytes([separator])))
    match = re.compile(stop).search(plan.data, position + 1)
    word = plan.data[position : match.start() if match else len(plan.data)].decode("utf-8", "replace").strip(" \t\r")
    return word if len(word) <= 60 else word[:60] + "…"


def _fault_of(plan: _Plan, status: int, position: int, column: int, row: int, tk) -> tuple[str, int, str | None]:
    """The error for what the kernel found: the reason, the position, and what to do about it."""
    role = plan.roles[column] if 0 <= column < len(plan.roles) else None
    is_end = role in ("src", "dst") and "src" not in plan.words
    odd_id = status in (tk.NEGATIVE, tk.OVER_INT64, tk.NOT_INTEGER)
    odd_id |= status == tk.ABOVE and plan.layout.num_vertices is None
    hint = None
    if status == tk.WORD and is_end and row == 0:
        word = _word(plan, position)
        hint = next((f"is delimiter={mark!r} meant?" for mark in ";|\t" if mark in word), None)
    if hint is None and plan.nameable and (odd_id or (status == tk.WORD and is_end)):
        hint = NAMED_HINT
    return _reason(plan, status, position, column, role, tk), position, hint


def _reason(plan: _Plan, status: int, position: int, column: int, role: str | None, tk) -> str:
    """Say in words what the kernel found."""
    roles, layout, word = plan.roles, plan.layout, _word(plan, position)
    name = "third column" if role == UNKNOWN else role.removeprefix(DATA) if role else f"column {column + 1}"
    if status == tk.WORD:
        return f"stray word {word!r} where the {name} should be"
    if status == tk.NEGATIVE:
        return f"negative vertex id {word}"
    if status == tk.OVER_INT64 or (status == tk.ABOVE and layout.num_vertices is None):
        return f"vertex id {word} is over the int64 range"
    if status == tk.MISSING:
        return f"missing column: the {name} (column {column + 1} of {len(roles)})"
    if status == tk.NAN:
        return f"the {name} is NaN"
    if status == tk.INFINITE:
        return f"the {name} is infinite"
    if status == tk.EXTRA:
        return f"stray word {word!r} after the last of {len(roles)} columns"
    if status == tk.NOT_INTEGER:
        return f"vertex id {word} is not an integer"
    if status == tk.BAD_OPERATION:
        return f"{word!r} is not an operation; lines start with '+' or '-'"
    if status == tk.EMPTY_FIELD:
        return f"missing column: the {name} is empty"
    if status == tk.CONTROL:
        return f"the control character {chr(plan.data[position])!r} in the {name}"
    if status == tk.QUOTE:
        return f"the {name} is not one field in quotes, and one only"
    if status == tk.UNCLOSED:
        where = f"within {plan.syntax.longest:,} bytes" if plan.syntax.multiline else "on its line"
        return f"nothing closes the quote before the {name} {where}"
    if status == tk.LONG:
        return plan.syntax.too_long
    if status == tk.COMMENT:
        return "a comment among records of names; comments='' makes it a record"
    if status == tk.BELOW:
        return f"vertex id {word} in a format that counts from {layout.base}"
    return f"vertex id {word} is over the announced number of vertices, {layout.num_vertices}"
