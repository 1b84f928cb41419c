"""Every functor of the gallery compiles for GPUs and links with its operator; no GPU is needed.

Each algorithm runs on a small graph on the CPU, while what it hands to operators is noted; then the same is compiled.
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from functor_compilers import *  # noqa: F403
from test_compile_operators import check_compiles

import frontier as fr
from algorithms import DynamicCoreNumber, analytics
from algorithms.catalogue import GALLERY
from frontier.functor.cuda import chosen_compiler
from frontier.operators.dispatch.kernels import cuda_build, functor_args
from frontier.operators.dispatch.signatures import ARC, TRUTH, VERTEX
from frontier.operators.neighbor_columns import column_functors, column_options
from frontier.operators.neighbor_mode import mode_functors, mode_options
from frontier.runtime.compile.kernels import C_TYPES

pytest.importorskip("cuda.core")

advance = importlib.import_module("frontier.operators.advance")
traverse = importlib.import_module("frontier.operators.traverse")
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
    def case(op, *args, reduce="sum", dtype=np.float64, out=None, **options):
        dtype = np.dtype(dtype) if out is None else out.dtype
        named = ("REDUCE", reduce.capitalize()), ("RESULT", C_TYPES[dtype]), ("VALUE", C_TYPES[dtype])
        return lambda graph: ((("op", op, kinds, dtype),), args, (*named, *macros))

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
OF_MODES, OF_COLUMNS = "modes", "columns"  # calls of neighbor_reduce that have kernels of their own
HEADERS = {"extract_subgraph": "extract", OF_MODES: "neighbor_mode", OF_COLUMNS: "neighbor_columns"}
BEFORE_OP = {"compute": 1, "filter": 1, "reduce": 1, "extract_subgraph": 1, "visit_edges": 3}
"""How many arguments of an operator come before the functor: the graph and the frontier, or one of them."""
COMPILED = set()
"""Some algorithms share functors."""
LINKED = set()
"""The operators whose kernels were compiled and linked; without --long, once for each."""


@pytest.mark.parametrize("name", GALLERY)
def test_functors_compile(name, monkeypatch, request):
    known, kept = analytics()[name], []
    graph = CSR.from_edges([0, 1, 2, 3, 3], [1, 2, 0, 0, 4], num_vertices=6, device="cpu")
    with monkeypatch.context() as patch:
        note(patch, kept)
        known.compute(graph, **known.settings(graph))
    compile_noted(graph, kept, request)
    assert kept or name in ("local_clustering", "jaccard", "overlap")  # which count triangles, without own functors


SEVERAL = {"bfs": None, "closeness_centrality": None, "sssp": "float32"}
"""Searches from several sources, which have functors of their own, and the weights of their graphs."""


@pytest.mark.parametrize("name", SEVERAL)
def test_functors_of_several_sources_compile(name, monkeypatch, request):
    known, kept, weights = analytics()[name], [], SEVERAL[name]
    weights = None if weights is None else np.ones(6, weights)
    graph = CSR.from_edges([0, 1, 2, 3, 3, 4], [1, 2, 0, 0, 4, 5], weights, num_vertices=9, device="cpu")
    with monkeypatch.context() as patch:
        note(patch, kept)
        for above in (0, 1):  # pull, and push
            patch.setattr("algorithms._source_words.PULL_ABOVE", above)
            known.compute(graph, sources=range(9))
    assert {"advance", "traverse"} <= {operator for operator, _, _ in kept}
    compile_noted(graph, kept, request)


def test_functors_of_dynamic_core_compile(monkeypatch, request):
    kept = []
    graph = CSR.from_edges([0, 1, 2, 3, 3], [1, 2, 3, 0, 4], num_vertices=6, device="cpu")
    with monkeypatch.context() as patch:
        note(patch, kept)
        cores = DynamicCoreNumber(graph)
        graph.insert_edges([0], [2])
        graph.delete_edges([0], [1])
        assert cores.degeneracy == 2
    assert {"visit_edges", "advance", "traverse", "filter", "compute", "reduce"} == {operator for operator, *_ in kept}
    compile_noted(graph, kept, request)


def test_functors_of_strong_components_compile(monkeypatch, request):
    """Those of the rounds, which a CPU does not make by itself."""
    kept = []
    graph = CSR.from_edges([0, 1, 2, 3, 3], [1, 2, 0, 0, 4], num_vertices=6, directed=True, device="cpu")
    module = importlib.import_module("algorithms.strongly_connected_components")
    with monkeypatch.context() as patch:
        note(patch, kept)
        assert module.find_in_parallel(graph).tolist() == [0, 0, 0, 3, 4, 5]
    assert {"traverse", "filter", "compute"} == {operator for operator, *_ in kept}
    compile_noted(graph, kept, request)


def compile_noted(graph, kept, request):
    """Compile what was handed to operators, each functor once."""
    for operator, arguments, options in kept:
        op, *args = arguments[BEFORE_OP.get(operator, 2) :]
        operator = OF_MODES if options.get("reduce") == "mode" else OF_COLUMNS if "columns" in options else operator
        made_by = chosen_compiler()
        if (made_by, operator, op) not in COMPILED:
            COMPILED.add((made_by, operator, op))
            plain = [np.int32(1) if isinstance(value, fr.advanced.StepCounter) else value for value in args]
            values = functor_args(graph, op, tuple(plain))
            case = (CASES | {OF_MODES: modes_case, OF_COLUMNS: columns_case})[operator](op, *values, **options)
            if (made_by, operator) in LINKED and not request.config.getoption("--long", False):
                cuda_build(CSR(8, device="cpu"), *case(graph), "sm_90")  # functors alone
            else:
                LINKED.add((made_by, operator))
                check_compiles(CSR, HEADERS.get(operator, operator), case, "sm_90", "int32", None)
