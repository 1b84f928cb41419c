"""The machinery that all operators share: specialised kernels, found again in a dictionary, and per-graph state."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import lru_cache, partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np

from frontier.core.base import BaseGraph
from frontier.core.locking import workspace_of
from frontier.functor import (
    ARRAY_DTYPES,
    NUMBERS,
    CudaFunctor,
    GraphForm,
    blamed,
    c_parameters,
    check_functor,
    cpu_functor,
    explain,
    functor_argument,
    functor_identity,
    is_about_fields,
    parameter_types,
)
from frontier.functor.check import names_parameter
from frontier.functor.checking import bounds_checked, check_report, checked_arguments, is_checking
from frontier.runtime.compile import warm_up
from frontier.runtime.compile.caches import clearable
from frontier.runtime.compile.cpu import interpreting, uncompiled
from frontier.runtime.compile.kernels import Header, define_text
from frontier.runtime.compile.prebuilt import Shipped
from frontier.runtime.compile.requests import Request, requests
from frontier.runtime.threads import has_one_thread

from .gpu_balance import TILE_SIZES, other_lanes
from .graph_arguments import argument_on_cpu, argument_on_gpu, iterator_of
from .weights import ByEdge

_kernels: dict[Any, Any] = clearable({})  # by the functors in them


def functor_args(graph: BaseGraph, function: Callable, args: tuple) -> tuple:
    """Users' arguments as kernels expect them (`functor_argument`), then a report if functors are checked."""
    values, array = [], graph.device.xp.ndarray
    for i, value in enumerate(args):
        kind = type(value)
        if kind in NUMBERS:
            value = NUMBERS[kind](value)
        elif not (kind is array and value.ndim == 1 and value.dtype in ARRAY_DTYPES and value.flags.c_contiguous):
            value = functor_argument(graph.device, getattr(function, "__name__", "op"), i, value, graph_argument)
        values.append(value)
    return checked_arguments(graph.device, tuple(values)) if is_checking() else tuple(values)


def graph_argument(graph: BaseGraph) -> Any:
    """A graph as functors have it that were given it as an argument, in any form
    (`frontier.functor.intrinsics.neighbors`)."""
    if graph.device.is_gpu:
        return argument_on_gpu(graph, view_macros(graph), workspace_of(graph))
    return argument_on_cpu(graph, graph.store.bare_view(), readable_weights(graph))


def cpu_kernel_for(
    graph_package: str | None, make: Callable, functors: tuple, *options: Any, alone: bool = False
) -> Any:  # fmt: skip
    """The kernel that `make` makes for a structure and functors (None if absent), `alone` if one thread calls them
    all, as in a process with one thread."""
    alone = alone or has_one_thread()
    if interpreting.get():
        iterators = iterators_of(graph_package)
        return uncompiled(lambda: make(*iterators, *functors, *options))
    checked = bounds_checked.get()
    key = (graph_package, make, tuple(map(functor_identity, functors)), options, checked, alone)
    found = _kernels.get(key)
    if found is None:
        compiled = (f and cpu_functor(f, checked=checked, alone=alone) for f in functors)
        found = make(*iterators_of(graph_package), *compiled, *options)
        _kernels[key] = found = _checked_after(found) if checked and functors else found
    return found


def _checked_after(launch: Callable[..., None]) -> Callable[..., None]:
    """A kernel whose functors check their indices. Each call synchronizes, and raises the error of a bad index."""

    def launch_and_check(*args: Any, **options: Any) -> None:
        launch(*args, **options)
        check_report()

    return launch_and_check


def iterators_of(graph_package: str | None) -> list[ModuleType]:
    """The module that defines a structure's neighbor iterator, if there is a structure."""
    return [] if graph_package is None else [iterator_of(graph_package)]


EDGE_POSITION, WEIGHT_POSITION = 2, 3
"""Positions among a functor's parameters ``(src, dst, edge, weight)``."""


def read_view(graph: BaseGraph, op: Callable | None, weighted: bool = False) -> tuple[Any, Any]:
    """The view for CPU kernels that call `op` with arcs, and the weights (ids with edge data), unless none are read."""
    edge, weight = (False, False) if op is None else _reads(op.__code__)
    return view_and_weights(graph, edge, weight or weighted)


def reads_of(op: Callable | None) -> tuple[bool, bool]:
    """Whether a functor over arcs looks at their slots or ids, and at their weights."""
    return (False, False) if op is None else _reads(op.__code__)


@clearable
@lru_cache(4096)
def _reads(code: CodeType) -> tuple[bool, bool]:
    return names_parameter(code, EDGE_POSITION), names_parameter(code, WEIGHT_POSITION)


def view_and_weights(graph: BaseGraph, edge: bool, weight: bool) -> tuple[Any, Any]:
    """`read_view`, for kernels that look at the arcs' slots or ids, and at their weights, or not."""
    if graph.payload.table is not None:
        return graph.store.bare_view(), readable_weights(graph, weight) if edge or weight else None
    return (graph.view(), graph.store.weights) if weight else (graph.store.bare_view(), None)


def readable_weights(graph: BaseGraph, weighted: bool = True) -> Any:
    """The graph's weights as CPU kernels read them (`weight_at`), or, without `weighted`, only the edges."""
    if graph.payload.table is None:
        return graph.store.weights
    return ByEdge(graph.store.weights, graph.payload.table.weights if weighted else None)


def run_cpu(kernel: Any, functors: tuple, *args: Any) -> None:
    """Call a kernel, turning Numba's errors about a functor into ours."""
    try:
        kernel(*args)
    except (numba.core.errors.NumbaError, TypeError) as error:
        function = blamed(functors, error)
        if function is None or (isinstance(error, TypeError) and not is_about_fields(error)):
            raise
        raise explain(function, error, "the CPU") from None


A_TRUTH = "True or False"
A_NUMBER = "a number"


_checked: dict[tuple, tuple[weakref.ref, Any, Any]] = clearable({})  # functors whose form was checked
"""Functors whose form was found good, by address and use: the functor, its code and defaults at that time."""


def check_op(function: Any, name: str, parameters: tuple[str, ...], args: tuple, wanted: str | None = None) -> None:
    """Check a functor's form, once for as long as its code and defaults are the same objects."""
    key = (id(function), name, parameters, len(args), wanted)
    found = _checked.get(key)
    if found is not None:
        held, code, defaults = found
        if held() is function and function.__code__ is code and function.__defaults__ is defaults:
            return
    check_functor(function, name, parameters, len(args), wanted)
    if isinstance(function, FunctionType):
        forget = _checked.pop  # not by its global name, which is gone at the end of the process
        _checked[key] = weakref.ref(function, lambda _: forget(key, None)), function.__code__, function.__defaults__


def cuda_kernels_for(
    graph: BaseGraph,
    header: str,
    functors: tuple[tuple[str, Callable | None, tuple[Any, ...], Any], ...],
    args: tuple,
    options: tuple[tuple[str, str], ...] = (),
) -> CudaKernels:
    """Return the CUDA kernels of an operator's header, linked with functors, for users' `args` from `functor_args`.

    A functor is (symbol, function or None, parameter kinds, result dtype or None). Kinds are ``"vertex"``, ``"edge"``,
    ``"weight"``, ``"column"``, a dtype, and ``"value"`` for a custom reduction, which has the dtype of its result and
    receives no users' arguments. `options` are more macros.
    """
    if interpreting.get() and functors and requests.listener is None:
        raise ValueError("functors are interpreted only on CPU graphs: make the graph with device='cpu'")
    # The graph's own kernels stand for its structure and all macros: they are one object for each.
    checked = is_checking()
    key = (
        header, graph.store.kernels, edge_macros(graph), parameter_types(args), options, checked,
        tuple((symbol, functor_identity(f), result) for symbol, f, _, result in functors),
    )  # fmt: skip
    found = _kernels.get(key)
    if found is None:
        if requests.listener is not None:
            for macros in (options, *filter(None, [other_lanes(options)])):
                requests.listener.note(Request(header, *cuda_request(graph, functors, args, macros)))
            return requests.listener.kernels
        from frontier.runtime.compile.cuda import current_arch, shipped_cubin

        arch = current_arch()
        defines, linked = cuda_request(graph, functors, args, options)
        shipped = shipped_cubin(header, defines, arch, linked)
        codes = codes_of(linked, arch) if shipped is None else shipped
        found = _kernels[key] = (CheckedKernels if checked else CudaKernels)(header, defines, codes)
    if warm_up.is_warming_up() and (others := other_lanes(options)) is not None:
        either = tuple(frozenset((options, others)) if part is options else part for part in key)
        warm_up.add(either, lambda: begin_to_load(cuda_kernels_for(graph, header, functors, args, others)))
    return found


def begin_to_load(kernels: CudaKernels) -> Callable[[], Any]:
    """Start compiling kernels in another thread, and return a function that blocks until then and loads them."""
    from frontier.runtime.compile.cuda import compile_ahead, load_module

    header, defines, codes = kernels._origin
    if not isinstance(codes, Shipped):
        compile_ahead(header, defines, codes)
    return partial(load_module, header, defines, codes)


def edge_macros(graph: BaseGraph) -> tuple[tuple[str, str], ...]:
    """The macros for the fields that edge data adds to the view of a structure."""
    if graph.payload.table is None:
        return ()
    weight = define_text(graph.weight_dtype or np.dtype(np.float32))
    return (
        ("EDGE_WEIGHT", weight), ("STRUCTURE_VIEW", _view_header(graph)),
        ("VIEW_HEADER", '"frontier/cuda/edge_data_view.cuh"'),
    )  # fmt: skip


def view_macros(graph: BaseGraph) -> dict[str, str]:
    """The macros with which a graph's view is compiled."""
    own = {name: define_text(value) for name, value in graph.store.defines.items()}
    return {**own, "VIEW_HEADER": _view_header(graph), **dict(edge_macros(graph))}


def _view_header(graph: BaseGraph) -> str:
    return f'"{graph.package.replace(".", "/")}/view.cuh"'


def codes_of(linked: tuple[CudaFunctor | GraphForm, ...], arch: str) -> tuple[bytes, ...]:
    """The LTO-IR of functors, and of the functions that walk their graph arguments."""
    capability = (int(arch[3:-1]), int(arch[-1]))
    return tuple(functor.code(capability) for functor in linked)


def cuda_request(
    graph: BaseGraph, functors: tuple, args: tuple, options: tuple
) -> tuple[tuple[tuple[str, str], ...], tuple[CudaFunctor | GraphForm, ...]]:
    """The macros and the functors with which an operator's header is compiled. Nothing is compiled yet."""
    types = parameter_types(args)
    kinds = {
        "vertex": graph.vertex_dtype,
        "edge": np.dtype(np.int64),
        "column": np.dtype(np.int64),
        "weight": graph.weight_dtype or np.dtype(np.float32),
    }
    linked: list[CudaFunctor | GraphForm] = list({dtype: None for dtype, _ in types if isinstance(dtype, GraphForm)})
    for symbol, function, parameters, result in functors:
        if function is not None:
            of_values = "value" in parameters  # without arrays, whose indices could be checked
            full = tuple((result if of_values else kinds.get(kind, kind), 0) for kind in parameters)
            full = full if of_values else full + types
            linked.append(CudaFunctor(function, symbol, result, full, is_checking() and not of_values))
    declared, named = c_parameters(types)
    defines = {**view_macros(graph), "ARG_PARAMS": declared, "ARG_NAMES": named, **dict(options)}
    return tuple(sorted(defines.items())), tuple(linked)


def plain_kernels(graph: BaseGraph, header: str, *, by_lanes: bool = True) -> list[Header]:
    """The CUDA kernels of an operator without functors, for short neighbor lists and for long ones (`by_lanes`)."""
    options = [(("TILE_SIZE", lanes),) for lanes in TILE_SIZES] if by_lanes else [()]
    return [Header(header, graph.device, cuda_request(graph, (), (), each)[0]) for each in options]


class CudaKernels:
    """The kernels of one header, found as attributes when they are first asked for."""

    def __init__(self, header: str, defines: tuple, codes: tuple[bytes, ...] | Shipped):
        self._origin = (header, defines, codes)

    def __getattr__(self, name: str) -> Any:
        from frontier.runtime.compile.cuda import load_kernel

        header, defines, codes = self._origin
        kernel = self.__dict__[name] = load_kernel(header, name, defines, codes)
        return kernel


class CheckedKernels(CudaKernels):
    """Kernels whose functors check their indices."""

    def __getattr__(self, name: str) -> Any:
        launch = self.__dict__[name] = _checked_after(super().__getattr__(name))
        return launch
