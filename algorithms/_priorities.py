"""An order of the vertices, for greedy algorithms whose parallel result is the serial one.

Serially, such an algorithm settles one vertex after another, and each depends on the neighbors before it only. In
parallel, a vertex is settled once all neighbors before it are. Every vertex counts them. A settled vertex decrements
the counts of later neighbors, and vertices whose counts reach 0 are next.

    priority[v]    vertices of higher priority come first, of equal priority the lower id
    waiting[v]     neighbors before v that are not settled

Jones and Plassmann, "A Parallel Graph Coloring Heuristic", SIAM J. Sci. Comput. 1993; Blelloch, Fineman and Shun,
"Greedy Sequential Maximal Independent Set and Matching are Parallel on Average", SPAA 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import frontier as fr

from ._arguments import as_int64


def random_priority(graph: fr.Graph, order: Any, seed: int) -> Any:
    """`priority` (int64) by decreasing `order` (int64), random where that is equal."""
    priority = order << 32
    fr.compute(fr.Frontier.all(graph), _add_random, priority, as_int64(seed))
    return priority


def given_priority(graph: fr.Graph, values: Any) -> Any:
    """`priority` (int64) from the argument of this name. Raises TypeError or ValueError unless it is integers."""
    priority = fr.advanced.arguments.numbers(graph, values, "priority")
    fr.advanced.arguments.check_array(
        graph, priority, "priority", graph.num_vertices, [np.dtype("int32"), np.dtype("int64")]
    )
    return priority.astype(np.int64, copy=False)


def earlier_neighbors(graph: fr.Graph, priority: Any) -> Any:
    """`waiting` (int32), before any vertex is settled."""
    return fr.neighbor_reduce(graph, None, _is_before, priority, dtype=np.int32)


def comes_before(u, v, priority):
    """Whether u comes before v, for use in functors."""
    a = priority[u]
    b = priority[v]
    return a > b or (a == b and u < v)


def _add_random(v, priority, seed):
    priority[v] += fr.advanced.random_bits(seed, v)


def _is_before(src, dst, edge, weight, priority):
    return 1 if comes_before(dst, src, priority) else 0
