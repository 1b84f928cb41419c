"""Pairs in groups that share a list, for the CPU kernel of intersect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.locking import workspace_of
from frontier.core.sort import sort_pairs
from frontier.runtime import threads_for

FEW = 16
"""Fewer pairs are not grouped, which costs some ten microseconds."""
PARALLEL = 64
"""Fewer pairs are not worth waking other threads for."""
LARGEST = 256
"""Pairs of a group, which spreads the pairs of a hub over threads."""
SMALLEST_ROOM = 1 << 24
"""The bytes that arrays by vertex may use. If they need more than the graph itself, they are not used."""


def run_cpu_groups(graph: BaseGraph, run: Callable[..., None], view: tuple, us: Any, vs: Any, *args: Any) -> None:
    """Call ``run(workers, *view, us, vs, longer, order, starts, places, tickets, *args)``.

    ``order[starts[i]:starts[i + 1]]`` are the pairs of a group, which a worker processes as a unit: the pairs with the
    same vertex in `longer`, the end with more neighbors. Each worker has a row of `places` with an entry for each
    vertex, which is -1. Without groups `longer` and the rows are empty.
    """
    count, vertices = int(us.size), graph.num_vertices
    workers = workers_of_groups(graph, count)
    if not workers:
        workers = threads_for(count, PARALLEL)
        order, starts = np.arange(count), np.append(np.arange(0, count, LARGEST), count)
        none = np.empty((workers, 0), np.int64)
        run(workers, *view, us, vs, us[:0], order, starts, none, np.zeros(1, np.int64), *args)
        return
    longer = np.where(graph.store.degrees_of(us) > graph.store.degrees_of(vs), us, vs)
    order, starts = _groups(graph, longer)
    places = (
        workspace_of(graph).scratch.get("list_places", workers * vertices, np.int64, fill=-1).reshape(workers, vertices)
    )
    try:
        run(workers, *view, us, vs, longer, order, starts, places, np.zeros(1, np.int64), *args)
    except BaseException:  # of a functor that Python runs
        places.fill(-1)
        raise


def workers_of_groups(graph: BaseGraph, count: int) -> int:
    """The number of workers for so many pairs, each with an array by vertex. 0 for few pairs, or little memory."""
    workers = threads_for(count, PARALLEL)
    room = np.dtype(np.int64).itemsize * workers * graph.num_vertices
    return workers if count >= FEW and room <= max(SMALLEST_ROOM, graph.store.neighbors.nbytes) else 0


def _groups(graph: BaseGraph, longer: Any) -> tuple[Any, Any]:
    """The pairs in order of a vertex of each, and the offsets of the groups, with the end of the last one."""
    keys, order = sort_pairs(graph.device, longer.astype(np.int64))
    begins = np.empty(longer.size, bool)
    begins[0] = True
    np.not_equal(keys[1:], keys[:-1], out=begins[1:])
    begins[::LARGEST] = True
    return order, np.append(np.flatnonzero(begins), longer.size)
