"""The base class of comparators, verdicts, and components of digests."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np

import frontier as fr

Found = tuple[Any, ...]
"""Compared values: NumPy arrays, or numbers."""
EdgeList = fr.io.EdgeList
Digest = dict[str, Any]
"""Numbers, and lists of them: values that JSON can represent."""

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
        Whether results can be checked only with the graph's edges.
    """

    needs_edges: ClassVar[bool] = False

    @abstractmethod
    def compare(self, ours: Found, theirs: Found, *, edges: EdgeList | None = None, rounding: float = 0.0) -> Verdict:
        """Compare two results.

        Parameters
        ----------
        edges : EdgeList
            The graph's edges, each once, on the host, for comparators that need them.
        rounding : float
            Error that rounding may add on one side: the sum of absolute errors of `Distribution`.
        """

    @abstractmethod
    def digest(self, found: Found, *, edges: EdgeList | None = None) -> Digest:
        """Short numbers for a result."""

    def same_digests(self, one: Digest, other: Digest, *, rounding: float = 0.0) -> bool:
        """Whether two digests belong to equal results. One may contain less than the other."""
        return all(one[key] == other[key] for key in one.keys() & other.keys())


def on_host(device: fr.advanced.Device, values: Found) -> Found:
    """Arrays and numbers of a device, on the host."""
    return tuple(device.to_host(x) if hasattr(x, "__cuda_array_interface__") else x for x in values)


def relative_error(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest relative error with respect to `theirs`, 0 where both are 0."""
    other = np.abs(theirs.astype(np.float64))
    error = np.abs(ours.astype(np.float64) - theirs)
    return float(np.divide(error, other, out=(error > 0).astype(np.float64), where=other > 0).max(initial=0.0))


def arrays_of(found: Found) -> tuple[np.ndarray, ...]:
    return tuple(np.atleast_1d(np.asarray(part)) for part in found)


def other_shapes(ours: Found, theirs: Found) -> Verdict | None:
    """The verdict on results of different sizes, None if sizes are equal."""
    here, there = (sum(part.size for part in found) for found in (ours, theirs))
    if [part.shape for part in ours] == [part.shape for part in theirs]:
        return None
    return Verdict(False, f"{here:,} values against {there:,}")


def bucket_sums(values: np.ndarray, positions: np.ndarray | None = None) -> list[float]:
    """Sums of entries in buckets, chosen by a hash of their positions."""
    positions = np.arange(values.size) if positions is None else positions
    bucket = (positions.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - BUCKETS.bit_length() + 1)
    return np.bincount(bucket.astype(np.int64), values.astype(np.float64), BUCKETS).tolist()


def crc_of(array: np.ndarray) -> int:
    array = np.ascontiguousarray(array, np.float64 if array.dtype.kind == "f" else np.int64)
    return zlib.crc32(array.tobytes())


def without(digest: Digest, key: str) -> Digest:
    return {name: value for name, value in digest.items() if name != key}
