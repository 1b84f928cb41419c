"""The CUDA kernels that algorithms use on a GPU, found on a machine without one.

An algorithm runs on a small graph on a CPU. A function of the operators that differs by device runs twice. First it
runs as on a GPU: kernels are noted and not launched, and its result is dropped. Then it runs on the CPU. Kernels are
noted for graphs of short and of long neighbor lists. Further kernels depend on the data, so run an algorithm on graphs
that exercise all its paths. Kernels that were not noted are compiled at first use.
"""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType
from typing import Any
from unittest import mock

import numpy as np

from frontier.runtime import Device
from frontier.runtime.compile import cuda
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from frontier.runtime.compile.prebuilt import code_name
from frontier.runtime.compile.requests import Listener, Request, requests

OPERATORS = "frontier.operators."
ALGORITHMS = "algorithms."
PROPERTIES: dict[str, Any] = {
    "multiprocessors": lambda: 1, "cluster_blocks": lambda: 1, "shared_memory": lambda: 2**16,
    "shared_memory_each": lambda: 2**16,
}  # fmt: skip
"""Properties of a GPU, for machines without one."""
MAX_LAUNCHES = 8
"""Limit for a function that runs as on a GPU, which may loop until a kernel writes a result."""


class RehearsingDevice(Device):
    """A CPU that is a GPU for algorithms, and for functions of the operators while they run as on one."""

    def __init__(self) -> None:
        super().__init__("cpu", np)

    def __post_init__(self) -> None:
        """Do nothing: the kind of device depends on the caller."""

    @property
    def is_gpu(self) -> bool:  # type: ignore[override]
        asks = sys._getframe(1).f_globals["__name__"]
        return asks.startswith(ALGORITHMS) or (asks.startswith(OPERATORS) and _Pretence.current is not None)


class Rehearsal(Listener):
    """The kernels requested while it was `watching`.

    Attributes
    ----------
    requests : dict of str to Request
        By the names that machine code has in archives.
    nameless : list of Request
        Kernels that no archive can contain.
    failures : dict of (str, str) to int
        Functions that could not be run as on a GPU, with the error, and how often.
    """

    def __init__(self) -> None:
        self.requests: dict[str, Request] = {}
        self.nameless: list[Request] = []
        self.failures: dict[tuple[str, str], int] = {}

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Within the block, note this thread's requests for kernels on graphs of a `RehearsingDevice`."""
        before, loaded = sys.getprofile(), cuda.load_kernel.cache
        with mock.patch.multiple(cuda, **PROPERTIES), mock.patch.object(requests, "listener", self):
            loaded.clear()  # of kernels loaded earlier, and afterwards of kernels that do nothing
            sys.setprofile(_Watch(self).event)
            try:
                yield
            finally:
                sys.setprofile(before)
                loaded.clear()

    def note_package(self, request: Request) -> None:
        if request.defines and (PROJECT_ROOT / request.header).exists():  # CPUs have kernels without macros or a twin
            self.note(request)
            if ("ID", "int") in request.defines:  # constructors of graphs load the kernels for users' ids of both types
                both = {("ID", "int"): ("ID", "i64")}
                self.note(request._replace(defines=tuple(both.get(each, each) for each in request.defines)))

    def launch(self, *args: Any, **options: Any) -> None:
        pretence = _Pretence.current
        if pretence is not None:
            pretence.launches += 1
            if pretence.launches > MAX_LAUNCHES:
                raise _EnoughError

    def note(self, request: Request) -> None:
        name = code_name(*request)
        if name is not None:
            self.requests.setdefault(name, request)
        elif request not in self.nameless:
            self.nameless.append(request)


class _EnoughError(Exception):
    """A function that runs as on a GPU does not end."""


class _Pretence:
    """A function that runs as on a GPU."""

    current: _Pretence | None = None
    launches = 0


class _Watch:
    """Runs functions of the operators as on a GPU before they run, without the functions that they call."""

    def __init__(self, rehearsal: Rehearsal):
        self._rehearsal = rehearsal
        self._differs: dict[CodeType, bool] = {}
        self._inside: FrameType | None = None

    def event(self, frame: FrameType, event: str, argument: Any) -> None:
        """The profiling hook: Python calls it for each call of a function and each return."""
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
        _Pretence.current = _Pretence()
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
