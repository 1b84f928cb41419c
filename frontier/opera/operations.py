"""The operations that a mixed batch is made of, as numbers that kernels know, too."""

from __future__ import annotations

import enum
from typing import Any

from ..sort import id_bits

INSERT, DELETE, HAS_EDGE, WEIGHT, DEGREE, NEIGHBORS = range(6)
INSERTED, REPLACED, DELETED, ASKED, LISTED, WEIGHED, UNKNOWN, TALLY = range(8)
"""What is counted: edges that were inserted, replaced and deleted; operations that ask for degrees or neighbors, for
neighbors, and for weights; numbers that are no operations."""


def no_pair(graph: Any) -> int:
    """The key of no pair of vertices, which sorts behind all others: that of an edge from the last one to itself."""
    return (1 << 2 * id_bits(graph.num_vertices)) - 1


class Op(enum.IntEnum):
    """An operation of a mixed batch (`DynamicGraph.apply`)."""

    INSERT = INSERT
    DELETE = DELETE
    HAS_EDGE = HAS_EDGE
    WEIGHT = WEIGHT
    DEGREE = DEGREE
    NEIGHBORS = NEIGHBORS
