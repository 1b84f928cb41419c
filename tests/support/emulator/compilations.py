"""The uses for which CuPy would compile a kernel: functions of the emulated `cupy`, and of its arrays, that no driver
does."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from . import cupy_on_cpu

ROOT = Path(__file__).parents[3]
OPERATIONS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "neg", "abs", "lshift", "rshift", "and", "or", "xor", "invert",
    "lt", "le", "gt", "ge", "eq", "ne", "iadd", "isub", "imul", "itruediv", "ior", "iand", "ilshift", "irshift",
    "radd", "rsub", "rmul", "rtruediv",
)  # fmt: skip
METHODS = (
    "any", "all", "argmax", "argmin", "argsort", "astype", "copy", "cumsum", "max", "mean", "min", "prod", "repeat",
)  # fmt: skip
FUNCTIONS = (
    "abs", "arange", "argsort", "bincount", "ceil", "concatenate", "copy", "cumsum", "diff", "flatnonzero", "full",
    "full_like", "isfinite", "isnan", "lexsort", "maximum", "minimum", "not_equal", "ones", "repeat", "searchsorted",
    "stack", "unique", "where",
)  # fmt: skip


@contextmanager
def compilations() -> Iterator[set[str]]:
    """Within the block, the lines of the project that made CuPy compile."""
    import cupy

    found: set[str] = set()
    inside = False

    def watched(function: Callable, compiles: Callable[..., bool]) -> Callable:
        def call(*args: Any, **options: Any) -> Any:
            nonlocal inside
            outermost, inside = not inside, True
            try:
                if outermost and compiles(*args):
                    found.add(_caller())
                return function(*args, **options)
            finally:
                inside = not outermost

        return call

    def always(*args: Any) -> bool:
        return True

    array = cupy_on_cpu.ndarray
    methods = {name: always for name in METHODS} | {f"__{name}__": always for name in OPERATIONS}
    methods |= {"__getitem__": _gathers, "__setitem__": _writes, "fill": _fills}
    with ExitStack() as stack:
        for name, compiles in methods.items():
            stack.enter_context(mock.patch.object(array, name, watched(getattr(array, name), compiles)))
        for name in FUNCTIONS:
            stack.enter_context(mock.patch.object(cupy, name, watched(getattr(cupy, name), always)))
        yield found


def _gathers(array: Any, key: Any) -> bool:
    """Whether entries are chosen by an array. Otherwise the result is a view."""
    return any(isinstance(part, np.ndarray | list) for part in (key if isinstance(key, tuple) else (key,)))


def _writes(array: Any, key: Any, value: Any) -> bool:
    """Whether it is anything but a plain copy of several elements, or zeros. A single one counts as a number."""
    if _gathers(array, key):
        return True
    part = np.ndarray.__getitem__(array, key)
    if not isinstance(value, np.ndarray):
        return not (np.ndim(part) == 0 or part.flags.c_contiguous) or value != 0
    if isinstance(value, cupy_on_cpu.ndarray) and value.size == 1:
        return True
    return part.shape != value.shape or part.dtype != value.dtype or not (
        part.flags.c_contiguous and value.flags.c_contiguous
    )  # fmt: skip


def _fills(array: Any, value: Any) -> bool:
    return value != 0 or not array.flags.c_contiguous


def _caller() -> str:
    """The innermost line of the project outside of its tests."""
    for frame in reversed(traceback.extract_stack()):
        path = Path(frame.filename)
        if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "tests"):
            return f"{path.relative_to(ROOT)}:{frame.lineno}: {frame.line}"
    return "?"
