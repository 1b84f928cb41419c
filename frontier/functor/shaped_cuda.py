"""Arrays that know their shape, in functors on GPUs: those of two dimensions, and their rows.

One-dimensional arrays are raw pointers there. One of two dimensions is a pointer, a number of rows and a number of
columns, which the C function of a functor takes as three parameters; ``x[i]`` is a row, ``x[i, j]`` an element.
Importing this module teaches numba-cuda about them. It needs no GPU.
"""

from __future__ import annotations

import operator
from typing import Any

from numba.cuda import types
from numba.cuda.cudadecl import registry as typing_registry
from numba.cuda.cudaimpl import registry as lowering_registry
from numba.cuda.extending import core_models, make_attribute_wrapper, register_model
from numba.cuda.typing.templates import AbstractTemplate, signature

PAIR = types.UniTuple(types.int64, 2)


class Shaped(types.Type):
    """A contiguous array of `ndim` dimensions, one or two."""

    mutable = True

    def __init__(self, dtype: Any, ndim: int):
        self.dtype = dtype
        self.ndim = ndim
        super().__init__(f"{dtype}[{', '.join(':' * ndim)}]")


@register_model(Shaped)
class _Model(core_models.StructModel):
    def __init__(self, manager: Any, kind: Any):
        members = [("data", types.CPointer(kind.dtype)), ("shape", types.UniTuple(types.int64, kind.ndim))]
        super().__init__(manager, kind, members)


make_attribute_wrapper(Shaped, "shape", "shape")


def index_type(array: Any, index: Any) -> Any:
    """The type as which the index of an element of this type is handed over; None if it is the index of none."""
    if isinstance(array, Shaped) and array.ndim == 2:
        pair = isinstance(index, types.BaseTuple) and len(index) == 2
        return PAIR if pair and all(isinstance(part, types.Integer) for part in index) else None
    if isinstance(array, Shaped | types.CPointer):
        return index if isinstance(index, types.Integer) else None
    return None


def element_pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """The address of an element, whose index has the type that `index_type` says."""
    if isinstance(kind, types.CPointer):
        return builder.gep(array, [index])
    held = context.make_helper(builder, kind, value=array)
    if kind.ndim == 2:
        columns = builder.extract_value(held.shape, 1)
        row, column = (builder.extract_value(index, place) for place in range(2))
        index = builder.add(builder.mul(row, columns), column)
    return builder.gep(held.data, [index])


@typing_registry.register
class _GetItem(AbstractTemplate):
    key = operator.getitem

    def generic(self, args: Any, kws: Any) -> Any:
        array, index = args
        if not isinstance(array, Shaped):
            return None
        if array.ndim == 2 and isinstance(index, types.Integer):
            return signature(Shaped(array.dtype, 1), array, types.int64)
        at = index_type(array, index)
        return None if at is None else signature(array.dtype, array, at)


@typing_registry.register
class _SetItem(AbstractTemplate):
    key = operator.setitem

    def generic(self, args: Any, kws: Any) -> Any:
        array, index, _ = args
        at = index_type(array, index) if isinstance(array, Shaped) else None
        return None if at is None else signature(types.none, array, at, array.dtype)


@typing_registry.register
class _Len(AbstractTemplate):
    key = len

    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.int64, *args) if isinstance(args[0], Shaped) else None


for _template in (_GetItem, _SetItem, _Len):
    typing_registry.register_global(_template.key, types.Function(_template))


@lowering_registry.lower(operator.getitem, Shaped, types.Any)
def _lower_getitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind, index = sig.args
    if kind.ndim == 1 or index == PAIR:
        data = builder.load(element_pointer(context, builder, kind, *args))
        return context.data_model_manager[kind.dtype].from_data(builder, data)  # a truth takes a byte in memory
    held = context.make_helper(builder, kind, value=args[0])
    columns = builder.extract_value(held.shape, 1)
    row = context.make_helper(builder, sig.return_type)
    row.data = builder.gep(held.data, [builder.mul(args[1], columns)])
    row.shape = context.make_tuple(builder, types.UniTuple(types.int64, 1), [columns])
    return row._getvalue()


@lowering_registry.lower(operator.setitem, Shaped, types.Any, types.Any)
def _lower_setitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0]
    data = context.data_model_manager[kind.dtype].as_data(builder, args[2])
    builder.store(data, element_pointer(context, builder, kind, *args[:2]))


@lowering_registry.lower(len, Shaped)
def lower_len(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """The first number of the shape."""
    held = context.make_helper(builder, sig.args[0], value=args[0])
    return builder.extract_value(held.shape, 0)
