"""The form of functors: how many parameters they take, what they return, and which they look at."""

from __future__ import annotations

import dis
import functools
import inspect
import linecache
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from .errors import FunctorError


def check_functor(
    function: Any, name: str, parameters: tuple[str, ...], num_args: int, wanted: str | None = None
) -> None:
    """Raise FunctorError unless `function` is a Python function of this form.

    Parameters
    ----------
    name : str
        What the operator calls it.
    parameters : tuple of str
        What it is called with, besides `num_args` arguments of the user's.
    wanted : str, optional
        What it has to return; nothing if it is not given.
    """
    if not isinstance(function, FunctionType):
        raise FunctorError(f"{name} must be a plain Python function, not {type(function).__name__}")
    code = function.__code__
    count = len(parameters) + num_args
    flexible = code.co_flags & inspect.CO_VARARGS
    defaults = len(function.__defaults__ or ())
    if code.co_kwonlyargcount or not (code.co_argcount - defaults <= count <= code.co_argcount or flexible):
        raise FunctorError(
            f"{name} {function.__name__}() takes {code.co_argcount} parameters, but is called with "
            f"({', '.join(parameters)}) and {num_args} more: {count}"
        )
    line = nothing_returned(code) if wanted else None
    if line is not None:
        text = linecache.getline(code.co_filename, line).strip()
        raise FunctorError(
            f"{name} {function.__name__}() can end without returning anything, and must return {wanted}\n"
            f'  File "{code.co_filename}", line {line}' + (f"\n    {text}" if text else "")
        )


@functools.lru_cache(4096)
def nothing_returned(code: CodeType) -> int | None:
    """The first line on which a function returns nothing (None); None if there is none."""
    before = None
    for instruction in dis.get_instructions(code):
        nothing = instruction.opname == "RETURN_CONST" and instruction.argval is None
        if instruction.opname == "RETURN_VALUE" and before is not None:
            nothing = before.opname == "LOAD_CONST" and before.argval is None
        if nothing:
            return (instruction.positions.lineno if instruction.positions else None) or code.co_firstlineno
        before = instruction
    return None


def uses_parameter(function: Callable, position: int) -> bool:
    """Whether the text of a functor names one of its parameters at all; True where that cannot be told."""
    return _names(function.__code__, position)


@functools.lru_cache(4096)
def _names(code: CodeType, position: int) -> bool:
    if position >= code.co_argcount:
        return True
    name = code.co_varnames[position]
    return any(
        name == part.argval or (isinstance(part.argval, tuple) and name in part.argval)
        for part in dis.get_instructions(code)
    )
