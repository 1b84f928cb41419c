"""Verdicts: whether a paper's claim about two systems is true in the measured rows."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

LESS_IS_BETTER = ("ms", "MB", "bytes/edge")
ROUNDING = 0.1  # a median this far outside the paper's range still counts as within it
LABELS = ("graph", "system", "quantity", "x")
"""The labels that distinguish the rows of one experiment."""


@dataclass(frozen=True)
class Check:
    """A claim that numbers decide: the ratio of one group of rows to another.

    Attributes
    ----------
    text : str
        The claim, as a sentence about the measured systems.
    paper : str
        The same ratio in the paper: ``"2 - 5"``, ``"2"``, ``"up to 5"``, or words, or "" if it gives none.
    of, over : mapping of label to value
        The labels of each group that the other group does not share, such as ``{"system": "slab"}``. Rows that agree in
        all other labels are compared. Without `over` the values themselves are judged.
    where : mapping of label to value
        The labels that rows of both groups must have.
    least, most : float
        The claim is true for a pair of rows if their ratio is in this range.
    decided_by : str
        The factor that decides the ratio here instead of the paper's comparison. Such a claim gets no verdict.
    """

    text: str
    paper: str
    of: Mapping[str, Any]
    over: Mapping[str, Any] | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    least: float = 1.0
    most: float = math.inf
    decided_by: str = ""


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim.

    Attributes
    ----------
    check : Check
    word : {"holds", "by more", "by less", "in part", "does not hold", "not comparable", "not measured"}
        The direction of the claim is true for all pairs of rows (the first three), some, or none. By more, by less: the
        median ratio lies outside the paper's range. For "up to" the best ratio counts.
    figure : str
        The basis of the word: that ratio, the number of pairs, or the deciding factor instead of the paper's reason.
    ratios : tuple of float
        One for each pair of rows.
    """

    check: Check
    word: str
    figure: str
    ratios: tuple[float, ...]

    @property
    def text(self) -> str:
        """The word and its basis."""
        return f"{self.word}: {self.figure}" if self.figure else self.word

    @property
    def measured(self) -> str:
        """The ratios as a range, with their median."""
        if not self.ratios:
            return "-"
        if len(self.ratios) == 1:
            return short(self.ratios[0])
        return f"{short(min(self.ratios))} - {short(max(self.ratios))}, median {short(float(np.median(self.ratios)))}"


def judge(check: Check, rows: Iterable[Mapping[str, Any]]) -> Verdict:
    """Compare the rows of one experiment as a check specifies."""
    chosen = [row for row in rows if _has(row, check.where)]
    mine = [row for row in chosen if _has(row, check.of)]
    if check.over is None:
        ratios = [row["value"] for row in mine]
    else:
        apart = set(check.of) | set(check.over)
        others = {_key(row, apart): row for row in chosen if _has(row, check.over)}
        pairs = [(row, others[_key(row, apart)]) for row in mine if _key(row, apart) in others]
        ratios = [_times_as_good(row, other) for row, other in pairs]
    return Verdict(check, *_word(check, ratios), tuple(ratios))


def _word(check: Check, ratios: Sequence[float]) -> tuple[str, str]:
    """The word of a verdict, and its basis."""
    if not ratios:
        return "not measured", ""
    if check.decided_by:
        return "not comparable", check.decided_by
    agreeing = sum(check.least <= ratio <= check.most for ratio in ratios)
    if not agreeing:
        return "does not hold", ""
    if agreeing < len(ratios):
        return "in part", f"{agreeing} of {len(ratios)}"
    numbers = [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\.?\d*", check.paper)]
    if check.over is None or not numbers:
        return "holds", ""
    found = max(ratios) if check.paper.startswith("up to") else float(np.median(ratios))
    if min(numbers) * (1 - ROUNDING) <= found <= max(numbers) * (1 + ROUNDING):
        return "holds", ""
    slower = check.most <= 1.0  # a claim that something is slower: the lower the ratio, the more it is so
    return "by less" if (found < min(numbers)) != slower else "by more", short(found)


def _has(row: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    return all(row.get(label) == value for label, value in labels.items())


def _key(row: Mapping[str, Any], apart: set[str]) -> tuple[Any, ...]:
    return tuple(row.get(label) for label in LABELS if label not in apart)


def _times_as_good(row: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    one, two = row["value"], other["value"]
    if row["unit"] in LESS_IS_BETTER:
        one, two = two, one
    return float(one / two) if two else math.inf


def short(value: float) -> str:
    """Two digits, or as many as there are before the point."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    digits = max(1 - math.floor(math.log10(abs(value))), 0)
    return f"{round(value, digits):,.{digits}f}"
