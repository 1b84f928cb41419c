"""The edge list: the result of readers and generators, and the input of streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

FIRST_ID, TIME_UNIT = "first_id", "time_unit"
"""The keys of these attributes in files of `write_edges`: in a comment, or in the metadata of a table."""
_TIME_UNITS = ("ns", "us", "ms", "s")
_INT32_VERTICES = 2**31


@dataclass(frozen=True, eq=False, repr=False, init=False)
class EdgeList:
    """Edges in columns, one row each, in the order of the source, self-loops and duplicates included.

    Parameters
    ----------
    src, dst : array_like of int, shape (m,)
        Ends of each row, stored as int32 if every vertex number fits, otherwise as int64. Rows of undirected
        graphs may list either end first.
    weights : array_like of float or int, shape (m,), optional
    times : array_like of int or float, shape (m,), optional
        In the unit of the source (SNAP: seconds).
    time_unit : {"ns", "us", "ms", "s"}, optional
        The unit of `times` that were dates, since 1970-01-01. None for numbers, whose unit is unknown.
    num_vertices : int, optional
        By default one more than the largest vertex number.
    ids : array_like, shape (num_vertices,), optional
        Original ids of renumbered vertices: ``ids[new] == old``.
    first_id : int
        Original id of vertex 0 if `ids` is None: 1 for formats that count from 1. `original_ids` has all original ids
        in either case.
    directed : bool, optional
        Whether the source declares rows directed, or None if it does not specify.
    operation : {"insert", "delete"}
        The effect of a batch of a stream on a graph.
    data : mapping of str to array_like, shape (m,), optional
        Further values of each row, by name, for ``edge_data`` of `Graph.from_edges`.

    Raises
    ------
    ValueError
        The columns differ in length, are not one-dimensional, or contain a vertex out of range. Or `ids` has a wrong
        length, `first_id` is negative, or `operation` or `time_unit` is unknown.
    TypeError
        `src` or `dst` does not contain integers.

    See Also
    --------
    read_edges : Read a file.
    from_table : Read a table in memory.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> edges = fr.io.EdgeList(np.array([0, 1]), np.array([1, 2]))
    >>> len(edges), edges.num_vertices
    (2, 3)
    """

    src: np.ndarray
    dst: np.ndarray
    weights: np.ndarray | None
    times: np.ndarray | None
    num_vertices: int
    ids: np.ndarray | None
    directed: bool | None
    operation: str
    data: dict[str, np.ndarray] | None
    first_id: int
    time_unit: str | None

    def __init__(
        self,
        src: Any,
        dst: Any,
        weights: Any = None,
        times: Any = None,
        num_vertices: int | None = None,
        ids: Any = None,
        directed: bool | None = None,
        operation: str = "insert",
        data: Mapping[str, Any] | None = None,
        first_id: int = 0,
        time_unit: str | None = None,
    ) -> None:
        src, dst = _vertex_column("src", src), _vertex_column("dst", dst)
        for name, column in (("dst", dst), ("weights", weights), ("times", times)):
            if column is not None:
                column = np.asarray(column)
                if column.shape != src.shape:
                    raise ValueError(f"{name} has shape {column.shape}, src has {src.shape}")
            object.__setattr__(self, name, column)
        if data is not None:
            data = {name: np.asarray(column) for name, column in data.items()}
            for name, column in data.items():
                if column.shape != src.shape:
                    raise ValueError(f"data[{name!r}] has shape {column.shape}, src has {src.shape}")
        largest = max(int(src.max()), int(dst.max())) if len(src) else -1
        if len(src) and min(int(src.min()), int(dst.min())) < 0:
            raise ValueError("vertex numbers must not be negative")
        count = largest + 1 if num_vertices is None else int(num_vertices)
        if count < 0:
            raise ValueError(f"num_vertices must not be negative, got {count}")
        if largest >= count:
            raise ValueError(f"vertex {largest} is not below num_vertices = {count}")
        if ids is not None:
            ids = np.asarray(ids)
            if ids.shape != (count,):
                raise ValueError(f"ids has shape {ids.shape}, expected ({count},)")
        if time_unit not in (None, *_TIME_UNITS):
            raise ValueError(f"time_unit must be {', '.join(_TIME_UNITS)} or None, got {time_unit!r}")
        if first_id < 0:
            raise ValueError(f"first_id must not be negative, got {first_id}")
        if operation not in ("insert", "delete"):
            raise ValueError(f"operation must be 'insert' or 'delete', got {operation!r}")
        # The number of vertices decides, not the largest end, so every batch of a stream has one dtype.
        dtype = np.int32 if count <= _INT32_VERTICES else np.int64
        fields = {
            "src": src.astype(dtype, copy=False), "dst": dst.astype(dtype, copy=False), "num_vertices": count,
            "ids": ids, "directed": directed, "operation": operation, "data": data, "first_id": int(first_id),
            "time_unit": time_unit,
        }  # fmt: skip
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.src)

    def __repr__(self) -> str:
        extra = [name for name in ("weights", "times", "ids") if getattr(self, name) is not None]
        extra += self.data or ()
        kind = {True: ", directed", False: ", undirected", None: ""}[self.directed]
        with_ = f", with {', '.join(extra)}" if extra else ""
        return f"EdgeList({len(self):,} records, {self.num_vertices:,} vertices{kind}{with_})"

    def __getitem__(self, index: Any) -> EdgeList:
        """Select rows.

        Parameters
        ----------
        index : slice or ndarray of int or of bool
            Slices share memory with this list.

        Returns
        -------
        EdgeList
            The selected rows over the same vertices.

        Raises
        ------
        TypeError
            `index` is a single integer.
        """
        if isinstance(index, (int, np.integer)):
            raise TypeError(
                "an EdgeList accepts slices and index arrays; use edges.src[i] and edges.dst[i] for one row"
            )
        return replace(
            self,
            src=self.src[index],
            dst=self.dst[index],
            weights=None if self.weights is None else self.weights[index],
            times=None if self.times is None else self.times[index],
            data=None if self.data is None else {name: column[index] for name, column in self.data.items()},
        )

    @property
    def num_records(self) -> int:
        """Number of rows. The graph that is made of them may have fewer edges."""
        return len(self.src)

    @property
    def original_ids(self) -> np.ndarray:
        """The id of each vertex in the source, shape (num_vertices,): `ids`, or numbers that start with `first_id`."""
        if self.ids is not None:
            return self.ids
        return np.arange(self.first_id, self.first_id + self.num_vertices)

    def to_original(self, vertices: np.ndarray) -> np.ndarray:
        """Return the original ids of vertices, such as `src`, in an array of the same shape."""
        if self.ids is not None:
            return self.ids[vertices]
        return vertices if self.first_id == 0 else vertices.astype(np.int64) + self.first_id

    def vertex_of(self, original_id: Any) -> int:
        """Return the vertex with this original id.

        Raises
        ------
        KeyError
            The source has no such vertex.
        """
        if self.ids is not None:
            found = np.flatnonzero(self.ids == original_id)
            vertex = int(found[0]) if found.size else -1
        else:
            vertex = int(original_id) - self.first_id if isinstance(original_id, int | np.integer) else -1
        if not 0 <= vertex < self.num_vertices:
            raise KeyError(original_id)
        return vertex

    def batches(self, size: int) -> Iterator[EdgeList]:
        """Cut the list into consecutive batches.

        Parameters
        ----------
        size : int
            Rows per batch. The last one may be shorter.

        Yields
        ------
        EdgeList
            Slices that share memory with this list.

        Raises
        ------
        ValueError
            `size` is less than 1.
        """
        if size < 1:
            raise ValueError(f"a batch needs at least one row, got size = {size}")
        return (self[begin : begin + size] for begin in range(0, len(self), size))

    def sorted_by_time(self) -> EdgeList:
        """Sort the rows by time, stably.

        Returns
        -------
        EdgeList
            This list if it is sorted already.

        Raises
        ------
        ValueError
            The rows have no times.
        """
        if self.times is None:
            raise ValueError("this edge list has no times to sort by")
        if len(self) < 2 or bool((self.times[1:] >= self.times[:-1]).all()):
            return self
        return self[np.argsort(self.times, kind="stable")]

    def compact(self) -> EdgeList:
        """Renumber the vertices of rows to 0..n-1, in their order, and drop vertices without a row.

        Returns
        -------
        EdgeList
            With the original ids in `ids`.
        """
        present, src, dst = _renumber(self.src, self.dst, self.num_vertices)
        ids = self.to_original(present)
        return replace(self, src=src, dst=dst, num_vertices=len(present), ids=ids, first_id=0)


def remaining(edges: EdgeList, inserts: np.ndarray) -> EdgeList:
    """Return the rows of a stream that no deletion of their edge follows, in time order if there are times.

    ``u v`` and ``v u`` are one edge only if the list is known to be undirected. `inserts` marks the insertions.
    """
    edges, inserts = in_time_order(edges, inserts)
    order, begins = sorted_by_edge(edges, directed=edges.directed is not False)
    edge = np.cumsum(begins) - 1
    last_deletion = np.full(int(edge[-1]) + 1 if len(edge) else 0, -1)
    deletions = np.flatnonzero(~inserts[order])
    last_deletion[edge[deletions]] = deletions  # the last of each edge wins
    return edges[np.sort(order[np.arange(len(order)) > last_deletion[edge]])]


def in_time_order(edges: EdgeList, inserts: np.ndarray) -> tuple[EdgeList, np.ndarray]:
    """Return the rows of a stream in time order if there are times. Rows of equal time retain their order."""
    if edges.times is None:
        return edges, inserts
    order = np.argsort(edges.times, kind="stable")
    return edges[order], inserts[order]


def sorted_by_edge(edges: EdgeList, *, directed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the order that groups rows by edge, stably, and a mask of the groups' first rows."""
    src, dst = edges.src, edges.dst
    if not directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    order = np.lexsort((dst, src))
    src, dst = src[order], dst[order]
    begins = np.ones(len(order), bool)
    begins[1:] = (src[1:] != src[:-1]) | (dst[1:] != dst[:-1])
    return order, begins


def _vertex_column(name: str, values: Any) -> np.ndarray:
    """Check one column of vertex numbers."""
    column = np.asarray(values)
    if column.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {column.shape}")
    if column.size == 0 and column.dtype.kind == "f":  # np.asarray([]) is float
        return column.astype(np.int32)
    if column.dtype.kind not in "iu":
        raise TypeError(f"{name} must contain integers, got {column.dtype}")
    return column


def _renumber(src: np.ndarray, dst: np.ndarray, num_vertices: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the vertices that occur, ascending (int64), and both columns in their numbering."""
    if num_vertices <= 8 * len(src) + 1024:  # a table over all numbers is cheaper than a sort
        seen = np.zeros(num_vertices, dtype=bool)
        seen[src] = True
        seen[dst] = True
        present = np.flatnonzero(seen)
        new = np.cumsum(seen, dtype=np.int64) - 1
        return present, new[src], new[dst]
    present, inverse = np.unique(np.concatenate([src, dst]), return_inverse=True)
    inverse = inverse.reshape(-1)
    return present.astype(np.int64), inverse[: len(src)], inverse[len(src) :]
