"""How algorithms declare per-vertex arrays so that they also run over several parts, and operations on whole arrays for
which CuPy would compile kernels."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from frontier.runtime import Device
from frontier.runtime.memory import elementwise
from frontier.runtime.memory.transfer import copy_to_host_async

FEW = 4096
"""So many entries are summed up on the host, which takes less than a kernel that CuPy compiles."""


class MakesVertexArrays:
    """The part of a graph that makes arrays with an entry for each vertex."""

    device: Device
    num_vertices: int
    xp: Any

    def vertex_array(
        self, dtype: Any, fill: Any = 0, *, combine: str | Callable | None = None, follows: Any = None,
        normal: Callable | None = None,
    ) -> Any:  # fmt: skip
        """An array with an entry for each vertex, for functors to write to.

        On one device it is an ordinary array. Of a graph in several parts (`frontier.distributed`), each part has a
        copy, and the rule says how copies of an entry combine after functors have written to them at edges.

        Parameters
        ----------
        dtype : dtype
        fill : number, array of shape (num_vertices,), or ``range(num_vertices)``
            What the entries are at first.
        combine : {"min", "max", "add", "or"} or function, optional
            The rule. A function ``combine(v, array, theirs)`` is called for every vertex v with another part's copy,
            `theirs`, and must be idempotent; then functors may write to entries of any vertices. Otherwise they write
            to that of `dst`, and return True if they do. Without a rule, functors at edges must not write to it.
        follows : array, optional
            A vertex array with ``combine="min"`` or ``"max"``: of each entry, the copy counts that has the best there.
        normal : function ``normal(v, array)``, optional
            Where the rule is a function: gives the entry of v its normal form, which copies that have been combined
            agree on. Then each part does that for all vertices, and entries need not be exchanged again. Functors over
            vertices must not say anything new in such an array.

        Returns
        -------
        array of `dtype`, shape (num_vertices,), on the graph's device

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
        """A small array of zeros, for functors to write ones to; `sync` makes it the same on all parts.

        Returns
        -------
        array of int32, shape (count,), on the graph's device
        """
        return self.xp.zeros(count, np.int32)

    def sums(self, count: int = 1) -> Any:
        """A small array of zeros, for functors to add to (`atomic_add`); `total` is its sum over all parts.

        With some more entries than one, spread by any number, functors wait less for each other.

        Returns
        -------
        array of int64, shape (count,), on the graph's device
        """
        return self.xp.zeros(count, np.int64)

    def results(self, count: int = 1, dtype: Any = np.float64) -> Any:
        """A small array of zeros, for `reduce` to leave its result in (`out`).

        Of a graph in several parts, a result is reduced over them along with what they exchange next, which spares an
        exchange of its own. Operators that get the array find the result in it; for other code `copy_to_host_async`
        gives it, and `sync` has it there.

        Returns
        -------
        array of `dtype`, shape (count,), on the graph's device
        """
        return self.xp.zeros(count, dtype)

    def copy_to_host_async(self, array: Any) -> Any:
        """`frontier.runtime.memory.transfer` of an array, such as one made by `results`."""
        return copy_to_host_async(array)

    def sync(self, *arrays: Any, of: Any = None) -> None:
        """Make all entries of arrays by vertex those of the parts that own the vertices; on one device they are.

        For code that reads arrays between operators: what operators and results need is seen to by themselves.

        Parameters
        ----------
        of : Frontier, optional
            Vertices of which entries have changed since the arrays were complete, where the caller knows that no others
            have: only these are exchanged.
        """

    def locally(self, *arrays: Any) -> AbstractContextManager[None]:
        """A block in which each part works on its own copies of arrays whose rule is a function.

        What its own edges say is then exchanged once, when the arrays are needed after the block, and not after each
        operator. Within the block functors find in the arrays what their own part knows.
        """
        return nullcontext()

    def entries(self, array: Any, at: Any) -> Any:
        """``array[at]``, a new array, at valid positions, none of which is negative: they are not checked."""
        return elementwise.take(self.device, array, at)

    def set_entries(self, array: Any, at: Any, values: Any) -> None:
        """``array[at] = values``, at valid positions, each of them once and none negative: they are not checked."""
        elementwise.put(self.device, array, at, elementwise.converted(self.device, values, array.dtype))

    def joined(self, *arrays: Any) -> Any:
        """Arrays of one dtype, one behind the other: a new array."""
        return elementwise.joined(self.device, *arrays)

    def multiplied(self, array: Any, by: int) -> Any:
        """``array * by``, of an array of int64: a new array."""
        return elementwise.multiplied(self.device, array, by)

    def divided(self, array: Any, by: float) -> Any:
        """``array / by``, of an array of float64: a new array."""
        return elementwise.divided(self.device, array, by)

    def sum_all(self, array: Any) -> Any:
        """The sum of an array by vertex, or of one made by `sums`."""
        return (self.device.to_host(array) if self.device.is_gpu and array.size <= FEW else array).sum()

    def sum_over_parts(self, number: int) -> int:
        """The sum of what each part has, such as edges that it is notified of; on one device the number itself."""
        return int(number)

    def listed_over_parts(self, src: Any, dst: Any) -> int:
        """How many edges all parts list, such as those that an observer is notified of; on one device as many as there
        are entries.

        Of edges that observers are notified of, parts count at the same time how many of them end in each part, so that
        `visit_edges` along them backwards, and `intersect`, take an exchange less.
        """
        return int(src.size)

    def max_over_parts(self, number: int) -> int:
        """The largest of what each part has; on one device the number itself."""
        return int(number)
