"""The first line of a KONECT network: ``% <format> <weights>``.

Vertices count from 1. The format is ``sym`` (undirected), ``asym`` (directed) or ``bip`` (two sides). The columns are
``src dst [weight [time]]``, and the kind of weights defines the third. Only in the kind ``dynamic`` 1 inserts an edge
and -1 deletes it. Pairs may have several rows if edges are multiple (``positive`` and ``multi...``).
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

_WEIGHTS = "unweighted|positive|posweighted|signed|multisigned|weighted|multiweighted|multiposweighted|dynamic"
_HEADER = re.compile(rf"(sym|asym|bip)\s+({_WEIGHTS})\b")
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?\s*%\s*" + _HEADER.pattern.encode())
INSERT, DELETE = np.int8(ord("+")), np.int8(ord("-"))


class Header(NamedTuple):
    """The contents of the first line. In a `dynamic` network the weight 1 inserts an edge, and -1 deletes it."""

    directed: bool
    bipartite: bool
    dynamic: bool


def parse_header(comment: str) -> Header | None:
    """Parse a comment without its mark. None if it is no header of KONECT."""
    match = _HEADER.match(comment)
    return None if match is None else Header(match[1] == "asym", match[1] == "bip", match[2] == "dynamic")


def is_konect(data: bytes) -> bool:
    """Return whether a text starts with a header of KONECT."""
    return _BEGIN.match(data) is not None


def operations_of(weights: np.ndarray) -> np.ndarray:
    """Return the operation of each row of a dynamic network: ``+``, ``-``, or 0 for weights other than 1 and -1."""
    ops = np.where(weights == 1, INSERT, DELETE)
    ops[(weights != 1) & (weights != -1)] = 0
    return ops
