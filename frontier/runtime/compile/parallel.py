"""CPU kernels over many work items, on all cores if there is enough work.

A parallel region costs a few microseconds, on a busy machine under GNU OpenMP milliseconds. So a kernel is a function
for a range of work items, compiled once. Little work is one call of it. Only for more, a second function, which calls
it from several threads (`frontier.runtime.compile.parallel_region`), is compiled as well. If parallel regions cannot be
entered (`frontier.runtime.threads`), all work is one call.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..threads import enter_region, leave_region, threads_for
from .cpu import cpu_kernel, is_compiling
from .parallel_region import in_parallel, threading_layer

FEW = 256  # work items, done in some ten microseconds: fewer are not worth waking other threads for
GRAIN = 64  # work items of a piece, at least
PIECES = 8  # for each thread, which balances the load if one is late


class ParallelKernel:
    """A kernel, called as ``kernel(count, *args)``, of a function ``function(begin, end, *args)`` for a range of items.

    Fewer work items than `few` run on one core. With None, the caller chooses `count` and each item is a piece.
    Otherwise a piece has at least `grain` items.
    """

    def __init__(self, function: Callable, few: int | None = FEW, grain: int = GRAIN):
        functools.update_wrapper(self, function)
        count = inspect.Parameter("count", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        self.__signature__ = inspect.Signature([count, *list(inspect.signature(function).parameters.values())[2:]])
        self.py_func = function
        self.few = few
        self.grain = grain
        self._piece = cpu_kernel(function)

    def __call__(self, count: int, *args: Any, **launch: Any) -> None:
        """Run over `count` work items. `launch` are options of CUDA kernels, which are ignored."""
        pieces = 1
        if self.few is None:
            pieces = count
        elif count >= self.few and (threads := threads_for(count, self.few)) > 1:
            pieces = min(threads * PIECES, count // self.grain)
        if pieces > 1 and enter_region():
            try:
                self._spread(count, pieces, *threading_layer(), args)
            finally:
                leave_region()
        else:
            self._piece(0, count, *args)

    @functools.cached_property
    def _spread(self) -> Any:
        """The parallel region: the function for a range of items, called by several threads."""
        piece = self._piece

        def spread(count: int, pieces: int, threads: int, layer: int, args: Any) -> None:
            in_parallel(piece, count, pieces, threads, layer, args)

        spread.__name__ = self.py_func.__name__
        spread.__qualname__ = f"{self.py_func.__qualname__}.parallel"
        spread.__module__ = self.py_func.__module__
        return cpu_kernel(spread, assembled=True)


def parallel_kernel(function: Callable | None = None, *, few: int | None = FEW, grain: int = GRAIN) -> Any:
    """Decorate a function for a range of work items as a `ParallelKernel`."""
    if function is None:
        return functools.partial(parallel_kernel, few=few, grain=grain)
    if not is_compiling():
        return lambda count, *args, **launch: function(0, count, *args)
    return ParallelKernel(function, few, grain)
