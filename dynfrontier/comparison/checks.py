"""How far two results agree: a verdict, and words for it. All arrays are NumPy's."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Verdict(NamedTuple):
    """Whether results agree, and how far."""

    agrees: bool
    text: str


def same_values(ours: np.ndarray, theirs: np.ndarray) -> Verdict:
    """Equal in every entry."""
    if ours.shape != theirs.shape:
        return Verdict(False, f"{ours.size:,} values against {theirs.size:,}")
    differing = int((ours != theirs).sum())
    return Verdict(not differing, f"{differing:,} of {ours.size:,} vertices differ" if differing else "exact")


def same_counts(ours: np.ndarray, theirs: np.ndarray | int) -> Verdict:
    """Triangles of each vertex, or all of them where the other side knows no more."""
    if np.ndim(theirs):
        return same_values(ours, np.asarray(theirs))
    total = int(ours.sum()) // 3
    return Verdict(total == theirs, "exact, total" if total == theirs else f"{total:,} in total against {theirs:,}")


def same_partition(ours: np.ndarray, theirs: np.ndarray) -> Verdict:
    """Equal up to relabelling: two vertices have one label here if they have one label there."""
    if ours.shape != theirs.shape:
        return Verdict(False, f"{ours.size:,} labels against {theirs.size:,}")
    here, there = np.unique(ours), np.unique(theirs)
    pairs = np.searchsorted(here, ours) * np.int64(there.size) + np.searchsorted(there, theirs)
    met = np.unique(pairs).size
    if here.size == there.size == met:
        return Verdict(True, "exact, up to relabelling")
    return Verdict(False, f"{here.size:,} components against {there.size:,}, which overlap in {met:,} parts")


def same_edges(ours: tuple[np.ndarray, np.ndarray], theirs: tuple[np.ndarray, np.ndarray]) -> Verdict:
    """The same undirected edges, in whatever order and direction."""
    size = 1 + max(int(ends.max(initial=0)) for ends in (*ours, *theirs))
    here, there = (
        np.unique(np.minimum(src, dst).astype(np.int64) * size + np.maximum(src, dst)) for src, dst in (ours, theirs)
    )
    both = int(np.isin(here, there, assume_unique=True).sum())
    if len(here) == len(there) == both:
        return Verdict(True, f"exact, {both:,} edges")
    return Verdict(False, f"{both:,} edges in both, {len(here) - both:,} only in ours, {len(there) - both:,} in theirs")


def close_lengths(ours: np.ndarray, theirs: np.ndarray, allowed: float) -> Verdict:
    """Equal but for a relative error, and infinite in the same places."""
    if ours.shape != theirs.shape:
        return Verdict(False, f"{ours.size:,} values against {theirs.size:,}")
    reached = np.isfinite(ours)
    differing = int((reached != np.isfinite(theirs)).sum())
    if differing:
        return Verdict(False, f"{differing:,} vertices are reached by one side only")
    error = relative_error(ours[reached], theirs[reached])
    return Verdict(error <= allowed, f"max relative error {error:.2g}" if error else "exact")


def close_ranks(ours: np.ndarray, theirs: np.ndarray, allowed: float) -> Verdict:
    """Whether the L1 distance is at most `allowed`, after both are normalized to a sum of 1."""
    if ours.shape != theirs.shape:
        return Verdict(False, f"{ours.size:,} values against {theirs.size:,}")
    ours, theirs = ours / ours.sum(), theirs / theirs.sum()
    distance = float(np.abs(ours - theirs).sum())
    text = f"max relative error {relative_error(ours, theirs):.2g}"
    agrees = distance <= allowed
    return Verdict(agrees, text if agrees else f"{text}; in total {distance:.2g}, {allowed:.2g} allowed")


def relative_error(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest, over that of theirs; 0 where both are."""
    other = np.abs(theirs.astype(np.float64))
    error = np.abs(ours.astype(np.float64) - theirs)
    return float(np.divide(error, other, out=(error > 0).astype(np.float64), where=other > 0).max(initial=0.0))
