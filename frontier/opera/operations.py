"""The operations that a mixed batch is made of, as numbers that kernels know, too."""

from __future__ import annotations

import enum

INSERT, DELETE, HAS_EDGE, WEIGHT, DEGREE, NEIGHBORS = range(6)
NET_INSERT, NET_DELETE = 1, 2


class Op(enum.IntEnum):
    """An operation of a mixed batch (`DynamicGraph.apply`)."""

    INSERT = INSERT
    DELETE = DELETE
    HAS_EDGE = HAS_EDGE
    WEIGHT = WEIGHT
    DEGREE = DEGREE
    NEIGHBORS = NEIGHBORS
