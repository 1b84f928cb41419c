"""The operations that a mixed batch is made of, as numbers that kernels know, too."""

from __future__ import annotations

import enum
from typing import Any

from frontier.core.sort import id_bits

INSERT, DELETE, HAS_EDGE, WEIGHT, DEGREE, NEIGHBORS = range(6)
INSERTED, REPLACED, DELETED, INSERTING, DELETING = range(5)
"""What is counted of edges: those that were inserted, replaced and deleted in the course of the batch, and those that
are to be inserted and deleted in the end."""
ASKED, LISTED, WEIGHED, INSERTIONS = range(5, 9)
"""Of operations: those that ask for degrees or neighbors, for neighbors, and for weights; insertions."""
UNKNOWN, OUTSIDE, GONE, NAN_WEIGHTS, TALLY = range(9, 14)
"""Of what is wrong: numbers that are no operations; operations with ids outside the graph, or of deleted vertices;
weights that are no numbers. `TALLY` is how many numbers there are."""


def no_pair(graph: Any) -> int:
    """The key of no pair of vertices, which sorts behind all others: that of an edge from the last one to itself."""
    return (1 << 2 * id_bits(graph.num_vertices)) - 1


class Operation(enum.IntEnum):
    """An operation of a mixed batch (`DynamicGraph.apply`)."""

    INSERT = INSERT
    DELETE = DELETE
    HAS_EDGE = HAS_EDGE
    WEIGHT = WEIGHT
    DEGREE = DEGREE
    NEIGHBORS = NEIGHBORS
