"""Apply a stream to a graph batch by batch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import frontier as fr

from .pipeline.batch import PipelineError
from .pipeline.pipeline import Pipeline
from .times import Span

Window = int | Span  # how long edges stay: batches (0 for ever), or a length of time


def changes(stream: fr.io.EdgeStream, window: Window) -> Iterator[tuple[fr.io.EdgeList, ...]]:
    """Yield the lists of each batch of a stream, in order: insertions or deletions, or one of each with a window."""
    if isinstance(window, Span):
        return fr.io.sliding_window(stream, window.length, by="time", directed=False)
    if window:
        return fr.io.sliding_window(stream, window * stream.batch_size, by="count", directed=False)
    return ((batch,) for batch in stream)


def surviving(stream: fr.io.EdgeStream, window: Window) -> Iterator[fr.io.EdgeList]:
    """Yield lists of rows. The last row of each edge decides whether it exists at the end of the stream.

    With a window these are the rows within it at the end, without the per-batch work of `changes`.
    """
    if not window or not len(stream.edges):
        yield from stream
    elif isinstance(window, Span):
        times = stream.edges.times
        assert times is not None
        yield stream.edges[np.flatnonzero(times > int(times.max()) - window.length)]
    else:
        yield stream.edges[max(len(stream.edges) - window * stream.batch_size, 0) :]


def lists_deletions(graph: fr.DynamicGraph, window: Window) -> bool:
    """Whether expired edges form a batch of deletions. A graph with times slides a window instead."""
    return bool(window) and graph.time_unit is None


@contextmanager
def applied(
    graph: fr.DynamicGraph, stream: fr.io.EdgeStream, window: Window, *, synchronous: bool
) -> Iterator[Iterator[list[Any]]]:
    """Apply a stream to an empty graph: each step of the iterator applies a batch and returns its `Pipeline` items,
    one, or two for insertions and deletions. If `synchronous`, it synchronizes with the graph."""
    listed = lists_deletions(graph, window)
    source: Any = itertools.chain.from_iterable(changes(stream, window)) if listed else stream
    sliding = _sliding(graph, window, stream.batch_size) if window and not listed else None
    with Pipeline(source, graph, window=sliding, synchronous=synchronous) as pipeline:
        yield _items(pipeline, 2 if listed else 1)


def _sliding(graph: fr.DynamicGraph, window: Window, batch_size: int) -> fr.SlidingWindow:
    if isinstance(window, Span):
        return fr.SlidingWindow(graph, span=window.length)
    return fr.SlidingWindow(graph, count=window * batch_size)


def _items(pipeline: Pipeline, each: int) -> Iterator[list[Any]]:
    while True:
        try:
            batches = list(itertools.islice(pipeline, each))
        except PipelineError as error:  # callers need the graph's own exceptions
            assert error.__cause__ is not None
            raise error.__cause__ from None
        if not batches:
            return
        yield batches
