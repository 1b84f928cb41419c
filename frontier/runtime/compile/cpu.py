"""Compilation of CPU kernels with Numba, cached on disk by content."""

from __future__ import annotations

import functools
import gc
import pickle
import secrets
import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, cast

import numba
from numba.core import event
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from . import progress
from .disk_cache import CachedFile, text_fingerprint
from .function_identity import function_digest
from .libraries import AssembledCompiler, KernelCompiler, LinkedCompiler


class _UniqueNumbers:
    """The numbers of the functions that Numba compiles: random, instead of 1, 2, 3 in each process.

    The number is part of the symbol's name. Suppose that two processes compile different functions of one name under
    the same number. Their files in the cache use the same symbol for different code. A third process that loads both
    runs one of them instead of the other (Numba's issue 10486). Forked processes would continue from the same state, so
    each number is drawn from the system.
    """

    def __iter__(self) -> _UniqueNumbers:
        return self

    def __next__(self) -> int:
        return secrets.randbits(63)


FunctionIdentity._unique_ids = cast(Any, _UniqueNumbers())


class _Uncollected(event.Listener):
    """Puts garbage collections off until a compilation is over.

    Numba makes some million objects a kernel, most of which live until its end: scanning them again and again costs a
    tenth of the time. Numba compiles in one thread at a time.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._enabled = False

    def on_start(self, event: event.Event) -> None:
        if self._depth == 0:
            self._enabled = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: event.Event) -> None:
        self._depth -= 1
        if self._depth == 0 and self._enabled:
            gc.enable()


event.register("numba:compile", _Uncollected())


class _Named:
    """Stands for Numba's locator of cache files, which names the function where its code cannot be cached."""

    def __init__(self, name: str):
        self._py_file = name

    def get_cache_path(self) -> str:
        return ""  # not read: `_KeyedCache` has separate files

    def get_source_stamp(self) -> str:
        return ""  # the key replaces it


class _KeyedImpl(CompileResultCacheImpl):
    def __init__(self, py_func: Callable):
        self._lineno = py_func.__code__.co_firstlineno
        self._locator = _Named(f"{py_func.__module__}.{py_func.__qualname__}")
        self._filename_base = py_func.__name__


class _KeyedCache(FunctionCache):
    """Numba's function cache, with our key instead of the file's time, and our files.

    Numba notices neither a changed callee in another file nor, always, a changed captured function. Our key is the
    function's digest: its code and all that it names, by value. A function without one is compiled by each process.
    Loads that miss are reported as compilation progress.

    Each function, key and signature has a file. Numba's own files are numbered in an index: two processes that add to
    it at once can enter one's code under the other's signature.
    """

    _impl_class = _KeyedImpl

    def __init__(self, py_func: Callable):
        super().__init__(py_func)
        self._function = f"{py_func.__module__}.{py_func.__qualname__}"

    @functools.cached_property
    def _digest(self) -> str | None:
        """The function's digest, computed at its first call, when all names that it uses are defined."""
        return function_digest(self._py_func)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        versions = numba.__version__, sys.version_info[:2], text_fingerprint(*COMPILE_FILES)
        return sig, codegen.magic_tuple(), versions, self._digest

    def _file(self, key: tuple) -> CachedFile:
        return CachedFile("cpu", f"{self._py_func.__name__}-{{}}", (self._function, key))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = None
        if self._digest is not None:
            # Numba's own method would first set up the whole compiler, and import SciPy for that, which lasts longer
            # than loading the kernels of a program. They only need the part that counts references to arrays.
            rtsys.initialize(target_context)
            key = self._index_key(sig, target_context.codegen())

            def rebuild(data: bytes) -> Any:
                stored, reduced = pickle.loads(data)
                return self._impl.rebuild(target_context, reduced) if stored == key else None

            found = self._file(key).load(rebuild)
        if found is None:
            progress.count("cpu")
            progress.compiling(self._py_func.__name__)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        if self._digest is not None and self._impl.check_cachable(data):
            key = self._index_key(sig, data.codegen)
            self._file(key).store(dumps((key, self._impl.reduce(data))))


COMPILE_FILES = (
    "frontier/functor/intrinsics/atomics.py", "frontier/operators/dispatch/neighbor_loop.py",
    "frontier/operators/dispatch/weights.py", "frontier/functor/compile.py", "frontier/runtime/compile/cpu.py",
    "frontier/runtime/compile/libraries.py", "frontier/runtime/compile/parallel_region.py",
    "frontier/runtime/elements.py",
)  # fmt: skip
"""The files that determine how functions are compiled without being named by them."""

LINKED_OPTIONS: dict[str, Any] = {
    "error_model": "numpy", "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
}  # fmt: skip
"""Options of functions that only kernels call, functors among them. Code for calls from Python costs a tenth of the
compilation time. Without ``_nrt=False``, functions with a branch count references to their arrays: two atomics an array
and call."""


interpreting = ContextVar("interpreting", default=False)
"""Whether users want their functors to be run by Python, to look for mistakes."""

_uncompiled = ContextVar("_uncompiled", default=False)
"""Whether kernels that are made now are run by Python. Not the same: a module that is first imported while functors are
interpreted has kernels for the whole process."""


def uncompiled(make: Callable[[], Any]) -> Any:
    """The result of `make`, all kernels of which run as Python."""
    token = _uncompiled.set(True)
    try:
        return make()
    finally:
        _uncompiled.reset(token)


def is_compiling() -> bool:
    """Whether kernels that are made now are compiled."""
    return not _uncompiled.get()


class _Helper(CPUDispatcher):
    """A function that kernels call. Python, which calls it where functors are interpreted, runs it as it stands."""

    def __call__(self, *args: Any) -> Any:
        return self.py_func(*args)


def jit(function: Callable | None = None, **options: Any) -> Any:
    """A function that kernels call: compiled once for each kind of arguments, and linked into each kernel.

    With Numba's ``inline="always"`` it would be analyzed and translated again in each kernel, which is slower.
    ``forceinline=True`` leaves inlining to LLVM. References to arrays are not counted: a function that makes or returns
    an array is given ``_nrt=True``.
    """
    if function is None:
        return functools.partial(jit, **options)
    if numba.config.DISABLE_JIT:
        return function
    target = {"nopython": True, "boundscheck": None, **LINKED_OPTIONS, **options}
    return _Helper(py_func=function, locals={}, targetoptions=target, pipeline_class=LinkedCompiler)


def cpu_kernel(function: Callable, *, assembled: bool = False) -> Any:
    """Compile a function with Numba in nopython mode, with a disk cache that notices every change.

    With `assembled`, not much is optimized: it does little but to call another kernel.
    """
    if not is_compiling():
        return function
    compiler = AssembledCompiler if assembled else KernelCompiler
    dispatcher: Any = numba.njit(
        function, nogil=True, error_model="numpy", no_cfunc_wrapper=True, pipeline_class=compiler
    )
    dispatcher._cache = _KeyedCache(function)
    return dispatcher
