"""No module imports another that imports it, at any time; and none brings along what most programs do not need."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest

from frontier.runtime.cache import PROJECT_ROOT

PACKAGES = ("frontier", "structures", "algorithms", "dynfrontier")


def modules():
    """Each module's name and path."""
    found = {}
    for package in PACKAGES:
        for path in (PROJECT_ROOT / package).rglob("*.py"):
            parts = path.relative_to(PROJECT_ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def is_for_type_checkers(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imports(name, path, known):
    """The modules that a module imports, also inside functions; not those for type checkers, which nothing runs."""
    found = set()

    def visit(node):
        if is_for_type_checkers(node):
            for child in node.orelse:
                visit(child)
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
                base = ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in known else base)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text()))
    return {module for module in found if module in known and module != name}


def circles(graph):
    """The sets of modules that import each other (Tarjan's strongly connected components of more than one)."""
    order, low, stack, found = {}, {}, [], []

    def visit(v):
        order[v] = low[v] = len(order)
        stack.append(v)
        for w in graph[v]:
            if w not in order:
                visit(w)
            if w in stack:
                low[v] = min(low[v], low[w])
        if low[v] == order[v]:
            members = stack[stack.index(v) :]
            del stack[stack.index(v) :]
            if len(members) > 1:
                found.append(sorted(members))

    for v in graph:
        if v not in order:
            visit(v)
    return found


def test_nothing_imports_in_a_circle():
    known = modules()
    assert circles({name: imports(name, path, known) for name, path in known.items()}) == []


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


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
    "frontier.distributed", "frontier.interchange", "frontier.io", "frontier.names.cpu", "frontier.pipeline",
    "frontier.plot",
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
