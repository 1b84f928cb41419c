"""Numba's types of kernels' arguments, as values that JSON can hold.

Scalars and arrays are strings: ``"int64"``, ``"int32 1 C"`` for an array of one dimension in C's layout. Tuples are
lists. Named tuples are objects: the class, ``"structures.slab.cpu:View"``, and the list of their members.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba.core import types

from .objects import name_of, named

SCALARS = {
    str(kind): kind
    for kind in (types.none, types.boolean, *types.signed_domain, *types.unsigned_domain, *types.real_domain)
}  # fmt: skip


def spell(kind: Any) -> Any:
    """The value that stands for a Numba type.

    Raises
    ------
    TypeError
        No value stands for it.
    """
    if isinstance(kind, types.Array) and kind.aligned and kind.mutable:
        return f"{spell(kind.dtype)} {kind.ndim} {kind.layout}"
    if isinstance(kind, types.BaseNamedTuple):
        return {name_of(kind.instance_class): [spell(member) for member in kind]}
    if isinstance(kind, types.BaseTuple):
        return [spell(member) for member in kind]
    if SCALARS.get(str(kind)) == kind:
        return str(kind)
    raise TypeError(f"kernels whose arguments have the type {kind} cannot be listed")


def read_type(value: Any) -> types.Type:
    """The type that a value stands for."""
    if isinstance(value, str):
        array: list[Any]
        scalar, *array = value.split()
        if not array:
            return SCALARS[scalar]
        ndim, layout = array
        return types.Array(SCALARS[scalar], int(ndim), layout)
    if isinstance(value, dict):
        ((name, members),) = value.items()
        return types.BaseTuple.from_types(read_types(members), named(name))
    return types.BaseTuple.from_types(read_types(value))


def read_types(values: Sequence[Any]) -> tuple[types.Type, ...]:
    """The types that some values stand for."""
    return tuple(read_type(value) for value in values)
