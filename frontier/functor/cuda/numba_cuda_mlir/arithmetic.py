"""Arithmetic that numba-cuda-mlir 0.6 lacks, or does otherwise than Numba, done as Numba does it.

Numba first converts the operands of an operation to the types in its signature. numba-cuda-mlir leaves conversions to
each operation. Some extend numbers as if they had no sign, or compute in a narrower type. Importing this module
corrects them, also for other kernels of the process.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from itertools import product
from typing import Any

from numba_cuda_mlir import types
from numba_cuda_mlir._mlir import ir
from numba_cuda_mlir._mlir.dialects import arith, scf
from numba_cuda_mlir._mlir.dialects import math as of_math
from numba_cuda_mlir.extending import lowering_registry
from numba_cuda_mlir.lowering.math import floordiv_cg, mod_cg
from numba_cuda_mlir.numba_cuda.core import ir as numba_ir

from .arrays import NAMES, load_as

lower = lowering_registry.lower


def _load_all(builder: Any, variables: Any, kind: Any) -> list:
    return [load_as(builder, variable, kind) for variable in variables]


def _kinds(builder: Any, variables: Any) -> tuple:
    return tuple(builder.get_numba_type(variable.name) for variable in variables)


def _new_variable(builder: Any, like: Any, kind: Any, name: str) -> Any:
    variable = numba_ir.Var(like.scope, f"${name}.{like.name}", like.loc)
    builder.fndesc.typemap[variable.name] = kind
    return variable


def _lower_with(builder: Any, function: Any, target: Any, args: Any, kinds: Any) -> None:
    """Lower a call of `function`, with arguments of these types."""
    variables = []
    for place, (variable, kind) in enumerate(zip(args, kinds, strict=True)):
        variables.append(_new_variable(builder, variable, kind, f"{target.name}.{place}"))
        builder.store_var(variables[-1], load_as(builder, variable, kind))
    signature = builder.get_numba_type(target.name)(*kinds)
    builder.get_registered_builder(function, signature)(builder, target, variables, [])


# Comparisons of integers with floats, and with NaN.
ORDER: dict[Any, str] = {
    operator.lt: "OLT", operator.le: "OLE", operator.gt: "OGT", operator.ge: "OGE", operator.eq: "OEQ",
    operator.ne: "UNE",
}  # fmt: skip


def _lower_comparison(function: Any, predicate: Any) -> None:
    @lower(function, types.Float, types.Float)
    @lower(function, types.Integer, types.Float)
    @lower(function, types.Float, types.Integer)
    def compare(builder: Any, target: Any, args: Any, kws: Any) -> None:
        common = builder.context.typing_context.unify_types(*_kinds(builder, args))
        builder.store_var(target, arith.cmpf(predicate, *_load_all(builder, args, common)))


for _function, _name in ORDER.items():
    _lower_comparison(_function, getattr(arith.CmpFPredicate, _name))


# Unsigned integers are not extended before their bits change, as that would change the result.
@lower(operator.neg, types.Integer)
def _lower_neg(builder: Any, target: Any, args: Any, kws: Any) -> None:
    value = builder.load_var(args[0])
    _store_wider(builder, target, args[0], arith.subi(arith.constant(value.type, 0), value))


@lower(operator.invert, types.Integer)
def _lower_invert(builder: Any, target: Any, args: Any, kws: Any) -> None:
    value = builder.load_var(args[0])
    _store_wider(builder, target, args[0], arith.xori(value, arith.constant(value.type, -1)))


def _store_wider(builder: Any, target: Any, source: Any, value: Any) -> None:
    kinds = _kinds(builder, (source, target))
    builder.store_var(target, builder.lower_cast(*kinds, value))


def _lower_extreme(function: Any, of_integers: tuple[Any, Any], of_floats: Any) -> None:
    def extreme(builder: Any, target: Any, args: Any, kws: Any) -> None:
        kind = builder.get_numba_type(target.name)
        found, *others = _load_all(builder, args, kind)
        for value in others:  # as Python does it: a later one only if it compares as better
            if isinstance(kind, types.Float):
                better = arith.cmpf(of_floats, value, found)
            else:
                better = arith.cmpi(of_integers[kind.signed], value, found)
            found = arith.select(better, value, found)
        builder.store_var(target, found)

    @lower(function, types.BaseTuple)
    def of_tuple(builder: Any, target: Any, args: Any, kws: Any) -> None:
        parts: list[Any] = []
        for kind, value in zip(builder.get_numba_type(args[0].name), builder.load_var(args[0]), strict=True):
            parts.append(_new_variable(builder, target, kind, f"part{len(parts)}"))
            builder.store_var(parts[-1], value)
        extreme(builder, target, parts, kws)

    for kinds in product((types.Integer, types.Float), repeat=2):
        lower(function, *kinds)(extreme)
    for count in range(3, 9):
        lower(function, *[types.Number] * count)(extreme)


_lower_extreme(min, (arith.CmpIPredicate.ult, arith.CmpIPredicate.slt), arith.CmpFPredicate.OLT)
_lower_extreme(max, (arith.CmpIPredicate.ugt, arith.CmpIPredicate.sgt), arith.CmpFPredicate.OGT)


@lower(operator.pow, types.Integer, types.Integer)
@lower(operator.ipow, types.Integer, types.Integer)
@lower(pow, types.Integer, types.Integer)
def _lower_integer_pow(builder: Any, target: Any, args: Any, kws: Any) -> None:
    kind = builder.get_numba_type(target.name)
    base, exponent = _load_all(builder, args, kind)
    zero, one = (arith.constant(base.type, number) for number in (0, 1))
    negative = arith.cmpi(arith.CmpIPredicate.slt, exponent, zero)
    left = arith.select(negative, arith.subi(zero, exponent), exponent)
    loop = scf.WhileOp([base.type] * 3, [one, base, left])
    with ir.InsertionPoint(loop.before.blocks.append(*[base.type] * 3)) as at:
        left = at.block.arguments[2]
        scf.condition(arith.cmpi(arith.CmpIPredicate.ne, left, zero), list(at.block.arguments))
    with ir.InsertionPoint(loop.after.blocks.append(*[base.type] * 3)) as at:
        result, square, left = at.block.arguments
        odd = arith.cmpi(arith.CmpIPredicate.ne, arith.andi(left, one), zero)
        result = arith.select(odd, arith.muli(result, square), result)
        scf.yield_([result, arith.muli(square, square), arith.shrui(left, one)])
    result = loop.results[0]
    is_unit = arith.cmpi(arith.CmpIPredicate.eq, arith.muli(result, result), one)  # all other inverses are fractions
    builder.store_var(target, arith.select(negative, arith.select(is_unit, result, zero), result))


@lower(operator.pow, types.Integer, types.Float)
@lower(operator.ipow, types.Integer, types.Float)
@lower(pow, types.Integer, types.Float)
def _lower_pow_of_integer(builder: Any, target: Any, args: Any, kws: Any) -> None:
    kind = builder.get_numba_type(target.name)
    _lower_with(builder, operator.pow, target, args, (kind, kind))


@lower(divmod, types.Number, types.Number)
def _lower_divmod(builder: Any, target: Any, args: Any, kws: Any) -> None:
    parts: list[Any] = []
    for kind, operation in zip(builder.get_numba_type(target.name), (floordiv_cg, mod_cg), strict=True):
        part = _new_variable(builder, target, kind, f"part{len(parts)}")
        operation(builder, part, args, {})
        parts.append(builder.load_var(part))
    builder.store_var(target, tuple(parts))


# Conversions: int32(x), float64(x).
@lower(types.NumberClass, types.Integer)
@lower(types.NumberClass, types.Float)
def _lower_conversion(builder: Any, target: Any, args: Any, kws: Any) -> None:
    builder.store_var(target, load_as(builder, args[0], builder.get_numba_type(target.name)))


# Truths and members of enumerations, in operations that numba-cuda-mlir has only for numbers.
BINARY: tuple[Any, ...] = (
    operator.truediv, operator.itruediv, operator.floordiv, operator.ifloordiv, operator.mod, operator.imod,
    operator.pow, operator.ipow, pow, divmod,
)  # fmt: skip
OF_MEMBERS: tuple[Any, ...] = (
    *BINARY, *ORDER, operator.add, operator.iadd, operator.sub, operator.isub, operator.mul, operator.imul,
    operator.and_, operator.iand, operator.or_, operator.ior, operator.xor, operator.ixor, operator.lshift,
    operator.ilshift, operator.rshift, operator.irshift, min, max,
)  # fmt: skip
UNARY: tuple[Any, ...] = (operator.neg, operator.pos, operator.invert, operator.not_, abs)


def _lower_by_signature(function: Any, *kinds: Any) -> None:
    """Lower calls with arguments of these types as of the types to which Numba converts them."""

    @lower(function, *kinds)
    def convert(builder: Any, target: Any, args: Any, kws: Any) -> None:
        found = tuple(kind.dtype if isinstance(kind, types.IntEnumMember) else kind for kind in _kinds(builder, args))
        wanted = builder.context.typing_context.resolve_function_type(function, found, {}).args
        wanted = [types.int64 if isinstance(kind, types.Boolean) else kind for kind in wanted]
        _lower_with(builder, function, target, args, wanted)


TRUTH, NUMBER, MEMBER = types.Boolean, types.Number, types.IntEnumMember
for _pair in ((TRUTH, TRUTH), (TRUTH, NUMBER), (NUMBER, TRUTH)):
    for _operation in BINARY:
        _lower_by_signature(_operation, *_pair)
for _pair in ((TRUTH, types.Float), (types.Float, TRUTH)):
    for _operation in ORDER:
        _lower_by_signature(_operation, *_pair)
for _pair in ((MEMBER, NUMBER), (MEMBER, TRUTH), (NUMBER, MEMBER), (TRUTH, MEMBER)):
    for _operation in OF_MEMBERS:
        _lower_by_signature(_operation, *_pair)
for _operation in UNARY:
    _lower_by_signature(_operation, MEMBER)
for _operation in (operator.neg, operator.pos, abs):
    _lower_by_signature(_operation, TRUTH)


@lowering_registry.lower_cast(types.IntEnumMember, types.Integer)
def _cast_member(context: Any, builder: Any, kind: Any, wanted: Any, value: Any) -> Any:
    return value if kind.dtype == wanted else builder.lower_cast(kind.dtype, wanted, value)


def _lower_rounding(function: Any, operation: Callable) -> None:
    @lower(function, types.Float)
    def rounded(builder: Any, target: Any, args: Any, kws: Any) -> None:
        kinds = _kinds(builder, (args[0], target))
        builder.store_var(target, builder.lower_cast(*kinds, operation(builder.load_var(args[0]))))

    @lower(function, types.Integer)
    def same(builder: Any, target: Any, args: Any, kws: Any) -> None:
        builder.store_var(target, load_as(builder, args[0], builder.get_numba_type(target.name)))


_lower_rounding(math.floor, of_math.floor)
_lower_rounding(math.ceil, of_math.ceil)
_lower_rounding(math.trunc, of_math.trunc)
_lower_rounding(round, of_math.roundeven)


def _of_floats(function: Any, count: int) -> Any:
    """A function of `math`, of numbers converted to floats: numba-cuda-mlir would compute with integers in float32."""

    def of_floats(*args: Any) -> Any:
        return function(*args)

    class Template(NAMES.Template):  # type: ignore[name-defined]
        key = of_floats

        def generic(self, args: Any, kws: Any) -> Any:
            if kws or len(args) != count or not all(isinstance(kind, types.Number | types.Boolean) for kind in args):
                return None
            floats = [kind if isinstance(kind, types.Float) else types.float64 for kind in args]
            kinds = [max(floats, key=lambda kind: kind.bitwidth)] * count
            return NAMES.signature(self.context.resolve_function_type(function, kinds, {}).return_type, *kinds)

    NAMES.registry.register(Template)
    NAMES.registry.register_global(of_floats, types.Function(Template))

    @lower(of_floats, *[types.Any] * count)
    def convert(builder: Any, target: Any, args: Any, kws: Any) -> None:
        wanted = builder.context.typing_context.resolve_function_type(of_floats, _kinds(builder, args), {}).args
        _lower_with(builder, function, target, args, wanted)

    return of_floats


OF_ONE = (
    "acos acosh asin asinh atan atanh cos cosh degrees erf erfc exp exp2 expm1 fabs gamma isfinite isinf isnan lgamma "
    "log log10 log1p log2 radians sin sinh sqrt tan tanh"
)
OF_TWO = "atan2 copysign fmod hypot nextafter pow remainder"
SUBSTITUTES = {
    getattr(math, name): _of_floats(getattr(math, name), count)
    for count, names in ((1, OF_ONE), (2, OF_TWO)) for name in names.split()
}  # fmt: skip
