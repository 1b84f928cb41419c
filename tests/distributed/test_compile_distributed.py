"""The partitions of distributed graphs in functors of algorithms compile for GPUs and link with operators, without a
GPU."""

import importlib
import re

import numpy as np
import pytest
from compile_cases import check_compiles, cuda_build
from functor_compilers import *  # noqa: F403

from frontier.core.structures import structures
from frontier.distributed.exchange import levels, sending
from frontier.distributed.operators import common_on_gpu, persistent, triangles
from frontier.distributed.partition import owners_on_gpu
from frontier.distributed.transport import windows
from frontier.operators.advance import Functors, advance_functors
from frontier.operators.dispatch.signatures import ARC, TRUTH, VERTEX
from frontier.operators.intersect import cuda_functors
from frontier.runtime.compile.cuda import compile_cubin
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from structures import SlabGraph

breadth_first = importlib.import_module("algorithms.bfs")
components = importlib.import_module("algorithms.connected_components")
dynamic_module = importlib.import_module("algorithms.dynamic_triangle_count")
dynamic_connected_components = importlib.import_module("algorithms.dynamic_connected_components")
temporal_triangle_module = importlib.import_module("algorithms.temporal_triangle_count")
distances = importlib.import_module("algorithms._distances_over_parts")
tree = importlib.import_module("algorithms.shortest_path_tree")
sssp = importlib.import_module("algorithms.sssp")
CHOOSE = (("HAS_OP", "1"),)
DEGREES = np.zeros(1, np.int64)


def labels(graph):
    return np.zeros(1, graph.vertex_dtype)


MARKS, BATCH, SIXTHS = np.zeros(1, np.uint8), np.uint8(1), np.zeros(1, np.int64)
PER_PAIR = cuda_functors(dynamic_module._share, dynamic_module._credit, False)
NUMBERED = cuda_functors(temporal_triangle_module._count_at_latest, None, True)

CASES = {
    "common": ("visit_common", lambda g: (
        PER_PAIR[0], (MARKS, BATCH, np.int64(1), SIXTHS, SIXTHS), PER_PAIR[1]
    )),
    "common-count": ("visit_common", lambda g: ((), (), ())),
    "common-numbered": ("visit_common", lambda g: (
        NUMBERED[0], (SIXTHS, SIXTHS, np.int64(9), SIXTHS), NUMBERED[1],
    )),
    "take-root": ("reduce", lambda g: (
        (("op", dynamic_connected_components._take_root, VERTEX, np.dtype(np.int64)),), (labels(g), labels(g)),
        (("REDUCE", "Sum"), ("RESULT", "i64")),
    )),
    "relax": ("visit_edges", lambda g: (
        (("op", sssp._relax, ARC, TRUTH),), (np.zeros(1, np.float32), np.float32(1), np.zeros(1, np.int32)), ()
    )),
    "unite": ("compute", lambda g: ((("op", components.unite, VERTEX, None),), (labels(g), labels(g)), ())),
    "shorten": ("compute", lambda g: ((("op", components._shorten, VERTEX, None),), (labels(g),), ())),
    "outside": ("filter", lambda g: (
        (("op", components._is_outside_in_part, VERTEX, TRUTH),), (labels(g), np.int32(1)), ()
    )),
    "leads": ("extract", lambda g: (
        (("op", triangles._leads, ARC, TRUTH),), (DEGREES, triangles.UP), CHOOSE
    )),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("arch, vertex_dtype", [("sm_90", "int32"), ("sm_80", "int64")])
def test_functors_compile(name, arch, vertex_dtype):
    check_compiles(SlabGraph, *CASES[name], arch, vertex_dtype, None)


@pytest.mark.parametrize("name", ["common", "common-numbered"])
def test_functors_compile_for_edge_data(name):
    check_compiles(SlabGraph, *CASES[name], "sm_90", "int32", "float32", {"amount": "float32"})


NARROW, WIDE = ("sm_90", "int32"), ("sm_80", "int64")
IN_TURN = [("slab", *NARROW), ("slab", *WIDE)] + [
    (name, *(NARROW, WIDE)[at % 2]) for at, name in enumerate(sorted(structures().keys() - {"slab"}))
]
"""The slab graph with both types of ids, and each other structure with one."""


@pytest.mark.parametrize("header", [common_on_gpu.HEADER, levels.HEADER])
@pytest.mark.parametrize("name, arch, vertex_dtype", IN_TURN)
def test_kernels_compile(name, arch, vertex_dtype, header):
    graph = structures()[name](8, device="cpu", vertex_dtype=vertex_dtype)
    defines, codes = cuda_build(graph, (), (), (), arch)
    assert compile_cubin(header, defines, codes, arch)[:4] == b"\x7fELF"


def test_kernels_of_common_neighbors_compile_for_edge_data():
    graph = SlabGraph(8, device="cpu", edge_data={"amount": "float32"})
    defines, codes = cuda_build(graph, (), (), (), "sm_90")
    assert compile_cubin(common_on_gpu.HEADER, defines, codes, "sm_90")[:4] == b"\x7fELF"


@pytest.mark.slow
@pytest.mark.parametrize("name, arch, vertex_dtype", [("slab", *NARROW), ("gpma", *WIDE)])
def test_searches_compile(name, arch, vertex_dtype):
    """A structure is met through its neighbor iterator only, and the kernel compiles for seconds."""
    graph = structures()[name](8, device="cpu", vertex_dtype=vertex_dtype)
    functors = Functors(breadth_first._visit, breadth_first._unreached)
    args = np.zeros(1, np.int32), np.zeros(1, graph.vertex_dtype), np.int32(1)
    options = persistent.options_of(graph, functors, 2)
    defines, codes = cuda_build(graph, advance_functors(functors), args, options, arch)
    assert compile_cubin(persistent.HEADER, defines, codes, arch)[:4] == b"\x7fELF"


def test_the_kernel_of_searches_and_its_host_know_the_same_numbers():
    text = (PROJECT_ROOT / persistent.HEADER).read_text()
    for name, value in (("STATE_NUMBERS", persistent.STATE_NUMBERS), ("OUTCOMES", windows.Window.OUTCOMES)):
        assert re.search(rf"\b{name} = {value}\b", text), name
    assert "enum Ending { DONE, NO_ROOM, PART_LOST, ALL_SHARED };" in text
    assert (persistent.DONE, persistent.NO_ROOM, persistent.PART_LOST, persistent.ALL_SHARED) == (0, 1, 2, 3)
    assert "enum Operation { NONE, SUM, LEAST, GREATEST };" in (PROJECT_ROOT / windows.HEADER).read_text()
    assert windows.OPERATIONS == {"sum": 1, "min": 2, "max": 3}


@pytest.mark.parametrize("header", [owners_on_gpu.HEADER, sending.HEADER, windows.HEADER])
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_kernels_of_batches_compile(header, arch):
    assert compile_cubin(header, (), (), arch)[:4] == b"\x7fELF"


def test_kernels_of_messages_and_their_host_know_the_same_numbers():
    header = PROJECT_ROOT / levels.HEADER
    text = header.read_text() + header.with_name("columns.cuh").read_text()
    for name, value in (
        ("MAX_PARTS", levels.MAX_PARTS), ("MAX_COLUMNS", levels.MAX_COLUMNS), ("SOLO", levels.SOLO),
        ("HEADER", levels.BYTES_AHEAD), ("LEFT", levels.LEFT), ("TOTALS", levels.TOTALS), ("ROWS", levels.ROWS),
    ):  # fmt: skip
        assert re.search(rf"\b{name} = {value}\b", text), name


DISTANCE, TREE, STATE, FLAG = (np.zeros(1, dtype) for dtype in (np.float32, np.int32, np.uint8, np.int32))
REPAIR = {
    "relax": (DISTANCE, np.float32(1), FLAG),
    "mark": (DISTANCE, TREE, STATE, np.float32(1), FLAG),
    "adopt": (DISTANCE, TREE, STATE),
    "pull": (DISTANCE, np.float32(1), FLAG),
    "find_parent": (DISTANCE, TREE, np.float32(1)),
}


@pytest.mark.parametrize("name", REPAIR)
def test_repairs_compile(name):
    op = getattr(distances.steps_of(tree.weight_length), name)
    check_compiles(
        SlabGraph, "visit_edges", lambda g: ((("op", op, ARC, TRUTH),), REPAIR[name], ()), "sm_90", "int32", "float32"
    )
