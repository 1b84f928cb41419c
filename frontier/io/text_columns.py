"""The columns of a text: how they are read, and the results of the kernel."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from . import konect
from . import words as wd
from .columns import DATA, UNKNOWN, ReaderWarning, tell
from .errors import NAMED_HINT, ParseError, line_error
from .lines import Syntax, fields_of, record_at

LARGEST_ID = 2**63 - 2  # so the number of vertices fits in int64 as well


@dataclass(frozen=True)
class Layout:
    """The properties that a format fixes about its lines."""

    start: int = 0  # offset of the first line of rows
    base: int = 0  # the file's number of the first vertex: `first_id` of the edge list
    num_vertices: int | None = None  # announced by the file, an error for larger ids
    roles: list[str | None] | None = None
    directed: bool | None = None
    real_weights: bool = False  # weights are float64, even if all are written as integers
    delimiter: str | None = None
    time_unit: str | None = None  # of times that were dates
    third_is_weight: bool = False  # whatever its values
    dynamic: bool = False  # weights are operations, as in KONECT's dynamic networks


@dataclass(frozen=True)
class ColumnReading:
    """The way to read the lines of one file."""

    data: bytes
    source: str
    layout: Layout
    syntax: Syntax
    roles: list[str | None] = field(default_factory=list)
    exact: bool = True  # further columns are an error
    weighted: bool | None = None
    words: frozenset[str] = frozenset()  # roles of columns of words: ends that are names, times that are dates
    guessed: bool = False  # the first row shows that ends are names
    inner_comments: bool = True  # comments may stand among rows, unless a name may start like one
    nameable: bool = False  # ids could be read as names
    free: bool = False  # ids could be words: neither the format nor the caller determines it
    warned: list[str] = field(default_factory=list)  # warnings so far, once for all parts

    def error(self, reason: str, position: int, hint: str | None = None) -> ParseError:
        """Return the error for the line at a position."""
        return line_error(reason, self.source, self.data, position, hint)

    def record(self, start: int) -> tuple[int, int, str]:
        """Return the first row from a position on: its position, the next row's, and its text."""
        begin, after, text = record_at(self.data, start, self.syntax)
        if len(text) > self.syntax.longest:
            raise self.error(self.syntax.too_long, begin)
        return begin, after, text

    def fields(self, record: str) -> list[str]:
        return fields_of(record, self.syntax.separator)


def first_line(data: bytes) -> tuple[str, int]:
    """Return the first line without its line end, and the offset of the second line."""
    end = data.find(b"\n")
    end = len(data) if end < 0 else end
    return data[:end].decode("utf-8", "replace").rstrip("\r"), min(end + 1, len(data))


def is_count(word: str) -> bool:
    """Return whether a word is a number of vertices or edges that an array can have."""
    return re.fullmatch(r"[0-9]{1,19}", word) is not None and int(word) <= LARGEST_ID + 1


def tokenize(plan: ColumnReading) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Run the kernel, and return a column for each role, `ids` if ends are words, and the operations."""
    from . import tokenizer as tk  # here: only parsing loads the compiler

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
        layout.base,
        LARGEST_ID if layout.num_vertices is None else min(layout.num_vertices - 1 + layout.base, LARGEST_ID),
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
        raise plan.error(*_fault_of(plan, status, position, column, count))
    if padded[0] >= 0 and plan.free and not plan.warned:
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


def _operations_of(plan: ColumnReading, weights: np.ndarray) -> np.ndarray:
    """Return the operations of a dynamic network of KONECT."""
    ops = konect.operations_of(weights)
    if not ops.all():
        at, after, _ = plan.record(plan.layout.start)
        for _ in range(int(np.argmin(ops))):
            at, after, _ = plan.record(after)
        raise plan.error("the weight of a row of a dynamic KONECT network is neither 1 nor -1", at)
    return ops


def _tell_of_padding(plan: ColumnReading, position: int) -> None:
    """Warn that ids which differ as words may be one vertex."""
    word = _word(plan, position).strip('"')
    plan.warned.append(word)
    tell(ReaderWarning(
        plan.source, f"ids such as {word!r} are read as integers, so {word.lstrip('+0') or '0'!r} is the same vertex",
        "named=True keeps ids as they are written, named=False says that they are integers",
    ))  # fmt: skip


def _texts(plan: ColumnReading, begins: np.ndarray, ends: np.ndarray) -> list[str]:
    """Return the words of a column."""
    found = []
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        word = plan.data[max(begin, ~begin) : end]
        try:
            found.append((word.replace(b'""', b'"') if begin < 0 else word).decode())
        except UnicodeDecodeError as error:
            raise plan.error(f"the word {word!r} is not UTF-8", max(begin, ~begin)) from error
    return found


def _fault(plan: ColumnReading, begins: np.ndarray) -> Callable[[int, str], Exception]:
    """Return a function that makes the error for a row of a column of words."""
    places = begins.copy()
    return lambda row, reason: plan.error(reason, max(int(places[row]), ~int(places[row])))


def _check_guess(plan: ColumnReading, texts: dict[str, list[str]], table: dict[str, np.ndarray]) -> None:
    """Raise if only the first row has words for ends: that row is faulty, and the file has no names."""
    rest = range(1, len(texts["src"]))
    if len(rest) and all(texts[end][k].isdecimal() for end in ("src", "dst") for k in rest):
        begin = int(table["src"][0])
        hint = f"{NAMED_HINT}; header=True makes it the name of a column"
        raise plan.error("stray word in a file of integer ids", max(begin, ~begin), hint)


def _word(plan: ColumnReading, position: int) -> str:
    separator = plan.syntax.separator
    stop = rb"[\n%s]" % (b" \t" if separator < 0 else re.escape(bytes([separator])))
    match = re.compile(stop).search(plan.data, position + 1)
    word = plan.data[position : match.start() if match else len(plan.data)].decode("utf-8", "replace").strip(" \t\r")
    return word if len(word) <= 60 else word[:60] + "…"


_REASONS = {
    "WORD": "stray word {word!r} where the {name} should be",
    "NEGATIVE": "negative vertex id {word}",
    "OVER_INT64": "vertex id {word} is over the int64 range",
    "MISSING": "missing column: the {name} (column {column} of {width})",
    "NAN": "the {name} is NaN",
    "INFINITE": "the {name} is infinite",
    "EXTRA": "stray word {word!r} after the last of {width} columns",
    "NOT_INTEGER": "vertex id {word} is not an integer",
    "BAD_OPERATION": "{word!r} is not an operation; lines start with '+' or '-'",
    "EMPTY_FIELD": "missing column: the {name} is empty",
    "BELOW": "vertex id {word} in a format that counts from {layout.base}",
    "ABOVE": "vertex id {word} is over the announced number of vertices, {layout.num_vertices}",
    "CONTROL": "the control character {byte!r} in the {name}",
    "QUOTE": "the {name} is not one field in quotes, and one only",
    "COMMENT": "a comment among records of names; comments='' makes it a record",
    "UNCLOSED": "nothing closes the quote before the {name} {within}",
    "LONG": "{syntax.too_long}",
}
"""The reason in an error, by the name of the kernel's outcome."""


def _fault_of(plan: ColumnReading, status: int, position: int, column: int, row: int) -> tuple[str, int, str | None]:
    """Return the reason, the position and the advice of the error for an outcome of the kernel."""
    from . import tokenizer as tk

    outcome = next(name for name in _REASONS if getattr(tk, name) == status)
    if outcome == "ABOVE" and plan.layout.num_vertices is None:
        outcome = "OVER_INT64"
    role = plan.roles[column] if 0 <= column < len(plan.roles) else None
    stray = outcome == "WORD" and role in ("src", "dst") and "src" not in plan.words
    word, hint = _word(plan, position), None
    if stray and row == 0:
        hint = next((f"is delimiter={mark!r} meant?" for mark in ";|\t" if mark in word), None)
    if hint is None and plan.nameable and (stray or outcome in ("NEGATIVE", "OVER_INT64", "NOT_INTEGER")):
        hint = NAMED_HINT
    reason = _REASONS[outcome].format(
        word=word, column=column + 1, width=len(plan.roles), layout=plan.layout, syntax=plan.syntax,
        name="third column" if role == UNKNOWN else role.removeprefix(DATA) if role else f"column {column + 1}",
        byte=plan.data[position : position + 1].decode("latin-1"),
        within=f"within {plan.syntax.longest:,} bytes" if plan.syntax.multiline else "on its line",
    )  # fmt: skip
    return reason, position, hint
