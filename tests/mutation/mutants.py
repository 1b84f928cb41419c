"""Small changes to a Python file, each of which a test should notice.

A mutant replaces the text of one expression or statement. Text that no test could or should notice stays: messages of
errors, annotations, docstrings, code for type checkers and `__repr__`. So do the numbers of named constants, most of
which are thresholds of speed, and, without a GPU, branches for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

COMPARISONS = {
    ast.Lt: [ast.LtE, ast.GtE], ast.LtE: [ast.Lt, ast.Gt], ast.Gt: [ast.GtE, ast.LtE], ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.Is: [ast.IsNot], ast.IsNot: [ast.Is], ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
}  # fmt: skip
OPPOSITES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any"}
LAUNCH = {"_tiles", "_lanes", "tile", "threads", "blocks", "together"}
UNNOTICED = {"__repr__", "__str__", "_repr_html_"}
ON_GPU = {"ArcBuffer", "_DeviceRange"}
"""Classes that are only used on a GPU."""


@dataclass(frozen=True)
class Mutant:
    """A change to a file.

    Attributes
    ----------
    line : int
    kind : str
    begin, end : int
        The position of the replaced text, in bytes.
    old, new : str
    """

    line: int
    kind: str
    begin: int
    end: int
    old: str
    new: str

    def apply(self, text: str) -> str:
        """The file's text with the change."""
        data = text.encode()
        return (data[: self.begin] + self.new.encode() + data[self.end :]).decode()


def mutants(text: str, *, gpu: bool = False) -> list[Mutant]:
    """All mutants of a file's text, including branches for a GPU if `gpu`."""
    data, starts = text.encode(), [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, kind, new in _changes(ast.parse(text), gpu):
        begin, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        old = data[begin:end].decode()
        # Lines below stay where they are, and so do kernels whose text names them.
        if isinstance(node, ast.expr):
            new = f"({new}{chr(10) * old.count(chr(10))})"
        found.append(Mutant(node.lineno, kind, begin, end, old, new))
    return found


def _changes(tree: ast.Module, gpu: bool) -> Iterator[tuple[Any, str, str]]:
    """Nodes, the kind of change to each, and the replacement text."""
    pending: list[ast.AST] = [node for node in tree.body if not _is_constant(node)]
    while pending:
        node = pending.pop()
        yield from _expression_changes(node)
        yield from _statement_changes(node)
        pending += _children(node, gpu)


def _is_constant(node: ast.AST) -> bool:
    """Whether a statement of a module or class defines a constant."""
    return isinstance(node, ast.Assign | ast.AnnAssign) and not (node.value and isinstance(node.value, ast.Lambda))


def _children(node: ast.AST, gpu: bool) -> list[ast.AST]:
    """The nodes inside a node that may be changed."""
    if isinstance(node, ast.FunctionDef):
        if node.name in UNNOTICED or (not gpu and "on_gpu" in node.name):
            return []
        return [*node.args.defaults, *(d for d in node.args.kw_defaults if d), *_block(node.body, gpu)]
    if isinstance(node, ast.ClassDef):
        if node.name in ON_GPU and not gpu:
            return []
        return [child for child in node.body if not _is_constant(child)]
    if isinstance(node, ast.If):
        if "TYPE_CHECKING" in ast.unparse(node.test):
            return node.orelse
        body, orelse = _block(node.body, gpu), _block(node.orelse, gpu)
        if not gpu and _asks_for_gpu(node.test) is True:
            return orelse
        if not gpu and _asks_for_gpu(node.test) is False:
            return body
        return [node.test, *body, *orelse]
    if isinstance(node, ast.IfExp) and not gpu and _asks_for_gpu(node.test) is not None:
        return [node.orelse if _asks_for_gpu(node.test) else node.body]
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value else []
    if isinstance(node, ast.Call) and not gpu:
        # How kernels are launched on a GPU.
        kept = [word.value for word in node.keywords if word.arg not in LAUNCH]
        return [] if getattr(node.func, "attr", "") in LAUNCH else [node.func, *node.args, *kept]
    if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom | ast.JoinedStr):
        return []
    if isinstance(node, ast.Assert):
        return [node.test]
    return list(ast.iter_child_nodes(node))


def _block(statements: list[ast.stmt], gpu: bool) -> list[ast.AST]:
    """Statements one after another, without statements that only a GPU reaches."""
    kept: list[ast.AST] = []
    for statement in statements:
        kept.append(statement)
        if gpu or not isinstance(statement, ast.If):
            continue
        if _asks_for_gpu(statement.test) is False and isinstance(statement.body[-1], ast.Return | ast.Raise):
            break
    return kept


def _asks_for_gpu(test: ast.expr) -> bool | None:
    """Whether a condition asks for a GPU: True, or False if it asks for a CPU. None if for neither."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return True if any(_asks_for_gpu(part) is True for part in test.values) else None
    text = ast.unparse(test)
    if text.endswith(("is_gpu", "on_gpu")):
        return not text.startswith("not ")
    return None


def _expression_changes(node: ast.AST) -> Iterator[tuple[Any, str, str]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in COMPARISONS.get(type(node.ops[0]), ()):
            yield node, "comparison", ast.unparse(ast.Compare(node.left, [other()], node.comparators))
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC and not _is_text(node):
        yield node, "arithmetic", ast.unparse(ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right))
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, "and, or", ast.unparse(ast.BoolOp(other, node.values))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, "negation", ast.unparse(node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, "constant", str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield node, "constant", str(node.value + 1)
        yield node, "constant", str(node.value - 1)
    elif isinstance(node, ast.Call):
        yield from _call_changes(node)


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(side, ast.JoinedStr | ast.Constant) and isinstance(getattr(side, "value", ""), str)
               for side in (node.left, node.right))  # fmt: skip


def _call_changes(node: ast.Call) -> Iterator[tuple[Any, str, str]]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in OPPOSITES:
        function = ast.unparse(node.func)[: -len(name)] + OPPOSITES[name]
        yield node, "min, max", function + ast.unparse(node)[len(ast.unparse(node.func)) :]
    if len(node.args) > 1 and not any(isinstance(arg, ast.Starred) for arg in node.args[:2]) and name not in OPPOSITES:
        first, second, *rest = node.args
        if ast.dump(first) != ast.dump(second):
            yield node, "arguments", ast.unparse(ast.Call(node.func, [second, first, *rest], node.keywords))


def _statement_changes(node: ast.AST) -> Iterator[tuple[Any, str, str]]:
    if isinstance(node, ast.If | ast.While) and not isinstance(node.test, ast.Constant):
        text = ast.unparse(node.test)
        if "is_gpu" not in text and "TYPE_CHECKING" not in text:
            yield node.test, "negation", f"not ({text})"
    stored = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript)
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    if stored or called or isinstance(node, ast.AugAssign | ast.Continue | ast.Break):
        yield node, "statement", "pass"
