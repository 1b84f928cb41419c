"""A concurrent union-find forest, for use in functors. Roots point to themselves.

The root of a tree is its smallest vertex. A link always leads from a larger id to a smaller one. It is set by a single
compare-and-swap of a root.

Sutton, Ben-Nun and Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", IPDPS 2018.
"""

from __future__ import annotations

import frontier as fr


def join(forest, a, b):
    """Unite the trees of `a` and `b`. Return whether they differed and this call united them."""
    while a != b:
        high = a if a > b else b
        low = a if a < b else b
        seen = forest[high]  # most are no roots: a read is cheaper than an atomic operation
        if seen == high:
            seen = fr.atomic_cas(forest, high, high, low)
            if seen == high:
                return True
        if seen == low:
            return False
        # `high` is not a root, or no longer one: continue from its parent.
        a = forest[seen]
        b = low
    return False


def root_of(forest, v):
    """The root of the tree of `v`, with path halving.

    Concurrent halvings may undo each other, so links need not end at roots.
    """
    root = v
    while forest[root] != root:
        forest[root] = forest[forest[root]]
        root = forest[root]
    return root
