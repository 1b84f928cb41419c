"""The faults of numba-cuda-mlir 0.6, apart from arithmetic, corrected only while a functor is compiled.

* uint32 and int32 have bits of type int32 in common, which does not fit both, and uint32 has an int64 for its negative.
  Numba uses 64 bits, and no sign in the second case.
* Global constants from 2**63 on are refused.
* Calls of one function that leave out different defaults become calls of the same code.
* Named tuples are not made, and functions with ``*args`` not called.
* Exceptions set a variable of the module, and execution continues.
* Errors of the compiler itself are written to files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numba_cuda_mlir import mlir_compiler, mlir_lowering, types
from numba_cuda_mlir._mlir.dialects import arith
from numba_cuda_mlir.mlir_lowering import MLIRLower
from numba_cuda_mlir.numba_cuda.core.ir import Var
from numba_cuda_mlir.numba_cuda.types import NamedTupleClass
from numba_cuda_mlir.numba_cuda.typing import builtins as typing_of_builtins
from numba_cuda_mlir.typing.builtin import NegTemplate

from .arrays import NAMES


class UnsupportedError(Exception):
    """A construct on which numba-cuda-mlir fails without blaming the functor, or differs from Python."""


@contextmanager
def corrected() -> Iterator[None]:
    """Correct it within this block, in which no other thread may compile."""
    fold, mangle = _told_apart(MLIRLower._fold_dispatcher_call_args, mlir_lowering.generate_mangled_name)
    with (
        replaced(typing_of_builtins.BitwiseLogicOperation, "cases", _BITWISE),
        replaced(NegTemplate, "generic", _type_negative),
        replaced(MLIRLower, "lower_global_assign", _with_large(MLIRLower.lower_global_assign)),
        replaced(MLIRLower, "lower_free_var_assign", _with_large(MLIRLower.lower_free_var_assign)),
        replaced(MLIRLower, "_fold_dispatcher_call_args", fold),
        replaced(mlir_lowering, "generate_mangled_name", mangle),
        replaced(MLIRLower, "lower_call_expr_assign", _with_named_tuples(MLIRLower.lower_call_expr_assign)),
        replaced(MLIRLower, "lower_static_raise", _refuse_exception),
        replaced(mlir_compiler, "handle_lowering_error", _raise_on),
    ):
        yield


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Have an attribute be another one."""
    found = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, found)


_truth = types.boolean
_BITWISE = [NAMES.signature(_truth, _truth, _truth), *typing_of_builtins.integer_binop_cases]
_type_other_negative = NegTemplate.generic


def _type_negative(self: Any, args: Any, kws: Any) -> Any:
    if len(args) == 1 and isinstance(args[0], types.Integer) and not args[0].signed:
        return NAMES.signature(types.uint64, *args)
    return _type_other_negative(self, args, kws)


def _with_large(otherwise: Callable) -> Callable:
    def assign(self: Any, target: Any, source: Any) -> None:
        if isinstance(source.value, int | np.integer) and source.value >= 2**63:
            kind = self.get_mlir_type(self.get_numba_type(target.name))
            self.store_var(target, arith.constant(kind, int(source.value) - 2**64))
        else:
            otherwise(self, target, source)

    return assign


def _with_named_tuples(otherwise: Callable) -> Callable:
    def call(self: Any, target: Any, fn: Any, args: Any, kws: Any, expr: Any = None) -> None:
        if isinstance(self.get_numba_type(fn.name), NamedTupleClass):
            self.lower_build_tuple_expr_assign(target, args)
        else:
            otherwise(self, target, fn, args, kws, expr)

    return call


def _told_apart(fold: Callable, mangle: Callable) -> tuple[Callable, Callable]:
    """The functions that fold the arguments of a call, and name the called code. The name contains the omitted
    arguments, and the arguments in ``*args`` become one variable."""
    folded: list = []

    def remember(self: Any, *args: Any) -> Any:
        kinds, variables, present = fold(self, *args)
        folded[:] = [kinds]
        variables = [_in_one(self, *each) for each in zip(variables, present, strict=True)]
        return kinds, variables, present

    def name_code(name: str, kinds: Any) -> Any:
        left_out = "".join(str(int(isinstance(kind, types.Omitted))) for kind in (folded.pop() if folded else ()))
        return mangle(f"{name}_{left_out}" if left_out else name, kinds)

    return remember, name_code


def _in_one(self: Any, variable: Any, kind: Any) -> Any:
    """An argument of a call: a variable of a tuple for a tuple of variables."""
    if not isinstance(variable, tuple):
        return variable
    name = f"$star_{'_'.join(part.name for part in variable)}"
    self.fndesc.typemap[name] = kind
    whole = Var(variable[0].scope, name, variable[0].loc)
    self.store_var(whole, tuple(self.load_var(part) for part in variable))
    return whole


def _refuse_exception(*args: Any) -> None:
    raise UnsupportedError("exceptions are not supported on a GPU: write an error flag to an array")


def _raise_on(*args: Any) -> None:
    """Called where an error is handled."""
    raise
