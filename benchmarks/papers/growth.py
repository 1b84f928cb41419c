"""Measurements of streams that grow a graph: the time of every batch, at the moments of growth too."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np

from ..timing import Samples, timed
from .cell import Cell
from .inputs import Arcs, random_arcs, shuffled

GROWTH = 8  # the factor by which the graph's arcs grow


@dataclass
class Stream:
    """The measurements of the batches of a stream.

    Attributes
    ----------
    size : int
        Arcs in a batch.
    samples : Samples
        Time of every batch.
    grew : list of bool
        Whether the structure's pool was larger after the batch.
    densities : list of float
        For a packed memory array: its density before the batch.
    graph : DynamicGraph
        As it is now.
    """

    size: int
    graph: Any
    samples: Samples = field(default_factory=Samples)
    grew: list[bool] = field(default_factory=list)
    densities: list[float] = field(default_factory=list)


def growth(cell: Cell, sizes: Iterable[int], summary: Callable[[Cell, Stream], None]) -> None:
    """Insert arcs of the graph in batches until it has grown eightfold. `summary` stores the results that an experiment
    shows.

    The stream has as many batches as the axes specify, or fewer if the graph has no more arcs. Every batch is timed.
    """
    for size in cell.each(map(cell.size, sizes)):
        src, dst = cell.once(("stream", size), partial(_stream, cell, size))
        total = int(src.size)
        start = total // GROWTH
        graph = cell.system.load(src[:start], dst[:start], cell.graph.num_vertices, cell.device)
        graph.insert_edges(src[start : start + size], dst[start : start + size])
        stream, spent, end = Stream(size, graph), 0.0, start + size
        while end < total and spent < 8 * cell.limit:
            part = slice(end, end + size)
            capacity = graph.slot_capacity
            stream.densities.append(getattr(graph, "density", float("nan")))
            wall, _ = timed(cell.device, partial(graph.insert_edges, src[part], dst[part]), stream.samples)
            spent, end = spent + wall, end + size
            stream.grew.append(graph.slot_capacity > capacity)
        if end >= total:
            cell.agree(f"arcs after batches of {size:,}", graph.num_arcs)
        else:
            cell.note(f"batches of {size:,} end after {end:,} of {total:,} arcs, {spent:.1f} s")
        if stream.grew:
            summary(cell, stream)


def _stream(cell: Cell, size: int) -> Arcs:
    src, dst = shuffled(cell.graph)
    batches = cell.context.axes.dynamic_batches + 1
    total = min(int(src.size), batches * size * GROWTH // (GROWTH - 1))
    return src[:total], dst[:total]


def churn(cell: Cell, stream: Stream) -> None:
    """Mean and worst time of a batch: ms."""
    mean, worst = stream.samples.mean, max(stream.samples.wall)
    cell.add(1e3 * mean, "ms", "mean", stream.size, **stream.samples.numbers(), grew=stream.grew)
    cell.add(1e3 * worst, "ms", "worst", stream.size)
    cell.add(worst / mean, "times", "worst over mean", stream.size)


def mean_time(cell: Cell, stream: Stream) -> None:
    """Mean time of a batch: ms."""
    cell.add(1e3 * stream.samples.mean, "ms", "mean", stream.size, **stream.samples.numbers())


def mean_rate(cell: Cell, stream: Stream) -> None:
    """Rate over the whole stream: M edges/s."""
    cell.add(stream.size / stream.samples.mean / 1e6, "M edges/s", "", stream.size, **stream.samples.numbers())


# ---- what packed memory arrays move (their `statistics`) -------------------------------------------------------------


def by_density(cell: Cell, stream: Stream) -> None:
    """Median time of the batches that found the array at a density, to one digit: ms. Batches that grow the array do
    not count."""
    found: dict[float, list[float]] = {}
    for density, wall, grown in zip(stream.densities, stream.samples.wall, stream.grew, strict=True):
        if not grown:
            found.setdefault(math.floor(10 * density) / 10, []).append(wall)
    for density, walls in sorted(found.items()):
        cell.add(1e3 * float(np.median(walls)), "ms", x=density, batches=len(walls), size=stream.size)


def at_growth(cell: Cell, stream: Stream) -> None:
    """Batches at which the array grew: mean ms, and the share of leaves that need not be moved, of all."""
    walls = [wall for wall, grown in zip(stream.samples.wall, stream.grew, strict=True) if grown]
    if walls:
        cell.add(1e3 * float(np.mean(walls)), "ms", "batches of growth", stream.size, batches=len(walls))
    statistics = stream.graph.statistics()
    if statistics.details.get("expansions"):
        cell.add(100 * statistics["expansion_saved"], "%", "leaves not moved at growth", stream.size)


def redundancy(cell: Cell, stream: Stream) -> None:
    """Mean time of a batch, and the share of spared moves among the moves that rounds from level to level make."""
    mean_time(cell, stream)
    cell.add(100 * stream.graph.statistics()["redundant_saved"], "%", "moves spared", stream.size)


# ---- from the host ---------------------------------------------------------------------------------------------------


def transfer(cell: Cell, sizes: Iterable[int]) -> None:
    """Insert a batch that lies on the device, and one that lies on the host: %, the share of the transfer in the
    time."""
    graph = cell.directed()
    for size in cell.each(map(cell.size, sizes)):
        src, dst = cell.once(size, partial(random_arcs, cell.graph, size))
        far = cell.once(("host", size), partial(_on_the_host, cell, src, dst))
        near_by, _ = cell.timed_on_copies(graph, methodcaller("insert_edges", src, dst))
        from_far, _ = cell.timed_on_copies(graph, methodcaller("insert_edges", *far))
        cell.add(100 * max(1 - near_by.median / from_far.median, 0.0), "%", "transfer", size)


def _on_the_host(cell: Cell, src: Any, dst: Any) -> Arcs:
    return cell.device.to_host(src), cell.device.to_host(dst)
