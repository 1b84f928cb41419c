"""Every operator's CUDA kernels compile, and link with functors, for every structure, without a GPU."""

import numpy as np
import pytest
from compile_cases import NARROW, WIDE, check_compiles
from functor_compilers import *  # noqa: F403
from operator_cases import CASES, INT, SNAPSHOT_CASES, distances_case

import frontier as fr
from frontier.core.registry import csr_structure
from frontier.core.structures import structures

pytest.importorskip("cuda.core")

# All operators walk a structure through the same few functions, so some of them show that it accepts wide types.
WALKS = (
    "advance", "traverse", "traverse-both-ways", "min-float32", "visit", "match", "orientation-support", "intersect-op",
)  # fmt: skip
FIRST = {header: case for case, (header, _) in reversed(CASES.items())}
"""A case of each header: other functors and options of it are compiled with ``--all``."""
OPERATORS = [
    pytest.param(
        structure,
        case,
        *types,
        id=f"{name}-{case}-{types[0]}",
        marks=() if case in FIRST.values() else pytest.mark.slow,
    )
    for name, structure in structures().items()
    for case in CASES
    for types in (NARROW, WIDE)
    if types == NARROW or structure is csr_structure() or case in WALKS
]


@pytest.mark.sampled("name", of=7)
@pytest.mark.parametrize("structure, name, arch, vertex_dtype, weight_dtype", OPERATORS)
def test_operator_compiles(structure, name, arch, vertex_dtype, weight_dtype):
    header, case = CASES[name]
    check_compiles(structure, header, case, arch, vertex_dtype, weight_dtype)


WITH_EDGE_DATA = [
    pytest.param(structure, case, *types, id=f"{name}-{case}-{types[0]}")
    for name, structure in structures().items()
    for case in CASES
    for types in (NARROW, WIDE)
    if (structure is csr_structure() if types == WIDE else case == "advance") or (name, types) == ("slab", NARROW)
]


@pytest.mark.slow
@pytest.mark.sampled("name", of=4)
@pytest.mark.parametrize("structure, name, arch, vertex_dtype, weight_dtype", WITH_EDGE_DATA)
def test_operator_compiles_for_edge_data(structure, name, arch, vertex_dtype, weight_dtype):
    header, case = CASES[name]
    check_compiles(structure, header, case, arch, vertex_dtype, weight_dtype, {"time": "int64"})


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, arch, vertex_dtype",
    [(name, *(("sm_90", "int32"), ("sm_80", "int64"))[at % 2]) for at, name in enumerate(SNAPSHOT_CASES)],
)
def test_operator_of_snapshots_compiles(name, arch, vertex_dtype):
    header, case = SNAPSHOT_CASES[name]
    check_compiles(csr_structure(), header, case, arch, vertex_dtype, None)


@pytest.mark.parametrize("listed", [False, True], ids=["", "listed-hubs"])
@pytest.mark.parametrize(
    "arch, vertex, weight, gather",
    [("sm_90", "int", "float", "float"), ("sm_90", "int", "double", "double"), ("sm_80", "i64", "i64", "double")],
)
def test_spmv_compiles(arch, vertex, weight, gather, listed):
    defines = (("GATHER", gather), ("VID", vertex), ("WEIGHT", weight), *((("LISTED_HUBS", "1"),) if listed else ()))
    from frontier.runtime.compile.cuda import compile_cubin

    assert compile_cubin("frontier/operators/spmv/spmv.cuh", defines, (), arch)[:4] == b"\x7fELF"


@pytest.mark.parametrize("arch, vertex", [("sm_90", "int"), ("sm_80", "i64")])
def test_places_compile(arch, vertex):
    from frontier.runtime.compile.cuda import compile_cubin

    assert (
        compile_cubin("frontier/operators/degree_order/degree_order.cuh", (("VID", vertex),), (), arch)[:4]
        == b"\x7fELF"
    )


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64, np.float32, np.float64])
def test_atomics_compile(dtype):
    from frontier.functor import cuda_functor

    def op(x, v):
        return (fr.atomic_add(x, 0, v) + fr.atomic_min(x, 1, v) + fr.atomic_max(x, 2, v) + fr.atomic_exch(x, 3, v)
                + fr.atomic_cas(x, 4, v, v))  # fmt: skip

    dtype = np.dtype(dtype)
    assert cuda_functor(op, f"op_{dtype}", dtype, ((dtype, True), (dtype, False)), (9, 0))

    def bits(x, v):
        return fr.atomic_or(x, 0, v) + fr.atomic_and(x, 1, v)

    if dtype.kind in "iu":
        assert cuda_functor(bits, f"bits_{dtype}", dtype, ((dtype, True), (dtype, False)), (9, 0))
    else:
        with pytest.raises(fr.FunctorError, match=f"changes bits: its array must contain integers, not {dtype}"):
            cuda_functor(bits, f"bits_{dtype}", dtype, ((dtype, True), (dtype, False)), (9, 0))


def test_random_numbers_compile():
    from frontier.functor import cuda_functor

    def op(v, seed, x):
        x[v] = fr.random(seed, v) + fr.advanced.random_bits(seed, v, 3) % 6

    for kind in ("int32", "int64"):
        parameters = ((np.dtype(kind), False), (np.dtype(np.int64), False), (np.dtype(np.float64), True))
        assert cuda_functor(op, f"random_{kind}", None, parameters, (9, 0))


def uses_length(v, x):
    return len(x) > v


def uses_unknown(v, x):
    y = 1
    return x[v] > y + unknown_name  # noqa: F405


@pytest.mark.parametrize(
    "op, reason", [(uses_length, "no length"), (uses_unknown, "unknown_name")], ids=["length", "unknown"]
)
def test_errors_on_the_gpu_name_the_functor_and_the_reason(op, reason):
    from frontier.functor import cuda_functor

    with pytest.raises(fr.FunctorError, match=rf"{op.__name__}\(\).*{reason}") as caught:
        cuda_functor(op, "op", INT, ((INT, False), (INT, True)), (9, 0))
    assert "test_compile_operators.py" in str(caught.value)


DISTANCES = {
    "_root_or_nan": "neighbor_reduce", "_leads_on": "advance", "_relax": "advance", "choose_nearer": "advance",
    "has_none": "filter", "grow": "advance", "mark_tentative": "visit_edges", "relax_listed": "visit_edges",
    "mark_without_looking": "visit_edges", "relax": "advance", "relax_levels": "advance",
    "adopt_or_pass_on": "advance", "forget": "filter",
    "pull": "advance", "adopt": "advance", "pass_on": "advance", "find_parent": "advance", "take_changed": "filter",
}  # fmt: skip
DISTANCE_TYPES = [
    ("sm_90", "int32", None), ("sm_90", "int32", "int32"), ("sm_90", "int32", "float32"), ("sm_80", "int64", "float64")
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "op, arch, vertex_dtype, weight_dtype",  # each functor with two of the types, in turn
    [(op, *types) for at, op in enumerate(DISTANCES) for types in DISTANCE_TYPES[at % 2 :: 2]],
)
def test_functors_of_distances_compile(op, arch, vertex_dtype, weight_dtype):
    header = DISTANCES[op]
    case = distances_case(op, header, weight_dtype)
    check_compiles(csr_structure(), header, case, arch, vertex_dtype, weight_dtype)
