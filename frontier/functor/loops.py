"""Loops over neighbors in functors, written out: ``for u, edge, weight in neighbors(graph, v): …`` becomes ::

    slot, high, run, low, piece = next_place(graph, v, -1, 0, -1, 0, 0)
    while slot >= 0:
        u, edge, weight = vertex_at(graph, slot), edge_in(graph, slot), weight_in(graph, slot)
        slot += 1
        if slot >= high or vertex_at(graph, slot) < 0:  # most neighbors are in the next slot: no call for these
            slot, high, run, low, piece = next_place(graph, v, slot - 1, high, run, low, piece)
        …

`neighbors` is a generator, which compilers for GPUs do not know, and Numba for CPUs makes slow.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from frontier.runtime.compile.function_identity import captured

from .errors import FunctorError
from .intrinsics import neighbors
from .source import Definition, definition_of, function_of, resolved, unique_name

CALLED = {
    unique_name(function.__name__): function
    for function in (neighbors.next_place, neighbors.vertex_at, neighbors.edge_in, neighbors.weight_in)
}
"""The functions that loops are compiled to, by the names under which they call them."""


def without_loops(function: FunctionType) -> FunctionType:
    """`function`, or a copy with loops over neighbors written out. FunctorError for other uses, or without a source."""
    if not _names_neighbors(function):
        return function
    tree = definition_of(function, "compiled")
    scope = {name: value for name, value, _, _ in captured(function)}
    write_out(tree, scope, function)
    return function_of(tree, function, scope)


Check = Callable[[ast.expr, ast.expr, ast.Call], ast.expr]


def write_out(
    tree: Definition, scope: dict[str, Any], function: FunctionType, check: Check = lambda graph, v, call: v
) -> None:  # fmt: skip
    """Write out the loops in the syntax tree of a function, and add the functions that they call to its `scope`.

    `check` converts a graph, a vertex and their call to the checked vertex. FunctorError for other uses of `neighbors`.
    """
    if not _names_neighbors(function):
        return
    writer = _Writer(scope, function, check)
    tree.body = _visited(writer, tree.body) if isinstance(tree.body, list) else writer.visit(tree.body)
    scope.update(CALLED)


def _names_neighbors(function: FunctionType) -> bool:
    """Whether a function names `neighbors`, by itself or as an attribute of a module."""
    return any(
        value is neighbors.neighbors
        or (isinstance(value, ModuleType) and any(_end_of(value, chain) is neighbors.neighbors for chain in chains))
        for _, value, chains, _ in captured(function)
    )


def _end_of(value: Any, chain: tuple[str, ...]) -> Any:
    """The last module, or the first object that is no module, on a chain of attributes."""
    for name in chain:
        if not isinstance(value, ModuleType):
            break
        value = getattr(value, name, None)
    return value


class _Writer(ast.NodeTransformer):
    """Writes out the loops of one function."""

    def __init__(self, scope: dict[str, Any], function: FunctionType, check: Check):
        self._scope = scope
        self._function = function
        self._check = check
        self._count = 0

    def visit_For(self, node: ast.For) -> Any:
        call = node.iter
        if not isinstance(call, ast.Call) or not self._is_walk(call):
            return self.generic_visit(node)
        if len(call.args) != 2 or call.keywords or any(isinstance(part, ast.Starred) for part in call.args):
            raise self._error(call, "neighbors() requires a graph and a vertex, by position")
        names = ("graph", "v", "slot", "high", "run", "low", "piece")
        graph, v, *place = (unique_name(f"{name}_{self._count}") for name in names)
        self._count += 1
        next_place, vertex_at, edge_in, weight_in = CALLED
        slot, high, places = *place[:2], ", ".join(place)
        written = ast.parse(
            f"{graph} = graph\n"
            f"{v} = v\n"
            f"{places} = {next_place}({graph}, {v}, {', '.join(map(str, neighbors.START))})\n"
            f"while {slot} >= 0:\n"
            f"    target = {vertex_at}({graph}, {slot}), {edge_in}({graph}, {slot}), {weight_in}({graph}, {slot})\n"
            f"    {slot} += 1\n"
            f"    if {slot} >= {high} or {vertex_at}({graph}, {slot}) < 0:\n"
            f"        {places} = {next_place}({graph}, {v}, {slot} - 1, {', '.join(place[1:])})\n"
        ).body
        for part in written:
            for inner in ast.walk(part):
                ast.copy_location(inner, node)
        take_graph, take_v, _, loop = written
        assert isinstance(take_graph, ast.Assign) and isinstance(take_v, ast.Assign) and isinstance(loop, ast.While)
        assert isinstance(loop.body[0], ast.Assign)
        take_graph.value, given = map(self.visit, call.args)
        take_v.value = self._check(ast.copy_location(ast.Name(graph, ast.Load()), node), given, call)
        loop.body[0].targets = [node.target]
        loop.body += _visited(self, node.body)
        loop.orelse = _visited(self, node.orelse)
        return written

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self._is_walk(node):
            raise self._error(node, "neighbors() can only be iterated in a for statement")
        return self.generic_visit(node)

    def _is_walk(self, call: ast.Call) -> bool:
        return resolved(call.func, self._scope) is neighbors.neighbors

    def _error(self, node: ast.expr, reason: str) -> FunctorError:
        code = self._function.__code__
        return FunctorError(f'{self._function.__name__}(): {reason}\n  File "{code.co_filename}", line {node.lineno}')


def _visited(visitor: ast.NodeTransformer, statements: list[ast.stmt]) -> list:
    """The transformed statements."""
    found = map(visitor.visit, statements)
    return [node for part in found for node in (part if isinstance(part, list) else [part])]
