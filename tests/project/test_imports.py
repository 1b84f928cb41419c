"""Imports bring along nothing that most programs do not need. `test_house.py` looks at what imports what."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from frontier.runtime.compile.disk_cache import PROJECT_ROOT


@pytest.mark.parametrize("name", ["structures", "algorithms"])
def test_a_file_that_hides_a_package_is_named(tmp_path, name):
    (tmp_path / f"{name}.py").write_text("x = 1\n")
    environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT)}
    for line in ("import dynfrontier", "import frontier; frontier.structures()"):
        if name == "algorithms" and "frontier.structures" in line:
            continue  # it imports no algorithms
        code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {line}"
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        assert done.returncode == 1
        assert f"{name}.py is not the package {name} of dynfrontier" in done.stderr.splitlines()[-1]


LIBRARIES = (
    "cupy", "dask", "distributed", "igraph", "matplotlib", "networkx", "numba_cuda", "numba_cuda_mlir", "pandas",
    "polars", "pyarrow", "rich", "scipy.linalg", "scipy.sparse", "torch", "typer",
)  # fmt: skip
OWN = (
    "frontier.distributed", "frontier.interchange", "frontier.io", "frontier.names.cpu", "dynfrontier.pipeline",
    "dynfrontier.drawing",
)  # fmt: skip


@pytest.mark.parametrize(
    "packages, absent",
    [
        ("frontier", (*LIBRARIES, *OWN, "numba.np.arrayobj", "structures", "algorithms", "dynfrontier")),
        ("frontier, structures, algorithms", (*LIBRARIES, "dynfrontier")),
        ("dynfrontier.cli", (*[name for name in LIBRARIES if name not in ("rich", "typer")], "numba", "frontier")),
    ],
    ids=["frontier", "algorithms", "command line"],
)
def test_imports_bring_little(packages, absent):
    code = f"import {packages}, sys; print(*(name for name in {absent!r} if name in sys.modules))"
    environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_what_is_imported_later_is_there():
    code = "import frontier as fr; print(set(fr.__all__) - set(dir(fr)), [getattr(fr, name) for name in fr.__all__])"
    environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("set()")
