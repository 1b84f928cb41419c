"""Every CUDA kernel of structures and of batches compiles to machine code, on machines without a GPU too."""

from __future__ import annotations

import functools
import importlib
import inspect
import re

import numpy as np
import pytest

from frontier.core.sort import on_gpu
from frontier.core.structures import structures
from frontier.distributed.partition import owners_on_gpu
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from frontier.runtime.compile.kernels import define_text
from frontier.runtime.memory import elementwise

pytest.importorskip("cuda.core")

ARCHITECTURES = ["sm_80", "sm_90"]
VERTEX_DTYPES = ["int32", "int64"]
WEIGHT_DTYPES = ["float32", "float64", "int32"]
STRUCTURES = structures()
# Sizes as long as the pointers and numbers of a view: `pack_view` packs them so.
VIEW_CHECKS = """#include "{view}"
static_assert(sizeof(View) == 8 * {size}, "View has other fields than the named tuple");
static_assert(__is_trivially_copyable(View), "View cannot be passed by value");
static_assert(View::sorted == {sorted}, "View::sorted is not SORTED");
"""


def compiled(header, defines, arch):
    from frontier.runtime.compile.cuda import compile_cubin

    pairs = tuple(sorted((name, define_text(value)) for name, value in defines.items()))
    return compile_cubin(header, pairs, (), arch)


def folder(structure):
    return structure.package.replace(".", "/")


def defines_of(structure, vertex_dtype, weight_dtype):
    """The macros of a graph with these types (macros reported by a graph on the CPU are the same as on the GPU)."""
    weights = weight_dtype if structure.can_store_weights else None
    graph = structure(8, device="cpu", vertex_dtype=vertex_dtype, weight_dtype=weights)
    return graph.store.defines


def included(header):
    """The headers of the project that a header consists of, itself last."""
    found = {}

    def visit(name):
        if name not in found:
            found[name] = None  # entered before what it includes: `#pragma once`
            for other in re.findall(r'#include "([^"]+)"', (PROJECT_ROOT / name).read_text()):
                visit(other)
            found[name] = found.pop(name)

    visit(header)
    return list(found)


@functools.cache
def kernels_of(header):
    """Parameters of each kernel of a header and of the included headers, by name."""
    text = "\n".join((PROJECT_ROOT / name).read_text() for name in included(header))
    text = re.sub(r"//[^\n]*", "", text).replace("\\\n", " ")
    macros = dict(re.findall(r"^#define (\w+) +(\S.*)$", text, re.MULTILINE))
    found = re.findall(r'extern "C" __global__ void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)', text)
    kernels = {}
    for name, parameters in found:
        names = [parameter for parameter in re.split(r"\s*,\s*", parameters.strip()) if parameter]
        while any(parameter in macros for parameter in names):  # lists of parameters that several kernels share
            names = [part for parameter in names for part in re.split(r"\s*,\s*", macros.get(parameter, parameter))]
        kernels[name] = [parameter.split()[-1].lstrip("*&") for parameter in names]
    return kernels


def check_code(code, header):
    """The machine code contains every kernel of its header."""
    assert code[:4] == b"\x7fELF"
    for name in kernels_of(header):
        assert name.encode() in code, f"{name} is not in the machine code"


USUAL = ("sm_80", "int32", "float32")
OTHERS = [("sm_90", "int64", "float64"), *(("sm_90", "int32", kind) for kind in WEIGHT_DTYPES)]


@pytest.mark.parametrize(
    "name, arch, vertex_dtype, weight_dtype",  # each structure with every second of the remaining types, in turn
    [(name, *types) for at, name in enumerate(STRUCTURES) for types in (USUAL, *OTHERS[at % 2 :: 2])],
)
def test_structure(name, arch, vertex_dtype, weight_dtype):
    structure = STRUCTURES[name]
    if weight_dtype != "float32" and not structure.can_store_weights:
        pytest.skip(f"{name} stores no weights")
    header = f"{folder(structure)}/kernels.cuh"
    check_code(compiled(header, defines_of(structure, vertex_dtype, weight_dtype), arch), header)


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("weight_dtype", WEIGHT_DTYPES)
@pytest.mark.parametrize("id_dtype", VERTEX_DTYPES)
@pytest.mark.parametrize("vertex_dtype", VERTEX_DTYPES)
def test_batch(vertex_dtype, id_dtype, weight_dtype, arch):
    defines = {"ID": np.dtype(id_dtype), "VID": np.dtype(vertex_dtype), "WEIGHT": np.dtype(weight_dtype)}
    header = "frontier/core/batch/kernels.cuh"
    check_code(compiled(header, defines, arch), header)


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("vertex_dtype", VERTEX_DTYPES)
@pytest.mark.parametrize("folder_name", ["core/sort", "core/effective", "features/edge_data", "features/times"])
def test_of_batches(folder_name, vertex_dtype, arch):
    header = f"frontier/{folder_name}/kernels.cuh"
    check_code(compiled(header, {"VID": np.dtype(vertex_dtype)}, arch), header)


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("id_dtype", VERTEX_DTYPES)
@pytest.mark.parametrize("vertex_dtype", VERTEX_DTYPES)
def test_mixed_batches(vertex_dtype, id_dtype, arch):
    defines = {"ID": np.dtype(id_dtype), "VID": np.dtype(vertex_dtype), "VALUE": np.dtype(np.int64)}
    header = "frontier/features/mixed/kernels.cuh"
    check_code(compiled(header, defines, arch), header)


def test_elementwise():
    header = elementwise.HEADER
    code = compiled(header, {}, "sm_90")
    names = {f"convert_{one}_{other}" for one, other in elementwise.CONVERSIONS}
    names |= {f"take_{size}_{ids}" for size in elementwise.WORDS.values() for ids in elementwise.IDS}
    names |= {f"put_{size}_{ids}" for size in elementwise.WORDS.values() for ids in elementwise.IDS}
    names |= {"fill_column_u32", "fill_column_u64"}
    names |= {f"count_up_{ids}" for ids in elementwise.IDS} | {"fill_u64", "multiply_i64", "divide_double"}
    assert all(name.encode() in code for name in names)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_names(arch):
    header = "frontier/names/kernels.cuh"
    check_code(compiled(header, {}, arch), header)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_owners(arch):
    code = compiled(owners_on_gpu.HEADER, {}, arch)
    names = {f"{what}_{ids}" for what in ("find_owners", "move_to_owners") for ids in owners_on_gpu.IDS.values()}
    assert all(name.encode() in code for name in names | {"place_spans"})


def test_sort_of_arrays():
    code = compiled(on_gpu.HEADER, {}, "sm_90")
    by_ids = "pack", "unpack", "rows", "count_ids", "list_ids"
    names = {f"{what}_{ids}" for what in by_ids for ids in on_gpu.IDS.values()}
    names |= {"offsets_of", "count_run_ends", "list_run_ends", "sum_tiles", "accumulate", "add_up"}
    names |= {"append_positions", "split_positions"}
    assert all(name.encode() in code for name in names)


@pytest.mark.parametrize("name", STRUCTURES)
def test_view_is_that_of_the_cpu(name, tmp_path):
    """The struct has the fields of the named tuple, in order, eight bytes each."""
    structure = STRUCTURES[name]
    cpu = importlib.import_module(f"{structure.package}.cpu")
    fields = cpu.View._fields
    header = tmp_path / "checks.cuh"
    text = VIEW_CHECKS.format(view=f"{folder(structure)}/view.cuh", size=len(fields), sorted=str(cpu.SORTED).lower())
    for i, field in enumerate(fields):
        text += f'static_assert(__builtin_offsetof(View, {field}) == {8 * i}, "{field} is not field {i}");\n'
    header.write_text(text)
    assert compiled(str(header), defines_of(structure, "int32", "float32"), "sm_90")


def kernel_folders():
    """The folders whose kernels are called by one name on both devices (see `frontier.runtime.compile.kernels`)."""
    headers = (path for root in ("frontier", "structures") for path in (PROJECT_ROOT / root).rglob("kernels.cuh"))
    return sorted(
        path.parent.relative_to(PROJECT_ROOT).as_posix() for path in headers if (path.parent / "cpu.py").exists()
    )


@pytest.mark.parametrize("name", kernel_folders())
def test_kernels_are_those_of_the_cpu(name):
    """A kernel for both devices has the same arguments, the number of work items first."""
    cpu = importlib.import_module(f"{name.replace('/', '.')}.cpu")
    kernels = kernels_of(f"{name}/kernels.cuh")
    assert kernels
    for kernel, parameters in kernels.items():
        assert parameters[0] == "count", f"{kernel} starts with {parameters[0]}"
        if hasattr(cpu, kernel):
            assert list(inspect.signature(getattr(cpu, kernel)).parameters) == parameters, kernel


def test_shared_kernels_are_seen():
    """The kernels of a folder include the kernels of included headers."""
    gpma, graphvine = (kernels_of(f"structures/{name}/kernels.cuh").keys() for name in ("gpma", "graphvine"))
    assert {"locate", "plan", "move_windows", "erase", "fill", "compete"} <= gpma
    assert {"find_short", "keep_changes", "append", "mark", "plan"} <= graphvine


def test_a_wrong_view_is_found(tmp_path):
    header = tmp_path / "checks.cuh"
    header.write_text('#include "structures/csr/view.cuh"\nstatic_assert(sizeof(View) == 8, "too large");\n')
    with pytest.raises(Exception, match=r"(?s)too large"):
        compiled(str(header), {"VID": np.dtype(np.int32), "WEIGHT": np.dtype(np.float32)}, "sm_90")


def test_headers_of_the_working_directory_are_not_taken(tmp_path, monkeypatch):
    """A program may be started in a checkout of another version."""
    for header in ("frontier/runtime/memory/elementwise.cuh", "frontier/cuda/types.cuh"):
        path = tmp_path / header
        path.parent.mkdir(parents=True)
        path.write_text("#error of another version\n")
    monkeypatch.chdir(tmp_path)
    assert compiled("frontier/runtime/memory/elementwise.cuh", {}, "sm_90")
