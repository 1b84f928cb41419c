"""Measurements of updates: random batches, builds, vertex deletion, windows that slide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from operator import methodcaller
from typing import Any

from ..graphs import BenchmarkGraph
from ..timing import Samples, timed
from .cell import Cell
from .inputs import Arcs, arcs_of, in_csr_order, random_arcs, random_vertices, shuffled

MB = 1e6

Row = dict[str, Any]


def insertion(cell: Cell, sizes: Iterable[int], weighted: bool = False) -> None:
    """Insert a batch of random arcs into the graph: M edges/s by batch size."""
    graph = cell.directed(weighted=weighted)
    for size in cell.each(map(cell.size, sizes)):
        batch = (*cell.once(size, partial(random_arcs, cell.graph, size)), *_weights(cell, size, weighted))
        samples, found = cell.timed_on_copies(graph, methodcaller("insert_edges", *batch))
        cell.agree(f"insertions of {size:,}", found.inserted)
        cell.add_rate(samples, size, x=size)


def _weights(cell: Cell, size: int, weighted: bool) -> tuple[Any, ...]:
    """The weights of a batch as an argument of `insert_edges`, if it has them."""
    return (cell.weights(size),) if weighted else ()


def deletion(cell: Cell, sizes: Iterable[int], weighted: bool = False) -> None:
    """Delete a batch of the graph's arcs: M edges/s by batch size."""
    graph = cell.directed(weighted=weighted)
    for size in cell.each(map(cell.size, sizes)):
        src, dst = cell.once(size, partial(arcs_of, cell.graph, size))
        samples, found = cell.timed_on_copies(graph, methodcaller("delete_edges", src, dst))
        cell.agree(f"deletions of {size:,}", found.deleted)
        cell.add_rate(samples, size, x=size)


def vertex_deletion(cell: Cell, sizes: Iterable[int], weighted: bool = False) -> None:
    """Delete random vertices with all their edges: M vertices/s by batch size."""
    graph = cell.undirected(weighted=weighted)
    for size in cell.each(map(cell.size, sizes)):
        ids = cell.once(size, partial(random_vertices, cell.graph, size))
        samples, found = cell.timed_on_copies(graph, methodcaller("delete_vertices", ids))
        cell.agree(f"edges of {size:,} vertices", found.deleted)
        cell.add_rate(samples, int(ids.size), "M vertices/s", x=size)


def build(cell: Cell, weighted: bool = False) -> None:
    """Build the graph from its arcs in random order: ms."""
    src, dst = cell.once("arcs", partial(shuffled, cell.graph))
    options = {"weights": cell.weights(int(src.size))} if weighted else {}
    samples, graph = cell.timed(partial(cell.system.load, src, dst, cell.graph.num_vertices, cell.device, **options))
    cell.agree("arcs", graph.num_arcs)
    cell.add_time(samples)


def incremental_build(cell: Cell, sizes: Iterable[int], weighted: bool = False) -> None:
    """Insert all arcs in batches into a graph without edges: M edges/s by batch size."""
    src, dst = cell.once("arcs", partial(shuffled, cell.graph))
    weights = _weights(cell, int(src.size), weighted)
    for size in cell.each(map(cell.size, sizes)):
        graph = cell.system.empty(cell.graph.num_vertices, cell.device, weight_dtype="float32" if weighted else None)
        samples = Samples()
        spent, done = 0.0, 0
        for begin in range(0, int(src.size), size):
            part = slice(begin, begin + size)
            batch = [column[part] for column in (src, dst, *weights)]
            wall, _ = timed(cell.device, partial(graph.insert_edges, *batch), samples)
            spent, done = spent + wall, min(begin + size, int(src.size))
            if spent > 4 * cell.limit:
                break
        if done == int(src.size):
            cell.agree("arcs", graph.num_arcs)
        else:
            cell.note(f"batches of {size:,} end after {done:,} of {src.size:,} arcs, {spent:.1f} s")
        cell.add(done / spent / 1e6, "M edges/s", x=size, arcs=done, **samples.numbers())


def with_coverage(rows: Sequence[Row]) -> list[Row]:
    """Rows of `incremental_build`, and the share of the graph that each inserted: % of the most that any structure
    did."""
    most: dict[str, int] = {}
    for row in rows:
        most[row["graph"]] = max(row["arcs"], most.get(row["graph"], 0))
    shares = [{**row, "value": 100 * row["arcs"] / most[row["graph"]]} for row in rows]
    return [*rows, *({**row, "quantity": "arcs inserted", "unit": "%"} for row in shares)]


# ---- one batch into a new graph (GraphVine) --------------------------------------------------------------------------


def initialization(cell: Cell, vertices: Iterable[int]) -> None:
    """Make a graph without edges: ms by number of vertices."""
    for count in cell.each(map(cell.size, vertices)):
        samples, _ = cell.timed(partial(cell.system.empty, count, cell.device))
        cell.add_time(samples, x=count)


def _first_batches(cell: Cell, sizes: Iterable[int]) -> Iterable[tuple[int, Any, Any]]:
    """The first arcs of the graph in CSR order: so many, and in the end all."""
    src, dst = cell.once("csr", partial(in_csr_order, cell.graph))
    total = int(src.size)
    for size in cell.each([*(size for size in map(cell.size, sizes) if size < total), total]):
        yield size, src[:size], dst[:size]


def first_batch(cell: Cell, sizes: Iterable[int]) -> None:
    """Insert a first batch into a graph without edges: ms by batch size."""
    new = cell.system.empty(cell.graph.num_vertices, cell.device)
    for size, src, dst in _first_batches(cell, sizes):
        samples, found = cell.timed_on_copies(new, methodcaller("insert_edges", src, dst))
        cell.agree(f"insertions of {size:,}", found.inserted)
        cell.add_time(samples, x=size)


def first_batch_deletion(cell: Cell, sizes: Iterable[int]) -> None:
    """Delete the batch that was inserted into a graph without edges: ms by batch size."""
    for size, src, dst in _first_batches(cell, sizes):
        graph = cell.system.empty(cell.graph.num_vertices, cell.device)
        graph.insert_edges(src, dst)
        samples, found = cell.timed_on_copies(graph, methodcaller("delete_edges", src, dst))
        cell.agree(f"deletions of {size:,}", found.deleted)
        cell.add_time(samples, x=size)


def first_batch_memory(cell: Cell, sizes: Iterable[int]) -> None:
    """Memory after a first batch, allocated and in use: MB by batch size."""
    for size, src, dst in _first_batches(cell, sizes):
        graph = cell.system.empty(cell.graph.num_vertices, cell.device)
        graph.insert_edges(src, dst)
        memory = graph.memory_usage()
        cell.add(memory.reserved / MB, "MB", x=size, used_bytes=memory.used, csr_bytes=memory.csr)


def in_use_and_reserved(rows: Sequence[Row]) -> list[Row]:
    """Rows of `first_batch_memory` as two quantities: the memory of the graph, and all allocated memory."""
    used = [{**row, "quantity": "in use", "value": row["used_bytes"] / MB} for row in rows]
    return [*used, *({**row, "quantity": "reserved, scratch memory included"} for row in rows)]


# ---- windows ---------------------------------------------------------------------------------------------------------


def window_shifts(
    cell: Cell, sizes: Iterable[int], stream: Callable[[BenchmarkGraph], Arcs] = shuffled
) -> None:  # fmt: skip
    """Slide a window of half the stream's arcs: ms for a shift, the new arcs inserted and the oldest deleted."""
    src, dst = cell.once("arcs", partial(stream, cell.graph))
    half = int(src.size) // 2
    start = cell.system.load(src[:half], dst[:half], cell.graph.num_vertices, cell.device)
    shifts = cell.context.axes.warm_up + cell.repeat
    for size in cell.each(map(cell.size, sizes)):
        graph = start.copy()
        samples = Samples()
        ends = range(half, min(half + (shifts + 1) * size, int(src.size)), size)
        for index, (begin, end) in enumerate(pairwise(ends)):
            coming, going = slice(begin, end), slice(begin - half, end - half)

            def shift(graph: Any = graph, coming: slice = coming, going: slice = going) -> None:
                graph.insert_edges(src[coming], dst[coming])
                graph.delete_edges(src[going], dst[going])

            timed(cell.device, shift, samples if index >= cell.context.axes.warm_up else None)
            if sum(samples.wall) > cell.limit:
                break
        if not samples.wall:
            continue
        cell.agree(f"arcs of the window after {len(samples.wall)} shifts by {size:,}", graph.num_arcs)
        cell.add_time(samples, x=size)
        if samples.median > 4 * cell.limit:
            cell.note(f"larger batches left out, since one of {size:,} takes {samples.median:.1f} s")
            break
