"""A stream, applied to a graph batch by batch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import frontier as fr


def changes(stream: fr.io.EdgeStream, window: int) -> Iterator[tuple[fr.io.EdgeList, ...]]:
    """What each batch of a stream does, in order: one list of insertions or deletions, or one of each with a window.

    Parameters
    ----------
    window : int
        Batches that an edge stays; 0 for ever.
    """
    if window:
        return fr.io.sliding_window(stream, window * stream.batch_size, by="count", directed=False)
    return ((batch,) for batch in stream)


def lists_deletions(graph: fr.DynamicGraph, window: int) -> bool:
    """Whether the edges that leave are listed, after each batch, as a batch of its own.

    A graph with times slides a window over the stream instead.
    """
    return window > 0 and graph.time_unit is None


@contextmanager
def applied(
    graph: fr.DynamicGraph, stream: fr.io.EdgeStream, window: int, *, synchronous: bool
) -> Iterator[Iterator[list[Any]]]:
    """Apply a stream to an empty graph. Within the block, each step of an iterator applies a batch, and returns what
    `Pipeline` yields for it: one item, or one for the insertions and one for the deletions.

    Parameters
    ----------
    window : int
        See `changes`.
    synchronous : bool
        Whether an item waits for the graph.
    """
    listed = lists_deletions(graph, window)
    source: Any = itertools.chain.from_iterable(changes(stream, window)) if listed else stream
    sliding = fr.SlidingWindow(graph, count=window * stream.batch_size) if window and not listed else None
    with fr.Pipeline(source, graph, window=sliding, synchronous=synchronous) as pipeline:
        yield _items(pipeline, 2 if listed else 1)


def _items(pipeline: fr.Pipeline, each: int) -> Iterator[list[Any]]:
    while True:
        try:
            batches = list(itertools.islice(pipeline, each))
        except fr.PipelineError as error:  # callers know what a graph raises
            assert error.__cause__ is not None
            raise error.__cause__ from None
        if not batches:
            return
        yield batches
