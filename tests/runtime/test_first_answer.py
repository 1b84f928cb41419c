"""The kernels that the first answers on a new machine leave to CuPy's compiler."""

import json
import os
import subprocess
import sys

import emulator
import pytest

import frontier as fr
from benchmarks.cold_start import ANALYTICS, ask, attached
from frontier.core.structures import structures
from frontier.runtime import gpu_available
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

MOST = 2
"""Kernels of CuPy's, each of which costs a tenth of a second."""

SCRIPT = """
import json, sys
import cupy
import frontier as fr
from benchmarks.cold_start import ANALYTICS, ask, attached
from benchmarks.compilations import recorded

edges = fr.io.rmat(scale=14, edge_factor=16, seed=1)
src, dst = cupy.asarray(edges.src), cupy.asarray(edges.dst)
cupy.cuda.Device().synchronize()
with recorded() as log:
    graph = fr.structures()[sys.argv[1]](edges.num_vertices, device="gpu", directed=False)
    observers = [attached(graph, analytic) for analytic in ANALYTICS]
    graph.insert_edges(src[: 1 << 16], dst[: 1 << 16])
    ask(observers)
print(json.dumps([entry.name for entry in log if entry.compiler == "cupy"]))
"""


@pytest.mark.gpu
@pytest.mark.skipif(
    not gpu_available() or os.environ.get("DYNFRONTIER_EMULATED_GPU") == "1", reason="CuPy compiles on GPUs alone"
)
@pytest.mark.parametrize("name", structures())
def test_few_kernels_of_cupy_are_compiled(name):
    """In a process that has compiled nothing yet. Kernels on disk count as well."""
    command = [sys.executable, "-c", SCRIPT, name]
    done = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    compiled = json.loads(done.stdout.splitlines()[-1])
    assert len(compiled) <= MOST, "\n".join(compiled)


OTHERWISE = "frontier/runtime/memory/elementwise.py", "frontier/runtime/memory/transfer.py"
"""The modules that call the driver on GPUs, and NumPy for emulated ones."""


@pytest.mark.gpu
@pytest.mark.skipif(not emulator.wanted(), reason="on a GPU CuPy tells what it compiles")
@pytest.mark.parametrize("name", structures())
def test_batches_leave_nothing_to_cupy(name):
    """On an emulated GPU, where each use of CuPy that would compile is seen, even if it was compiled before."""
    import cupy
    from emulator.compilations import compilations

    edges = fr.io.rmat(scale=7, edge_factor=8, seed=1)
    src, dst = cupy.asarray(edges.src), cupy.asarray(edges.dst)
    with compilations() as found:
        graph = structures()[name](edges.num_vertices, device="gpu", directed=False)
        observers = [attached(graph, analytic) for analytic in ANALYTICS]
        for begin in range(0, src.size, 256):
            graph.insert_edges(src[begin : begin + 256], dst[begin : begin + 256])
            ask(observers)
            graph.delete_edges(src[begin : begin + 64], dst[begin : begin + 64])
            ask(observers)
    assert not [line for line in found if not line.startswith(OTHERWISE)]
