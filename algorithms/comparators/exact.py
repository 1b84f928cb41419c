"""Results with exactly one right answer: numbers, counts, partitions and sets of edges."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .base import Comparator, Digest, EdgeList, Found, Verdict, arrays_of, crc_of, other_shapes, without


class Exact(Comparator):
    """Every entry is equal."""

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        ours, theirs = arrays_of(ours), arrays_of(theirs)
        if differ := other_shapes(ours, theirs):
            return differ
        differing = sum(int((a != b).sum()) for a, b in zip(ours, theirs, strict=True))
        size = sum(a.size for a in ours)
        return Verdict(not differing, f"{differing:,} of {size:,} values differ" if differing else "exact")

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        arrays = arrays_of(found)
        return {"sizes": [int(array.size) for array in arrays], "crc": [crc_of(array) for array in arrays]}


@dataclass(frozen=True)
class Counts(Comparator):
    """The number of patterns, and the number at each vertex, as far as both sides know them.

    A side may give the total, the counts of vertices, or a pair of both, either of which may be None.

    Parameters
    ----------
    corners : int
        Vertices of a pattern: 3 for triangles.
    """

    corners: int

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        (total, mine), (other, yours) = self._both(ours), self._both(theirs)
        if total != other:
            return Verdict(False, f"{total:,} in total against {other:,}")
        if mine is None or yours is None:
            return Verdict(True, "exact, total")
        return Exact().compare((mine,), (yours,))

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        total, counts = self._both(found)
        return {"total": total} | ({} if counts is None else {"per_vertex": crc_of(counts)})

    def _both(self, found: Found) -> tuple[int, np.ndarray | None]:
        total, counts = found if len(found) == 2 else (None, found[0]) if np.ndim(found[0]) else (found[0], None)
        counts = None if counts is None else np.asarray(counts)
        return int(np.asarray(counts).sum()) // self.corners if total is None else int(total), counts


class Partition(Comparator):
    """A label for each vertex, equal up to relabelling."""

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        ours, theirs = arrays_of(ours), arrays_of(theirs)
        if differ := other_shapes(ours, theirs):
            return differ
        one, other = _first_of_label(ours[0]), _first_of_label(theirs[0])
        if (one == other).all():
            return Verdict(True, "exact, up to relabelling")
        here, there = (np.count_nonzero(first == np.arange(first.size)) for first in (one, other))
        met = np.unique(one * np.int64(one.size) + other).size
        return Verdict(False, f"{here:,} labels against {there:,}, which overlap in {met:,} parts")

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        first = _first_of_label(np.asarray(found[0]))
        return {"parts": int(np.count_nonzero(first == np.arange(first.size))), "crc": crc_of(first)}


@dataclass(frozen=True)
class Edges(Comparator):
    """Undirected edges, in any order and direction or in both, perhaps with values.

    The first two arrays are the ends.

    Parameters
    ----------
    values : Comparator
        Compares the remaining arrays, once both sides are in one order.
    """

    values: Comparator = field(default_factory=Exact)

    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        size = 1 + max(int(np.max(ends, initial=-1)) for found in (ours, theirs) for ends in found[:2])
        (here, mine), (there, yours) = (_in_order(found, size) for found in (ours, theirs))
        both = int(np.isin(here, there, assume_unique=True).sum())
        if not len(here) == len(there) == both:
            return Verdict(
                False, f"{both:,} edges in both, {len(here) - both:,} only in ours, {len(there) - both:,} in theirs"
            )
        if mine or yours:
            return self.values.compare(mine, yours, rounding=rounding)
        return Verdict(True, f"exact, {both:,} edges")

    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        keys, values = _in_order(found, 1 << 32)
        known = {"edges": int(keys.size), "crc": crc_of(keys)}
        return known | ({"values": self.values.digest(values)} if values else {})

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        if not super().same_digests(without(one, "values"), without(other, "values")):
            return False
        if "values" not in one or "values" not in other:
            return True
        return self.values.same_digests(one["values"], other["values"], rounding=rounding)


def _first_of_label(labels: np.ndarray) -> np.ndarray:
    """For each entry the first one that has its label."""
    low, high = (int(labels.min()), int(labels.max())) if labels.size else (0, 0)
    if labels.dtype.kind not in "iu" or high - low > 2 * labels.size:
        _, first, which = np.unique(labels, return_index=True, return_inverse=True)
        return first[which.ravel()]
    labels = labels.astype(np.int64) - low
    first = np.empty(high - low + 1, np.int64)
    first[labels[::-1]] = np.arange(labels.size)[::-1]  # of several writes the last stays
    return first[labels]


def _in_order(found: Found, size: int) -> tuple[np.ndarray, Found]:
    """Each edge once, as ascending numbers, and the remaining arrays in that order."""
    src, dst = (np.asarray(ends).astype(np.int64) for ends in found[:2])
    keys = np.minimum(src, dst) * size + np.maximum(src, dst)
    if len(found) == 2:
        keys.sort()  # much faster than np.unique, which may hash
        return keys[_starts(keys)], ()
    order = np.argsort(keys, kind="stable")
    order = order[_starts(keys[order])]
    return keys[order], tuple(np.asarray(values)[order] for values in found[2:])


def _starts(keys: np.ndarray) -> np.ndarray:
    """Positions in a sorted array at which a number is the first of its value."""
    first = np.ones(keys.size, bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return first
