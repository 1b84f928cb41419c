"""The form of functors: the number of their parameters, their results, and the parameters that they read."""

from __future__ import annotations

import dis
import functools
import inspect
import linecache
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from frontier.runtime.compile.caches import clearable

from .errors import FunctorError


def check_functor(
    function: Any, name: str, parameters: tuple[str, ...], num_args: int, wanted: str | None = None
) -> None:
    """Raise FunctorError, with `name`, unless `function` is a Python function that can be called with these arguments.

    Its parameters are `parameters` and `num_args` users' arguments, and it returns `wanted`, by default nothing.
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
    line = returns(code).nothing if wanted else None
    if line is not None:
        text = linecache.getline(code.co_filename, line).strip()
        raise FunctorError(
            f"{name} {function.__name__}() can end without returning anything, and must return {wanted}\n"
            f'  File "{code.co_filename}", line {line}' + (f"\n    {text}" if text else "")
        )


class Returns(NamedTuple):
    """The results of a function."""

    nothing: int | None
    """The first line on which it returns nothing (None), or None if it never does."""
    something: bool
    """Whether it returns anything else."""


@clearable
@functools.lru_cache(4096)
def returns(code: CodeType) -> Returns:
    """The results of a function, by its code."""
    nothing, something = None, False
    before = None
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("RETURN_VALUE", "RETURN_CONST"):
            source = instruction if instruction.opname == "RETURN_CONST" else before
            if source is not None and source.argrepr == "None":  # a constant of several kinds, by version of Python
                line = instruction.positions.lineno if instruction.positions else None
                nothing = nothing or line or code.co_firstlineno
            else:
                something = True
        before = instruction
    return Returns(nothing, something)


def uses_parameter(function: Callable, position: int) -> bool:
    """Whether the text of a functor names one of its parameters at all. True if that is not known."""
    return names_parameter(function.__code__, position)


@clearable
@functools.lru_cache(4096)
def names_parameter(code: CodeType, position: int) -> bool:
    """`uses_parameter`, of a function's code."""
    if position >= code.co_argcount:
        return True
    name = code.co_varnames[position]
    return any(
        name == part.argval or (isinstance(part.argval, tuple) and name in part.argval)
        for part in dis.get_instructions(code)
    )
