"""Lists of launches as CUDA graphs, which the driver repeats in one call."""

from types import SimpleNamespace

import numpy as np
import pytest

from frontier.runtime import gpu_available
from frontier.runtime.launch import launch_graph
from frontier.runtime.launch.arguments import Struct
from frontier.runtime.launch.launch import Fill, Launch
from frontier.runtime.launch.launch_graph import DriverError, LaunchGraph, graph_of
from frontier.runtime.launch.plan import Plan

on_gpu = pytest.mark.skipif(not gpu_available(), reason="there is no GPU")


class Driver:
    """Requests of a graph to the CUDA driver, logged."""

    class CUkernelNodeAttrID:
        CU_LAUNCH_ATTRIBUTE_COOPERATIVE = "cooperative"

    CUDA_KERNEL_NODE_PARAMS = CUDA_MEMSET_NODE_PARAMS = CUkernelNodeAttrValue = SimpleNamespace
    CUfunction = int

    def __init__(self, failing=()):
        self.nodes, self.set, self.launched = [], [], []
        self._failing = failing

    def _return(self, name, *values):
        return SimpleNamespace(name="CUDA_ERROR") if name in self._failing else 0, *values

    def cuGraphCreate(self, flags):
        return self._return("create", "graph")

    def cuGraphAddKernelNode(self, graph, before, count, parameters):
        self.nodes.append((parameters, list(before)))
        return self._return("add", len(self.nodes) - 1)

    def cuGraphAddMemsetNode(self, graph, before, count, parameters, context):
        return self.cuGraphAddKernelNode(graph, before, count, parameters)

    def cuGraphKernelNodeSetAttribute(self, node, name, value):
        assert value.cooperative == 1
        self.nodes[node][0].attribute = name
        return self._return("attribute")

    def cuCtxGetCurrent(self):
        return self._return("context", "context")

    def cuGraphInstantiate(self, graph, flags):
        return self._return("instantiate", "executable")

    def cuGraphExecKernelNodeSetParams(self, executable, node, parameters):
        self.set.append(node)
        return self._return("set")

    def cuGraphLaunch(self, executable, stream):
        self.launched.append(stream)
        return self._return("launch")

    def cuGraphDestroy(self, graph):
        return self._return("destroy")

    cuGraphExecDestroy = cuGraphDestroy


def launch(*structs, cooperative=False):
    kernel = SimpleNamespace(function=SimpleNamespace(ptr=7), driver=None, stream=None, blocks_limit=0)
    words = [0] * (1 + len(structs))
    grid = {"blocks": 3, "threads": 64, "shared": 16, "cooperative": cooperative}
    return Launch(kernel, structs, words, list(enumerate(structs, 1)), **grid)


def test_steps_follow_one_another():
    driver = Driver()
    filled = SimpleNamespace(nbytes=12, data=SimpleNamespace(ptr=64))
    odd = SimpleNamespace(nbytes=5, data=SimpleNamespace(ptr=64))
    LaunchGraph(driver, [launch(), Fill(filled, 255), Fill(odd, 1), launch(cooperative=True)])
    (first, *_), (whole, *_), (bytewise, *_), (last, *_) = driver.nodes
    assert [before for _, before in driver.nodes] == [[], [0], [1], [2]]
    assert (first.func, first.gridDimX, first.blockDimX, first.sharedMemBytes) == (7, 3, 64, 16)
    assert (whole.elementSize, whole.width, whole.value) == (4, 3, 2**32 - 1)
    assert (bytewise.elementSize, bytewise.width, bytewise.value) == (1, 5, 1)
    assert not hasattr(first, "attribute") and last.attribute == "cooperative"


def test_kernels_get_what_has_changed():
    driver = Driver()
    one, two = Struct(("a", "b")), Struct(("c",))
    graph = LaunchGraph(driver, [launch(one), launch(two, one), launch(two), launch()])
    graph.run(5)
    assert driver.launched == [5] and not driver.set
    one.put("b", 1)
    graph.run(5)
    assert driver.set == [0, 1]
    two.set(1)
    graph.run(6)
    assert driver.set == [0, 1, 1, 2] and driver.launched == [5, 5, 6]


@pytest.mark.parametrize("failing", ["create", "add", "attribute", "instantiate"])
def test_launches_that_make_no_graph_are_queued_one_by_one(failing, monkeypatch):
    monkeypatch.setattr(launch_graph, "_driver", lambda: Driver(failing))
    assert graph_of([launch(), launch(cooperative=True)]) is None
    monkeypatch.setattr(launch_graph, "_driver", Driver)
    assert graph_of([launch(), launch()]) is not None
    assert graph_of([launch()]) is None
    monkeypatch.setattr(launch_graph, "_driver", lambda: None)
    assert graph_of([launch(), launch()]) is None


@pytest.mark.parametrize("failing", ["set", "launch"])
def test_errors_of_the_driver(failing):
    struct = Struct(("a",))
    graph = LaunchGraph(Driver((failing,)), [launch(struct), launch(struct)])
    struct.set(1)
    with pytest.raises(DriverError, match="the CUDA driver returned CUDA_ERROR"):
        graph.run(0)


@pytest.mark.gpu
@on_gpu
def test_a_list_is_repeated_with_other_numbers():
    """As a graph, where a driver exists, and one by one."""
    import cupy

    from frontier.core.batch import batch_kernels
    from frontier.runtime import fill_with, resolve_device
    from frontier.runtime.launch.arguments import Field

    ids = np.dtype(np.int32)
    kernels = batch_kernels(resolve_device("gpu"), ids, ids, None)
    src, dst, zeros = cupy.empty(8, ids), cupy.empty(8, ids), cupy.ones(4, np.int64)
    odd, latest = cupy.ones(5, np.uint8), cupy.zeros(1, ids)
    batch = Struct(("count", "src", "dst", "latest", "lower"))
    fields = [Field(batch, name) for name in batch.names]
    with Plan() as launches:
        fill_with(odd, 0)
        kernels.copy_padded(8, *fields[:3], src, dst, False, *fields[3:], zeros, zeros.size)
    assert odd.all()  # nothing has run
    graphs = launches._graph, None
    for size in (3, 8, 1):
        given = cupy.arange(size, dtype=ids)
        for launches._graph in graphs:
            odd.fill(1)
            zeros.fill(1)
            batch.set(size, given.data.ptr, given.data.ptr, latest.data.ptr, 1)
            launches.run()
            assert src.tolist() == dst.tolist() == [*range(size), *[-1] * (8 - size)]
            assert not odd.any() and not zeros.any()
    assert latest.tolist() == [-6]
