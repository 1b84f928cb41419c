"""Functors as they are at this moment: copies whose globals, defaults and closures no longer change.

Numba reads the names that a function uses when it compiles it for each new type of arguments, which may be much later
than the first call. A frozen copy retains the values of that call. Plain functions that it calls are compiled along.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, CellType, FunctionType, ModuleType
from typing import Any, Protocol

from numba.core.compiler_lock import global_compiler_lock

from frontier.runtime.compile.function_identity import Chain, captured

from .loops import without_loops

MODULE = __name__.rpartition(".")[0]
"""The module of frozen functions: one that any process can import, as Numba's cache wants."""


class Target(Protocol):
    """The compiler for which functions are frozen."""

    @property
    def substitutes(self) -> Mapping[Any, Any]:
        """Functions with their replacements."""

    def knows(self, value: Any) -> bool:
        """Whether the compiler implements this function itself."""

    def helper(self, function: FunctionType, options: dict[str, Any]) -> Any:
        """A function that compiled code can call."""


def is_known(context: Any, value: Any) -> bool:
    """Whether a compiler, of which this is the typing context, implements a function itself."""
    with global_compiler_lock:  # which contexts leave to their callers
        context.refresh()
        try:
            context.resolve_value_type(value)
        except ValueError:
            return False
        return True


def freeze(function: FunctionType, target: Target) -> FunctionType:
    """A copy of `function` with present values, frozen callees, and loops over neighbors written out."""
    function = without_loops(function)
    copy = _shell(function)
    _fill(copy, function, target, {})
    return copy


def _shell(function: FunctionType) -> FunctionType:
    """A copy of `function` that names nothing yet."""
    closure = tuple(CellType() for _ in function.__code__.co_freevars)
    names: dict[str, Any] = {"__builtins__": builtins, "__name__": MODULE}
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, closure or None)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__qualname__ = function.__qualname__
    copy.__module__ = MODULE
    return copy


def _fill(copy: FunctionType, function: FunctionType, target: Target, helpers: dict[int, Any]) -> None:
    """Give a copy the values that `function` names."""

    def follow(value: Any, chains: tuple[Chain, ...]) -> Any:
        if isinstance(value, ModuleType) and all(chains):
            module = ModuleType(value.__name__)
            for attribute in {chain[0] for chain in chains}:
                if hasattr(value, attribute):
                    rest = tuple(chain[1:] for chain in chains if chain[0] == attribute)
                    setattr(module, attribute, follow(getattr(value, attribute), rest))
            return module
        if isinstance(value, FunctionType | BuiltinFunctionType):
            value = target.substitutes.get(value, value)
        if isinstance(value, FunctionType):
            return value if target.knows(value) else helper(value, {})
        if isinstance(getattr(value, "py_func", None), FunctionType):
            return helper(value.py_func, dict(getattr(value, "targetoptions", {})))
        return value

    def helper(callee: FunctionType, options: dict[str, Any]) -> Any:
        if id(callee) not in helpers:
            looped = without_loops(callee)
            inner = _shell(looped)
            helpers[id(callee)] = target.helper(inner, options)  # before it is filled: it may call itself
            _fill(inner, looped, target, helpers)
        return helpers[id(callee)]

    cells = dict(zip(copy.__code__.co_freevars, copy.__closure__ or (), strict=True))
    for name, value, chains, is_free in captured(function):
        if is_free:
            cells[name].cell_contents = follow(value, chains)
        else:
            copy.__globals__[name] = follow(value, chains)


def caller(function: Callable, count: int, *, result: str = "value", report: bool = False) -> FunctionType:
    """A function of exactly `count` parameters that calls `function`, whose other parameters have their defaults.

    It returns the function's `result` (``"value"``), False (``"false"``), or ``"nothing"``. With `report`, the last
    parameter goes first.
    """
    names = [f"p{i}" for i in range(count)]
    given = [*names[-1:], *names[:-1]] if report else names
    call = f"function({', '.join(given)})"
    body = {"value": f"return {call}", "false": f"{call}\n    return False", "nothing": call}[result]
    scope: dict[str, Any] = {"function": function, "__name__": MODULE}
    exec(f"def caller({', '.join(names)}):\n    {body}\n", scope)
    return scope["caller"]


def with_report_last(function: Callable) -> FunctionType:
    """A function of any number of parameters that hands the last over first."""
    scope: dict[str, Any] = {"function": function, "__name__": MODULE}
    exec("def caller(*args):\n    return function(args[-1], *args[:-1])\n", scope)
    return scope["caller"]
