"""Algorithms, the application, examples and benchmarks use only public names of the framework."""

from __future__ import annotations

import ast
import importlib
from types import ModuleType

import pytest

import frontier as fr
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

USERS = ("algorithms", "benchmarks", "dynfrontier", "examples")
FRAMEWORK = ("algorithms", "frontier", "structures")
INSIDE = ("dynfrontier/pipeline/", "dynfrontier/prebuilt/", "dynfrontier/drawing.py")
"""Modules of the framework, though they stand above structures and algorithms."""
SOURCES = {
    source: path
    for name in USERS
    for path in sorted((PROJECT_ROOT / name).rglob("*.py"))
    if not (source := str(path.relative_to(PROJECT_ROOT))).startswith(INSIDE)
}
OF_NAMED_TUPLES = {"_asdict", "_fields", "_make", "_replace"}
OF_NETWORKX = {"_registered_algorithms", "_dispatchable", "_call_if_any_backends_installed"}  # its backends need them
BY_NAME = {"attrgetter", "delattr", "getattr", "hasattr", "methodcaller", "setattr"}
PERMITTED = """
import frontier
import frontier as fr
import frontier.io
from frontier import io
from frontier.advanced import arguments as checks
from frontier.io import read_edges
from structures import CSR, offer
from .other import _helper
class A:
    def f(self, line):
        self._count = line._replace(a=1)
        fr.advanced.keys.pack(graph, checks.integer(a, "a"), frontier.io.read_edges(p))
        return cls._x, super()._attach(), self.__dict__, type(self)._counts
"""
FORBIDDEN = {
    "graph._find(src, dst)": "graph._find",
    "self.graph._absent": "self.graph._absent",
    "self._truss._find(src, dst)": "self._truss._find",
    "fr.Frontier._of(graph)": "fr.Frontier._of",
    "make().x._y = 3": "make().x._y",
    "getattr(graph, '_absent')": "getattr(graph, '_absent')",
    "from frontier.core.sort import arc_keys": "from frontier.core.sort import arc_keys",
    "def f():\n    import frontier.operators.intersect": "import frontier.operators.intersect",
    "from frontier import sort": "from frontier import sort",
    "from frontier.io import words": "from frontier.io import words",
    "from frontier.io.words import Words": "from frontier.io.words import Words",
    "from structures.csr.graph import CSR": "from structures.csr.graph import CSR",
    "import frontier as fr\nfr.sort.arc_keys(k)": "fr.sort",
    "from frontier import io\nio.words": "io.words",
    "import frontier\nfrontier.io.words": "frontier.io.words",
    "importlib.import_module('frontier.core.sort')": "importlib.import_module('frontier.core.sort')",
}  # fmt: skip


def private_uses(tree, package=""):
    """Uses of objects and packages that are not public in a module, as text.

    Private attributes of ``self``, of its class and of named tuples are excluded, and so are imports of the module from
    its own `package`.
    """
    framework = [name for name in FRAMEWORK if name != package]
    bound = {}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                if first in framework:
                    bound[alias.asname or first] = alias.name if alias.asname else first
                    found += [node] * (not is_public(alias.name))
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module.split(".")[0] in framework:
            for alias in node.names:
                bound[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                found += [node] * (not is_public(f"{node.module}.{alias.name}"))
        elif isinstance(node, ast.Call) and node.args:
            called = ast.unparse(node.func).split(".")[-1]
            words = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            if called in BY_NAME:
                found += [node] * any(is_private(word) for word in words)
            elif called in ("import_module", "__import__"):
                found += [node] * any(w.split(".")[0] in framework and not is_public(w) for w in words)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if is_private(node.attr):
                found += [node] * (not is_own(node.value))
            else:
                owner = dotted(node.value, bound)
                found += [node] * (owner is not None and is_public(owner) and not is_public(f"{owner}.{node.attr}"))
    return [ast.unparse(node) for node in found]


def is_private(name):
    return name.startswith("_") and not name.startswith("__") and name not in OF_NAMED_TUPLES | OF_NETWORKX


def is_own(node):
    """Whether an expression is ``self``, its class, or ``super()``."""
    return ast.unparse(node) in ("self", "cls", "super()", "type(self)")


def dotted(node, bound):
    """The full dotted name of an expression that starts with an imported name, or None."""
    if isinstance(node, ast.Name):
        return bound.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value, bound)
        return owner and f"{owner}.{node.attr}"
    return None


def named(name):
    """The object with this dotted name, or None."""
    first, *rest = name.split(".")
    item = importlib.import_module(first)
    for part in rest:
        item = getattr(item, part, None)
    return item


def is_public(name):
    """Whether the module before each component of a dotted name offers it (`is_offered`)."""
    parts = name.split(".")
    for i in range(1, len(parts)):
        owner = named(".".join(parts[:i]))
        if isinstance(owner, ModuleType) and not is_offered(owner, parts[i]):
            return False
    return True


def is_offered(module, name):
    """Whether a name is in ``__all__`` of a module, a function or class defined in it, or comes from its
    `__getattr__`."""
    if name in getattr(module, "__all__", ()) or (name.startswith("__") and name.endswith("__")):
        return True
    if name in vars(module):  # imported by the module, or its own
        return getattr(vars(module)[name], "__module__", None) == module.__name__ and not is_private(name)
    return hasattr(module, name)


@pytest.mark.parametrize("source", SOURCES)
def test_only_public_names_are_used(source):
    tree = ast.parse(SOURCES[source].read_text(), source)
    assert private_uses(tree, package=source.split("/")[0]) == []


def test_public_names_pass():
    assert private_uses(ast.parse(PERMITTED)) == []


@pytest.mark.parametrize("text", FORBIDDEN)
def test_private_names_are_found(text):
    assert private_uses(ast.parse(text)) == [FORBIDDEN[text]]


def test_static_graphs_have_nothing_to_do_with_observers():
    """They never change: `Graph` has no observers, which belong to `DynamicGraph`."""
    tree = ast.parse((PROJECT_ROOT / "frontier/core/graph.py").read_text())
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | set(dir(fr.Graph))
    assert not [name for name in names if "observe" in name or name in ("attach", "detach")]
