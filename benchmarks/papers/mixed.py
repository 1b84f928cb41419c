"""Mixed batches of updates and queries: by Opera, and as groups of one kind, one group after the other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import frontier as fr

from ..defaults import BATCH_SEED
from ..timing import Samples, timed
from .cell import Cell
from .inputs import shuffled

QUERIES = 0.03  # of the operations, as in the paper


class Mixed(NamedTuple):
    """A mixed batch.

    Attributes
    ----------
    ops, src, dst : arrays, shape (m,)
        On the device, as `DynamicGraph.apply` expects them.
    groups : list of (int, int, int)
        Operations of one kind in a row: kind, first and end.
    """

    ops: Any
    src: Any
    dst: Any
    groups: list[tuple[int, int, int]]


def mixed_batches(cell: Cell, sizes: Iterable[int]) -> None:
    """Apply a batch of insertions and 3 % queries, half of edges and half of neighbors: ms, with Opera and in groups.

    The graph has half the arcs before, and the batch brings others.
    """
    src, dst = cell.once("arcs", partial(shuffled, cell.graph))
    half = int(src.size) // 2
    graph = cell.system.load(src[:half], dst[:half], cell.graph.num_vertices, cell.device)
    for size in cell.each(min(cell.size(size), half) for size in sizes):
        batch = cell.once(("mixed", size), partial(_draw, cell, size))
        samples, found = cell.timed_on_copies(graph, partial(at_once, batch=batch))
        answers = found.answers
        for op, name in ((fr.Operation.HAS_EDGE, "edges"), (fr.Operation.NEIGHBORS, "neighbors")):
            cell.agree(f"{name} among {size:,}", int(answers[batch.ops == int(op)].sum()))
        cell.agree(f"insertions of {size:,}", found.inserted)
        cell.add_time(samples, "Opera", size)
        serial = Samples()  # thousands of calls, which need no repetition
        _, counts = timed(cell.device, partial(in_groups, graph.copy(), batch), serial)
        for name, parts in zip(("edges", "neighbors"), counts, strict=True):
            cell.agree(f"{name} among {size:,}", sum(int(part.sum()) for part in parts))
        cell.add(1e3 * serial.median, "ms", "one group after another", size, groups=len(batch.groups))


def at_once(graph: fr.DynamicGraph, batch: Mixed) -> fr.advanced.MixedResult:
    """Apply a batch by Opera."""
    return graph.apply(batch.ops, batch.src, batch.dst)


def in_groups(graph: fr.DynamicGraph, batch: Mixed) -> tuple[list[Any], list[Any]]:
    """Apply the groups of a batch one after another. Returns the edges, and the numbers of neighbors, that queries
    found."""
    edges: list[Any] = []
    neighbors: list[Any] = []
    for kind, begin, end in batch.groups:
        src, dst = batch.src[begin:end], batch.dst[begin:end]
        if kind == fr.Operation.INSERT:
            graph.insert_edges(src, dst)
        elif kind == fr.Operation.HAS_EDGE:
            edges.append(graph.has_edges(src, dst))
        else:
            neighbors.append(graph.successors(src)[0][-1:])
    return edges, neighbors


def _draw(cell: Cell, size: int) -> Mixed:
    """A batch: which operations are queries is random, and so are the edges and vertices that they ask for."""
    src, dst = cell.once("arcs", partial(shuffled, cell.graph))
    half = int(src.size) // 2
    rng = np.random.default_rng(BATCH_SEED)
    ops = np.full(size, int(fr.Operation.INSERT), np.uint8)
    chosen = rng.choice(size, round(QUERIES * size), replace=False)
    ops[chosen[::2]], ops[chosen[1::2]] = int(fr.Operation.HAS_EDGE), int(fr.Operation.NEIGHBORS)
    where = half + np.arange(size)
    where[chosen] = rng.integers(0, half + size, chosen.size)  # of the graph and of the batch
    ends = [*(np.flatnonzero(np.diff(ops)) + 1).tolist(), size]
    groups = [(int(ops[begin]), begin, end) for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
    xp = cell.xp
    where = xp.asarray(np.minimum(where, int(src.size) - 1))
    return Mixed(xp.asarray(ops), src[where], dst[where], groups)
