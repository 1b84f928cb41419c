"""Functors that were compiled for GPUs, run on the host.

Both compilers make LLVM code before NVVM makes LTO-IR of it. The tests compile that code for the host, and call it: so
the results of a functor on a GPU are tested without one, up to NVVM and `ptxas`.
"""

from __future__ import annotations

import ctypes
import math
import re
from contextlib import ExitStack, contextmanager
from unittest import mock

import llvmlite.binding as llvm
import numpy as np

from frontier.functor import compile as compilation
from frontier.functor import cuda_functor
from frontier.functor.cuda import CHOICE, COMPILERS

CAPABILITIES = {"numba-cuda": [(9, 0)], "numba-cuda-mlir": [(9, 0), (10, 0)]}
"""The capabilities for which a compiler makes different LLVM code."""

POINTERS = re.compile(r"(?<![\w.])(?:i\d+|float|double|\{[^{}]*\}|\[\d+ x \w+\])\*+")
TARGET = re.compile(r"^target (?:triple|datalayout).*$", re.MULTILINE)
ASSEMBLY = re.compile(r'call (\w+) asm sideeffect "ld\.volatile[^"]*", "[^"]*"')
VERSIONS = re.compile(r"^!(?:nvvm|llvm)\.?\w*\.(?:version|flags|annotations).*$", re.MULTILINE)
ATOMICS_OF_NUMBA_CUDA = {
    "___numba_atomic_float_{}": "float", "___numba_atomic_double_{}": "double",
    "llvm.nvvm.atomic.load.{}.f32.p0f32": "float", "llvm.nvvm.atomic.load.{}.f64.p0f64": "double",
}  # fmt: skip
"""The functions that numba-cuda calls for atomics on floats, and that NVVM or numba-cuda itself turns into
instructions."""
LIBRARY = (
    "atan", "atan2", "ceil", "copysign", "cos", "erf", "exp", "exp2", "expm1", "fabs", "floor", "fmax", "fmin", "fmod",
    "hypot", "llrint", "log", "log10", "log1p", "log2", "pow", "rint", "sin", "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip
"""Functions of libdevice that are functions of libm, too."""


class HostFunction:
    """A functor's C function on the host, with numbers and NumPy arrays as arguments."""

    def __init__(self, modules, symbol, result, parameters):
        self._engine = _engine(modules)
        address = self._engine.get_function_address(symbol)
        assert address, symbol
        types = []
        for dtype, ndim in parameters:
            types += [ctypes.c_void_p] if ndim else [_c_type(dtype)]
            types += [ctypes.c_int64] * 2 if ndim == 2 else []
        self._parameters = parameters
        self._call = ctypes.CFUNCTYPE(None if result is None else _c_type(result), *types)(address)

    def __call__(self, *args):
        passed = []
        for (dtype, ndim), value in zip(self._parameters, args, strict=True):
            if ndim:
                assert (value.dtype, value.ndim) == (dtype, ndim)
            passed += [value.ctypes.data, *value.shape][: 3 if ndim == 2 else 1] if ndim else [dtype.type(value).item()]
        return self._call(*passed)


def on_host(monkeypatch, compiler, op, result, *parameters, capability=(9, 0), checked=False):
    """`op`, compiled by this compiler, as a `HostFunction`. Parameters are (dtype, ndim)."""
    parameters = tuple((np.dtype(dtype), ndim) for dtype, ndim in parameters)
    result = None if result is None else np.dtype(result)
    monkeypatch.setenv(CHOICE, compiler)
    monkeypatch.setattr(compilation, "_in_memory", {})
    monkeypatch.setattr(compilation, "cached", lambda folder, suffix, parts, build: build())
    with TAPS[compiler]() as modules:
        cuda_functor(op, "functor", result, parameters, capability, checked=checked)
    return HostFunction(modules, "functor", result, parameters)


def _c_type(dtype):
    return np.ctypeslib.as_ctypes_type(np.dtype(np.int8 if dtype == np.bool_ else dtype))


@contextmanager
def _tap_numba_cuda():
    """The code that numba-cuda passes to NVVM."""
    from numba.cuda.cudadrv import nvvm

    kept, compile_ir = [], nvvm.compile_ir

    def keep(code, **options):
        kept.extend([code] if isinstance(code, str) else code)
        return compile_ir(code, **options)

    with mock.patch.object(nvvm, "compile_ir", keep):
        yield kept


@contextmanager
def _tap_numba_cuda_mlir():
    """The code that numba-cuda-mlir passes to NVVM, in either version."""
    from numba_cuda_mlir import mlir_optimization as module

    kept, old, new = [], module._call_llvm70_capi, module._prepare_llvm_ir

    def keep_old(code, options, **more):
        kept.append(old(code, options, **{**more, "gen_llvmir": True}).decode())
        return old(code, options, **more)

    def keep_new(code, **options):
        kept.append(module.translate_to_llvmir_text(module._get_single_gpu_module(code).operation))
        return new(code, **options)

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(module, "_call_llvm70_capi", keep_old))
        stack.enter_context(mock.patch.object(module, "_prepare_llvm_ir", keep_new))
        yield kept


TAPS = {"numba-cuda": _tap_numba_cuda, "numba-cuda-mlir": _tap_numba_cuda_mlir}
assert set(TAPS) == set(COMPILERS)


def _engine(modules):
    """Machine code for the host."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    _add_library()
    first, *others = [llvm.parse_assembly(_for_host(text)) for text in modules]
    for other in others:
        first.link_in(other)
    first.verify()
    missing = {f.name for f in first.functions if f.is_declaration and not f.name.startswith("llvm.")} - _known
    assert not missing, f"there is no {missing} on the host"
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
    engine = llvm.create_mcjit_compiler(first, machine)
    engine.finalize_object()
    return engine


def _for_host(text):
    """LLVM code of any version as code of llvmlite's LLVM, for no machine in particular."""
    text = VERSIONS.sub("", TARGET.sub("", text))
    text = POINTERS.sub("ptr", text)
    text = text.replace("common global", "internal global")
    text = ASSEMBLY.sub(r"load volatile \1, ptr", text)
    text = re.sub(r"(load volatile \w+, ptr)\(ptr (\S+)\)", r"\1 \2", text)
    for pattern, kind in ATOMICS_OF_NUMBA_CUDA.items():
        for name in ("add", "min", "max"):
            symbol = pattern.format(name)
            if symbol in text:
                text = re.sub(rf'^declare .*"{re.escape(symbol)}".*$', "", text, flags=re.MULTILINE)
                made = f"host_{name}_{kind}"
                text = text.replace(f'"{symbol}"', f'"{made}"')
                text += (
                    f'\ndefine internal {kind} @"{made}"(ptr %p, {kind} %v) {{\n'
                    f"  %old = atomicrmw f{name} ptr %p, {kind} %v monotonic\n  ret {kind} %old\n}}\n"
                )
    return text


_kept, _known = [], set()


def _add_library():
    if _kept:
        return
    library = ctypes.CDLL("libm.so.6")
    for name in LIBRARY:
        for suffix in ("", "f"):
            pointer = ctypes.cast(getattr(library, name + suffix), ctypes.c_void_p).value
            llvm.add_symbol(f"__nv_{name}{suffix}", pointer)
            _known.add(f"__nv_{name}{suffix}")
    for suffix, number in (("", ctypes.c_double), ("f", ctypes.c_float)):
        power = ctypes.CFUNCTYPE(number, number, ctypes.c_int32)(lambda x, n: float(np.float64(x) ** n))
        is_nan = ctypes.CFUNCTYPE(ctypes.c_int32, number)(lambda x: int(math.isnan(x)))
        is_infinite = ctypes.CFUNCTYPE(ctypes.c_int32, number)(lambda x: int(math.isinf(x)))
        is_finite = ctypes.CFUNCTYPE(ctypes.c_int32, number)(lambda x: int(math.isfinite(x)))
        finite = "__nv_finitef" if suffix else "__nv_isfinited"
        for symbol, function in (
            (f"__nv_powi{suffix}", power), (f"__nv_isnan{suffix or 'd'}", is_nan),
            (f"__nv_isinf{suffix or 'd'}", is_infinite), (finite, is_finite),
        ):  # fmt: skip
            _add(symbol, function)
    for symbol, number in (("__nv_abs", ctypes.c_int32), ("__nv_llabs", ctypes.c_int64)):
        _add(symbol, ctypes.CFUNCTYPE(number, number)(abs))


def _add(symbol, function):
    _kept.append(function)
    _known.add(symbol)
    llvm.add_symbol(symbol, ctypes.cast(function, ctypes.c_void_p).value)
