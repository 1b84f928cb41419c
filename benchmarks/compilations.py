"""Which kernels are compiled meanwhile: the project's own, and CuPy's."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import frontier as fr

ROOT = Path(__file__).parents[1]
CUPY_COMPILES = "_compile_module_with_cache"
"""The function through which CuPy makes every kernel, of `cupy.cuda.compiler`; it is not public."""


@dataclass
class Compilation:
    """A kernel that had to be compiled, or would have been with an empty cache.

    Attributes
    ----------
    compiler : str
        ``"own"`` or ``"cupy"``.
    name : str
        The kernel, or the line of the project that made CuPy compile one.
    milliseconds : float
        What it took; 0 for the project's own kernels, which report only that they begin.
    """

    compiler: str
    name: str
    milliseconds: float


@contextmanager
def recorded() -> Iterator[list[Compilation]]:
    """The compilations within the ``with`` block. Those of CuPy are counted also where its disk cache has the kernel:
    on another machine it has not."""
    found: list[Compilation] = []
    with fr.on_compile(lambda name: found.append(Compilation("own", name, 0.0))), _cupy_compilations(found):
        yield found


@contextmanager
def _cupy_compilations(found: list[Compilation]) -> Iterator[None]:
    try:
        from cupy.cuda import compiler
    except ImportError:
        yield
        return
    original = getattr(compiler, CUPY_COMPILES)

    def record(*args: Any, **options: Any) -> Any:
        begin = time.perf_counter()
        try:
            return original(*args, **options)
        finally:
            found.append(Compilation("cupy", _caller(), 1e3 * (time.perf_counter() - begin)))

    setattr(compiler, CUPY_COMPILES, record)
    try:
        yield
    finally:
        setattr(compiler, CUPY_COMPILES, original)


def _caller() -> str:
    """The innermost line of the project that is being executed, outside of this file."""
    for frame in reversed(traceback.extract_stack()):
        path = Path(frame.filename)
        if path.is_relative_to(ROOT) and path != Path(__file__):
            return f"{path.relative_to(ROOT)}:{frame.lineno}: {frame.line}"
    return "?"
