"""Which part owns a vertex.

A hash of the id decides, since R-MAT's hubs and ids of real graphs have patterns: with ``v % 2``, 76 % of the arcs of
an R-MAT graph would be in one part. The hash does not depend on the number of vertices, so that no vertex moves when
the id space grows.

Runs of consecutive vertices have one owner (`TOGETHER`). Memory is read in pieces of several entries: if every other
entry were another part's, each part would read tables and arrays by vertex as a whole to find its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

TOGETHER = 5
"""Runs of two to the power of so many vertices have one owner: 128 bytes of an array of int32, or a word of a bitmap.
In an R-MAT graph of 2^24 vertices the first run has 0.5 % of the arcs, and the first vertex 0.1 %."""


def owners_of(xp: Any, ids: Any, num_parts: int, together: int) -> Any:
    """The parts of vertices (uint64) of which runs of ``2**together`` have one, by the finalizer of SplitMix64, a
    bijection of 64-bit numbers (Steele, Lea and Flood, OOPSLA 2014)."""
    h = (ids >> np.uint64(together)) + np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (h ^ (h >> np.uint64(31))) % np.uint64(num_parts)
