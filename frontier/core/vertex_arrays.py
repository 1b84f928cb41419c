"""Per-vertex arrays of algorithms for distributed graphs, and operations on arrays for which CuPy would compile
kernels."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from frontier.runtime import Device
from frontier.runtime.memory import elementwise
from frontier.runtime.memory.transfer import copy_to_host_async

FEW = 4096
"""Up to this many entries are summed on the host, which is faster than a kernel that CuPy compiles."""


class MakesVertexArrays:
    """The partition of a graph that makes arrays with an entry for each vertex."""

    device: Device
    num_vertices: int
    xp: Any

    def vertex_array(
        self, dtype: Any, fill: Any = 0, *, combine: str | Callable | None = None, follows: Any = None,
        normal: Callable | None = None,
    ) -> Any:  # fmt: skip
        """Make an array with an entry for each vertex, for functors to write to.

        On one device it is an ordinary array. Each partition of a distributed graph (`frontier.distributed`) has a
        copy, and `combine` merges the copies of an entry after functors have written to them at edges.

        Parameters
        ----------
        dtype : dtype
        fill : number, array of shape (num_vertices,), or ``range(num_vertices)``
            The initial entries.
        combine : {"min", "max", "add", "or", "countdown"} or function, optional
            A function ``combine(v, array, theirs)`` is called for every vertex v with another partition's copy,
            `theirs`, and must be idempotent. Functors may then write to entries of any vertices. Otherwise they write
            only to the entry of `dst`, and return True if they do. With "countdown" they return
            ``frontier.atomic_add(array, dst, -1) == 1``: each vertex whose entry reaches 0 is returned once. By
            default, functors at edges must not write to the array.
        follows : array, optional
            A vertex array with ``combine="min"`` or ``"max"``: the copy with the best entry there defines the entry.
        normal : function ``normal(v, array)``, optional
            For a function `combine`: changes the entry of v to a normal form that is equal on all merged copies. Each
            partition calls it for all vertices, and entries are not exchanged again. Functors over vertices must not
            write new information to such an array.

        Returns
        -------
        array of `dtype`, shape (num_vertices,), on the graph's device

        See Also
        --------
        flags : Small arrays.
        sync : Copy entries between partitions.

        Examples
        --------
        >>> from structures import CSR
        >>> g = CSR.from_edges([0, 1], [1, 2], device="cpu")
        >>> distance = g.vertex_array("int32", 99, combine="min")
        >>> predecessor = g.vertex_array(g.vertex_dtype, -1, follows=distance)
        """
        size, is_array = self.num_vertices, isinstance(fill, self.xp.ndarray)
        if is_array and fill.shape == (size,):
            return elementwise.converted(self.device, fill, dtype)
        if isinstance(fill, range) and fill == range(size):
            return elementwise.arange(self.device, size, dtype)
        if np.ndim(fill) == 0 and not is_array:  # a number on a GPU stays there
            return elementwise.full(self.device, size, fill, dtype)
        array = self.xp.empty(size, np.dtype(dtype))
        array[...] = fill if is_array else self.xp.asarray(np.asarray(fill))
        return array

    def flags(self, count: int = 1) -> Any:
        """Make a small array of zeros, for functors to write ones to. `sync` makes it equal on all partitions.

        Returns
        -------
        array of int32, shape (count,), on the graph's device

        See Also
        --------
        sums : Arrays of counts.
        sync : Copy entries between partitions.
        """
        return self.xp.zeros(count, np.int32)

    def sums(self, count: int = 1) -> Any:
        """Make a small array of zeros, for functors to add to (`atomic_add`). `total` is its sum over all partitions.

        Several entries, chosen by any number, reduce contention.

        Returns
        -------
        array of int64, shape (count,), on the graph's device

        See Also
        --------
        sum_all : The sum of the entries.
        results : Results of reductions.
        """
        return self.xp.zeros(count, np.int64)

    def results(self, count: int = 1, dtype: Any = np.float64) -> Any:
        """Make a small array of zeros for results of `reduce` (`out`).

        A distributed graph combines the partitions' results in its next exchange. Operators read the combined result
        from the array. Other code reads it by `copy_to_host_async`, or after `sync`.

        Returns
        -------
        array of `dtype`, shape (count,), on the graph's device

        See Also
        --------
        sums : Arrays for atomic additions.
        copy_to_host_async : Read the result.

        Examples
        --------
        >>> import frontier as fr
        >>> from structures import SlabGraph
        >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], device="cpu")
        >>> def degree(v, degrees):
        ...     return degrees[v]
        >>> total = graph.results(1, "int64")
        >>> fr.reduce(fr.Frontier.all(graph), degree, graph.degrees(), out=total)
        array([6])
        >>> total
        array([6])
        """
        return self.xp.zeros(count, dtype)

    def copy_to_host_async(self, array: Any) -> Any:
        """`frontier.runtime.memory.transfer` of an array, such as one made by `results`."""
        return copy_to_host_async(array)

    def sync(self, *arrays: Any, of: Any = None) -> None:
        """Copy all entries of vertex arrays from the partitions that own the vertices. On one device, do nothing.

        For code that reads arrays between operators. Operators and results synchronize by themselves.

        Parameters
        ----------
        of : Frontier, optional
            Exchange entries of these vertices only. No other entry may have changed since the arrays were complete.
        """

    def locally(self, *arrays: Any) -> AbstractContextManager[None]:
        """Return a context in which each partition works on its own copies of arrays with a function `combine`.

        The arrays are exchanged once, at their first use after the context, instead of after each operator.
        """
        return nullcontext()

    def entries(self, array: Any, at: Any) -> Any:
        """``array[at]``, a new array, at valid positions, none of which is negative: they are not checked."""
        return elementwise.take(self.device, array, at)

    def set_entries(self, array: Any, at: Any, values: Any) -> None:
        """``array[at] = values``, at valid positions, each of them once and none negative: they are not checked."""
        elementwise.put(self.device, array, at, elementwise.converted(self.device, values, array.dtype))

    def joined(self, *arrays: Any) -> Any:
        """Concatenate arrays of one dtype into a new array."""
        return elementwise.joined(self.device, *arrays)

    def multiplied(self, array: Any, by: int) -> Any:
        """``array * by``, of an array of int64: a new array."""
        return elementwise.multiplied(self.device, array, by)

    def divided(self, array: Any, by: float) -> Any:
        """``array / by``, of an array of float64: a new array."""
        return elementwise.divided(self.device, array, by)

    def sum_all(self, array: Any) -> Any:
        """The sum of an array by vertex, or of one made by `sums`.

        See Also
        --------
        sums : Make the array.

        Examples
        --------
        >>> from structures import SlabGraph
        >>> graph = SlabGraph(4, device="cpu")
        >>> totals = graph.sums(2)
        >>> totals[:] = 3, 4
        >>> int(graph.sum_all(totals))
        7
        """
        return (self.device.to_host(array) if self.device.is_gpu and array.size <= FEW else array).sum()

    def sum_over_parts(self, number: int) -> int:
        """A number summed over all partitions, such as the edges of notifications. On one device the number itself."""
        return int(number)

    def listed_over_parts(self, src: Any, dst: Any) -> int:
        """Count the listed edges of all partitions, such as a notification's. On one device, count the entries.

        For edges of a notification, partitions also count the edges that end in each partition, which spares
        `visit_edges` in the backward direction, and `intersect`, an exchange.
        """
        return int(src.size)

    def max_over_parts(self, number: int) -> int:
        """The maximum of a number over all partitions. On one device the number itself."""
        return int(number)
