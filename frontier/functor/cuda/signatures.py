"""The types that functors' arrays and our functions on them have, for either compiler.

numba-cuda-mlir has the type inference of numba-cuda, under different names, which `Names` maps.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

from ..bounds import find_length
from ..intrinsics import neighbors
from ..intrinsics.atomics import OF_BITS, READ_MODIFY_WRITE, atomic_cas, fraction_lost, no_bits


class Names(NamedTuple):
    """A compiler's names. `registry` has typing `Template` classes of functions."""

    types: Any
    Template: Any
    signature: Any
    TypingError: Any
    registry: Any


class Arrays:
    """The types of arrays in functors.

    The compilers' own pointers do not support truths, and numba-cuda-mlir's extend values as if they had no sign.
    `Pointer` is an array of one dimension that does not know its length. `Shaped` is a contiguous array of `ndim`
    dimensions, one or two, that knows its shape: a matrix, or a row of one. The index of an element of a matrix is a
    `pair`.
    """

    def __init__(self, names: Names):
        class Pointer(names.types.Type):  # type: ignore[name-defined]
            mutable = True

            def __init__(self, dtype: Any):
                self.dtype = dtype
                super().__init__(f"{dtype}*")

        class Shaped(names.types.Type):  # type: ignore[name-defined]
            mutable = True

            def __init__(self, dtype: Any, ndim: int):
                self.dtype = dtype
                self.ndim = ndim
                super().__init__(f"{dtype}[{', '.join(':' * ndim)}]")

        self.Pointer = Pointer
        self.Shaped = Shaped
        self.all = (Pointer, Shaped)
        self.pair = names.types.UniTuple(names.types.int64, 2)
        self._names = names

    def index_type(self, array: Any, index: Any) -> Any:
        """The type as which the index of an element of this type is passed, or None if it is no valid index."""
        types = self._names.types
        if isinstance(array, self.Shaped) and array.ndim == 2:
            pair = isinstance(index, types.BaseTuple) and len(index) == 2
            return self.pair if pair and all(isinstance(part, types.Integer) for part in index) else None
        if isinstance(array, self.all):
            return types.int64 if isinstance(index, types.Integer) else None
        return None


def declare_call(names: Names, function: Any, typed: Any) -> None:
    """Declare ``typed(*types)`` as the function that returns the signature of a call of `function`, or None."""

    class Template(names.Template):  # type: ignore[name-defined]
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            return None if kws else typed(*args)

    names.registry.register(Template)
    names.registry.register_global(function, names.types.Function(Template))


def declare_indexing(names: Names, arrays: Arrays) -> None:
    """Type ``x[i]``, ``x[i, j]``, assignments to them and ``len(x)``."""
    types, signature = names.types, names.signature

    def getitem(array: Any, index: Any) -> Any:
        if isinstance(array, arrays.Shaped) and array.ndim == 2 and isinstance(index, types.Integer):
            return signature(arrays.Shaped(array.dtype, 1), array, types.int64)
        at = arrays.index_type(array, index)
        return None if at is None else signature(array.dtype, array, at)

    def setitem(array: Any, index: Any, value: Any) -> Any:
        at = arrays.index_type(array, index)
        return None if at is None else signature(types.none, array, at, array.dtype)

    def length(*args: Any) -> Any:
        return signature(types.int64, *args) if len(args) == 1 and isinstance(args[0], arrays.Shaped) else None

    declare_call(names, operator.getitem, getitem)
    declare_call(names, operator.setitem, setitem)
    declare_call(names, len, length)


def declare_atomics(names: Names, arrays: Arrays) -> None:
    """Type the atomics of `frontier`."""
    types = names.types

    def declare(function: Any, values: int, of_bits: bool = False) -> None:
        def typed(*args: Any) -> Any:
            if len(args) != 2 + values:
                return None
            array, index = args[0], arrays.index_type(*args[:2])
            if index is None:
                return None
            if of_bits and not isinstance(array.dtype, types.Integer):
                raise names.TypingError(no_bits(function.__name__, array.dtype))
            for value in args[2:]:
                if isinstance(array.dtype, types.Integer) and isinstance(value, types.Float):
                    raise names.TypingError(fraction_lost(function.__name__, array.dtype, value))
            return names.signature(array.dtype, array, index, *[array.dtype] * values)

        declare_call(names, function, typed)

    for function, name in READ_MODIFY_WRITE.items():
        declare(function, 1, name in OF_BITS)
    declare(atomic_cas, 2)


def declare_lengths(names: Names, arrays: Arrays) -> tuple[Any, Any, Any]:
    """The compiled `bounds.length_of`, and two functions that callers lower: an array's address, and length or -1."""

    def address(array: Any) -> int:
        raise NotImplementedError("addresses exist only on GPUs")

    def rows(array: Any) -> int:
        raise NotImplementedError("arrays of both kinds exist only on GPUs")

    def length(array: Any, report: Any) -> int:
        known = rows(array)
        return find_length(address(array), report) if known < 0 else known

    def typed(*args: Any) -> Any:
        known = len(args) == 1 and isinstance(args[0], arrays.all)
        return names.signature(names.types.int64, *args) if known else None

    declare_call(names, address, typed)
    declare_call(names, rows, typed)
    return address, rows, length


def graph_type(names: Names) -> Any:
    """The type of graphs that functors are given (`GraphForm`)."""

    class Graph(names.types.Type):  # type: ignore[name-defined]
        def __init__(self, form: Any):
            self.form = form
            super().__init__(form.name)

    return Graph


OF_GRAPHS = {
    neighbors.num_vertices: 0, neighbors.degree: 1, neighbors.find_edge: 2, neighbors.segments: 1,
    neighbors.vertex_at: 1, neighbors.edge_in: 1, neighbors.weight_in: 1,
}  # fmt: skip
"""Functions of a graph and of so many integers, that return an integer, or a weight."""
OF_RUNS = {neighbors.segment: 2, neighbors.next_run: 3}
"""The functions that return a run, as three integers: in C the number of the wanted part comes last."""


def declare_neighbors(names: Names, Graph: Any) -> None:
    """Type the functions of `frontier.functor.intrinsics.neighbors`."""
    types = names.types

    def declare(function: Any, count: int) -> None:
        def typed(*args: Any) -> Any:
            graph, *numbers = args
            if not isinstance(graph, Graph) or len(numbers) != count:
                return None
            if not all(isinstance(number, types.Integer) for number in numbers):
                return None
            result = types.UniTuple(types.int64, 3) if function in OF_RUNS else types.int64
            if function is neighbors.weight_in:
                result = getattr(types, graph.form.weight)
            return names.signature(result, graph, *[types.int64] * count)

        declare_call(names, function, typed)

    for function, count in (OF_GRAPHS | OF_RUNS).items():
        declare(function, count)
