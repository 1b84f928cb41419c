"""Atomic operations for users' functors, with one spelling on both devices.

Each has an array, an index and a value as parameters, changes ``array[index]`` atomically, and returns the value
before. The index of an array of two dimensions is a pair, ``atomic_add(x, (i, j), value)``. The elements are int32,
int64, uint32, uint64, float32 or float64. Called outside a functor they work on NumPy arrays, one element at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from frontier.runtime.compile.function_identity import replaced
from frontier.runtime.elements import element_pointer, is_index


def fraction_lost(name: str, array: Any, value: Any) -> str:
    """The error for a float that would change an array of integers."""
    return f"{name} of a {value} to an array of {array} would lose the fraction; convert it with int()"


def _check(name: str, array: Any, *values: Any) -> None:
    """Raise the errors that compiled functors raise."""
    for value in values:
        if array.dtype.kind in "iu" and isinstance(value, float | np.floating):
            raise TypeError(fraction_lost(name, array.dtype, type(value).__name__))


def no_bits(name: str, array: Any) -> str:
    """The error for an operation on the bits of an array of floats."""
    return f"{name} changes bits: its array must contain integers, not {array}"


def _check_bits(name: str, array: Any, value: Any) -> None:
    """The same, for operations on bits."""
    if array.dtype.kind not in "iu":
        raise TypeError(no_bits(name, array.dtype))
    _check(name, array, value)


def atomic_add(array: Any, index: Any, value: Any) -> Any:
    """``array[index] += value``. Returns the old value.

    See Also
    --------
    atomic_min : The smaller of two values.
    reduce : Sums without contention.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 0, 1], [1, 2, 3], directed=True, device="cpu")
    >>> def count(src, dst, edge, weight, incoming):
    ...     fr.atomic_add(incoming, dst, 1)
    ...     return False
    >>> incoming = graph.xp.zeros(graph.num_vertices, "int64")
    >>> fr.advance(graph, fr.Frontier.all(graph), count, incoming)
    Frontier(0 of 4 vertices, list)
    >>> incoming
    array([0, 1, 1, 1])
    """
    _check("atomic_add", array, value)
    old = array[index]
    array[index] = old + value
    return old


def atomic_min(array: Any, index: Any, value: Any) -> Any:
    """``array[index] = min(array[index], value)``. Returns the old value.

    See Also
    --------
    atomic_max : The larger of two values.
    atomic_cas : Any other change.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([1, 0, 2], [2, 3, 3], directed=True, device="cpu")
    >>> def lower(src, dst, edge, weight, smallest):
    ...     return fr.atomic_min(smallest, dst, src) > src
    >>> smallest = graph.xp.arange(graph.num_vertices)
    >>> sorted(fr.advance(graph, fr.Frontier.all(graph), lower, smallest))
    [2, 3]
    >>> smallest
    array([0, 1, 1, 0])
    """
    _check("atomic_min", array, value)
    old = array[index]
    if value < old:
        array[index] = value
    return old


def atomic_max(array: Any, index: Any, value: Any) -> Any:
    """``array[index] = max(array[index], value)``. Returns the old value.

    See Also
    --------
    atomic_min : The smaller of two values.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> x = np.array([3, 0])
    >>> int(fr.atomic_max(x, 0, 5)), x.tolist()
    (3, [5, 0])
    """
    _check("atomic_max", array, value)
    old = array[index]
    if value > old:
        array[index] = value
    return old


def atomic_or(array: Any, index: Any, value: Any) -> Any:
    """``array[index] |= value``, for arrays of integers. Returns the old value.

    See Also
    --------
    atomic_and : Clear bits.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> x = np.array([3, 0])
    >>> int(fr.atomic_or(x, 0, 4)), x.tolist()
    (3, [7, 0])
    """
    _check_bits("atomic_or", array, value)
    old = array[index]
    array[index] = old | value
    return old


def atomic_and(array: Any, index: Any, value: Any) -> Any:
    """``array[index] &= value``, for arrays of integers. Returns the old value.

    See Also
    --------
    atomic_or : Set bits.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> x = np.array([3, 0])
    >>> int(fr.atomic_and(x, 0, 1)), x.tolist()
    (3, [1, 0])
    """
    _check_bits("atomic_and", array, value)
    old = array[index]
    array[index] = old & value
    return old


def atomic_exch(array: Any, index: Any, value: Any) -> Any:
    """``array[index] = value``. Returns the old value.

    See Also
    --------
    atomic_cas : Exchange under a condition.

    Examples
    --------
    >>> import numpy as np
    >>> import frontier as fr
    >>> x = np.array([3, 0])
    >>> int(fr.atomic_exch(x, 0, 7)), x.tolist()
    (3, [7, 0])
    """
    _check("atomic_exch", array, value)
    old = array[index]
    array[index] = value
    return old


def atomic_cas(array: Any, index: Any, expected: Any, value: Any) -> Any:
    """``array[index] = value`` if it was `expected`.

    Returns the old value, which is `expected` if the swap was made.

    See Also
    --------
    atomic_exch : Exchange in any case.

    Examples
    --------
    >>> import frontier as fr
    >>> from structures import SlabGraph
    >>> graph = SlabGraph.from_edges([0, 1], [2, 2], directed=True, device="cpu")
    >>> def claim(src, dst, edge, weight, owner):
    ...     return fr.atomic_cas(owner, dst, -1, src) == -1  # for one of the two
    >>> owner = graph.xp.full(graph.num_vertices, -1)
    >>> fr.advance(graph, fr.Frontier(graph, [0]), claim, owner).vertices
    array([2], dtype=int32)
    >>> owner
    array([-1, -1,  0])
    """
    _check("atomic_cas", array, expected, value)
    old = array[index]
    if old == expected:
        array[index] = value
    return old


READ_MODIFY_WRITE = {
    atomic_add: "add", atomic_min: "min", atomic_max: "max", atomic_or: "or", atomic_and: "and", atomic_exch: "xchg",
}  # fmt: skip
ATOMICS = (*READ_MODIFY_WRITE, atomic_cas)
OF_BITS = ("or", "and")
replaced(ATOMICS)


def check_types(function: Any, dtype: Any, *values: Any) -> None:
    """Raise Numba's TypingError for a float that would change an array of integers."""
    for value in values:
        if isinstance(dtype, types.Integer) and isinstance(value, types.Float):
            raise TypingError(fraction_lost(function.__name__, dtype, value))


def _cpu_instruction(name: str, dtype: Any) -> str:
    """LLVM's name of a read-modify-write on this type."""
    if isinstance(dtype, types.Float):
        return name if name == "xchg" else f"f{name}"
    return f"u{name}" if name in ("min", "max") and not dtype.signed else name


def _in_turn(builder: Any, name: str, dtype: Any, pointer: Any, value: Any) -> Any:
    """LLVM code of the same for a single thread, without atomics. Returns the old value."""
    old, is_float = builder.load(pointer), isinstance(dtype, types.Float)
    if name in ("min", "max"):
        sign = "<" if name == "min" else ">"
        if is_float:
            changes = builder.or_(builder.fcmp_ordered(sign, value, old), builder.fcmp_unordered("uno", old, old))
        else:
            changes = (builder.icmp_signed if dtype.signed else builder.icmp_unsigned)(sign, value, old)
        value = builder.select(changes, value, old)
    elif name != "xchg":
        operations = {"add": builder.fadd if is_float else builder.add, "or": builder.or_, "and": builder.and_}
        value = operations[name](old, value)
    builder.store(value, pointer)
    return old


def _register_cpu(function: Any, name: str, *, alone: bool) -> None:
    @intrinsic
    def rmw(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
        if not is_index(array, index):
            return None
        signature = array.dtype(array, index, array.dtype)

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            pointer = element_pointer(context, builder, sig, args)
            if alone:
                return _in_turn(builder, name, array.dtype, pointer, args[2])
            return builder.atomic_rmw(_cpu_instruction(name, array.dtype), pointer, args[2], "monotonic")

        return signature, codegen

    @overload(IN_TURN[function] if alone else function)
    def implementation(array, index, value):  # type: ignore[no-untyped-def]  # Numba compares the signatures
        if isinstance(array, types.Array):
            if name in OF_BITS and not isinstance(array.dtype, types.Integer):
                raise TypingError(no_bits(function.__name__, array.dtype))
            check_types(function, array.dtype, value)
            return lambda array, index, value: rmw(array, index, value)
        return None


def _register_cas(*, alone: bool) -> None:
    @intrinsic
    def cas(typing_context: Any, array: Any, index: Any, expected: Any, value: Any) -> Any:
        if not is_index(array, index):
            return None
        signature = array.dtype(array, index, array.dtype, array.dtype)

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            pointer = element_pointer(context, builder, sig, args)
            return compare_and_swap(builder, pointer, args[2], args[3], alone=alone)

        return signature, codegen

    @overload(IN_TURN[atomic_cas] if alone else atomic_cas)
    def implementation(array, index, expected, value):  # type: ignore[no-untyped-def]
        if isinstance(array, types.Array):
            check_types(atomic_cas, array.dtype, expected, value)
            return lambda array, index, expected, value: cas(array, index, expected, value)
        return None


def compare_and_swap(builder: Any, pointer: Any, expected: Any, value: Any, *, alone: bool = False) -> Any:
    """LLVM code of a compare-and-swap that returns the old value. Floats are compared by their bits."""
    kind = expected.type
    if isinstance(kind, ir.FloatType | ir.DoubleType):
        bits = ir.IntType(32 if isinstance(kind, ir.FloatType) else 64)
        pointer = builder.bitcast(pointer, bits.as_pointer())
        expected, value = builder.bitcast(expected, bits), builder.bitcast(value, bits)
        return builder.bitcast(compare_and_swap(builder, pointer, expected, value, alone=alone), kind)
    if alone:
        old = builder.load(pointer)
        with builder.if_then(builder.icmp_unsigned("==", old, expected)):
            builder.store(value, pointer)
        return old
    return builder.extract_value(builder.cmpxchg(pointer, expected, value, "monotonic", "monotonic"), 0)


def _stand_in(function: Any) -> Any:
    """A separate function for compilers, which does the same."""

    def in_turn(*args: Any) -> Any:
        return function(*args)

    return in_turn


IN_TURN = {function: _stand_in(function) for function in ATOMICS}
"""The substitute of each if one thread calls functors, one after another: no atomic instructions."""
replaced(IN_TURN.values())

for _alone in (False, True):
    _register_cas(alone=_alone)
    for _function, _name in READ_MODIFY_WRITE.items():
        _register_cpu(_function, _name, alone=_alone)
