"""Streams: edge lists cut into batches in time order, of insertions or of insertions and deletions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import BinaryIO

import numpy as np

from .columns import Columns
from .edge_list import EdgeList, in_time_order, sorted_by_edge
from .lines import COMMENTS, LONGEST_RECORD
from .options import ReadOptions
from .reader import read_records

_ORDERS = ("time", "file")
_INSERT = ord("+")


class EdgeStream:
    """Batches of rows in the order of their application to a graph.

    Iterate as often as needed. `len` is the number of batches.

    Parameters
    ----------
    edges : EdgeList
        All rows in order.
    batch_size : int
        Maximum rows per batch.
    inserts : ndarray of bool, shape (m,), optional
        Whether each row is an insertion, the default, or a deletion. A batch contains one kind.

    Raises
    ------
    ValueError
        `batch_size` is less than 1, or `inserts` has another length than `edges`.

    See Also
    --------
    read_stream : Read a file.
    stream_edges : A stream of an edge list.

    Examples
    --------
    >>> import frontier as fr
    >>> stream = fr.io.EdgeStream(fr.io.grid(2, 3), batch_size=3)
    >>> len(stream), len(stream[0])
    (3, 3)
    """

    def __init__(self, edges: EdgeList, batch_size: int, inserts: np.ndarray | None = None) -> None:
        if batch_size < 1:
            raise ValueError(f"a batch needs at least one row, got batch_size = {batch_size}")
        if inserts is not None and len(inserts) != len(edges):
            raise ValueError(f"inserts has {len(inserts)} entries for {len(edges)} records")
        self.edges = edges
        self.batch_size = batch_size
        self._inserts = inserts
        self._bounds = _cut(len(edges), batch_size, inserts)

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __iter__(self) -> Iterator[EdgeList]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, k: int) -> EdgeList:
        """Batch number `k`, from 0. Raises IndexError past the last one."""
        k = range(len(self))[k]
        begin = int(self._bounds[k])
        batch = self.edges[begin : int(self._bounds[k + 1])]
        if self._inserts is None or self._inserts[begin]:
            return batch
        return replace(batch, operation="delete", weights=None, data=None)

    def __repr__(self) -> str:
        return f"EdgeStream({len(self):,} batches of up to {self.batch_size:,}: {self.edges!r})"

    @property
    def num_vertices(self) -> int:
        """Number of vertices of the whole stream, and of every batch."""
        return self.edges.num_vertices

    @property
    def num_records(self) -> int:
        """Number of rows of the whole stream, insertions and deletions."""
        return len(self.edges)

    @property
    def ids(self) -> np.ndarray | None:
        """Original id of each vertex, shape (num_vertices,), where vertices were renumbered."""
        return self.edges.ids

    @property
    def first_id(self) -> int:
        """Original id of vertex 0, where vertices were not renumbered."""
        return self.edges.first_id

    @property
    def time_unit(self) -> str | None:
        """Unit of times that were dates, or None for numbers."""
        return self.edges.time_unit

    @property
    def directed(self) -> bool | None:
        """Whether the source declares that rows are directed, or None if it does not."""
        return self.edges.directed

    @property
    def inserts(self) -> np.ndarray | None:
        """Mask of the insertions among the rows, shape (m,), or None if all are."""
        return self._inserts if self.has_deletions else None

    @property
    def has_deletions(self) -> bool:
        """Whether any batch deletes."""
        return self._inserts is not None and not bool(self._inserts.all())

    def undirected(self) -> EdgeStream:
        """Return the stream for an undirected graph: without deletions that leave the opposite directed edge."""
        if self._inserts is None or not self.edges.directed or not self.has_deletions:
            return self
        inserts = self._inserts
        order, begins = sorted_by_edge(self.edges, directed=False)
        rows = np.arange(len(order))
        begin = np.maximum.accumulate(np.where(begins, rows, 0))
        backward = (self.edges.src > self.edges.dst)[order]
        present = np.zeros(len(order), bool)  # whether the pair has an edge in either direction after each row
        for direction in (backward, ~backward):
            last = np.maximum.accumulate(np.where(direction, rows, -1))
            present |= (last >= begin) & inserts[order][last]
        kept = np.ones(len(order), bool)
        kept[order] = inserts[order] | ~present
        return EdgeStream(self.edges[kept], self.batch_size, inserts[kept])


def read_stream(
    path: str | os.PathLike | BinaryIO,
    batch_size: int = 65536,
    *,
    columns: Columns = None,
    order: str = "time",
    compact: bool = True,
    operations: bool = False,
    weighted: bool | None = None,
    comments: str = COMMENTS,
    delimiter: str | None = None,
    header: bool | None = None,
    named: bool | None = None,
    member: str | None = None,
    data: Sequence[str] = (),
    max_record_bytes: int = LONGEST_RECORD,
) -> EdgeStream:
    """Read a graph file as a stream of batches.

    Parameters
    ----------
    path : str, path-like or binary file
        A file of any format of `read_edges`, or text with lines ``+ u v [w] [t]`` and ``- u v`` (insertions and
        deletions, with columns beyond the ends optional in deletions unless they are times). Rows of weight -1 in a
        dynamic network of KONECT are also deletions.
    batch_size : int
        Maximum rows per batch.
    columns, weighted, comments, delimiter, header, named, member, data, max_record_bytes
        See `read_edges`. In a file of insertions and deletions, columns exclude the operation.
    order : {"time", "file"}
        ``"time"`` sorts by times, if any, stably. ``"file"`` preserves the order of the file.
    compact : bool
        Renumber the vertices of rows to 0..n-1, in ascending order of id. `ids` has the original ids.
    operations : bool
        Require ``+`` or ``-`` at the start of lines. By default the first row decides.

    Returns
    -------
    EdgeStream
        An iterable of `EdgeList` batches with `len`, ``num_vertices`` and ``num_records``. Each batch has an
        ``operation``, ``"insert"`` or ``"delete"``.

    Raises
    ------
    ParseError, OSError, ImportError
        See `read_edges`.
    ValueError
        An argument is invalid.

    See Also
    --------
    read_edges : The whole file.
    stream_edges : A stream of edges in memory.

    Examples
    --------
    >>> for batch in read_stream("posts.txt.gz", batch_size=65536):  # doctest: +SKIP
    ...     graph.insert_edges(batch.src, batch.dst)
    """
    if order not in _ORDERS:
        raise ValueError(f"order must be 'time' or 'file', got {order!r}")
    if batch_size < 1:
        raise ValueError(f"a batch needs at least one row, got batch_size = {batch_size}")
    options = ReadOptions(
        columns, weighted, comments, delimiter, header, named, data, max_record_bytes, operations or None
    )
    edges, ops = read_records(path, options, member)
    if compact:
        edges = edges.compact()
    if ops is None:
        return stream_edges(edges, batch_size, order=order)
    inserts = ops == _INSERT
    if order == "time":
        edges, inserts = in_time_order(edges, inserts)
    return EdgeStream(edges, batch_size, inserts)


def stream_edges(edges: EdgeList, batch_size: int = 65536, *, order: str = "time") -> EdgeStream:
    """Make a stream of insertions of an edge list in memory.

    Parameters
    ----------
    edges : EdgeList
    batch_size : int
        Maximum rows per batch.
    order : {"time", "file"}
        ``"time"`` sorts by times, if any. ``"file"`` preserves the order of the list.

    Returns
    -------
    EdgeStream
        An iterable of batches that share memory with the (sorted) list.

    Raises
    ------
    ValueError
        An argument is invalid.

    See Also
    --------
    read_stream : A stream of a file.
    sliding_window : The rows that leave with each batch.

    Examples
    --------
    >>> import frontier as fr
    >>> edges = fr.io.from_table({"src": [0, 1, 2], "dst": [1, 2, 3]})
    >>> for batch in fr.io.stream_edges(edges, batch_size=2):
    ...     print(batch.src, batch.dst)
    [0 1] [1 2]
    [2] [3]
    """
    if order not in _ORDERS:
        raise ValueError(f"order must be 'time' or 'file', got {order!r}")
    if order == "time" and edges.times is not None:
        edges = edges.sorted_by_time()
    return EdgeStream(edges, batch_size)


def _cut(count: int, size: int, inserts: np.ndarray | None) -> np.ndarray:
    """Return the offsets of the batches, and the end."""
    if inserts is None or not count:
        return np.append(np.arange(0, count, size), count)
    runs = np.concatenate([[0], np.flatnonzero(np.diff(inserts)) + 1, [count]])
    return np.append(np.concatenate([np.arange(begin, end, size) for begin, end in pairwise(runs)]), count)
