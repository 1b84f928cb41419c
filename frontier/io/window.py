"""Sliding windows over a stream."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .edge_list import EdgeList, sorted_by_edge
from .stream import EdgeStream


def sliding_window(
    stream: EdgeStream, window: float, *, by: str | None = None, directed: bool | None = None, multigraph: bool = False
) -> Iterator[tuple[EdgeList, EdgeList]]:
    """Pair each batch of a stream with the rows that leave the window when the batch arrives.

    Parameters
    ----------
    stream : EdgeStream
        Insertions only.
    window : float
        Length of the window: in the unit of the times, or in rows. A row is inside while its time is greater than
        the time of the batch's last row less `window`, or while it is among the last `window` rows.
    by : {"time", "count"}, optional
        The unit of `window`, by default time if the stream has times.
    directed : bool, optional
        Whether ``u v`` and ``v u`` are different edges, by default as the stream declares, else True.
    multigraph : bool
        False: an edge expires once, and only when no row of it is left in the window, which suits the deletions of a
        graph without parallel edges. True: every row expires.

    Yields
    ------
    inserted : EdgeList
        The batch, to be inserted first.
    expired : EdgeList
        The rows to delete afterwards, oldest first, with ``operation == "delete"``. A row that arrives and
        expires with one batch is in both.

    Raises
    ------
    ValueError
        If the stream deletes, is not in time order, has no times to go by, or `window` or `by` is out of range.

    See Also
    --------
    stream_edges : A stream of an edge list.
    frontier.SlidingWindow : A window that the graph maintains.

    Examples
    --------
    >>> import frontier as fr
    >>> edges = fr.io.from_table({"src": [0, 1, 2], "dst": [1, 2, 3]})
    >>> stream = fr.io.stream_edges(edges, batch_size=1)
    >>> for arriving, leaving in fr.io.sliding_window(stream, 2):
    ...     print(arriving.src, leaving.src)
    [0] []
    [1] []
    [2] [0]
    """
    edges = stream.edges
    if stream.has_deletions:
        raise ValueError("a sliding window needs a stream of insertions only")
    if window <= 0:
        raise ValueError(f"window must be positive, got {window}")
    by = by or ("count" if edges.times is None else "time")
    if by not in ("time", "count"):
        raise ValueError(f"by must be 'time' or 'count', got {by!r}")
    if by == "time":
        if edges.times is None:
            raise ValueError("the stream has no times; use by='count'")
        if len(edges) and bool((edges.times[1:] < edges.times[:-1]).any()):
            raise ValueError("the stream is not in time order")
    directed = edges.directed is not False if directed is None else directed
    following = None if multigraph else _next_record(edges, directed)
    return _pairs(stream, window, edges.times if by == "time" else None, following)


def _pairs(
    stream: EdgeStream, window: float, times: np.ndarray | None, following: np.ndarray | None
) -> Iterator[tuple[EdgeList, EdgeList]]:
    edges, oldest, end = stream.edges, 0, 0
    for batch in stream:
        end += len(batch)
        if times is not None:
            start = int(np.searchsorted(times[:end], _horizon(times, end - 1, window), side="right"))
        else:
            start = max(0, end - int(window))
        leaving = np.arange(oldest, max(oldest, start))
        oldest = max(oldest, start)
        if following is not None:  # a later row of the edge has arrived, which prolongs the edge, or expires instead
            leaving = leaving[following[leaving] >= end]
        yield batch, replace(edges[leaving], operation="delete")


def _horizon(times: np.ndarray, last: int, window: float) -> np.generic:
    """Return the latest time outside the window that ends with row `last`, of the type of the times.

    Integers are subtracted as such: nanoseconds since 1970 exceed the precision of floats.
    """
    if times.dtype.kind == "f":
        return times.dtype.type(times[last] - window)
    least = int(np.iinfo(times.dtype).min)
    return times.dtype.type(least if math.isinf(window) else max(int(times[last]) - math.ceil(window), least))


def _next_record(edges: EdgeList, directed: bool) -> np.ndarray:
    """Return the position of the next row of the same edge, shape (m,), or m without one."""
    order, begins = sorted_by_edge(edges, directed=directed)
    same = ~begins[1:]
    following = np.full(len(edges), len(edges))
    following[order[:-1][same]] = order[1:][same]
    return following
