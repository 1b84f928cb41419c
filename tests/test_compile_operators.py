"""Every operator's CUDA kernels compile, and link with functors, for every structure; no GPU is needed."""

import importlib

import numpy as np
import pytest

import frontier as fr
from frontier.operators import engine
from frontier.registry import snapshot_structure, structures

pytest.importorskip("cuda.core")
pytest.importorskip("numba.cuda")

# By their modules' names, which the packages' functions hide.
advance_module = importlib.import_module("frontier.operators.advance")
bfs_module = importlib.import_module("algorithms.bfs")
dynamic_module = importlib.import_module("algorithms.dynamic_triangle_count")
count_module = importlib.import_module("algorithms.triangle_count")

INT = np.dtype(np.int32)
OP = ("vertex", "vertex", "edge", "weight")


def total(src, dst, edge, weight, x):
    return weight * x[dst]


def large(v, x, low):
    return x[v] > low


def clear(v, x, low):
    x[v] = low


def advance_case(graph):
    args = (np.zeros(1, np.int32), np.zeros(1, graph.vertex_dtype), np.int32(1))
    functors = advance_module.advance_functors(bfs_module._visit, bfs_module._unreached)
    return functors, args, advance_module.advance_options(graph, bfs_module._unreached, 2)


def plain_advance_case(graph):
    functors = advance_module.advance_functors(count_module._goes_up, None)
    return functors, (np.zeros(1, np.int64),), advance_module.advance_options(graph, None, None)


def reduce_case(reduce, dtype):
    def case(graph):
        functor = (("op", total, OP, np.dtype(dtype)),)
        result = {np.float64: "double", np.int64: "i64", np.float32: "float", np.int32: "int"}[dtype]
        return functor, (np.zeros(1, dtype),), (("REDUCE", reduce), ("RESULT", result), ("TILE_SIZE", "8"))

    return case


def visit_case(graph):
    functor = (("op", total, OP, INT),)
    return functor, (np.zeros(1, np.float64),), ()


def reduce_vertices_case(reduce, dtype):
    def case(graph):
        result = {np.float64: "double", np.int32: "int"}[dtype]
        functor = (("op", large, ("vertex",), np.dtype(dtype)),)
        return functor, (np.zeros(1, np.float64), np.float64(0)), (("REDUCE", reduce), ("RESULT", result))

    return case


def vertices_case(op, result, options):
    return lambda graph: ((("op", op, ("vertex",), result),), (np.zeros(1, np.float64), np.float64(0)), options)


def intersect_case(graph):
    functor = (("op", dynamic_module._credit, ("vertex", "vertex", "vertex", "edge", "edge"), None),)
    return functor, (np.zeros(1, np.uint8), np.zeros(1, np.int64)), (("HAS_OP", "1"), ("TILE_SIZE", "4"))


def extract_case(graph):
    return (("op", count_module._goes_up, OP, INT),), (np.zeros(1, np.int64),), (("HAS_OP", "1"),)


def bare_case(*options):
    return lambda graph: ((), (), options)


CASES = {
    "advance": ("advance", advance_case),
    "advance-plain": ("advance", plain_advance_case),
    "sum-float64": ("neighbor_reduce", reduce_case("Sum", np.float64)),
    "min-float32": ("neighbor_reduce", reduce_case("Min", np.float32)),
    "max-int64": ("neighbor_reduce", reduce_case("Max", np.int64)),
    "intersect-op": ("intersect", intersect_case),
    "intersect-count": ("intersect", bare_case()),
    "visit": ("visit", visit_case),
    "reduce-sum-float64": ("reduce", reduce_vertices_case("Sum", np.float64)),
    "reduce-min-int32": ("reduce", reduce_vertices_case("Min", np.int32)),
    "extract-op": ("extract", extract_case),
    "extract-all": ("extract", bare_case()),
}
SNAPSHOT_CASES = {
    "filter": ("vertices", vertices_case(large, INT, (("FILTER", "1"),))),
    "compute": ("vertices", vertices_case(clear, None, ())),
    "intersect_arcs": ("intersect_arcs", bare_case()),
    "intersect_arcs-tally": ("intersect_arcs", bare_case(("HAS_TALLY", "1"))),
}


def check_compiles(structure, header, case, arch, vertex_dtype, weight_dtype):
    from frontier.runtime.cuda import compile_cubin

    graph = structure(8, device="cpu", vertex_dtype=vertex_dtype, weight_dtype=weight_dtype)
    functors, args, options = case(graph)
    defines, codes = engine.cuda_build(graph, functors, args, options, arch)
    code = compile_cubin(f"frontier/operators/{header}.cuh", defines, codes, arch)
    assert code[:4] == b"\x7fELF"


@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.parametrize("arch, vertex_dtype, weight_dtype", [("sm_90", "int32", None), ("sm_80", "int64", "float64")])
@pytest.mark.parametrize("structure", list(structures().values()), ids=list(structures()))
def test_operator_compiles(structure, name, arch, vertex_dtype, weight_dtype):
    header, case = CASES[name]
    check_compiles(structure, header, case, arch, vertex_dtype, weight_dtype)


@pytest.mark.parametrize("name", list(SNAPSHOT_CASES))
@pytest.mark.parametrize("arch, vertex_dtype", [("sm_90", "int32"), ("sm_80", "int64")])
def test_operator_of_snapshots_compiles(name, arch, vertex_dtype):
    header, case = SNAPSHOT_CASES[name]
    check_compiles(snapshot_structure(), header, case, arch, vertex_dtype, None)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64, np.float32, np.float64])
def test_atomics_compile(dtype):
    from frontier.functor import cuda_functor

    def op(x, v):
        return (fr.atomic_add(x, 0, v) + fr.atomic_min(x, 1, v) + fr.atomic_max(x, 2, v) + fr.atomic_exch(x, 3, v)
                + fr.atomic_cas(x, 4, v, v))  # fmt: skip

    dtype = np.dtype(dtype)
    assert cuda_functor(op, f"op_{dtype}", dtype, ((dtype, True), (dtype, False)), (9, 0))


def uses_length(v, x):
    return len(x) > v


def uses_unknown(v, x):
    y = 1
    return x[v] > y + unknown_name  # noqa: F821


@pytest.mark.parametrize(
    "op, reason", [(uses_length, "no length"), (uses_unknown, "unknown_name")], ids=["length", "unknown"]
)
def test_errors_on_the_gpu_name_the_functor_and_the_reason(op, reason):
    from frontier.functor import cuda_functor

    with pytest.raises(fr.FunctorError, match=rf"{op.__name__}\(\).*{reason}") as caught:
        cuda_functor(op, "op", INT, ((INT, False), (INT, True)), (9, 0))
    assert "test_compile_operators.py" in str(caught.value)
