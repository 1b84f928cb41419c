"""Measures of the code's layout. `tests/house.json` has a limit for each, which may only
fall (tests/project/test_house.py).

    python tests/house.py            # each measure and where it comes from
    python tests/house.py --write    # lower the limits to today's values
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("frontier", "structures", "algorithms", "dynfrontier", "benchmarks")
LIMITS = Path(__file__).with_suffix(".json")

LAYERS = {
    "frontier.runtime": 1, "frontier.cuda": 1,
    "frontier.functor": 2, "frontier.io": 2,
    "frontier.core": 3,
    "frontier.operators": 4, "frontier.names": 4,
    "frontier.features": 5,
    "frontier.graphs": 6, "frontier.interchange": 6,
    "frontier.distributed": 7,
    "frontier": 8,
    "structures": 9, "algorithms": 9,
    "dynfrontier": 10,
    "benchmarks": 11,
}  # fmt: skip
"""The layer of each package and each folder of `frontier`. Code imports from its own folder and from lower layers."""

STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
"""Nodes that an import may be in."""
MAX_PARAMETERS = 8
GRAPHS = ("graph", "transpose", "twin", "part", "local")
"""Names under which code refers to graphs, as variables or attributes."""
STATE = ("version", "num_arcs")
"""Attributes of a graph that only an update may change."""


@cache
def modules() -> dict[str, Path]:
    """The path of each module, by name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All nodes of a module's tree."""
    return list(ast.walk(tree(path)))


@cache
def imports(name: str, path: Path, *, types: bool = True) -> set[str]:
    """The modules of the project that a module imports, also inside functions.

    Parameters
    ----------
    types : bool
        Include imports for type checkers only, which nothing executes.
    """
    found = set()

    def visit(node: ast.AST) -> None:
        if not types and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
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
                found.add(inner if inner in modules() else base)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, STATEMENTS):
                visit(child)

    visit(tree(path))
    return {module for module in found if module in modules() and module != name}


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The sets of modules that import each other (Tarjan's strongly connected components of more than one)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(v: str) -> None:
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


def folder(module: str) -> str:
    """The layer in `LAYERS` that contains a module."""
    names = module.split(".")
    return next(part for end in range(len(names), 0, -1) if (part := ".".join(names[:end])) in LAYERS)


def imports_upward() -> Iterator[str]:
    """Imports of another folder that is not on a lower layer."""
    for name, path in modules().items():
        for target in sorted(imports(name, path)):
            if folder(name) != folder(target) and LAYERS[folder(name)] <= LAYERS[folder(target)]:
                yield f"{name} -> {target}"


def modules_in_circles() -> Iterator[str]:
    for members in circles({name: imports(name, path) for name, path in modules().items()}):
        yield from members


def loose_modules() -> Iterator[str]:
    """Modules of `frontier` that are in no folder, but for its face."""
    for path in (ROOT / "frontier").glob("*.py"):
        if path.name != "__init__.py":
            yield path.name


def is_graph(node: ast.expr) -> bool:
    """Whether an expression is a graph by its name, such as ``graph`` or ``self._graph``."""
    if isinstance(node, ast.Name):
        return node.id in GRAPHS
    return isinstance(node, ast.Attribute) and node.attr.removeprefix("_") in GRAPHS


def is_attribute_of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def private_reads() -> Iterator[str]:
    """Private attributes of graphs that are used outside the folders that define them."""
    defined: dict[Path, set[str]] = {}
    for path in modules().values():
        names = defined.setdefault(_top(path), set())
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef):
                names.add(node.name)
            elif is_attribute_of_self(node) and isinstance(node.ctx, ast.Store):
                names.add(node.attr)
    for path in modules().values():
        for node in nodes(path):
            if (
                isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
                and is_graph(node.value) and node.attr not in defined[_top(path)]
            ):  # fmt: skip
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.attr}"


def _top(path: Path) -> Path:
    """The folder of a package that contains a file, or the file itself if it is in none."""
    return Path(*path.relative_to(ROOT).parts[:2])


def wide_functions() -> Iterator[str]:
    """Functions of many parameters, but for kernels and functors, which have no annotations."""
    for path in modules().values():
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef):
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                annotated = any(each.annotation is not None for each in given)
                if annotated and sum(each.arg not in ("self", "cls") for each in given) > MAX_PARAMETERS:
                    yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"


def state_changes() -> Iterator[str]:
    """Statements that change the version or the number of arcs of a graph."""
    for path in modules().values():
        for node in nodes(path):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            for target in targets:
                changes = isinstance(target, ast.Attribute) and target.attr in STATE
                if changes and (isinstance(node, ast.AugAssign) or target.attr == "num_arcs"):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}"


MEASURES = (imports_upward, modules_in_circles, loose_modules, private_reads, wide_functions, state_changes)


def limits() -> dict[str, int]:
    return json.loads(LIMITS.read_text())


if __name__ == "__main__":
    found = {measure.__name__: list(measure()) for measure in MEASURES}
    if "--write" in sys.argv:
        known = limits() if LIMITS.exists() else {}
        lowered = {name: min(len(rows), known.get(name, len(rows))) for name, rows in found.items()}
        LIMITS.write_text(json.dumps(lowered, indent=2) + "\n")
    else:
        for name, rows in found.items():
            print(f"{name}: {len(rows)}", *rows, sep="\n  ")
