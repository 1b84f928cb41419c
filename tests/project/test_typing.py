"""Users' scripts that a type checker accepts, and mistakes that it finds. The signatures of options."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import subprocess
import sys
import textwrap
import tomllib
from importlib.util import find_spec

import pytest

import algorithms
import dynfrontier
import frontier as fr
import structures
from dynfrontier import Pipeline
from dynfrontier.pipeline.pipeline import ResumeOptions
from dynfrontier.workload import Workload
from dynfrontier.workload.workload import WorkloadOptions
from frontier.core.options import GraphOptions
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from structures.packed.array import PackedArray, PackedOptions

FOLDER = PROJECT_ROOT / "tests" / "typing"
MODULES = (algorithms, dynfrontier, fr, fr.interchange, fr.io, structures)
PUBLIC = {f"{module.__name__}.{name}": getattr(module, name) for module in MODULES for name in module.__all__}
OPEN = {"edge_data", "structure_options", "given", "settings"}
"""Keyword arguments with names chosen by users: columns of edge data, options of a structure, parameters."""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_a_strict_type_checker_knows_users_scripts(tmp_path):
    scripts = sorted(FOLDER.glob("*.py"))
    command = [sys.executable, "-m", "mypy", "--config-file", FOLDER / "mypy.ini", "--cache-dir", tmp_path, *scripts]
    done = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True)
    found = [line for line in done.stdout.splitlines() if " error: " in line]
    lines = {f"{path.name}:{int(number)}" for path, number in (where(line) for line in found)}
    expected = {
        f"{script.name}:{number}"
        for script in scripts
        for number, text in enumerate(script.read_text().splitlines(), 1)
        if text.endswith("  # mistake")
    }
    assert len(expected) > 8
    assert lines == expected, done.stdout + done.stderr


def where(line):
    """The file and the number of the line that an error is about."""
    name, number = line.split(":")[:2]
    return FOLDER / name.rpartition("/")[2], number


@pytest.mark.parametrize("package", ["algorithms", "dynfrontier", "frontier", "structures"])
def test_packages_are_marked_as_typed(package):
    assert (PROJECT_ROOT / package / "py.typed").read_bytes() == b""


def callables():
    """Public functions, and the constructors and public methods of public classes."""
    for name, item in PUBLIC.items():
        if inspect.isclass(item):
            for method, function in inspect.getmembers(item, inspect.isroutine):
                own = getattr(function, "__module__", None) or ""
                if (method == "__init__" or not method.startswith("_")) and own.split(".")[0] in sys_packages():
                    yield f"{name}.{method}", function
        elif inspect.isfunction(item):
            yield name, item


def sys_packages():
    return {module.__name__.split(".")[0] for module in MODULES}


def test_options_are_named():
    bare = []
    for name, function in callables():
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD and parameter.name not in OPEN:
                bare += [name] * ("Unpack" not in str(parameter.annotation))
    assert bare == []


@pytest.mark.parametrize(
    ("options", "constructor"), [(GraphOptions, fr.Graph.__init__), (PackedOptions, PackedArray.__init__)]
)
def test_options_are_those_of_the_constructor(options, constructor):
    own = {p.name for p in inspect.signature(constructor).parameters.values() if p.kind is p.KEYWORD_ONLY}
    inherited = set() if options is GraphOptions else set(GraphOptions.__annotations__)
    assert set(options.__annotations__) - inherited == own


@pytest.mark.parametrize("name", structures.__all__)
def test_options_of_from_edges(name):
    """A type checker knows the options of the constructor, which `from_edges` names in its signature only for this
    purpose."""
    kind = getattr(structures, name)
    source = textwrap.dedent(inspect.getsource(kind))
    shown = next(node for node in ast.walk(ast.parse(source)) if getattr(node, "name", "") == "from_edges").args
    named = vars(inspect.getmodule(kind))[shown.kwarg.annotation.slice.id].__annotations__
    known = {argument.arg for argument in [*shown.args, *shown.kwonlyargs]} | set(named)
    own = {p.name for p in inspect.signature(kind.__init__).parameters.values() if p.kind is p.KEYWORD_ONLY}
    inherited = PackedOptions if issubclass(kind.store_type, PackedArray) else GraphOptions
    assert set(inherited.__annotations__) | own <= known


def test_all_that_is_public_has_types():
    without = []
    for name, function in callables():
        signature = inspect.signature(function)
        given = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
        typed = all(p.annotation is not p.empty for p in given)
        returns = signature.return_annotation is not signature.empty or name.endswith(".__init__")
        without += [] if typed and returns else [name]
    assert without == []


def test_options_of_workloads():
    assert set(WorkloadOptions.__annotations__) == {field.name for field in dataclasses.fields(Workload)} - {"source"}


@pytest.mark.parametrize("kind", [fr.Frontier, fr.SpMV, fr.advanced.Orientation])
def test_classes_show_the_arguments_that_they_take(kind):
    shown = list(inspect.signature(kind).parameters)
    assert shown == list(inspect.signature(kind.__init__).parameters)[1:]


def test_options_to_resume_a_pipeline():
    own = {p.name for p in inspect.signature(Pipeline).parameters.values() if p.kind is p.KEYWORD_ONLY}
    assert set(ResumeOptions.__annotations__) == own - {"window", "names", "checkpoint"}


def test_the_version_stands_once():
    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"]["attr"] == "dynfrontier.__version__"
    assert f"version: {dynfrontier.__version__}\n" in (PROJECT_ROOT / "CITATION.cff").read_text()
