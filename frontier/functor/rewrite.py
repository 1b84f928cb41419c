"""Functors rewritten so that every index is checked: ``a[i]`` becomes ``a[checked_index(a, i, site, report)]``."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from ..atomics import ATOMICS
from ..runtime.identity import captured
from .bounds import checked_index
from .checking import Site, sites
from .freeze import Target
from .source import definition_of, unique_name

REPORT, CHECK = unique_name("report"), unique_name("check")


def rewrite(function: FunctionType, target: Target) -> FunctionType:
    """A copy of a functor that checks its indices, and takes a report (see `checking`) before its arguments."""
    return _rewrite(function, target, {})


def _safe_name(function: FunctionType) -> str:
    return function.__name__ if function.__name__.isidentifier() else "functor"


def _rewrite(function: FunctionType, target: Target, done: dict[int, FunctionType]) -> FunctionType:
    """A copy that takes the report first, and hands it on to the functions it calls."""
    tree = definition_of(function)
    names: dict[str, Any] = {name: value for name, value, _, _ in captured(function)}
    scope = names | {CHECK: checked_index, "__name__": function.__module__}
    # The copy is there before its body, for functions that call themselves.
    copy = done[id(function)] = FunctionType((lambda: None).__code__, scope, function.__name__)

    def helper(callee: FunctionType) -> str:
        if id(callee) not in done:
            _rewrite(callee, target, done)
        name = unique_name(f"{callee.__name__.strip('<>')}_{len(scope)}")
        scope[name] = done[id(callee)]
        return name

    arguments = tree.args
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    arrays = {argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    checker = _Checker(function, names, arrays, helper, target)
    body = [ast.Return(checker.visit(tree.body))] if isinstance(tree, ast.Lambda) else [
        checker.visit(statement) for statement in tree.body
    ]  # fmt: skip
    first = arguments.posonlyargs or arguments.args
    first.insert(0, ast.arg(REPORT))
    definition = ast.FunctionDef(
        name=_safe_name(function), args=arguments, body=body, decorator_list=[], type_params=[]
    )
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(definition, tree)], []))
    made: dict[str, Any] = {}
    exec(compile(module, function.__code__.co_filename, "exec"), made)
    copy.__code__ = made[_safe_name(function)].__code__
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
        self._arrays = arrays  # names that may stand for arrays: parameters, and other names for them
        self._helper = helper
        self._target = target

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id in self._arrays:
            self._arrays |= {name.id for name in node.targets if isinstance(name, ast.Name)}
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id in self._arrays and not isinstance(node.slice, ast.Slice):
            verb = "reads" if isinstance(node.ctx, ast.Load) else "writes"
            node.slice = self._check(node.value, node.slice, verb)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        callee = self._resolve(node.func)
        self.generic_visit(node)
        if callee in ATOMICS and len(node.args) >= 2 and isinstance(node.args[0], ast.Name):
            node.args[1] = self._check(node.args[0], node.args[1], "writes")
            return node
        function = getattr(callee, "py_func", callee)
        if isinstance(function, FunctionType) and (function is not callee or not self._target.knows(callee)):
            name = self._helper(function)
            node.func = ast.copy_location(ast.Name(name, ast.Load()), node.func)
            node.args.insert(0, ast.copy_location(ast.Name(REPORT, ast.Load()), node))
        return node

    def _resolve(self, expression: ast.expr) -> Any:
        """What a name, or a chain of attributes of modules, stands for outside of the function."""
        if isinstance(expression, ast.Name):
            return self._names.get(expression.id)
        if isinstance(expression, ast.Attribute):
            owner = self._resolve(expression.value)
            return getattr(owner, expression.attr, None) if isinstance(owner, ModuleType) else None
        return None

    def _check(self, array: ast.Name, index: ast.expr, verb: str) -> ast.expr:
        place = Site(
            self._function.__name__, f"{verb} {array.id}[{_text(index)}]", self._function.__code__.co_filename,
            array.lineno,
        )  # fmt: skip
        number = int.from_bytes(hashlib.sha256(f"{place} {array.col_offset}".encode()).digest()[:6], "big")
        sites[number] = place  # the same in every process: compiled code is kept on disk
        call = ast.Call(
            ast.Name(CHECK, ast.Load()),
            [ast.Name(array.id, ast.Load()), index, ast.Constant(number), ast.Name(REPORT, ast.Load())],
            [],
        )
        return ast.copy_location(call, index)


def _text(index: ast.expr) -> str:
    """An index as the user wrote it."""
    return ast.unparse(_Unchecked().visit(ast.parse(ast.unparse(index), mode="eval")))


class _Unchecked(ast.NodeTransformer):
    """Takes the checks of an inner index out again."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == CHECK:
            return node.args[1]
        node.args = [a for a in node.args if not (isinstance(a, ast.Name) and a.id == REPORT)]
        return node

