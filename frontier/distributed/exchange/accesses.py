"""The entries of its arrays that a functor reads and writes, from its source text.

Partitions would silently disagree if a functor wrote to copies that no rule combines. So operators over partitions
examine each functor first, and refuse unsupported ones.
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
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
        self.parameters = [argument.arg for argument in tree.args.args]
        self._function = function
        self._callers = (*callers, function)
        body = tree.body if isinstance(tree.body, list) else [tree.body]
        nodes = [node for part in body for node in ast.walk(part)]
        self._star = tree.args.vararg.arg if tree.args.vararg else None
        self.made = self._named_tuple(nodes)
        self._tuples = {
            name.id for node in nodes if isinstance(node, ast.Assign) and self._makes(node.value)
            for name in node.targets if isinstance(name, ast.Name)
        }  # fmt: skip
        names = [*self.parameters, *(f"{self.made.__name__}.{field}" for field in getattr(self.made, "_fields", ()))]
        self.found = {name: Accesses() for name in names}
        stored = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        self._fixed = set(self.parameters) - stored.keys()
        self._once = {name for name, times in stored.items() if times == 1} - set(self.parameters)
        self._aliases: dict[str, Accesses] = {}  # of variables that are only another name for an array
        for part in body:
            self.visit(part)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        known = self._accesses(node.value)
        if known:
            index = self._index(node.slice)
            (known.reads if isinstance(node.ctx, ast.Load) else known.writes).add(index)
        else:
            self.visit(node.value)
        self.visit(node.slice)

    def visit_Assign(self, node: ast.Assign) -> None:
        target, known = node.targets[0], self._accesses(node.value)
        if known and len(node.targets) == 1 and isinstance(target, ast.Name) and target.id in self._once:
            self._aliases[target.id] = known
            return
        for value in node.value.elts if isinstance(node.value, ast.Tuple) else (node.value,):
            if value is not node.value or not self._makes(value):
                self._use_anyhow(value)  # another name for a possible array
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        for value in (node.body, node.orelse):
            self._use_anyhow(value)  # one of two possible arrays
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        callee = self._resolve(node.func)
        callee = getattr(callee, "py_func", callee)
        if any(callee is atomic for atomic in ATOMICS) and len(node.args) > 1:
            if known := self._accesses(node.args[0]):
                known.writes.add(self._index(node.args[1]))
        elif isinstance(callee, FunctionType):
            self._pass_on(callee, node)
        self.generic_visit(node)

    def _pass_on(self, callee: FunctionType, node: ast.Call) -> None:
        """Apply the accesses of a called function to the parameters of this one."""
        if callee in self._callers or node.keywords:
            for argument in node.args:
                self._use_anyhow(argument)
            return
        inner = _Reader(callee, self._callers)
        places = dict(zip(inner.parameters, node.args, strict=False))
        for name, use in inner.found.items():
            place, dot, field = name.partition(".")
            # A name that is no parameter is a field of the named tuple that both make.
            known = self._accesses(places[place], dot + field) if place in places else self.found.get(name)
            for indices, mine in ((use.reads, "reads"), (use.writes, "writes")):
                if known:
                    getattr(known, mine).update(self._index(places[i]) if i in places else ANYWHERE for i in indices)

    def _use_anyhow(self, node: ast.AST) -> None:
        whole = f"{self._prefix(node)}."
        for known in (self._accesses(node), *[use for name, use in self.found.items() if name.startswith(whole)]):
            if known:
                known.reads.add(ANYWHERE)
                known.writes.add(ANYWHERE)

    def _accesses(self, node: ast.AST, field: str = "") -> Accesses | None:
        """The accesses of an expression, if it is a parameter or a field of a named tuple: of one, its `field`."""
        if isinstance(node, ast.Attribute) and not field:
            node, field = node.value, f".{node.attr}"
        if isinstance(node, ast.Name) and not field and node.id in self._aliases:
            return self._aliases[node.id]
        prefix = self._prefix(node)
        if prefix is None or field in (".shape", ".strides"):
            return None
        return self.found.setdefault(prefix + field, Accesses()) if field else self.found.get(prefix)

    def _prefix(self, node: ast.AST) -> str | None:
        """The name of a parameter, or of the named tuple that is made of the starred one."""
        if self._makes(node) or (isinstance(node, ast.Name) and node.id in self._tuples):
            return self.made.__name__
        return node.id if isinstance(node, ast.Name) and node.id in self.parameters else None

    def _makes(self, node: ast.AST) -> bool:
        return self.made is not None and isinstance(node, ast.Call) and self._resolve(node.func) is self.made

    def _named_tuple(self, nodes: list[ast.AST]) -> Any:
        """The named tuple that the function, or one it calls, makes of ``*args``, None if it uses no fields."""
        made = set()
        calls = [node for node in nodes if isinstance(node, ast.Call) and any(map(self._is_star, node.args))]
        for call in calls:
            callee = self._resolve(call.func)
            callee = getattr(callee, "py_func", callee)
            if isinstance(callee, FunctionType) and callee not in self._callers:
                inner = _Reader(callee, self._callers)
                callee = inner.made if inner._star else callee
            made.add(callee)
        made.discard(None)
        uses = sum(isinstance(node, ast.Name) and node.id == self._star for node in nodes)
        if uses != len(calls) or len(made) > 1 or not all(hasattr(each, "_fields") for each in made):
            raise FunctorError(f"{self._function.__name__}() makes no single named tuple of its arguments")
        return next(iter(made), None)

    def _is_star(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Starred) and isinstance(node.value, ast.Name) and node.value.id == self._star

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
