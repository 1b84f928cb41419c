"""Kernels that an analytic will ask operators for, listed before it does: compiled while it is constructed.

A list is text. It is made by running the analytic where no GPU is needed (``dynfrontier/prebuilt/rehearsal.py``), and
names headers, macros, and the functors that are linked to them. Kernels on no list are compiled on first use.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import reduce
from threading import Thread
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

from frontier.core.base import BaseGraph
from frontier.functor import CudaFunctor, GraphForm
from frontier.runtime.compile.caches import clearable
from frontier.runtime.compile.requests import requests
from frontier.runtime.log import logger

from .kernels import codes_of, edge_macros, view_macros

LOCALS = "<locals>"


class UnlistedError(ValueError):
    """A functor, or a value that it names, has no text."""


# ---- text of functors ------------------------------------------------------------------------------------------------


def value_text(value: Any) -> Any:
    """A value that a functor is made with, as JSON has it."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.dtype):
        return {"dtype": value.name}
    if isinstance(value, np.generic):
        return {"number": value.dtype.name, "value": value.item()}
    if isinstance(value, tuple):
        return [value_text(each) for each in value]
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if isinstance(value, FunctionType) and LOCALS in value.__qualname__:
        return _nested_text(value)
    if module is None or name is None or _named(module, name) is not value:
        raise UnlistedError(f"{value!r} has no text")
    return {"name": f"{module}:{name}"}


def value_of(text: Any) -> Any:
    """The value that `value_text` has described."""
    if isinstance(text, list):
        return tuple(value_of(each) for each in text)
    if not isinstance(text, dict):
        return text
    if "dtype" in text:
        return np.dtype(text["dtype"])
    if "number" in text:
        return np.dtype(text["number"]).type(text["value"])
    if "cells" in text:
        return _nested(text)
    return _named(*text["name"].split(":"))


def _named(module: str, name: str) -> Any:
    return reduce(getattr, name.split("."), importlib.import_module(module))


def _nested_text(function: FunctionType) -> dict[str, Any]:
    """A function that another one has made: equal functions have equal code and cells."""
    outer = function.__qualname__.rpartition(f".{LOCALS}.")[0]
    if LOCALS in outer or function.__kwdefaults__:
        raise UnlistedError(f"{function.__qualname__} is nested too deeply, or has defaults")
    alike = _codes(_named(function.__module__, outer), function.__name__)
    values = [cell.cell_contents for cell in function.__closure__ or ()]
    return {
        "name": f"{function.__module__}:{outer}", "nested": function.__name__, "at": alike.index(function.__code__),
        "cells": [value_text(value) for value in values], "defaults": value_text(function.__defaults__),
    }  # fmt: skip


def _nested(text: dict[str, Any]) -> FunctionType:
    module, outer = text["name"].split(":")
    code = _codes(_named(module, outer), text["nested"])[text["at"]]
    cells = tuple(CellType(value_of(each)) for each in text["cells"])
    return FunctionType(
        code, vars(importlib.import_module(module)), code.co_name, value_of(text["defaults"]), cells or None
    )  # fmt: skip


def _codes(outer: Any, name: str) -> list[CodeType]:
    """The code of the functions of a name that a function makes."""
    outer = getattr(outer, "__wrapped__", outer)
    return [each for each in outer.__code__.co_consts if isinstance(each, CodeType) and each.co_name == name]


# ---- text of requests ------------------------------------------------------------------------------------------------


def request_text(graph: BaseGraph, header: str, defines: tuple, functors: tuple) -> dict[str, Any]:
    """A request of an analytic of `graph` as JSON values, without the macros of the graph's own view."""
    return {
        "header": header, **_macros_text(graph, defines),
        "functors": [_linked_text(graph, functor) for functor in functors],
    }  # fmt: skip


def request_of(graph: BaseGraph, text: Mapping[str, Any]) -> tuple[str, tuple, tuple]:
    """The header, macros and functors that `request_text` has described, for another graph."""
    functors = tuple(_linked(graph, each) for each in text["functors"])
    return text["header"], _macros(graph, text), functors


def _macros_text(graph: BaseGraph, defines: tuple) -> dict[str, Any]:
    own, given = view_macros(graph), dict(defines)
    if own.keys() <= given.keys() and own["VIEW_HEADER"] == given["VIEW_HEADER"]:
        return {"own": True, "macros": {name: value for name, value in given.items() if own.get(name) != value}}
    return {"own": False, "macros": given}


def _macros(graph: BaseGraph, text: Mapping[str, Any]) -> tuple:
    return tuple(sorted({**(view_macros(graph) if text["own"] else {}), **text["macros"]}.items()))


def _linked_text(graph: BaseGraph, linked: CudaFunctor | GraphForm) -> dict[str, Any]:
    if isinstance(linked, GraphForm):
        return {"weight": linked.weight, **_macros_text(graph, linked.defines)}
    if linked.checked:
        raise UnlistedError("functors that are checked are compiled for those who look for mistakes")
    return {
        "function": value_text(linked.function), "symbol": linked.symbol,
        "result": None if linked.result is None else np.dtype(linked.result).name,
        "parameters": [
            [_linked_text(graph, dtype) if isinstance(dtype, GraphForm) else np.dtype(dtype).name, ndim]
            for dtype, ndim in linked.parameters
        ],
    }  # fmt: skip


def _linked(graph: BaseGraph, text: Mapping[str, Any]) -> CudaFunctor | GraphForm:
    if "function" not in text:
        return GraphForm(_macros(graph, text), text["weight"])
    parameters = tuple(
        (_linked(graph, dtype) if isinstance(dtype, dict) else np.dtype(dtype), ndim)
        for dtype, ndim in text["parameters"]
    )
    result = None if text["result"] is None else np.dtype(text["result"])
    return CudaFunctor(value_of(text["function"]), text["symbol"], result, parameters)  # type: ignore[arg-type]


# ---- compiling -------------------------------------------------------------------------------------------------------


LONG = "frontier/operators/traverse/traverse.cuh", "frontier/operators/intersect/intersect.cuh"
"""Headers whose kernels take most of a second to compile, where others take a tenth. Functors are compiled one after
another, so functors of these headers come first."""
_begun: dict[tuple, Ahead] = clearable({})
"""Lists whose compilation was started, by analytic and the graph's kernels, which represent structure and dtypes."""


class Ahead:
    """Kernels of a list that are being compiled in other threads and processes."""

    def __init__(self, graph: BaseGraph, texts: list[Mapping[str, Any]]):
        from frontier.runtime.compile.cuda import current_arch

        self._arch = current_arch()
        self._found: list[tuple[str, tuple, Any]] = []
        self._thread = Thread(target=self._begin, args=(graph, texts), name="dynfrontier-functors")
        self._thread.start()

    def _begin(self, graph: BaseGraph, texts: list[Mapping[str, Any]]) -> None:
        from frontier.runtime.compile.cuda import compile_ahead, shipped_cubin

        for text in sorted(texts, key=lambda text: (bool(text["functors"]), text["header"] not in LONG)):
            try:
                header, defines, functors = request_of(graph, text)
                codes: Any = shipped_cubin(header, defines, self._arch, functors)
                if codes is None:
                    codes = codes_of(functors, self._arch)
                    compile_ahead(header, defines, codes)
            except Exception as error:  # of a list that is older than the code
                logger.debug("kernels of %s are compiled when they are needed: %r", text.get("header"), error)
            else:
                self._found.append((header, defines, codes))

    def wait(self) -> None:
        """Block until they are compiled, and load the kernels onto the current device."""
        from frontier.runtime.compile.cuda import load_module

        self._thread.join()
        while self._found:
            load_module(*self._found.pop())


def compile_listed(
    graph: BaseGraph, name: str, list_of: Callable[[str, BaseGraph], list[Mapping[str, Any]]]
) -> Callable[[], None]:
    """Start compiling and loading the kernels of a list for a graph on a GPU, once in a process.

    Parameters
    ----------
    name : str
        The analytic's.
    list_of : callable
        Returns the list (`request_text`) for an analytic and a graph.

    Returns
    -------
    function
        Blocks until they are loaded.

    See Also
    --------
    is_warming_up : Whether kernels are being compiled ahead.
    """
    if not graph.device.is_gpu or graph.in_parts or requests.listener is not None:  # it would list the requests again
        return lambda: None
    key = name, graph.store.kernels, edge_macros(graph), graph.directed, graph.has_in_edges
    if key not in _begun:
        _begun[key] = Ahead(graph, list_of(name, graph))
    return _begun[key].wait
