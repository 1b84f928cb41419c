"""Batches compile nothing: the constructors of graphs and analytics have compiled and loaded their kernels."""

import json
import subprocess
import sys

import pytest

from algorithms import analytics
from frontier.runtime import gpu_available
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

SCRIPT = PROJECT_ROOT / "tests" / "support" / "construction_loads.py"
FOLLOWING = ["none", "window", *(name for name, known in analytics().items() if known.incremental)]


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_available(), reason="there is no GPU")
@pytest.mark.slow
@pytest.mark.parametrize("analytic", FOLLOWING)
@pytest.mark.parametrize("form", ["none", "float32", "directed", "in_edges", "times"])
@pytest.mark.timeout(1200)  # on an emulated GPU
def test_batches_compile_nothing(structure, analytic, form):
    """Insertions and deletions of one edge to many, and the analytic's result after each.

    CuPy's own functions, which it loads when they are first called, are not counted.
    """
    if form != "none" and structure.name != "slab":
        pytest.skip("what differs by the form of a graph does not differ by structure")
    if form in ("float32", "times") and not structure.can_store_weights:
        pytest.skip("it stores no weights")
    if (analytic == "window") != (form == "times"):
        pytest.skip("windows need times")
    done = subprocess.run(
        [sys.executable, SCRIPT, structure.name, "gpu", analytic, form], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["batches"] == {}
