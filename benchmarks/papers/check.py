"""Verdicts: whether what a paper claims of two systems is so in the rows that were measured."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

LESS_IS_BETTER = ("ms", "MB", "bytes/edge")
WITHIN = 0.9  # of a ratio of the paper counts as reaching it
LABELS = ("graph", "system", "quantity", "x")
"""What tells the rows of one experiment apart."""


@dataclass(frozen=True)
class Check:
    """A claim that numbers decide: how many times as good one group of rows is as another.

    Attributes
    ----------
    text : str
        The claim, as a sentence about the measured systems.
    paper : str
        The same ratio in the paper, or "" where it gives none.
    of, over : mapping of label to value
        What both groups have in common with themselves only, such as ``{"system": "slab"}``. Rows that agree in all
        other labels are compared. Without `over` the values themselves are judged.
    where : mapping of label to value
        What rows of both groups must have.
    least, most : float
        The claim holds for a pair of rows if their ratio lies between.
    """

    text: str
    paper: str
    of: Mapping[str, Any]
    over: Mapping[str, Any] | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    least: float = 1.0
    most: float = math.inf


@dataclass(frozen=True)
class Verdict:
    """What became of a claim.

    Attributes
    ----------
    check : Check
    word : {"holds", "holds, by less", "holds in part", "does not hold", "not measured"}
        By less: everywhere, but the median ratio is below the paper's lowest (the largest below its "up to").
    ratios : tuple of float
        One for each pair of rows.
    """

    check: Check
    word: str
    ratios: tuple[float, ...]

    @property
    def measured(self) -> str:
        """The ratios as a range, with their median."""
        if not self.ratios:
            return "-"
        if len(self.ratios) == 1:
            return short(self.ratios[0])
        return f"{short(min(self.ratios))} - {short(max(self.ratios))}, median {short(float(np.median(self.ratios)))}"


def judge(check: Check, rows: Iterable[Mapping[str, Any]]) -> Verdict:
    """Compare the rows of one experiment as a check says."""
    chosen = [row for row in rows if _has(row, check.where)]
    mine = [row for row in chosen if _has(row, check.of)]
    if check.over is None:
        ratios = [row["value"] for row in mine]
    else:
        apart = set(check.of) | set(check.over)
        others = {_key(row, apart): row for row in chosen if _has(row, check.over)}
        pairs = [(row, others[_key(row, apart)]) for row in mine if _key(row, apart) in others]
        ratios = [_times_as_good(row, other) for row, other in pairs]
    agreeing = sum(check.least <= ratio <= check.most for ratio in ratios)
    if not ratios:
        word = "not measured"
    elif agreeing == len(ratios):
        word = "holds, by less" if _by_less(check, ratios) else "holds"
    else:
        word = "holds in part" if agreeing else "does not hold"
    return Verdict(check, word, tuple(ratios))


def _by_less(check: Check, ratios: Sequence[float]) -> bool:
    """Whether ratios agree with a claim, but fall short of the paper's."""
    numbers = re.findall(r"\d[\d,]*\.?\d*", check.paper)
    if check.over is None or check.most < math.inf or not numbers:
        return False
    reached = max(ratios) if check.paper.startswith("up to") else float(np.median(ratios))
    return reached < WITHIN * float(numbers[0].replace(",", ""))


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
