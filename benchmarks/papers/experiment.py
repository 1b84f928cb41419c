"""The definition of a table or figure of a paper: its claim, how it is reproduced, and which systems participate."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .check import Check

if TYPE_CHECKING:
    from .cell import Cell

EVERY = "every structure of the run"


@dataclass(frozen=True)
class Variant:
    """A structure with custom options, as a separate column.

    Attributes
    ----------
    label : str
        Name of the column.
    structure : str
        Name in the registry.
    options : mapping of str to value
        Options of the structure's class.
    on_host : bool
        It is on the CPU of the machine, also where the run is on a GPU. On a CPU this column is absent: it would equal
        the structure's.
    shapes : tuple of str
        The graphs that it is measured on, or all of the experiment if it is empty.
    """

    label: str
    structure: str
    options: Mapping[str, Any] = field(default_factory=dict)
    on_host: bool = False
    shapes: tuple[str, ...] = ()


def only(*structures: str) -> tuple[Variant, ...]:
    """Structures with their default options, as the only columns."""
    return tuple(Variant(name, name) for name in structures)


@dataclass(frozen=True)
class Earlier:
    """How an experiment was measured before it was changed. Results of that time are shown while no others exist.

    Attributes
    ----------
    until : str
        The date of the change.
    how : str
        The difference, as worded after a verdict, or "" if results of that time are not shown.
    comparable : bool
        Whether verdicts still mean something.
    quantities : tuple of str
        The concerned columns, or all if it is empty.
    note : str
        A further remark on results of that time.
    """

    until: str
    how: str
    comparable: bool = False
    quantities: tuple[str, ...] = ()
    note: str = ""

    def concerns(self, check: Check) -> bool:
        """Whether the claim is one about these quantities."""
        named = {labels.get("quantity") for labels in (check.of, check.over or {}, check.where)}
        return not self.quantities or not named.isdisjoint(self.quantities)


@dataclass(frozen=True)
class Experiment:
    """One table or figure, reproduced.

    Attributes
    ----------
    number : str
        As the paper counts: ``table 2``, ``figure 8``, ``figure 4a``, or ``section 6.2`` without either.
    title : str
    claim : str
        The paper's result, in a sentence with its numbers.
    how : str
        How it is reproduced, and how that differs from the paper.
    why : str
        The properties of the structures or the engine that explain the verdicts. Without measured numbers, which are in
        the table.
    shapes : tuple of str
        Graphs (see `shapes`).
    measure : function of Cell
        Measures one structure on one graph.
    rows : tuple of {"graph", "x"}
        The labels that define a row of the table. Values are averaged over all other labels, as in the papers.
    axis : str
        The meaning of `x`.
    columns : {"system", "graph"}
    systems : tuple of str and Variant
        `EVERY`, and variants of single structures.
    checks : tuple of Check
    gpu_only : bool
        Nothing can be measured if graphs are in the host's memory.
    derive : function of rows
        Computes the rows that are shown and judged from the measured ones. By default they are the same.
    smaller : int
        Its graphs have this many fewer powers of two of vertices than the graphs of other experiments, and its batches
        fewer edges.
    earlier : Earlier or None
        How it was measured before, if that differs.
    """

    number: str
    title: str
    claim: str
    how: str
    shapes: tuple[str, ...]
    measure: Callable[[Cell], None]
    rows: tuple[str, ...] = ("graph",)
    axis: str = ""
    columns: str = "system"
    systems: tuple[str | Variant, ...] = (EVERY,)
    checks: tuple[Check, ...] = ()
    gpu_only: bool = False
    derive: Callable[[Sequence[dict[str, Any]]], list[dict[str, Any]]] = list
    why: str = ""
    smaller: int = 0
    earlier: Earlier | None = None

    def is_part_of(self, kind: str, number: str) -> bool:
        """Whether it is, or is a part of, this table, figure or section: ``figure 4a`` is one of ``figure 4``."""
        return re.fullmatch(f"{kind} {re.escape(number)}[a-z]?", self.number) is not None


@dataclass(frozen=True)
class Paper:
    """A paper, and its tables and figures that are reproduced.

    Attributes
    ----------
    name : str
        On the command line and in names of files.
    citation, place : str
        Its title, and the GPU of its numbers.
    differences : str
        How all its experiments differ from the paper's here.
    left_out : str
        Its tables and figures of measurements that are not reproduced.
    experiments : tuple of Experiment
    """

    name: str
    citation: str
    place: str
    differences: str
    left_out: str
    experiments: tuple[Experiment, ...]

    def key(self, experiment: Experiment) -> str:
        """Names an experiment among the experiments of all papers."""
        return f"{self.name} {experiment.number}"
