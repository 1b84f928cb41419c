"""The entries of its arrays that a functor reads and writes, from its source text.

Partitions would silently disagree if a functor wrote to copies that no rule combines. So operators over partitions
examine each functor first, and refuse unsupported ones.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from frontier.functor import FunctorError
from frontier.functor.intrinsics.atomics import ATOMICS
from frontier.functor.source import definition_of
from frontier.runtime.compile.caches import clearable

ANYWHERE = "?"  # an index that is not a parameter


@dataclass
class Accesses:
    """How a functor uses one of its parameters: the indices, by the names of the parameters that they are."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)


@clearable
@functools.lru_cache(maxsize=4096)
def accesses_of(function: FunctionType) -> dict[str, Accesses] | None:
    """The accesses by parameter, in order, or None if the text of the function is not available."""
    try:
        return _Reader(function, ()).found
    except FunctorError:
        return None


def reads_own_entry(rule: Callable) -> bool:
    """Whether ``rule(v, mine, theirs)``, which combines copies of an array, reads only entry v of `theirs`."""
    known = accesses_of(rule) if isinstance(rule, FunctionType) else None
    if known is None:
        return False
    vertex, _, theirs, *_ = [*known, "", ""]
    return theirs in known and known[theirs].reads <= {vertex} and not known[theirs].writes


class _Reader(ast.NodeVisitor):
    def __init__(self, function: FunctionType, callers: tuple[FunctionType, ...]):
        tree = definition_of(function, "read")
        names = [argument.arg for argument in tree.args.args]
        self.found = {name: Accesses() for name in names}
        self._function = function
        self._callers = (*callers, function)
        body = tree.body if isinstance(tree.body, list) else [tree.body]
        nodes = [node for part in body for node in ast.walk(part) if isinstance(node, ast.Name)]
        stored = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
        self._fixed = set(names) - stored
        for part in body:
            self.visit(part)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.value, ast.Name) and node.value.id in self.found:
            index = self._index(node.slice)
            known = self.found[node.value.id]
            if isinstance(node.ctx, ast.Load):
                known.reads.add(index)
            else:
                known.writes.add(index)
        else:
            self.visit(node.value)
        self.visit(node.slice)

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, ast.Name):
            self._use_anyhow(node.value)  # another name for a possible array
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        callee = self._resolve(node.func)
        callee = getattr(callee, "py_func", callee)
        if any(callee is atomic for atomic in ATOMICS) and len(node.args) > 1:
            if isinstance(node.args[0], ast.Name) and node.args[0].id in self.found:
                self.found[node.args[0].id].writes.add(self._index(node.args[1]))
        elif isinstance(callee, FunctionType) and any(isinstance(each, ast.Name) for each in node.args):
            self._pass_on(callee, node)
        self.generic_visit(node)

    def _pass_on(self, callee: FunctionType, node: ast.Call) -> None:
        """Apply the accesses of a called function to the parameters of this one."""
        given = [each for each in node.args if isinstance(each, ast.Name)]
        if callee in self._callers or node.keywords:
            for name in given:
                self._use_anyhow(name)
            return
        inner = _Reader(callee, self._callers).found
        places = dict(zip(inner, node.args, strict=False))
        for name, use in inner.items():
            argument = places.get(name)
            if isinstance(argument, ast.Name) and argument.id in self.found:
                for indices, mine in ((use.reads, "reads"), (use.writes, "writes")):
                    renamed = {self._index(places[i]) if i in places else ANYWHERE for i in indices}
                    getattr(self.found[argument.id], mine).update(renamed)

    def _use_anyhow(self, name: ast.Name) -> None:
        if name.id in self.found:
            self.found[name.id].reads.add(ANYWHERE)
            self.found[name.id].writes.add(ANYWHERE)

    def _index(self, node: ast.AST) -> str:
        if isinstance(node, ast.Tuple) and node.elts:
            node = node.elts[0]
        return node.id if isinstance(node, ast.Name) and node.id in self._fixed else ANYWHERE

    def _resolve(self, node: ast.AST) -> Any:
        """The object of a name, or of an attribute of one."""
        if isinstance(node, ast.Attribute):
            return getattr(self._resolve(node.value), node.attr, None)
        if not isinstance(node, ast.Name):
            return None
        free = self._function.__code__.co_freevars
        if node.id in free:
            return (self._function.__closure__ or ())[free.index(node.id)].cell_contents
        return self._function.__globals__.get(node.id)


def arrays_of(function: Callable, first: int, args: tuple, kind: type) -> list[tuple[str, Any, Accesses, list[str]]]:
    """The arrays among the arguments of a functor: name, array, use, and the names of the parameters before.

    The functor has `first` parameters before the user's. `kind` is the type of arrays.
    """
    known = accesses_of(function) if isinstance(function, FunctionType) else None
    if known is None:
        return []
    names = list(known)
    return [
        (name, value, known[name], names[:first])
        for name, value in zip(names[first:], args, strict=False) if isinstance(value, kind)
    ]  # fmt: skip
