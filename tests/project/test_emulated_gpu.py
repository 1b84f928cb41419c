"""Some tests of GPUs on an emulated one (tests/support/emulator), in another process. ``--long`` runs more of them."""

import os
import subprocess
import sys

import emulator
import pytest

from frontier.runtime.compile.disk_cache import PROJECT_ROOT

FEW = {
    "updates": ("tests/core/test_small_updates.py", "stream and undirected and float32 and (slab or gpma or hornet)"),
    "medium": ("tests/core/test_medium_updates.py", "(slab and random_batches) or hubs or full"),
    "pushes": ("tests/features/test_pushes.py", "(undirected and by_time) or grow or memory_that_runs_out_in"),
    "operators": ("tests/operators/test_operators.py", "slab and (finds_levels or hands_over or lists_of_any)"),
    "batches": ("tests/operators/test_batch_step.py", "slab and (of_all_sizes or changes or both_orders)"),
    "parts": ("tests/distributed/test_distributed_windows.py", "False-int32-None or takes or counters"),
}
MANY = {
    "updates": ("tests/core/test_small_updates.py", ""),
    "medium": ("tests/core/test_medium_updates.py", ""),
    "pushes": ("tests/features/test_pushes.py", ""),
    "operators": ("tests/operators/test_operators.py", "slab or gpma or graphvine"),
    "batches": ("tests/operators/test_batch_step.py", "slab or lpma or graphvine"),
    "parts": ("tests/distributed/test_distributed_windows.py", ""),
    "first": ("tests/runtime/test_first_answer.py", ""),
    "algorithms": ("tests/algorithms/test_catalogue.py", "slab or hornet"),
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A folder for compiled code, which one subject leaves to the next."""
    return tmp_path_factory.mktemp("emulated")


@pytest.mark.slow
@pytest.mark.timeout(1800)  # one of them may last minutes on a busy machine
@pytest.mark.skipif(emulator.wanted() or not emulator.possible(), reason="needs g++, an x86-64, and numba-cuda")
@pytest.mark.parametrize("subject", MANY)
def test_on_an_emulated_gpu(subject, request, cache):
    chosen = MANY if request.config.getoption("--long") else FEW
    if subject not in chosen:
        pytest.skip("--long runs it")
    path, names = chosen[subject]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", path, "-k", names, "-p", "no:cacheprovider"]
    folder = {"DYNFRONTIER_CACHE_DIR": str(cache), emulator.VARIABLE: "1"}
    done = subprocess.run(command, cwd=PROJECT_ROOT, env={**os.environ, **folder}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
