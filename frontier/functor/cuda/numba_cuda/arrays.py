"""Arrays in functors that numba-cuda compiles.

Arrays of one dimension are pointers. One of two is a pointer, a number of rows and a number of columns, which
numba-cuda hands over as three parameters. Importing this module teaches numba-cuda about them.
"""

from __future__ import annotations

import operator
from typing import Any

from numba.cuda import types
from numba.cuda.core.errors import TypingError
from numba.cuda.cudadecl import registry as typing_registry
from numba.cuda.cudaimpl import registry as lowering_registry
from numba.cuda.extending import core_models, make_attribute_wrapper, register_model  # type: ignore[attr-defined]
from numba.cuda.typing.templates import AbstractTemplate, signature

from ..signatures import Arrays, Names, declare_indexing, declare_lengths

NAMES = Names(types, AbstractTemplate, signature, TypingError, typing_registry)
ARRAYS = Arrays(NAMES)
Pointer, Shaped = ARRAYS.all
declare_indexing(NAMES, ARRAYS)
register_model(Pointer)(core_models.PointerModel)


@register_model(Shaped)
class _Model(core_models.StructModel):
    def __init__(self, manager: Any, kind: Any):
        members = [("data", Pointer(kind.dtype)), ("shape", types.UniTuple(types.int64, kind.ndim))]
        super().__init__(manager, kind, members)


make_attribute_wrapper(Shaped, "shape", "shape")


def element_pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """The address of an element, whose index has the type that `Arrays.index_type` returns."""
    if isinstance(kind, Pointer):
        return builder.gep(array, [index])
    held = context.make_helper(builder, kind, value=array)
    if kind.ndim == 2:
        columns = builder.extract_value(held.shape, 1)
        row, column = (builder.extract_value(index, place) for place in range(2))
        index = builder.add(builder.mul(row, columns), column)
    return builder.gep(held.data, [index])


@lowering_registry.lower(operator.getitem, Pointer, types.Any)
@lowering_registry.lower(operator.getitem, Shaped, types.Any)
def _lower_getitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0]
    if sig.return_type == kind.dtype:
        data = builder.load(element_pointer(context, builder, kind, *args))
        return context.data_model_manager[kind.dtype].from_data(builder, data)  # a truth is a byte in memory
    held = context.make_helper(builder, kind, value=args[0])
    columns = builder.extract_value(held.shape, 1)
    row = context.make_helper(builder, sig.return_type)
    row.data = builder.gep(held.data, [builder.mul(args[1], columns)])
    row.shape = context.make_tuple(builder, types.UniTuple(types.int64, 1), [columns])
    return row._getvalue()


@lowering_registry.lower(operator.setitem, Pointer, types.Any, types.Any)
@lowering_registry.lower(operator.setitem, Shaped, types.Any, types.Any)
def _lower_setitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0]
    data = context.data_model_manager[kind.dtype].as_data(builder, args[2])
    builder.store(data, element_pointer(context, builder, kind, *args[:2]))


@lowering_registry.lower(len, Shaped)
def _lower_len(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    held = context.make_helper(builder, sig.args[0], value=args[0])
    return builder.extract_value(held.shape, 0)


address, rows, length = declare_lengths(NAMES, ARRAYS)


@lowering_registry.lower(address, Pointer)
@lowering_registry.lower(address, Shaped)
def _lower_address(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0]
    pointer = args[0] if isinstance(kind, Pointer) else context.make_helper(builder, kind, value=args[0]).data
    return builder.ptrtoint(pointer, context.get_value_type(types.int64))


@lowering_registry.lower(rows, Pointer)
def _lower_no_rows(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.get_constant(types.int64, -1)


lowering_registry.lower(rows, Shaped)(_lower_len)
