"""The choice of a device, and the error if none fits."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from frontier.runtime import device


@pytest.fixture
def cupy(monkeypatch):
    """A CuPy that sees one GPU, with a settable version."""

    class CUDARuntimeError(Exception):
        pass

    runtime = SimpleNamespace(getDeviceCount=lambda: 1, CUDARuntimeError=CUDARuntimeError)
    module = SimpleNamespace(__version__="14.1.1", cuda=SimpleNamespace(runtime=runtime), ndarray=np.ndarray)
    monkeypatch.setitem(sys.modules, "cupy", module)
    device.gpu_available.cache_clear()
    device._gpu.cache_clear()
    yield module
    device.gpu_available.cache_clear()
    device._gpu.cache_clear()


@pytest.mark.parametrize("version", ["14.1.1", "14.1.1rc1", "14.2.0", "14.10.0", "15.0.0a1", "20.0"])
def test_a_cupy_that_will_do(cupy, version):
    cupy.__version__ = version
    assert device.resolve_device("gpu").is_gpu
    assert device.resolve_device("auto").is_gpu


@pytest.mark.parametrize("version", ["9.6.0", "13.6.0", "14.0.1", "14.1.0", "14.1"])
def test_a_cupy_that_is_too_old(cupy, version):
    """It may return a wrong sort when memory runs out."""
    cupy.__version__ = version
    with pytest.warns(UserWarning, match=rf"GPU is not used: CuPy {version} .*14\.1\.1 or newer"):
        assert not device.resolve_device("auto").is_gpu
    with pytest.raises(RuntimeError, match=rf"device='gpu' .*CuPy {version} .*14\.1\.1 or newer"):
        device.resolve_device("gpu")


def test_a_cupy_without_a_gpu(cupy):
    cupy.__version__ = "13.6.0"
    cupy.cuda.runtime.getDeviceCount = lambda: 0
    assert not device.resolve_device("auto").is_gpu
    with pytest.raises(RuntimeError, match="sees no GPU"):
        device.resolve_device("gpu")


def test_a_child_may_use_a_gpu_unless_its_parent_did(cupy, monkeypatch):
    monkeypatch.setattr(device, "_cuda_forked", False)
    device._after_fork()  # as in a child of a process that has not asked for a GPU
    assert device.resolve_device("gpu").is_gpu
    device._after_fork()
    with pytest.raises(RuntimeError, match="fork"):
        device.resolve_device("gpu")
