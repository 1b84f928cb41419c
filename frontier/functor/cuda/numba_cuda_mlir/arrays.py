"""Arrays in functors that numba-cuda-mlir compiles. Importing this module registers them with it.

Arrays of one dimension are pointers. `matrix` makes a two-dimensional array from three parameters of a functor's C
function.
"""

from __future__ import annotations

import operator
from typing import Any

from numba_cuda_mlir import types
from numba_cuda_mlir._mlir.dialects import arith, llvm
from numba_cuda_mlir._mlir.extras import types as T
from numba_cuda_mlir.extending import lowering_registry, register_model, typing_registry
from numba_cuda_mlir.models import PrimitiveModel, StructModel
from numba_cuda_mlir.numba_cuda.core.errors import TypingError
from numba_cuda_mlir.numba_cuda.typing.templates import AbstractTemplate, AttributeTemplate, signature

from ..signatures import Arrays, Names, declare_call, declare_indexing, declare_lengths

DYNAMIC = -(2**31)  # what stands for an index that is not a constant


NAMES = Names(types, AbstractTemplate, signature, TypingError, typing_registry)
ARRAYS = Arrays(NAMES)
Pointer, Shaped = ARRAYS.all
declare_indexing(NAMES, ARRAYS)


@register_model(Pointer)
class _PointerModel(PrimitiveModel):
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, llvm.PointerType.get())


@register_model(Shaped)
class _ShapedModel(StructModel):
    def __init__(self, manager: Any, kind: Any):
        sizes = [(f"size{place}", types.int64) for place in range(kind.ndim)]
        super().__init__(manager, kind, [("data", Pointer(kind.dtype)), *sizes])


def _field(held: Any, place: int) -> Any:
    """The pointer of a shaped array, at index 0, or a part of its shape."""
    return llvm.extractvalue(T.i64() if place else llvm.PointerType.get(), held, [place])


def _shaped(builder: Any, kind: Any, *parts: Any) -> Any:
    """A shaped array of a pointer and a shape."""
    held = llvm.UndefOp(builder.get_mlir_type(kind)).result
    for place, part in enumerate(parts):
        held = llvm.insertvalue(held, part, [place])
    return held


def load_as(builder: Any, variable: Any, kind: Any) -> Any:
    """The value of a variable, converted to a type. numba-cuda-mlir leaves conversions to the lowering of a call."""
    if isinstance(variable, int):  # a constant index
        return arith.constant(T.i64(), variable)
    found = builder.get_numba_type(variable.name)
    value = builder.load_var(variable)
    return value if found == kind else builder.lower_cast(found, kind, value)


def _offset(builder: Any, pointer: Any, dtype: Any, index: Any) -> Any:
    kind = builder.get_storage_type(dtype)
    return llvm.getelementptr(llvm.PointerType.get(), pointer, [index], [DYNAMIC], kind, None)


def element_pointer(builder: Any, array: Any, index: Any) -> Any:
    """The address of an element, given the variables of the array and the index."""
    kind, held = builder.get_numba_type(array.name), builder.load_var(array)
    if not isinstance(kind, Shaped) or kind.ndim == 1:
        pointer = held if isinstance(kind, Pointer) else _field(held, 0)
        return _offset(builder, pointer, kind.dtype, load_as(builder, index, types.int64))
    row, column = load_as(builder, index, ARRAYS.pair)
    return _offset(builder, _field(held, 0), kind.dtype, arith.addi(arith.muli(row, _field(held, 2)), column))


@lowering_registry.lower(operator.getitem, Pointer, types.Any)
@lowering_registry.lower(operator.getitem, Shaped, types.Any)
def _lower_getitem(builder: Any, target: Any, args: Any, kws: Any) -> None:
    array, index = args
    kind, result = builder.get_numba_type(array.name), builder.get_numba_type(target.name)
    if isinstance(result, Shaped):
        held, row = builder.load_var(array), load_as(builder, index, types.int64)
        columns = _field(held, 2)
        start = _offset(builder, _field(held, 0), kind.dtype, arith.muli(row, columns))
        builder.store_var(target, _shaped(builder, result, start, columns))
    else:
        data = llvm.load(builder.get_storage_type(kind.dtype), element_pointer(builder, array, index))
        builder.store_var(target, builder.from_storage(kind.dtype, data))  # a truth is a byte in memory


@lowering_registry.lower(operator.setitem, Pointer, types.Any, types.Any)
@lowering_registry.lower(operator.setitem, Shaped, types.Any, types.Any)
def _lower_setitem(builder: Any, target: Any, args: Any, kws: Any) -> None:
    array, index, value = args
    dtype = builder.get_numba_type(array.name).dtype
    data = builder.as_storage(dtype, load_as(builder, value, dtype))
    llvm.store(data, element_pointer(builder, array, index))


@lowering_registry.lower(len, Shaped)
def _lower_len(builder: Any, target: Any, args: Any, kws: Any) -> None:
    builder.store_var(target, _field(builder.load_var(args[0]), 1))


@typing_registry.register_attr
class _Attributes(AttributeTemplate):
    key = Shaped

    def resolve_shape(self, array: Any) -> Any:
        return types.UniTuple(types.int64, array.ndim)


@lowering_registry.lower_getattr(Shaped, "shape")
def _lower_shape(context: Any, builder: Any, target: Any, value: Any) -> None:
    held, ndim = builder.load_var(value), builder.get_numba_type(value.name).ndim
    builder.store_var(target, tuple(_field(held, place) for place in range(1, ndim + 1)))


def matrix(pointer: Any, rows: int, columns: int) -> Any:
    """The array of two dimensions that lies at a pointer."""
    raise NotImplementedError("such arrays exist only in compiled functors")


declare_call(NAMES, matrix, lambda pointer, *shape: signature(Shaped(pointer.dtype, 2), pointer, *shape))


@lowering_registry.lower(matrix, Pointer, types.Integer, types.Integer)
def _lower_matrix(builder: Any, target: Any, args: Any, kws: Any) -> None:
    kind = builder.get_numba_type(target.name)
    builder.store_var(target, _shaped(builder, kind, *(builder.load_var(variable) for variable in args)))


address, rows, length = declare_lengths(NAMES, ARRAYS)


@lowering_registry.lower(address, Pointer)
@lowering_registry.lower(address, Shaped)
def _lower_address(builder: Any, target: Any, args: Any, kws: Any) -> None:
    held = builder.load_var(args[0])
    shaped = isinstance(builder.get_numba_type(args[0].name), Shaped)
    builder.store_var(target, llvm.ptrtoint(T.i64(), _field(held, 0) if shaped else held))


@lowering_registry.lower(rows, Pointer)
def _lower_no_rows(builder: Any, target: Any, args: Any, kws: Any) -> None:
    builder.store_var(target, arith.constant(T.i64(), -1))


lowering_registry.lower(rows, Shaped)(_lower_len)
