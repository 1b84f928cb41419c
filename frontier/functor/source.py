"""The syntax tree of a function, found in the text of its file."""

from __future__ import annotations

import ast
import functools
import linecache
from types import CodeType, FunctionType

from ..runtime.source_text import parsing
from .errors import FunctorError

Definition = ast.FunctionDef | ast.Lambda


def definition_of(function: FunctionType) -> Definition:
    """The syntax tree of a function; a new one each time.

    Raises
    ------
    FunctorError
        The text is not to be found, or is not what the function was compiled from.
    """
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    try:
        with parsing:
            tree = ast.parse(text)
    except SyntaxError:
        tree = ast.Module([], [])
    # A lambda is told from others on its line by where its code stands.
    used = {(p[0], p[2]) for p in code.co_positions() if p[0] is not None and p[2] is not None and p[1] is not None}
    used = {place for place in used if place != (code.co_firstlineno, 0)}
    fitting = [
        node for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.Lambda) and _defines(node, function.__name__)
        and _covers(node, used, code)
    ]  # fmt: skip
    if not fitting:
        raise FunctorError(
            f"{function.__name__}() cannot be checked: its source is not in {code.co_filename}, line "
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


@functools.cache
def unique_name(base: str) -> str:
    """A name that no functor uses."""
    return f"_dynfrontier_{base}"
