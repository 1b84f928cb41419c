"""Functors rewritten to check every index: ``a[i]`` becomes ``a[checked_index(a, i, site, report)]``.

``a[i, j]``, and ``a[i][j]``, become ``a[checked_pair(a, (i, j), site, report)]``. An array may also be the field of a
named tuple, ``state.a[i]``. So are vertices whose neighbors are asked for (`frontier.functor.intrinsics.neighbors`).
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable
from types import FunctionType
from typing import Any

from frontier.runtime.compile.function_identity import captured

from .bounds import checked_index, checked_pair, checked_vertex
from .checking import Site, sites
from .freeze import Target
from .intrinsics import neighbors
from .intrinsics.atomics import ATOMICS
from .loops import write_out
from .source import code_of, definition_of, resolved, unique_name

REPORT, CHECK, CHECK_PAIR, CHECK_VERTEX = map(unique_name, ("report", "check", "check_pair", "check_vertex"))
CHECKS = {CHECK: checked_index, CHECK_PAIR: checked_pair, CHECK_VERTEX: checked_vertex}


def rewrite(function: FunctionType, target: Target) -> FunctionType:
    """A copy of a functor that checks its indices, and has a report (see `checking`) before its parameters."""
    return _rewrite(function, target, {})


def _rewrite(function: FunctionType, target: Target, done: dict[int, FunctionType]) -> FunctionType:
    """A copy that has the report as its first parameter, and passes it on to the functions it calls."""
    tree = definition_of(function, "checked")
    names: dict[str, Any] = {name: value for name, value, _, _ in captured(function)}
    scope = names | CHECKS | {"__name__": function.__module__}
    # The copy exists before its body, for functions that call themselves.
    copy = done[id(function)] = FunctionType((lambda: None).__code__, scope, function.__name__)

    def helper(callee: FunctionType) -> str:
        if id(callee) not in done:
            _rewrite(callee, target, done)
        name = unique_name(f"{callee.__name__.strip('<>')}_{len(scope)}")
        scope[name] = done[id(callee)]
        return name

    arguments = tree.args
    arrays = {argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    checker = _Checker(function, names, arrays, helper, target)
    write_out(tree, names, function, checker.check_vertex)
    scope |= names
    body = checker.visit(tree.body) if isinstance(tree, ast.Lambda) else [
        checker.visit(statement) for statement in tree.body
    ]  # fmt: skip
    tree.body = body
    first = arguments.posonlyargs or arguments.args
    first.insert(0, ast.arg(REPORT))
    copy.__code__ = code_of(tree, function)
    copy.__defaults__ = function.__defaults__
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


class _Checker(ast.NodeTransformer):
    """Rewrites the body of one function."""

    def __init__(
        self, function: FunctionType, names: dict[str, Any], arrays: set[str],
        helper: Callable[[FunctionType], str], target: Target,
    ):  # fmt: skip
        self._function = function
        self._names = names
        self._arrays = arrays  # names that may stand for arrays: parameters, named tuples, other names of these
        self._pairs: set[str] = set()  # names that stand for two indices
        self._helper = helper
        self._target = target

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for name, value in zip(target.elts, node.value.elts, strict=False):
                    self._assign(name, value)
            else:
                self._assign(target, node.value)
        return self.generic_visit(node)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        """Note what a name stands for."""
        if not isinstance(target, ast.Name):
            return
        array = value.value if isinstance(value, ast.Subscript) else value
        if self._is_array(array) or self._is_named_tuple(array):
            self._arrays.add(target.id)
        if isinstance(value, ast.Tuple):
            self._pairs.add(target.id)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value, node.slice = self._in_one(node.value, node.slice)
        self.generic_visit(node)
        if self._is_array(node.value) and not _has_slice(node.slice):
            verb = "reads" if isinstance(node.ctx, ast.Load) else "writes"
            node.slice = self._check(node.value, node.slice, verb)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        callee = resolved(node.func, self._names)
        atomic = callee in ATOMICS and len(node.args) >= 2
        if atomic:
            node.args[:2] = self._in_one(*node.args[:2])
        self.generic_visit(node)
        if atomic and isinstance(node.args[0], ast.Name | ast.Attribute):
            node.args[1] = self._check(node.args[0], node.args[1], "writes")
            return node
        if callee in OF_VERTICES:
            text = _text(node)
            node.args[1:] = [self._checked_vertex(node.args[0], v, text) for v in node.args[1:]]
            return node
        function = getattr(callee, "py_func", callee)
        if isinstance(function, FunctionType) and (function is not callee or not self._target.knows(callee)):
            name = self._helper(function)
            node.func = ast.copy_location(ast.Name(name, ast.Load()), node.func)
            node.args.insert(0, ast.copy_location(ast.Name(REPORT, ast.Load()), node))
        return node

    def _is_array(self, node: ast.expr) -> bool:
        """Whether an expression may stand for an array: a name of one, or the field of a named tuple."""
        if isinstance(node, ast.Attribute) and node.attr not in OF_SHAPES:
            return self._is_array(node.value) or self._is_named_tuple(node.value)
        return isinstance(node, ast.Name) and node.id in self._arrays

    def _is_named_tuple(self, node: ast.expr) -> bool:
        """Whether an expression makes a named tuple."""
        callee = resolved(node.func, self._names) if isinstance(node, ast.Call) else None
        return isinstance(callee, type) and issubclass(callee, tuple) and hasattr(callee, "_fields")

    def _in_one(self, array: ast.expr, index: ast.expr) -> tuple[ast.expr, ast.expr]:
        """An array and an index: where the array is a row of another, that one and two indices."""
        if not isinstance(array, ast.Subscript) or _is_special(array.slice) or _is_special(index):
            return array, index
        if not self._is_array(array.value):
            return array, index
        return array.value, ast.copy_location(ast.Tuple([array.slice, index], ast.Load()), array)

    def _check(self, array: ast.expr, index: ast.expr, verb: str) -> ast.expr:
        is_pair = isinstance(index, ast.Tuple) or (isinstance(index, ast.Name) and index.id in self._pairs)
        code, access = self._function.__code__, f"{verb} {ast.unparse(array)}[{_text(index)}]"
        kind = "pair" if is_pair else "index"
        place = Site(self._function.__name__, access, code.co_filename, array.lineno, kind)
        return _call(CHECK_PAIR if is_pair else CHECK, array, index, place)

    def check_vertex(self, graph: ast.expr, v: ast.expr, call: ast.Call) -> ast.expr:
        """A checked vertex, which `call` looks up in a graph that is a variable."""
        return self._checked_vertex(graph, v, _text(call))

    def _checked_vertex(self, graph: ast.expr, v: ast.expr, text: str) -> ast.expr:
        code = self._function.__code__
        place = Site(self._function.__name__, f"calls {text}", code.co_filename, v.lineno, "vertex")
        return _call(CHECK_VERTEX, graph, v, place)


OF_SHAPES = ("shape", "strides")
"""Attributes of arrays that are no arrays."""
OF_VERTICES = (neighbors.degree, neighbors.find_edge)
"""Functions of a graph and of vertices."""


def _call(check: str, thing: ast.expr, index: ast.expr, place: Site) -> ast.expr:
    """A call that checks an index of something."""
    number = int.from_bytes(hashlib.sha256(f"{place} {index.col_offset}".encode()).digest()[:6], "big")
    sites[number] = place  # the same in every process: compiled code is cached on disk
    args = [thing, index, ast.Constant(number), ast.Name(REPORT, ast.Load())]
    return ast.copy_location(ast.Call(ast.Name(check, ast.Load()), args, []), index)


def _text(index: ast.expr) -> str:
    """An index as the user wrote it."""
    if isinstance(index, ast.Tuple):
        return ", ".join(_text(part) for part in index.elts)
    return ast.unparse(_Unchecked().visit(ast.parse(ast.unparse(index), mode="eval")))


def _has_slice(index: ast.expr) -> bool:
    """Whether the expression in brackets is a slice, or contains one."""
    return isinstance(index, ast.Slice) or (isinstance(index, ast.Tuple) and any(map(_has_slice, index.elts)))


def _is_special(index: ast.expr) -> bool:
    """Whether the expression in brackets is not a single index."""
    return isinstance(index, ast.Slice | ast.Tuple)


class _Unchecked(ast.NodeTransformer):
    """Removes the checks of an inner index."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in CHECKS:
            return node.args[1]
        node.args = [a for a in node.args if not (isinstance(a, ast.Name) and a.id == REPORT)]
        return node
