"""Compilation of CPU kernels with Numba, cached on disk by content."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache

from . import progress
from .cache import cache_directory, source_fingerprint


class _Locator:
    """Puts Numba's cache files in this project's cache directory, apart for each version of the sources."""

    def __init__(self, name: str, key: str):
        self._key = key
        self._py_file = name  # Numba names it where code cannot be cached
        self._path = cache_directory() / "cpu"
        self._disambiguator = hashlib.sha256(f"{name}{key}".encode()).hexdigest()[:16]

    def ensure_cache_path(self) -> None:
        Path(self._path).mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return self._key

    def get_disambiguator(self) -> str:
        return self._disambiguator


class _KeyedImpl(CompileResultCacheImpl):
    def __init__(self, py_func: Callable, key: str):
        self._lineno = py_func.__code__.co_firstlineno
        self._locator = _Locator(f"{py_func.__module__}.{py_func.__qualname__}", key)
        self._locator.ensure_cache_path()
        self._filename_base = f"{py_func.__name__}-{self._locator.get_disambiguator()}"


class _KeyedCache(FunctionCache):
    """Numba's function cache with a key of ours in place of the file's time.

    Numba notices neither a changed callee in another file nor, always, a changed captured function; `key` stands for
    the text of all of them. Loads that miss are reported as compilation progress.
    """

    _impl_class: Any  # Numba declares a class; here it is one with its key filled in

    def __init__(self, py_func: Callable, key: str):
        self._impl_class = functools.partial(_KeyedImpl, key=key)
        self._key = key
        super().__init__(py_func)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple(), self._key

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)
        except ModuleNotFoundError:
            # Of a functor whose module is not there under the same name: it was renamed, or the functor made by exec.
            found = None
        if found is None:
            progress.compiling(self._py_func.__name__)
        return found


def cpu_kernel(
    function: Callable | None = None, *, parallel: bool = False, key: str | None = "", nogil: bool = True
) -> Any:
    """Compile a function with Numba in nopython mode, with a disk cache that notices every change.

    Parameters
    ----------
    parallel : bool
        Run its ``numba.prange`` loops on all cores.
    key : str or None
        What the function captures besides the project's own sources: the fingerprint of a user's functor. With None
        the compiled code is kept in memory only.
    """
    if function is None:
        return functools.partial(cpu_kernel, parallel=parallel, key=key, nogil=nogil)
    dispatcher: Any = numba.njit(function, parallel=parallel, nogil=nogil, error_model="numpy")
    if key is not None:
        dispatcher._cache = _KeyedCache(function, f"{source_fingerprint('.py')}{key}{parallel}")
    return dispatcher
