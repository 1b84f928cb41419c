"""A forest of trees whose roots point to themselves, which many threads join at once; for use in functors.

Roots are the smallest vertices of their trees: a link always goes from a larger number to a smaller one, by a single
compare-and-swap of a root.

Sutton, Ben-Nun and Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", IPDPS 2018.
"""

from __future__ import annotations

import frontier as fr


def join(forest, a, b):
    """Make one tree of the two that `a` and `b` are in; returns whether they were two, and this call joined them."""
    while a != b:
        high = a if a > b else b
        low = a if a < b else b
        seen = fr.atomic_cas(forest, high, high, low)
        if seen == high:
            return True
        if seen == low:
            return False
        # `high` was no root, or is none any more: go on from what it points to.
        a = forest[seen]
        b = low
    return False


def root_of(forest, v):
    """The root of the tree that `v` is in; later walks on the same path are half as long."""
    root = v
    while forest[root] != root:
        forest[root] = forest[forest[root]]
        root = forest[root]
    return root
