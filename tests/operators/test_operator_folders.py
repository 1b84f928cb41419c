"""Each operator is a folder of one form, and leaves the shape of its launches to the engine."""

import ast
import re

import pytest

import frontier as fr
from frontier.operators import __all__ as public
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

OPERATORS = PROJECT_ROOT / "frontier" / "operators"
SHARED = {"dispatch", "frontiers"}
"""Folders without an operator, shared by several."""
FOLDERS = sorted(path.parent.name for path in OPERATORS.glob("*/__init__.py") if path.parent.name not in SHARED)
MORE = {"traverse": ("traversal.py",)}
"""Further modules of the host side."""
MODULES = {"__init__", "captured_batches", "capture", "copies", "layout", "pair_order"}


def host_text(name):
    """The host side of an operator."""
    files = ("__init__.py", *MORE.get(name, ()))
    return "\n".join((OPERATORS / name / file).read_text() for file in files)


def test_what_is_shared_has_a_name():
    assert {path.stem for path in OPERATORS.glob("*.py")} == MODULES
    assert not list(OPERATORS.glob("*.cuh"))


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_holds_one_operator(name):
    """Host side, kernels for GPUs, and kernels for CPUs if it has its own."""
    files = {path.name for path in (OPERATORS / name).iterdir() if path.suffix in (".py", ".cuh")}
    assert {"__init__.py", f"{name}.cuh"} <= files <= {"__init__.py", f"{name}.cuh", "cpu.py", *MORE.get(name, ())}
    assert f'"frontier/operators/{name}/{name}.cuh"' in host_text(name)


@pytest.mark.parametrize("name", FOLDERS)
def test_kernels_for_gpus_are_compiled_by_a_test(name):
    files = "operators/test_compile_operators.py", "support/operator_cases.py"
    text = "".join((PROJECT_ROOT / "tests" / file).read_text() for file in files)
    assert f'("{name}", ' in text or f"operators/{name}/{name}.cuh" in text


@pytest.mark.parametrize("name", FOLDERS)
def test_launches_have_no_numbers_of_one_gpu(name):
    """The number of launched blocks comes from the number of work items, or from `launch`."""
    tree = ast.parse(host_text(name))
    blocks = [key.value for call in ast.walk(tree) if isinstance(call, ast.Call) for key in call.keywords
              if key.arg == "blocks"]  # fmt: skip
    for value in blocks:
        numbers = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)]
        assert all(number == 1 for number in numbers), ast.unparse(value)
    named = re.findall(r"^[A-Z_]*BLOCKS[A-Z_]* = ", host_text(name), re.M)
    assert not named


def test_every_operator_is_public():
    offered = {getattr(fr if name in fr.__all__ else fr.advanced, name).__module__ for name in public}
    # For graphs, structures, components of neighbor_reduce, orientations, and for distributed graphs.
    internal = {"degrees", "match", "neighbor_columns", "neighbor_mode", "degree_order", "visit_common"}
    folders = {f"frontier.operators.{name}" for name in FOLDERS if name not in internal}
    assert offered == {*folders, "frontier.operators.copies"}
