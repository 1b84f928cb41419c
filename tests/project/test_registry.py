"""How the packages are organized: the registry, imports between packages, docstrings, where kernels are written."""

from __future__ import annotations

import ast
import importlib
import inspect
import re

import house
import pytest

import structures as package
from frontier import DynamicGraph, Graph
from frontier.core.registry import csr_structure
from frontier.core.structures import structures
from frontier.core.view import pack_view
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

STRUCTURES = structures()
# Allowed imports of each package, inside functions and for type checkers, too.
MAY_IMPORT = {
    "frontier": {"frontier"},
    "structures": {"frontier", "structures"},
    "algorithms": {"frontier", "algorithms"},
    "dynfrontier": {"frontier", "structures", "algorithms", "dynfrontier"},
}
SOURCES = {
    name: [str(path.relative_to(PROJECT_ROOT)) for path in sorted((PROJECT_ROOT / name).rglob("*.py"))]
    for name in MAY_IMPORT
}  # fmt: skip
VIEW_FUNCTIONS = {"degree": 2, "segments": 2, "segment": 3, "next_run": 2, "find": 3}  # with numbers of parameters
FORBIDDEN = '''
import structures.csr
if TYPE_CHECKING:
    from algorithms.bfs import bfs
def f():
    """__global__"""
    import dynfrontier
    kernel = "__global__"
class A:
    def g(self):
        return lambda: import_module("algorithms.bfs")
from .runtime import Device
'''
ONLY_IN_KERNELS = ("__global__", "__device__", "threadIdx", "blockIdx", "__shfl", "__syncthreads")


def parse(source):
    return house.tree(PROJECT_ROOT / source)


def imports(tree, source):
    """Packages of this project that a module imports anywhere, with imports in functions and for type checkers
    separate.

    Returns
    -------
    set, set
        Imports that run with the module, and later or never.
    """
    early, late = set(), set()
    pending = [(node, early) for node in tree.body]
    while pending:
        node, found = pending.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module.split(".")[0] if not node.level else source.split("/")[0])
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__"):
            found |= {arg.value.split(".")[0] for arg in node.args[:1] if isinstance(arg, ast.Constant)}
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or (
            isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        ):
            found = late
        pending += [(child, found) for child in ast.iter_child_nodes(node)]
    return early & set(MAY_IMPORT), late & set(MAY_IMPORT)


def docstrings(nodes):
    """The constants of a module's nodes that are docstrings."""
    return {
        node.body[0].value
        for node in nodes
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
    }  # fmt: skip


def test_registry_and_package_agree():
    assert {cls.__name__ for cls in STRUCTURES.values()} == set(package.__all__)
    for name, cls in STRUCTURES.items():
        assert cls.name == name
        assert getattr(package, cls.__name__) is cls


def test_registry_is_a_copy():
    structures().clear()
    assert structures() == STRUCTURES


def test_snapshots_are_of_a_structure():
    assert csr_structure() in STRUCTURES.values()


def test_every_folder_is_registered():
    """Except folders shared by structures: they export no graph that has a name."""
    folders = {path.parent.name for path in (PROJECT_ROOT / "structures").glob("*/__init__.py")}
    for folder in folders - {cls.package.split(".")[1] for cls in STRUCTURES.values()}:
        shared = importlib.import_module(f"structures.{folder}")
        for name in shared.__all__:
            item = getattr(shared, name)
            assert not (inspect.isclass(item) and issubclass(item, Graph) and hasattr(item, "name")), name


def test_structure_is_complete(structure):
    assert issubclass(structure, Graph)
    assert not inspect.isabstract(structure)
    folder = PROJECT_ROOT / structure.package.replace(".", "/")
    for file in ("__init__.py", "cpu.py", "kernels.cuh", "view.cuh"):
        assert (folder / file).exists(), file


def test_structure_supplies_the_view(structure):
    cpu = importlib.import_module(f"{structure.package}.cpu")
    assert isinstance(cpu.SORTED, bool)
    for name, parameters in VIEW_FUNCTIONS.items():
        assert getattr(cpu, name).py_func.__code__.co_argcount == parameters, name
    assert {"neighbors", "weights"} <= set(cpu.View._fields)
    graph = structure(3, device="cpu")
    assert isinstance(graph.view(), cpu.View)
    assert pack_view(graph.device, cpu.View, **graph.view()._asdict()) == graph.view()


def test_structures_share_their_signatures(structure):
    """Structures differ only in options of the constructor."""
    for name, member in inspect.getmembers(DynamicGraph):
        if name.startswith("_") or not callable(member):
            continue
        assert inspect.signature(getattr(structure, name)) == inspect.signature(member), name


def test_structures_name_what_they_have(structure):
    graph = structure.from_edges([0, 1], [1, 2], device="cpu")
    for name in (*graph.store.arrays, *graph.store.scalars):
        assert hasattr(graph.store, name), name


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_between_packages(package):
    """frontier knows no structure and no algorithm, structures and algorithms do not know each other, and none knows
    the application."""
    for source in SOURCES[package]:
        early, late = imports(parse(source), source)
        assert early | late <= MAY_IMPORT[package], source


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_kernel_text_in_python(package):
    for source in SOURCES[package]:
        nodes = house.nodes(PROJECT_ROOT / source)
        described = docstrings(nodes)
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in described:
                assert not any(word in node.value for word in ONLY_IN_KERNELS), f"{source}:{node.lineno}"


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_modules_say_what_they_are_for(package):
    assert not [source for source in SOURCES[package] if not ast.get_docstring(parse(source))]


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_public_names_are_described(package):
    for source in SOURCES[package]:
        if source.endswith("__init__.py"):
            module = importlib.import_module(source.removesuffix("/__init__.py").replace("/", "."))
            for name in getattr(module, "__all__", ()):
                member = getattr(module, name)
                if inspect.isclass(member) or inspect.isroutine(member):
                    assert inspect.getdoc(member), f"{source}: {name}"


@pytest.mark.parametrize("cls", [Graph, DynamicGraph, *STRUCTURES.values()], ids=lambda cls: cls.__name__)
def test_public_methods_are_described(cls):
    assert cls.__doc__
    for name, member in inspect.getmembers(cls):
        if not name.startswith("_") and (inspect.isroutine(member) or isinstance(member, property)):
            assert inspect.getdoc(member), name


RELATED = re.compile(r"[\w.]+(, [\w.]+)* : \S.*\.")
"""An entry of "See Also", in one line."""


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_related_names_have_a_line_each(package):
    """The documentation does not build from other forms."""
    wrong = {source: found for source in SOURCES[package] if (found := malformed_related(parse(source)))}
    assert not wrong


def malformed_related(tree):
    """Lines of sections "See Also" that are not entries."""
    owners = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    texts = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, owners)]
    sections = [text.partition("See Also\n--------\n")[2] for text in texts]
    blocks = [re.split(r"\n\n[A-Z][\w ]+\n---", section)[0] for section in sections if section]
    return [line for block in blocks for line in block.strip("\n").split("\n") if not RELATED.fullmatch(line)]


def test_what_the_rules_forbid_is_found():
    """The checks of this file, on text that breaks the rules."""
    tree = ast.parse(FORBIDDEN)
    early, late = imports(tree, "frontier/x.py")
    assert early == {"structures", "frontier"}
    assert late == {"algorithms", "dynfrontier"}
    assert imports(ast.parse('def f(): __import__("algorithms")'), "frontier/x.py")[1] == {"algorithms"}
    texts = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and "__global__" in str(n.value)]
    assert len(texts) == 2
    assert len([text for text in texts if text not in docstrings(ast.walk(tree))]) == 1
    joined = '"""T.\n\nSee Also\n--------\na : One.\nb, c : Two.\nd\ne : Three\n\nNotes\n-----\nf\n"""'
    assert malformed_related(ast.parse(joined)) == ["d", "e : Three"]
