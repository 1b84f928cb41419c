"""Which kernels are compiled meanwhile: the project's own, and CuPy's."""

from __future__ import annotations

import logging
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
"""The function through which CuPy makes every kernel, of `cupy.cuda.compiler`, which is not public."""
COMPILED = "compiled %s in %.1f ms"
"""The log messages of each kernel and functor for a GPU."""


@dataclass
class Compilation:
    """A kernel that had to be compiled, or would have been with an empty cache.

    Attributes
    ----------
    compiler : str
        ``"own"``, ``"functor"`` or ``"cupy"``.
    name : str
        The kernel, the functor, or the line of the project that made CuPy compile one.
    milliseconds : float
        Its seconds, or 0 for kernels for CPUs, which report only their start.
    """

    compiler: str
    name: str
    milliseconds: float


@contextmanager
def recorded() -> Iterator[list[Compilation]]:
    """The compilations within the ``with`` block. Compilations of CuPy are counted even if its disk cache has the
    kernel: on another machine it has not."""
    found: list[Compilation] = []
    logger = logging.getLogger("dynfrontier")
    handler, level = _Compiled(found), logger.level

    def begin(name: str) -> None:
        if not name.endswith(".cuh"):  # whose compilation the log reports
            found.append(Compilation("own", name, 0.0))

    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        with fr.advanced.on_compile(begin), _cupy_compilations(found):
            yield found
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


class _Compiled(logging.Handler):
    """Collects kernels and functors for GPUs that were compiled."""

    def __init__(self, found: list[Compilation]):
        super().__init__(logging.DEBUG)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        if record.msg == COMPILED and isinstance(record.args, tuple):
            name, milliseconds = record.args
            compiler = "own" if str(name).endswith(".cuh") else "functor"
            self._found.append(Compilation(compiler, str(name), float(str(milliseconds))))


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
