"""Results that differ by rounding and tolerances: lengths, floats and shares in a total."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .base import (
    ROUNDING,
    Comparator,
    Digest,
    EdgeList,
    Found,
    Verdict,
    arrays_of,
    bucket_sums,
    crc_of,
    other_shapes,
    relative_error,
    without,
)
from .exact import Exact

LENGTH_ERROR = {np.dtype("float32"): 1e-4, np.dtype("float64"): 1e-9}
"""Relative error of path lengths, whose sums are rounded in different orders. Integers have none."""
EXACT_FLOAT, EXACT_FLOAT32 = 2**53, 2**24
"""Integers up to these bounds are exact in float64, which other libraries use, and in float32."""


class Distances(Comparator):
    """Lengths of paths. -1, the largest integer or infinity mark unreachable vertices.

    Integers are equal exactly. Floats may differ by the rounding of sums in another order, in the type of ours.
    """

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        if differ := other_shapes(arrays_of(ours), arrays_of(theirs)):
            return differ
        (mine, here), (yours, there) = _paths(ours[0]), _paths(theirs[0])
        differing = int((here != there).sum())
        if differing:
            return Verdict(False, f"{differing:,} vertices are reached by one side only")
        mine, yours = mine[here], yours[here]
        if mine.dtype.kind != "f" and yours.dtype.kind != "f":
            return Exact().compare((mine,), (yours,))
        allowed = LENGTH_ERROR.get(np.asarray(ours[0]).dtype, 0.0)
        if mine.dtype.kind != "f" and mine.size and int(mine.max()) > EXACT_FLOAT:
            allowed = LENGTH_ERROR[np.dtype("float64")]
        error = relative_error(mine, yours)
        return Verdict(error <= allowed, f"max relative error {error:.2g}" if error else "exact")

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        lengths, reached = _paths(found[0])
        at = np.flatnonzero(reached)
        lengths = lengths[at]
        known = {"reached": int(at.size), "vertices": crc_of(reached), "sums": bucket_sums(lengths, at)}
        # Integers that float32 represents exactly are integers on both sides, or on neither.
        if lengths.dtype.kind != "f" or ((lengths < EXACT_FLOAT32) & (lengths % 1 == 0)).all():
            known["crc"] = crc_of(lengths.astype(np.int64))
        return known

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        if not super().same_digests(without(one, "sums"), without(other, "sums")):
            return False
        return bool(np.allclose(one["sums"], other["sums"], rtol=ROUNDING, atol=0.0))


@dataclass(frozen=True)
class Values(Comparator):
    """Floats that may differ by a relative error each, and that are infinite or NaN at the same positions.

    Parameters
    ----------
    rtol, atol : float
        The largest relative error of entries whose error is larger than `atol`.
    """

    rtol: float = ROUNDING
    atol: float = 0.0

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        ours, theirs = arrays_of(ours), arrays_of(theirs)
        if differ := other_shapes(ours, theirs):
            return differ
        worst = 0.0
        for one, other in zip(ours, theirs, strict=True):
            finite = np.isfinite(one)
            same = np.where(finite | np.isfinite(other), False, (one == other) | (np.isnan(one) & np.isnan(other)))
            differing = int((~same & ~(finite & np.isfinite(other))).sum())
            if differing:
                return Verdict(False, f"{differing:,} values are finite on one side only, or infinite the other way")
            far = finite & (np.abs(np.where(finite, one, 0) - np.where(finite, other, 0)) > self.atol)
            worst = max(worst, relative_error(one[far], other[far]))
        return Verdict(worst <= self.rtol, f"max relative error {worst:.2g}" if worst else "exact")

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        arrays = [array.astype(np.float64) for array in arrays_of(found)]
        kept = [np.where(np.isfinite(array), array, 0) for array in arrays]
        others = [np.select([np.isnan(array), array == np.inf, array == -np.inf], [1, 2, 3]) for array in arrays]
        return {
            "sizes": [int(array.size) for array in arrays], "not finite": [crc_of(kinds) for kinds in others],
            "sums": [bucket_sums(array) for array in kept],
            "magnitudes": [bucket_sums(np.abs(array)) for array in kept],
        }  # fmt: skip

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        if any(one[key] != other[key] for key in ("sizes", "not finite")):
            return False
        allowed = [
            (self.rtol + np.finfo(np.float64).eps * size) * np.asarray(magnitudes) + self.atol * size
            for magnitudes, size in zip(one["magnitudes"], one["sizes"], strict=True)
        ]
        return all(
            bool((np.abs(np.subtract(a, b)) <= bound).all())
            for a, b, bound in zip(one["sums"], other["sums"], allowed, strict=True)
        )


@dataclass(frozen=True)
class Distribution(Comparator):
    """Shares of the vertices in a total, such as ranks, compared by the sum of absolute differences (L1 distance).

    Both sides are normalized to a sum of 1 first.

    Parameters
    ----------
    allowed : float
        The largest distance of two right results.
    """

    allowed: float

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        if differ := other_shapes(arrays_of(ours), arrays_of(theirs)):
            return differ
        one, other = (_normalized(found[0]) for found in (ours, theirs))
        allowed = self.allowed + rounding
        distance = float(np.abs(one - other).sum())
        text = f"max relative error {relative_error(one, other):.2g}"
        agrees = distance <= allowed
        return Verdict(agrees, text if agrees else f"{text}; in total {distance:.2g}, {allowed:.2g} allowed")

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        shares = _normalized(found[0])
        return {"size": int(shares.size), "sums": bucket_sums(shares)}

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        # Partial sums differ by no more than the full sums do.
        allowed = self.allowed + rounding + np.finfo(np.float64).eps * one["size"]
        return one["size"] == other["size"] and bool(np.abs(np.subtract(one["sums"], other["sums"])).sum() <= allowed)


def _paths(lengths: Any) -> tuple[np.ndarray, np.ndarray]:
    """Lengths, and which of them are lengths of paths."""
    lengths = np.asarray(lengths)
    if lengths.dtype.kind == "f":
        return lengths, np.isfinite(lengths)
    return lengths, (lengths >= 0) & (lengths != np.iinfo(lengths.dtype).max)


def _normalized(shares: Any) -> np.ndarray:
    shares = np.asarray(shares, np.float64)
    total = shares.sum()
    return shares / total if total else shares
