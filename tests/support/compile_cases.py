"""Operators with functors of many kinds, compiled for GPUs and linked without one."""

from __future__ import annotations

import importlib

import numpy as np

from frontier.operators.dispatch.kernels import codes_of, cuda_request

temporal_triangles_module = importlib.import_module("algorithms.temporal_triangle_count")
intersect_module = importlib.import_module("frontier.operators.intersect")


def cuda_build(graph, functors, args, options, arch):
    """The macros and functors' code with which an operator's header is compiled. Needs no GPU."""
    defines, linked = cuda_request(graph, functors, args, options)
    return defines, codes_of(linked, arch)


def numbered_case(graph):
    kinds = ("edge", "vertex", "vertex", "vertex", "edge", "edge")
    ids = np.zeros(1, np.int64)
    args = (ids, ids, np.int64(1), ids)
    options = (("HAS_OP", "1"), ("NUMBERED", "1"))
    return (("op", temporal_triangles_module._count_at_latest, kinds, None),), args, options


def bare_case(*options):
    return lambda graph: ((), (), options)


def check_compiles(structure, header, case, arch, vertex_dtype, weight_dtype, edge_data=None):
    from frontier.runtime.compile.cuda import compile_cubin

    types = {"vertex_dtype": vertex_dtype, "weight_dtype": weight_dtype, "edge_data": edge_data}
    graph = structure(8, device="cpu", **types)
    functors, args, options = case(graph)
    if header == "intersect":
        options += intersect_module.pair_options(graph)
    defines, codes = cuda_build(graph, functors, args, options, arch)
    path = header if "/" in header else f"frontier/operators/{header}/{header}.cuh"
    code = compile_cubin(path, defines, codes, arch)
    assert code[:4] == b"\x7fELF"


NARROW, WIDE = ("sm_90", "int32", None), ("sm_80", "int64", "float64")
