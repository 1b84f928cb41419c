"""The text of a function in its file, from which its code was compiled, which is the same in all versions of Python."""

from __future__ import annotations

import ast
import functools
import linecache
import threading
from collections.abc import Iterator
from types import CodeType

from .caches import clearable

parsing = threading.RLock()
"""Python 3.11 counts the depth of trees for all threads together, and fails if two make one at the same time."""


def text_of(code: CodeType) -> str | None:
    """Return the lines of the definition that code is from. The first call for a file compiles it, 10 ms for 500 lines.

    None if they are missing or were edited, or if several definitions, such as lambdas, share name and line.
    """
    with parsing:
        return _definitions(code.co_filename).get(code)


@clearable
@functools.lru_cache(256)
def _definitions(file: str) -> dict[CodeType, str]:
    """The lines of all functions of a file, by the code that they are compiled to."""
    lines = linecache.getlines(file)
    text = "".join(lines)
    try:
        tree = ast.parse(text)
        module = compile(tree, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    places: dict[tuple[str, int], list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
            place = getattr(node, "name", "<lambda>"), first
            places.setdefault(place, []).append("".join(lines[first - 1 : node.end_lineno]))
    found = {}
    for code in _inside(module):
        texts = places.get((code.co_name, code.co_firstlineno), [])
        if len(texts) == 1:
            found[code] = texts[0]
    return found


def _inside(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inside(constant)
