"""Events sorted by time: keys to sort by, and searches in sorted lists for functors."""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

SORTABLE = 2**63
"""Differences of times below it are keys to sort by."""


def sort_by_time(graph: fr.Graph, times: Any, values: Any) -> Any:
    """Return `values` in the order of their `times`. Stable."""
    if not times.size:
        return values
    low, high = int(times.min()), int(times.max())
    ranks = times - low if high - low < SORTABLE else graph.xp.unique(times, return_inverse=True)[1]
    return fr.advanced.keys.sort(graph, ranks, values)[1]


def first_from(times, low, high, now, strict):
    """The first place of a list, sorted by time, that may follow: after `now`, or then if not `strict`."""
    while low < high:
        middle = (low + high) >> 1
        if times[middle] < now or (strict and times[middle] == now):
            low = middle + 1
        else:
            high = middle
    return low


def first_within(times, low, high, now, delta):
    """The first place of a list of times up to `now`, sorted, that is at most `delta` before it."""
    while low < high:
        middle = (low + high) >> 1
        if within(times[middle], now, delta):
            high = middle
        else:
            low = middle + 1
    return low


def first_beyond(times, low, high, now, delta):
    """The first place of a list of times from `now` on, sorted, that is more than `delta` after it."""
    while low < high:
        middle = (low + high) >> 1
        if within(now, times[middle], delta):
            low = middle + 1
        else:
            high = middle
    return low


def within(early, late, delta):
    """Whether two times, `early` not the greater, are at most delta apart: a difference that int64 might not hold."""
    return np.uint64(late) - np.uint64(early) <= np.uint64(delta)
