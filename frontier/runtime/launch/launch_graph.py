"""CUDA graphs of launches: the driver repeats all of them in one call.

A launch costs the host some 4 microseconds, a graph of any length one or two, and a GPU starts a graph's next kernel
sooner than a separately queued one.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from typing import Any

from ..compile.toolchain import import_toolchain
from .arguments import ByValue
from .launch import Fill, Launch


class LaunchGraph:
    """Launches and fills in sequence, as a CUDA graph of the driver ``cuda.bindings.driver``.

    A graph contains copies of its kernels' parameters: before a launch, changed structs are copied again.
    """

    def __init__(self, driver: Any, steps: Sequence[Launch | Fill]):
        self._driver = driver
        self._launch, self._set = driver.cuGraphLaunch, driver.cuGraphExecKernelNodeSetParams
        graph = _done(driver.cuGraphCreate(0))
        weakref.finalize(self, driver.cuGraphDestroy, graph).atexit = False
        users: dict[int, tuple[ByValue, dict[int, tuple[Any, Any]]]] = {}  # of each struct: nodes, with parameters
        before: list[Any] = []
        for at, step in enumerate(steps):
            if isinstance(step, Fill):
                node = self._add_fill(graph, before, step)
            else:
                node, parameters = self._add_launch(graph, before, step)
                for value in step.arguments:
                    if isinstance(value, ByValue):
                        users.setdefault(id(value), (value, {}))[1][at] = node, parameters
            before = [node]
        self._structs = [[value, value.fields.tobytes(), nodes] for value, nodes in users.values()]
        self._executable = executable = _done(driver.cuGraphInstantiate(graph, 0))
        weakref.finalize(self, driver.cuGraphExecDestroy, executable).atexit = False

    def run(self, stream: int) -> None:
        """Queue all of it on a stream."""
        changed: dict[int, tuple[Any, Any]] = {}  # each node once, however many of its structs have changed
        for struct in self._structs:
            value, known, nodes = struct
            now = value.fields.tobytes()
            if now != known:
                struct[1] = now
                changed |= nodes
        executable = self._executable
        for node, parameters in changed.values():
            (error,) = self._set(executable, node, parameters)
            if error:
                _done((error,))
        (error,) = self._launch(executable, stream)
        if error:
            _done((error,))

    def _add_launch(self, graph: Any, before: list[Any], step: Launch) -> tuple[Any, Any]:
        driver = self._driver
        parameters = driver.CUDA_KERNEL_NODE_PARAMS()
        parameters.func = driver.CUfunction(step.pointer)
        parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ = step.blocks, 1, 1
        parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ = step.threads, 1, 1
        parameters.sharedMemBytes = step.shared
        parameters.kernelParams = step.parameters.address
        node = _done(driver.cuGraphAddKernelNode(graph, before, len(before), parameters))
        if step.cooperative:
            value = driver.CUkernelNodeAttrValue()
            value.cooperative = 1
            name = driver.CUkernelNodeAttrID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
            _done(driver.cuGraphKernelNodeSetAttribute(node, name, value))
        return node, parameters

    def _add_fill(self, graph: Any, before: list[Any], step: Fill) -> Any:
        driver, array = self._driver, step.array
        size = 4 if array.nbytes % 4 == 0 and array.data.ptr % 4 == 0 else 1  # bytes that are set at a time
        parameters = driver.CUDA_MEMSET_NODE_PARAMS()
        parameters.dst = array.data.ptr
        parameters.elementSize = size
        parameters.value = int.from_bytes(bytes([step.byte]) * size, "little")
        parameters.width, parameters.height, parameters.pitch = array.nbytes // size, 1, 0
        context = _done(driver.cuCtxGetCurrent())
        return _done(driver.cuGraphAddMemsetNode(graph, before, len(before), parameters, context))


def graph_of(steps: Sequence[Launch | Fill]) -> LaunchGraph | None:
    """A CUDA graph of several steps, or None for a single one, which costs no less, or without a driver."""
    driver = _driver()
    if driver is None or len(steps) < 2:
        return None
    try:
        return LaunchGraph(driver, steps)
    except DriverError:  # of graphs, such as too little memory: by themselves, they may run
        return None


class DriverError(RuntimeError):
    """An error that the CUDA driver returned."""


@functools.cache
def _driver() -> Any:
    """``cuda.bindings.driver``, or None where there is no driver that it could call."""
    import_toolchain()
    from cuda.bindings import driver

    try:
        _done(driver.cuDriverGetVersion())
    except RuntimeError:  # it finds no driver, too
        return None
    return driver


def _done(returned: tuple) -> Any:
    """The results of a driver call without its error. Raises DriverError for an error."""
    error, *values = returned
    if error:
        raise DriverError(f"the CUDA driver returned {error.name}")
    return values[0] if values else None
