"""What a job needs, found by running its warm-up: ``python -m dynfrontier.ahead.record STRUCTURE ANALYTIC WINDOW``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

import frontier as fr
from algorithms import find_analytic
from frontier.operators import engine
from frontier.runtime.cpu import KeyedCache
from frontier.runtime.parallel import PARALLEL, ParallelKernel

from ..job import StreamJob
from .needs import Need
from .objects import name_of, named
from .spelling import spell

Used = tuple[Any, tuple]
"""A function, and the types of its arguments."""


def record(structure: str, analytic: str, window: int) -> list[Need]:
    """The kernels that the warm-up of a job on the CPU needs, in the order in which it needs them.

    To be called in a process that has used no kernel before.
    """
    stream = fr.io.stream_edges(fr.io.rmat(4, 2), 16)
    kind = fr.structures()[structure]
    with _used() as used:
        StreamJob(kind, fr.resolve_device("cpu"), stream, window, find_analytic(analytic)).warm_up()
    made = {kernel.py_func: (kernel, key) for key, kernel in engine._kernels.items()}
    needs: dict[str, Need] = {}
    for function, types in used:
        need = _need(function, types, made)
        if need is not None:
            needs.setdefault(json.dumps(need), need)
    return list(needs.values())


def _need(function: Any, types: tuple, made: dict[Any, tuple[Any, tuple]]) -> Need | None:
    """A kernel that was used, as the list has it; None for one that other processes cannot find by a name."""
    parallel = function.__qualname__.endswith(PARALLEL)
    if parallel:  # a parallel region, around the function for a range of work items
        (function,) = (cell.cell_contents.py_func for cell in function.__closure__)
        types = types[-1].types
    if function in made:
        kernel, (package, make, functors, options, _) = made[function]
        names = [found and _functor(found.key[0]) for found in functors]
        name, made_for = name_of(make), [package, names, list(options)]
    elif "<locals>" in function.__qualname__:
        return None
    else:
        name, made_for = name_of(function), None
        kernel = named(name)
    if isinstance(kernel, ParallelKernel) and not parallel:
        types = types[2:]  # without the range
    return Need(name, made_for, [spell(kind) for kind in types])


@contextmanager
def _used() -> Iterator[list[Used]]:
    """The kernels that are used for the first time within the ``with`` block, found on disk or not."""
    used: list[Used] = []
    load = KeyedCache.load_overload

    def note(self: KeyedCache, sig: tuple, target_context: Any) -> Any:
        used.append((self._py_func, sig))
        return load(self, sig, target_context)

    KeyedCache.load_overload = note  # type: ignore[method-assign]
    try:
        yield used
    finally:
        KeyedCache.load_overload = load  # type: ignore[method-assign]


def _functor(code: CodeType) -> str:
    """The name of the function that has this code."""
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == code.co_filename:
            name = f"{module.__name__}:{code.co_qualname}"
            if named(name).__code__ is code:
                return name
    raise LookupError(f"no module has a function of the code {code}")


if __name__ == "__main__":
    print(json.dumps(record(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
