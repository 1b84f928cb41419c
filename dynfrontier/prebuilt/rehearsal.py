"""Which CUDA kernels algorithms ask for on a GPU, found on a machine without one.

An algorithm runs on a small graph on a CPU. When it comes to a function of the operators that does one thing on a GPU
and another on a CPU, that function runs three times: first as on a GPU, where kernels are noted and not launched, and
what it returns or raises is dropped, for graphs of short neighbor lists and for those of long ones (which of them a
graph is, is decided when it is first used); then as it was meant. What else an algorithm asks for depends on its data:
it should be run on graphs that make it go all its ways. What was not noted is compiled by those who need it.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import frontier.operators
from frontier.functor import CudaFunctor
from frontier.operators.dispatch.gpu_balance import TILE_SIZES
from frontier.operators.dispatch.kernels import cuda_request
from frontier.runtime import Device
from frontier.runtime.compile import cuda, kernels
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from frontier.runtime.compile.prebuilt import Defines, code_name

OPERATORS = "frontier.operators."
ALGORITHMS = "algorithms."
MAX_LAUNCHES = 8
"""Of a function that runs as on a GPU: one may wait for what a kernel would write."""


class Request(NamedTuple):
    """Kernels that were asked for: a header, its macros, and the functors that are linked to it."""

    header: str
    defines: Defines
    functors: tuple[CudaFunctor, ...] = ()


class RehearsingDevice(Device):
    """A CPU that is a GPU for algorithms, and for functions of the operators while they run as on one."""

    def __init__(self) -> None:
        super().__init__("cpu", np)

    def __post_init__(self) -> None:
        """Nothing: what the device is depends on who asks."""

    @property
    def is_gpu(self) -> bool:  # type: ignore[override]
        asks = sys._getframe(1).f_globals["__name__"]
        return asks.startswith(ALGORITHMS) or (asks.startswith(OPERATORS) and _Pretence.current is not None)


class Rehearsal:
    """What was asked for while it was `watching`.

    Attributes
    ----------
    requests : dict of str to Request
        By the names that machine code has in archives.
    nameless : list of Request
        Those that no archive can hold.
    failures : dict of (str, str) to int
        Functions that could not be run as on a GPU, with the error, and how often.
    """

    def __init__(self) -> None:
        self.requests: dict[str, Request] = {}
        self.nameless: list[Request] = []
        self.failures: dict[tuple[str, str], int] = {}

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Within the block, note what is asked for on graphs of a `RehearsingDevice`, in this thread."""
        for found in pkgutil.walk_packages(frontier.operators.__path__, OPERATORS):
            importlib.import_module(found.name)
        before, load = sys.getprofile(), kernels._load

        def note_package(package: str, device: Device, defines: Defines) -> Any:
            found = load(package, device, defines)
            if defines and (PROJECT_ROOT / found.source[0]).exists():  # CPUs have kernels without macros or a twin
                self.note(Request(*found.source))
            return found

        with ExitStack() as stack:
            for name, stand_in in self._stand_ins().items():
                for module in [module for path, module in sys.modules.items() if path.startswith(OPERATORS)]:
                    if name in vars(module):
                        stack.enter_context(mock.patch.object(module, name, stand_in))
            stack.enter_context(mock.patch.object(kernels, "_load", note_package))
            stack.enter_context(mock.patch.object(cuda, "load_kernel", self._load_kernel))
            stack.enter_context(mock.patch.object(cuda, "multiprocessors", lambda: 1))
            for name in ("shared_memory", "shared_memory_each"):
                stack.enter_context(mock.patch.object(cuda, name, lambda: 2**16))
            sys.setprofile(_Watch(self).event)
            try:
                yield
            finally:
                sys.setprofile(before)

    def _stand_ins(self) -> dict[str, Any]:
        """What stands for that of the operators which needs a GPU."""
        return {
            "cuda_kernels_for": self._kernels_for,
            "find_plan": lambda *args: None,  # what is prepared asks for no kernels
            "launch_balanced": _launch_nothing,
            "launch_expansion": _launch_nothing,
            "clear": lambda graph, out: out.fill(0),
            "Pieces": _NoPieces,
            "Ahead": lambda *args: _NoKernels(),
            "tile_size": lambda graph: _Pretence.current.tile if _Pretence.current else TILE_SIZES[0],
        }

    def _kernels_for(
        self, graph: Any, header: str, functors: tuple, args: tuple, options: tuple = ()
    ) -> _NoKernels:  # fmt: skip
        self.note(Request(header, *cuda_request(graph, functors, args, options)))
        return _NoKernels()

    def _load_kernel(self, header: str, name: str, defines: Defines, functors: tuple = ()) -> Callable[..., None]:
        self.note(Request(header, defines))
        return _launch_nothing

    def note(self, request: Request) -> None:
        """Take note of kernels that were asked for."""
        name = code_name(*request)
        if name is not None:
            self.requests.setdefault(name, request)
        elif request not in self.nameless:
            self.nameless.append(request)


class _EnoughError(Exception):
    """A function that runs as on a GPU goes on and on."""


class _Pretence:
    """A function that runs as on a GPU."""

    current: _Pretence | None = None

    def __init__(self, tile: str):
        self.tile = tile
        self.launches = 0


def _launch_nothing(*args: Any, **options: Any) -> None:
    pretence = _Pretence.current
    if pretence is not None:
        pretence.launches += 1
        if pretence.launches > MAX_LAUNCHES:
            raise _EnoughError


class _NoKernels:
    """Kernels that do nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return _launch_nothing


class _NoPieces:
    needed = False
    args = ()

    def __init__(self, *args: Any):
        pass


class _Watch:
    """Runs functions of the operators as on a GPU before they run; not those that they call."""

    def __init__(self, rehearsal: Rehearsal):
        self._rehearsal = rehearsal
        self._differs: dict[CodeType, bool] = {}
        self._inside: FrameType | None = None

    def event(self, frame: FrameType, event: str, argument: Any) -> None:
        """What Python calls for each call of a function and each return."""
        if event == "return":
            if frame is self._inside:
                self._inside = None
        elif event == "call" and self._inside is None:
            code = frame.f_code
            differs = self._differs.get(code)
            if differs is None:
                module = frame.f_globals.get("__name__", "")
                differs = self._differs[code] = module.startswith(OPERATORS) and "is_gpu" in code.co_names
            if differs:
                self._inside = frame
                self._run(frame)

    def _run(self, frame: FrameType) -> None:
        for tile in TILE_SIZES:
            _Pretence.current = _Pretence(tile)
            try:
                _call_again(frame)
            except _EnoughError:
                pass
            except Exception as error:
                failures, place = self._rehearsal.failures, (frame.f_code.co_qualname, repr(error))
                failures[place] = failures.get(place, 0) + 1
            finally:
                _Pretence.current = None


def _call_again(frame: FrameType) -> None:
    """Call a function that has just been called, with the same arguments."""
    code, values = frame.f_code, frame.f_locals
    if code.co_freevars:
        raise TypeError("a function of the operators that does other things on a GPU has free variables")
    names, fixed = code.co_varnames, code.co_argcount + code.co_kwonlyargcount
    positional = [values[name] for name in names[: code.co_argcount]]
    if names[:1] == ("self",):
        positional[0] = copy.copy(positional[0])  # which may be changed
    keywords = {name: values[name] for name in names[code.co_argcount : fixed]}
    if code.co_flags & inspect.CO_VARARGS:
        positional += values[names[fixed]]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        keywords |= values[names[fixed + bool(code.co_flags & inspect.CO_VARARGS)]]
    FunctionType(code, frame.f_globals)(*positional, **keywords)
