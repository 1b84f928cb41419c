"""When two results of an analytic count as equal: one comparator for each kind of result.

What is compared is a tuple of arrays or numbers, on the host: what an `Analytic` reads from its result, or what another
library returns. A comparator gives a verdict with words for it, and digests: short numbers to compare results by that
are not kept, or that come from other processes. Equal results have equal digests.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

import frontier as fr

__all__ = [
    "Automatic",
    "Comparator",
    "Counts",
    "Digest",
    "Distances",
    "Distribution",
    "Edges",
    "Exact",
    "Found",
    "Partition",
    "Quality",
    "Valid",
    "Values",
    "Verdict",
    "edges_of",
    "modularity",
    "on_host",
    "relative_error",
]

Found = tuple[Any, ...]
"""What is compared: arrays of NumPy's, or numbers."""
Digest = dict[str, Any]
"""Numbers, and lists of them: what JSON can hold."""

LENGTH_ERROR = {np.dtype("float32"): 1e-4, np.dtype("float64"): 1e-9}
"""Relative error of path lengths, whose sums are rounded in different orders. Integers have none."""
EXACT_FLOAT, EXACT_FLOAT32 = 2**53, 2**24
"""Integers up to these bounds are exact in float64, which other libraries use, and in float32."""
ROUNDING = 1e-4
"""Relative error of floats that were added up in different orders, float32 among them."""
BUCKETS = 64
"""Sums in the digest of an array of floats, each of entries that are picked by a hash of their position."""


class Verdict(NamedTuple):
    """Whether results agree, and how far."""

    agrees: bool
    text: str


class Comparator(ABC):
    """Compares results of one kind.

    Attributes
    ----------
    needs_edges : bool
        Results can be told right from wrong only with the graph's edges at hand.
    """

    needs_edges: ClassVar[bool] = False

    @abstractmethod
    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
        """Compare two results.

        Parameters
        ----------
        edges : EdgeList
            The graph's edges, each once, on the host; only for those that need them.
        rounding : float
            Error that rounding may add on one side: the sum of absolute errors of `Distribution`.
        """

    @abstractmethod
    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
        """Short numbers for a result."""

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        """Whether two digests are those of equal results; one may hold less than the other."""
        return all(one[key] == other[key] for key in one.keys() & other.keys())


class Exact(Comparator):
    """Every entry is equal."""

    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
        ours, theirs = _arrays(ours), _arrays(theirs)
        if differ := _other_shapes(ours, theirs):
            return differ
        differing = sum(int((a != b).sum()) for a, b in zip(ours, theirs, strict=True))
        size = sum(a.size for a in ours)
        return Verdict(not differing, f"{differing:,} of {size:,} values differ" if differing else "exact")

    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
        arrays = _arrays(found)
        return {"sizes": [int(array.size) for array in arrays], "crc": [_crc(array) for array in arrays]}


@dataclass(frozen=True)
class Counts(Comparator):
    """How many patterns there are, and how many each vertex is in: what both sides know of it.

    A side may give the total, the counts of vertices, or a pair of the total and the counts, of which either may be
    None.

    Parameters
    ----------
    corners : int
        Vertices of a pattern: 3 for triangles.
    """

    corners: int

    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
        (total, mine), (other, yours) = self._both(ours), self._both(theirs)
        if total != other:
            return Verdict(False, f"{total:,} in total against {other:,}")
        if mine is None or yours is None:
            return Verdict(True, "exact, total")
        return Exact().compare((mine,), (yours,))

    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
        total, counts = self._both(found)
        return {"total": total} | ({} if counts is None else {"per_vertex": _crc(counts)})

    def _both(self, found: Found) -> tuple[int, np.ndarray | None]:
        """The total and the counts of vertices, if there are any."""
        total, counts = found if len(found) == 2 else (None, found[0]) if np.ndim(found[0]) else (found[0], None)
        counts = None if counts is None else np.asarray(counts)
        return int(np.asarray(counts).sum()) // self.corners if total is None else int(total), counts


class Partition(Comparator):
    """A label for each vertex, equal up to relabelling: two vertices have one label here if they have one there."""

    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
        ours, theirs = _arrays(ours), _arrays(theirs)
        if differ := _other_shapes(ours, theirs):
            return differ
        one, other = _first_of_label(ours[0]), _first_of_label(theirs[0])
        if (one == other).all():
            return Verdict(True, "exact, up to relabelling")
        here, there = (np.count_nonzero(first == np.arange(first.size)) for first in (one, other))
        met = np.unique(one * np.int64(one.size) + other).size
        return Verdict(False, f"{here:,} labels against {there:,}, which overlap in {met:,} parts")

    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
        first = _first_of_label(np.asarray(found[0]))
        return {"parts": int(np.count_nonzero(first == np.arange(first.size))), "crc": _crc(first)}


class Distances(Comparator):
    """Lengths of paths; -1, the largest integer or infinity where there is none.

    Integers are equal exactly. Floats may differ by what sums in another order do to them, which depends on the type of
    ours.
    """

    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
        if differ := _other_shapes(_arrays(ours), _arrays(theirs)):
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

    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
        lengths, reached = _paths(found[0])
        at = np.flatnonzero(reached)
        lengths = lengths[at]
        known = {"reached": int(at.size), "vertices": _crc(reached), "sums": _sums(lengths, at)}
        # Whole numbers that float32 holds exactly are so on both sides, or on none.
        if lengths.dtype.kind != "f" or ((lengths < EXACT_FLOAT32) & (lengths % 1 == 0)).all():
            known["crc"] = _crc(lengths.astype(np.int64))
        return known

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        if not super().same_digests(_without(one, "sums"), _without(other, "sums")):
            return False
        return bool(np.allclose(one["sums"], other["sums"], rtol=ROUNDING, atol=0.0))


@dataclass(frozen=True)
class Values(Comparator):
    """Floats that may differ by a relative error each, and that are infinite or NaN in the same places.

    Parameters
    ----------
    rtol, atol : float
        What the largest relative error may be, where the error is larger than `atol`.
    """

    rtol: float = ROUNDING
    atol: float = 0.0

    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
        ours, theirs = _arrays(ours), _arrays(theirs)
        if differ := _other_shapes(ours, theirs):
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

    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
        arrays = [array.astype(np.float64) for array in _arrays(found)]
        kept = [np.where(np.isfinite(array), array, 0) for array in arrays]
        others = [np.select([np.isnan(array), array == np.inf, array == -np.inf], [1, 2, 3]) for array in arrays]
        return {
            "sizes": [int(array.size) for array in arrays], "not finite": [_crc(kinds) for kinds in others],
            "sums": [_sums(array) for array in kept], "magnitudes": [_sums(np.abs(array)) for array in kept],
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

    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
        if differ := _other_shapes(_arrays(ours), _arrays(theirs)):
            return differ
        one, other = (_normalized(found[0]) for found in (ours, theirs))
        allowed = self.allowed + rounding
        distance = float(np.abs(one - other).sum())
        text = f"max relative error {relative_error(one, other):.2g}"
        agrees = distance <= allowed
        return Verdict(agrees, text if agrees else f"{text}; in total {distance:.2g}, {allowed:.2g} allowed")

    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
        shares = _normalized(found[0])
        return {"size": int(shares.size), "sums": _sums(shares)}

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        # Sums of parts are no further apart than all entries are.
        distance = np.abs(np.subtract(one["sums"], other["sums"])).sum()
        allowed = self.allowed + rounding + np.finfo(np.float64).eps * one["size"]
        return one["size"] == other["size"] and bool(distance <= allowed)


@dataclass(frozen=True)
class Edges(Comparator):
    """Undirected edges, in whatever order and direction; perhaps with values of each.

    The first two arrays are the ends; an edge may be there in both directions.

    Parameters
    ----------
    values : Comparator
        Compares the other arrays, once both sides are in one order.
    """

    values: Comparator = field(default_factory=Exact)

    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
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

    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
        keys, values = _in_order(found, 1 << 32)
        known = {"edges": int(keys.size), "crc": _crc(keys)}
        return known | ({"values": self.values.digest(values)} if values else {})

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        if not super().same_digests(_without(one, "values"), _without(other, "values")):
            return False
        if "values" not in one or "values" not in other:
            return True
        return self.values.same_digests(one["values"], other["values"], rounding=rounding)


@dataclass(frozen=True)
class Quality(Comparator):
    """Results of which many are good: compared by how good they are.

    Parameters
    ----------
    score : callable
        The quality of a result, larger is better: of the graph's edges (`frontier.io.EdgeList`) and what is compared.
    slack : float
        How much worse ours may be than theirs; of digests, either than the other.
    """

    score: Callable[..., float]
    slack: float
    needs_edges: ClassVar[bool] = True

    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
        one, other = (self.score(edges, *found) for found in (ours, theirs))
        text = f"quality {one:.4g} against {other:.4g}"
        return Verdict(one >= other - self.slack, text)

    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
        return {} if edges is None else {"quality": float(self.score(edges, *found))}

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        if "quality" not in one or "quality" not in other:
            return True
        return abs(one["quality"] - other["quality"]) <= self.slack


@dataclass(frozen=True)
class Valid(Comparator):
    """Results of which any that keeps a rule is right: independent sets, colorings. Each is checked by itself.

    Parameters
    ----------
    check : callable
        What is wrong with a result, or "": of the graph's edges (`frontier.io.EdgeList`) and what is compared.
    """

    check: Callable[..., str]
    needs_edges: ClassVar[bool] = True

    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
        for side, found in (("ours", ours), ("theirs", theirs)):
            if wrong := self.check(edges, *found):
                return Verdict(False, f"{side}: {wrong}")
        return Verdict(True, "both valid")

    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
        return {} if edges is None else {"wrong": self.check(edges, *found)}

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        return not one.get("wrong") and not other.get("wrong")


class Automatic(Comparator):
    """Numbers and arrays of any kind: integers exactly, floats up to rounding; what is neither is not compared."""

    def compare(
        self, ours: Found, theirs: Found, *, edges: fr.io.EdgeList | None = None, rounding: float = 0.0
    ) -> Verdict:
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

    def digest(self, found: Found, *, edges: fr.io.EdgeList | None = None) -> Digest:
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


# ---- scores and rules -----------------------------------------------------------------------------------------------


def modularity(edges: fr.io.EdgeList, labels: np.ndarray) -> float:
    """The modularity of communities in an undirected graph, weighted if it is: a score for `Quality`."""
    weights = np.ones(len(edges)) if edges.weights is None else np.asarray(edges.weights, np.float64)
    total = float(weights.sum())
    if not total:
        return 0.0
    _, of = np.unique(labels, return_inverse=True)
    of = of.ravel()
    src, dst = of[edges.src], of[edges.dst]
    degrees = np.bincount(np.append(src, dst), np.append(weights, weights))
    within = float(weights[src == dst].sum())
    return within / total - float(((degrees / (2 * total)) ** 2).sum())


def edges_of(graph: fr.Graph) -> fr.io.EdgeList:
    """The edges of a graph on the host, for comparators that need them."""
    src, dst, weights = (None if part is None else graph.device.to_host(part) for part in graph.to_coo())
    return fr.io.EdgeList(src, dst, weights, num_vertices=graph.num_vertices, directed=graph.directed)


def on_host(device: fr.Device, values: Found) -> Found:
    """Arrays and numbers of a device, on the host."""
    return tuple(device.to_host(x) if hasattr(x, "__cuda_array_interface__") else x for x in values)


def relative_error(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest, over that of theirs; 0 where both are."""
    other = np.abs(theirs.astype(np.float64))
    error = np.abs(ours.astype(np.float64) - theirs)
    return float(np.divide(error, other, out=(error > 0).astype(np.float64), where=other > 0).max(initial=0.0))


# ---- parts of these -------------------------------------------------------------------------------------------------


def _arrays(found: Found) -> tuple[np.ndarray, ...]:
    return tuple(np.atleast_1d(np.asarray(part)) for part in found)


def _other_shapes(ours: Found, theirs: Found) -> Verdict | None:
    """The verdict of results of different sizes; None if sizes are equal."""
    here, there = (sum(part.size for part in found) for found in (ours, theirs))
    if [part.shape for part in ours] == [part.shape for part in theirs]:
        return None
    return Verdict(False, f"{here:,} values against {there:,}")


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


def _paths(lengths: Any) -> tuple[np.ndarray, np.ndarray]:
    """Lengths, and which of them are those of paths."""
    lengths = np.asarray(lengths)
    if lengths.dtype.kind == "f":
        return lengths, np.isfinite(lengths)
    return lengths, (lengths >= 0) & (lengths != np.iinfo(lengths.dtype).max)


def _normalized(shares: Any) -> np.ndarray:
    shares = np.asarray(shares, np.float64)
    total = shares.sum()
    return shares / total if total else shares


def _in_order(found: Found, size: int) -> tuple[np.ndarray, Found]:
    """Each edge once, as ascending numbers, and the other arrays in that order."""
    src, dst = (np.asarray(ends).astype(np.int64) for ends in found[:2])
    keys = np.minimum(src, dst) * size + np.maximum(src, dst)
    if len(found) == 2:
        keys.sort()  # many times as fast as np.unique, which may hash
        return keys[_starts(keys)], ()
    order = np.argsort(keys, kind="stable")
    order = order[_starts(keys[order])]
    return keys[order], tuple(np.asarray(values)[order] for values in found[2:])


def _starts(keys: np.ndarray) -> np.ndarray:
    """Where a number is the first of those equal to it, in ascending ones."""
    first = np.ones(keys.size, bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return first


def _sums(values: np.ndarray, positions: np.ndarray | None = None) -> list[float]:
    """Sums of entries, which a hash of their positions puts into buckets."""
    positions = np.arange(values.size) if positions is None else positions
    bucket = (positions.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - BUCKETS.bit_length() + 1)
    return np.bincount(bucket.astype(np.int64), values.astype(np.float64), BUCKETS).tolist()


def _crc(array: np.ndarray) -> int:
    array = np.ascontiguousarray(array, np.float64 if array.dtype.kind == "f" else np.int64)
    return zlib.crc32(array.tobytes())


def _way_of(part: Any) -> type[Comparator] | None:
    """How a number or an array of unknown meaning is compared; None if it is neither."""
    if not isinstance(part, bool | int | float | np.ndarray | np.generic) or np.ndim(part) > 1:
        return None
    kind = np.asarray(part).dtype.kind
    return Values if kind == "f" else Exact if kind in "biu" else None


def _without(digest: Digest, key: str) -> Digest:
    return {name: value for name, value in digest.items() if name != key}
