"""Results of unknown meaning."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Comparator, Digest, EdgeList, Found, Verdict
from .exact import Exact
from .rounded import Values


class Automatic(Comparator):
    """Numbers and arrays of any kind: integers exactly, floats up to rounding. Other types are not compared."""

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        if len(ours) != len(theirs):
            return Verdict(False, f"{len(ours):,} values against {len(theirs):,}")
        found = Verdict(True, "exact")
        for one, other in zip(ours, theirs, strict=True):
            ways = _way_of(one), _way_of(other)
            if None in ways:
                continue
            verdict = Values().compare((one,), (other,)) if Values in ways else Exact().compare((one,), (other,))
            if not verdict.agrees:
                return verdict
            found = verdict if found.text == "exact" else found
        return found

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        parts = [(way.__name__, way().digest((part,))) for part in found if (way := _way_of(part)) is not None]
        return {"parts": parts}

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        ways = {"Exact": Exact(), "Values": Values()}
        if [name for name, _ in one["parts"]] != [name for name, _ in other["parts"]]:
            return False
        return all(
            ways[name].same_digests(mine, yours)
            for (name, mine), (_, yours) in zip(one["parts"], other["parts"], strict=True)
        )


def _way_of(part: Any) -> type[Comparator] | None:
    """The comparison of a number or an array of unknown meaning, None if it is neither."""
    if not isinstance(part, bool | int | float | np.ndarray | np.generic) or np.ndim(part) > 1:
        return None
    kind = np.asarray(part).dtype.kind
    return Values if kind == "f" else Exact if kind in "biu" else None
