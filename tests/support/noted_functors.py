"""Functors that an algorithm gives to operators, noted in a run on a CPU and compiled for GPUs."""

from __future__ import annotations

import importlib

import numpy as np
from compile_cases import check_compiles, cuda_build

import frontier as fr
from frontier.functor.cuda import chosen_compiler
from frontier.operators.dispatch.kernels import functor_args
from frontier.operators.dispatch.signatures import ARC, TRUTH, VERTEX
from frontier.operators.neighbor_columns import column_functors, column_options
from frontier.operators.neighbor_mode import mode_functors, mode_options
from frontier.runtime.compile.kernels import C_TYPES

advance = importlib.import_module("frontier.operators.advance")
traverse = importlib.import_module("frontier.operators.traverse.traversal")
CSR = fr.structures()["csr"]


def note(monkeypatch, kept):
    """Note the calls of public operators."""

    def noting(name, function):
        def call(*args, **options):
            kept.append((name, args, options))
            return function(*args, **options)

        return call

    for name in CASES:
        monkeypatch.setattr(fr, name, noting(name, getattr(fr, name)))


def modes_case(op, *args, out, score=None, **options):
    return lambda graph: (mode_functors(op, score, out.dtype), args, mode_options(score, out.dtype))


def columns_case(op, *args, columns, out, reduce="sum", **options):
    return lambda graph: (
        column_functors(op, reduce, out.dtype), args, column_options(reduce, out.dtype, columns, 8)
    )  # fmt: skip


def advance_case(op, *args, condition=None, prepare=None, **options):
    functors = advance.Functors(op, condition, prepare)
    return lambda graph: (advance.advance_functors(functors), args, advance.advance_options(graph, functors))


def traverse_case(op, *args, condition=None, prepare=None, **options):
    functors = advance.Functors(op, condition, prepare)
    step = next((i for i, value in enumerate(args) if isinstance(value, fr.advanced.StepCounter)), None)
    values = tuple(np.int32(1) if isinstance(value, fr.advanced.StepCounter) else value for value in args)
    return lambda graph: (
        advance.advance_functors(functors), values, traverse.traverse_options((graph,), functors, step)
    )  # fmt: skip


def simple_case(kinds, result, *macros):
    return lambda op, *args, **options: lambda graph: ((("op", op, kinds, result),), args, macros)


def reduce_case(kinds, *macros):
    def case(op, *args, reduce="sum", dtype=np.float64, out=None, columns=None, **options):
        dtype = np.dtype(dtype) if out is None else out.dtype
        named = [("REDUCE", reduce.capitalize()), ("RESULT", C_TYPES[dtype]), ("VALUE", C_TYPES[dtype])]
        given = kinds if columns is None else (*kinds, "column")
        several = () if columns is None else (("COLUMNS", str(columns)),)
        return lambda graph: ((("op", op, given, dtype),), args, (*named, *macros, *several))

    return case


CASES = {
    "advance": advance_case,
    "traverse": traverse_case,
    "compute": simple_case(VERTEX, None),
    "filter": simple_case(VERTEX, TRUTH),
    "extract_subgraph": simple_case(ARC, TRUTH, ("HAS_OP", "1")),
    "visit_edges": simple_case(ARC, TRUTH),
    "reduce": reduce_case(VERTEX),
    "neighbor_reduce": reduce_case(ARC, ("TILE_SIZE", "8")),
}
OF_MODES, OF_COLUMNS = "modes", "columns"  # calls of neighbor_reduce with separate kernels
HEADERS = {"extract_subgraph": "extract", OF_MODES: "neighbor_mode", OF_COLUMNS: "neighbor_columns"}
BEFORE_OP = {"compute": 1, "filter": 1, "reduce": 1, "extract_subgraph": 1, "visit_edges": 3}
"""The number of arguments of an operator before the functor: the graph and the frontier, or one of them."""
COMPILED = set()
"""Some algorithms share functors."""
FUNCTORS_ALONE = ("argmin", "argmax")
"""Reductions whose kernels are other ones, which tests of the operator compile."""
LINKED = set()
"""The operators whose kernels were compiled and linked. Without --long, once for each."""


def compile_noted(graph, kept, request):
    """Compile the functors passed to operators, each once."""
    for operator, arguments, options in kept:
        op, *args = arguments[BEFORE_OP.get(operator, 2) :]
        if operator == "neighbor_reduce" and options.keys() & {"columns"}:
            operator = OF_COLUMNS
        elif options.get("reduce") == "mode":
            operator = OF_MODES
        made_by = chosen_compiler()
        if (made_by, operator, op) not in COMPILED:
            COMPILED.add((made_by, operator, op))
            plain = [np.int32(1) if isinstance(value, fr.advanced.StepCounter) else value for value in args]
            values = functor_args(graph, op, tuple(plain))
            case = (CASES | {OF_MODES: modes_case, OF_COLUMNS: columns_case})[operator](op, *values, **options)
            is_linked = (made_by, operator) in LINKED and not request.config.getoption("--long", False)
            if is_linked or options.get("reduce") in FUNCTORS_ALONE:
                cuda_build(CSR(8, device="cpu"), *case(graph), "sm_90")  # only functors
            else:
                LINKED.add((made_by, operator))
                check_compiles(CSR, HEADERS.get(operator, operator), case, "sm_90", "int32", None)
