"""The syntax tree of a function, found in the text of its file."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

from frontier.runtime.compile.source_text import parsing

from .errors import FunctorError

Definition = ast.FunctionDef | ast.Lambda


def definition_of(function: FunctionType, purpose: str) -> Definition:
    """Return a new syntax tree of a function. FunctorError, with the `purpose`, if its text is missing or changed."""
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    try:
        with parsing:
            tree = ast.parse(text)
    except SyntaxError:
        tree = ast.Module([], [])
    # The position of its code identifies a lambda among several on its line.
    used = {(p[0], p[2]) for p in code.co_positions() if p[0] is not None and p[2] is not None and p[1] is not None}
    used = {place for place in used if place != (code.co_firstlineno, 0)}
    fitting = [
        node for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.Lambda) and _defines(node, function.__name__)
        and _covers(node, used, code)
    ]  # fmt: skip
    if not fitting:
        raise FunctorError(
            f"{function.__name__}() cannot be {purpose}: its source is not in {code.co_filename}, line "
            f"{code.co_firstlineno}"
        )
    return min(fitting, key=_extent)


def _defines(node: Definition, name: str) -> bool:
    if name == "<lambda>":
        return isinstance(node, ast.Lambda)
    return isinstance(node, ast.FunctionDef) and node.name == name


def _covers(node: Definition, used: set[tuple[int, int]], code: CodeType) -> bool:
    first = node.lineno
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        first = min(first, *(decorator.lineno for decorator in node.decorator_list))
    if first != code.co_firstlineno:
        return False
    body = node.body if isinstance(node, ast.Lambda) else node
    start, end = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
    return all(start <= place <= end for place in used)


def _extent(node: Definition) -> tuple[int, int]:
    return (node.end_lineno or 0) - node.lineno, (node.end_col_offset or 0) - node.col_offset


def code_of(tree: Definition, function: FunctionType) -> CodeType:
    """The code of a function with this syntax tree instead of the tree of `function`."""
    arguments = tree.args
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [default and ast.Constant(None) for default in arguments.kw_defaults]
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    body = tree.body if isinstance(tree.body, list) else [ast.Return(tree.body)]
    name = function.__name__ if function.__name__.isidentifier() else "functor"
    definition = ast.FunctionDef(name=name, args=arguments, body=body, decorator_list=[], type_params=[])
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(definition, tree)], []))
    made: dict[str, Any] = {}
    exec(compile(module, function.__code__.co_filename, "exec"), made)
    return made[name].__code__


def function_of(tree: Definition, function: FunctionType, scope: dict[str, Any]) -> FunctionType:
    """A function with this syntax tree instead of the tree of `function`, which resolves its names in `scope`."""
    names = {**scope, "__name__": function.__module__}
    copy = FunctionType(code_of(tree, function), names, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def resolved(expression: ast.expr, names: Mapping[str, Any]) -> Any:
    """The value of a name, or of a chain of attributes of modules. None if it is unknown."""
    if isinstance(expression, ast.Name):
        return names.get(expression.id)
    if isinstance(expression, ast.Attribute):
        owner = resolved(expression.value, names)
        return getattr(owner, expression.attr, None) if isinstance(owner, ModuleType) else None
    return None


@functools.cache
def unique_name(base: str) -> str:
    """A name that no functor uses."""
    return f"_dynfrontier_{base}"
