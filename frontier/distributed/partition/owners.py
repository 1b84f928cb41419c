"""The rule that assigns vertices to partitions.

A hash of the id decides, since R-MAT's hubs and ids of real graphs have patterns. With ``v % 2``, 76 % of the arcs of
an R-MAT graph would be in one partition. The hash does not depend on the number of vertices, so no vertex moves when
the id space grows.

Runs of consecutive vertices have one owner (`TOGETHER`). Memory is read in pieces of several entries: with an owner per
entry, each partition would read whole tables and arrays by vertex to find its own entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from frontier.runtime.random_vertices import mixed

TOGETHER = 5
"""Runs of ``2**TOGETHER`` vertices have one owner: 128 bytes of an array of int32, or a word of a bitmap. In an R-MAT
graph of 2^24 vertices the first run has 0.5 % of the arcs, and the first vertex 0.1 %."""


def owners_of(xp: Any, ids: Any, num_parts: int, together: int) -> Any:
    """Hash runs of ``2**together`` vertices (uint64) to partitions."""
    return mixed(ids >> np.uint64(together)) % np.uint64(num_parts)
