"""Transfers that hide behind work: a window that slides by batches of the host, and distances that go back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np

from algorithms import bfs
from dynfrontier import Pipeline

from ..pipeline import pinned
from ..timing import Samples, timed
from .cell import Cell
from .inputs import shuffled_edges

SLIDES = 32  # of a run

Columns = tuple[Any, Any]
Batch = tuple[Columns, bool]
"""Edges, and whether they are deleted."""


def hidden_transfers(cell: Cell, shares: Iterable[float]) -> None:
    """Slide a window of half the edges, find all distances from a vertex, bring them to the host: ms for each slide.

    *on the device*: batches lie on the device, and distances stay there. *transfers alone*: both ways and no work. *one
    after another*: batches lie on the host. *overlapped*: the same by `dynfrontier.Pipeline`. Also the share of the
    time of the transfers that the overlap hides: %.
    """
    src, dst = cell.once("edges", partial(shuffled_edges, cell.graph))
    half, device = int(src.size) // 2, cell.device
    start = cell.system.load(src[:half], dst[:half], cell.graph.num_vertices, device, directed=False)
    search = partial(_distances, root=int(src[0]))
    warm_up = cell.context.axes.warm_up
    for share in cell.each(shares):
        size = max(int(src.size * share / 100), 1)
        count = max(min(SLIDES, half // size), 2)
        near = list(_slides((src, dst), half, size, count))
        far = [((pinned(device, columns[0]), pinned(device, columns[1])), deletes) for columns, deletes in near]
        forms: dict[str, Callable[[Any], list[float] | None]] = {
            "on the device": partial(_on_the_device, near, search),
            "transfers alone": partial(_transfers_alone, far, search(start)),
            "one after another": partial(_one_after_another, far, search),
            "overlapped": partial(_overlapped, far, search),
        }
        times = {}
        for name, form in forms.items():
            samples = Samples()
            for index in range(warm_up + cell.repeat):
                wall, ends = timed(device, partial(form, start.copy()))
                if index >= warm_up:
                    samples.wall.append(wall / count if ends is None else float(np.diff(ends).mean()))
                if sum(samples.wall) * count > cell.limit:
                    break
            times[name] = samples.median
            cell.add_time(samples, name, share)
        if device.is_gpu:  # else there are none
            shown = max(times["overlapped"] - times["on the device"], 0.0)
            cell.add(100 * max(1 - shown / times["transfers alone"], 0.0), "%", "hidden", share)


def _slides(edges: Columns, half: int, size: int, count: int) -> Iterator[Batch]:
    """The batches of so many slides: each inserts the next edges, and deletes the oldest."""
    for begin in range(0, count * size, size):
        for offset, deletes in ((half, False), (0, True)):
            part = slice(offset + begin, offset + begin + size)
            yield (edges[0][part], edges[1][part]), deletes


def _distances(graph: Any, root: int) -> Any:
    return bfs(graph, root).distance


def _update(graph: Any, columns: Columns, deletes: bool) -> None:
    (graph.delete_edges if deletes else graph.insert_edges)(*columns)


def _on_the_device(batches: list[Batch], search: Callable[[Any], Any], graph: Any) -> None:
    for columns, deletes in batches:
        _update(graph, columns, deletes)
        if deletes:
            search(graph)


def _transfers_alone(batches: list[Batch], result: Any, graph: Any) -> None:
    for columns, deletes in batches:
        _ = [graph.xp.asarray(column) for column in columns]
        if deletes:
            graph.device.to_host(result)


def _one_after_another(batches: list[Batch], search: Callable[[Any], Any], graph: Any) -> None:
    for columns, deletes in batches:
        _update(graph, tuple(graph.xp.asarray(column) for column in columns), deletes)
        if deletes:
            graph.device.to_host(search(graph))


def _overlapped(batches: list[Batch], search: Callable[[Any], Any], graph: Any) -> list[float]:
    """The times at which the distances of each slide had arrived: the start of a pipeline does not count."""
    ends: list[float] = []
    deletes = cycle((False, True))
    items = (
        {"src": src, "dst": dst, **({"operation": "delete"} if gone else {})} for (src, dst), gone in batches
    )  # fmt: skip
    analytics = {"distance": lambda graph: search(graph) if next(deletes) else None}
    Pipeline(items, graph, analytics).run(lambda batch: ends.append(time.perf_counter()))
    return ends[1::2]
