"""Text edge lists: one row per line, columns separated by blanks or by a delimiter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from .columns import DATA, UNKNOWN, data_of, looks_like_times, measures_of
from .edge_list import EdgeList
from .errors import ParseError
from .lines import Syntax
from .options import ReadOptions
from .text_columns import ColumnReading, Layout, tokenize
from .text_plan import plan_text


def read_text(
    data: bytes, source: str, options: ReadOptions, layout: Layout | None = None
) -> tuple[EdgeList, np.ndarray]:  # fmt: skip
    """Parse a text edge list.

    `data` is the decompressed file, and `source` its name in errors. The format fixes `layout`. By default it
    follows from the comments and names at the top of the file. Returns the rows, and the operation character of each
    (int8), which is empty without operations except for dynamic networks of KONECT. Raises ParseError at the first
    malformed line, and ValueError if `columns` or `delimiter` are invalid.
    """
    plan = plan_text(data, source, options, layout)
    found, ops = tokenize(plan)
    return _assemble(plan, found), ops


class TextParts:
    """Parses a text that comes in parts of whole lines, as `read_text` parses the whole.

    The first part, `data`, after `lines` lines, defines the columns, so it must have a row if the text has any.
    `has_names` marks ids as words, numbered once all are known.
    """

    def __init__(self, data: bytes, source: str, options: ReadOptions, lines: int = 0):
        self._lines = lines
        with _after_lines(lines):
            self._plan = plan_text(data, source, options)
        self.has_names = "src" in self._plan.words

    def first(self) -> tuple[EdgeList, np.ndarray]:
        """Return the rows of the first part, and the operations. Call it first, and once."""
        plan = self._plan
        with _after_lines(self._lines):
            found, ops = tokenize(plan)
        edges = _assemble(plan, found)
        role = "weight" if edges.times is None else "time"  # of a third column, in all parts
        self._plan = replace(
            plan, data=b"", layout=replace(plan.layout, start=0),
            roles=[role if known == UNKNOWN else known for known in plan.roles],
        )  # fmt: skip
        return edges, ops

    def next(self, data: bytes, lines: int) -> tuple[EdgeList, np.ndarray]:
        """Return the rows of a part after `lines` lines, and the operations. Thread-safe."""
        plan = replace(self._plan, data=data)
        with _after_lines(lines):
            found, ops = tokenize(plan)
        return _assemble(plan, found), ops


@contextmanager
def _after_lines(lines: int) -> Iterator[None]:
    """Let errors in a part of a text name the line of the whole."""
    try:
        yield
    except ParseError as error:
        line = None if error.line is None else error.line + lines
        raise ParseError(error.reason, error.source, line, error.text, error.hint) from None


def read_column(data: bytes, source: str) -> np.ndarray:
    """Parse the vertex id at the start of each line of a text. Shape (m,), int64."""
    plan = ColumnReading(data, source, Layout(), Syntax(comments=frozenset()), ["vertex"], exact=False)
    return tokenize(plan)[0]["vertex"].copy()


def _assemble(plan: ColumnReading, table: dict[str, np.ndarray]) -> EdgeList:
    """Turn parsed columns into an edge list, vertices counted from 0."""
    layout, ids = plan.layout, table.get("ids")
    weights, times = measures_of(table, plan.weighted, looks_like_times)
    src, dst = table["src"], table["dst"]
    if layout.base and ids is None:
        src -= layout.base
        dst -= layout.base
    # Copies, so the list does not reference the kernel's whole buffer. int32 makes its own copy.
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
