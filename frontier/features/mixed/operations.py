"""The operations that a mixed batch is made of, as numbers that kernels know, too."""

from __future__ import annotations

import enum
from typing import Any

from frontier.core.sort import id_bits

INSERT, DELETE, HAS_EDGE, WEIGHT, DEGREE, NEIGHBORS = range(6)
INSERTED, REPLACED, DELETED, INSERTING, DELETING = range(5)
"""Counts of edges: inserted, replaced and deleted by single operations, and inserted and deleted by the whole batch."""
ASKED, LISTED, WEIGHED, INSERTIONS = range(5, 9)
"""Counts of operations that request degrees or neighbors, neighbors, and weights, and of insertions."""
UNKNOWN, OUTSIDE, GONE, NAN_WEIGHTS, TALLY = range(9, 14)
"""Counts of errors: numbers that are no operations, operations with ids outside the graph or of deleted vertices, and
NaN weights. `TALLY` is the number of counts."""


def no_pair(graph: Any) -> int:
    """The key of no pair of vertices, which sorts last: the key of a self-loop of the last vertex."""
    return (1 << 2 * id_bits(graph.num_vertices)) - 1


class Operation(enum.IntEnum):
    """An operation of a mixed batch (`DynamicGraph.apply`).

    See Also
    --------
    DynamicGraph.apply : Apply a mixed batch.

    Examples
    --------
    >>> import frontier as fr
    >>> [operation.name for operation in fr.Operation]
    ['INSERT', 'DELETE', 'HAS_EDGE', 'WEIGHT', 'DEGREE', 'NEIGHBORS']
    """

    INSERT = INSERT
    DELETE = DELETE
    HAS_EDGE = HAS_EDGE
    WEIGHT = WEIGHT
    DEGREE = DEGREE
    NEIGHBORS = NEIGHBORS
